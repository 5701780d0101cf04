#!/bin/sh
# jobs.sh - typed fields of frameworks, jobs that run nothing or never end, values and objects that are wrong: see jobs.py.
. "$(dirname "$0")/run.inc"
