"""hostile.py [--long] [NAME...] - users who fill the memory of the controller, against a controller in a control group
that has the limit of the manifest: it is not killed, and the jobs of others are handled at once.  Where no control
group can be made, the peak of its memory is compared with the limit.  --long: as many objects as docs/supervise.md says."""
import atexit
import json
import os
import re
import sys
import time

from supervise import fetch, free_port, tfjob
from tenants import pods_of, put, served
from world import SANITIZED, main, must

LONG = "--long" in sys.argv
LIMIT = 128 << 20
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


class Group:
    """A control group with a limit of memory, of version 1 or 2; `path` is None if none can be made."""

    def __init__(self):
        self.path = None
        atexit.register(self.close)     # also after a check that failed: its controller has ended by then
        for root, limit, peak in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"), ("/sys/fs/cgroup", "memory.max", "memory.peak")):
            path = os.path.join(root, "trainc-hostile-%d" % os.getpid())
            try:
                if not os.path.exists(os.path.join(root, "memory.limit_in_bytes" if "/memory" in root else "cgroup.controllers")):
                    continue
                os.mkdir(path)
                self.path, self.peak_file = path, os.path.join(path, peak)
                with open(os.path.join(path, limit), "w") as f:
                    f.write(str(LIMIT))
                return
            except OSError:
                self.close()

    def add(self, pid):
        if self.path:
            with open(os.path.join(self.path, "cgroup.procs"), "w") as f:
                f.write(str(pid))

    def peak(self):
        try:
            with open(self.peak_file) as f:
                return int(f.read())
        except (OSError, AttributeError, TypeError):
            return 0

    def close(self):
        if self.path:
            try:
                os.rmdir(self.path)
            except OSError:
                pass
            self.path = None


def resident_peak(p):
    with open("/proc/%d/status" % p.pid) as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) << 10


def begin(w):
    w.group, w.port = Group(), free_port()
    p = w.start("--listen", "127.0.0.1:%d" % w.port)
    w.group.add(p.pid)
    w.wait_for("the watches", lambda: "all watches are live" in w.log(), 60)
    return p


def end(w, p):
    """The controller lives, and has stayed below the limit."""
    alive = p.poll() is None
    peak, group = max(resident_peak(p), 0) if alive else 0, w.group.peak()
    print("# peak: %.1f MiB resident, %.1f MiB in %s" % (peak / 2**20, group / 2**20, "its control group" if w.group.path else "no control group"))
    must(alive, "the controller was killed:\n" + w.log()[-500:])
    must(SANITIZED or peak < LIMIT, "%d MiB" % (peak >> 20))
    w.stop()
    w.group.close()


def large(name, n=255 << 10):
    """A job of N bytes: two variables that are as long as a variable may be."""
    job = tfjob(name)
    env = job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": ""}, {"name": "B", "value": ""}]
    room = n - len(json.dumps(job)) - 300
    env[0]["value"], env[1]["value"] = "x" * min(room, 130000), "x" * max(room - 130000, 0)
    return job


def many(name, n):
    """A suspended job of N empty variables."""
    job = tfjob(name, runPolicy={"suspend": True})
    job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["env"] = [{"name": "V%05d" % i} for i in range(n)]
    return job


def metric(w, name):
    """The value of a metric."""
    page = fetch(w.port, "/metrics")
    page = page[1] if isinstance(page, tuple) else page
    page = page.decode() if isinstance(page, bytes) else page
    return float(re.search(r"^trainc_%s (\S+)$" % re.escape(name), page, re.M)[1])


def condition(w, name, text):
    """Has the job been refused with that text?"""
    return lambda: any(c["type"] == "Failed" and text in c["message"]
                       for c in (w.get("tfjobs", name, "evil") or {}).get("status", {}).get("conditions", []))


def told(w, ns, reason):
    with w.lock:
        return [o for (plural, place, _), o in w.objects.items() if plural == "events" and place == ns and o["reason"] == reason]


