#!/bin/sh
# admission.sh - trainc supervise --policy: the policies of tests/supervise/admission as objects, and the messages about
# checks that only the compiler can make.  tests/e2e/supervise.py compares the verdicts of a real API server.
cd "$(dirname "$0")/admission" || exit 1
TRAINC=${TRAINC:-$(cd ../../.. && pwd)/${BUILD:-build}/trainc}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# same WHAT GOLDEN FILE
same() {
	test -z "$BLESS" || cp "$3" "$2"
	if diff -u "$2" "$3"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1"
	fi
}
# says WHAT STATUS TEXT OPTIONS...: the command exits with STATUS, writes no objects, and prints TEXT.
says() {
	what=$1 wanted=$2 text=$3
	shift 3
	"$TRAINC" supervise "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	if test "$status" = "$wanted" && test ! -s "$scratch/out" && grep -qF -- "$text" "$scratch/err"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $what: status $status"
		cat "$scratch/err"
	fi
}

"$TRAINC" supervise --kubeflow --policy >"$scratch/yaml" 2>"$scratch/left" || failed=$((failed + 1))
same "the objects of the policies" policies.yaml "$scratch/yaml"
same "the checks that stay with the compiler" left.txt "$scratch/left"
"$TRAINC" supervise --policy >"$scratch/yaml" 2>"$scratch/left" || failed=$((failed + 1))
same "the objects of the policies for runs" policies_runs.yaml "$scratch/yaml"
same "the checks of runs that stay with the compiler" left_runs.txt "$scratch/left"
"$TRAINC" supervise --kubeflow --policy -o json --namespace ml 2>"$scratch/again" >"$scratch/json" || failed=$((failed + 1))
same "the form changes nothing of what is said" left.txt "$scratch/again"
python3 - "$scratch/json" <<'END' && passed=$((passed + 1)) || failed=$((failed + 1))
import json, sys

items = json.load(open(sys.argv[1]))["items"]
policies = {o["metadata"]["name"] for o in items if o["kind"] == "ValidatingAdmissionPolicy"}
bindings = [o["spec"] for o in items if o["kind"] == "ValidatingAdmissionPolicyBinding"]
assert policies and policies == {b["policyName"] for b in bindings} and len(bindings) == len(policies), items
for b in bindings:
    assert b["validationActions"] == ["Warn" if b["policyName"].endswith("-warn") else "Deny"], b
    assert b["matchResources"]["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "ml"}, b
END

says "both forms at once" 2 "ask for one of them at a time" --kubeflow --policy --manifest
cd "$scratch" || exit 1
says "no project" 2 "no policies here" --kubeflow --policy
mkdir p
echo 'project { policies = ["p/a.tj"] }' >project.tj
echo 'policy "a" { check cluster.nme == "x" else "no" }' >p/a.tj
says "a policy with an error" 1 "p/a.tj:1:28: error:" --kubeflow --policy
# each role of a run is an object of its own, so two nested loops over roles could not be expressed
echo 'policy "a" { for r in cluster.roles { for q in cluster.containers { check r.image == q.image else "no" } } }' >p/a.tj
says "roles compared with each other" 0 "p/a.tj:1:48: policy \"a\": the API server cannot check this: it compares roles with each other" --policy
# titles that give the same name, and one that gives none
cat >p/a.tj <<'END'
policy "a b" { check cluster.name != "x" else "no" }
policy "A  B" { check cluster.name != "y" else "no" }
policy "åäö" { check cluster.name != "z" else "no" }
END
"$TRAINC" supervise --kubeflow --policy >"$scratch/yaml" || failed=$((failed + 1))
names=$(sed -n '/^kind: ValidatingAdmissionPolicy$/,/name:/s/^  name: //p' yaml | sort -u | wc -l)
if test "$names" = 3 && ! grep -q 'name: trainc-$' yaml; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL names of objects"
	grep 'name:' yaml
fi

echo "$passed passed, $failed failed"
test "$failed" = 0
