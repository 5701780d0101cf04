"""fit.py [NAME...] - `trainc fit`: named cases, random clusters compared with a simple scheduler that places one pod
after the other, and the cost of a thousand jobs."""
import json
import random
import resource
import sys

from api_memory import SANITIZED
from world import main, must, status

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def node(name, cpu=16, memory=64, labels=None, taints=(), pods=110, cordoned=False, **devices):
    amounts = {"cpu": str(cpu), "memory": "%dGi" % memory, "pods": str(pods)}
    amounts.update({"example.com/" + k: str(v) for k, v in devices.items()})
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": dict({"kubernetes.io/hostname": name}, **(labels or {}))},
            "spec": {"taints": [dict(zip(("key", "value", "effect"), t)) for t in taints], "unschedulable": cordoned}, "status": {"allocatable": amounts}}


def pod(name, on, cpu=0, memory=0, ns="default", owner=None, labels=None, apart=None, phase="Running", **devices):
    requests = {"cpu": str(cpu), "memory": "%dGi" % memory}
    requests.update({"example.com/" + k: str(v) for k, v in devices.items()})
    spec = {"nodeName": on, "containers": [{"name": "main", "resources": {"requests": requests}}]}
    if apart:
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": apart}}]}}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": ns, "labels": labels or {},
            "ownerReferences": [{"kind": owner, "name": "o"}] if owner else []}, "spec": spec, "status": {"phase": phase}}


def quota(hard, used=None, **spec):
    return {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}, "spec": dict(hard=hard, **spec), "status": {"used": used or {}}}


def job(replicas=1, cpu=1, memory=1, more="", name="j", top=""):
    return 'job "%s" {\n  image = "a:1"\n  %s\n  role worker {\n    replicas = %d\n    command = ["x"]\n    cpu = %s\n    memory = %dGi\n    %s\n  }\n}\n' % (
        name, top, replicas, cpu, memory, more)


