#!/bin/sh
# run.sh [TARGET...] - runs each fuzz target for FUZZ_SECONDS, from its corpus, as many at a time as there are
# processors.
#
# Seeds are tests/fuzz/corpus/TARGET/* and the files that tests/fuzz/targets names. The dictionary is
# tests/fuzz/TARGET.dict, or the words of the language. New inputs stay in $BUILD. The input of a crash is stored there,
# too, and its name is printed.
#
# With FUZZ_SEED, every run from a fresh build tries the same inputs. Their number is that of tests/fuzz/targets, or
# fewer if the time is over. So the result depends on the change and not on the speed of the machine.  The fuzzer
# remembers compared values, including addresses; therefore addresses must be the same, too (-no-pie, setarch -R, an
# environment of constant size).
#
# With FUZZ_KEEP, new inputs stay in that directory, from which later runs start, too. FUZZ_RANDOM is then the seed
# (tests/fuzz/new.sh).
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build-fuzz}
seconds=${FUZZ_SECONDS:-60}
export BUILD
export LC_ALL=C
passed=0 failed=0
same=
if test -n "$FUZZ_SEED"; then
	same='env -i PATH=/usr/bin:/bin'
	setarch -R true 2>/dev/null && same="setarch -R $same"
fi

mkdir -p "$BUILD/fuzz"
{
	sed -n 's/^\(FIELD\|FUNCTION\)([A-Z_0-9]*, "\([^"]*\)".*/"\2"/p; s/^\(BLOCK\|UNIT\)("\([^"]*\)".*/"\2"/p' grammar/vocabulary.def
	for word in import as param let fn type project policy framework accelerator job profile test check warn if then else for \
		in and or not true false none std pod.index self cluster '${' '}' '{' '=' '??' '..' ':' '4x4' '64Gi' '30min' '1:8'; do
		echo "\"$word\""
	done
	echo '"\"\"\""'
} | sort -u >"$BUILD/fuzz/words.$$"
mv "$BUILD/fuzz/words.$$" "$BUILD/fuzz/words"          # complete at any time, because several instances run at once

test $# -gt 0 || set -- tests/fuzz/fuzz_*.c
if test $# -gt 1; then
	for source; do
		echo "$source"
	done | xargs -n 1 -P "${FUZZ_JOBS:-$(nproc)}" sh tests/fuzz/run.sh >"$BUILD/fuzz/said"
	grep -v ' passed, ' "$BUILD/fuzz/said"
	passed=$(grep -c '^1 passed, 0 failed' "$BUILD/fuzz/said")
	echo "$passed passed, $(($# - passed)) failed"
	test "$passed" -eq $#
	exit
fi

# row NAME COLUMN...: what the table of targets says about a target
row() {
	awk -v name="$1" -v from="$2" -v to="$3" '$1 == name { for (i = from; i <= to && i <= NF; i++) print $i }' tests/fuzz/targets
}

for source; do
	name=$(basename "$source" .c)
	runs=$(row "$name" 2 2)
	if test -z "$runs"; then
		echo "FAIL $name is not in tests/fuzz/targets"
		failed=$((failed + 1))
		continue
	fi
	# some targets replace functions of the library by those of a model
	clang -Wl,--allow-multiple-definition -std=c11 -D_GNU_SOURCE -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -Icompiler -Igrammar -I. -I"$BUILD/gen" \
		-O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Wall -Wextra -no-pie "$source" \
		"$BUILD/libcluster.a" "$BUILD/libtrainc.a" -lcurl -lssl -lcrypto -lyaml -lz -o "$BUILD/fuzz/$name" || exit 1
	new=${FUZZ_KEEP:-$BUILD/fuzz}/$name.corpus seeds=$BUILD/fuzz/$name.seeds words=$BUILD/fuzz/words
	test -f "tests/fuzz/$name.dict" && words=tests/fuzz/$name.dict
	rm -rf "$seeds"
	test -z "$FUZZ_SEED" || rm -rf "$new"
	mkdir -p "$new" "$seeds"
	for seed in tests/fuzz/corpus/"$name"/* $(row "$name" 3 99); do
		case $seed in tests/*/budget_*) continue ;; esac      # the slowest that a program may be
		test -f "$seed" && cp "$seed" "$seeds/$(echo "$seed" | tr / _)"
	done
	find "$seeds" -type f | sort | paste -sd , >"$seeds.list"       # order matters; that of a directory listing is arbitrary
	if $same "$BUILD/fuzz/$name" ${FUZZ_SEED:+-seed="$FUZZ_SEED" -reload=0 -runs="$runs"} ${FUZZ_RANDOM:+-seed="$FUZZ_RANDOM"} \
		-seed_inputs=@"$seeds.list" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -max_len=8192 -dict="$words" \
		-artifact_prefix="$BUILD/fuzz/$name-" -print_final_stats=1 "$new" </dev/null >"$BUILD/fuzz/$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "== $name, at most $seconds s: $(sed -n 's/.*number_of_executed_units: *//p' "$BUILD/fuzz/$name.log") runs"
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		grep -vE '^#[0-9]+.*(NEW|REDUCE|pulse)' "$BUILD/fuzz/$name.log" | tail -n 40
	fi
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
