#!/bin/sh
# amounts.sh - replicas of one role that ask for different amounts: see amounts.py.
. "$(dirname "$0")/run.inc"
