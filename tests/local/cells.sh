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
end
