#!/bin/sh
# conformance.sh - the vectors of the training operator, where they are: nothing fails, and what is stricter
# stands in docs/differences.md.  Verdicts from saved objects need a command of their own.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
vectors=${CONFORMANCE:-../shared/conformance}
if test ! -f "$vectors/run.py"; then
	echo "skip: the vectors are not beside this tree"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
passed=0 failed=0
for check in validation panic env-full env pod initcontainers defaults service; do
	found=$(python3 "$vectors/run.py" --trainc "$TRAINC" --check "$check" "$vectors/operator") || true
	for case in $(printf '%s\n' "$found" | sed -n 's/^stricter *[a-z-]* *\([^:]*\):.*/\1/p'); do
		if grep -q "$case" docs/differences.md; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $case is stricter, and docs/differences.md does not say so"; fi
	done
	printf '%s\n' "$found" | grep '^fail ' | cut -c1-200
	counts=$(printf '%s\n' "$found" | tail -n 1)
	test "${counts%% *}" -gt 0 2>/dev/null && passed=$((passed + ${counts%% *}))
	failed=$((failed + $(printf '%s\n' "$found" | grep -c '^fail ')))
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
