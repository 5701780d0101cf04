#!/bin/sh
# readers.sh - PyYAML reads from our YAML what our JSON says.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import yaml' 2>/dev/null; then
	echo "skip: python3-yaml is not installed"
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
exec python3 tests/property/readers.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}"
