"""useless.py [NAME...] - one object that the controller cannot use among good ones, for each limit of its readers and each
kind that it watches: the object is counted and named, its job is left as it is, and everything else goes on."""
import re
import sys
import time

from supervise import condition, cut_watches, fetch, free_port, pytorch, tfjob
from world import JOBS, OLD, RAW, main, must, status

PART_OF = "applyset.kubernetes.io/part-of"
LABEL, RUN, POD_JOB = "training.kubeflow.org/job-name", "trainc.dev/job", "batch.kubernetes.io/controller-uid"

# values that make an object useless wherever they are kept
FAULTS = {"deep%d" % n: b'{"a":' * n + b"1" + b"}" * n for n in (250, 1000, 10000, 20000)}
FAULTS.update(number=b"1e400", text=b'"a\xff"', twice=b'{"a":1,"a":2}', escape=b'"\\ud8"', wrong=b"5")
RAW.update(FAULTS, nonsense=b'{"type":"ADDED" nonsense')

# (kind, whose) -> (plural, labels) of every watch
WATCHED = {(kind, "jobs"): (plural, {}) for plural, kind in JOBS.items()}
WATCHED.update({(kind[2], "jobs"): (plural, {}) for plural, kind in OLD.items()})
WATCHED.update({("Pod", "jobs"): ("pods", {LABEL: "x"}), ("Service", "jobs"): ("services", {LABEL: "x"}), ("Job", "jobs"): ("jobs", {LABEL: "x"}),
                ("ConfigMap", "runs"): ("configmaps", {"trainc.dev/controller": "supervise", "trainc.dev/run": "x"}),
                ("Job", "runs"): ("jobs", {RUN: "x", PART_OF: "p"}),
                ("Deployment", "runs"): ("deployments", {RUN: "x", PART_OF: "p"}),
                ("Pod", "runs"): ("pods", {RUN: "x", POD_JOB: "y"})})


def put(w, watch, name, fault=None, ns="default"):
    """Stores an object of a watched kind; with FAULT it cannot be used."""
    plural, labels = WATCHED[watch]
    o = {"metadata": {"name": name, "namespace": ns, "labels": dict(labels)}, "spec": {}}
    if fault:
        o["metadata"]["labels"]["z"] = "RAW:" + fault
    return w.put(plural, o)


def metrics(port):
    """(name, kind, whose) -> value of the metrics about watches."""
    text = fetch(port, "/metrics")[1]
    found = re.findall(r'^(trainc_\w+)\{kind="(\w+)",of="(\w+)"\} (\d+)$', text, re.M)
    return {(name, kind, of): int(value) for name, kind, of, value in found}


def wait_counts(w, port, what, wanted):
    """Waits until the metric WHAT has the value WANTED(watch) for every watch."""
    def right():
        m = metrics(port)
        return all(m.get((what, *watch)) == wanted(watch) for watch in WATCHED)
    try:
        w.wait_for(what, right)
    except Exception:
        print({k: v for k, v in metrics(port).items() if k[0] == what})
        raise


def runs(w, name, job=tfjob, plural="tfjobs"):
    """A job in another namespace is handled at once."""
    w.put(plural, {**job(name), "metadata": {"name": name, "namespace": "other"}})
    w.wait_for("the pods of " + name, lambda: [n for n in w.names("pods") if n.startswith(name + "-")])


def start(w, *options):
    port = free_port()
    w.start("--ancestors", "--listen", "127.0.0.1:%d" % port, *options)
    w.wait_for("live watches", lambda: "all watches are live" in w.log())
    return port


