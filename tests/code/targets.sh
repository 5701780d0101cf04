#!/bin/sh
# targets.sh - the field 'code' in the language and in the objects of every target.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/code/targets.py
