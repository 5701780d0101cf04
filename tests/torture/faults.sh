#!/bin/sh
# faults.sh - a sample of what `make torture` does: memory and files fail in six commands.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/torture/faults.py "${BUILD:-build}/torture/trainc" --commands few --step "${STEP:-11}"
