#!/bin/sh
# run.sh [CASE...] - real frameworks form their clusters from what trainc writes (make frameworks).
exec python3 "$(dirname "$0")/run.py" "$@"
