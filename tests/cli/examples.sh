#!/bin/sh
# examples.sh - what `trainc explain` prints as an example is a program.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} exec python3 tests/cli/examples.py
