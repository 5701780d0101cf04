#!/bin/sh
# zones.sh - the zones that replicas run in: see zones.py.
. "$(dirname "$0")/run.inc"
