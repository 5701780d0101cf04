#!/bin/sh
# objects.sh - objects next to a job are unchanged after import and compile.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/import/objects.py
