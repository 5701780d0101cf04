#!/bin/sh
# run_view.sh - the view of `list -w` and `status -w` on a terminal.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/run_view.py
