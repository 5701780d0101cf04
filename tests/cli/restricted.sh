#!/bin/sh
# restricted.sh - which commands restrict themselves, seen from outside (/proc/PID/status) while they wait for their input.
# tests/unit/restriction_test.c tries to get out of the restriction.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/restricted.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}" "${BUILD:-build}"
