#!/bin/sh
# layouts.sh - how the ranks of a role are divided: see layouts.py.
. "$(dirname "$0")/run.inc"
