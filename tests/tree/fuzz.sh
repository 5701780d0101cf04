#!/bin/sh
# fuzz.sh - build options of the fuzz targets: without ARENA_DEBUG, a sanitizer does not notice a read past the end of a
# text.
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
recipe() { sed -n "/^$1:/,/^\$/p" Makefile; }
built_with() { recipe "$1" | grep -e "$2" | grep -qe "$3"; }

check "make fuzz opens the arena to the sanitizer" built_with fuzz '-DARENA_DEBUG' '-fsanitize=[a-z,-]*address'
check "make asan opens the arena to the sanitizer" built_with asan '-DARENA_DEBUG' '(SANITIZE)'
check "the arena knows the word" grep -q ARENA_DEBUG compiler/base/arena.c
for target in tests/fuzz/fuzz_*.c; do
	check "$target is a target" grep -q '^int LLVMFuzzerTestOneInput(const uint8_t \*bytes, size_t n)$' "$target"
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
