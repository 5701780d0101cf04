#!/bin/sh
# run_names.sh - --name of apply, run and diff: another run of the same program beside the first.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/run_names.py
