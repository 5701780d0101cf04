#!/bin/sh
# commands.sh - commands that cannot run as intended: see commands.py.
. "$(dirname "$0")/run.inc"
