"""tenants.py [NAME...] - several users of one controller: what one of them does in a namespace neither stops nor delays
the jobs of the others."""
import subprocess
import sys
import threading
import time

from supervise import container, pods_are, pytorch, role, tfjob
from world import TRAINC, main, manifest, must, permissions, status

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


# ---- namespaces that are attended ----


@check
def label(w):
    """only namespaces with the label are attended; one that gets it joins with what it contains, and one that loses it is
    left as it is"""
    w.space("in")
    w.space("out", None)
    w.space("other", "disabled")
    for ns in ("in", "out", "other"):
        put(w, "tfjobs", tfjob("a"), ns)
    w.start(spaces=())
    w.wait_for("pods where the label is", lambda: len(pods_of(w, "in")) == 2)
    put(w, "tfjobs", tfjob("b"), "out")
    w.settle()
    must(not pods_of(w, "out") and not pods_of(w, "other"), w.names("pods"))
    must(not w.written("/namespaces/(out|other)/"), w.written("/namespaces/(out|other)/"))
    w.space("out")
    w.wait_for("pods of a namespace that joins", lambda: len(pods_of(w, "out")) == 4)
    w.run_pods()
    w.wait_for("its status", lambda: "Running" in {c["type"] for c in w.get("tfjobs", "b", "out").get("status", {}).get("conditions", [])})
    w.space("out", None)
    w.wait_for("that it leaves", lambda: "nothing is done there" in w.log())
    w.settle()                          # requests that were under way arrive
    n = len(w.written("/namespaces/out/"))
    with w.lock:
        w.pod("b-worker-0", "Succeeded", ns="out")
        w.pod("b-worker-1", "Succeeded", ns="out")
    put(w, "tfjobs", tfjob("c"), "out")
    served(w, "d", "in", 5)
    w.settle()
    must(len(w.written("/namespaces/out/")) == n, w.written("/namespaces/out/")[n:])
    w.space("out")                      # what happened in between is found, and nothing is made twice
    w.wait_for("the verdict", lambda: "Succeeded" in {c["type"] for c in w.get("tfjobs", "b", "out")["status"]["conditions"]}, 30)
    w.wait_for("pods of c", lambda: "c-worker-1" in pods_of(w, "out"))
    must(not [e for e in w.told("a") if e.startswith("Failed")], w.told("a"))


@check
def label_meanwhile(w):
    """a namespace that loses its label during a pass gets no further write, nor does one that is deleted"""
    w.space("in")
    w.start(spaces=())
    w.wait_for("that it begins", lambda: "all watches are live" in w.log())
    w.fault("POST", "/namespaces/in/services", lambda: (w.space("in", None), time.sleep(1))[1])  # as a slow server
    put(w, "tfjobs", tfjob("a", workers=40), "in")
    w.wait_for("that it leaves", lambda: "nothing is done there" in w.log())
    time.sleep(1.2)  # no write follows the last answer
    n = len(w.written("/namespaces/in/"))
    w.settle()
    must(len(w.written("/namespaces/in/")) == n and len(pods_of(w, "in")) < 40, (n, len(pods_of(w, "in"))))
    w.space("gone")
    w.wait_for("that another one joins", lambda: "namespace 'gone' has the label" in w.log())
    with w.lock:
        o = w.get("namespaces", "gone", "")
        o["metadata"]["deletionTimestamp"] = w.now()
        w.keep("namespaces", "", o, "DELETED")
    w.wait_for("that it is left", lambda: w.log().count("nothing is done there") == 2)
    w.stop()


@check
def label_missed(w):
    """what happens to labels while no controller runs, and while the watch of namespaces is cut, is found"""
    w.space("in")
    w.space("out", None)
    w.start(spaces=())
    w.wait_for("that it begins", lambda: "all watches are live" in w.log())
    w.away.add("namespaces")
    time.sleep(0.3)  # the watch of namespaces has ended then
    w.space("in", None)
    w.space("out")
    put(w, "tfjobs", tfjob("a"), "out")
    w.settle()
    w.away.clear()
    w.wait_for("pods of the one that joined", lambda: len(pods_of(w, "out")) == 2, 40)
    put(w, "tfjobs", tfjob("b"), "in")
    w.stop()
    w.space("in")
    w.start(spaces=())
    w.wait_for("pods of the other one", lambda: len(pods_of(w, "in")) == 2)


@check
def label_chosen(w):
    """other labels: equality and a set of values; what is not a selector, and options that contradict each other, are refused"""
    for ns, value in (("a", "gold"), ("b", "silver"), ("c", "lead")):
        w.space(ns, value)
        put(w, "tfjobs", tfjob("j"), ns)
    w.start("--namespace-selector=trainc.dev/supervise in (gold, silver)")
    w.wait_for("pods of two namespaces", lambda: pods_of(w, "a") and pods_of(w, "b"))
    w.settle()
    must(not pods_of(w, "c"), pods_of(w, "c"))
    w.stop()
    w.start("--namespace-selector", "trainc.dev/supervise=lead", spaces=())
    w.wait_for("pods of the third one", lambda: pods_of(w, "c"))
    w.stop()
    for wrong in ("a", "a=", "=b", "a=b,c=d", "a!=b", "a in ()", "a in (b", "a in (b,)", "a notin (b)", "a=b c", "a in (b) ", "a == b"):
        done = subprocess.run([TRAINC, "supervise", "--namespace-selector", wrong], capture_output=True, text=True, timeout=20, env=w.environment())
        must(done.returncode == 2 and "--namespace-selector is written" in done.stderr, (wrong, done))
    for two in (("--namespace=a", "-A"), ("-A", "--namespace-selector=a=b"), ("-n", "a", "--namespace-selector=a=b")):
        done = subprocess.run([TRAINC, "supervise", *two], capture_output=True, text=True, timeout=20, env=w.environment())
        must(done.returncode == 2 and "give one of them" in done.stderr, (two, done))


@check
def label_permissions(w):
    """the manifest has the permission and the option for the namespaces that it was asked for"""
    rules = {("list", "", "namespaces"), ("watch", "", "namespaces")}
    for options, word in (((), None), (("--namespace-selector=a=b",), "--namespace-selector=a=b"), (("--all-namespaces",), "--all-namespaces"),
                          (("--namespace=ml",), "--namespace=ml")):
        items = manifest(*options)
        must(bool(rules & permissions(items)) == (options == () or "selector" in options[0]), (options, permissions(items)))
        args = next(o for o in items if o["kind"] == "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
        must([a for a in args if "namespace" in a] == ([word] if word else []), args)


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
