#!/bin/sh
# columns.sh - lines of C have at most 120 columns, where a tab counts as 8.  A row of a table of data may be longer: a
# whole row in one line, so that columns can be compared. Tests may contain longer lines with texts of servers; their
# number is limited.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
allowed=123 failed=0

# long FILE...: prints the positions of lines that are too long.
long() {
	awk '
	FNR == 1 || /^}/ { table = 0 }
	/^(static )?const .*\[[A-Z_a-z]*\] = \{$/ { table = 1 }
	length * 8 > 120 {
		width = 0
		n = split($0, part, "\t")
		for (i = 1; i <= n; i++)
			width = i < n ? int((width + length(part[i])) / 8 + 1) * 8 : width + length(part[i])
		if (width > 120 && !(table && /^\t(\[[A-Z_]+\] = )?\{.* \},( \/\*.*\*\/)?$/))
			print FILENAME ":" FNR ": " width " columns"
	}' "$@"
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
