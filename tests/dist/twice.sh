#!/bin/bash
# twice.sh - builds the release of this commit again, in another directory, with another time zone, language and umask,
# and compares every file with those in DIST. It compiles OpenSSL, so it takes several minutes of processor time. The
# packages in SOURCES are copied, so it needs no network.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
test -z "$(git status --porcelain)" || { echo "commit first: the programs contain the commit"; exit 1; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
there=$scratch/another/directory
mkdir -p "$scratch/another"
git clone -q . "$there" || exit 1
mkdir -p "$there/build/dist/sources"
for package in "$SOURCES"/*/; do
	case ${package%/} in *-linux-* | *-macos* | */cache) ;; *) cp -r "${package%/}" "$there/build/dist/sources" ;; esac
done
mkdir "$there/build/vsix" && cp -r "${BUILD:-build}/vsix/node_modules" "$there/build/vsix" && touch "$there/build/vsix/node_modules" || exit 1
# these variables are those of the first build, and make passes them on
(umask 077 && cd "$there" && HOME=$scratch TZ=Asia/Tokyo LC_ALL=C make -s dist-files DIST=dist BUILD=build DIST_SOURCES=build/dist/sources) >"$scratch/log" 2>&1 ||
	{ tail -n 20 "$scratch/log"; echo "0 passed, 1 failed"; exit 1; }
for file in $(find "$there/dist" -type f | LC_ALL=C sort); do
	name=${file#"$there/dist/"}
	if cmp -s "$file" "$DIST/$name"; then
		passed=$((passed + 1))
		continue
	fi
	failed=$((failed + 1))
	echo "FAIL $name differs"
	case $name in
	*.tar.gz)
		diff <(tar -xzf "$file" --to-command='echo $TAR_FILENAME $(sha256sum)') \
			<(tar -xzf "$DIST/$name" --to-command='echo $TAR_FILENAME $(sha256sum)') | head -n 3 ;;
	esac
done
if test "$(cd "$there/dist" && find . -type f | sort)" != "$(cd "$DIST" && find . -type f | sort)"; then
	failed=$((failed + 1))
	echo "FAIL the second build has other files than the first"
fi
echo "$passed passed, $failed failed"
test $failed -eq 0 -a $passed -gt 0
