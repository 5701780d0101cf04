"""The commands with a real Kueue: queues, quota, preemption, placement, fleets, sets of Jobs and groups of pods.  Each
check has a namespace and a queue of its own.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 kueue.py [NAME...]

Pods run nothing here (kwok); annotations say how they end, see stages/pod-complete.yaml.
"""

import json
import os
import sys
import time

import runtime
from runtime import Failure, requests_of
from supervise import NOTE, must

CHECKS = []
ANNOTATION = '"e2e.trainc.dev/hold" = "yes"'


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


# Queues


def put(s, *objects):
    s.write("objects.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    s.kubectl("apply", "-f", os.path.join(s.dir, "objects.json"))


def flavor(name, **spec):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def cluster_queue(name, flavors, cpu, **spec):
    quota = [{"name": f, "resources": [{"name": "cpu", "nominalQuota": n}, {"name": "memory", "nominalQuota": "1Ti"}]} for f, n in zip(flavors, cpu)]
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": name},
            "spec": {"namespaceSelector": {}, "resourceGroups": [{"coveredResources": ["cpu", "memory"], "flavors": quota}], **spec}}


def local_queue(s, name, cluster, **spec):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": name, "namespace": s.ns},
            "spec": {"clusterQueue": cluster, **spec}}


class Queue:
    """A ClusterQueue with one flavor, and its LocalQueue `q`; both are deleted afterwards."""

    def __init__(self, s, cpu=4, kind=None, **spec):
        self.s, self.objects = s, [flavor(s.ns, **(kind or {})), cluster_queue(s.ns, [s.ns], [cpu], **spec)]
        put(s, *self.objects, local_queue(s, "q", s.ns))
        until(s, "an active queue", lambda: active(s.get("localqueue", "q")))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.kubectl("delete", "job,jobset,pod", "--all", "--wait=false", ok=False)
        self.s.kubectl("delete", "clusterqueue", self.s.ns, "--wait=false", ns=False, ok=False)
        self.s.kubectl("delete", "resourceflavor", self.s.ns, "--wait=false", ns=False, ok=False)

    def change(self, change):
        self.s.kubectl("patch", "clusterqueue", self.s.ns, "--type=merge", "-p", json.dumps({"spec": change}), ns=False)


