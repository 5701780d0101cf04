#!/bin/sh
# doc.sh - the reference of every module, and names without one; tests/doc tests its form.
. "$(dirname "$0")/cli.inc"

# every module of the library under both names, with everything that it exports and nothing private
for module in "$root"/stdlib/std/*.tj; do
	name=$(basename "$module" .tj)
	run 0 doc "std.$name"; silent err; cp .out one.md
	run 0 doc "$name"; same one.md .out
	says out "# std.$name"
	sed -n 's/^\(framework\|accelerator\) \([a-z][a-z0-9_]*\).*/### `'"$name"'.\2`/p; s/^fn \([a-z][a-z0-9_]*\).*/### `\1(/p; s/^let \([a-z][a-z0-9_]*\).*/| `\1` |/p' "$module" >wanted
	holds test -s wanted
	while read -r line; do
		says out "$line"
	done <wanted
	holds test "$(grep -cE '^(### `|\| `)_' .out)" -eq 0
	# rows of a table have as many cells as its header
	awk -F'[^\\\\][|]' '!/^\|/ { n = 0; next } { if (n && NF != n) { print; bad = 1 } n = NF } END { exit bad }' .out >rows && ok || fail "$name: $(cat rows)"
done

run 0 doc "$root/tests/policy/policies/no_latest.tj"
says out "## Policies"; says out "for r in cluster.roles"
printf 'let a = 1\n' | "$TRAINC" doc - >.out 2>.err && ok || fail "doc -"
says out "# <stdin>"; says out '| `a` | `int` | `1` | |'

# a package of the project, locked and not, and a file that looks like a name
mkdir vendor
cp -r "$root/tests/project/vendor/acme" vendor
printf 'project {\n  packages { acme = "vendor/acme" }\n}\n' >project.tj
run 1 doc acme.shapes; says err "[TJ0214]"; silent out
grep '^acme ' "$root/tests/project/trainc.lock" >trainc.lock
run 0 doc acme.shapes; says out "# acme.shapes"
run 1 doc acme.shpaes; says err "did you mean"
rm -r project.tj vendor
printf 'let b = 1\n' >named
run 0 doc named; says out '| `b` |'

run 1 doc pytroch; says err "no file and no module named 'pytroch'; did you mean 'pytorch'?"; silent out
run 1 doc std.pytroch; says err "did you mean 'pytorch'?"
run 1 doc single.task; says err "'trainc doc single'"; says err "'trainc explain single.task'"
run 1 doc absent.tj; says err "no such file"
run 2 doc; says err "doc needs a file or a module"
bad bad.tj
run 1 doc bad.tj; says err "replcas"; silent out
run 1 doc --format json bad.tj; says err '"code":"TJ0202"'
end
