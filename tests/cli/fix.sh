#!/bin/sh
# fix.sh - check --fix: edits that end mistakes, and none that makes another.
. "$(dirname "$0")/cli.inc"

# Of every program of tests/mistakes: see fix.py.
cp -R "$root/tests/mistakes" mistakes
holds python3 "$root/tests/cli/fix.py" "$TRAINC" "$root/tests/mistakes" mistakes
end
