#!/bin/sh
# history.sh - `trainc history`: the launches of a run in its record, what is kept after `delete`, and hostile records.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/history.py
