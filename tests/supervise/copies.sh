#!/bin/sh
# copies.sh - restarts of single copies of cells, by commands that wait and by the controller, against an API server in
# memory.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/copies.py
