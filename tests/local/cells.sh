#!/bin/sh
# cells.sh - cells in local runs: every copy has its own processes, hosts and environment, and a copy that fails fails the run.
. "$(dirname "$0")/local.inc"

program cells <<'END'
  cell trial {
    copies = 3
    role lead { command = ["sh", "-c", "echo $N of $ALL, rank $RANK, at $HOSTNAME; touch lead.$N"], env { N = pod.copy, ALL = trial.copies, RANK = pod.rank } }
    role rest { replicas = 2, command = ["sh", "-c", "test -e lead.$N && echo rank $RANK after $LEAD"], env { N = pod.copy, RANK = pod.rank, LEAD = lead.host(0) }, start_after = done(lead) }
  }
  cell server {
    success = none
    restarts = 0
    role serve { command = ["sh", "-c", "echo up; exec sleep 60"], grace = 1s }
  }
  role report { command = ["sh", "-c", "test -e lead.0 && test -e lead.1 && test -e lead.2 && echo all of them"], start_after = done(trial) and started(server) }
END
local_run 0 cells
shows cells trial-lead-1-0 '1 of 3, rank 0, at cells-trial-lead-1-0'
shows cells trial-rest-2-1 'rank 2 after .*'
shows cells report-0 'all of them'
is cells 's["phase"], s["cause"]' "('Succeeded', 'done(report) and done(trial)')"

# addresses of a copy: its number, and the role if it has several
program reach <<'END'
  cell pair {
    copies = 2
    role lead { command = ["sh", "-c", "echo up; exec sleep 60"], grace = 1s }
    role rest { command = ["sh", "-c", "echo up; exec sleep 60"], grace = 1s }
  }
  cell one { copies = 2, role w { command = ["sh", "-c", "exec sleep 60"], grace = 1s } }
END
begin reach
before 5 sh -c '"$0" status --local -o json reach | grep -c "\"active\": 1" | grep -qx 6' "$TRAINC"
for address in pair/1/lead/0 pair-lead-1/0 pair-lead-1-0 one/1/0 one/1/w/0; do
	run 0 exec --local reach $address -- sh -c 'echo $HOSTNAME'
	case $address in pair*) want=reach-pair-lead-1-0 ;; *) want=reach-one-w-1-0 ;; esac
	if test "$(cat "$work/.out")" = $want; then ok; else fail "$address is $(cat "$work/.out")"; fi
done
run 6 exec --local reach pair/1/0 -- true
run 0 restart --local reach one/0/0
before 5 sh -c '"$0" status --local -o json reach | grep -q "\"restarts\": 1"' "$TRAINC"
run 0 status --local reach
holds grep -q '^reach *Running *pair *4 .* 2/2 copies ready$' "$work/.out"
run 0 delete --local --yes reach
wait "$command"
nothing_left reach

program one-fails <<'END'
  cell trial {
    copies = 3
    role w { command = ["sh", "-c", "test $N != 1 || exit 3; exec sleep 60"], env { N = pod.copy }, grace = 1s }
  }
END
local_run 8 one-fails
is one-fails 's["phase"], s["failure"]["role"], s["failure"]["exit_code"]' "('Failed', 'trial-w-1', 3)"

# a copy that fails restarts by itself, as often as it may; the others go on; its roles start in their order
program again <<'END'
  cell trial {
    copies = 2
    restarts = 2
    role lead { command = ["sh", "-c", "echo x >>tries.$N; test $N = 0 || test $(wc -l <tries.$N) -ge 3 || exit 3; sleep 0.2; echo led"], env { N = pod.copy } }
    role rest { command = ["sh", "-c", "echo x >>rest.$N; sleep 0.3"], env { N = pod.copy }, start_after = started(lead), grace = 1s }
  }
END
local_run 0 again --backoff 50ms
is again '[x["attempts"] for x in r("trial-lead-0") + r("trial-lead-1")], s["job_restarts"]' "([1, 3], 0)"
shows again trial-lead-1-0 led
sed -i 's/restarts = 2/restarts = 1/' again.tj
rm -f tries.* rest.*
local_run 8 again --backoff 50ms
is again '[x["attempts"] for x in r("trial-lead-1")], s["failure"]["role"]' "([2], 'trial-lead-1')"

# without a limit, if the copies never end; the state says which copy restarts and why
program forever <<'END'
  cell server {
    copies = 2
    success = none
    role w { command = ["sh", "-c", "echo x >>tries.$N; test $N = 0 || test $(wc -l <tries.$N) -ge 4 || exit 3; exec sleep 60"], env { N = pod.copy }, grace = 1s }
  }
  success = none
