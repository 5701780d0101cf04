#!/bin/sh
# compiled.sh - what `trainc compile` writes for a target comes back as the same jobs, roles and replicas.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc} PYTHONDONTWRITEBYTECODE=1 exec python3 tests/import/compiled.py "$@"
