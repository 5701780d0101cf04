#!/bin/sh
# played.sh - what the end-to-end suite considers the verdict of a job.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/status/played.py
