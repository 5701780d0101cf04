"""Somebody who may write ConfigMaps, and nothing else, on a real API server: the table of attacks of
../supervise/records.py, with the permissions of a real Role, against the controller, which has the permissions of
its manifest, and against commands of an administrator.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 attacks_record.py [NAME...]
"""

import contextlib
import json
import os
import subprocess
import sys
import time

import runtime
import supervise
from runtime import KUBECTL, TRAINC

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "supervise"))
import records  # noqa: E402

CHECKS = []
KINDS = "jobs,deployments,services,secrets"


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


class Real:
    """The cluster, with the methods of the server in memory that the checks in records.py use. Its namespaces are "default",
    which is that of the check, and "other". Everything is written by an administrator except
    ConfigMaps: those are written by eve, who may write nothing else."""

    elsewhere = 1

    def __init__(self, d, other="kube-system"):
        self.d, self.other, self.lock, self.failing = d, other, contextlib.nullcontext(), []
        if other != "kube-system":
            d.space.kubectl("create", "namespace", other, ns=False)
        for ns in d.space.ns, other:
            role = ["create", "role", "eve", "--verb=create,get,patch,update,delete", "--resource=configmaps"]
            for words in role, ["create", "rolebinding", "eve", "--role=eve", "--user=eve"]:
                subprocess.run([KUBECTL, "-n", ns, *words], capture_output=True, timeout=60, check=ns != "kube-system")
        runtime.granted(d.space, "eve", "update", "configmaps", "eve")
        for verb, kind in ("create", "jobs.batch"), ("patch", "jobs.batch"), ("delete", "jobs.batch"), ("create", "pods"), ("get", "secrets"):
            words = [KUBECTL, "auth", "can-i", verb, kind, "-n", d.space.ns, "--as", "eve"]
            supervise.must(subprocess.run(words, capture_output=True, text=True, timeout=60).stdout.strip() == "no", f"eve may {verb} {kind}")

    def ns(self, name):
        return self.d.space.ns if name == "default" else self.other

    def close(self):
        """Removes what is outside of the namespace of the check."""
        if self.other == "kube-system":
            self.kubectl("other", "delete", "configmap", "copied.trainc", "--ignore-not-found")
            self.kubectl("other", "delete", "events", "--field-selector", "involvedObject.name=copied.trainc")
        else:
            self.d.space.kubectl("delete", "namespace", self.other, "--wait=false", ns=False)

    def kubectl(self, ns, *words, **more):
        return subprocess.run([KUBECTL, "-n", self.ns(ns), *words], capture_output=True, text=True, timeout=120, **more)

    # ---- objects ----

    def get(self, plural, name, ns="default"):
        done = self.kubectl(ns, "get", plural, name, "-o", "json")
        return json.loads(done.stdout) if not done.returncode else None

    def put(self, plural, ns, o):
        """Creates an object, or replaces it if it has a uid."""
        o.setdefault("apiVersion", "batch/v1" if plural == "jobs" else "v1")
        o.setdefault("kind", {"jobs": "Job", "secrets": "Secret", "configmaps": "ConfigMap"}[plural])
        o["metadata"]["namespace"] = self.ns("other" if ns == "other" else "default")
        for member in "managedFields", "resourceVersion":
            o["metadata"].pop(member, None)
        who = ["--as", "eve"] if plural == "configmaps" else []
        verb = "replace" if "uid" in o["metadata"] else "create"
        done = self.kubectl(ns, *who, verb, "--field-manager=eve", "-f", "-", input=json.dumps(o))
        supervise.must(not done.returncode, done.stderr)
        return self.get(plural, o["metadata"]["name"], ns)

    def take(self, plural, ns, name):
        done = self.kubectl(ns, *(["--as", "eve"] if plural == "configmaps" else []), "delete", plural, name)
        supervise.must(not done.returncode, done.stderr)

    def job(self, name, phase, code=0):
        """Lets the pods of a Job end, once the records are written."""
        self.failing.append((name, phase, code or 0))

    def end_jobs(self, wait=True):
        for name, _, code in self.failing:
            done = self.kubectl("default", "annotate", "pods", "-l", f"job-name={name}", "e2e.trainc.dev/hold-", f"e2e.trainc.dev/exit={code}", "--overwrite")
            supervise.must(not done.returncode, done.stderr)
        for name, phase, _ in self.failing if wait else ():
            want = "Failed" if phase == "Failed" else "Complete"
            self.d.until(f"{name} is {want}", lambda: any(c["type"] == want and c["status"] == "True" for c in
                                                         (self.get("jobs", name) or {}).get("status", {}).get("conditions", [])))  # noqa: B023
        self.failing = []

    def names(self, plural):
        return sorted(o["metadata"]["name"] for o in json.loads(self.kubectl("default", "get", plural, "-o", "json").stdout)["items"])

    def existing(self):
        found = {}
        for ns in "default", "other":
            for o in json.loads(self.kubectl(ns, "get", KINDS, "-o", "json").stdout)["items"]:
                found[(o["kind"].lower() + "s", ns, o["metadata"]["name"])] = o["metadata"]["uid"]
        return found

    def record(self, run, ns="default"):
        return (self.get("configmaps", run + ".trainc", ns) or {}).get("data", {})

    def told(self, run, ns="default"):
        found = json.loads(self.kubectl(ns, "get", "events", "--field-selector", f"involvedObject.kind=ConfigMap,involvedObject.name={run}.trainc", "-o",
                                        "json").stdout)["items"]
        return [(e["type"], e["reason"], e["message"]) for e in found if ns == "default" or e["reason"] == "NotVouched"]

    # ---- trainc ----

    def write(self, name, text):
        self.d.space.write(name, text)

    def run(self, *words, timeout=180):
        done = self.d.space.run(*words, timeout=timeout)
        return done.returncode, done.stdout, done.stderr

    def want(self, code, *words, **more):
        done = self.d.space.want(code, *words, **more)
        return done.stdout, done.stderr

    def start(self, *words):
        words = [w for w in words if w not in ("-n", "other")] + ["-n", self.ns("other" if "other" in words else "default")]
        return subprocess.Popen([os.path.realpath(TRAINC), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def supervise(self, *options):
        supervise.run_controller(self.d, *options)
        self.d.start_all("--namespace", self.other, "--as", supervise.ACCOUNT, kubeflow=False)

    def see(self, what, right, seconds=180):
        self.d.until(what, right, seconds)

    def settle(self, seconds=1):
        """Waits for passes that are due, and for the controllers of the cluster."""
        time.sleep(seconds)

    def said(self):
        return self.d.said()


def attacked(d, f, *other):
    w = Real(d, *other)
    try:
        f(w)
    finally:
        w.close()


@check
def record_controller(d):
    """each attack with records on the controller, one of them in kube-system: no Job is created or deleted, an Event
    and a metric say who tried"""
    attacked(d, records.controller)


@check
def record_waiting(d):
    """the same records wait for an administrator's `trainc wait`: no Job is created or deleted"""
    attacked(d, records.waiting, d.space.ns + "-other")


@check
def record_others(d):
    """a record with objects of others waits for an administrator's `scale`, `apply` and `delete`"""
    attacked(d, records.others, d.space.ns + "-other")


@check
def record_restored(d):
    """after an attack, `apply` restores the run, which then restarts"""
    attacked(d, records.restored, d.space.ns + "-other")


def policy_of_manifest(d):
    """The policy of the manifest and its binding, for the namespace of the check alone."""
    found = [o for o in supervise.manifest(kubeflow=False) if o["kind"].startswith("ValidatingAdmissionPolicy")]
    name = f"{found[0]['metadata']['name']}-{d.space.ns}"
    for o in found:
        o["metadata"]["name"] = name
        if "policyName" in o["spec"]:
            o["spec"].update(policyName=name, matchResources={"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": d.space.ns}}})
    return name, {"apiVersion": "v1", "kind": "List", "items": found}


