"""absence.py - the API server is down for a minute (AWAY=60) while jobs end, fail, expire, are created and deleted:
nothing is lost, created twice or left behind.  `make soak-supervise` starts with this test;
`server_away` of supervise.py is the same with two seconds and one job."""
import os
import sys
import time

from supervise import condition, pytorch, tfjob
from world import World, main, must

AWAY = float(os.environ.get("AWAY", "60"))
EACH = 6                                # number of jobs for each kind of life


def names(what):
    return ["%s%d" % (what, i) for i in range(EACH)]


def put_all(w):
    for name in names("ends"):
        w.put("pytorchjobs", pytorch(name, runPolicy={"cleanPodPolicy": "All"}))
    for name in names("stays"):
        w.put("tfjobs", tfjob(name))
    for name in names("fails"):
        w.put("tfjobs", tfjob(name, restart="ExitCode"))
    for name in names("late"):
        w.put("tfjobs", tfjob(name, runPolicy={"activeDeadlineSeconds": int(AWAY / 2) + 10}))
    for name in names("expires"):
        w.put("tfjobs", tfjob(name, runPolicy={"ttlSecondsAfterFinished": int(AWAY / 2)}))
    for name in names("goes"):
        w.put("tfjobs", tfjob(name))


def meanwhile(w):
    """What happens during the outage."""
    for name in names("ends"):
        w.pod(name + "-master-0", "Succeeded")
    for name in names("fails"):
        w.pod(name + "-worker-1", "Failed", 137)
    for name in names("goes"):
        w.take("tfjobs", "default", name)
    for name in names("comes"):
        w.put("tfjobs", tfjob(name))


def made(w, kind):
    """How often the creation of each object was requested."""
    with w.lock:
        bodies = [body for method, path, body in w.requests if method == "POST" and path.endswith("/" + kind)]
    found = [body.split('"name":"', 1)[1].split('"', 1)[0] for body in bodies]
    return {name: found.count(name) for name in found}


def begin(w):
    """All jobs run, and those with a ttl have ended."""
    put_all(w)
    w.start()
    w.wait_for("pods", lambda: len(w.names("pods")) == 13 * EACH, 60)
    w.run_pods()
    for name in names("expires"):
        w.pod(name + "-worker-0", "Succeeded")
    for name in names("expires"):
        w.wait_for(name + " has ended", condition(w, "tfjobs", name, "Succeeded"))
    for name in names("stays") + names("fails") + names("late") + names("goes"):
        w.wait_for(name + " runs", condition(w, "tfjobs", name, "Running"))


def look(w, pods):
    """Each job is in its expected state; PODS are the uids from before the outage."""
    for name in names("ends"):
        w.wait_for(name + " has succeeded", condition(w, "pytorchjobs", name, "Succeeded"), 60)
    for name in names("late"):
        w.wait_for(name + " is over its deadline", condition(w, "tfjobs", name, "Failed"), 60)
    for name in names("expires"):
        w.wait_for(name + " is removed", lambda n=name: n not in w.names("tfjobs"), 60)
    for name in names("fails"):
        w.wait_for(name + " has another pod", lambda n=name: n + "-worker-1" in w.names("pods") and
                   w.objects[("pods", "default", n + "-worker-1")]["metadata"]["uid"] != pods[n + "-worker-1"], 60)
    for name in names("comes"):
        w.wait_for(name + " has pods", lambda n=name: n + "-worker-1" in w.names("pods"), 60)


def absence(w):
    """a minute without the API server"""
    begin(w)
    w.settle(1.5)
    with w.lock:
        pods = {key[2]: o["metadata"]["uid"] for key, o in w.objects.items() if key[0] == "pods"}
    w.down = True
    meanwhile(w)
    time.sleep(AWAY)
    w.down = False
    look(w, pods)
    w.settle(2)
    twice = {name: n for name, n in made(w, "pods").items() if n > 1 + (name in [x + "-worker-1" for x in names("fails")])}
    must(not twice and max(made(w, "services").values()) == 1, (twice, made(w, "services")))
    jobs = set(w.names("tfjobs") + w.names("pytorchjobs"))
    must(jobs == set(names("ends") + names("stays") + names("fails") + names("late") + names("comes")), jobs)
    left = sorted(n for n in w.names("pods") + w.names("services") if n.rsplit("-", 2)[0] not in jobs)
    must(not left, left)
    for name in names("stays"):
        must([w.get("pods", name + "-worker-%d" % i)["metadata"]["uid"] for i in (0, 1)] == [pods[name + "-worker-%d" % i] for i in (0, 1)], name)
    for name, reason in [(n, "PyTorchJobSucceeded") for n in names("ends")] + [(n, "TFJobRestarting") for n in names("fails")]:
        must(w.told(name).count(reason) == 1, (name, w.told(name)))
    w.stop()


if __name__ == "__main__":
    sys.exit(main([absence], sys.argv[1:]))