def table(w):
    """each fault x each kind that is watched x (start list, ADDED, MODIFIED, DELETED): counted and named once, and jobs run"""
    faults = sorted(FAULTS)
    for watch in WATCHED:
        put(w, watch, "was-" + watch[1])
        for fault in faults:
            put(w, watch, "bad-%s-%s" % (watch[1], fault), fault)
    port = start(w)
    wait_counts(w, port, "trainc_objects_skipped_total", lambda _: len(faults))
    runs(w, "first")
    for kind, of in WATCHED:
        for fault in faults:
            must(w.log().count('"job":"%s default/bad-%s-%s"' % (kind, of, fault)) == 1,
                 (kind, of, fault, w.log()[-3000:]))
            w.wait_for("an Event", lambda f=fault, o=of: "ObjectSkipped" in w.told("bad-%s-%s" % (o, f)))
    for i, watch in enumerate(WATCHED):
        put(w, watch, "late-" + watch[1], faults[i % len(faults)])
        put(w, watch, "was-" + watch[1], faults[(i + 3) % len(faults)])
    wait_counts(w, port, "trainc_objects_skipped_total", lambda _: len(faults) + 2)
    wait_counts(w, port, "trainc_objects_useless", lambda _: len(faults) + 2)
    runs(w, "second")
    for watch in WATCHED:
        put(w, watch, "late-" + watch[1])
        w.take(WATCHED[watch][0], "default", "was-" + watch[1])
        for fault in faults:
            w.take(WATCHED[watch][0], "default", "bad-%s-%s" % (watch[1], fault))
    wait_counts(w, port, "trainc_objects_useless", lambda _: 0)
    runs(w, "third", pytorch, "pytorchjobs")
    must(fetch(port, "/readyz") == (200, "ok\n"), fetch(port, "/readyz"))
    must(w.log().count("waits until") == 0, w.log()[-3000:])
    wait_counts(w, port, "trainc_watch_live", lambda _: 1)
    w.stop()


def ignored(w):
    """managed fields in a template and in an object, however deep, do not matter: the job is handled"""
    job = tfjob()
    job["metadata"]["managedFields"] = [{"fieldsV1": "RAW:deep10000"}]
    job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["metadata"] = {"managedFields": [{"fieldsV1": "RAW:deep20000"}], "labels": {"mine": "yes"}}
    w.put("tfjobs", job)
    start(w)
    w.wait_for("pods", lambda: len(w.names("pods")) == 2)
    must(w.get("pods", "train-worker-0")["metadata"]["labels"]["mine"] == "yes", "the template's labels")
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    must("cannot be used" not in w.log(), w.log())
    w.stop()


def writes_about(w, name):
    return [r for r in w.written() if name in r[1] and "/events" not in r[1] or '"name":"%s-' % name in r[2] and "/events" not in r[1]]


def held(w):
    """a job that ran and becomes useless is neither deleted nor acted on, also after a restart; corrected, it goes on"""
    w.put("tfjobs", tfjob())
    port = start(w)
    w.wait_for("pods", lambda: len(w.names("pods")) == 2)
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    w.settle()
    w.change("tfjobs", "train", {"metadata": {"labels": {"z": "RAW:deep10000"}}})
    w.wait_for("it is skipped", lambda: metrics(port)[("trainc_objects_useless", "TFJob", "jobs")] == 1)
    before = len(writes_about(w, "train"))
    w.take("pods", "default", "train-worker-1")
    runs(w, "other1")
    w.settle()
    must(len(writes_about(w, "train")) == before and w.get("pods", "train-worker-0") and not w.get("pods", "train-worker-1"), writes_about(w, "train")[before:])
    w.stop()
    port = start(w)
    runs(w, "other2")
    w.settle()
    must(len(writes_about(w, "train")) == before and w.get("pods", "train-worker-0"), writes_about(w, "train")[before:])
    w.change("tfjobs", "train", {"metadata": {"labels": {"z": "good"}}})
    w.wait_for("its pod again", lambda: "train-worker-1" in w.names("pods"))
    # deleted while nobody can use it
    w.change("tfjobs", "train", {"metadata": {"labels": {"z": "RAW:number"}}})
    w.wait_for("it is skipped", lambda: metrics(port)[("trainc_objects_useless", "TFJob", "jobs")] == 1)
    w.take("tfjobs", "default", "train")
    w.wait_for("it is forgotten", lambda: metrics(port)[("trainc_objects_useless", "TFJob", "jobs")] == 0)
    w.stop()


