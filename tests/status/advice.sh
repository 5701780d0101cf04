#!/bin/sh
# advice.sh - what to do about each way in which a run fails or does not start: the table of advice.py.
cd "$(dirname "$0")/../.." || exit 1
export TRAINC="${TRAINC:-$PWD/${BUILD:-build}/trainc}" PYTHONDONTWRITEBYTECODE=1
exec python3 tests/status/advice.py
