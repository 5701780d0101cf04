#!/bin/sh
# endless.sh - every command that reads ends against servers whose answers do not.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/endless.py "$@"
