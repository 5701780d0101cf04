#!/bin/sh
# offers.sh - what the server offers first: see offers.py.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export TRAINC PYTHONDONTWRITEBYTECODE=1
exec python3 tests/lsp/offers.py
