#!/bin/sh
# run.sh [TEST...] - runs every test program and script, and adds up their counts.
#
# A test prints lines and, as the last one, `N passed, N failed` (with `, N skipped` if any).  A test that does not get
# that far counts as one failure, whatever it printed. BUILD is the build directory. The TESTs run one after the other.
# Without any, all tests run in two parallel lanes: those that start processes, wait or read clocks in one, and those
# that only compile in the other. A test that fails in a lane runs again, alone, when both lanes are done, because the
# other lane may have delayed it; the second result counts, unless a sanitizer has reported something. The first failure
# is printed as well.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
TRAINC=$PWD/$BUILD/trainc
export BUILD TRAINC
sum_file=${RUN_SUM:-}
unset RUN_SUM NO_COLOR CLICOLOR_FORCE FORCE_COLOR
export LC_ALL=C.UTF-8 UBSAN_OPTIONS=print_stacktrace=1

sum() {                                 # prints the last line with the counts of passed, failed and skipped
	if test "$skipped" -gt 0; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
}

# unclear: whether the failure of the test in $log may have been caused by the other lane.
unclear() {
	test -n "$sum_file" && test "${sum_file%/again}" = "$sum_file" && ! grep -Eq 'Sanitizer|runtime error' "$log"
}

# counts LINE: the counts of a last line, as three words; nothing if it is not one.
counts() {
	printf '%s\n' "$1" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p'
}

lanes() {
	living= compiling=
	for program in "$BUILD"/unit/*; do      # not those of deleted sources
		test -f "tests/unit/${program##*/}.c" && living="$living $program"
	done
	for script in tests/check_tree.sh tests/golden.sh tests/*/*.sh; do
		case $script in
		tests/dist/* | tests/e2e/* | tests/frameworks/* | tests/editors/* | tests/fuzz/* | tests/bench/*) ;;
		tests/supervise/supervise.sh)   # three minutes, mostly waiting: the shorter lane has time for it
			compiling="$compiling $script" ;;
		tests/local/* | tests/cluster/* | tests/lsp/* | tests/supervise/* | tests/torture/*) living="$living $script" ;;
		tests/property/*)               # with sanitizers, compiling that much is slow: then the other lane has time for it
			case $BUILD in
			*asan*) living="$living $script" ;;
			*) compiling="$compiling $script" ;;
			esac
			;;
		*) compiling="$compiling $script" ;;
		esac
	done
	ends=$(mktemp -d) || exit 1
	trap 'rm -rf "$ends"' EXIT
	trap 'kill $lane 2>/dev/null; exit 130' INT TERM
	RUN_SUM=$ends/compiling sh tests/run.sh $compiling &
	lane=$!
	RUN_SUM=$ends/living sh tests/run.sh $living
	wait "$lane"
	again=$(cat "$ends/living.again" "$ends/compiling.again" 2>/dev/null)
	if test -n "$again"; then
		echo "==== once more, alone:" $again
		RUN_SUM=$ends/again sh tests/run.sh $again
	fi
	passed=0 failed=0 skipped=0
	for end in living compiling ${again:+again}; do
		read -r p f s <<-END
			$(counts "$(cat "$ends/$end")")
		END
		passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1})) skipped=$((skipped + ${s:-0}))
	done
	sum
	test "$failed" -eq 0 && test "$passed" -gt 0
	exit
}

test $# -gt 0 || lanes

log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.said"' EXIT
passed=0 failed=0 skipped=0
for test; do
	test -e "$test" || continue
	begin=$(date +%s)
	case $test in
	*.sh) env --default-signal sh "$test" >"$log" 2>&1 ;;           # nohup and & ignore some signals, and that is inherited
	*) env --default-signal "$test" >"$log" 2>&1 ;;
	esac
	status=$?
	last=$(tail -n 1 "$log")
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
		echo "$test" >>"$sum_file.again"
		p=0 f=0 s=0 again=', will run again alone'
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
	{
		if test "$f" -gt 0 || test -n "$again"; then
			grep -v '^ok' "$log" | sed '$d' | head -n 200
			test "${last#did}" = "$last" || tail -n 5 "$log"
		fi
		printf '%-40s %s, %s s%s\n' "$test" "$last" "$(($(date +%s) - begin))" "$again"
	} >"$log.said"
	cat "$log.said"                 # in one piece, since the other lane prints too
done
if test -n "$sum_file"; then sum >"$sum_file"; else sum; fi
test "$failed" -eq 0 && test "$passed" -gt 0
