#!/bin/sh
# linked.sh - what the programs say that they were built from is true: libraries, their versions, the commit. The programs
# contain no path of the directory in which they were built.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/tree/linked.py "${BUILD:-build}"
