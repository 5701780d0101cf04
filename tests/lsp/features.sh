#!/bin/sh
# features.sh - all other features of the language server: see features.py.
exec python3 "$(dirname "$0")/features.py"
