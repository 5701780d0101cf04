#!/bin/sh
# editors.sh - the files for editors are those that the generator writes: see editors.py.
exec python3 "$(dirname "$0")/editors.py"
