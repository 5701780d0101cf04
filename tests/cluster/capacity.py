"""capacity.py [NAME...] - `trainc fit --all`: what a cluster has, who holds it, quotas, queues and what waits in them,
with and without Kueue, rights and other clusters, and its cost."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import world
from api_memory import SANITIZED, TRAINC, must, run_checks, status
from contexts import Clusters
from fit import node, pod

CHECKS = []
GPU = "nvidia.com/gpu.product"
KUEUE = {"clusterqueues": "ClusterQueue", "localqueues": "LocalQueue", "workloads": "Workload"}


def check(f):
    CHECKS.append(f)
    return f


def queue(name, cohort=None, waiting=0, **flavors):
    """A ClusterQueue; FLAVORS: name -> {resource: (quota, used)}."""
    groups = [{"coveredResources": sorted({r for f in flavors.values() for r in f}), "flavors": [
        {"name": f, "resources": [{"name": r, "nominalQuota": str(n)} for r, (n, _) in sorted(of.items())]} for f, of in flavors.items()]}]
    use = [{"name": f, "resources": [{"name": r, "total": str(n), "borrowed": "0"} for r, (_, n) in of.items()]} for f, of in flavors.items()]
    return {"kind": "ClusterQueue", "metadata": {"name": name}, "spec": {"resourceGroups": groups, **({"cohortName": cohort} if cohort else {})},
            "status": {"flavorsReservation": use, "pendingWorkloads": waiting}}


def local(name, to, ns="default"):
    return {"kind": "LocalQueue", "metadata": {"name": name, "namespace": ns}, "spec": {"clusterQueue": to}}


def workload(name, queue="lq", ns="default", priority=0, made=0, cpu=1, count=2, owner=None, run=None, active=True, conditions=(), **devices):
    requests = {"cpu": str(cpu), **{"example.com/" + k: str(v) for k, v in devices.items()}}
    spec = {"containers": [{"name": "main", "resources": {"requests": requests}}]}
    return {"kind": "Workload", "metadata": {"name": name, "namespace": ns, "creationTimestamp": "2026-01-01T00:%02d:00Z" % made,
            "labels": {"trainc.dev/job": run} if run else {}, "ownerReferences": [{"kind": "Job", "name": owner}] if owner else []},
            "spec": {"queueName": queue, "priority": priority, "active": active, "podSets": [{"name": "main", "count": count, "template": {"spec": spec}}]},
            "status": {"conditions": [{"type": t, "status": s, "reason": r, "lastTransitionTime": "2026-01-01T00:%02d:00Z" % at} for t, s, r, at in conditions]}}


def objects(w, all_of, more=""):
    w.write("objects.json", json.dumps({"kind": "List", "apiVersion": "v1", "items": all_of}))
    return json.loads(w.want(0, "fit", "--all", "--nodes", "objects.json", "-o", "json", *more.split())[0])["clusters"][0]


def of_run(name, on, run, **more):
    return pod(name, on, labels={"trainc.dev/job": run}, **more)


@check
def nodes(w):
    """devices by model, closed nodes, what is free in all and on one node"""
    ready = lambda o, s: {**o, "status": {**o["status"], "conditions": [{"type": "Ready", "status": s}]}}
    found = objects(w, [
        node("a", 16, 64, labels={GPU: "H100"}, gpu=8), node("b", 16, 64, labels={GPU: "H100"}, gpu=8), node("c", 8, 32, labels={GPU: "L4"}, gpu=2),
        ready(node("d", 8, 32, labels={GPU: "L4"}, gpu=2), "False"), ready(node("e", 8, 32), "True"), node("f", 4, 16, cordoned=True),
        pod("p", "a", 4, 16, gpu=6), pod("q", "b", 1, 1, gpu=1), pod("done", "b", 8, 8, gpu=7, phase="Succeeded"), pod("lost", "gone", 8, 8, gpu=1)])
    rows = {(x["resource"], x["model"]): [x[k] for k in ("nodes", "closed", "total", "used", "free", "largest")] for x in found["resources"]}
    must(rows[("example.com/gpu", "H100")] == [2, 0, "16", "7", "9", "7"], rows)
    must(rows[("example.com/gpu", "L4")] == [2, 1, "4", "0", "2", "2"], rows)
    must(rows[("cpu", "")] == [6, 2, "60", "5", "43", "15"], rows)
    must(rows[("memory", "")] == [6, 2, "240Gi", "17Gi", "175Gi", "63Gi"], rows)
    must(len(rows) == 4, rows)


@check
def holders(w):
    """runs and other pods of each namespace, those with the most devices first; pods without a node wait"""
    waiting = of_run("w", "", "big", cpu=1, gpu=8)
    del waiting["spec"]["nodeName"]
    found = objects(w, [node("a", 64, 256, gpu=16), of_run("x", "a", "big", cpu=2, memory=1, gpu=8), of_run("y", "a", "big", cpu=2, memory=1, gpu=2), waiting,
                        of_run("z", "a", "small", cpu=8, ns="team"), pod("o", "a", 16, 1, ns="team"), pod("k", "a", 1, 1, ns="kube-system")])
    got = [(x["namespace"], x["run"], x["pods"], x["waiting"], x["amounts"]) for x in found["holders"]]
    must(got == [("default", "big", 2, 1, {"cpu": "4", "memory": "2Gi", "example.com/gpu": "10"}),
                 ("team", None, 1, 0, {"cpu": "16", "memory": "1Gi"}), ("team", "small", 1, 0, {"cpu": "8"}),
                 ("kube-system", None, 1, 0, {"cpu": "1", "memory": "1Gi"})], got)


@check
def queues(w):
    """quota, use and loans of each queue by flavor, and of their cohort"""
    found = objects(w, [node("a"), queue("one", "c", 3, f={"cpu": (8, 10), "example.com/gpu": (4, 0)}), queue("two", "c", 0, f={"cpu": (8, 2)}), queue("three", None, 1, g={"cpu": (1, 0)})])
    got = [tuple(x[k] for k in ("cohort", "queue", "flavor", "resource", "quota", "used", "borrowed", "waiting")) for x in found["queues"]]
    must(got == [("", "three", "g", "cpu", "1", "0", "0", 1), ("c", "one", "f", "cpu", "8", "10", "2", 3), ("c", "one", "f", "example.com/gpu", "4", "0", "0", 3),
                 ("c", "two", "f", "cpu", "8", "2", "0", 0)], got)
    out = w.want(0, "fit", "--all", "--nodes", "objects.json")[0]
    must(re.search(r"^c +\(all\) +f +cpu +16 +12 +0 +4 +3$", out, re.M), out)


@check
def places(w):
    """the place among all that wait in the ClusterQueue: by priority, then by age; what is admitted, done or not active does not wait"""
    found = objects(w, [node("a"), queue("cq", f={"cpu": (8, 8)}), queue("other", f={"cpu": (8, 8)}), local("lq", "cq"), local("lq", "cq", "team"), local("lx", "other"),
        workload("w1", made=10, owner="a-worker", run="a", cpu=2, gpu=1), workload("w2", ns="team", made=5), workload("w3", made=30, priority=10, owner="b-worker"),
        workload("w4", made=1, conditions=[("QuotaReserved", "True", "x", 2)]), workload("w5", made=1, conditions=[("Finished", "True", "x", 2)]), workload("w6", made=1, active=False),
        workload("w7", made=1, conditions=[("Evicted", "True", "PodsReadyTimeout", 20)]), workload("w8", made=2, conditions=[("Evicted", "True", "Preempted", 50)]),
        workload("w9", queue="lx", made=3), workload("lost", queue="nowhere")])
    got = [(x["name"], x["of"], x["place"], x["places"], x["cluster_queue"]) for x in found["waiting"]]
    must(got == [("lost", "lost", None, 0, ""), ("w3", "b-worker", 1, 5, "cq"), ("w8", "w8", 2, 5, "cq"), ("w1", "a", 4, 5, "cq"), ("w7", "w7", 5, 5, "cq"),
                 ("w9", "w9", 1, 1, "other")], got)
    must(found["waiting"][3]["amounts"] == {"cpu": "4", "example.com/gpu": "2"}, found["waiting"][3])
    must([x["name"] for x in objects(w, json.load(open(w.dir + "/objects.json"))["items"], "-n team")["waiting"]] == ["w2"], "another namespace")


@check
def quotas(w):
    """what a quota of the namespace limits, and what is left"""
    q = {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}, "status": {
        "hard": {"requests.cpu": "10", "limits.memory": "4Gi", "pods": "5", "count/jobs.batch": "3", "requests.example.com/gpu": "8"}, "used": {"requests.cpu": "2500m", "pods": "5"}}}
    found = objects(w, [node("a", gpu=8), q])
    got = {x["resource"]: (x["limit"], x["used"]) for x in found["quotas"]}
    must(got == {"cpu": ("10", "2500m"), "limits.memory": ("4Gi", "0"), "pods": ("5", "5"), "count/jobs.batch": ("3", "0"), "example.com/gpu": ("8", "0")}, got)


def with_kueue(w):
    for plural, kind in KUEUE.items():
        world.KINDS[plural] = ("kueue.x-k8s.io", "v1beta2", kind)
    w.groups = [{"metadata": {"name": "kueue.x-k8s.io"}, "versions": [{"version": "v1beta2", "resources": [
        {"resource": plural, "scope": "Cluster" if plural == "clusterqueues" else "Namespaced",
         "responseKind": {"kind": kind, "group": "kueue.x-k8s.io", "version": "v1beta2"}} for plural, kind in KUEUE.items()]}]}]


def stored(w, *all_of):
    plurals = {"Node": "nodes", "Pod": "pods", "ResourceQuota": "resourcequotas", **{kind: plural for plural, kind in KUEUE.items()}}
    for o in all_of:
        w.put(plurals[o["kind"]], o["metadata"].get("namespace", ""), o)


def on_terminal(w, columns):
    """What `fit --all` shows on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    p = subprocess.Popen([TRAINC, "fit", "--all"], cwd=w.dir, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=w.environment())
    os.close(theirs)
    got = b""
    try:
        while more := os.read(ours, 65536):
            got += more
    except OSError:
        pass
    os.close(ours)
    must(p.wait(timeout=30) == 0, got)
    return got.decode().replace("\r", "")


