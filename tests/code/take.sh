#!/bin/sh
# take.sh - which files code takes, what it refuses, and that other programs read the archive.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/code/take.py
