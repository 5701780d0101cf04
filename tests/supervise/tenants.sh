#!/bin/sh
# tenants.sh - several users of one controller, with an API server in memory.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/tenants.py
