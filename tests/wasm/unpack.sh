#!/bin/sh
# unpack.sh - what the playground unpacks itself with, compiled for this machine: see unpack.py.
exec python3 tests/wasm/unpack.py
