#!/bin/sh
# security.sh - every row of the threat model in docs/security.md names tests that exist.
exec python3 "$(dirname "$0")/security.py"
