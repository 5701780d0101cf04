#!/bin/sh
# messages.sh - messages about single mistakes, and that following them fixes the mistakes: messages.py.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/mistakes/messages.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
