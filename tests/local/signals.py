"""Signals, crashes and readers that disconnect: what a run does then, and what is left of it (fault F-46)."""
from support import *

deaf = program("deaf", shell("trap '' TERM HUP INT; echo ready; while :; do sleep 0.1; done", ", replicas = 2, grace = 30s"))
polite = program("polite", shell("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.1; done", ", replicas = 2"))


def hears(p):
    """Waits until the command handles signals: before that, a signal ends it at once, and the keeper with it."""
    status = open("/proc/%d/status" % p.pid).read()
    return int(status.split("SigBlk:")[1].split()[0], 16) >> (signal.SIGTERM - 1) & 1


def running(program, job, n, *options, **how):
    p = start("run", "--local", *options, program, **how)
    logs = ["state/runs/%s/logs/main-%d.log" % (job, i) for i in range(n)]
    within(10, lambda: len(replicas(job)) >= n and all(os.path.exists(log) and open(log).read().startswith("ready") for log in logs),
           job + " runs")
    within(10, lambda: hears(p), job + " is attended to")
    return p


# ---- the first signal stops the run, and replicas may clean up ----
for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
    p = running(polite, "polite", 2)
    p.send_signal(number)
    got, out, err = finish(p)
    check(got == status, "%s ends with %d, not %d" % (number.name, status, got))
    check("trainc: stopping 2 replicas" in err, "it says that it stops: " + err)
    check(out.count("│ bye\n") == 2, "both said goodbye: " + out)
    nothing_left("polite")
    check(state("polite")["state"] == "Failed" and state("polite")["cause"] == "stopped", "it was stopped")

# ---- the second signal kills ----
p = running(deaf, "deaf", 2)
p.send_signal(signal.SIGINT)
time.sleep(0.3)  # they stay meanwhile
check(p.poll() is None and len(replicas("deaf")) >= 2, "deaf replicas have their grace")
began = time.monotonic()
p.send_signal(signal.SIGTERM)
got, out, err = finish(p)
check(got == 143 and time.monotonic() - began < 10, "the second signal kills at once: %d" % got)
check("trainc: killing 2 replicas" in err, "it says that it kills: " + err)
nothing_left("deaf")

# ---- a hangup that the caller ignores is ignored ----
p = running(polite, "polite", 2, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
p.send_signal(signal.SIGHUP)
time.sleep(0.2)  # it does not end meanwhile
check(p.poll() is None, "nohup holds")
p.terminate()
check(finish(p)[0] == 143, "and it can be ended otherwise")

# ---- kill -9 of the command: the keeper ends everything ----
p = running(deaf, "deaf", 2)
of = keeper("deaf")
p.kill()
p.wait()
nothing_left("deaf")
within(10, lambda: state("deaf")["state"] == "Failed", "its keeper wrote a verdict")

# ---- kill -9 of the keeper: the command ends everything, and says so ----
p = running(deaf, "deaf", 2)
os.kill(keeper("deaf"), signal.SIGKILL)
got, out, err = finish(p)
check(got == 8 and "Unknown: its keeper ended without recording a verdict" in err, "the keeper's death is told: %d %s" % (got, err))
nothing_left("deaf")
check(state("deaf")["state"] == "Unknown", "no verdict is no verdict")

# ---- the keeper of a detached run: the next commands find what is left ----
check(trainc("apply", "--local", "--rerun", polite).returncode == 0, "applied")
os.kill(keeper("polite"), signal.SIGKILL)
within(10, lambda: state("polite")["state"] == "Unknown", "the run is Unknown")
done = trainc("apply", "--local", polite)
check(done.returncode == 5 and "without recording a verdict" in done.stderr, "apply does nothing by itself: " + done.stderr)
check(trainc("wait", "--local", "polite").returncode == 8, "wait ends with 8")
check(trainc("delete", "--local", "--yes", "polite").returncode == 0 and not os.path.exists("state/runs/polite"), "delete removes it")
nothing_left("polite")

# ---- commands that only look leave the run alone ----
def handles(p, number):
    """Does the process handle a signal? Commands block the signals that they read from a descriptor."""
    with open("/proc/%d/status" % p.pid) as f:
        blocked = next(line.split()[1] for line in f if line.startswith("SigBlk:"))
    return int(blocked, 16) >> (number - 1) & 1


check(trainc("apply", "--local", polite).returncode == 0, "applied")
for command in (("wait",), ("logs", "-f"), ("status", "--watch")):
    p = start(command[0], "--local", *command[1:], "polite")
    within(10, lambda: handles(p, signal.SIGINT), "%s handles control-C" % command[0])
    p.send_signal(signal.SIGINT)
    got, out, err = finish(p)
    check(got == 130, "%s ends with 130, not %d" % (command[0], got))
    if command[0] != "status":
        check("run 'polite' goes on" in err, "%s says that the run goes on: %s" % (command[0], err))
check(len(replicas("polite")) >= 2, "it still runs")
check(trainc("delete", "--local", "--yes", "polite").returncode == 0, "deleted")
nothing_left("polite")

# ---- a reader that disconnects, an output that is closed: the run continues, its logs are complete ----
lines = program("lines", shell("i=0; while test $i -lt 300; do echo line $i; i=$((i+1)); done; sleep 0.3; echo end"))
p = start("run", "--local", lines)
p.stdout.readline()
p.stdout.close()
p.stdout = None
got, out, err = finish(p)
check(got == 0 and "Succeeded" in err, "nobody reads: %d %s" % (got, err))
check(open("state/runs/lines/logs/main-0.log").read().count("\n") == 301, "the log is whole")
got = subprocess.run(["sh", "-c", '"$0" run --local lines.tj >&-', TRAINC], stderr=subprocess.PIPE)
check(got.returncode == 0, "standard output is closed: %d %s" % (got.returncode, got.stderr))
if os.path.exists("/dev/full"):
    with open("/dev/full", "wb") as full:
        got, out, err = finish(start("run", "--local", lines, stdout=full))
    check(got == 0 and "no space left on the device; the logs are complete" in err, "standard output is full: %d %s" % (got, err))

# ---- a reader that does not read: signals still have an effect ----
flood = program("flood", shell("yes abcdefghijklmnopqrstuvwxyz | head -c 3000000; sleep 30"))
p = start("run", "--local", flood)
within(10, lambda: os.path.exists("state/runs/flood/logs/main-0.log") and os.path.getsize("state/runs/flood/logs/main-0.log") == 3000000,
       "the replica is not kept waiting by the reader")
p.send_signal(signal.SIGINT)
began = time.monotonic()
p.wait(10)
check(p.returncode == 130 and time.monotonic() - began < 10, "it ends although nobody reads")
p.stdout.close()
p.stderr.close()
nothing_left("flood")
end()
