#!/bin/sh
# bodies.sh - every field of every block says the same however it is written, and always something.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/property/bodies.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
