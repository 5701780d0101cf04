#!/bin/sh
# policies.sh - policies see everything that runs, and name the role at fault: see policies.py.
. "$(dirname "$0")/run.inc"
