#!/bin/sh
# mcp.sh - the server for agents; see mcp.py beside this file.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cli/mcp.py
