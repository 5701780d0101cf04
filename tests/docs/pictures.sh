#!/bin/sh
# pictures.sh - the pictures of README.md show the actual output of trainc.
cd "$(dirname "$0")/../.." || exit 1
if PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 docs/pictures.py --check "${TRAINC:-$PWD/${BUILD:-build}/trainc}"; then
	echo "1 passed, 0 failed"
else
	echo "0 passed, 1 failed"
	exit 1
fi
