#!/bin/sh
# Each slip gets one message at its place: tests a sample (make cascade: all).
exec python3 tests/cascade/cascade.py "$@"