class Racks:
    """Five nodes of 4 cpu, three in a rack and two in another, which no other check selects or tolerates."""

    def __init__(self, s):
        self.s, room = s, {"cpu": "4", "memory": "64Gi", "ephemeral-storage": "10Ti", "pods": "110"}
        self.names = [f"{s.ns}-{i}" for i in range(5)]
        put(s, *[{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "example.com/rack": f"{s.ns}-r{i // 3}", "pool": s.ns}},
            "spec": {"taints": [{"key": "pool", "value": s.ns, "effect": "NoSchedule"}]},
            "status": {"capacity": room, "allocatable": room}} for i, name in enumerate(self.names)])
        s.kubectl("wait", "--for=condition=Ready", "--timeout=50s", *(f"node/{name}" for name in self.names), ns=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.kubectl("delete", "node", *self.names, "--wait=false", ns=False, ok=False)


def active(queue):
    return any(c["type"] == "Active" and c["status"] == "True" for c in queue.get("status", {}).get("conditions", []))


# Runs


def job(name="a", replicas=2, cpu=1, head="", more=""):
    return (f'job "{name}" {{\n  image = "busybox:1"\n  queue = "q"\n{head}  role worker {{\n    replicas = {replicas}\n    cpu = {cpu}\n'
            f'    memory = 1Gi\n{more}    annotations {{\n      {ANNOTATION}\n    }}\n  }}\n}}\n')


def until(s, what, right, seconds=180):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := right():
            return found
        time.sleep(0.3)
    raise Failure(f"not seen in {seconds} s: {what}\n{s.run('list').stdout}\n{s.kubectl('get', 'workloads.kueue.x-k8s.io', '-o', 'yaml')[-4000:]}")


def state(s, name="a"):
    return json.loads(s.run("status", name, "-o", "json").stdout)["runs"][0]


def is_state(s, name, word, cause=""):
    def right():
        found = state(s, name)
        return found if found["state"] == word and cause in found.get("cause", "") else None
    return until(s, f"{name} {word} {cause}", right)


def pods(s, name="a"):
    found = json.loads(s.kubectl("get", "pods", "-l", f"trainc.dev/job={name}", "-o", "json"))["items"]
    return [p for p in found if "deletionTimestamp" not in p["metadata"]]


def running(s, n, name="a"):
    def right():
        found = pods(s, name)
        return found if len(found) == n and all(p["status"].get("phase") == "Running" for p in found) else None
    return until(s, f"{n} running pods of {name}", right)


def release(s, which, code=0):
    s.kubectl("annotate", "pod", *[p["metadata"]["name"] for p in which], f"{NOTE}/exit={code}", f"{NOTE}/hold-", "--overwrite")


def why(s, name, *parts):
    """Expects each of these texts in the output of `why`."""
    text = " ".join(s.want(0, "why", name).stdout.split())
    for part in parts:
        must(part in text, f"why {name} lacks {part!r}:\n{text}")
    return text


def fits(s, word, *parts, program="a.tj"):
    """Expects this answer of `fit`, with each of these texts. Kueue reports the use of a queue a second late."""
    end = time.monotonic() + 30
    while True:
        done = s.run("fit", program)
        right = done.stdout.startswith(word + " ") and done.returncode == (0 if word == "now" else 8)
        if right and all(part in done.stdout for part in parts):
            return
        must(time.monotonic() < end, f"{word}, {parts}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        time.sleep(0.3)


@check
def admitted(s):
    """a run within the quota is admitted, followed and completed; applying it again costs k + 2 requests"""
    with Queue(s):
        s.write("a.tj", job())
        fits(s, "now")
        s.want(0, "apply", "a.tj", "--for", "running")
        found = running(s, 2)
        must(s.get("job", "a-worker")["spec"]["suspend"] is False, "Kueue has not resumed the Job")
        done = s.want(0, "apply", "-v", "a.tj", out="Job/a-worker unchanged")
        must(len(requests_of(done)) == 4, f"two kinds, and not 4 requests:\n{done.stderr}")
        s.want(0, "diff", "a.tj")
        release(s, found)
        s.want(0, "wait", "a", err="Succeeded")
        s.want(0, "delete", "a", "--yes")
        until(s, "no Workload", lambda: not s.names("workloads.kueue.x-k8s.io,jobs,pods"))


@check
def waits(s):
    """over the quota: Queued with Kueue's message and what to do, as fit predicts, and started when the other run
    ends"""
    with Queue(s):
        s.write("a.tj", job("a", 3))
        s.write("b.tj", job("b", 2))
        s.want(0, "apply", "a.tj", "--for", "running")
        first = running(s, 3)
        fits(s, "empty", "queue 'q' has 1 cpu left", "worker asks for 2 cpu", program="b.tj")
        s.want(0, "apply", "b.tj", "--no-wait")
        is_state(s, "b", "Queued", f"insufficient unused quota for cpu in flavor {s.ns}, 1 more needed")
        s.want(0, "list", out=r"^b +Queued")
        why(s, "b", "insufficient unused quota for cpu", "other runs use the quota")
        s.want(0, "apply", "b.tj", "--no-wait", out="Job/b-worker unchanged")
        release(s, first)
        s.want(0, "wait", "a", err="Succeeded")
        release(s, running(s, 2, "b"))
        s.want(0, "wait", "b", err="Succeeded")


def capacity_of(s):
    return json.loads(s.want(0, "fit", "--all", "-o", "json").stdout)["clusters"][0]


@check
def capacity(s):
    """fit --all: quota and use of the queue, who holds it, and the order in which Kueue then starts what waits"""
    classes = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": f"{s.ns}-{word}"}, "value": value}
               for word, value in (("low", 10), ("high", 1000))]
    put(s, *classes)
    try:
        with Queue(s):
            for name, replicas, priority in (("a", 3, "low"), ("b", 3, "low"), ("c", 2, "low"), ("d", 2, "high")):
                s.write(f"{name}.tj", job(name, replicas, head=f'  priority = "{s.ns}-{priority}"\n'))
            s.want(0, "apply", "a.tj", "--for", "running")
            first = running(s, 3)
            for name in "bcd":
                s.want(0, "apply", f"{name}.tj", "--no-wait")
                is_state(s, name, "Queued")
                time.sleep(1.1)         # times of creation have whole seconds

            def seen():
                found = capacity_of(s)
                mine = [(q["resource"], q["quota"], q["used"], q["waiting"]) for q in found["queues"] if q["queue"] == s.ns]
                return found if ("cpu", "4", "3", 3) in mine else None
            found = until(s, "the quota and its use", seen)
            must([(x["of"], x["place"], x["places"], x["amounts"]["cpu"]) for x in found["waiting"]] ==
                 [("d-worker", 1, 3, "2"), ("b-worker", 2, 3, "3"), ("c-worker", 3, 3, "2")], found["waiting"])
            must([(x["run"], x["pods"], x["amounts"]["cpu"]) for x in found["holders"] if x["namespace"] == s.ns] == [("a", 3, "3")], found["holders"])
            must(found["unseen"] == [] and any(x["resource"] == "cpu" for x in found["resources"]), found)
            s.want(0, "fit", "--all", out=r"^q +1 of 3 +d-worker ")
            release(s, first)
            s.want(0, "wait", "a", err="Succeeded")
            running(s, 2, "d")          # c would fit beside it, but b is before it
            after = until(s, "two that wait", lambda: (x := capacity_of(s)) and len(x["waiting"]) < 3 and x)
            must({x["of"] for x in after["waiting"]} <= {"b-worker", "c-worker"}, after["waiting"])
    finally:
        s.kubectl("delete", "priorityclass", *[c["metadata"]["name"] for c in classes], ns=False, ok=False)


@check
def never(s):
    """more than the whole quota: fit says never, why says that waiting does not help"""
    with Queue(s):
        s.write("a.tj", job("a", 5))
        fits(s, "never", "queue 'q' has 4 cpu in flavor")
        s.want(0, "apply", "a.tj", "--no-wait")
        is_state(s, "a", "Queued", "maximum capacity (4)")
        text = why(s, "a", "the whole quota of the queue is smaller")
        must("when its turn comes" not in text, text)


@check
def misnamed(s):
    """why and fit name a queue that does not exist, or that is stopped"""
    with Queue(s) as queue:
        s.write("a.tj", job().replace('queue = "q"', 'queue = "p"'))
        fits(s, "never", "queue 'p' does not exist in namespace")
        s.want(0, "apply", "a.tj", "--no-wait")
        is_state(s, "a", "Queued", "LocalQueue p doesn't exist")
        why(s, "a", "create it, or correct 'queue'")
        queue.change({"stopPolicy": "Hold"})
        until(s, "a stopped queue", lambda: not active(s.get("localqueue", "q")))
        s.write("b.tj", job("b"))
        fits(s, "never", "is stopped", program="b.tj")
        s.want(0, "apply", "b.tj", "--no-wait")
        is_state(s, "b", "Queued", "is inactive")
        why(s, "b", "the queue is stopped")
        queue.change({"stopPolicy": "None"})
        running(s, 2, "b")


@check
def other_resource(s):
    """a resource without quota, a namespace that may not use the queue, a flavor of other nodes, and one with a
    taint"""
    taint = {"key": "pool", "value": s.ns, "effect": "NoSchedule"}
    with Racks(s), Queue(s, kind={"nodeLabels": {"pool": s.ns}, "nodeTaints": [taint]}) as queue:
        tolerate = f'    tolerate = ["pool={s.ns}"]\n'
        s.write("a.tj", job(more=tolerate + '    raw container { resources = { limits = { "example.com/gpu" = 1 } } }\n'))
        fits(s, "never", "queue 'q' has no quota for example.com/gpu")
        s.want(0, "apply", "a.tj", "--no-wait")
        is_state(s, "a", "Queued", "example.com/gpu unavailable in ClusterQueue")
        why(s, "a", "the queue has no quota for that resource")
        s.write("b.tj", job("b"))
        fits(s, "never", "no flavor of queue 'q' suits worker", program="b.tj")
        s.want(0, "apply", "b.tj", "--no-wait")
        is_state(s, "b", "Queued", "untolerated taint")
        why(s, "b", "add the taint to 'tolerate'")
        s.write("c.tj", job("c", more=tolerate + '    node { "pool" = "other" }\n'))
        fits(s, "never", "no flavor of queue 'q' suits worker", program="c.tj")
        s.want(0, "apply", "c.tj", "--no-wait")
        is_state(s, "c", "Queued", "doesn't match node affinity")
        why(s, "c", "have other labels than the role selects")
        s.write("d.tj", job("d", more=tolerate))
        fits(s, "now", program="d.tj")
        s.want(0, "apply", "d.tj", "--for", "running")
        must(all(p["spec"]["nodeName"].startswith(s.ns) for p in running(s, 2, "d")), "pods beside the nodes of the flavor")
        queue.change({"namespaceSelector": None})
        s.write("e.tj", job("e", 1, more=tolerate))
        fits(s, "never", "takes no runs of namespace", program="e.tj")
        s.want(0, "apply", "e.tj", "--no-wait")
        is_state(s, "e", "Queued", "doesn't match ClusterQueue selector")
        why(s, "e", "the ClusterQueue is not for this namespace")


@check
def tolerated(s):
    """pods get the tolerations of their flavor: fit knows, and Kueue writes them into the pods"""
    with Racks(s), Queue(s, kind={"nodeLabels": {"pool": s.ns}, "tolerations": [{"key": "pool", "operator": "Exists"}]}):
        s.write("a.tj", job())
        fits(s, "now")
        s.want(0, "apply", "a.tj", "--for", "running")
        must(all(p["spec"]["nodeName"].startswith(s.ns) for p in running(s, 2)), "pods beside the nodes of the flavor")


@check
def preempted(s):
    """a run of higher priority takes the quota: the other is Queued with the reason, and returns as another attempt"""
    classes = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": f"{s.ns}-{word}"}, "value": value}
               for word, value in (("low", 10), ("high", 1000))]
    put(s, *classes)
    try:
        with Queue(s, preemption={"withinClusterQueue": "LowerPriority"}):
            s.write("a.tj", job("a", 3, head=f'  priority = "{s.ns}-low"\n'))
            s.write("b.tj", job("b", 2, head=f'  priority = "{s.ns}-high"\n'))
            s.want(0, "apply", "a.tj", "--for", "running")
            before = {p["metadata"]["uid"] for p in running(s, 3)}
            s.want(0, "apply", "b.tj", "--for", "running")
            seen = is_state(s, "a", "Queued", "evicted: Preempted to accommodate a workload due to prioritization")
            must("UID" not in seen["cause"] and "preemptor path" not in seen["cause"], seen["cause"])
            why(s, "a", "a run with a better claim took its quota")
            s.want(0, "apply", "a.tj", "--no-wait", out="Job/a-worker unchanged")
            release(s, running(s, 2, "b"))
            s.want(0, "wait", "b", err="Succeeded")
            after = running(s, 3)
            must(not before & {p["metadata"]["uid"] for p in after}, "the old pods are there")
            is_state(s, "a", "Running")
            s.want(0, "logs", "a", "--tail", "1")
            release(s, after)
            s.want(0, "wait", "a", err="Succeeded")
    finally:
        s.kubectl("delete", "priorityclass", *[c["metadata"]["name"] for c in classes], ns=False, ok=False)


