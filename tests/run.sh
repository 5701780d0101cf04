#!/bin/sh
# run.sh [TEST...] - runs every test program and script, and adds up their counts.
#
# A test prints lines and, as the last one, `N passed, N failed` (with `, N skipped` if any).  A test that does not get
# that far counts as one failure, whatever it printed. BUILD is the build directory. The TESTs run one after the other.
# Without any, all tests run side by side: those that start processes, wait or read clocks in three lanes, and those that
# only compute in two more, which leave the processor to the others. Behind each test are its seconds, and those of the
# processor. A test that fails in a lane runs again, alone, when all lanes are done, because the others may have delayed
# it; the second result counts, unless a sanitizer has reported something. The first failure is printed as well.
# With sanitizers, the tests that run no C of ours are left out.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
TRAINC=$PWD/$BUILD/trainc
export BUILD TRAINC
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
export LC_ALL=C.UTF-8 UBSAN_OPTIONS=print_stacktrace=1

sum() {                                 # prints the last line with the counts of passed, failed and skipped
	if test "$skipped" -gt 0; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
}

# unclear: whether the failure of the test in $log may have been caused by the other lanes.
unclear() {
	test -n "$RUN_BESIDE" && ! grep -Eq 'Sanitizer|runtime error' "$log"
}

# counts LINE: the counts of a last line, as three words; nothing if it is not one.
counts() {
	printf '%s\n' "$1" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p'
}

# text_only TEST: whether a test reads only sources and documents, or compares what other tests run under sanitizers, too.
text_only() {
	case $1 in
	tests/check_tree.sh | tests/tree/* | tests/docs/* | tests/wasm/* | tests/grammar/*) true ;;
	tests/lsp/needed.sh | tests/cascade/* | tests/torture/families.sh | tests/compat/rows.sh) true ;;
	*) false ;;
	esac
}

lanes() {
	# the longest ones first
	waiting='tests/supervise/supervise.sh tests/cluster/commands.sh tests/supervise/hostile.sh tests/cluster/answers.sh' computing=
	for program in "$BUILD"/unit/*; do      # not those of deleted sources
		name=${program##*/}
		test -f "tests/unit/$name.c" || continue
		case $name in
		cluster_* | *memory*) waiting="$waiting $program" ;;
		*) computing="$computing $program" ;;
		esac
	done
	for script in tests/check_tree.sh tests/golden.sh tests/*/*.sh; do
		case $BUILD in *asan*) text_only "$script" && continue ;; esac
		case " $waiting $script" in *" $script "*) continue ;; esac
		case $script in
		tests/dist/* | tests/e2e/* | tests/frameworks/* | tests/editors/* | tests/fuzz/* | tests/bench/*) ;;
		tests/local/* | tests/cluster/* | tests/supervise/*) waiting="$waiting $script" ;;
		*) computing="$computing $script" ;;
		esac
	done
	RUN_ENDS=$(mktemp -d) || exit 1
	export RUN_ENDS
	trap 'rm -rf "$RUN_ENDS"' EXIT
	trap 'kill $lane 2>/dev/null; exit 130' INT TERM
	echo $computing | RUN_BESIDE=1 xargs -n 1 -P 2 nice -n 5 sh tests/run.sh &
	lane=$!
	echo $waiting | RUN_BESIDE=1 xargs -n 1 -P 3 sh tests/run.sh
	wait "$lane"
	if test -s "$RUN_ENDS/again"; then
		echo "==== once more, alone:" $(cat "$RUN_ENDS/again")
		sh tests/run.sh $(cat "$RUN_ENDS/again")
	fi
	passed=0 failed=0 skipped=0 ended=0
	while read -r p f s; do
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) ended=$((ended + 1))
	done <"$RUN_ENDS/counts"
	started=$(echo $computing $waiting $(cat "$RUN_ENDS/again" 2>/dev/null) | wc -w)
	if test "$ended" -lt "$started"; then
		echo "FAIL $((started - ended)) tests left no result"
		failed=$((failed + started - ended))
	fi
	sum
	test "$failed" -eq 0 && test "$passed" -gt 0
	exit
}

test $# -gt 0 || lanes

log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.said" "$log.times"' EXIT
passed=0 failed=0 skipped=0

# processor: sets $used to the seconds of the processor that all tests of this shell have used so far.
processor() {
	times >"$log.times"             # not of a subshell, which has used none
	used=$(sed -n '2s/[ms]/ /gp' "$log.times" | { read -r m s n t; echo "$(((m + n) * 60 + ${s%.*} + ${t%.*}))"; })
}

for test; do
	test -e "$test" || continue
	begin=$(date +%s)
	processor
	before=$used
	case $test in
	*.sh) env --default-signal -u RUN_ENDS -u RUN_BESIDE sh "$test" >"$log" 2>&1 ;;           # nohup and & ignore some signals, and that is inherited
	*) env --default-signal -u RUN_ENDS -u RUN_BESIDE "$test" >"$log" 2>&1 ;;
	esac
	status=$?
	last=$(tail -n 1 "$log")
	processor
	counts=$(counts "$last")
	if test -z "$counts"; then
		counts='0 1'
		last="did not finish (status $status)"
	fi
	read -r p f s <<-END
		$counts
	END
	test "$status" -eq 0 || test "$f" -gt 0 || f=1
	again=
	if test "$f" -gt 0 && unclear; then
		echo "$test" >>"$RUN_ENDS/again"
		p=0 f=0 s=0 again=', will run again alone'
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
	test -z "$RUN_ENDS" || echo "$p $f ${s:-0}" >>"$RUN_ENDS/counts"
	{
		if test "$f" -gt 0 || test -n "$again"; then
			grep -v '^ok' "$log" | sed '$d' | head -n 200
			test "${last#did}" = "$last" || tail -n 5 "$log"
		else
			sed '$d' "$log" | grep -A 9 '^again, alone'       # a part of the test, which passed then
		fi
		printf '%-40s %s, %s s, processor %s s%s\n' "$test" "$last" "$(($(date +%s) - begin))" "$((used - before))" "$again"
	} >"$log.said"
	cat "$log.said"                 # in one piece, since other lanes print too
done
test -n "$RUN_ENDS" || sum
test "$failed" -eq 0 && test "$passed" -gt 0
