#!/bin/sh
# statuses.sh - session.h, the manual and the documents list the same exit statuses.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0

# same WHERE NUMBERS: the statuses that WHERE lists are those.
same() {
	if test "$2" = "$statuses"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1 lists $2, not $statuses"
	fi
}
signals="129 130 143"
enum=$(sed -n '/^enum exit_status/,/^}/p' compiler/command/session.h | grep -oE '= [0-9]+' | tr -d '= ' | sort -n | tr '\n' ' ')
# a table of Markdown, or the list of a manual page, below EXIT STATUS
table() { sed -n '/^## Exit statuses/,/^## [^E]/p' "$1" | sed -n 's/^| \([0-9][0-9, ]*\) |.*/\1/p' | tr -d ',' | tr ' ' '\n' | sort -n | tr '\n' ' '; }
listed() { sed -n '/^\.Sh EXIT STATUS/,/^\.Sh [^E]/p' "$1" | sed -n 's/^\.It //p' | tr -d ',' | tr ' ' '\n' | grep . | sort -n | tr '\n' ' '; }

statuses=$(printf '%s\n' $enum $signals | sort -n | tr '\n' ' ')
same docs/runtime.md "$(table docs/runtime.md)"
same docs/trainc-run.1 "$(listed docs/trainc-run.1)"
# no server is contacted here
statuses=$(printf '%s\n' $statuses | grep -vxE '4|7' | tr '\n' ' ')
same docs/local.md "$(table docs/local.md)"
# commands that run nothing
statuses="0 1 2 3 70 "
same docs/trainc.1 "$(listed docs/trainc.1)"
echo "$passed passed, $failed failed"
test "$failed" -eq 0
