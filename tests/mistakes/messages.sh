#!/bin/sh
# messages.sh - what is said about single mistakes, and that following it ends them: messages.py.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/mistakes/messages.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
