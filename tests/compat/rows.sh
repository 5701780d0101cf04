#!/bin/sh
# rows.sh - each of the 200 rows about the older operators has a test that names it, or a line in docs/differences.md.
cd "$(dirname "$0")/../.." || exit 1
exec env PYTHONDONTWRITEBYTECODE=1 python3 tests/compat/rows.py "${ROWS:-../shared/reference/seed-feature-rows.md}"