@check
def held(s):
    """suspend and resume go through Kueue: the Workload becomes inactive, other runs get its quota, and it returns"""
    with Queue(s):
        s.write("a.tj", job("a", 3))
        s.want(0, "apply", "a.tj", "--for", "running")
        running(s, 3)
        s.want(0, "suspend", "a", out="run/a suspended")
        is_state(s, "a", "Suspended")
        why(s, "a", f"'trainc resume -n {s.ns} a' starts its replicas")
        s.want(0, "apply", "a.tj", "--no-wait", out="Job/a-worker unchanged")
        s.write("b.tj", job("b", 3))
        s.want(0, "apply", "b.tj", "--for", "running")
        second = running(s, 3, "b")
        s.want(0, "resume", "a", out="run/a resumed")
        is_state(s, "a", "Queued", "insufficient unused quota")
        s.want(0, "suspend", "a")
        is_state(s, "a", "Suspended")
        s.want(0, "resume", "a")
        release(s, second)
        release(s, running(s, 3))
        s.want(0, "wait", "a", err="Succeeded")


@check
def places(s):
    """topology: 3 replicas in one rack are admitted, 4 are not, and fit and why say so"""
    topology = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology", "metadata": {"name": s.ns},
                "spec": {"levels": [{"nodeLabel": "example.com/rack"}, {"nodeLabel": "kubernetes.io/hostname"}]}}
    put(s, topology)
    s.write("project.tj", 'project { topology = ["example.com/rack"] }\n')
    tolerate = f'    tolerate = ["pool={s.ns}"]\n'
    rack = '    place = near("rack")\n' + tolerate
    kind = {"nodeLabels": {"pool": s.ns}, "topologyName": s.ns}
    try:
        with Racks(s), Queue(s, 64, kind):
            s.write("a.tj", job("a", 4, 3, more=rack))
            fits(s, "never", "3 of 4 fit", "in one example.com/rack")
            s.want(0, "apply", "a.tj", "--no-wait")
            is_state(s, "a", "Queued", f'topology "{s.ns}" allows to fit only 3 out of 4 pod(s)')
            why(s, "a", "no single place of that level has room for all")
            s.want(0, "delete", "a", "--yes")
            s.write("b.tj", job("b", 3, 3, more=rack))
            fits(s, "now", program="b.tj")
            s.want(0, "apply", "b.tj", "--for", "running")
            must({p["spec"]["nodeName"] for p in running(s, 3, "b")} == {f"{s.ns}-{i}" for i in range(3)}, "not the nodes of one rack")
            s.write("c.tj", job("c", 1, 1, more='    place = near("zone")\n' + tolerate))
            s.want(0, "apply", "c.tj", "--no-wait")
            is_state(s, "c", "Queued", "does not contain the requested level")
            fits(s, "never", "has no level", program="c.tj")
            why(s, "c", "the topology of the queue has no such level")
    finally:
        s.kubectl("delete", "topology", s.ns, "--wait=false", ns=False, ok=False)


