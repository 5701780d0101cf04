#!/bin/sh
# commands.sh - the commands for a run that was left running.
. "$(dirname "$0")/local.inc"
clean_up_runs

program steady <<'END'
  role boss { command = ["sh", "-c", "echo boss; exec sleep 600"], grace = 1s }
  role worker {
    replicas = 1:3
    command  = ["sh", "-c", "echo worker $HOSTNAME; exec sleep 600"]
    grace    = 1s
  }
END
program short <<'END'
  role unused { replicas = 0, command = ["false"] }
  role main   { command = ["sh", "-c", "echo out; echo err >&2"] }
END
program fails <<'END'
  role main {
    replicas = 2
    command  = ["sh", "-c", "test $HOSTNAME = fails-main-1 && { echo last words; exit 3; }; exec sleep 600"]
    grace    = 1s
  }
END

# ---- before the first run ----
run 0 list --local; says err "no runs on this machine"; silent out
run 0 list --local -o json; json 'd' "{'schemaVersion': 1, 'runs': []}"
run 2 status --local steady; says err "no run 'steady' on this machine"
run 3 status --kubeconfig nowhere steady; says err "nowhere"
run 3 apply --kubeconfig nowhere steady.tj; says err "nowhere"
run 2 delete --local; says err "delete needs a run, or a program, or --all"

# ---- apply: S49, and S192 the second time ----
run 0 apply --local --replicas worker=2 steady.tj
holds test "$(cat .out)" = "run/steady created"
says err " steady Running"
run 0 apply --local --replicas worker=2 steady.tj; holds test "$(cat .out)" = "run/steady unchanged"
sed 's/echo boss/echo other/' steady.tj >other.tj
run 5 apply --local other.tj; says err "started from another program"; silent out
printf '# a comment\n' | cat - steady.tj >same.tj
run 0 apply --local -o name same.tj; holds test "$(cat .out)" = "run/steady"
run 5 run --local steady.tj; says err "'steady' is already running"; says err "'trainc delete --local steady' ends and removes it"

# ---- status: S106, S176 ----
run 0 status --local steady
holds grep -qE '^RUN +STATE +ROLE +DESIRED +ACTIVE +READY +SUCCEEDED +FAILED +RESTARTS +CAUSE$' .out
holds grep -qE '^steady +Running +boss +1 +1 +1 +0 +0 +0$' .out
holds grep -qE '^ +worker +2 +2 +2 +0 +0 +0$' .out
run 0 status --local steady.tj -o json
json 'd["schemaVersion"], len(d["runs"]), d["runs"][0]["state"], d["runs"][0]["namespace"]' "(1, 1, 'Running', 'default')"
json 'list(d["runs"][0])' "['name', 'namespace', 'state', 'cause', 'conditions', 'roles', 'lost_bytes', 'removed_bytes', 'replicas', 'first_failure']"
json 'd["runs"][0]["roles"][1]' \
	"{'role': 'worker', 'desired': 2, 'active': 2, 'ready': 2, 'succeeded': 0, 'failed': 0, 'restarts': 0, 'stopped': 0, 'cause': ''}"
json '[(c["type"], c["status"]) for c in d["runs"][0]["conditions"]]' "[('Created', 'True'), ('Running', 'True')]"
run 0 status --local -o name; holds test "$(cat .out)" = "run/steady"
run 0 status --local -o wide; holds grep -qE '^steady +worker-1 +ready +[0-9]+ +1 ' .out
run 0 list --local; holds grep -qE '^steady +Running +3/3 +[0-9]+[sm].* +steady.tj$' .out
run 2 status --local stedy; says err "did you mean 'steady'?"
run 1 status --local ../steady; says err "no such file"
run 0 wait --local --for=running --timeout 1h30m steady
run 124 wait --local --timeout 200ms steady; says err "the time is up"
run 2 wait --local --timeout 1h30x steady; says err "--timeout needs a time"

