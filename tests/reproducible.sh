#!/bin/sh
# reproducible.sh - builds the tracked files twice, in directories with names of different lengths, with another time zone,
# language and umask, and compares the results byte for byte. Takes some minutes; ccache would hide differences.
cd "$(dirname "$0")/.." || exit 1
set -e
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
first=$scratch/one second=$scratch/the/other/directory
mkdir -p "$first" "$second"
git ls-files -z | tar -c --null -T - | tee "$scratch/tree" | tar -x -C "$first"
tar -x -C "$second" <"$scratch/tree"
jobs=${JOBS:-$(nproc)}
unset MAKEFLAGS MAKELEVEL
export CCACHE_DISABLE=1
(cd "$first" && TZ=UTC LC_ALL=C make -s -j"$jobs" CC=gcc COMMIT=0 build)
(cd "$second" && umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 make -s -j"$jobs" CC=gcc COMMIT=0 build)
set +e
passed=0 failed=0
for file in trainc libexec/trainc/trainc-cluster libtrainc.a libcluster.a; do
	if cmp "$first/build/$file" "$second/build/$file"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $file differs"
	fi
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
