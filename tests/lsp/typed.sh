#!/bin/sh
# typed.sh - programs that are typed from scratch with completion: see typed.py.
exec python3 "$(dirname "$0")/typed.py"
