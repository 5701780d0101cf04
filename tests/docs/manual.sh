#!/bin/sh
# manual.sh - the manual pages are up to date, in order, and installed.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/docs/manual.py
