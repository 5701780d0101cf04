#!/bin/bash
# down.sh [--keep] DIR: ends the cluster that up.sh started in DIR and removes every trace of it, including DIR unless
# --keep is given.  Safe to call twice.
set -u
keep=
if [ "${1:-}" = --keep ]; then
	keep=1
	shift
fi
D=$(realpath "${1:?usage: down.sh [--keep] DIR}")
[ -d "$D/run" ] || exit 0

# A process id may have been reused: our processes have the directory in their command line.
ours() {
	[ -n "$1" ] && tr '\0' '\n' 2> /dev/null < "/proc/$1/cmdline" | grep -qF "$D"
}

end() { # end SIGNAL NAME...: sends SIGNAL to these processes and waits until they are gone
	local signal=$1 name pid i
	shift
	for name in "$@"; do
		pid=$(cat "$D/run/$name.pid" 2> /dev/null)
		! ours "$pid" || kill "-$signal" "$pid"
	done
	for name in "$@"; do
		pid=$(cat "$D/run/$name.pid" 2> /dev/null)
		for ((i = 0; i < 100; i++)); do
			ours "$pid" || continue 2
			sleep 0.05
		done
		kill -KILL "$pid"
	done
}

if [ -e "$D/cgroup" ]; then
	end KILL relay unshare init
	group=$(cat "$D/cgroup")
	for hierarchy in /sys/fs/cgroup "/sys/fs/cgroup"/*; do
		[ -d "$hierarchy/${group:?}" ] || continue
		# A control group can only be removed after the kernel has removed its last process.
		for ((i = 0; i < 50; i++)); do
			find "$hierarchy/$group" -depth -type d -exec rmdir {} + 2> /dev/null
			[ -d "$hierarchy/$group" ] || continue 2
			sleep 0.1
		done
		echo "down.sh: cannot remove $hierarchy/$group" >&2
	done
else
	# Clients first, so that they do not fill their logs; the data is not needed.
	end TERM kueue jobset lws operator trainer coscheduling groups kwok scheduler manager
	end KILL apiserver etcd
fi
[ -n "$keep" ] || rm -rf "$D"
