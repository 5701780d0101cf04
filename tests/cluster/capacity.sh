#!/bin/sh
# capacity.sh - `trainc fit --all`: what a cluster has, who holds it, and who waits for it.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/capacity.py