def read(w, *words, code=0):
    return json.loads(w.want(code, "fit", "--all", "-o", "json", *words)[0])["clusters"]


@check
def live(w):
    """a cluster without Kueue, and one with: one list for each kind, nothing is written, and 80 columns are enough"""
    stored(w, node("a" * 20, 16, 64, labels={GPU: "NVIDIA-H100-80GB-HBM3"}, gpu=8), of_run("p", "a" * 20, "run", cpu=2, gpu=8, ns="default"))
    out = w.want(0, "fit", "--all")[0]
    must("Who holds it." in out and "Queues of Kueue" not in out and "What waits" not in out, out)
    must(all(r[0] == "GET" for r in w.requests), w.requests)
    with_kueue(w)
    stored(w, queue("cq", "cohort", 2, f={"cpu": (8, 2), "example.com/gpu": (8, 8)}), local("lq", "cq"), workload("w1", made=1), workload("w2", made=2, owner="x-worker", gpu=4))
    out = w.want(0, "fit", "--all")[0]
    must(re.search(r"^lq +2 of 2 +x-worker +0 +", out, re.M), out)
    lists = [r[1].split("?")[0] for r in w.requests if "limit=" in r[1]]
    must(len(lists) == len(set(lists)) == 6 and all(r[0] == "GET" for r in w.requests), lists)
    for columns in 80, 60, 200:
        shown = on_terminal(w, columns)
        must(all(len(line) <= columns for line in shown.splitlines()) and "cohort" in shown, shown)
        must(columns == 60 or re.search(r"^lq +2 of 2 +x-worker +.*4 example.com/gpu|^lq +2 of 2 +x-worker .*8 example.com/gpu$", shown, re.M), shown)


