#!/bin/sh
# commands.sh - the commands against an API server whose answers a test chooses.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/commands.py
