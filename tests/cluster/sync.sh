#!/bin/sh
# sync.sh - `trainc sync`, against a server whose replicas are processes of this machine.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/sync.py "$@"
