#!/bin/sh
# speed.sh - an edit to its diagnostics, a completion: processor time, which other work on the machine does not change much.
case ${BUILD:-build} in
*asan* | *cover* | *fuzz*)      # slower by what they look for
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
	;;
esac
exec python3 "$(dirname "$0")/replay.py" speed
