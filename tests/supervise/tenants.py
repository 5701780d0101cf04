"""tenants.py [NAME...] - several users of one controller: what one of them does in a namespace neither stops nor delays
the jobs of the others."""
import sys
import threading
import time

from supervise import container, pods_are, pytorch, role, tfjob
from world import main, must, status

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def put(w, plural, job, ns):
    job["metadata"]["namespace"] = ns
    return w.put(plural, job)


def pods_of(w, ns):
    with w.lock:
        return sorted(k[2] for k in w.objects if k[0] == "pods" and k[1] == ns)


def served(w, name, ns="good", seconds=2):
    """Creates a job of another user, and returns how many seconds pass until it has its pods."""
    begun = time.time()
    put(w, "tfjobs", tfjob(name), ns)
    w.wait_for("the pods of %s/%s" % (ns, name), lambda: len([p for p in pods_of(w, ns) if p.startswith(name + "-")]) == 2, 60)
    took = time.time() - begun
    must(took < seconds, "%s/%s waited %.1f s for its pods" % (ns, name, took))
    return took


@check
def stuck(w):
    """requests about the pods of one namespace are never answered: jobs of other namespaces get their pods at once, and the
    Lease is renewed"""
    over = threading.Event()
    w.start("--lease", "L")
    w.wait_for("the Lease", lambda: w.get("leases", "L"))
    w.fault("POST", "/namespaces/hooked/pods", lambda: (over.wait(60), status(500, "InternalError", "failed calling webhook"))[1], 10000)
    for i in range(3):
        put(w, "pytorchjobs", pytorch("stuck%d" % i, workers=40), "hooked")
    w.wait_for("requests that wait", lambda: len(w.written("POST .*/namespaces/hooked/pods")) >= 24)
    renewed = len(w.written("PUT .*/leases/L"))
    for i in range(3):
        served(w, "good%d" % i)
    w.wait_for("two renewals of the Lease", lambda: len(w.written("PUT .*/leases/L")) >= renewed + 2)
    must(w.controllers[-1].poll() is None, w.log())
    must(not pods_of(w, "hooked"), "the requests were answered")
    over.set()
    w.stop()


@check
def crowd(w):
    """two thousand jobs of one namespace arrive before a job of another one: it does not wait for them"""
    for i in range(2000):
        put(w, "tfjobs", tfjob("many%04d" % i), "crowded")
    w.start()
    w.wait_for("pods of the crowd", lambda: pods_of(w, "crowded"), 60)
    took = [served(w, "good%d" % i, seconds=5) for i in range(3)]
    must(len(pods_of(w, "crowded")) < 4000, "the crowd was served before anybody else could come")
    must(min(took) < 2, took)


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
