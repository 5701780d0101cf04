#!/bin/sh
# wording.sh - what users read is in plain English: wording.py.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/docs/wording.py
