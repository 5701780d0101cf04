#!/bin/sh
# repeats.sh - keys that two blocks of one body set: see repeats.py.
. "$(dirname "$0")/run.inc"