def held_by_pod(w):
    """a pod of a job that cannot be used holds the job, and no other, until it changes or is deleted"""
    w.put("tfjobs", tfjob())
    port = start(w)
    w.wait_for("pods", lambda: len(w.names("pods")) == 2)
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    w.settle()
    for end in ("corrected", "deleted"):
        w.change("pods", "train-worker-0", {"metadata": {"labels": {"z": "RAW:twice"}}})
        w.wait_for("it is skipped", lambda: metrics(port)[("trainc_objects_useless", "Pod", "jobs")] == 1)
        w.take("pods", "default", "train-worker-1")
        runs(w, end)
        w.settle()
        must(not w.get("pods", "train-worker-1"), "the job is held")
        if end == "corrected":
            w.change("pods", "train-worker-0", {"metadata": {"labels": {"z": "good"}}})
        else:
            w.take("pods", "default", "train-worker-0")
        w.wait_for("its pod again", lambda: {"train-worker-0", "train-worker-1"} <= set(w.names("pods")))
    w.stop()


def watched_again(w):
    """a pod that cannot be used and is corrected, or deleted, while the watch of pods is refused holds its job no longer"""
    for name in "one", "two":
        w.put("tfjobs", tfjob(name, workers=1))
    port = start(w)
    w.wait_for("pods", lambda: len(w.names("pods")) == 2)
    w.run_pods()
    w.settle()
    for name in "one", "two":
        w.change("pods", name + "-worker-0", {"metadata": {"labels": {"z": "RAW:number"}}})
    w.wait_for("they are skipped", lambda: metrics(port)[("trainc_objects_useless", "Pod", "jobs")] == 2)
    w.fault("GET", "/pods\\?.*watch=true", status(403, "Forbidden", "no rule permits this"), 2)
    cut_watches(w, "pods")
    w.wait_for("the refusal", lambda: "no rule permits this" in w.log())
    w.away = set()
    w.change("pods", "one-worker-0", {"metadata": {"labels": {"z": "good"}}, "status": {"phase": "Succeeded"}})
    w.take("pods", "default", "two-worker-0")
    w.wait_for("one succeeds", condition(w, "tfjobs", "one", "Succeeded"), 60)
    w.wait_for("two has a pod again", lambda: "two-worker-0" in w.names("pods"), 60)
    w.stop()


def probe(port, path):
    """The answer to a probe, also while the process starts."""
    try:
        return fetch(port, path)
    except OSError:
        return 0, ""


def garbled(w):
    """a watch that brings no JSON delays the others by at most half a minute, is named in the log, rarely, and in /readyz"""
    w.fault("GET", "/pytorchjobs.*watch=true", (200, "RAW:nonsense"), 100000)
    w.put("pytorchjobs", pytorch())
    port = free_port()
    w.start("--listen", "127.0.0.1:%d" % port)
    w.wait_for("/readyz", lambda: probe(port, "/readyz")[0] == 503 and re.search(
        r"the watch of PyTorchJob \(.*\) is not live since \d+ s: .*not JSON", probe(port, "/readyz")[1]))
    must(fetch(port, "/healthz") == (200, "ok\n"), "/healthz is about the process")
    begun = time.monotonic()
    w.put("tfjobs", tfjob("early"))
    w.wait_for("pods of another kind", lambda: "early-worker-0" in w.names("pods"), 40)
    must(time.monotonic() - begun < 38, time.monotonic() - begun)
    runs(w, "later")
    asked = [r for r in w.requests if "/pytorchjobs" in r[1]]
    must(5 < len(asked) < 40 and w.log().count("the watch of PyTorchJob") <= 6, (len(asked), w.log()))
    must("not live since" in w.log() and "not JSON" in w.log(), w.log())
    must(metrics(port)[("trainc_watch_live", "PyTorchJob", "jobs")] == 0 and metrics(port)[("trainc_watch_live", "TFJob", "jobs")] == 1, metrics(port))
    with w.lock:
        w.faults.clear()
    w.wait_for("the pods at last", lambda: "train-worker-0" in w.names("pods"))
    w.stop()


if __name__ == "__main__":
    sys.exit(main([table, ignored, held, held_by_pod, watched_again, garbled], sys.argv[1:]))
