#!/bin/sh
# circles.sh - no folder has a larger circle of calls than docs/architecture.md names.
exec python3 tests/tree/circles.py "${BUILD:-build}"