# ---- logs: S112 ----
all_printed() { test "$("$TRAINC" logs --local steady --all | grep -c '│')" -eq 3; }
before 5 all_printed
run 0 logs --local steady; holds test "$(cat .out)" = "boss/0 │ boss"
run 0 logs --local steady --role worker --rank 1; holds test "$(cat .out)" = "worker/1 │ worker steady-worker-1"
run 0 logs --local steady --role worker --rank 0-1 --no-prefix
holds test "$(sort .out | tr '\n' ' ')" = "worker steady-worker-0 worker steady-worker-1 "
run 0 logs --local steady --rank 2; says err "not started yet: worker/2"
run 2 logs --local steady --rank 5; says err "unknown rank 5: the roles have ranks 0 to 2"
run 2 logs --local steady --role wroker; says err "did you mean 'worker'?"
run 0 logs --local run/steady; holds test "$(cat .out)" = "boss/0 │ boss"
run 2 logs --local steady/worker/1; says err "trainc logs --local steady --role worker --rank 1"
run 2 status --local steady/worker; says err "'steady/worker' is not a run; the run is 'steady'"
run 2 logs --local steady --rank x; says err "0,3-7"
run 2 logs --local steady --tail x; says err "--tail needs a number"
run 2 logs --local steady --since yesterday; says err "--since needs a time"
run 2 logs --local steady --since 2026-13-01T00:00:00Z; says err "--since needs a time such as 2026-01-31T12:00:00Z or 5min"
run 0 logs --local steady --all --since 2199-01-01T00:00:00Z; silent out
run 0 logs --local steady --previous; says err "no attempt before the last one: boss/0"
run 0 logs --local steady -o json
json 'sorted(d), d["role"], d["rank"], d["pod"], d["container"], d["text"]' \
	"(['attempt', 'container', 'pod', 'rank', 'role', 'text', 'time'], 'boss', 0, 'steady-boss-0', 'main', 'boss')"
run 0 logs --local steady --timestamps; holds grep -qE '^20[0-9-]+T[0-9:]+\.[0-9]{9}Z boss/0 │ boss$' .out

# ---- changes: S186, S195 ----
run 0 scale --local steady worker=3; holds test "$(cat .out)" = "run/steady scaled: worker from 2 to 3"
run 0 status --local steady -o json; json '[r["desired"] for r in d["runs"][0]["roles"] if r["role"] == "worker"]' '[3]'
before 5 sh -c "'$TRAINC' status --local steady | grep -qE ' worker +3 +3 +3 '"
run 0 scale --local steady 1
before 5 sh -c "'$TRAINC' status --local steady | grep -qE ' worker +1 +1 +1 '"
run 6 scale --local steady --replicas worker=9; says err "1 to 3 replicas, not 9"
run 6 scale --local steady boss=2; says err "not elastic"
run 2 scale --local steady wrker=2; says err "did you mean 'worker'?"
run 2 scale --local steady worker=x; says err "ROLE=N"
run 2 scale --local steady; says err "ROLE=N"
run 2 scale --local steady worker=1 worker=2; says err "role 'worker' cannot have both 1 and 2 replicas; name it once"
run 2 scale --local steady worker=1 --replicas worker=2; says err "name it once"
run 2 logs --local steady -c nope; says err "unknown container 'nope'; the only container is main"
run 2 delete --local --all steady --yes; says err "--all deletes every run, not just 'steady'; leave one of them out"
run 0 suspend --local steady; holds test "$(cat .out)" = "run/steady suspended"
run 0 status --local steady -o json
json 'd["runs"][0]["state"], sum(r["active"] for r in d["runs"][0]["roles"])' "('Suspended', 0)"
nothing_left steady
run 0 resume --local steady; holds test "$(cat .out)" = "run/steady resumed"
run 0 wait --local --for=running --timeout 1h30m steady
run 0 status --local steady -o json; json '[r["restarts"] for r in d["runs"][0]["roles"]]' '[0, 0]'

# ---- deleting ----
run 2 delete --local steady; says err "run/steady will be deleted: Running"; says err "--yes"
run 0 delete --local --yes steady.tj; holds test "$(cat .out)" = "run/steady deleted"
nothing_left steady
holds test ! -e state/runs
run 2 delete --local --yes steady; says err "no run 'steady'"

