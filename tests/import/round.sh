#!/bin/sh
# round.sh [MANIFEST...] - a manifest without its comments becomes a program, the program a custom resource, and that
# becomes the same program again.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export LC_ALL=C.UTF-8
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
# round NAME TARGET OPTION...: $work/a.yaml there and back.
round() {
	name=$1 target=$2
	shift 2
	"$TRAINC" import "$@" "$work/a.yaml" >"$work/a.tj" 2>/dev/null || return 0
	"$TRAINC" compile --target "$target" "$work/a.tj" >"$work/b.yaml" 2>"$work/err"
	compiled=$?
	# the resource has the version of the training operator, not of the one before it
	grep -q 'api = "' "$work/a.tj" && return 0
	# a role without replicas is not in the resource
	grep -q 'replicas *= 0' "$work/a.tj" && return 0
	# a variable that the operator hides is not in the resource
	grep -q TJ0719 "$work/err" && return 0
	if test $compiled -ne 0 || ! "$TRAINC" import "$@" "$work/b.yaml" >"$work/b.tj" 2>"$work/err"; then
		failed=$((failed + 1))
		echo "FAIL $name"
		head -n 10 "$work/err"
	elif diff "$work/a.tj" "$work/b.tj" >"$work/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		head -n 20 "$work/diff"
	fi
}
test $# -gt 0 || set -- tests/import/cases/*.yaml tests/compat/manifests/*.yaml "${CONFORMANCE:-../shared/conformance}"/operator/*/job.yaml
for manifest; do
	test -f "$manifest" || continue
	sed '/^ *#/d; s/ #.*//' "$manifest" >"$work/a.yaml"
	if grep -q 'apiVersion: "*kubeflow.org/v1"*$' "$manifest"; then
		round "$manifest (1.7)" kubeflow --operator 1.7
		round "$manifest (1.9)" kubeflow --operator 1.9
	fi
	case $manifest in */jobset_back*) round "$manifest" jobset ;; esac
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0 && test "$passed" -gt 0
