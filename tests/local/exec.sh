#!/bin/sh
# exec.sh - commands that run beside the program of a replica: where they run, what they see, how they end.
. "$(dirname "$0")/local.inc"
clean_up_runs
# In the replica's process namespace LeakSanitizer does not find the thread with which it looks for leaks at the end.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

program run <<'END'
  role w {
    replicas = 2
    command = ["sh", "-c", "cd /; exec sleep 600"]
    env { A = "b c" }
    files { "/etc/inside" = "a file" }
    grace = 1s
  }
END
sed '/files/d' run.tj >plain.tj

# enter PROGRAM ISOLATE: the checks that are the same for every isolation of a run
enter() {
	file=$1 isolate=$2
	run 0 apply --local --isolate "$isolate" "$file.tj"
	run 7 exec --local run w/1 -- sh -c 'echo "$A $HOSTNAME"; pwd; exit 7'
	holds test "$(tr '\n' '|' <.out)" = "b c run-w-1|/|"
	# the command's options belong to the command, and standard input is ours
	echo lines | "$TRAINC" exec --local run w/0 cat -A >.out 2>.err; holds test "$(cat .out)" = 'lines$'
	# without a command, a shell
	echo 'echo "$HOSTNAME"; exit 3' | "$TRAINC" exec --local run w/0 >.out 2>.err
	holds test "$? $(cat .out)" = "3 run-w-0"
	# a replica as 'status -o wide' spells it
	run 0 exec --local run w-1 -- sh -c 'echo "$HOSTNAME"'; says out w-1
	run 2 logs --local run w-1; says err "a replica is chosen with --role w --rank 1"
	run 127 exec --local run w/0 no-such-program; says err "trainc: command not found: 'no-such-program'"
	run 126 exec --local run w/0 /; says err "trainc: not executable: '/'"
	run 143 exec --local run w/0 sh -c 'kill -TERM $$'
	# signals to exec are passed to the command
	"$TRAINC" exec --local run w/0 -- sh -c 'trap "exit 9" TERM; echo begun >'"$work"'/begun; while :; do sleep 0.05; done' >.exec 2>&1 &
	command=$!
	before 10 test -s begun
	kill "$command"
	wait "$command"
	holds test $? -eq 9
	rm begun
	# it ends with its replica, and so do processes that it started
	"$TRAINC" exec --local run w/1 -- sh -c 'echo begun >'"$work"'/begun; sleep 600' >.exec 2>&1 &
	command=$!
	before 10 test -s begun
	run 0 restart --local run w/1
	wait "$command"
	got=$?
	holds test "$got" -ge 129
	rm begun
	run 0 delete --local --yes run
	run 2 exec --local run w/0 true; says err "run"
	nothing_left run
}
enter plain none
if can_mount; then
	enter run none
	run 0 apply --local run.tj
	run 0 exec --local run w/0 cat /etc/inside; holds test "$(cat .out)" = "a file"
	run 0 delete --local --yes run
else
	skip "no mount namespaces"
fi
if can_network; then
	enter plain job
	enter run replica
	# the network and the host name are the replica's
	run 0 apply --local --isolate replica run.tj
	run 0 exec --local run w/1 hostname; holds test "$(cat .out)" = run-w-1
	run 0 exec --local run w/1 cat /proc/net/fib_trie; says out 10.88.0.2
	run 0 delete --local --yes run
else
	skip "no network namespaces"
fi

# ---- what cannot be entered ----
program ends <<'END'
  role a { command = ["sh", "-c", "exit 3"] }
  role b { command = ["true"], start_after = done(a) }
END
run 8 run --local ends.tj
run 6 exec --local ends a/0 true; says err "a/0 of run 'ends' has ended: exit code 3"
run 2 exec --local nothing a/0 true
run 0 apply --local plain.tj
run 6 exec --local run w/2 true; says err "role 'w' has replicas 0 to 1, not 2"
run 6 exec --local run nobody/0 true; says err "run 'run' has no role 'nobody'; its only role is w"
run 2 exec --local run w true; says err "exec needs ROLE/N, such as worker/3, found 'w'"
run 0 suspend --local run
run 6 exec --local run w/0 true; says err "w/0 of run 'run' does not run now"
run 0 delete --local --yes run
nothing_left run
end
