#!/bin/sh
# operator.sh - pods, environment and refusals of the operator, on cases that lie beside the project (CONFORMANCE) where
# somebody has them; the judge lies with them.
cd "$(dirname "$0")/../.." || exit 1
shared=${CONFORMANCE:-../shared/conformance}
trainc=${TRAINC:-$PWD/${BUILD:-build}/trainc}
if ! test -f "$shared/run.py"; then
	echo "skip no cases in $shared"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
export PYTHONDONTWRITEBYTECODE=1
kinds='env pod initcontainers validation panic'
# Some cases compare the operator's own object with every default filled in.
printf 'import std.kubeflow\njob "a": kubeflow.jaxjob { image = "registry.example.com/a:1" }\n' |
	"$trainc" compile --target kubeflow - >/dev/null 2>&1 && kinds="$kinds env-full defaults"
passed=0 failed=0 skipped=0
for kind in $kinds; do
	found=$(python3 "$shared/run.py" --trainc "$trainc" --check "$kind" "$shared/operator")
	echo "$found" | grep '^fail'
	set -- $(echo "$found" | tail -n 1 | tr -d ,)
	passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
done
echo "$passed passed, $failed failed, $skipped skipped"
test "$failed" -eq 0
