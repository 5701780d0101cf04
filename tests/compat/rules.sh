#!/bin/sh
# rules.sh - the judge of the ancestors follows rules: a case passes by them whatever its name is, and a difference
# without a rule fails.
. "$(dirname "$0")/../cli/cli.inc"
if ! python3 -c 'import yaml' 2>/dev/null; then
	skip "no module yaml"
	end
fi
export PYTHONDONTWRITEBYTECODE=1
cases=$root/tests/compat/ancestors
# judged CASE: the judge's verdict about the case of that name in `made`
judged() { python3 "$root/tests/compat/legacy.py" "$TRAINC" "$work" "$work/made" "$1" >.out 2>.err; }

for case in "$cases"/rule-lacks-* "$cases"/rule-columns "$cases"/rule-role-label "$cases"/rule-code-decides; do
	mkdir -p made
	cp -r "$case" made/somebody-elses
	judged somebody-elses
	says out "1 passed, 0 failed"
	rm -r made
done

# a field of the objects that differs, an unknown key, a difference that no rule names
mkdir -p made/field made/unknown made/refused
cp "$cases"/rule-fields/manifest.yaml made/field
cp "$cases"/rule-fields/manifest.yaml made/unknown
sed '/image:/s/name: tensorflow/name: other/' "$cases"/rule-fields/manifest.yaml >made/refused/manifest.yaml
echo '{"nodeSelector": {"disk": "slow"}}' >made/field/expected.json
echo '{"weather": "fine"}' >made/unknown/expected.json
echo '{"pods": 1}' >made/refused/expected.json
judged field
says out "FAIL field: nodeSelector"
judged unknown
says out "nothing judges the key 'weather'"
judged refused
says out "FAIL refused: refused:"
end
