#!/bin/sh
# nodes.sh - the labels by which the nodes of each provider are found: see nodes.py.
. "$(dirname "$0")/run.inc"
