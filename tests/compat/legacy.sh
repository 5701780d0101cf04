#!/bin/sh
# legacy.sh [CASE...] - the ancestors of the training operator: our own cases (ancestors/), and those in the directory
# CONFORMANCE if there are any.
cd "$(dirname "$0")/../.." || exit 1
if ! python3 -c 'import yaml' 2>/dev/null; then
	echo "skip: no module yaml"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 tests/compat/legacy.py "${TRAINC:-$PWD/${BUILD:-build}/trainc}" "$work" tests/compat/ancestors:"${CONFORMANCE:-../shared/conformance}/legacy" "$@"
