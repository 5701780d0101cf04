#!/bin/sh
# followed.sh - helps are followed to their end: see followed.py.
. "$(dirname "$0")/run.inc"
