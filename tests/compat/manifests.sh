#!/bin/sh
# manifests.sh [NAME...] - our own manifests of the training operator's kinds: pods, variables, defaults, refusals,
# verdicts.  BLESS=1 writes the goldens.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 tests/compat/manifests.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}" "$work" "$@"
