#!/bin/sh
# recovery.sh - how much of a damaged program the language server still recognizes: see recovery.py.
case ${BUILD:-build} in
*asan* | *cover*) export SAMPLE="${SAMPLE:-300}" ;;
esac
exec python3 "$(dirname "$0")/recovery.py"
