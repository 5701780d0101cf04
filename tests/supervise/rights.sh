#!/bin/sh
# rights.sh - the permissions of the manifest are those that the controller needs, verb by verb.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/rights.py
