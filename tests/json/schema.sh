#!/bin/sh
# schema.sh - the JSON that commands print has the form that docs/schema describes.
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
python=python3
$python -c 'import jsonschema' 2>/dev/null || python=/usr/bin/python3         # Debian's package belongs to Debian's Python
export TRAINC PYTHONDONTWRITEBYTECODE=1
made=0
python3 docs/schema.py --check || made=1
$python tests/json/schema.py "$TRAINC" "$made"
