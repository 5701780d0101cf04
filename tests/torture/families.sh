#!/bin/sh
# families.sh - one size of each hostile input of `make torture` that once cost more than in proportion.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/torture/families.py "${BUILD:-build}/trainc" --quick
