#!/bin/sh
# unrecorded.sh - runs that somebody applied with another tool: what `compile` wrote, without a record.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/unrecorded.py
