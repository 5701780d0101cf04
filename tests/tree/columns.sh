#!/bin/sh
# columns.sh - lines of C have at most 120 columns, where a tab counts as 8.  Tests may contain longer lines with texts of
# servers; their number is limited.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
allowed=123 failed=0

# long FILE...: prints the positions of lines that are too long.
long() {
	for file; do
		expand "$file" | awk -v file="$file" 'length > 120 { print file ":" NR ": " length " columns" }'
	done
}

found=$(long compiler/*.[ch] compiler/*/*.[ch] compiler/*/*/*.[ch] runtime/*/*.[ch])
if test -n "$found"; then
	echo "$found"
	echo "FAIL lines of more than 120 columns: break them"
	failed=1
fi
texts=$(long tests/*/*.[ch] | wc -l)
if test "$texts" -gt $allowed; then
	echo "FAIL $texts lines of more than 120 columns in tests, and $allowed are permitted: break those that are new"
	failed=$((failed + 1))
fi
echo "$((2 - failed)) passed, $failed failed"
test $failed -eq 0
