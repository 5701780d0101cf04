#!/bin/sh
# ci_formats.sh - check --format github, gitlab and junit: their readers get what they need, also for names and messages
# with characters that the formats reserve.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/ci_formats.py "${TRAINC:-build/trainc}"