DENIED = {
    "nodes": ("what the nodes have is not known: you may not list nodes of the whole cluster", "/api/v1/nodes"),
    "pods": ("pods of other namespaces are not counted: you may not list pods of the whole cluster", "/api/v1/pods"),
    "clusterqueues": ("quotas of queues are not shown: you may not list clusterqueues.kueue.x-k8s.io of the whole cluster", "v1beta2/clusterqueues"),
    "workloads": ("the place of what waits is not known: you may not list workloads.kueue.x-k8s.io of the whole cluster", "v1beta2/workloads"),
    "localqueues": ("which queue leads where is not known: you may not list localqueues.kueue.x-k8s.io of the whole cluster", "v1beta2/localqueues"),
    "resourcequotas": ("quotas are not shown: you may not list resourcequotas in namespace default", "/resourcequotas"),
}


@check
def denied(w):
    """what the user may not list is said with the right, and the rest is shown; of the user's own namespace as much as possible"""
    with_kueue(w)
    stored(w, node("a"), pod("p", "a", 1), pod("q", "a", 2, ns="team"), queue("cq", None, 1, f={"cpu": (8, 2)}), local("lq", "cq"), workload("w1"))
    for what, (sentence, path) in DENIED.items():
        w.faults.clear()
        w.fault("GET", path + r"(\?|$)", status(403, "Forbidden", "%s is forbidden" % what), 5)
        out, err = w.want(0, "fit", "--all", "-o", "json")
        found = json.loads(out)["clusters"][0]
        must(sentence in err and found["unseen"] == [sentence], (what, err, found["unseen"]))
        must(bool(found["resources"]) == (what != "nodes") and bool(found["queues"]) == (what != "clusterqueues"), (what, found))
        must([x["namespace"] for x in found["holders"]] == (["default"] if what == "pods" else ["team", "default"]), (what, found["holders"]))
        must([x["place"] for x in found["waiting"]] == [None if what in ("workloads", "localqueues") else 1], (what, found["waiting"]))
    w.faults.clear()
    w.fault("GET", "/(nodes|pods|resourcequotas|clusterqueues|localqueues|workloads)", status(403, "Forbidden", "forbidden"), 50)
    must(read(w, code=4)[0]["resources"] == [], "nothing")
    w.faults.clear()
    w.fault("GET", "/nodes", status(422, "Invalid", "no"), 5)
    w.want(6, "fit", "--all", err="no")


