#!/bin/sh
# rows.sh - what saved objects say about a job, row by row of the tables; any order of the objects gives the same
# result.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/status/rows.py "$TRAINC"
