#!/bin/sh
# run.sh [TARGET...] - runs each fuzz target for FUZZ_SECONDS, from its corpus, as many at a time as there are
# processors.
#
# Seeds are tests/fuzz/corpus/TARGET/* and every program of the tests, the examples and the library; for readers of
# manifests, the manifests of the tests.  New inputs stay in $BUILD. The input of a crash is stored there, too, and its
# name is printed.  The words of the language are the dictionary.
#
# With FUZZ_SEED, every run from a fresh build tries the same inputs. Their number is that of the table below, or fewer
# if the time is over. So the result depends on the change and not on the speed of the machine.  The fuzzer remembers
# compared values, including addresses; therefore addresses must be the same, too (-no-pie, setarch -R, an environment of
# constant size).
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
	done | xargs -n 1 -P "$(nproc)" sh tests/fuzz/run.sh >"$BUILD/fuzz/said"
	grep -v ' passed, ' "$BUILD/fuzz/said"
	passed=$(grep -c '^1 passed, 0 failed' "$BUILD/fuzz/said")
	echo "$passed passed, $(($# - passed)) failed"
	test "$passed" -eq $#
	exit
fi
for source; do
	name=$(basename "$source" .c)
	case $name in           # parts of runtime/cluster, without the network
	fuzz_json_stream) more='runtime/cluster/json_stream.c runtime/cluster/json_filter.c runtime/cluster/json_noted.c' ;;
	fuzz_watch) more='runtime/cluster/json_stream.c runtime/cluster/json_filter.c runtime/cluster/json_noted.c runtime/cluster/object_list.c
		runtime/cluster/object_check.c runtime/cluster/object_table.c runtime/cluster/object_watch.c' ;;
	*) more= ;;
	esac
	clang -std=c11 -D_GNU_SOURCE -Icompiler -Igrammar -I. -I"$BUILD/gen" -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -Wall -Wextra -no-pie "$source" $more "$BUILD/libtrainc.a" -lyaml -o "$BUILD/fuzz/$name" || exit 1
	case $name in           # about a minute's worth on one processor
	fuzz_large) runs=500 ;;
	fuzz_fix) runs=1500 ;;
	fuzz_compile) runs=3000 ;;
	fuzz_project) runs=4000 ;;
	fuzz_import | fuzz_parse | fuzz_format | fuzz_json_stream) runs=12000 ;;
	fuzz_decide | fuzz_lexer) runs=40000 ;;
	fuzz_watch | fuzz_schema) runs=100000 ;;
	*) runs=200000 ;;
	esac
	new=$BUILD/fuzz/$name.corpus seeds=$BUILD/fuzz/$name.seeds
	rm -rf "$seeds"
	test -z "$FUZZ_SEED" || rm -rf "$new"
	mkdir -p "$new" "$seeds"
	case $name in
	fuzz_watch | fuzz_project | fuzz_large) kinds= ;;
	fuzz_schema) kinds='tests/emit/*.yaml tests/import/cases/*.yaml' ;;
	fuzz_fix) kinds='tests/mistakes/*.tj' ;;
	fuzz_json_stream) kinds='tests/*/*.json' ;;
	fuzz_import | fuzz_data) kinds='tests/import/cases/*.yaml' ;;
	*) kinds='tests/*/*.tj examples/*/*.tj stdlib/std/*.tj' ;;
	esac
	for seed in tests/fuzz/corpus/"$name"/* $kinds; do
		case $seed in tests/*/budget_*) continue ;; esac      # the slowest that a program may be
		test -f "$seed" && cp "$seed" "$seeds/$(echo "$seed" | tr / _)"
	done
	find "$seeds" -type f | sort | paste -sd , >"$seeds.list"       # order matters; that of a directory listing is arbitrary
	if $same "$BUILD/fuzz/$name" ${FUZZ_SEED:+-seed="$FUZZ_SEED" -reload=0 -runs="$runs"} -seed_inputs=@"$seeds.list" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -max_len=8192 -dict="$BUILD/fuzz/words" \
		-artifact_prefix="$BUILD/fuzz/$name-" -print_final_stats=1 "$new" >"$BUILD/fuzz/$name.log" 2>&1; then
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
