#!/bin/sh
# fields.sh - the effect of every field on every target: see fields.py.  BLESS=1 rewrites fields.table.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export TRAINC LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
exec python3 tests/targets/fields.py
