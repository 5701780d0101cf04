#!/bin/sh
# demo.sh - `make demo` in a fresh clone prints at most 190 lines that a person reads: a line for each folder of C that it
# builds, one for each other file, and the demo.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
check() {
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $what"
	fi
}
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
check "the demo ends" sh examples/demo.sh >"$out" 2>&1
folders=$(find compiler runtime -name '*.c' -exec dirname {} + | sort -u | wc -l)
others=$(grep -c '(call say,' Makefile)
lines=$(($(wc -l <"$out") + folders + others))
check "make demo would print $lines lines" test "$lines" -le 190
check "make prints commands without V=1" test "$(grep -cE '^	\$\((CC|WASM_CC|WASM_MACHINE|GEN)\)' Makefile)" -eq 0
echo "$passed passed, $failed failed"
test "$failed" -eq 0
