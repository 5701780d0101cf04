#!/bin/sh
# fuzz.sh - the fuzz targets: their build options (without ARENA_DEBUG, a sanitizer does not notice a read past the end of
# a text), their corpora and their tables. Every file that reads bytes from outside is in tests/fuzz/readers.
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

# the recipe of make fuzz is in a variable
check "make fuzz opens the arena to the sanitizer" sh -c "sed -n '/^FUZZ_BUILD/,/^fuzz:/p' Makefile |
	grep -e -DARENA_DEBUG | grep -qe '-fsanitize=[a-z,-]*address'"
check "make asan opens the arena to the sanitizer" built_with asan '-DARENA_DEBUG' '(SANITIZE)'
check "the arena knows the word" grep -q ARENA_DEBUG compiler/base/arena.c

# ---- targets ----

targets=tests/fuzz/targets readers=tests/fuzz/readers
has_inputs() { test -n "$(find "tests/fuzz/corpus/$1" -type f 2>/dev/null | head -n 1)"; }
is_target() { grep -q '^int LLVMFuzzerTestOneInput(const uint8_t \*bytes, size_t n)$' "tests/fuzz/$1.c" 2>/dev/null; }
listed() { sed 's/#.*//' "$2" | awk -v name="$1" '{ for (i = 1; i <= NF; i++) if ($i == name) found = 1 } END { exit !found }'; }
for target in tests/fuzz/fuzz_*.c; do
	name=$(basename "$target" .c)
	check "$target is a target" is_target "$name"
	check "$name is in $targets" listed "$name" "$targets"
	check "$name has inputs in tests/fuzz/corpus" has_inputs "$name"
	check "$name runs a reader in $readers" listed "$name" "$readers"
done
for name in $(sed 's/#.*//' "$targets" | awk '{ print $1 }'); do
	check "$name of $targets is a target" is_target "$name"
done
size=$(find tests/fuzz/corpus -type f -exec cat {} + | wc -c)
check "the corpus has $size bytes, of at most 500 KB" test "$size" -le 500000

# ---- readers ----

# The functions that take bytes from outside, or take them apart.
functions='data_read_json|data_reader_new|json_stream_new|json_stream_take|lsp_receive|lsp_frame_next|recv|recvfrom|recvmsg|PEM_read_bio_[A-Za-z0-9_]*|EVP_DecodeUpdate|curl_getdate'
for file in $(grep -lrE --include='*.c' "\b($functions)\(" compiler runtime); do
	check "$file reads bytes from outside, and is in $readers" listed "$file" "$readers"
done
rows=$(mktemp) || exit 1
trap 'rm -f "$rows"' EXIT
sed 's/#.*//' "$readers" | grep . >"$rows"
while read -r file target rest; do
	check "$file of $readers exists" test -f "$file"
	if test "$target" = -; then
		check "$file of $readers says why it needs no target" test -n "$rest"
		by=$(echo "$rest" | sed -n 's/.*\(\(compiler\|runtime\)[a-z_/]*\.c\) reads$/\1/p')
		test -z "$by" || check "$by, which reads for $file, has a target" grep -q "^$by  *fuzz_" "$rows"
	else
		for name in $target $rest; do
			check "$name, which runs $file, is a target" is_target "$name"
		done
	fi
done <"$rows"
echo "$passed passed, $failed failed"
test "$failed" -eq 0
