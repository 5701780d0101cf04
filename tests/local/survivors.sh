#!/bin/sh
# survivors.sh - no process of a run survives, whichever process is killed (survivors.py).
exec python3 "$(dirname "$0")/survivors.py"
