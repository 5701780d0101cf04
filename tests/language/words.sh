#!/bin/sh
# words.sh - words of other tools, each followed to the program that was meant: see words.py.
. "$(dirname "$0")/run.inc"
