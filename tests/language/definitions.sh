#!/bin/sh
# definitions.sh - what the definition of a kind says about its values: bounds, lengths, numbers of elements, patterns.
. "$(dirname "$0")/run.inc"
