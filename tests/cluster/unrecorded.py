"""unrecorded.py [NAME...] - runs that somebody applied with another tool: what `compile` wrote, without a record."""
import copy
import glob
import json
import os
import re
import sys

from api_memory import SANITIZED, must, run_checks
from commands import JOB
from imports import serve
from world import KINDS, World

CELL = 'job "c" {\n  image = "busybox:1"\n  cell server {\n    copies = 2\n    role worker {\n      replicas = 2\n      command = ["serve"]\n    }\n  }\n}\n'
CHECKS = []
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def check(f):
    CHECKS.append(f)
    return f


def applied_otherwise(w, text, ns="default", name="a.tj", run=True, options=()):
    """Applies a program as kubectl or a GitOps tool does: its objects, and nothing else. Returns the last object."""
    w.write(name, text)
    out, _err = w.want(0, "compile", "-o", "json", *options, name)
    first = json.loads(out)
    for o in first.get("items", [first]):
        plural = next(p for p, (_group, _version, kind) in KINDS.items() if kind == o["kind"])
        o = w.put(plural, o["metadata"].setdefault("namespace", ns), o)
        if plural == "jobs" and run:
            w.run_job(ns, o)
    return o


@check
def looks(w):
    """list, status, why, logs, events and wait work for such a run as for others"""
    applied_otherwise(w, JOB % ("a", 2))
    w.logs["a-worker-0-x", False] = ["step 1"]
    w.want(0, "list", out=r"a +Running +2/2")
    w.want(0, "list", "-A", out=r"a +Running")
    w.want(0, "status", "a", out=r"a +Running +worker +2")
    w.want(0, "status", out=r"a +Running")
    w.want(0, "why", "a", out="Running")
    w.want(0, "logs", "a", out="step 1")
    w.want(0, "events", "a")
    p = w.start("wait", "a")
    w.shown(p, "a ")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    _, err = p.communicate(timeout=30)
    must(p.returncode == 8 and "worker 0" in err, err)


