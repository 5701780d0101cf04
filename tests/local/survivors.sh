#!/bin/sh
# survivors.sh - whoever is killed, nothing of a run survives (survivors.py).
exec python3 "$(dirname "$0")/survivors.py"
