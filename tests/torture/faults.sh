#!/bin/sh
# faults.sh - a sample of `make torture`: allocations and file operations fail in eight commands.  With sanitizers each run
# takes ten times as long, so the sample is smaller.
cd "$(dirname "$0")/../.." || exit 1
case ${BUILD:-build} in
*asan*) step=83 ;;
*) step=11 ;;
esac
exec python3 tests/torture/faults.py "${BUILD:-build}/torture/trainc" --commands few --step "${STEP:-$step}"