@check
def no_topology(s):
    """a placement that the queue's flavor cannot guarantee"""
    s.write("project.tj", 'project { topology = ["example.com/rack"] }\n')
    with Racks(s), Queue(s, 64, {"nodeLabels": {"pool": s.ns}}):
        s.write("a.tj", job("a", 2, more=f'    place = near("rack")\n    tolerate = ["pool={s.ns}"]\n'))
        fits(s, "never", "has no topology")
        s.want(0, "apply", "a.tj", "--no-wait")
        is_state(s, "a", "Queued", "does not support TopologyAwareScheduling")
        why(s, "a", "which 'place' needs")


@check
def fleet(s):
    """as many jobs of a fleet run as the quota permits, the others follow"""
    with Queue(s):
        s.write("a.tj", "\n".join(job(f"f{i}", 1) for i in range(6)))
        s.want(0, "apply", "a.tj", "--no-wait")

        def split():
            found = json.loads(s.want(0, "list", "-o", "json").stdout)["runs"]
            return sorted(r["state"] for r in found) == ["Queued"] * 2 + ["Running"] * 4 and found
        found = until(s, "four jobs running, two queued", split)
        first = [r["name"] for r in found if r["state"] == "Running"]
        release(s, [p for name in first for p in pods(s, name)])
        s.want(0, "wait", *first)
        rest = [r["name"] for r in found if r["state"] == "Queued"]
        for name in rest:
            release(s, running(s, 1, name))
        s.want(0, "wait", *rest)