def owned(w, whole, role, replicas):
    """The Job that a controller makes for a role of the object WHOLE, which runs."""
    owner = {"apiVersion": whole["apiVersion"], "kind": whole["kind"], "name": "a", "uid": whole["metadata"]["uid"], "controller": True}
    labels = {"app.kubernetes.io/managed-by": "trainc", "trainc.dev/job": "a", "trainc.dev/role": role}
    job = w.put("jobs", "default", {"metadata": {"name": "a-%s-0" % role, "labels": labels, "ownerReferences": [owner]}, "spec": {
        "completions": replicas, "parallelism": replicas, "completionMode": "Indexed", "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "x"}]}}}})
    w.run_job("default", job)


@check
def owners(w):
    """runs that other controllers run, as a JobSet, a TrainJob with its runtime, or an operator's kind"""
    text = JOB.replace('"%s" {', '"%s": pytorch.torchrun {').replace('["train"]', '["torchrun", "t.py"]')
    for target, plurals in ("jobset", ["jobsets"]), ("trainer", ["jobsets", "trainjobs", "trainingruntimes"]):
        serve(w, *plurals)
        top = applied_otherwise(w, "import std.pytorch\n" + text % ("a", 2), options=("--target", target))
        w.want(0, "status", "a", out=r"^a +Pending")              # nothing but the object is there
        if target == "trainer":
            metadata = {"name": "a", "ownerReferences": [{"apiVersion": top["apiVersion"], "kind": "TrainJob", "name": "a", "uid": top["metadata"]["uid"], "controller": True}]}
            top = w.put("jobsets", "default", {"metadata": dict(metadata, labels={"trainc.dev/job": "a"}), "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {}})
        owned(w, top, "worker", 2)
        w.want(0, "status", "a", out=r"^a +Running +worker +2 +2 +2")
        w.want(0, "list", out=r"^a +Running +2/2")
        for key in list(w.objects):
            if key[0] != "namespaces":
                w.take(*key)
    serve(w, "pytorchjobs")
    applied_otherwise(w, 'import std.kubeflow\njob "a": kubeflow.pytorchjob {\n  image = "x"\n  role master {}\n}\n', options=("--target", "kubeflow"))
    w.want(0, "status", "a", out=r"^a +(Pending|Starting)")


@check
def owned_pods(w):
    """the owner of many pods is looked at once, whether it belongs to the run or not"""
    serve(w, "jobsets")
    labels = {"app.kubernetes.io/managed-by": "trainc", "trainc.dev/job": "a", "trainc.dev/role": "worker"}
    for ours in True, False:
        top = w.put("jobsets", "default", {"metadata": {"name": "x", "labels": {"trainc.dev/job": "a"} if ours else {}}, "spec": {}})
        owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "x", "uid": top["metadata"]["uid"], "controller": True}
        for i in range(40):
            w.put("pods", "default", {"metadata": {"name": "a-worker-%d" % i, "labels": dict(labels, **{"trainc.dev/index": str(i)}), "ownerReferences": [owner]},
                                      "spec": {"containers": [{"name": "main", "image": "x:1"}], "restartPolicy": "Never"}, "status": {"phase": "Running"}})
        w.run("status", "a")
        asked = [p for m, p, _b in w.requests if m == "GET" and p.endswith("/jobsets/x")]
        must(len(asked) == 1, (ours, asked))
    w.want(5, "status", "a", err="Pod 'a-worker-0' and 39 more objects belong to JobSet 'x'")


@check
def only_shown(w):
    """a plan that was read from objects is only shown: wait starts, stops and deletes nothing, and terminals get no escapes"""
    ordered = JOB.replace("  role worker {", "  role ps {\n  }\n  role worker {\n    start_after = ready(ps)")
    applied_otherwise(w, ordered % ("a", 2))
    before = dict(w.objects)
    p = w.start("wait", "a", "--timeout", "3s")
    _, err = p.communicate(timeout=60)
    must(p.returncode == 124 and "no attendant starts role 'worker'" in err, err)
    must(w.objects == before, "something was changed")
    must({m for m, _p, _b in w.requests} == {"GET"}, w.requests)
    job = w.get("jobs", "a-worker")
    w.put("jobs", "default", dict(job, spec=dict(job["spec"], completions="\x1b[31m\x07")))
    _, err = w.want(5, "status", "a")
    must("\x1b" not in err and "\x07" not in err, repr(err))


# every other command about runs: its words, its status, and what it says
TOLD = "run 'a' in namespace 'default' has no record: kubectl or another tool has applied it, so 'trainc %s' leaves it as it is. 'trainc apply --adopt'"
COMMANDS = [
    (("scale", "a", "worker=1"), 5, TOLD % "scale"), (("suspend", "a"), 5, TOLD % "suspend"), (("suspend", "a.tj"), 5, TOLD % "suspend"),
    (("resume", "a"), 5, TOLD % "resume"), (("sync", "a"), 5, TOLD % "sync"), (("delete", "-y", "a"), 5, TOLD % "delete"),
    (("delete", "-y", "a.tj"), 5, TOLD % "delete"), (("delete", "-y", "--all"), 0, "no runs in namespace"),
    (("restart", "a", "worker/0"), 5, "nothing would create the pod 'a-worker-0-x' again"), (("history", "a"), 2, "none is remembered"),
    (("exec", "a", "worker/0", "--", "true"), 7, "pods/a-worker-0-x/exec"), (("attach", "a", "worker/0"), 7, "pods/a-worker-0-x/attach"),
    (("cp", "a:worker/0:x", "y"), 7, "pods/a-worker-0-x/exec"), (("top", "a"), 0, "not served: CPU and MEMORY"), (("diff", "a.tj"), 0, ""),
    (("apply", "--no-wait", "a.tj"), 5, "Job/a-worker exists and does not belong to this run"),
]


@check
def commands(w):
    """every other command about runs: what would change objects leaves them as they are, and says who takes the run over"""
    applied_otherwise(w, JOB % ("a", 2))
    before = dict(w.objects)
    for words, code, said in COMMANDS:
        got = w.run(*words)
        must(got[0] == code and said in got[2], (words, got))
    must(w.objects == before, "something was changed")


@check
def adopted(w):
    """apply --adopt takes over such a run while it runs; a record is written, and no pod is touched"""
    applied_otherwise(w, JOB % ("a", 2))
    w.jobs_run = False
    pods = {k: o["metadata"]["uid"] for k, o in w.objects.items() if k[0] == "pods"}
    w.want(0, "apply", "--no-wait", "--adopt", "a.tj", out="Job/a-worker adopted")
    must(pods == {k: o["metadata"]["uid"] for k, o in w.objects.items() if k[0] == "pods"}, "pods were replaced")
    w.want(0, "history", "a", out="1 ")
    w.want(0, "delete", "-y", "a", out="Job/a-worker deleted")


@check
def others(w):
    """what runs and has other labels is not taken over, and is no run"""
    applied_otherwise(w, JOB % ("a", 2))
    for label, value in ("app.kubernetes.io/managed-by", "Helm"), ("trainc.dev/job", "b"):
        job = w.get("jobs", "a-worker")
        w.put("jobs", "default", dict(job, metadata=dict(job["metadata"], labels=dict(job["metadata"]["labels"], **{label: value}))))
        w.want(5, "apply", "--no-wait", "--adopt", "a.tj", err="Job/a-worker exists.*\n.*\n.*\nhelp: it is running")
        w.take("pods", "default", "a-worker-0-x")
        w.take("pods", "default", "a-worker-1-x")
        w.want(2, "status", "a", err="no run 'a' in namespace 'default'")
        applied_otherwise(w, JOB % ("a", 2))


@check
def unreadable(w):
    """objects that are no program: their run is named with the reason; a list shows the others, with status 0"""
    applied_otherwise(w, JOB % ("a", 2))
    applied_otherwise(w, JOB % ("b", 2))
    job = w.get("jobs", "a-worker")
    for wrong in {"template": {"spec": {"containers": "x"}}}, {"completions": "many"}, {"template": None}:
        w.put("jobs", "default", dict(job, spec=dict(job["spec"], **wrong)))
        said = "run 'a' in namespace 'default' has no record, and its objects are not as trainc compiles them: "
        out, _ = w.want(0, "list", err=said)
        must("b " in out and "a " not in out, out)
        w.want(5, "status", "a", err=said)


@check
def copies(w):
    """only the program has the rules for copies of a cell: it has to be named"""
    applied_otherwise(w, CELL)
    applied_otherwise(w, JOB % ("b", 2), name="b.tj")
    said = "run 'c' in namespace 'default' has no record, and only its program has the rules for copies of a cell: 'trainc %s FILE' names it"
    w.want(0, "list", out="b +Running", err=said % "list")
    w.want(5, "why", "c", err=said % "why")
    w.want(0, "why", "a.tj", out="c: Running")


def states(w):
    """What `status` says of all runs, a line for each part. The objects say neither in which order a program has its
    roles, of which the first that waits is named, nor which roles have no replicas; and only a record knows the file
    and `running`."""
    out, err = w.want(0, "status", "-o", "json")
    lines = err.splitlines()
    for run in json.loads(out)["runs"]:
        roles = [r for r in run.pop("roles") if r["desired"]]
        run.pop("file", None)
        if run["name"] == "rlhf":               # the one example with a `running` of its own
            run["cause"] = re.sub("role '[^']*'|[0-9]+/[0-9]+ ready", "role", run["cause"])
            run["conditions"] = [c for c in run["conditions"] if c["type"] != "Running"]
        lines += ["%s: %s" % (run["name"], part) for part in [run.pop("replicas"), roles, [run]] for part in sorted(part, key=str)]
    return lines


def forget(w):
    """Removes the records, and the marks of their members: what is left is what another tool would have applied."""
    for key in [k for k in w.objects if k[0] == "configmaps" and k[2].endswith(".trainc")]:
        del w.objects[key]
    for key, o in list(w.objects.items()):
        m = copy.deepcopy(o["metadata"])
        m.pop("ownerReferences", None)
        m.get("labels", {}).pop("applyset.kubernetes.io/part-of", None)
        w.objects[key] = dict(o, metadata=m)


@check
def same_state(w):
    """every example: a run without a record has the state of one with a record, from its start to its end"""
    compared, w.jobs_run = [], False
    for path in sorted(glob.glob(ROOT + "/examples/[0-9]*/*.tj"))[::4 if SANITIZED else 1]:
        for options in (), ("--target", "pods"):
            with open(path) as f:
                cells = re.search(r"^\s*cell ", f.read(), re.M)
            if cells or w.run("apply", "--no-wait", *options, path)[0] != 0:
                continue
            for phase, code in (None, None), ("Running", None), ("Failed", 3), ("Succeeded", None):
                for key, job in list(w.objects.items()):
                    if key[0] == "jobs" and phase:
                        w.run_job(key[1], copy.deepcopy(job), phase, code)
                recorded, kept = states(w), dict(w.objects)
                forget(w)
                found = states(w)
                must(found == recorded, "%s %s %s\n%s" % (path, options, phase, sorted(set(recorded) ^ set(found))[:4]))
                w.objects.clear()
                w.objects.update(kept)
            compared.append((path, options))
            w.want(0, "delete", "-y", "--all")
    must(len(compared) > (6 if SANITIZED else 30), compared)


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
