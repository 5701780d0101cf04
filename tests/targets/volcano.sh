#!/bin/sh
# volcano.sh - what Volcano's controller makes of our Jobs is what the program says: see volcano.py.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export TRAINC LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
exec python3 tests/targets/volcano.py