@check
def sets(s):
    """a JobSet is admitted as a whole, waits as a whole, and is held and resumed as a whole"""
    with Queue(s):
        s.write("project.tj", 'project {\n  target = "jobset"\n}\n')
        s.write("a.tj", job("a", 3))
        s.write("b.tj", job("b", 2))
        s.want(0, "apply", "a.tj", "--for", "running")
        first = running(s, 3)
        fits(s, "empty", program="b.tj")
        s.want(0, "apply", "b.tj", "--no-wait")
        is_state(s, "b", "Queued", "insufficient unused quota for cpu")
        s.want(0, "apply", "b.tj", "--no-wait", out="JobSet/b unchanged")
        s.want(0, "suspend", "b")
        is_state(s, "b", "Suspended")
        s.want(0, "resume", "b")
        is_state(s, "b", "Queued", "insufficient unused quota for cpu")
        release(s, first)
        s.want(0, "wait", "a", err="Succeeded")
        release(s, running(s, 2, "b"))
        s.want(0, "wait", "b", err="Succeeded")


@check
def elastic(s):
    """an elastic role starts with as many replicas as the quota has room for, and keeps that number while it runs;
    one that is resizable waits for room for all, and changes its size while it runs"""
    with Queue(s):
        s.write("a.tj", job("a", "2:6"))
        s.write("project.tj", "project {\n}\n")
        fits(s, "now")
        s.want(0, "apply", "a.tj", "--no-wait")
        running(s, 4)
        s.want(0, "apply", "a.tj", "--no-wait", out="Job/a-worker unchanged")
        s.want(6, "scale", "a", "worker=3", err="Kueue has started role 'worker' with 4 replicas")
        s.want(0, "delete", "a", "--yes")
        s.write("b.tj", job("b", "2:6").replace("image =", 'annotations { "kueue.x-k8s.io/elastic-job" = "true" }\n  image =', 1))
        fits(s, "never", program="b.tj")
        s.want(0, "apply", "b.tj", "--no-wait")
        is_state(s, "b", "Queued", "maximum capacity (4)")
        s.want(0, "delete", "b", "--yes")
        s.write("b.tj", job("b", "2:4").replace("image =", 'annotations { "kueue.x-k8s.io/elastic-job" = "true" }\n  image =', 1))
        s.want(0, "apply", "b.tj", "--no-wait")
        running(s, 4, "b")
        s.want(0, "scale", "b", "worker=2")
        running(s, 2, "b")
        s.want(0, "scale", "b", "worker=3")
        running(s, 3, "b")


