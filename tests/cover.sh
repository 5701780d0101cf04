#!/bin/sh
# cover.sh - line coverage of compiler/ and runtime/, from the counters that a test run left in $BUILD: the least covered
# files, then the total.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build-cover}
find "$BUILD/obj/compiler" "$BUILD/obj/runtime" -name '*.gcda' 2>/dev/null | while read -r data; do
	gcov -n "$data" 2>/dev/null
done | awk '
	/^File / { file = $2; gsub(/\x27/, "", file) }
	/^Lines executed:/ {
		split($0, part, /[:% ]/)
		n = $NF; share = $2; sub(/executed:/, "", share); sub(/%.*/, "", share)
		if (file ~ /^(compiler|runtime)\/.*\.c$/ && !(file in seen)) {
			seen[file] = 1
			lines += n; run += n * share / 100
			printf "%6.1f%% of %4d  %s\n", share, n, file | "sort -n | head -n 15"
		}
	}
	END {
		close("sort -n | head -n 15")
		if (lines) printf "%.1f%% of %d lines\n", 100 * run / lines, lines
	}'
