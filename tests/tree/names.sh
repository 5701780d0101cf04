#!/bin/sh
# names.sh - names of functions and structs: a prefix for exported ones, and one meaning for each name.
exec python3 tests/tree/names.py
