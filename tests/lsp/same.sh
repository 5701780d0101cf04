#!/bin/sh
# same.sh - the server shows what `trainc check` shows: see same.py.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
export TRAINC PYTHONDONTWRITEBYTECODE=1
exec python3 tests/lsp/same.py
