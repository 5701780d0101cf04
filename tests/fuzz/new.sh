#!/bin/sh
# new.sh [TARGET...] - runs fuzz targets for SECONDS each, with a new seed, from the inputs of the tree and those that
# earlier runs kept in build-fuzz/corpus. Then prints how many lines of each reader (tests/fuzz/readers) all inputs reach.
# The inputs of failures are in build-fuzz/fuzz; their names are printed with the way to repeat them. FUZZ_JOBS is how
# many targets run at the same time.
cd "$(dirname "$0")/../.." || exit 1
BUILD=build-fuzz cover=build-fuzz/cover
SEED=${SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
export BUILD
test $# -gt 0 || set -- $(sed 's/#.*//' tests/fuzz/targets | awk '{ print $1 }')
names=$*
for name in $names; do
	shift
	set -- "$@" "tests/fuzz/$name.c"
done

echo "seed $SEED (make fuzz-new SEED=$SEED repeats this search)"
find "$BUILD/fuzz" -maxdepth 1 -name 'fuzz_*-*' -type f 2>/dev/null | sort >"$BUILD/before"
export FUZZ_SEED= FUZZ_RANDOM="$SEED" FUZZ_KEEP="$BUILD/corpus" FUZZ_SECONDS="${SECONDS:-60}"
sh tests/fuzz/run.sh "$@" >"$BUILD/searched"
status=$?
cat "$BUILD/searched"
find "$BUILD/fuzz" -maxdepth 1 -name 'fuzz_*-*' -type f | sort | comm -13 "$BUILD/before" - | while read -r input; do
	target=$(basename "$input" | sed 's/-.*//')
	echo "FAIL $target: repeat it with: $BUILD/fuzz/$target $input"
done

# ---- coverage: the same targets, built by gcc without sanitizers, read every input once ----

find "$cover" -name '*.gcda' -delete
for name in $names; do
	cc -Wl,--allow-multiple-definition -std=c11 -D_GNU_SOURCE -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -Icompiler -Igrammar -I. -I"$cover/gen" -O0 \
		--coverage -w tests/fuzz/replay.c "tests/fuzz/$name.c" "$cover/libcluster.a" "$cover/libtrainc.a" \
		-lcurl -lssl -lcrypto -lyaml -lz -o "$cover/$name" || exit 1
	# inputs that fail are not in these directories, so that each of these runs comes to its end
	find "$BUILD/corpus/$name.corpus" "$BUILD/fuzz/$name.seeds" -type f 2>/dev/null | sort |
		timeout 900 "$cover/$name" >/dev/null 2>&1 || echo "FAIL $name does not read its inputs without sanitizers"
done
echo "lines of the readers that all inputs reach:"
sed 's/#.*//' tests/fuzz/readers | awk '$2 ~ /^fuzz_/ { print $1 }' | sort -u | while read -r file; do
	(cd "$cover" && gcov -n -o "obj/$(dirname "$file")" "../../$file" 2>/dev/null) | awk -v file="$file" '
		/^File / { ours = index($0, file) }
		/^Lines executed:/ && ours {
			split($2, part, "[:%]")
			printf "%6.1f%% of %4d  %s\n", part[2], $NF, file
			ours = 0
		}'
done | sort -n | tee "$BUILD/covered"
awk '{ lines += $3; run += $1 * $3 / 100 }
	END { if (lines) printf "%6.1f%% of %4d  all of them\n", 100 * run / lines, lines }' "$BUILD/covered"
exit $status
