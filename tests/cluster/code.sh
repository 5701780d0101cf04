#!/bin/sh
# code.sh - the code of runs, against an API server in memory.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/code.py
