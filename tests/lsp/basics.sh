#!/bin/sh
# basics.sh - the language server's lifecycle, positions, diagnostics, hover and completion: see basics.py.
exec python3 "$(dirname "$0")/basics.py"
