#!/bin/sh
# families.sh - of the hostile inputs of `make torture`, one size of those that once cost more than in proportion.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/torture/families.py "${BUILD:-build}/trainc" --quick
