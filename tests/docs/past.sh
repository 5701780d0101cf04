#!/bin/sh
# past.sh - the pages for readers who come from another tool; see past.py beside this file.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/docs/past.py