END
rm -f tries.*
begin forever --backoff 300ms
before 5 sh -c '"$0" status --local forever | grep -q "server 1: server-w-1-0 failed: exit code 3; the copy restarts (1)"' "$TRAINC"
before 5 sh -c 'test "$(wc -l <tries.1)" -ge 4'
is forever '[x["attempts"] for x in r("server-w-0")]' "[1]"
run 0 delete --local --yes forever
wait "$command"
nothing_left forever

program least <<'END'
  cell trial {
    copies = 3
    role w { command = ["sh", "-c", "echo $N; test $N = 2 && exec sleep 60 || true"], env { N = pod.copy }, grace = 1s }
  }
  success = done(trial, least = 2)
END
local_run 0 least
is least 's["cause"]' "done(trial, least = 2)"
run 0 status --local least
holds grep -q '^least *Succeeded *trial *3 .* 2/3 copies ready; done(trial, least = 2)$' "$work/.out"
run 0 status --local -o json least
json '[(r["role"], r["cell"], r["copy"]) for r in d["runs"][0]["roles"]][2]' "('trial-w-2', 'trial', 2)"
run 0 logs --local least --role trial/1
lines=$(grep -c . "$work/.out")
if test "$lines" -eq 1 && grep -q '1$' "$work/.out"; then ok; else fail "logs of a copy: $(cat "$work/.out")"; fi
run 0 logs --local least --role trial
if test "$(grep -c . "$work/.out")" -ge 2; then ok; else fail "logs of a cell: $(cat "$work/.out")"; fi
run 2 logs --local least --role trial/7
run 0 env --role trial/2/w least.tj
holds grep -q '^  N  2$' "$work/.out"

# elastic copies: one that is lost beyond the least fails the run, otherwise the others go on; its other processes end
program elastic <<'END'
  cell trial {
    copies = 1:3
    role lead { command = ["sh", "-c", "echo lead $N; test $N != 1 || exit 3; sleep 0.5; echo led"], env { N = pod.copy } }
    role rest { command = ["sh", "-c", "echo rest $N of ${trial.copies}/${trial.least}; test $N != 1 || exec sleep 60; sleep 0.5"], env { N = pod.copy }, grace = 1s }
  }
  role report { command = ["sh", "-c", "echo after all"], start_after = done(trial) }
END
local_run 0 elastic
shows elastic trial-rest-2-0 'rest 2 of 3/1'
shows elastic trial-lead-2-0 led
is elastic 's["cause"], [r["lost"] for r in s["roles"] if r.get("lost")], s["failure"]' "('done(report) and done(trial)', [True, True], None)"
run 0 status --local elastic
holds grep -q 'trial .* 2/3 copies done, 1 lost' "$work/.out"
sed -i 's/copies = 1:3/copies = 3:4/' elastic.tj
sed -i 's/test $N != 1 ||/test $N = 0 ||/' elastic.tj
local_run 8 elastic
is elastic 's["phase"], s["failure"]["role"][:10], s["failure"]["exit_code"]' "('Failed', 'trial-lead', 3)"

# sizes: the copies with the highest numbers go first, and come back as new ones
program sizes <<'END'
  cell server {
    copies = 1:4
    success = none
    restarts = 0
    role w { command = ["sh", "-c", "echo x >>starts.$N; exec sleep 60"], env { N = pod.copy }, grace = 1s }
  }
  role front { command = ["sh", "-c", "echo front; exec sleep 60"], start_after = ready(server), grace = 1s }
END
rm -f starts.*
begin sizes --replicas server=2
before 5 sh -c '"$0" status --local sizes | grep -q "server  *2 .* 2/2 copies ready"' "$TRAINC"
holds test ! -e starts.2
run 0 scale --local sizes server=4
before 5 sh -c '"$0" status --local sizes | grep -q "server  *4 .* 4/4 copies ready"' "$TRAINC"
run 0 scale --local sizes server=1
before 5 sh -c '"$0" status --local sizes | grep -q "server  *1 .* 1/1 copies ready"' "$TRAINC"
holds test "$(cat starts.0 starts.3 | wc -l)" = 2
run 0 scale --local sizes 2
before 5 sh -c 'test "$(wc -l <starts.1)" = 2' 
for n in 0 5; do
	run 6 scale --local sizes server=$n
	holds grep -q "cell 'server' has between 1 and 4 copies, not $n" "$work/.err"
done
run 6 restart --local sizes server/3/0
holds grep -q "the run has no copy 3 of 'server' now" "$work/.err"
run 2 scale --local sizes serve=2
holds grep -q "server" "$work/.err"
run 0 delete --local --yes sizes
wait "$command"
nothing_left sizes
refuses() { run 8 run --local sizes.tj --replicas "$1"; holds grep -q "$2" "$work/.err"; }
refuses server=5 "cell 'server' has between 1 and 4 copies, not 5"
sed -i 's/copies = 1:4/copies = 4/' sizes.tj
refuses server=2 "cell 'server' always has 4 copies; write 'copies = 1:4' to make it elastic"
end
