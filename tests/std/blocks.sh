#!/bin/sh
# blocks.sh - the `test` declarations of the library's programs.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
passed=0 failed=0
for program in tests/std/*.tj; do
	grep -q '^test ' "$program" || continue
	"$TRAINC" test "$program" >"$log" 2>&1
	counts=$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	test "${counts% *}" = "$(grep -c '^test ' "$program")" || cat "$log"
	passed=$((passed + $(grep -c '^ok ' "$log")))
	failed=$((failed + $(grep -c '^test ' "$program") - $(grep -c '^ok ' "$log")))
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
