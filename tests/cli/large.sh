#!/bin/sh
# large.sh - files of 50 MB, whatever they contain and whichever command reads them: time and memory are bounded.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} exec python3 tests/cli/large.py
