#!/bin/sh
# waits.sh - tests poll instead of waiting for a length of time: waits.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/tree/waits.py
