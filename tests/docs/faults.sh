#!/bin/sh
# faults.sh - the tables of faults, broken programs and rules of states in tests/findings.md: each of F-01 to F-50, B-01 to
# B-10 and the rules S-.. has one row, and everything that a row names exists: a test's file and, after a colon, a text in
# it.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
tests=$(mktemp) || exit 1
trap 'rm -f "$tests"' EXIT
rows=$(grep '^| [BFS]-[0-9][0-9] |' tests/findings.md)

check() {
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $*"
	fi
}
# named ID: the row of ID names at least one test, and each of them exists.
named() {
	printf '%s\n' "$rows" | grep "^| $1 |" | sed 's/^.*| \([^|]*\) |$/\1/; s/`, `/\n/g; s/`//g' >"$tests"
	while read -r test; do
		file=${test%%:*} word=${test#*:}
		test -f "$file" || { echo "$1: $file is not there"; return 1; }
		test "$word" = "$test" || grep -qF -- "$word" "$file" || { echo "$1: $file does not say '$word'"; return 1; }
	done <"$tests"
	test -s "$tests"
}
for n in $(seq -f B-%02.0f 1 10) $(seq -f F-%02.0f 1 50) $(for r in 1-3 10-22 30-41 50-55 60-61; do seq -f S-%02.0f "${r%-*}" "${r#*-}"; done); do
	check test "$(printf '%s\n' "$rows" | grep -c "^| $n |")" -eq 1
	check named "$n"
done

echo "$passed passed, $failed failed"
test "$failed" -eq 0
