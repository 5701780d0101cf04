#!/bin/sh
# limits.sh - what is hostile or huge ends early, and what cannot be seen is reported: see limits.py.
. "$(dirname "$0")/run.inc"
