#!/bin/sh
# runs.sh - runs of `trainc apply --controller`, against an API server in memory.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/runs.py
