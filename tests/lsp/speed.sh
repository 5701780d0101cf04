#!/bin/sh
# speed.sh - processor time from an edit to its diagnostics, and of a completion; other load on the machine hardly
# changes it.
case ${BUILD:-build} in
*asan* | *cover* | *fuzz*)      # slowed down by what they check
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
	;;
esac
exec python3 "$(dirname "$0")/replay.py" speed
