#!/bin/sh
# stop.sh - every process that was started ends, whether stopped, killed, orphaned or hidden.
. "$(dirname "$0")/local.inc"
said() { grep -qx -- "$3" "$TRAINC_STATE_DIR/runs/$1/logs/$2.log" 2>/dev/null; }
within() { if test "$(($(now) - $1))" -le "$2"; then ok; else fail "took $(($(now) - $1)) ms, not $2"; fi; }

# ---- a stop request: TERM to every group, and a grace period ----
program polite <<'END'
  role a {
    replicas = 3
    command  = ["sh", "-c", "trap 'echo leaving; exit 0' TERM; echo up; while :; do sleep 0.02; done"]
  }
END
begin polite
before 5 said polite a-2 up
ask polite stop; answers ok
finish 8 polite
says err stopped
for i in 0 1 2; do shows polite "a-$i" leaving; done
is polite 's["phase"], s["cause"]' "('Failed', 'stopped')"

# a signal to the keeper is also a stop request
begin polite
before 5 said polite a-2 up
kill -TERM "$(value polite 's["keeper"][0]')"
finish 8 polite
shows polite a-1 leaving

# ---- a stop request that is ignored: KILL after the grace period of the role, for the whole group ----
program deaf <<'END'
  role a {
    command = ["sh", "-c", "trap '' TERM; echo up; sleep 7301 & sleep 7302"]
    grace   = 1s
  }
END
begin deaf
before 5 said deaf a-0 up
begun=$(now)
ask deaf stop; answers ok
finish 8 deaf                           # even though it would end on its own
says err "a/0 ─ attempt 1 was stopped, by SIGKILL"
holds test "$(($(now) - begun))" -ge 900
is deaf 'r("a")[0]["signal"]' 9

# immediately, if requested; a second signal does the same, long before the grace period ends
sed 's/grace   = 1s/grace   = 10min/' deaf.tj >patient.tj
sed -i 's/job "deaf"/job "patient"/' patient.tj
begin patient
before 5 said patient a-0 up
begun=$(now)
ask patient kill; answers ok
finish 8 patient
within "$begun" 60000

# ---- the command dies: the keeper kills everything ----
begin deaf
before 5 said deaf a-0 up
keeper=$(value deaf 's["keeper"][0]')
kill -KILL "$command"
wait "$command" 2>/dev/null
gone() { ! test -d "/proc/$1"; }
before 3 gone "$keeper"
nothing_left deaf

# ---- programs that leave processes behind ----
program leaves <<END
  role group  { command = ["sh", "-c", "sleep 7311 & sleep 7312 & echo done"] }
  role daemon { command = ["sh", "-c", "setsid -f sh -c 'sleep 7313; :'; echo done"] }
  role hidden { command = ["sh", "-c", "env -i setsid -f sleep 73.$$; echo done"] }
  role deep   { command = ["sh", "-c", "setsid -f sh -c 'setsid -f sh -c \"sleep 7315; :\"; sleep 7316'; echo done"] }
END
local_run 0 leaves
sleepers() { grep -lazx "73.$$" /proc/[0-9]*/cmdline 2>/dev/null; }
holds test -z "$(sleepers)"

# a process that a replica left behind is gone before the replica restarts
program anew <<END
  role a {
    retries = 1
    command = ["sh", "-c", "if test -e pid; then kill -0 \$(cat pid) 2>/dev/null && exit 5; exit 0; fi; setsid -f sh -c 'echo \$\$ >pid; exec sleep 7321'; until test -s pid; do sleep 0.01; done; exit 1"]
  }
END
local_run 0 anew --backoff 20ms
if can_network; then
	local_run 0 leaves --isolate job
	holds test -z "$(sleepers)"
	rm pid
	local_run 0 anew --isolate job --backoff 20ms
else
	skip "no namespaces here"
fi

# and processes that end while the run continues are reaped
program reaped <<'END'
  role a { command = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do setsid -f sleep 0.05; done; sleep 0.1; n=0; while ps -o stat= --ppid $PPID | grep -q Z && test $n -lt 500; do n=$((n + 1)); sleep 0.02; done; ps -o stat= --ppid $PPID | grep -c Z; :"] }
END
local_run 0 reaped
shows reaped a-0 0

# ---- signals that the C library reserves, ignored by the parent of trainc ----
program deaf <<'END'
  role a { command = ["grep", "SigIgn", "/proc/self/status"] }
END
cat >deaf.py <<'END'
import ctypes, os, platform, sys
number = {"x86_64": 13, "aarch64": 134}[platform.machine()]
ignore = (ctypes.c_ulong * 8)(1)
for signal in 32, 33:
    ctypes.CDLL(None).syscall(number, signal, ignore, None, 8)
os.execv(sys.argv[1], sys.argv[1:])
END
python3 deaf.py "$TRAINC" run --local deaf.tj >.out 2>.err
shows deaf a-0 "SigIgn:	0000000000000000"

# ---- what a child inherits, and what it does not ----
cat >child.sh <<'END'
ls /proc/$$/fd
read -r x && echo "input $x" || echo "no input"
ps -o pid=,pgid=,sid= -p $$ | { read -r pid group session; test "$pid" = "$group" -a "$pid" = "$session" && echo alone; }
grep -E '^Sig(Blk|Ign)' /proc/$$/status | tr -d '\t'
echo "in $(pwd)"
echo "files $(ulimit -n)"
END
program child <<END
  role a { command = ["sh", "$work/child.sh"] }
END
(
	trap '' INT HUP USR1
	ulimit -Sn 77
	exec 7</dev/null 8</dev/null 9</dev/null
	echo words | "$TRAINC" run --local child.tj >.out 2>.err
)
holds test "$(logs child a-0 | grep -x '[0-9]*' | tr '\n' ' ')" = '0 1 10 2 '  # 10: sh reads the script
shows child a-0 "no input"
shows child a-0 alone
shows child a-0 SigBlk:0000000000000000
shows child a-0 SigIgn:0000000000000000
shows child a-0 "in $work"
shows child a-0 "files 77"

# its parent dies, and so does it
program orphan <<'END'
  role a { command = ["sh", "-c", "echo up; exec sleep 7331"] }
END
begin orphan
before 5 said orphan a-0 up
replica=$(value orphan 'r("a")[0]["process"][0]')
kill -KILL "$(value orphan 's["keeper"][0]')"
before 2 gone "$replica"
wait "$command"
end
