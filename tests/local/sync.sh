#!/bin/sh
# sync.sh - `sync --local` replaces the code of running replicas, in all or in none, and starts their programs again.
. "$(dirname "$0")/local.inc"
can_mount || {
	skip "no mount namespaces here"
	end
}
mkdir -p src/lib
cat >src/start.sh <<'END'
echo "one $(cat lib/word)"
exec sleep 600
END
echo word >src/lib/word
echo gone >src/old.txt
program job <<'END'
  code { dir = "src", sync = true }
  role worker {
    replicas = 2
    grace    = 1s
    command  = ["sh", "-c", "echo mine >>written; test -e lib/made || echo x >lib/made; sh start.sh"]
  }
  role other { command = ["sleep", "600"], code = none, grace = 1s }
END
run 0 apply --local job.tj
code=$TRAINC_STATE_DIR/runs/job/scratch/worker-0/code
has() { if logs job "$1" | grep -qx -- "$2"; then ok; else fail "$1 does not say: $2"; logs job "$1"; fi; }
pid() { value job 'r("worker")['"$1"']["process"][0]'; }
run 0 sync --local job; says out "run/job unchanged worker: 2 of 2 replicas run "
before 10 test -e "$code/written"
first=$(pid 0)

# new code: the programs run it, what they wrote stays, what is gone is gone, and nothing counts as a restart
sed 's/one/two/' src/start.sh >new && mv new src/start.sh
rm src/old.txt; mkdir src/sub; echo deep >src/sub/file
run 0 sync --local job.tj
holds grep -qE '^run/job synced worker: 2 of 2 replicas run [0-9a-f]{12} \(was [0-9a-f]{12}\), 3 files changed, [0-9.]+ s$' .out
said() { logs job "worker-$1" | grep -q 'two word'; }
before 10 said 0; before 10 said 1
holds test ! -e "$code/old.txt"; holds test -e "$code/sub/file"; holds test -e "$code/lib/made"
holds test "$(wc -l <"$code/written")" -eq 2
holds test "$(pid 0)" != "$first"
run 0 status --local -o json job
json '[r["restarts"] for r in d["runs"][0]["roles"]], len({x["code"] for x in d["runs"][0]["replicas"] if x["role"] == "worker"}), d["runs"][0]["code"][0]["id"].startswith(d["runs"][0]["replicas"][0]["code"])' \
	"([0, 0], 1, True)"
run 0 sync --local -o json job; json 'd["runs"][0]["result"], [x["result"] for x in d["runs"][0]["replicas"]]' "('unchanged', ['unchanged', 'unchanged'])"
second=$(pid 0)
run 0 sync --local --restart job; says out "run/job synced worker: 2 of 2"
holds test "$(pid 0)" != "$second"

"$TRAINC" sync --local - <job.tj >.out 2>.err; says out "run/job unchanged worker: 2 of 2"

# only the files
third=$(pid 0)
echo other >src/lib/word
run 0 sync --local --no-restart job; says out "replicas have"
holds test "$(pid 0)" = "$third"; holds test "$(cat "$code/lib/word")" = other

# one replica cannot take it: nothing changes anywhere
mkdir "$TRAINC_STATE_DIR/runs/job/scratch/worker-1/code/fresh"; echo x >"$TRAINC_STATE_DIR/runs/job/scratch/worker-1/code/fresh/mine"
echo text >src/fresh; echo third >src/lib/word
run 8 sync --local job
says err "worker/1: 'fresh' is a directory in which the program has written"; says err "nothing was changed in any replica"
holds test "$(cat "$code/lib/word")" = other; holds test ! -e "$code.sync"
rm -r "$TRAINC_STATE_DIR/runs/job/scratch/worker-1/code/fresh"

# links that a program put there lead nowhere
mkdir outside; echo safe >outside/word
rm -r "$code/lib"; ln -s "$work/outside" "$code/lib"
run 8 sync --local job; says err "'lib' is not a directory: the program has written it"
holds test "$(cat outside/word)" = safe
rm "$code/lib"; ln -s "$work/outside/word" "$code/fresh"
run 0 sync --local job
holds test "$(cat outside/word)" = safe; holds test "$(cat "$code/lib/word") $(cat "$code/fresh")" = "third text"

# a directory in the place of a file, and back
rm src/fresh; mkdir src/fresh; echo in >src/fresh/in
run 0 sync --local job; holds test "$(cat "$code/fresh/in")" = in
rm -r src/fresh; echo text >src/fresh
run 0 sync --local job; holds test "$(cat "$code/fresh")" = text

# a new pod has the code of its role now
lines=$(logs job worker-0 | wc -l)
run 0 restart --local job worker/0
said_two() { test "$(logs job worker-0 | wc -l)" -gt "$lines" && logs job worker-0 | tail -n 1 | grep -q 'two third'; }
before 10 said_two
run 0 sync --local job; says out "unchanged worker: 2 of 2"

# only the archive of the current code is left
holds test "$(ls "$TRAINC_STATE_DIR/runs/job/code")" = "$(value job 'r("worker")[0]["code"]')"

# two at once, and what is refused
(flock 9; : >locked; exec sleep 600) 9<"$TRAINC_STATE_DIR/runs/job/code" &
holder=$!
before 10 test -e locked
echo fourth >src/lib/word
run 8 sync --local job; says err "another sync of the run is under way"
kill $holder
wait $holder
run 5 sync --local --role other job; says err "role 'other' of the program may not be synced: it needs code { sync = true }"
run 2 sync --local --role none job; says err "job 'job' has no role 'none'"
run 0 delete --local --yes --force job
nothing_left job
run 2 sync --local job

# a run with a name of its own
run 0 apply --local --name tuned job.tj
echo fifth >src/lib/word
run 0 sync --local tuned; says out "run/tuned synced worker: 2 of 2"
run 0 delete --local --yes --force tuned

# a run that has ended
program done <<'END'
  code { dir = "src", sync = true }
  role a { command = ["true"] }
END
run 0 run --local done.tj
run 5 sync --local done; says err "run 'done' has ended: Succeeded"
end
