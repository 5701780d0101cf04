#!/bin/sh
# cross.sh [MACHINE...] - builds trainc for other machines and compares the goldens of this one there: aarch64 and s390x
# (big endian) under qemu-user, and clang (another compiler).  A machine whose tools are not installed is skipped, and is
# a failure where CI=true.  CROSS_CASES selects goldens, CROSS_CFLAGS sets other flags.  docs/testing.md says why 32 bits
# and musl are not included.
cd "$(dirname "$0")/.." || exit 1
test $# -gt 0 || set -- aarch64 s390x clang
passed=0 failed=0 skipped=0

# compile MACHINE COMPILER: builds a static trainc for the machine, with libyaml from Debian's source.
compile() {
	machine=$1 cc=$2 b=build-cross/$1
	mkdir -p "$b/yaml" || return
	sh .ci/libyaml build-cross/libyaml || return
	for part in api dumper emitter loader parser reader scanner writer; do
		test -f "$b/yaml/$part.o" ||
			"$cc" -O1 -w -DHAVE_CONFIG_H -Ibuild-cross/libyaml/include -c "build-cross/libyaml/src/$part.c" -o "$b/yaml/$part.o" || return
	done
	test -f "$b/yaml/libyaml.a" || ar qcs "$b/yaml/libyaml.a" "$b"/yaml/*.o || return
	make -s --no-print-directory BUILD="$b" "$b/gen/schema.c" "$b/gen/library.c" || return    # generated here
	CPPFLAGS=-I$PWD/build-cross/libyaml/include make -s -j"$(nproc)" --no-print-directory BUILD="$b" CC="$cc" \
		CFLAGS="${CROSS_CFLAGS:--O1}" LDFLAGS="-static -L$b/yaml" "$b/trainc" 2>"$b/said"
	status=$?
	cat "$b/said"
	test $status -eq 0 && ! grep -q 'warning:' "$b/said"
}

# run MACHINE COMPILER RUNNER: builds, and runs the goldens.
run() {
	for program in "$2" $3; do
		if ! command -v "$program" >/dev/null; then
			echo "skip $1: $program is not installed"
			skipped=$((skipped + 1))
			return
		fi
	done
	if ! compile "$1" "$2"; then
		echo "FAIL $1: it does not build, or with warnings"
		failed=$((failed + 1))
		return
	fi
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$3" "$PWD/$b/trainc" >"$b/as_here"
	chmod +x "$b/as_here"
	said=$(TRAINC=$PWD/$b/as_here sh tests/golden.sh $CROSS_CASES)
	echo "$1: $(echo "$said" | tail -n 1)"
	echo "$said" | grep '^FAIL' | sed "s/^FAIL/& $1/" | head -n 20
	counts=$(echo "$said" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' | tail -n 1)
	passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

for machine; do
	case $machine in
	aarch64 | s390x) run "$machine" "$machine-linux-gnu-gcc" "qemu-$machine" ;;
	clang) run clang clang "" ;;
	*) echo "usage: cross.sh [aarch64|s390x|clang]..."; exit 2 ;;
	esac
done
if test "$skipped" -gt 0; then
	test "${CI:-}" != true || failed=$((failed + skipped))
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
test "$failed" -eq 0
