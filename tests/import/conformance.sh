#!/bin/sh
# conformance.sh - the training operator's test vectors in the directory CONFORMANCE, if there are any: no vector of a
# kind that their judge covers fails, and stricter results are listed in docs/differences.md.  Kinds that the judge does
# not cover count as skipped.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
vectors=${CONFORMANCE:-../shared/conformance}
if test ! -f "$vectors/run.py"; then
	echo "skip: the vectors are not beside this tree"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
export PYTHONDONTWRITEBYTECODE=1
found=$(python3 "$vectors/run.py" --trainc "$TRAINC" "$vectors/operator") || true
printf '%s\n' "$found" | grep '^fail ' | cut -c1-200
set -- $(printf '%s\n' "$found" | tail -n 1 | tr -d ,)
if test "$2 $4 $6" != "passed failed skipped"; then
	printf '%s\n' "$found" | tail -n 5
	echo "0 passed, 1 failed"
	exit 1
fi
passed=$1 failed=$3
for case in $(printf '%s\n' "$found" | sed -n 's/^stricter *[a-z-]* *\([^:]*\):.*/\1/p'); do
	if grep -q "\`$case\`" docs/differences.md; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $case is stricter, and docs/differences.md does not say so"
	fi
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
