#!/bin/sh
# examples.sh - every example that `trainc explain` prints is a program.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} exec python3 tests/cli/examples.py
