#!/bin/sh
# memory.sh - after 100,000 edits the language server is as large as before (EDITS= sets another number).
case ${BUILD:-build} in
*asan* | *cover*) edits=2000 ;;         # slowed down by what they check
*) edits=100000 ;;
esac
exec env BUILD="${BUILD:-build}" python3 "$(dirname "$0")/replay.py" memory "${EDITS:-$edits}"
