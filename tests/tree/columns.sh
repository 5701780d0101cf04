#!/bin/sh
# columns.sh - lines of C have at most 120 columns: how many longer ones are left from before that rule. The number may only fall.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
allowed=2100
found=$(cat compiler/*.[ch] compiler/*/*.[ch] compiler/*/*/*.[ch] runtime/*/*.[ch] | expand | awk 'length > 120' | wc -l)
echo "# $found lines of more than 120 columns, $allowed are allowed"
if test "$found" -gt "$allowed"; then
	echo "FAIL there are more than $allowed lines of more than 120 columns: break those that are new"
	echo "0 passed, 1 failed"
	exit 1
elif test "$found" -lt $((allowed - 250)); then
	echo "FAIL there are only $found: lower the number in tests/tree/columns.sh"
	echo "0 passed, 1 failed"
	exit 1
fi
echo "1 passed, 0 failed"
