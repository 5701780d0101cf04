#!/bin/sh
# run.sh [NAME.yaml...] - manifests and the programs made of them.
#
# cases/NAME.yaml (or .json, .sbatch) is accompanied by NAME.said, the standard error of `trainc import`, and NAME.tj,
# the program, unless the manifest is refused; NAME.args contains options.  BLESS=1 rewrites both.  Every program checks
# without errors, and is the same in two runs.
#
# Which case covers which numbered behavior of the older operators (tests/compat/rows.py):
#   legacy               S48, S117, S128, S141
#   ancestors_defaults   S48, S79, S82, S117, S122, S126 to S128, S130, S189
#   ancestors_devices    S56, S57, S58, S59, S60, S62, S67, S82, S90, S92, S142 to S145
#   ancestors_refused    S65, S69, S71, S80, S124, S129, S132 to S135, S139, S140
#   controller           S56, S60
#   tfjob                S170, S172, S183 to S188
cd "$(dirname "$0")/cases" || exit 1
TRAINC=${TRAINC:-$PWD/../../../${BUILD:-build}/trainc}
export LC_ALL=C.UTF-8
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
test $# -gt 0 || set -- *.yaml *.json *.sbatch

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

ok() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	echo "FAIL $*"
}
# golden FILE FOUND: compares, or blesses; an empty result has no file.
golden() {
	if test -n "$BLESS"; then
		if test ! -s "$2"; then rm -f "$1"; elif ! cmp -s "$1" "$2"; then cp "$2" "$1"; echo "blessed $1"; fi
		ok
	elif test ! -e "$1"; then
		if test -s "$2"; then fail "$1 is missing"; head -n 20 "$2"; else ok; fi
	elif diff -u "$1" "$2" >"$work/diff"; then
		ok
	else
		fail "$1"
		head -n 60 "$work/diff"
	fi
}

for manifest; do
	test -f "$manifest" || continue
	name=${manifest%.*} options=
	test -f "$name.args" && options=$(cat "$name.args")
	"$TRAINC" import $options "$manifest" >"$work/tj" 2>"$work/said"
	status=$?
	golden "$name.said" "$work/said"
	golden "$name.tj" "$work/tj"
	if grep -q ': error: ' "$work/said"; then want=1; else want=0; fi
	if test "$status" -eq "$want"; then ok; else fail "$manifest: status $status, not $want"; fi
	"$TRAINC" import $options "$manifest" 2>/dev/null | cmp -s - "$work/tj" || fail "$manifest: two runs differ"
	test "$status" -eq 0 || continue
	target=$(sed -n "s/.* needs the target '\([a-z]*\)'.*/--target=\1/p" "$work/said")
	if "$TRAINC" check $target "$work/tj" 2>"$work/err"; then ok; else fail "$manifest: its program is refused"; cat "$work/err"; fi
	if "$TRAINC" fmt --check "$work/tj" >/dev/null; then ok; else fail "$manifest: its program is not in the form of fmt"; fi
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
