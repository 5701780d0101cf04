#!/bin/sh
# names.sh - what functions and structs are called: a prefix for what is exported, one meaning for a name.
exec python3 tests/tree/names.py
