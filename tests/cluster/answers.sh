#!/bin/sh
# answers.sh - every command against a server that breaks one of its answers.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/answers.py "$@"
