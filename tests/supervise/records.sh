#!/bin/sh
# records.sh - records of runs that somebody without the right to create Jobs has written, against an API server in
# memory.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/records.py
