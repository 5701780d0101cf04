#!/bin/sh
# top.sh - what the replicas of a run use, against a scripted API of metrics and exporters of devices.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/top.py "$@"
