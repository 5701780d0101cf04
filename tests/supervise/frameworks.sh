#!/bin/sh
# frameworks.sh - every framework of the library as a run of the controller, to its verdict and after it.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/frameworks.py
