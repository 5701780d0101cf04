#!/bin/sh
# editors.sh - the table of features of editors in tests/findings.md: rows are numbered without a gap, no feature has two
# rows, and everything that a row names exists: a test's file and, after a colon, a text in it. tests/lsp/needed.sh shows
# that the tests of a request need it.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
tests=$(mktemp) || exit 1
trap 'rm -f "$tests"' EXIT
rows=$(grep '^| ED-[0-9][0-9] |' tests/findings.md)
last=$(printf '%s\n' "$rows" | tail -n 1 | sed 's/^| ED-0*\([0-9]*\).*/\1/')

check() {
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $*"
	fi
}
# named ROW: the row names at least one test, and each of them exists.
named() {
	printf '%s\n' "$rows" | grep "^| $1 |" | sed 's/^.*| \([^|]*\) |$/\1/; s/`, `/\n/g; s/`//g' >"$tests"
	while read -r test; do
		file=${test%%:*} word=${test#*:}
		test -f "$file" || { echo "$1: $file does not exist"; return 1; }
		test "$word" = "$test" || grep -qF -- "$word" "$file" || { echo "$1: $file does not say '$word'"; return 1; }
	done <"$tests"
	test -s "$tests"
}
for n in $(seq -f ED-%02.0f 1 "$last"); do
	check test "$(printf '%s\n' "$rows" | grep -c "^| $n |")" -eq 1
	check named "$n"
done
check test "$(printf '%s\n' "$rows" | cut -d'|' -f3 | sort | uniq -d | wc -l)" -eq 0
check test "$last" -ge 62
# The table names each test file of the language server, the editors and the playground.
for file in tests/lsp/*.py tests/editors/*.py tests/editors/*.mjs tests/editors/*.lua tests/editors/*.el tests/wasm/*.py; do
	case $file in */client.py | */case.py | */needed.py | */timeline.mjs) continue ;; esac
	check sh -c "grep -q '^| ED-.*$file' tests/findings.md || { echo '$file is in no row'; false; }"
done

echo "$passed passed, $failed failed"
test "$failed" -eq 0
