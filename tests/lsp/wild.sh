#!/bin/sh
# wild.sh - requests at random positions in damaged texts, and requests of every wrong shape: see wild.py (ROUNDS= for
# more of them).
exec python3 "$(dirname "$0")/wild.py" "${ROUNDS:-3}" "${SEED:-1}"
