#!/bin/sh
# browser.sh - the sources of the browser's module need nothing that a browser lacks: see browser.py.
exec python3 tests/wasm/browser.py
