#!/bin/sh
# usage.sh - processor time and memory of replicas, including everything that they started, in status and in the live
# table.
. "$(dirname "$0")/local.inc"
clean_up_runs

# one is busy, in a child, and has 64 MiB; one sleeps
cat >work.py <<'END'
import os, sys
if sys.argv[1] == "0" and os.fork() == 0:
    x = bytearray(os.urandom(1) * (64 << 20))
    open("has", "w").close()
    while True:
        pass
os.execvp("sleep", ["sleep", "600"])
END
program use <<END
  role a { replicas = 2, command = ["$python", "-IS", "work.py", "\${pod.index}"], grace = 1s }
END
run 0 apply --local use.tj
before 30 test -e has
used() {
	"$TRAINC" status --local -o json use >.out 2>.err
	python3 -c 'import json; r = json.load(open(".out"))["runs"][0]["replicas"]; assert r[0]["cpu_seconds"] > 0.1 and 64 << 20 <= r[0]["memory_bytes"] < 1 << 30
assert r[1]["cpu_seconds"] < r[0]["cpu_seconds"] and 0 < r[1]["memory_bytes"] < 64 << 20' 2>/dev/null
}
before 30 used
run 0 status --local -o wide use
says out "CPU  MEMORY  HOST"
holds grep -qE '^use +a-0 +ready +[0-9]+ +1 .* [0-9.]+ (s|min).* [0-9.]+[MG]i +127.0.0.1' .out

# ---- top ----
run 0 top --local use
says err "not served: GPU and GPU-MEMORY: devices of this machine are not measured"
holds grep -qE '^a/0 +[01]\.[0-9]{2} +[0-9.]+ [MG]iB +- +- +-$' .out
holds grep -qE '^a/1 +0\.0[0-9] ' .out
run 0 top --local -o json use
python3 -c 'import json; d = json.load(open(".out")); r = d["replicas"]; assert d["run"] == "use" and len(d["unserved"]) == 1
assert r[0]["cpu"] > 0.1 > r[1]["cpu"] and 64 << 20 <= r[0]["memory_bytes"] < 1 << 30 and r[0]["gpu_percent"] is None and r[0]["gpus"] == 0, r' && ok || fail "$(cat .out)"
run 2 top --local nobody

# ---- the live table shows the totals ----
"$python" -IS - "$TRAINC" use >.table <<'END'
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", CI="")
    os.execv(sys.argv[1], [sys.argv[1], "wait", "--local", "--progress=tty", sys.argv[2]])
seen, until = b"", time.monotonic() + 60
while b" CPUs, " not in seen and time.monotonic() < until:
    if select.select([fd], [], [], 1)[0]:
        seen += os.read(fd, 65536)
os.kill(pid, 9)
os.waitpid(pid, 0)
print(seen.decode(errors="replace"))
END
holds grep -qE '2/2 ready, [0-9]+\.[0-9] CPUs, [0-9.]+[MG]i' .table

# ---- nothing is shown for what does not run ----
run 0 suspend --local use
idle() {
	"$TRAINC" status --local -o json use >.out 2>.err
	python3 -c 'import json; assert all(r["cpu_seconds"] is None for r in json.load(open(".out"))["runs"][0]["replicas"])' 2>/dev/null
}
before 10 idle
run 0 status --local -o json use
json '[(r["cpu_seconds"], r["memory_bytes"]) for r in d["runs"][0]["replicas"]]' '[(None, None), (None, None)]'
run 0 delete --local --yes use
nothing_left use
end