def refused_by_policy(d, w):
    """Eve's record is refused; another ConfigMap of hers is not."""
    for name, labels in ("pwn.trainc", {}), ("b", {"trainc.dev/run": "b"}), ("c", {}):
        o = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}}
        done = w.kubectl("default", "--as", "eve", "create", "--dry-run=server", "-f", "-", input=json.dumps(o))
        if (done.returncode != 0) != (name != "c"):
            return False
        supervise.must(name == "c" or "only those who may create Jobs may write the record of a run" in done.stderr, done.stderr)
    return True


@check
def record_policy(d):
    """the policy of the manifest: eve may neither create nor change a record, but other ConfigMaps; runs are applied,
    attended and deleted as before"""
    def under_policy(w):
        name, objects = policy_of_manifest(d)
        try:
            done = w.kubectl("default", "create", "-f", "-", input=json.dumps(objects))
            supervise.must(not done.returncode, done.stderr)
            d.until("the policy is in force", lambda: refused_by_policy(d, w))
            supervise.run_controller(d)
            supervise.begin_run(d)
            done = w.kubectl("default", "--as", "eve", "label", "configmap", "a.trainc", "x=y")
            supervise.must(done.returncode and "only those who may create Jobs" in done.stderr, done.stderr)
            d.until("the verdict", lambda: supervise.record(d)["verdict"] == "Succeeded")
            d.space.want(0, "delete", "a", "--yes")
            d.until("nothing is left", lambda: not d.space.names())
        finally:
            for kind in "validatingadmissionpolicybinding", "validatingadmissionpolicy":
                d.space.kubectl("delete", kind, name, ns=False)
    attacked(d, under_policy, d.space.ns + "-other")


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS, supervise.outcome))
