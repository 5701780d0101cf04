#!/bin/sh
# cascade.sh - each slip gets one message at its position: tests a sample (make cascade: all).
exec python3 tests/cascade/cascade.py "$@"
