#!/bin/sh
# sync_watch.sh - `sync --local --watch` syncs after each change of the files that are taken, and says what it waits for.
. "$(dirname "$0")/local.inc"
can_mount || {
	skip "no mount namespaces here"
	end
}
clean_up_runs
mkdir -p src/lib data
echo 'echo "has $(cat lib/word)"; exec sleep 600' >src/start.sh
echo first >src/lib/word
printf '*.log\ndata/\n' >.gitignore
program job <<'END'
  code { dir = "src", sync = true }
  role worker { replicas = 2, command = ["sh", "start.sh"], grace = 1s }
END
run 0 apply --local job.tj

# watch OPTION...: begins the command, with signals as a terminal gives them; `ended STATUS SIGNAL` ends it.
watch() {
	rm -f told said
	"$python" -IS -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$TRAINC" sync --local --watch "$@" >told 2>said </dev/null &
	watcher=$!
	before 10 grep -qs 'waiting for' said
}
ended() {
	test -z "$2" || kill "-$2" "$watcher"
	wait "$watcher"
	status=$?
	if test $status -eq "$1"; then ok; else fail "the watch ended with status $status, not $1"; cat told said; fi
}
lines() { test "$(wc -l <told)" -eq "$1"; }
shown() { if test "$(wc -l <told)" -eq "$1"; then ok; else fail "$(wc -l <told) lines, not $1"; cat told said; fi; }
watch job.tj
shown 1; holds grep -q 'unchanged worker: 2 of 2' told
holds grep -q 'waiting for changes; Ctrl-C ends this and leaves the run running' said

# a change, one in a new directory, and the removal of a file: one line each
echo second >src/lib/word
before 10 lines 2; holds grep -qE '^run/job synced worker: 2 of 2 replicas run [0-9a-f]{12} \(was [0-9a-f]{12}\), 1 file changed, [0-9.]+ s$' told
says_second() { logs job worker-1 | grep -qx 'has second'; }
before 10 says_second
mkdir -p src/deep/er; sleep 1; echo x >src/deep/er/file
before 10 lines 3
rm src/deep/er/file
before 10 lines 4

# many files in a row are one sync: it waits until nothing has changed for 300 ms
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$i" >"src/lib/f$i"; sleep 0.1; done
before 10 lines 5; holds grep -q ' 12 files changed' told
sleep 1; shown 5         # nothing more may come

# what is left out, times alone, and files elsewhere send nothing
echo noise >src/a.log; echo other >data/x; touch src/lib/word; echo beside >beside
sleep 2; shown 5         # nothing may come

# a rule is a change, and so is the program
echo 'f1*' >src/.trainignore
before 10 lines 6
sed 's/sync = true/sync = true, exclude = ["f2"]/' job.tj >new && mv new job.tj
before 10 lines 7; holds grep -q ' 1 file changed' told

# a secret, and a program that cannot be read, are reported and waited out
echo TOKEN=1 >src/.env
before 10 grep -q "'.env' looks like a secret" said
before 10 grep -q 'nothing was sent; waiting for the next change of the files' said
rm src/.env; echo third >src/lib/word
before 10 lines 8
cp job.tj good; echo 'job {' >job.tj
said_twice() { test "$(grep -c 'nothing was sent' said)" -eq 2; }
before 10 said_twice
cp good job.tj; echo fourth >src/lib/word
before 10 lines 9

# a replica that cannot take it: nothing is changed, and the command tries again by itself
mkdir "$TRAINC_STATE_DIR/runs/job/scratch/worker-1/code/fresh"; echo x >"$TRAINC_STATE_DIR/runs/job/scratch/worker-1/code/fresh/mine"
echo text >src/fresh
before 10 grep -q 'the same again in 2 s, or after the next change' said
before 10 grep -q 'the same again in 4 s, or after the next change' said
holds grep -q 'nothing was changed in any replica' said
rm -r "$TRAINC_STATE_DIR/runs/job/scratch/worker-1/code/fresh"
before 20 lines 10

# it ends by a signal, and nothing of it is left; the run goes on
ended 130 INT
if pgrep -f "$TRAINC sync --local --watch" >/dev/null; then fail "a process of the watch is left"; else ok; fi
run 0 status --local job; says out Running
watch job; ended 143 TERM
watch job; kill -KILL "$watcher"; wait "$watcher" 2>/dev/null
gone() { ! pgrep -f "$TRAINC sync --local --watch" >/dev/null; }
before 5 gone

# JSON: one object for each sync; --no-restart leaves the programs alone
watch -o json --no-restart job
echo fifth >src/lib/word
synced() { grep -q '"synced"' told; }
before 10 synced
holds python3 -c 'import json, sys; rows = [json.loads(x) for x in open("told")]; sys.exit([x["runs"][0]["result"] for x in rows] != ["unchanged", "synced"])'

# the end of the run ends it
run 0 delete --local --yes --force job
ended 0; holds grep -qE "run 'job' was (stopped|deleted)" said
run 0 apply --local job.tj
watch job
kill -9 "$(value job 'r("worker")[0]["process"][0]')"
ended 8; holds grep -q "run 'job' has ended: Failed: " said
run 0 delete --local --yes job

# without reports of the kernel, it looks at the files itself
if test "$(id -u)" = 0 && unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_inotify_instances' 2>/dev/null; then
	run 0 apply --local job.tj
	rm -f told said
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"' - "$TRAINC" sync --local --watch job >told 2>said </dev/null &
	watcher=$!
	before 10 grep -qs 'waiting for changes, by looking at all files each second, because the kernel permits no more' said
	echo sixth >src/lib/word
	before 10 lines 2
	ended 143 TERM
	run 0 delete --local --yes --force job
else
	skip "no user namespace with limits of its own"
fi

# what it cannot do
run 2 sync --local --watch job.tj; says err "no run 'job' on this machine"
run 2 sync --local --watch -; says err "sync --watch needs the program in a file"
run 2 sync --local --watch absent
end
