#!/bin/sh
# imports.sh - `import --from-cluster`: which objects are requested, and what they become.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/imports.py
