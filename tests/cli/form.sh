#!/bin/sh
# form.sh - every program of the repository is as fmt writes it.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} exec python3 tests/cli/form.py
