#!/bin/sh
# gang.sh - a gang requests exactly the sum of what its pods request.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/property/gang.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
