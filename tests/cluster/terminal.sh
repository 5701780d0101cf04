#!/bin/sh
# terminal.sh - no text of a cluster can move the cursor of a terminal, or reorder a line.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/terminal.py "$@"
