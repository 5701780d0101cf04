"""A user who may only create jobs of one kind, on a real API server: his objects are nested as deeply as the server stores
them, and the controller goes on for all others.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 attacks_reader.py [NAME...]
"""

import json
import os
import signal
import subprocess
import sys

import runtime
import supervise
from runtime import KUBECTL
from supervise import must

CHECKS = []
TFJOBS = "tfjobs.tensorflow.org"        # its definition keeps unknown fields, as the old one did


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


def nested(levels):
    return '{"a":' * levels + "1" + "}" * levels


def create(d, name, field, user="mallory"):
    """Creates a suspended job with the JSON text FIELD in its spec; returns the server's message if it refuses."""
    path = os.path.join(d.space.dir, name + ".json")
    with open(path, "w") as f:
        f.write('{"apiVersion":"tensorflow.org/v1alpha1","kind":"TfJob","metadata":{"name":"%s"},"spec":{"later":%s}}' % (name, field))
    done = subprocess.run([KUBECTL, "create", "--raw", f"/apis/tensorflow.org/v1alpha1/namespaces/{d.space.ns}/tfjobs", "-f", path, "--as", user],
                          capture_output=True, text=True, timeout=120)  # fmt: skip
    return done.stderr if done.returncode else None


def stored(d, name):
    """The text in which the server gives the object."""
    return d.space.kubectl("get", "--raw", f"/apis/tensorflow.org/v1alpha1/namespaces/{d.space.ns}/tfjobs/{name}", ns=False)


def prepare(d):
    """The definitions, the controller's permissions, and a user who may create jobs and nothing else."""
    supervise.install(d.space)
    supervise.define_ancestors(d)
    for words in ["create", "role", "mallory", "--verb=create", f"--resource={TFJOBS}"], ["create", "rolebinding", "mallory", "--role=mallory",
                                                                                          "--user=mallory"]:  # fmt: skip
        d.space.kubectl(*words)
    runtime.granted(d.space, "mallory", "create", TFJOBS, "mallory")
    runtime.granted(d.space, "trainc-supervise", "list", TFJOBS, supervise.ACCOUNT)
    for verb, kind in ("patch", TFJOBS), ("create", "pods"), ("create", "events"), ("delete", TFJOBS):
        words = [KUBECTL, "auth", "can-i", verb, kind, "-n", d.space.ns, "--as", "mallory"]
        must(subprocess.run(words, capture_output=True, text=True, timeout=60).stdout.strip() == "no", f"mallory may {verb} {kind}")


def runs(d, name):
    """Jobs of two kinds are handled: one runs to its end, of the kind of the attacker another one gets its replicas."""
    d.put(supervise.resource("PyTorchJob", name, notes={}), supervise.old_job("TfJob", "old-" + name))
    d.until(name + " succeeds", lambda: "Succeeded" in d.conditions("PyTorchJob", name))
    d.until("old-" + name + " runs", lambda: any(pod.startswith("old-" + name) for pod in d.pods()))


def skipped(d, *names):
    d.until("the Events", lambda: {e["involvedObject"]["name"] for e in d.listed("events") if e["reason"] == "ObjectSkipped"} >= set(names))
    for name in names:
        must(f'"TfJob {d.space.ns}/{name}"' in d.said(), d.said()[-3000:])


@check
def reader_deep(d):
    """objects nested 250 and 9,000 deep, of a user who may only create TfJobs: named in log and Event, and the jobs of
    others run to their ends, also those of the same kind, also after the controller has started again"""
    with supervise.OLD_DEFINITIONS:
        try:
            prepare(d)
            d.start("--ancestors")
            d.until("live watches", lambda: "all watches are live" in d.said())
            for name, levels in ("deep", 250), ("deeper", 9000):
                refused = create(d, name, nested(levels))
                must(not refused, refused)
                must(stored(d, name).count('{"a":') == levels, "the server has changed the object")
            runs(d, "first")
            skipped(d, "deep", "deeper")
            must("waits until" not in d.said(), d.said()[-3000:])
            d.running[-1].send_signal(signal.SIGKILL)
            d.running[-1].wait()
            d.start("--ancestors")
            runs(d, "second")
            must("waits until" not in d.said(), d.said()[-3000:])
        finally:
            supervise.drop_ancestors(d)


@check
def reader_held(d):
    """a running job whose object becomes unusable is neither deleted nor changed, and goes on when it is corrected"""
    with supervise.OLD_DEFINITIONS:
        try:
            prepare(d)
            d.start("--ancestors")
            d.put(supervise.old_job("TfJob", "train"))
            d.until("its pods", lambda: any(pod.startswith("train-master") for pod in d.pods()))
            before = d.space.names("jobs")
            d.space.write("patch.json", '{"spec":{"later":%s}}' % nested(300))
            d.space.kubectl("patch", TFJOBS, "train", "--type=merge", "--patch-file", os.path.join(d.space.dir, "patch.json"))
            skipped(d, "train")
            d.space.kubectl("delete", before[0], "--wait=false")
            runs(d, "other")
            now = d.space.names("jobs")
            must(before[0] not in now and set(before[1:]) <= set(now), (before, now))
            d.space.kubectl("patch", TFJOBS, "train", "--type=merge", "-p", '{"spec":{"later":null}}')
            d.until("its Job again", lambda: before[0] in d.space.names("jobs"))
        finally:
            supervise.drop_ancestors(d)


@check
def reader_limits(d):
    """what the API server stores, as the reader expects: 10,000 levels and no more, no number beyond a double, each key
    once, texts in UTF-8"""
    with supervise.OLD_DEFINITIONS:
        try:
            prepare(d)
            around = 2                          # the object and its spec
            must(not create(d, "limit", nested(10000 - around)), "10,000 levels are refused")
            must("exceeded max depth" in create(d, "beyond", nested(10001 - around)), "10,001 levels are stored")
            for name, text in ("number", "1e400"), ("half", '"\ud800x"'.encode("utf-8", "surrogatepass").decode("latin-1")):
                refused = create(d, name, text)
                must(refused or json.loads(stored(d, name)), "it is not JSON")
                must(name != "number" or refused, "1e400 is stored")
            must(not create(d, "surrogate", '"\\ud800x"') and json.loads(stored(d, "surrogate"))["spec"]["later"] == "\ufffdx", "half a pair")
            must(not create(d, "twice", '{"k":1,"k":2}') and stored(d, "twice").count('"k"') == 1, "a key twice")
            must(not create(d, "large", "123456789012345678901234567890") and "1.2345678901234568e" in stored(d, "large"), stored(d, "large"))
            d.start("--ancestors")
            skipped(d, "limit")
            runs(d, "train")
        finally:
            supervise.drop_ancestors(d)


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS, supervise.outcome))
