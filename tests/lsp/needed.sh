#!/bin/sh
# needed.sh - the tests of each request fail without it: see needed.py.
exec python3 "$(dirname "$0")/needed.py"
