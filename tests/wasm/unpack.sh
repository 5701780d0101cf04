#!/bin/sh
# unpack.sh - the unpacker of the playground, compiled for this machine: see unpack.py.
exec python3 tests/wasm/unpack.py
