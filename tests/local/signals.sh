#!/bin/sh
# signals.sh - what signals, crashes and readers that disconnect do to a run.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1
export TRAINC PYTHONDONTWRITEBYTECODE
exec python3 tests/local/signals.py
