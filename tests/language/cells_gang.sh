#!/bin/sh
# cells_gang.sh - copies of cells in gangs and queues, and where they run: see cells_gang.py.
. "$(dirname "$0")/run.inc"
