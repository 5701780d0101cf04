#!/bin/sh
# longest.sh [-v] - a function fits on a screen: it has at most 60 lines. -v lists the ten longest functions.
cd "$(dirname "$0")/../.." || exit 1
limit=60

found=$(for file in compiler/*.c compiler/*/*.c compiler/*/*/*.c runtime/*.c runtime/*/*.c; do
	test -f "$file" && awk -v file="$file" '
		/^[a-z].*\)$/ || /^[a-z].*,$/ { head = $0; at = NR }
		/^\{/ { start = NR; name = head; line = at }
		/^\}/ && start { print NR - start - 1, file ":" line, name; start = 0 }
	' "$file"
done | sort -rn | head -n 10)
if test "$1" = -v; then
	echo "$found" | awk '{ printf "%4d lines  %s  ", $1, $2; $1 = $2 = ""; print substr($0, 3, 80) }'
fi
echo "$found" | awk -v limit=$limit '
	$1 > limit { print "FAIL " $2 ": a function of " $1 " lines, and " limit " are permitted: split it"; failed++ }
	END { print (NR == 10 && !failed) " passed, " failed + (NR != 10) " failed"; exit failed || NR != 10 }'
