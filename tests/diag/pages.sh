#!/bin/sh
# pages.sh - the programs in the explanations of diagnostics get the diagnostics that the pages promise, in text, JSON
# and SARIF. BLESS=1 rewrites tests/diag/pages/: read the difference before you commit it, then run make docs.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/diag/pages.py
