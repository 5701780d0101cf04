#!/bin/sh
# cites.sh - the sources cite only what a reader of the tree can open: docs/ and files in the tree.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0

# Documents from which the product was developed, and numbers of decisions in them.
outside='language[- ](brief|decisions)|\(?\bdecisions? [0-9]+|runtime-requirements|operator-semantics|frameworks-local|legacy-operators|\bcli\.md|\bhouse\.md|\bfindings\.md'
found=$(grep -rniE "$outside" --include='*.[chyl]' --include='*.def' --include='*.tj' compiler runtime grammar stdlib)
if test -z "$found"; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	printf 'FAIL sources cite documents that are not in the tree; say it, or cite docs/:\n%s\n' "$found" | head -n 20
fi

# A comment states the rule; tests/findings.md has the rows of rules, and names the tests of each.
found=$(grep -rnE '\b[BFS]-[0-9]{2}\b|\bR-(LOG|LOC|P)[0-9]' --include='*.[chyl]' --include='*.def' compiler runtime grammar)
if test -z "$found"; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	printf 'FAIL comments name rows of a table; state the rule instead:\n%s\n' "$found" | head -n 20
fi
echo "$passed passed, $failed failed"
test "$failed" -eq 0
