#!/bin/sh
# memory.sh - 100,000 edits leave the language server as large as it was (EDITS= for another number).
case ${BUILD:-build} in
*asan* | *cover*) edits=2000 ;;         # slower by what they look for
*) edits=100000 ;;
esac
exec env BUILD="${BUILD:-build}" python3 "$(dirname "$0")/replay.py" memory "${EDITS:-$edits}"
