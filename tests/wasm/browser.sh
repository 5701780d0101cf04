#!/bin/sh
# browser.sh - what the browser's module is made of needs nothing that a browser lacks: see browser.py.
exec python3 tests/wasm/browser.py
