#!/bin/sh
# locked.sh - commands of roles that a framework starts itself: see locked.py.
. "$(dirname "$0")/run.inc"
