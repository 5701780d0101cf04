#!/bin/sh
# terminal.sh - the live table, keys and prompts, on a pseudoterminal.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1
export TRAINC PYTHONDONTWRITEBYTECODE
exec python3 tests/local/terminal.py
