#!/bin/sh
# cells.sh - cells, small jobs in a job: see cells.py.
. "$(dirname "$0")/run.inc"
