#!/bin/sh
# form.sh - every program of the repository is formatted as fmt does it.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} exec python3 tests/cli/form.py
