#!/bin/sh
# events.sh - `trainc events`: which Events belong to a run, how they are merged, ordered and followed.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/events.py