def cell(name="a", copies="1:4", replicas=2, head="", own="", more=""):
    """A run of copies, each with one role: a server that never ends, or the trial of a search."""
    return (f'job "{name}" {{\n  image = "busybox:1"\n  queue = "q"\n{head}  cell c {{\n    copies = {copies}\n{own}    role worker {{\n'
            f'      replicas = {replicas}\n      cpu = 1\n      memory = 1Gi\n{more}      annotations {{\n        {ANNOTATION}\n      }}\n    }}\n  }}\n}}\n')


def running_pods(s, name="a"):
    return [p for p in pods(s, name) if p["status"].get("phase") == "Running"]


def copies_of(s, name="a"):
    """The copies with pods, once all of their pods run."""
    found = pods(s, name)
    numbers = {p["metadata"]["labels"]["trainc.dev/copy"] for p in found}
    return sorted(map(int, numbers)) if all(p["status"].get("phase") == "Running" for p in found) else None


def copies_run(s, n, name="a", replicas=2):
    """Waits until n whole copies run, and stay."""
    running(s, n * replicas, name)
    found = copies_of(s, name)
    must(found is not None and len(found) == n, f"{n} whole copies: {found}")
    return found


def ready(s, name="a"):
    found = state(s, name)["cells"][0]["copies"]
    return found["ready"], found["desired"]


SERVER = "    success = none\n    restarts = 0\n"


@check
def copies(s):
    """copies are admitted one by one: fit says how many start, the others wait and follow when others leave; each copy
    is scaled, held and resumed under the quota, and delete leaves nothing"""
    with Queue(s, 5) as queue:
        s.write("a.tj", cell(head="  success = none\n", own=SERVER))
        fits(s, "now", "c with 2 of 1:4 copies")
        s.want(0, "apply", "a.tj", "--no-wait")
        copies_run(s, 2)
        is_state(s, "a", "Running")
        must(ready(s) == (2, 4), f"copies ready and desired: {ready(s)}")
        s.want(0, "status", "a", out="2/4 copies ready")
        s.want(0, "apply", "a.tj", "--no-wait", out="Job/a-c-worker-0 unchanged")
        s.want(0, "diff", "a.tj")
        why(s, "a", "insufficient unused quota for cpu")
        s.want(0, "scale", "a", "c=1", out="run/a scaled: c from 4 to 1")
        until(s, "copy 0 alone", lambda: copies_of(s) == [0])
        running(s, 2)
        must(ready(s) == (1, 1), f"copies ready and desired: {ready(s)}")
        s.write("b.tj", job("b", 3))
        s.want(0, "apply", "b.tj", "--for", "running")
        s.want(0, "scale", "a", "c=3", out="run/a scaled: c from 1 to 3")
        is_state(s, "a", "Running")
        time.sleep(2)  # no further pod starts meanwhile
        must(copies_of(s) == [0], f"the quota has no room for a second copy: {copies_of(s)}")
        release(s, running(s, 3, "b"))
        s.want(0, "wait", "b", err="Succeeded")
        copies_run(s, 2)
        s.want(0, "suspend", "a", out="run/a suspended")
        is_state(s, "a", "Suspended")
        until(s, "no pods", lambda: not pods(s))
        s.write("d.tj", job("d", 4))
        s.want(0, "apply", "d.tj", "--for", "running")
        s.want(0, "resume", "a", out="run/a resumed")
        is_state(s, "a", "Queued")
        release(s, running(s, 4, "d"))
        s.want(0, "wait", "d", err="Succeeded")
        copies_run(s, 2)
        queue.change(cluster_queue(s.ns, [s.ns], [8])["spec"])
        must(copies_run(s, 3) == [0, 1, 2], "copy 3 was scaled away")
        must(ready(s) == (3, 3), f"copies ready and desired: {ready(s)}")
        s.want(0, "delete", "a", "b", "d", "--yes")
        until(s, "nothing left", lambda: not s.names("workloads.kueue.x-k8s.io,jobs,pods,services"))


