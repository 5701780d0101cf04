#!/bin/sh
# editors.sh - the files for editors equal the output of the generator: see editors.py.
exec python3 "$(dirname "$0")/editors.py"
