#!/bin/sh
# collection.sh - the programs of tests/e2e can delete collections even if a server does not delete them at once.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/cluster/collection.py
