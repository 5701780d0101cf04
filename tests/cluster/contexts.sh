#!/bin/sh
# contexts.sh - list, status and fit of several clusters at once, of which some do not answer.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/contexts.py