@check
def legal(w):
    """the largest legal objects: as many as fit begin, the others are held and begin when those have ended; another user's
    jobs are handled at once meanwhile"""
    p, n = begin(w), 1000 if LONG else 200
    for i in range(n):
        put(w, "tfjobs", large("big%04d" % i), "evil")
    w.wait_for("that jobs are held", lambda: told(w, "evil", "Held"), 120)
    took = [served(w, "good%d" % i, seconds=20) for i in range(3)]
    must(min(took) < 2, took)
    w.wait_for("that as many begin as fit", lambda: len(pods_of(w, "evil")) >= 2 * 60, 120)
    must(len(pods_of(w, "evil")) < 2 * n, "all have begun")
    until = time.time() + 60
    while metric(w, 'namespace_held{namespace="evil"}') <= 50 and time.time() < until:
        time.sleep(0.1)
    held, kept, budget = metric(w, 'namespace_held{namespace="evil"}'), metric(w, 'namespace_kept_bytes{namespace="evil"}'), metric(w, "budget_bytes")
    must(held > 50 and 0.5 * budget < kept < 0.9 * budget, (held, kept, budget))
    must(metric(w, 'namespace_held{namespace="good"}') == 0, "another user's job is held")
    took = [served(w, "later%d" % i, seconds=20) for i in range(3)]
    must(min(took) < 2, took)
    with w.lock:
        first = {x.rsplit("-", 2)[0] for x in pods_of(w, "evil")}
        for name in sorted(first)[:10]:
            w.take("tfjobs", "evil", name)
    w.wait_for("that held jobs go on", lambda: len({x.rsplit("-", 2)[0] for x in pods_of(w, "evil")} - first) >= 5, 60)
    end(w, p)


@check
def refused(w):
    """objects that are refused: above the size, above the memory of the compiler, not valid; each has a condition or an
    Event that says why, and little is kept of it"""
    p, n, took = begin(w), 10000 if LONG else 300, []
    for i in range(36 if LONG else 12):
        put(w, "tfjobs", large("huge%02d" % i, 1300000), "evil")
    put(w, "tfjobs", many("empty", 40000), "evil")
    put(w, "tfjobs", many("steps", 8500), "evil")
    for i in range(n):
        bad = tfjob("bad%05d" % i, restart="Sometimes")
        if i % 10 == 0:
            bad["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": "x" * 140000}]
        put(w, "tfjobs", bad, "evil")
        if i % (n // 3) == 0:
            took.append(served(w, "good%d" % i, seconds=20))
    w.wait_for("that the last one is refused", lambda: "Failed" in {c["type"] for c in (w.get("tfjobs", "bad%05d" % (n - 10), "evil") or {}).get("status", {}).get("conditions", [])}, 300)
    w.wait_for("that the compiler's memory is limited", condition(w, "steps", "16 MiB"), 60)
    for i in range(36 if LONG else 12):
        w.wait_for("that the huge ones are refused", condition(w, "huge%02d" % i, "reads at most 256 KiB"), 60)
    must(told(w, "evil", "TFJobFailedValidation"), "no Event")
    took += [served(w, "last%d" % i, seconds=20) for i in range(2)]
    must(min(took) < 2, took)
    must(metric(w, 'namespace_refused_total{namespace="evil"}') >= n + 13, "not all refusals are counted")
    must(metric(w, 'namespace_kept_bytes{namespace="evil"}') < 2000 * (n + 40), "much is kept of refused jobs")
    w.change("tfjobs", "huge00", large("huge00", 2000), "evil")         # corrected, it runs
    w.wait_for("the pods of a corrected job", lambda: "huge00-worker-0" in pods_of(w, "evil"), 60)
    end(w, p)


if __name__ == "__main__":
    sys.exit(main(CHECKS, [a for a in sys.argv[1:] if a != "--long"], lanes=1))
