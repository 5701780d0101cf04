#!/bin/sh
# options.sh - runs with custom names, runs that are left running, runs with a time limit.
. "$(dirname "$0")/local.inc"
clean_up_runs

program job <<'END'
  role a { command = ["sh", "-c", "echo up as $HOSTNAME; exec sleep 600"], ports { http = 8080 }, grace = 1s }
END

# ---- two runs of one job ----
run 0 apply --local --name first job.tj; holds test "$(cat .out)" = "run/first created"
run 0 apply --local --name=second job.tj
run 0 apply --local --name first job.tj; holds test "$(cat .out)" = "run/first unchanged"
run 0 list --local -o name; holds test "$(tr '\n' ' ' <.out)" = "run/first run/second "
run 0 status --local -o json first; cp .out one
run 0 status --local -o json second; cp .out two
holds test "$(grep -o '"http": [0-9]*' one)" != "$(grep -o '"http": [0-9]*' two)"
said() { "$TRAINC" logs --local second 2>/dev/null | grep -q 'up as second-a-0$'; }
before 10 said
run 0 delete --local --yes first
run 0 status --local second; says out "Running"
run 0 delete --local --yes second
nothing_left job
run 2 run --local --name 'No name' job.tj; says err "--name 'No name': a name has"
run 2 run --local --name job~1 job.tj
{ sed 's/"job"/"other"/' job.tj; cat job.tj; } >jobs.tj
run 2 run --local --name one jobs.tj; says err "--name is the name of one run, and these are 2 jobs; choose one with --job"

# ---- a number that is free, and a digest ----
run 0 apply --local --name 'job-{n}' job.tj; holds test "$(cat .out)" = "run/job-1 created"
run 0 apply --local --name 'job-{n}' job.tj; holds test "$(cat .out)" = "run/job-2 created"
run 0 delete --local --yes --force job-1
run 0 apply --local --name 'job-{n}' job.tj; holds test "$(cat .out)" = "run/job-1 created"
run 0 delete --local --yes --force job-1 job-2
pids=
for i in 1 2 3 4 5; do
	"$TRAINC" apply --local --name 'job-{n}' job.tj >".out$i" 2>".err$i" </dev/null &
	pids="$pids $!"
done
for pid in $pids; do
	if wait "$pid"; then ok; else fail "apply with {n} at once with others"; cat .err?; fi
done
holds test "$(sort .out? | tr '\n' ' ')" = \
	"run/job-1 created run/job-2 created run/job-3 created run/job-4 created run/job-5 created "
run 0 delete --local --yes --force job-1 job-2 job-3 job-4 job-5
program quick <<'END'
  role a { command = ["sh", "-c", "echo $HOSTNAME"] }
END
run 0 run --local --name 'quick-{n}' quick.tj; says out "quick-1-a-0"
run 0 run --local --name 'quick-{n}' quick.tj; says out "quick-2-a-0"
# a program of standard input, which can be read once
for name in 'quick-{n}' 'quick-{hash}' named; do
	"$TRAINC" run --local --name "$name" - <quick.tj >.out 2>.err; holds grep -qE "(quick-[0-9a-f]+|named)-a-0" .out
	cat quick.tj | "$TRAINC" apply --local --rerun --name "$name" --for complete - >.out 2>.err
	holds grep -qE '^run/(quick-[0-9a-f]+|named) ' .out
done
run 0 run --local --name 'quick-{hash}' quick.tj; holds grep -qE 'quick-[0-9a-f]{6}-a-0' .out

# ---- left running ----
run 0 run --local --detach job.tj; holds test "$(cat .out)" = "run/job created"
run 0 status --local job; says out "Running"
run 0 delete --local --yes job
program done <<'END'
  role a { command = ["true"] }
END
run 0 run --local done.tj
run 0 run --local --detach done.tj; holds test "$(cat .out)" = "run/done recreated"
run 0 wait --local done

# ---- with a time limit ----
run 124 run --local --timeout 500ms job.tj; says err "trainc: the time is up"; says err "stopping 1 replica"
nothing_left job
run 0 status --local job; says out "Failed"
run 0 run --local --timeout 10min done.tj
run 2 run --local --timeout soon done.tj
end
