#!/bin/sh
# fleets.sh - a fleet, its jobs written out, and each of them alone become the same objects.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/property/fleets.py "$TRAINC" examples/*/*.tj tests/emit/*.tj tests/eval/*.tj tests/std/*.tj
