#!/bin/sh
# raw.sh - raw blocks and objects are checked as the API server checks them.
exec python3 "$(dirname "$0")/raw.py"
