#!/bin/sh
# gang.sh - what a gang asks for is the sum of what its pods ask for, exactly.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/property/gang.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
