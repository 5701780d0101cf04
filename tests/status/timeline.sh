#!/bin/sh
# timeline.sh - the drawing of a run's life: which bar stands where, and that nothing in a text becomes markup.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/status/timeline.py "$TRAINC"
