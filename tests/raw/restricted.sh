#!/bin/sh
# restricted.sh - the level "restricted" of Pod Security: what breaks it is refused, and nothing else.
exec python3 "$(dirname "$0")/restricted.py"
