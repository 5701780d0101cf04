#!/bin/sh
# helps.sh - every help with code in it works when it is followed: helps.py.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/mistakes/helps.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
