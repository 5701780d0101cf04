#!/bin/sh
# launchers.sh - launchers in the commands of frameworks: see launchers.py.
. "$(dirname "$0")/run.inc"
