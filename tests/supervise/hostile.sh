#!/bin/sh
# hostile.sh - users who fill the memory of the controller, in a control group with the limit of the manifest.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/supervise/hostile.py
