#!/bin/sh
# agree.sh [FILE.tj...] - indexed and unrolled, every replica of every framework gets the same values.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export TRAINC
command -v python3 >/dev/null || { echo "0 passed, 0 failed, 1 skipped"; exit 0; }
if test $# -eq 0; then
	for program in tests/std/*.tj tests/frameworks/cases/*.tj examples/*/*.tj; do
		grep -q "^ *slices *=" "$program" && continue   # of a set of Jobs only, and never unrolled
		grep -q "near(.*each *=" "$program" && continue         # segments need the pods of one Job
		test ! -f "$program" || test -f "${program%.tj}.diag" || set -- "$@" "$program"
	done
fi
exec python3 tests/std/agree.py "$@"
