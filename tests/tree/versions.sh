#!/bin/sh
# versions.sh - compiler/base/version.h has the version of everything that we publish: packages of editors and the names of
# files in documents agree with it.
cd "$(dirname "$0")/../.." || exit 1
version=$(sed -n 's/^#define TRAINC_VERSION "\(.*\)"$/\1/p' compiler/base/version.h)
passed=0 failed=0
check() { # check WHAT FOUND: all lines of FOUND are the version, and there is one
	if test -n "$2" && test -z "$(printf '%s\n' "$2" | grep -vxF -e "$version")"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1 has $(printf '%s' "$2" | tr '\n' ' '), not $version"
	fi
}
check grammar/editors/vscode/package.json "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' grammar/editors/vscode/package.json)"
check grammar/editors/tree-sitter/package.json "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' grammar/editors/tree-sitter/package.json)"
check grammar/editors/zed/extension.toml "$(sed -n 's/^version = "\(.*\)"$/\1/p' grammar/editors/zed/extension.toml)"
check CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
for page in docs/install.md docs/release.md; do
	check $page "$(grep -oE '(trainc[-_]|trainc-editors-|trainc:|v)[0-9]+\.[0-9]+\.[0-9]+' $page | sed 's/.*[-_:v]//')"
done
licence=$(sed -n 's/^  "license": "\(.*\)",$/\1/p' grammar/editors/tree-sitter/package.json grammar/editors/vscode/package.json | sort -u)
if test "$licence" = Apache-2.0; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL the packages have the licence $licence"; fi
echo "$passed passed, $failed failed"
test $failed -eq 0