@check
def trials(s):
    """trials of a search run as the quota permits, one after the other, until all have succeeded"""
    with Queue(s, 4):
        s.write("a.tj", cell(copies=3))
        fits(s, "never")
        s.want(0, "apply", "a.tj", "--no-wait")
        first = copies_run(s, 2)
        is_state(s, "a", "Running")
        release(s, [p for p in pods(s) if p["metadata"]["labels"]["trainc.dev/copy"] == str(first[0])])
        until(s, "the third copy", lambda: len(running_pods(s)) == 4)
        release(s, running_pods(s))
        s.want(0, "wait", "a", err="Succeeded")
        s.want(0, "delete", "a", "--yes")
        until(s, "nothing left", lambda: not s.names("workloads.kueue.x-k8s.io,jobs,pods,services"))


def together(s, target, least, n):
    """Copies that start together, n of them, need room for `least`: none of them starts before."""
    s.write("project.tj", f'project {{\n  target = "{target}"\n}}\n')
    with Queue(s, 2 * n - 1) as queue:
        s.write("a.tj", cell(copies=least if least == n else f"{least}:{n}", head="  success = none\n", own=SERVER + '    starts = "together"\n'))
        fits(s, "never")
        s.want(0, "apply", "a.tj", "--no-wait")
        is_state(s, "a", "Queued", "cpu")
        time.sleep(2)  # no further pod starts meanwhile
        must(not running_pods(s), "a part of the copies runs")
        queue.change(cluster_queue(s.ns, [s.ns], [2 * n])["spec"])
        must(copies_run(s, n) == list(range(n)), "all copies")
        is_state(s, "a", "Running")
        s.want(0, "apply", "a.tj", "--no-wait")
        if target == "pods":
            s.want(6, "suspend", "a", err="pods in a queue of Kueue cannot be suspended")
        else:
            s.want(0, "suspend", "a")
            is_state(s, "a", "Suspended")
            s.want(0, "resume", "a")
        copies_run(s, n)
        if target == "pods":                            # Kueue keeps the pods of a group that has a Workload
            s.kubectl("delete", "workloads.kueue.x-k8s.io", "a", "--wait=false")
        s.want(0, "delete", "a", "--yes")
        until(s, "nothing left", lambda: not s.names("workloads.kueue.x-k8s.io,jobsets,jobs,pods,services"))


@check
def copies_of_a_set(s):
    """copies of a JobSet are admitted together or not at all"""
    together(s, "jobset", 3, 3)


@check
def copies_as_pods(s):
    """copies of pods that start together are one group of Kueue: all of them or none"""
    together(s, "pods", 3, 3)


@check
def groups_of_copies(s):
    """with the target pods each copy is a group of Kueue by itself, of all of its roles: a whole copy starts or waits"""
    s.write("project.tj", 'project {\n  target = "pods"\n}\n')
    other = '    role other {\n      cpu = 1\n      memory = 1Gi\n      annotations {\n        %s\n      }\n    }\n' % ANNOTATION
    with Queue(s, 5):
        s.write("a.tj", cell(replicas=1, copies="1:3", head="  success = none\n", own=SERVER + other))
        fits(s, "now", "c with 2 of 1:3 copies")
        s.want(0, "apply", "a.tj", "--no-wait")
        found = until(s, "two copies", lambda: len(running_pods(s)) == 4 and running_pods(s))
        time.sleep(2)  # no further pod starts meanwhile
        must(len(running_pods(s)) == 4, "a part of a copy runs")
        numbers = sorted(p["metadata"]["labels"]["trainc.dev/copy"] for p in found)
        must(len(set(numbers)) == 2 and numbers[0] == numbers[1], f"whole copies: {numbers}")
        is_state(s, "a", "Running")
        s.want(0, "delete", "a", "--yes")
        until(s, "nothing left", lambda: not s.names("workloads.kueue.x-k8s.io,jobs,pods,services"))


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS))
