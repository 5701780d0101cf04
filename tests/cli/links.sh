#!/bin/sh
# links.sh - each command that writes a file, and what stands in the place of that file: a link, a pipe, a device.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/links.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}" "$@"
