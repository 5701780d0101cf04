#!/bin/sh
# terminal.sh - diagnostics in terminals of several widths.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} exec python3 tests/cli/terminal.py
