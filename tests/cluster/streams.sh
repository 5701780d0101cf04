#!/bin/sh
# streams.sh - exec and the other commands with a stream to a container, against a scripted WebSocket server.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/streams.py "$@"
