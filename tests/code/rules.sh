#!/bin/sh
# rules.sh - the rules of .gitignore against git.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/code/rules.py "$@"
