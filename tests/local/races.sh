#!/bin/sh
# races.sh - commands at the same moment as the start, the end or the removal of a run.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1
export TRAINC PYTHONDONTWRITEBYTECODE
exec python3 tests/local/races.py
