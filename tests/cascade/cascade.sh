#!/bin/sh
# One slip, one message, in its place: a sample of them (make cascade: all).
exec python3 tests/cascade/cascade.py "$@"
