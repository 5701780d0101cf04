#!/bin/sh
# limits.sh - hostile or huge inputs are rejected early, and invisible characters are reported: see limits.py.
. "$(dirname "$0")/run.inc"
