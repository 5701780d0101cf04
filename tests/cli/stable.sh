#!/bin/sh
# stable.sh - what docs/stability.md promises is still so; see stable.py beside this file.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1 TRAINC
exec python3 tests/cli/stable.py
