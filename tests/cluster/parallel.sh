#!/bin/sh
# parallel.sh - --parallel N in a cluster: at most N runs of a sweep go on at once.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/parallel.py
