#!/bin/sh
# commands.sh - commands that never run as meant: see commands.py.
. "$(dirname "$0")/run.inc"