def ask(w, program, objects, want, code=None, out=None):
    w.write("a.tj", program)
    w.write("nodes.json", json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
    got = w.want({"now": 0}.get(want, 8) if code is None else code, "fit", "--nodes", "nodes.json", "a.tj", out=out)[0]
    must(got.startswith(want + " "), "expected %s: %s" % (want, got))
    return got


@check
def resources(w):
    """requests against free and total resources, and the number of pods of a node"""
    nodes = [node("a", 8, 32), node("b", 8, 32)]
    ask(w, job(2, 8), nodes, "now")
    ask(w, job(3, 8), nodes, "never", out=r"worker: 2 of 3 fit, each 8 cpu, 1Gi memory; .*1 more node such as a would do")
    ask(w, job(2, 8), nodes + [pod("p", "a", 1)], "empty", out=r"1 full \(cpu\)")
    ask(w, job(2, 8), nodes + [pod("p", "a", 1, owner="DaemonSet")], "never")
    ask(w, job(2, 8), nodes + [pod("p", "a", 1, phase="Succeeded")], "now")
    ask(w, job(1, 9), nodes, "never", out=r"2 too small \(cpu\)$")
    ask(w, job(3, "100m"), [node("a", pods=2)], "never", out="2 of 3 fit")


@check
def places(w):
    """labels, node affinity, taints, cordoned nodes"""
    nodes = [node("a", labels={"disk": "ssd", "n": "5"}), node("b", taints=[("t", "1", "NoSchedule")]), node("c", cordoned=True)]
    ask(w, job(1, 1, more='node { "disk" = "ssd" }'), nodes, "now")
    ask(w, job(17, 1, more='node { "disk" = "ssd" }'), nodes, "never", out="2 without the labels|1 cordoned")
    ask(w, job(17, 1), nodes, "never", out="1 tainted, 1 cordoned")
    ask(w, job(17, 1, more='tolerate = ["t"]'), nodes, "now")
    ask(w, job(16, 1), [node("a", taints=[("t", "1", "PreferNoSchedule")])], "now")
    affinity = ('raw pod { affinity = { nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms = ['
                '{ matchExpressions = [{ key = "n", operator = "%s", values = ["%s"] }] }] } } } }')
    for operator, value, want in (("Gt", "4", "now"), ("Lt", "4", "never"), ("In", "5", "now"), ("NotIn", "5", "never")):
        ask(w, job(1, 1, more=affinity % (operator, value)), nodes, want)
    ask(w, job(1, 1, more=affinity % ("NotIn", "5")), nodes[:1], "never", out="1 excluded by the node affinity")


@check
def apart(w):
    """replicas that need a host each; existing pods keep them away, too"""
    ask(w, job(2, 1, more='spread = "host"'), [node("a"), node("b")], "now")
    ask(w, job(3, 1, more='spread = "host"'), [node("a"), node("b")], "never", out="2 of 3 fit.*1 more node such as")
    labels = {"trainc.dev/job": "j", "trainc.dev/role": "worker"}
    ask(w, job(2, 1, more='spread = "host"'), [node("a"), node("b"), pod("p", "a", labels=labels)], "empty", out="with a pod to keep away from")
    ask(w, job(2, 16), [node("a"), node("b"), pod("p", "a", apart=labels)], "empty")
    ask(w, job(2, 16), [node("a"), node("b"), pod("p", "a", apart=labels, ns="x")], "now")


@check
def near(w):
    """roles in one rack: pods that attract each other, and Kueue's required topology"""
    w.write("project.tj", 'project { topology = ["example.com/rack"] }\n')
    racks = [node(name + str(i), labels={"example.com/rack": name}) for name in "xy" for i in range(2)]
    ask(w, job(4, 8, more='place = near("rack")'), racks, "now")
    ask(w, job(5, 8, more='place = near("rack")'), racks, "never", out="4 of 5 fit.*in one example.com/rack")
    ask(w, job(8, 8, more='place = prefer("rack")'), racks, "now")
    two = job(3, 8, top='place = near("rack")\n  role chief { cpu = 8, memory = 1Gi }')
    ask(w, two, racks, "now")
    ask(w, two, racks + [pod("p", "x0", 8), pod("q", "y0", 8)], "empty", out="in one example.com/rack")
    ask(w, job(4, 8, top='place = near("rack")\n  role chief { cpu = 8, memory = 1Gi }'), racks, "never")
    ask(w, job(2, 1, more='place = near("rack")'), [node("a")], "never")


def with_ports(o, *ports, host=False, **more):
    """A pod that takes ports of its node."""
    o["spec"]["containers"][0]["ports"] = [dict({"containerPort" if host else "hostPort": n}, **more) for n in ports]
    if host:
        o["spec"]["hostNetwork"] = True
    return o


@check
def host_ports(w):
    """one pod for each node takes a host port, also with hostNetwork; ports of other pods count, by protocol and address"""
    nodes = [node("a"), node("b")]
    host = "ports { p = 9000 }\n    raw pod { hostNetwork = true }"
    ask(w, job(2, more=host), nodes, "now")
    ask(w, job(3, more=host), nodes, "never", out=r"worker: 2 of 3 fit, .*1 more node such as b would do")
    ask(w, job(3, more="ports { p = 9000 }"), nodes, "now")
    taken = with_ports(pod("p", "a", ns="other"), 9000)
    ask(w, job(2, more=host), nodes + [taken], "empty", out=r"1 of 2 fit.*1 where a host port is taken")
    ask(w, job(1, more=host), nodes + [taken], "now")
    ask(w, job(2, more=host), nodes + [with_ports(pod("p", "a"), 9000, host=True)], "empty")
    ask(w, job(2, more=host), nodes + [with_ports(pod("p", "a"), 9001)], "now")
    ask(w, job(2, more=host), nodes + [with_ports(pod("p", "a"), 9000, protocol="UDP")], "now")
    ask(w, job(2, more=host), nodes + [with_ports(pod("p", "a"), 9000, hostIP="10.0.0.1")], "empty")
    ask(w, job(2, more=host), nodes + [with_ports(pod("p", "a", owner="DaemonSet"), 9000)], "never", out="1 where a host port is taken")
    two = 'job "j" {\n  image = "a:1"\n' + "".join("  role %s {\n    command = [\"x\"]\n    %s\n  }\n" % (r, host) for r in ("one", "two")) + "}\n"
    ask(w, two, nodes, "now")
    ask(w, two, nodes[:1], "never", out="two: 0 of 1 fit.*1 where a host port is taken")


def priority_class(name, value, **more):
    return dict({"kind": "PriorityClass", "apiVersion": "scheduling.k8s.io/v1", "metadata": {"name": name}, "value": value}, **more)


@check
def preemption(w):
    """pods of lower priority make room: the answer says whom the job would displace; pods of the same priority do not,
    nor with the policy Never; a class that is not known makes the answer unknown"""
    def filler(n, on, priority):
        o = pod("f%d" % n, on, 16)
        o["spec"]["priority"] = priority
        return o
    nodes = [node("a"), node("b"), priority_class("hi", 1000), priority_class("meek", 1000, preemptionPolicy="Never")]
    full = [filler(1, "a", 10), filler(2, "b", 2000)]
    hi = 'priority = "hi"'
    ask(w, job(1, 8, top=hi), nodes + full, "preempts", out=r"2 full \(cpu\).*pods of lower priority make room for it: default/f1$")
    ask(w, job(2, 8, top=hi), nodes + full, "preempts")
    ask(w, job(3, 8, top=hi), nodes + full, "empty")
    ask(w, job(1, 8), nodes + full, "empty")
    ask(w, job(1, 8, top='priority = "meek"'), nodes + full, "empty")
    ask(w, job(1, 8, top='priority = "nosuch"'), nodes + full, "unknown", out="its class of priority is not known")
    ask(w, job(1, 8, top='priority = "nosuch"'), nodes, "now")
    ask(w, job(3, 16, top=hi), nodes + full, "never")
    ask(w, job(1, 8), nodes + full + [priority_class("usual", 500, globalDefault=True)], "preempts")
    ports = "ports { p = 9000 }\n    raw pod { hostNetwork = true }"
    ask(w, job(2, more=ports, top=hi), nodes + [with_ports(pod("p", "a"), 9000)], "preempts")


def claim(name, volume=None, ns="default"):
    return {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": name, "namespace": ns}, "spec": {"volumeName": volume} if volume else {}}


@check
def not_considered(w):
    """what is not computed makes the answer unknown, with its name; what does not fit anyway does not"""
    nodes = [node("a", labels={"topology.kubernetes.io/zone": "z"})]
    plain = {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": "v"}, "spec": {}}
    zone = {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": "v"}, "spec": {"nodeAffinity": {"required": {}}}}
    mount = 'mounts { "/data" = pvc("data") }'
    even = ('raw pod { topologySpreadConstraints = [{ maxSkew = 1, topologyKey = "topology.kubernetes.io/zone", whenUnsatisfiable = "%s", '
            'labelSelector = { matchLabels = { a = "b" } } }] }')
    rows = ((even % "DoNotSchedule", [], "the even spread over topology.kubernetes.io/zone that is required"),
            (even % "ScheduleAnyway", [], None),
            (mount, [], "claim 'data', which was not read"),
            (mount, [claim("data")], "claim 'data', which has no volume yet"),
            (mount, [claim("data", "v")], "the volume of claim 'data', which was not read"),
            (mount, [claim("data", "v"), zone], "the nodes or zone of the volume of claim 'data'"),
            (mount, [claim("data", "v"), plain], None),
            (mount, [claim("data", "v", "other"), plain], "claim 'data', which was not read"),
            ('raw pod { resourceClaims = [{ name = "gpu", resourceClaimTemplateName = "t" }] }', [], r"resource claims \(dynamic resource allocation\)"),
            ('raw pod { schedulingGates = [{ name = "a.b/c" }] }', [], "scheduling gates"),
            ('raw pod { volumes = [{ name = "v", ephemeral = { volumeClaimTemplate = { spec = { accessModes = ["ReadWriteOnce"], resources = { '
             'requests = { storage = "1Gi" } } } } } }] }', [], "the volume 'v', which is created for each pod"),
            ('raw pod { affinity = { podAffinity = { requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey = "kubernetes.io/hostname", '
             'labelSelector = { matchLabels = { a = "b" } } }] } } }', [], "affinity to pods of other jobs"),
            ('raw pod { affinity = { podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey = "kubernetes.io/hostname", '
             'namespaces = ["x"], labelSelector = { matchLabels = { a = "b" } } }] } } }', [], "anti-affinity to pods of other namespaces"))
    for more, objects, name in rows:
        if name:
            ask(w, job(1, more=more), nodes + objects, "unknown", out="j: it fits otherwise; not considered: " + name + "$")
            ask(w, job(1, 99, more=more), nodes + objects, "never")
        else:
            ask(w, job(1, more=more), nodes + objects, "now")
    got = json.loads(ask_json(w, job(1, more=mount), nodes))
    must(got["jobs"][0]["fits"] == "unknown" and "claim" in got["jobs"][0]["reason"], got)


def ask_json(w, program, objects):
    w.write("a.tj", program)
    w.write("nodes.json", json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
    return w.want(8, "fit", "-o", "json", "--nodes", "nodes.json", "a.tj")[0]


@check
def quotas(w):
    """quotas of the namespace: requests, limits and pods; current use counts, scoped quotas do not"""
    nodes = [node("a", 64, 256)]
    ask(w, job(4, 2), nodes + [quota({"requests.cpu": "8", "pods": "10"})], "now")
    ask(w, job(4, 2), nodes + [quota({"requests.cpu": "8"}, {"requests.cpu": "1"})], "empty",
        out=r"quota 'q' has 7 cpu left for requests\.cpu, the job asks for 8 cpu")
    ask(w, job(4, 2), nodes + [quota({"requests.cpu": "7"})], "never")
    ask(w, job(4, 2), nodes + [quota({"pods": "3"})], "never", out="has 3 pods for pods")
    ask(w, job(4, 2), nodes + [quota({"requests.cpu": "7"}, scopes=["BestEffort"])], "now")


def kueue(nominal, used=0, cohort=None, other=0, labels=None, limit=None, selector=({},), stop=None, levels=None, **kind):
    def queue(name, n, taken):
        r = {"name": "cpu", "nominalQuota": str(n)}
        if limit is not None:
            r["borrowingLimit"] = str(limit)
        return {"kind": "ClusterQueue", "metadata": {"name": name}, "spec": {"cohortName": cohort or "",
                **dict(zip(["namespaceSelector"], selector)), **({"stopPolicy": stop} if stop else {}), "resourceGroups": [
            {"coveredResources": ["cpu", "memory"], "flavors": [{"name": "f", "resources": [r, {"name": "memory", "nominalQuota": "1Ti"}]}]}]},
                "status": {"flavorsReservation": [{"name": "f", "resources": [{"name": "cpu", "total": str(taken)}]}]}}
    return [{"kind": "LocalQueue", "metadata": {"name": "lq", "namespace": "default"}, "spec": {"clusterQueue": "cq"}}, queue("cq", nominal, used),
            queue("other", other, 0), {"kind": "ResourceFlavor", "metadata": {"name": "f"}, "spec": {"nodeLabels": labels or {}, **kind}},
            *([{"kind": "Topology", "metadata": {"name": "t"}, "spec": {"levels": [{"nodeLabel": x} for x in levels]}}] if levels else [])]


@check
def closed_queues(w):
    """a queue that is stopped, that excludes the namespace, or that has no flavor for the pods: never, with the
    reason"""
    program, nodes = job(2, 2, top='queue = "lq"'), [node("a", taints=[("t", "x", "NoSchedule")])]
    lenient = {"tolerations": [{"key": "t", "operator": "Exists"}]}
    ask(w, program, nodes + kueue(8, **lenient), "now")
    ask(w, program, nodes + kueue(8), "never", out="1 tainted")
    ask(w, program, nodes + kueue(8, stop="None", **lenient), "now")
    ask(w, program, nodes + kueue(8, stop="Hold", **lenient), "never", out=r"queue 'lq' is stopped \(stopPolicy Hold\)")
    ask(w, program, nodes + kueue(8, selector=(), **lenient), "never", out="queue 'lq' takes no runs of namespace 'default'")
    ask(w, program, nodes + kueue(8, selector=(None,), **lenient), "never", out="has no namespaceSelector")
    taints = {"nodeTaints": [{"key": "u", "effect": "NoSchedule"}]}
    ask(w, program, nodes + kueue(8, **taints), "never", out="no flavor of queue 'lq' suits worker: 'f' has a taint that it does not tolerate")
    ask(w, job(2, 2, top='queue = "lq"', more='node { "pool" = "y" }'), nodes + kueue(8, labels={"pool": "x"}), "never",
        out="suits worker: 'f' has other labels than it selects")


@check
def topologies(w):
    """a placement needs a flavor with a topology that has the level"""
    w.write("project.tj", 'project { topology = ["example.com/rack"] }\n')
    nodes = [node("a%d" % i, 4, labels={"example.com/rack": "r%d" % (i // 3)}) for i in range(5)]
    program = 'place = near("rack")'
    rack = {"topologyName": "t", "levels": ["example.com/rack", "kubernetes.io/hostname"]}
    ask(w, job(3, 3, top='queue = "lq"', more=program), nodes + kueue(64, **rack), "now")
    ask(w, job(4, 3, top='queue = "lq"', more=program), nodes + kueue(64, **rack), "never", out="3 of 4 fit.*in one example.com/rack")
    ask(w, job(2, 3, top='queue = "lq"', more=program), nodes + kueue(64), "never", out="'f' has no topology, which 'place' needs")
    ask(w, job(2, 3, top='queue = "lq"', more="place = pack"), nodes + kueue(64), "never", out="'f' has no topology, which 'place' needs")
    each = 'place = near("rack", each = 2)'
    ask(w, job(4, 3, top='queue = "lq"', more=each), nodes + kueue(64, **rack), "now")
    ask(w, job(6, 3, top='queue = "lq"', more=each), nodes + kueue(64, **rack), "never", out="4 of 6 fit.*, each 2 in one example.com/rack")
    ask(w, job(6, 3, top='queue = "lq"', more=each), nodes + [node("b", 4, labels={"example.com/rack": "r1"})] + kueue(64, **rack), "never",
        out="4 of 6 fit.*room for 2 more, but not for 2 in one example.com/rack")
    ask(w, job(6, 3, top='queue = "lq"', more=each), nodes + [node("b%d" % i, 4, labels={"example.com/rack": "r2"}) for i in range(2)] + kueue(64, **rack), "now")
    ask(w, job(5, 3, top='queue = "lq"'), nodes + kueue(64, **rack), "now")
    rack["levels"] = ["kubernetes.io/hostname"]
    ask(w, job(2, 3, top='queue = "lq"', more=each), nodes + kueue(64, **rack), "never", out="'f' has no level")
    ask(w, job(2, 3, top='queue = "lq"', more=program), nodes + kueue(64, **rack), "never", out="'f' has no level in its topology for 'place'")
    ask(w, job(2, 3, top='queue = "lq"', more='place = prefer("rack")'), nodes + kueue(64, **rack), "never", out="no level in its topology")
    ask(w, job(2, 3, top='queue = "lq"', more="place = pack"), nodes + kueue(64, **rack), "now")


@check
def queues(w):
    """a queue of Kueue: nominal quota, reserved quota, what it may borrow, and the labels of its flavor"""
    program = job(4, 2, top='gang "kueue" { queue = "lq" }')
    w.write("a.tj", program)
    if w.run("check", "a.tj")[0]:
        program = job(4, 2, top='queue = "lq"\n  gang = "kueue"')
    nodes = [node("a", 64, 256, labels={"pool": "x"}), node("b", 64, 256)]
    ask(w, program, nodes + kueue(8), "now")
    ask(w, program, nodes + kueue(8, 1), "empty", out=r"queue 'lq' has 7 cpu left in flavor 'f', worker asks for 8 cpu")
    ask(w, program, nodes + kueue(7), "never")
    ask(w, program, nodes + kueue(4, cohort="c", other=4), "now")
    ask(w, program, nodes + kueue(4, cohort="c", other=4, limit=3), "never")
    ask(w, program, nodes[1:] + kueue(8, labels={"pool": "x"}), "never", out="1 without the labels")
    ask(w, program, nodes, "now")


@check
def elastic(w):
    """Kueue starts an elastic role with as many replicas as fit; a role that it may not shrink, with all of them"""
    def elastic_job(sizes, cpu=2, top=""):
        return job(9, cpu, top='queue = "lq"\n  ' + top).replace("replicas = 9", "replicas = " + sizes)
    nodes = [node("a", 64, 256)]
    ask(w, elastic_job("2:8"), nodes + kueue(16), r"now")
    got = ask(w, elastic_job("2:8"), nodes + kueue(9), "now", out="now    j: worker with 4 of 2:8 replicas$")
    must("worker asks for" not in got, got)
    ask(w, elastic_job("2:8"), nodes + kueue(16, 11), "now", out="worker with 2 of 2:8")
    ask(w, elastic_job("2:8"), nodes + kueue(16, 13), "empty", out="worker asks for 16 cpu")
    ask(w, elastic_job("2:8"), nodes + kueue(9, 7), "empty", out="without other pods it starts as worker with 4 of 2:8 replicas")
    ask(w, elastic_job("2:8"), nodes + kueue(3), "never")
    ask(w, elastic_job("2:8"), [node("a", 7)] + kueue(64), "now", out="worker with 3 of 2:8")
    ask(w, elastic_job("2:8", top='annotations { "kueue.x-k8s.io/elastic-job" = "true" }'), nodes + kueue(9), "never")
    ask(w, job(8, 2).replace("replicas = 8", "replicas = 2:8"), [node("a", 7)], "never")
    other = '  role other { replicas = 1:4, command = ["x"], cpu = 2, memory = 1Gi }\n}\n'
    both = elastic_job("2:8", top="# allow TJ0823: both may start alone\n")[:-2] + other
    ask(w, both, nodes + kueue(12), "now", out="now    j: worker with 5 of 2:8 replicas, other with 1 of 1:4 replicas$")


@check
def copies(w):
    """an elastic cell starts with the copies that fit; a copy fits as a whole or not at all, and the least number must"""
    def cells(sizes, top='queue = "lq"', more="", cell=""):
        return ('job "j" {\n  image = "r.example.com/a:1"\n  memory = 1Gi\n  success = none\n  %s\n  cell server { copies = %s, success = none, restarts = 0\n %s\n'
                ' role w { command = ["w"], cpu = 2, replicas = 2 } }\n%s\n}\n' % (top, sizes, cell, more))
    nodes = [node("a", 64, 256)]
    ask(w, cells("2:8"), nodes + kueue(32), "now", out="now    j$")
    ask(w, cells("2:8"), nodes + kueue(23), "now", out="now    j: server with 5 of 2:8 copies$")
    ask(w, cells("2:8"), nodes + kueue(7), "never")
    ask(w, cells("8"), nodes + kueue(23), "never")
    ask(w, cells("2:8"), [node("a", 15)] + kueue(64), "now", out="server with 3 of 2:8")
    for starts in "each", "together":
        ask(w, cells("2:8", 'gang = "volcano"', cell='starts = "%s"' % starts), [node("a", 15)], "now", out="server with 3 of 2:8")
    ask(w, cells("2:8", ""), [node("a", 15)], "never")
    more = ' cell other { copies = 1:4, success = none, restarts = 0, role v { command = ["v"], cpu = 2 } }\n role r { command = ["r"], cpu = 2 }'
    ask(w, cells("2:8", more=more, top="# allow TJ0823: all may start alone\n queue = \"lq\""), nodes + kueue(21), "now",
        out="now    j: server with 4 of 2:8 copies; other with 1 of 1:4 copies$")


@check
def forms(w):
    """JSON, several jobs, unreadable files, a cluster, and a user who may not list nodes"""
    w.write("a.tj", job(1, name="a") + "\n" + job(99, 1, name="b"))
    w.write("nodes.json", json.dumps({"kind": "List", "items": [node("n")]}))
    out = json.loads(w.want(8, "fit", "--nodes", "nodes.json", "-o", "json", "a.tj")[0])
    must(out["schemaVersion"] == 1 and [(x["name"], x["fits"]) for x in out["jobs"]] == [("a", "now"), ("b", "never")], out)
    w.want(1, "fit", "--nodes", "absent.json", "a.tj", err="cannot read 'absent.json'")
    w.want(1, "fit", "--nodes", ".", "a.tj", err="'.' is a directory")
    w.write("empty.json", "")
    w.want(1, "fit", "--nodes", "empty.json", "a.tj", err="'empty.json' is empty; save objects with kubectl get -o json")
    w.write("empty.json", json.dumps({"kind": "List", "items": []}))
    w.want(1, "fit", "--nodes", "empty.json", "a.tj", err="no nodes in 'empty.json'; save them with 'kubectl get nodes,pods -A -o json'")
    w.write("a.tj", job(1, name="a"))
    w.want(0, "fit", "--nodes", "nodes.json", "a.tj", out="^now    a$",
           err=r"'nodes.json' has no pods, so its nodes are counted as empty; save both with 'kubectl get nodes,pods -A -o json'")
    w.write("nodes.json", json.dumps({"kind": "List", "items": [node("n"), pod("p", "n", 1)]}))
    must(not w.want(0, "fit", "--nodes", "nodes.json", "a.tj")[1], "the nodes have pods")
    w.write("nodes.json", json.dumps({"kind": "List", "items": [node("n", 1)]}))
    w.write("b.tj", job(99, 1, name="b"))
    must(not w.want(8, "fit", "--nodes", "nodes.json", "b.tj")[1], "it never fits, with pods or without")
    w.write("a.tj", job(1, name="a") + "\n" + job(99, 1, name="b"))
    w.want(8, "fit", "a.tj", out="never  a: worker: 0 of 1 fit, each 1 cpu, 1Gi memory; the cluster has no nodes")
    w.put("nodes", "", node("n", 2))
    w.put("pods", "x", pod("p", "n", 1, ns="x"))
    w.write("a.tj", job(1, 2))
    w.want(8, "fit", "a.tj", out=r"^empty  j: worker: 0 of 1 fit.*1 full \(cpu\)")
    w.take("pods", "x", "p")
    w.want(0, "fit", "a.tj", out="^now    j$")
    w.fault("GET", "/api/v1/nodes", status(403, "Forbidden", "nodes is forbidden"))
    w.want(4, "fit", "a.tj", err="nodes is forbidden")


def schedules(rng, nodes, pods, n, need, shape):
    """Places one pod after the other on any node that accepts it; returns how many fit."""
    free = {x["metadata"]["name"]: {k: int(v.rstrip("Gi")) for k, v in x["status"]["allocatable"].items()} for x in nodes}
    for p in pods:
        for k, v in p["spec"]["containers"][0]["resources"]["requests"].items():
            if k in free[p["spec"]["nodeName"]]:
                free[p["spec"]["nodeName"]][k] -= int(v.rstrip("Gi"))
        free[p["spec"]["nodeName"]]["pods"] -= 1
    taken = set()

    def takes(x):
        name, labels = x["metadata"]["name"], x["metadata"]["labels"]
        return (not x["spec"]["unschedulable"] and all(labels.get(k) == v for k, v in shape["node"].items())
                and all(t["key"] in shape["tolerate"] or t["effect"] == "PreferNoSchedule" for t in x["spec"]["taints"])
                and all(free[name].get(k, 0) >= v for k, v in need.items()) and not (shape["apart"] and name in taken))
    for i in range(n):
        fitting = [x for x in nodes if takes(x)]
        if not fitting:
            return i
        on = rng.choice(fitting)["metadata"]["name"]
        taken.add(on)
        for k, v in need.items():
            free[on][k] -= v
    return n


@check
def random_clusters(w):
    """500 random clusters and jobs: now, empty and never agree with a scheduler that places one pod after the other"""
    rng = random.Random(7)
    seen = {}
    for batch in range(20):
        programs, answers = [], []
        nodes = [node("n%d" % i, rng.choice((4, 8, 16)), rng.choice((8, 32)), {"zone": rng.choice("ab")},
                      [("t%d" % rng.randrange(2), "", rng.choice(("NoSchedule", "NoExecute", "PreferNoSchedule")))] if rng.random() < 0.3 else (),
                      rng.choice((3, 110)), rng.random() < 0.1, **({"gpu": rng.choice((2, 4))} if rng.random() < 0.5 else {})) for i in range(rng.randrange(1, 9))]
        pods = [pod("p%d" % i, rng.choice(nodes)["metadata"]["name"], rng.randrange(4), rng.randrange(8)) for i in range(rng.randrange(6))]
        for i in range(25):
            need = {"cpu": rng.choice((1, 2, 4)), "memory": rng.choice((1, 4)), "pods": 1}
            n = rng.randrange(1, 14)
            shape = {"node": {"zone": "a"} if rng.random() < 0.3 else {}, "tolerate": ["t0"] if rng.random() < 0.4 else [], "apart": rng.random() < 0.2}
            more = "".join(['node { "zone" = "a" }\n    ' if shape["node"] else "", 'tolerate = ["t0"]\n    ' if shape["tolerate"] else "",
                            'spread = "host"\n    ' if shape["apart"] else ""])
            if rng.random() < 0.4:
                need["example.com/gpu"] = rng.choice((1, 2))
                more += 'raw container { resources = { limits = { "example.com/gpu" = %d }, requests = { "example.com/gpu" = %d } } }\n    ' % (
                    need["example.com/gpu"], need["example.com/gpu"])
            programs.append(job(n, need["cpu"], need["memory"], more, "j%d" % i))
            now = schedules(rng, nodes, pods, n, need, shape) == n
            answers.append("now" if now else "empty" if schedules(rng, nodes, [], n, need, shape) == n else "never")
        w.write("a.tj", "\n".join(programs))
        w.write("nodes.json", json.dumps({"kind": "List", "items": nodes + pods}))
        code, out, err = w.run("fit", "--nodes", "nodes.json", "a.tj")
        must(code in (0, 8), err)
        for line, want in zip(out.splitlines(), answers):
            must(line.split()[0] == want, "%s, expected %s\n%s\n%s" % (line, want, json.dumps(nodes), programs[int(line.split()[1].strip(":")[1:])]))
            seen[want] = seen.get(want, 0) + 1
    must(sum(seen.values()) == 500 and min(seen.get(k, 0) for k in ("now", "empty", "never")) > 10, seen)


@check
def cost(w):
    """1,000 jobs on 5,000 nodes in a second of processor time"""
    w.write("a.tj", "\n".join(job(16, 8, 8, name="j%d" % i) for i in range(1000)))
    items = [node("n%d" % i, 64, 256, {"zone": "z%d" % (i % 3)}) for i in range(5000)] + [pod("p%d" % i, "n%d" % (i % 5000), 8) for i in range(10000)]
    w.write("nodes.json", json.dumps({"kind": "List", "items": items}))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    w.want(0, "fit", "--nodes", "nodes.json", "a.tj", timeout=300)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    must(SANITIZED or used < 2, "%.2f s" % used)


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
