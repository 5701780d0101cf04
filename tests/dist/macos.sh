#!/bin/bash
# macos.sh - the files for macOS in DIST, which nothing here can run: their form, what they need, and what they contain.
# The program that .ci/dist/macos/programs builds from the same files for this machine compiles all examples as that of
# the release does, and says what was left out.
. "$(dirname "$0")/dist.inc"
unset TRAINC TRAINC_LIBRARY PYTHONPATH
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1

grep -oE '\btrainc_[a-z_]+\(' compiler/trainc.h | tr -d '(' | LC_ALL=C sort -u >"$scratch/door"
headers() { # headers FILE COMMAND: the load command, as `name value` lines
	llvm-objdump --macho --private-headers "$1" | awk -v want="$2" '$1 == "cmd" { on = $2 == want } on'
}
for tarball in "$DIST"/trainc-"$version"-macos-*.tar.gz; do
	machine=${tarball##*-macos-} machine=${machine%.tar.gz} called=${machine/aarch64/arm64}
	root=$scratch/$machine
	mkdir "$root"
	check "$machine: the archive unpacks" tar -xzf "$tarball" -C "$root" --strip-components=1
	check "... is at most 8 MB" test "$(stat -c %s "$tarball")" -le 8000000
	check "... has no half for clusters" test ! -e "$root/libexec"
	check "... and otherwise the files of that for Linux" diff <(tar -tzf "$tarball" | cut -d/ -f2- | sort) \
		<(tar -tzf "$DIST/trainc-$version-linux-$machine.tar.gz" | cut -d/ -f2- | grep -v '^libexec/' | sort)
	wheel=$(ls "$DIST"/trainc-*-macosx_11_0_"$called".whl)
	check "... the wheel for it installs on that platform" python3 -m pip install -q --platform "macosx_11_0_$called" --only-binary=:all: \
		--no-deps --target "$scratch/wheel-$machine" "$wheel"
	check "... and has the same program" sh -c "python3 -m zipfile -e '$wheel' '$scratch/zip-$machine' && cmp '$root/bin/trainc' '$scratch/zip-$machine'/*.data/scripts/trainc"
	library=$scratch/zip-$machine/trainc/libtrainc.0.dylib
	for file in "$root/bin/trainc" "$library"; do
		check "... ${file##*/} is Mach-O for $called" sh -c "llvm-objdump --macho --private-header '$file' | grep -iE \"$(test "$called" = arm64 && echo ARM64 || echo X86_64)\""
		check "... ${file##*/} needs the library of the system alone" test "$(llvm-objdump --macho --dylibs-used "$file" | grep -c '	')" = \
			"$(llvm-objdump --macho --dylibs-used "$file" | grep -cE '	(/usr/lib/libSystem\.B\.dylib|@rpath/libtrainc\.0\.dylib) ')"
		check "... ${file##*/} starts on macOS 11" sh -c "test '$(headers "$file" LC_BUILD_VERSION | awk '$1 == "minos" { print $2 }')' = 11.0"
		check "... ${file##*/} is signed where it must be" sh -c "test $called != arm64 || test -n '$(headers "$file" LC_CODE_SIGNATURE)'"
		strings "$file" >"$scratch/strings"
		check "... ${file##*/} contains text" grep -q trainc "$scratch/strings"
		check "... ${file##*/} contains no directory of this machine, and uses nothing of /proc" \
			sh -c "! grep -e '$PWD' -e '^/proc/self/exe' -e '^/proc/self/fd' '$scratch/strings'"
	done
	llvm-nm --extern-only --defined-only "$library" | sed -n 's/^[0-9a-f]* [A-Z] _//p' | grep -vx -e __dso_handle -e _mh_dylib_header | LC_ALL=C sort >"$scratch/shown"
	check "... the library exports the functions of trainc.h, and nothing else" diff "$scratch/door" "$scratch/shown"
	# the installer takes it, on a machine that says that it is one
	mkdir "$scratch/bin-$machine"
	printf '#!/bin/sh\ncase $1 in -s) echo Darwin ;; *) echo %s ;; esac\n' "$called" >"$scratch/bin-$machine/uname"
	chmod +x "$scratch/bin-$machine/uname"
	check "... the installer takes it" env PATH="$scratch/bin-$machine:$PATH" TRAINC_RELEASE_URL="$DIST" sh "$DIST/install.sh" --prefix "$scratch/installed-$machine"
	check "... as it is" cmp "$root/bin/trainc" "$scratch/installed-$machine/bin/trainc"
	for entry in homebrew/trainc.rb krew/trainc.yaml; do
		check "... $entry names it with its checksum" sh -c "grep -A1 'macos-$machine.tar.gz' '$DIST/$entry' | grep -q $(sha256sum <"$tarball" | cut -d' ' -f1)"
	done
done
check "there is one for each machine" test "$(ls "$DIST"/trainc-"$version"-macos-*.tar.gz | wc -l)" = "$(ls "$DIST"/trainc-"$version"-linux-*.tar.gz | wc -l)"

# The same files, built for this machine.
twin=$BUILD/dist/macos-twin
check "the program is built for this machine" env TARGET="$(uname -m)-linux-musl" bash .ci/dist/macos/programs "$SOURCES" "$(uname -m)" "$twin"
mkdir "$scratch/linux"
tar -xzf "$DIST/trainc-$version-linux-$(uname -m).tar.gz" -C "$scratch/linux" --strip-components=1
for program in examples/*/*.tj examples/recipes/*.tj; do
	check "$program compiles to the same bytes" cmp <("$scratch/linux/bin/trainc" compile "$program" 2>&1) <("$twin/trainc" compile "$program" 2>&1)
done
refused() { # refused WORDS...: with the sentence and status 2
	"$twin/trainc" "$@" >"$scratch/out" 2>"$scratch/err"
	test $? = 2 && test ! -s "$scratch/out" && grep -q "is not in trainc for macOS, which has the compiler only" "$scratch/err"
}
program=$(ls examples/*/*.tj | head -n 1)
for command in "run $program" "run --local $program" "apply $program" "list" "status x" "logs x" "wait x" "scale x a=1" "restart x a/0" "exec x a/0" \
	"attach x a/0" "port-forward x a/0:1" "open x" "top x" "suspend x" "resume x" "delete x" "diff $program" "why x" "events x" "cp x:a/0:/a b" \
	"sync $program" "history x" "fit $program" "env --local $program" "code --upload $program" "supervise" "version --server" "import --from-cluster" "vendor nodes --from-cluster"; do
	check "'$command' says that it is not there" refused $command
done
for command in check "fmt --check" plan env "compile -o json" doc; do
	check "'$command' works" "$twin/trainc" $command "$program"
done
check "'mcp' starts itself for a tool" sh -c "printf '%s\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}' \
	'{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}' '{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"check\",\"arguments\":{\"file\":\"$program\"}}}' | '$twin/trainc' mcp | grep '\"id\":2' | grep -v '\"isError\":true'"
end
