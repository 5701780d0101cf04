#!/bin/sh
# amounts.sh - replicas of one role that request different amounts: see amounts.py.
. "$(dirname "$0")/run.inc"