@check
def words(w):
    """programs and --all exclude each other; without both the command says so"""
    w.want(2, "fit", err="'fit' needs a program, or --all")
    w.want(2, "fit", "--all", "a.tj", err="--all is about the whole cluster; leave 'a.tj' out")
    w.write("objects.json", json.dumps({"kind": "List", "items": []}))
    w.want(1, "fit", "--all", "--nodes", "objects.json", err="no nodes in 'objects.json'")


@check
def hostile(w):
    """names and amounts that somebody has written stay in their cell, and no amount overflows"""
    evil = "a\x1b[31m\nb\u202e"
    o = node("a", labels={GPU: evil})
    o["status"]["allocatable"].update({"example.com/" + evil: "99999999999999999999", "example.com/neg": "-5", "bad": "x"})
    many = [pod("p%d" % i, "a", 1, ns="n%d" % i, labels={"trainc.dev/job": evil}) for i in range(60)]
    for p in many:
        p["spec"]["containers"][0]["resources"]["requests"]["example.com/big"] = "9E"
    huge = workload("w", cpu="9E", count=2147483647)
    out = objects(w, [o, *many, huge, workload("v", count=-1), local("lq", "cq"), {"kind": "Pod"}, {"kind": "Workload", "spec": {"podSets": 3}}, {"kind": "ClusterQueue", "spec": []}])
    must(len(out["holders"]) >= 60, out)
    text, err = w.want(0, "fit", "--all", "--nodes", "objects.json")
    must("\x1b" not in text + err and "\u202e" not in text + err and "40 more; -o json shows all" in text, text)


@check
def contexts(w):
    """several clusters at once, with the context before each line, and as JSON"""
    stored(w, node("a", 16, 64))
    stored(w.other, node("b", 8, 32), node("c", 8, 32))
    got = read(w, "--context", "c,d")
    must([(x["context"], x["resources"][0]["nodes"]) for x in got] == [("c", 1), ("d", 2)], got)
    out = w.want(7, "fit", "--all", "--context", "c,closed", "--retry-timeout", "1s")[0]
    must(re.search(r"^c +cpu +16 +16 +16 +0 +1 +0$", out, re.M) and re.search("^closed +", out, re.M), out)


@check
def large(w):
    """1,000 nodes, 12,000 pods of 300 runs and 3,000 Workloads within 16 MiB of memory, in one list for each kind"""
    with_kueue(w)
    stored(w, *[node("n%d" % i, 64, 256, labels={GPU: "M%d" % (i % 4)}, gpu=8) for i in range(1000)], queue("cq", f={"cpu": (8, 2)}), local("lq", "cq"))
    stored(w, *[of_run("p%d" % i, "n%d" % (i % 1000), "run%d" % (i % 300), cpu=1, gpu=1) for i in range(12000)])
    stored(w, *[workload("w%d" % i, made=i % 60) for i in range(3000)])
    w.requests.clear()
    out = subprocess.run([sys.executable, "-c",
                          "import resource,subprocess,sys;p=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);sys.exit(p.returncode)",
                          TRAINC, "fit", "--all", "-o", "json"], cwd=w.dir, env=w.environment(), capture_output=True, text=True, timeout=200)
    must(out.returncode == 0, out.stderr)
    must(SANITIZED or int(out.stdout.split()[-1]) < 16 << 10, out.stdout)
    must(len([r for r in w.requests if "limit=" in r[1]]) == 6, [r[1] for r in w.requests])
    found = read(w)[0]
    must(len(found["holders"]) == 300 and sum(int(x["used"]) for x in found["resources"] if x["resource"] == "example.com/gpu") == 12000, len(found["holders"]))


if __name__ == "__main__":
    sys.exit(run_checks(Clusters, CHECKS, sys.argv[1:]))
