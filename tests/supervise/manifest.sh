#!/bin/sh
# manifest.sh - the objects of `trainc supervise --manifest`.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/manifest.py
