#!/bin/sh
# policies.sh - policies see everything that runs, and say whose fault it is: see policies.py.
. "$(dirname "$0")/run.inc"
