#!/bin/sh
# parameters.sh - values from outside, defaults, profiles and tests of refusals: see parameters.py.
. "$(dirname "$0")/run.inc"
