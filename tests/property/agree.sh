#!/bin/sh
# agree.sh - indexed and unrolled forms, pods, sets of Jobs, and `trainc env`, agree replica by replica for every
# program that compiles.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1
set --
for program in examples/*/*.tj tests/emit/*.tj tests/std/*.tj; do
	grep -q '^job\|^for' "$program" && test ! -f "${program%.tj}.args" || continue
	test "$program" != tests/emit/raw.tj || continue     # raw environment is the object's alone
	grep -q "^ *slices *=" "$program" && continue     # only a set of Jobs can express them, and they are never unrolled
	"$TRAINC" compile "$program" >/dev/null 2>&1 && "$TRAINC" compile --unroll "$program" >/dev/null 2>&1 && set -- "$@" "$program"
done
exec python3 tests/property/indexed_unrolled.py "$TRAINC" "$@"
