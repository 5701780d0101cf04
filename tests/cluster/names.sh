#!/bin/sh
# names.sh - the names that completion scripts request, from an API server in memory and from programs.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/names.py
