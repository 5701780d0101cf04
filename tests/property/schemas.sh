#!/bin/sh
# schemas.sh - the objects emitted for each version of Kubernetes match that version's schemas.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1
set --
for program in examples/*/*.tj tests/emit/*.tj tests/std/*.tj tests/targets/*.tj tests/compat/*.tj; do
	test -f "${program%.tj}.yaml" && test "$(wc -c <"${program%.tj}.yaml")" -lt 100000 && set -- "$@" "$program"
done
exec python3 tests/property/schemas.py "$TRAINC" "$@"
