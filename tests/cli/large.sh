#!/bin/sh
# large.sh - files of 50 MB, whatever is in them and whichever command reads them: seconds and memory are bounded.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} exec python3 tests/cli/large.py
