#!/bin/sh
# cluster.sh - trainc.cluster(): for every replica of every example it agrees with the plan; what launchers add; what
# contradicts itself.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=runtime/python exec python3 tests/python/cluster.py "${TRAINC:-build/trainc}"
