#!/bin/sh
# run.sh - every test program and script; the sum of what they say.
#
# A test prints lines and, last, `N passed, N failed` (and `, N skipped`).  One
# that does not get that far counts as one failure, whatever it printed.
# BUILD is the build directory; what is named after run.sh runs alone.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
TRAINC=$PWD/$BUILD/trainc
export BUILD TRAINC
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
export LC_ALL=C.UTF-8 UBSAN_OPTIONS=print_stacktrace=1

if test $# -eq 0; then
	set --
	for program in "$BUILD"/unit/*; do      # not those of sources that are gone
		test -f "tests/unit/${program##*/}.c" && set -- "$@" "$program"
	done
	for script in tests/check_tree.sh tests/golden.sh tests/*/*.sh; do
		case $script in
		tests/e2e/* | tests/frameworks/* | tests/fuzz/* | tests/bench/*) ;;
		*) set -- "$@" "$script" ;;
		esac
	done
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0
for test; do
	test -e "$test" || continue
	case $test in
	*.sh) env --default-signal sh "$test" >"$log" 2>&1 ;;           # nohup and & ignore some, and that is inherited
	*) env --default-signal "$test" >"$log" 2>&1 ;;
	esac
	status=$?
	last=$(tail -n 1 "$log")
	counts=$(printf '%s\n' "$last" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p')
	if test -z "$counts"; then
		counts='0 1'
		last="did not finish (status $status)"
	fi
	read -r p f s <<-END
		$counts
	END
	test "$status" -eq 0 || test "$f" -gt 0 || f=1
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
	if test "$f" -gt 0; then
		grep -v '^ok' "$log" | sed '$d' | head -n 200
		test "${last#did}" = "$last" || tail -n 5 "$log"
	fi
	printf '%-40s %s\n' "$test" "$last"
done
if test "$skipped" -gt 0; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
test "$failed" -eq 0 && test "$passed" -gt 0
