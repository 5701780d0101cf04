#!/bin/sh
# layout.sh - 600 random layouts against models of the two meshes that they describe: tests/property/layout.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/property/layout.py "${TRAINC:-${BUILD:-build}/trainc}"
