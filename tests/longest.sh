#!/bin/sh
# longest.sh - the ten longest functions, for a look; it never fails.
cd "$(dirname "$0")/.." || exit 1
for file in compiler/*.c compiler/*/*.c compiler/*/*/*.c runtime/*.c runtime/*/*.c; do
	test -f "$file" && awk -v file="$file" '
		/^[a-z].*\)$/ || /^[a-z].*,$/ { head = $0; at = NR }
		/^\{/ { start = NR; name = head; line = at }
		/^\}/ && start { print NR - start - 1, file ":" line, name; start = 0 }
	' "$file"
done | sort -rn | head -n 10 | awk '{ printf "%4d lines  %s  ", $1, $2; $1 = $2 = ""; print substr($0, 3, 80) }'
