#!/bin/sh
# typing.sh - examples typed letter by letter into the language server: see replay.py.
exec python3 "$(dirname "$0")/replay.py" typing
