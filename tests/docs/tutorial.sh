#!/bin/sh
# tutorial.sh - docs/tutorial.md and the first run of docs/local.md are true: their commands are run, and print what it shows.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1 TRAINC
exec python3 tests/docs/tutorial.py "$TRAINC"
