#!/bin/sh
# timeline.sh - the timeline of a run: where the bars are, and that no text becomes markup.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/status/timeline.py "$TRAINC"
