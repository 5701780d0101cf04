#!/bin/sh
# docs/frameworks.md is generated from the library and docs/frameworks.template.md.
cd "$(dirname "$0")/../.." || exit 1
if TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 python3 docs/frameworks.py --check; then
	echo "1 passed, 0 failed"
else
	echo "0 passed, 1 failed"
	exit 1
fi
