#!/bin/sh
# docs/diagnostics.md is generated from the pages and their goldens.
if PYTHONDONTWRITEBYTECODE=1 python3 docs/diagnostics.py --check; then
	echo "1 passed, 0 failed"
else
	echo "0 passed, 1 failed"
	exit 1
fi