# ---- programs that buffer their output ----
program mute <<'END'
  role worker {
    replicas = 2
    command  = ["sleep", "600"]
    env { HOSTS = join(worker.hosts, ","), PEERS = join(worker.addresses("http"), ",") }
    ports { http = 8000 }
  }
END
run 0 apply --local mute.tj
says err "HOSTS lists the hosts of 'worker', which are one address here: --isolate replica gives each its own"
holds test "$(grep -c 'lists the hosts' .err)" -eq 1
run 0 logs --local mute; silent out; says err "worker/0 runs and has printed nothing"
run 0 delete --local --yes mute

# ---- runs that end ----
run 0 apply --local --for=complete short.tj; holds test "$(cat .out)" = "run/short created"
run 0 apply --local short.tj; holds test "$(cat .out)" = "run/short unchanged"; says err "--rerun"
sed 's/^}/# other\n  labels { other = "1" }\n}/' short.tj >other.tj
run 5 apply --local other.tj; says err "of another program, or with other options, has ended"; says err "--rerun starts this one"; silent out
run 0 apply --local --rerun --for=complete short.tj; holds test "$(cat .out)" = "run/short recreated"
run 0 status --local short; holds grep -qE '^short +Succeeded +main +1 +0 ' .out; holds test "$(grep -c unused .out)" -eq 0
run 5 suspend --local short; says err "has ended: Succeeded"
run 0 logs --local short -f; holds test "$(sort .out | tr '\n' ' ')" = "main/0 │ err main/0 │ out "
run 8 apply --local fails.tj --for=complete; says err "Failed: main 1 exited with code 3"; says err "  main/1 │ last words"
run 8 apply --local fails.tj; says err "has ended: Failed: main 1 exited with code 3"
run 8 wait --local fails; says err "Failed: main 1 exited with code 3"
run 0 status --local fails -o json
json 'd["runs"][0]["first_failure"]' \
	"{'role': 'main', 'index': 1, 'exit_code': 3, 'signal': None, 'reason': 'exit code 3', 'log': ['last words']}"
json '[c["type"] for c in d["runs"][0]["conditions"] if c["status"] == "True"]' "['Created', 'Failed']"
run 0 logs --local fails; holds grep -q '^main/1 │ last words$' .out
run 8 logs --local fails --all --exit-status
run 8 run --local -o json fails.tj; json 'd["runs"][0]["state"]' Failed
run 0 apply --local short.tj fails.tj --no-wait --rerun
holds test "$(tr '\n' ' ' <.out)" = "run/short recreated run/fails recreated "
run 0 delete --local --all -y --force; holds test "$(sort .out | tr '\n' ' ')" = "run/fails deleted run/short deleted "
nothing_left fails; nothing_left short
holds test -z "$(ls -A state | grep -vx history)"

# ---- scaling is not a restart; a failure is shown in the line of its role ----
program sized <<'END'
  success = done(worker)
  role boss { command = ["sleep", "600"], grace = 1s }
  role worker { replicas = 1:3, retries = 3, command = ["sleep", "600"], grace = 1s }
END
run 0 apply --local sized.tj
run 0 scale --local sized worker=1
two() { run 0 status --local sized -o wide; test "$(grep -c ' worker-' .out)" = 1; }
before 10 two
run 0 scale --local sized worker=3
three() { run 0 status --local sized; grep -qE '^ +worker +3 +3 +3 +0 +0 +0$' .out; }
before 10 three
run 0 status --local sized -o wide; holds test "$(grep -c ' worker-' .out)" = 3
kill -KILL "$(awk '$2 == "worker-1" { print $4 }' .out)"
again() { run 0 status --local sized; grep -qE '^ +worker +3 .* 1  worker-1 restarted less than a minute ago$' .out; }
before 30 again
holds grep -qE '^sized +Degraded +boss +1 +1 +1 +0 +0 +0$' .out
run 0 delete --local sized --yes
end
