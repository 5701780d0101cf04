#!/bin/sh
# groups.sh - groups of pods in manifests become cells where they are copies, and nothing is lost untold: see groups.py.
cd "$(dirname "$0")/../.." || exit 1
if ! python3 -c 'import yaml' 2>/dev/null; then
	echo "skip: python3-yaml is not installed"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export TRAINC LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
exec python3 tests/import/groups.py
