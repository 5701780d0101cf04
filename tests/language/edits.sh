#!/bin/sh
# edits.sh - check --fix makes no edit that could change what was meant: see edits.py.
. "$(dirname "$0")/run.inc"
