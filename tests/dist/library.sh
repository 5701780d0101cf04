#!/bin/bash
# library.sh - the archives of the library in DIST: what they export, and a program in C and in C++ that is built with
# them, by pkg-config, in both forms, and compiles a program.
. "$(dirname "$0")/dist.inc"
cat >"$scratch/use.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <trainc.h>

static bool give_text(void *context, const char *path, void (*give)(void *to, const char *text, size_t n), void *to, const char **why)
{
	const char *text = "job \"hello\" { image = \"debian:12\", command = [\"true\"], role worker { replicas = 2 } }\n";

	(void)context;
	if (strcmp(path, "job.tj") != 0) {
		*why = "no such file";
		return false;
	}
	give(to, text, strlen(text));
	return true;
}

static bool print(void *context, const char *text, size_t n)
{
	(void)context;
	return fwrite(text, 1, n, stdout) == n;
}

int main(void)
{
	struct trainc_files files = { NULL, give_text, NULL, NULL };
	struct trainc_output out = { NULL, print };
	struct trainc *t = trainc_open(&files);

	trainc_compile(t, "job.tj");
	bool good = trainc_check(&t, 1, true) && trainc_emit(&t, 1, TRAINC_YAML, out);
	trainc_close(t);
	return good ? 0 : 1;
}
END
cp "$scratch/use.c" "$scratch/use.cc"
grep -oE '\btrainc_[a-z_]+\(' compiler/trainc.h | tr -d '(' | LC_ALL=C sort -u >"$scratch/door"
for archive in "$DIST"/libtrainc-"$version"-linux-*.tar.gz; do
	machine=${archive##*-linux-} machine=${machine%.tar.gz}
	root=$scratch/$machine
	mkdir "$root"
	check "$machine: the archive unpacks" tar -xzf "$archive" -C "$root" --strip-components=1
	check "... has these files" diff - <(cd "$root" && find . ! -type d | sort) <<-END
		./include/trainc.h
		./lib/libtrainc.a
		./lib/libtrainc.so
		./lib/libtrainc.so.0
		./lib/pkgconfig/trainc.pc
		./share/doc/libtrainc/LICENSE
		./share/doc/libtrainc/THIRD-PARTY.txt
	END
	check "... its header is that of the tree" cmp compiler/trainc.h "$root/include/trainc.h"
	check "... the shared form is that of the wheel" sh -c "python3 -m zipfile -e '$DIST'/*-manylinux*_$machine.whl '$root/wheel' && cmp '$root/wheel/trainc/libtrainc.so.0' '$root/lib/libtrainc.so.0'"
	nm -g --defined-only "$root/lib/libtrainc.a" | sed -n 's/^[0-9a-f]* [A-Z] //p' | LC_ALL=C sort >"$scratch/shown"
	check "... the static form shows the functions of its header, and nothing else" diff "$scratch/door" "$scratch/shown"
	strings "$root/lib/libtrainc.a" >"$scratch/strings"
	check "... contains text" grep -q trainc "$scratch/strings"
	check "... and no directory of this machine" sh -c "! grep -F '$PWD' '$scratch/strings'"
	test "$machine" = "$(uname -m)" || continue
	export PKG_CONFIG_PATH=$root/lib/pkgconfig
	used=$(pkg-config --cflags --libs trainc)
	check "a C program uses the shared form" sh -c "cc -Wall -Werror '$scratch/use.c' -o '$scratch/shared' $used && LD_LIBRARY_PATH='$root/lib' '$scratch/shared' >'$scratch/shared.yaml'"
	check "... it is loaded by its name" sh -c "readelf -d '$scratch/shared' | grep -F '[libtrainc.so.0]'"
	check "a C program uses the static form" sh -c "cc -Wall -Werror $(pkg-config --cflags trainc) '$scratch/use.c' -o '$scratch/static' '$root/lib/libtrainc.a' -lm && '$scratch/static' >'$scratch/static.yaml'"
	check "a C++ program uses it" sh -c "c++ -Wall -Werror '$scratch/use.cc' -o '$scratch/plus' $used && LD_LIBRARY_PATH='$root/lib' '$scratch/plus' >'$scratch/plus.yaml'"
	printf 'job "hello" { image = "debian:12", command = ["true"], role worker { replicas = 2 } }\n' >"$scratch/job.tj"
	mkdir "$scratch/programs"
	tar -xzf "$DIST/trainc-$version-linux-$machine.tar.gz" -C "$scratch/programs" --strip-components=1
	(cd "$scratch" && programs/bin/trainc compile job.tj >expected.yaml)
	for form in shared static plus; do
		check "the $form program writes what trainc writes" cmp "$scratch/expected.yaml" "$scratch/$form.yaml"
	done
done
end
