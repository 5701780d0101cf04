#!/bin/sh
# copies.sh - `trainc cp` against a server that runs the commands here, and against hostile archives.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/copies.py
