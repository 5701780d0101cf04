#!/bin/sh
# lws.sh - what the controller of LeaderWorkerSets makes of our objects is what the program says: see lws.py.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export TRAINC LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
exec python3 tests/targets/lws.py
