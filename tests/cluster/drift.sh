#!/bin/sh
# drift.sh - every field that apply writes, changed and removed by somebody else: diff, apply, status and why see it.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/drift.py
