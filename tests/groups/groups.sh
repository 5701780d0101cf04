#!/bin/sh
# groups.sh - whole programs of groups of pods: servers, prefill, torchft, rollouts, leaders, domains, slices and trials. See
# groups.py, which says what each compiles to.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/groups/groups.py
