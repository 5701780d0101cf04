#!/bin/sh
# surface.sh - options.def, --help, manual pages and completions agree.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cli/surface.py
