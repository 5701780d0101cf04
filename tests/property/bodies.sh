#!/bin/sh
# bodies.sh - every field of every block has the same meaning however it is written, and always has an effect.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/property/bodies.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
