#!/bin/sh
# faults.sh - full disks, broken state files, names in use; programs with several jobs.
. "$(dirname "$0")/local.inc"
clean_up_runs

program quick <<'END'
  role main { command = ["sh", "-c", "echo hello"] }
END
program slow <<'END'
  role main { command = ["sleep", "30"], grace = 1s }
END

# ---- the state directory ----
: >file
for directory in file file/below /proc/nowhere; do
	TRAINC_STATE_DIR=$directory run 3 run --local quick.tj
	TRAINC_STATE_DIR=$directory run 3 status --local
done
(
	unset TRAINC_STATE_DIR HOME XDG_STATE_HOME
	"$TRAINC" list --local 2>.err
	test $? -eq 3 && grep -q 'set TRAINC_STATE_DIR, XDG_STATE_HOME or HOME' .err
) && ok || fail "without any directory"
if test "$(id -u)" -ne 0; then
	mkdir -m 500 closed
	TRAINC_STATE_DIR=closed/state run 3 run --local quick.tj; says err "permission denied"
fi

# a path that is too long for a socket address
deep=$work/$(printf '%0150d/%0100d' 0 0)
TRAINC_STATE_DIR=$deep run 0 apply --local slow.tj
TRAINC_STATE_DIR=$deep run 0 suspend --local slow
TRAINC_STATE_DIR=$deep run 0 delete --local --yes slow
nothing_left slow

# ---- full disks (fault F-47) ----
program fill <<'END'
  role main { command = ["sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' x | fold -w 99; sleep 0.2"] }
END
own_mounts=
unshare -m true 2>/dev/null && own_mounts='unshare -m'
test -n "$own_mounts" || { unshare -Urm true 2>/dev/null && own_mounts='unshare -Urm'; }
# on SIZE COMMAND: runs it with a state directory on a disk of that size
on() {
	mkdir -p disk
	TRAINC_STATE_DIR=$work/disk $own_mounts sh -c "mount -t tmpfs -o size=$1,mode=755 none disk && $2" >.out 2>.err
	got=$?
}
if test -n "$own_mounts"; then
	on 300k '"$TRAINC" run --local fill.tj'
	holds test $got -eq 3; says err "no space left on the device"; silent out
	on 3m '"$TRAINC" run --local fill.tj >/dev/null; echo status $?; "$TRAINC" status --local; ls disk/runs/fill'
	says out "status 0"; holds grep -qE '^fill +Succeeded ' .out; says err "bytes of output were lost: the disk refused them"
	holds grep -q '^result$' .out
	if grep -q '^reserve$' .out; then fail "the reserve is kept"; else ok; fi
	# the last lines are kept, in the output and in the log, and the gap before them is marked
	program last <<-'END'
	  role main { replicas = 2, command = ["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x | fold -w 99; echo end-of-it; test $JOB_COMPLETION_INDEX = 0 || { sleep 1; exit 3; }"] }
	END
	on 2m '"$TRAINC" run --local last.tj >lines; "$TRAINC" logs --local --all last | tail -n 3; "$TRAINC" status --local -o json last >.json'
	holds test "$(grep -c 'main/[01] │ x*end-of-it$' lines)" -eq 2
	holds test "$(grep -c 'main/[01] ─ [0-9]* bytes are missing here: the disk was full$' .err)" -ge 2
	holds grep -q 'main/[01] │ x*end-of-it$' .out
	cp .json .out
	json 'd["runs"][0]["lost_bytes"] > 2000000, d["runs"][0]["state"]' "(True, 'Failed')"
	json 'd["runs"][0]["first_failure"]["log"][-1].lstrip("x")' end-of-it

	# file descriptors run out at any point of a run: if the run started, it has a verdict
	program four <<-'END'
	  role main { replicas = 4, command = ["sh", "-c", "sleep 0.1"], grace = 1s }
	END
	for n in 9 11 13 16 17; do
		on "4m,nr_inodes=$n" '"$TRAINC" run --local four.tj; "$TRAINC" status --local four'
		holds grep -qE '^four +(Failed|Succeeded) ' .out
	done
else
	skip "no file system of one's own to fill"
fi

# ---- states that cannot be read ----
run 0 run --local quick.tj
for text in '' '{' '{"schemaVersion":2}' 'garbage'; do
	printf '%s' "$text" >state/runs/quick/state
	run 0 status --local quick; holds grep -q '^quick  *Unknown .*its state cannot be read' .out
	run 0 list --local
	run 8 wait --local quick
	run 5 apply --local quick.tj; says err "--rerun"
done
run 0 run --local quick.tj
printf '{' >state/runs/quick/state
run 0 delete --local --yes quick; holds test ! -e state/runs
mkdir -p state/runs/quick state/runs/Not-A-Run
run 0 status --local quick; says out "Unknown"
run 0 run --local quick.tj
run 0 list --local -o name; holds test "$(cat .out)" = run/quick
rmdir state/runs/Not-A-Run
run 0 delete --local -y quick

# ---- one name, one run ----
for i in 1 2 3 4 5 6; do
	"$TRAINC" run --local slow.tj >/dev/null 2>err.$i &
	echo $! >pid.$i
done
before 10 sh -c "test \$(grep -l 'is already running' err.* | wc -l) -eq 5"
before 10 sh -c "test \$(cat err.* | grep -c 'slow Running') -eq 1"
for i in 1 2 3 4 5 6; do
	kill "$(cat pid.$i)" 2>/dev/null
done
wait
nothing_left slow

# a directory that was removed while its keeper ran: that keeper leaves the next run of the name alone
"$TRAINC" run --local slow.tj >/dev/null 2>err.first &
first=$!
before 10 grep -q 'slow Running' err.first
# the keeper may be writing a state at this moment, and then `rm` would find a nonempty directory
removed() { rm -rf state/runs/slow 2>/dev/null && test ! -e state/runs/slow; }
before 5 removed
"$TRAINC" run --local slow.tj >/dev/null 2>err.second &
second=$!
before 10 grep -q 'slow Running' err.second
kill $first
wait $first
run 0 status --local slow; holds grep -q '^slow  *Running ' .out
holds test ! -e state/runs/slow/result
holds test -S state/runs/slow/control
holds test -e state/runs/slow/reserve
kill $second
wait $second
holds test -e state/runs/slow/result
nothing_left slow

# ---- several jobs ----
cat >several.tj <<'END'
for i, shell in ["sh", "sh"] job "several-${i}" {
  image = "registry.example.com/test:1"
  role main { command = [shell, "-c", "echo I am $0", "${i}"] }
}
END
run 0 check several.tj
run 0 run --local several.tj
holds test "$(sort .out | tr '\n' ' ')" = "several-0:main/0 │ I am 0 several-1:main/0 │ I am 1 "
holds grep -q '^several-0: Succeeded in ' .err; holds grep -q '^several-1: Succeeded in ' .err
run 0 status --local several.tj -o name; holds test "$(cat .out | tr '\n' ' ')" = "run/several-0 run/several-1 "
run 0 run --local several.tj --job several-1; holds test "$(cat .out)" = "main/0 │ I am 1"
run 2 logs --local several.tj; says err "choose one with --job"
run 0 logs --local several.tj --job several-0 --all; holds test "$(cat .out)" = "main/0 │ I am 0"
sed -i 's/"sh", "sh"/"sh", "nowhere-sh"/' several.tj
run 0 check several.tj
run 8 run --local several.tj; says err "nowhere-sh"
run 2 status --local several-0          # the first one was rolled back
nothing_left several-0
end
