#!/bin/sh
# parallel.sh - the same command several times at once: one does the work, and the others see its result.
. "$(dirname "$0")/local.inc"
clean_up_runs

program st <<'END'
  role a { replicas = 2, command = ["sleep", "600"], grace = 1s }
END
for round in 1 2 3; do
	pids=
	for i in 1 2 3 4 5 6; do
		"$TRAINC" apply --local st.tj >".out$i" 2>".err$i" </dev/null &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid"
		got=$?
		if test $got -eq 0; then ok; else fail "apply at once with others: status $got"; cat .err?; fi
	done
	holds test "$(cat .out? | grep -c created)" -eq 1
	holds test "$(cat .out? | grep -c unchanged)" -eq 5
	pids=
	for i in 1 2 3 4; do
		"$TRAINC" delete --local --yes --force st >".out$i" 2>".err$i" </dev/null &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid"
		got=$?
		# a command that comes after the deletion finds no such run
		if test $got -eq 0 || grep -q "no run 'st'\|is no run" .err?; then ok; else fail "delete at once with others: status $got"; cat .err?; fi
	done
	nothing_left st
done
end
