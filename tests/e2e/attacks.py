"""Attacks on `trainc supervise` and on the commands, by users with narrow roles, on a real control plane.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 attacks.py [NAME...]

One controller with --kubeflow, with the permissions of its manifest, is attacked by all of them, one after the other.
After each attack the same process must still be there, a job of another namespace must get its pod within seconds, a
colleague's objects in the attackers' namespace must be as they were, and the controller's memory must be below the
limit of its manifest.  An attack that yields is a trap: all traps are set first, and looked at after a few seconds.
"""

import inspect
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback

from attack_field import DOOMED, GOOD, PATIENCE, PLURALS, TEAM, Field, container_of, job_of, nested, path_of, pod_of, role_of
from cluster import until
from runtime import TRAINC, Failure
from supervise import GROUP, ROLES, must

MOST = 2**31 - 1
ATTACKS = []


def attack(f):
    ATTACKS.append(f)
    return f


def table(rows):
    """Makes an attack of each row: NAME, DOCSTRING, and the arguments of the decorated function after the field."""
    def make(f):
        for name, doc, *arguments in rows:
            def run(a, arguments=arguments):
                return f(a, *arguments)
            run.__name__, run.__doc__ = name, doc
            ATTACKS.append(run)
        return f
    return make


def raw_job(kind, name, managed):
    """A job whose template has these managed fields, which the definitions keep as they are; as text."""
    o = job_of(kind, name, suspend=True)
    role_of(o)["template"]["metadata"]["managedFields"] = [{"fieldsV1": "HERE"}]
    return json.dumps(o).replace('"HERE"', managed)


def accepted(answers, least=1):
    """The API server must have stored at least some of the objects; otherwise nothing was attacked."""
    must(sum(code in (200, 201) for code, _ in answers) >= least, f"the API server refused: {[(c, str(v.get('message'))[:200]) for c, v in answers]}")


# ---- objects that a reader may not bear ----


@table([(f"deep_{kind.lower()}", f"a tenant who may create {kind}s stops the watch of that kind with 250 levels", kind)
        for kind in ROLES if kind != "JAXJob"])         # crd_gone() does that
def deep(a, kind):
    a.users[kind].create(PLURALS[kind], raw_job(kind, "deep", nested(250)))
    a.probe(kind)
    # the deep part is not needed, so the job is as good as any other
    until(lambda: [c for c in a.admin.get(PLURALS[kind], "deep").get("status", {}).get("conditions", []) if c["type"] == "Suspended"], PATIENCE,
          "the job is suspended, as its author wants")


@attack
def deep_9000(a):
    """a tenant who may create TFJobs ends the controller's stack with 9,000 levels"""
    tenant = a.users["TFJob"]
    accepted([tenant.create("tfjobs", raw_job("TFJob", "deeper", nested(9000)), ok=False),
              tenant.create("tfjobs", raw_job("TFJob", "lists", "{\"a\":" + "[" * 9000 + "]" * 9000 + "}"), ok=False)])


@attack
def deep_changed(a):
    """a tenant who may create TFJobs makes a job that runs unreadable, so that its pods stay without a controller or
    the watch ends"""
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "turned"))
    until(lambda: a.admin.get("pods", "turned-worker-0"), PATIENCE, "the pod")
    a.users["TFJob"].request("PUT", path_of("tfjobs", "turned"), raw_job("TFJob", "turned", nested(400)).replace(
        '"metadata": {"name": "turned"', '"metadata": {"resourceVersion": "%s", "name": "turned"'
        % a.admin.get("tfjobs", "turned")["metadata"]["resourceVersion"], 1))
    a.probe()
    a.users["TFJob"].delete("tfjobs", "turned")
    until(lambda: not a.admin.get("pods", "turned-worker-0"), PATIENCE * 2, "the pod goes with its job")


@attack
def odd_keys(a):
    """a tenant who may create TFJobs ends a watch with long, empty, odd and repeated keys and with numbers of any
    size"""
    key = "k" * 70000
    texts = [f'{{"{key}":1}}', '{"":{"":{"":1}}}', '{"\\u0000":"\\u0000","\\u001b]0;PWN\\u0007":"\\u202e"}', '{"a":1,"a":{"a":[]}}',
             '{"n":[1e308,-1e308,1e-300,9223372036854775807,-9223372036854775808,18446744073709551615,0.1]}',
             '{"\\ud83d\\ude00":"\\ud83d\\ude00\\uffff\\ufeff"}', "[" + ",".join(["[]"] * 50000) + "]", "null", '"text"', "[null]", "true"]
    answers = [a.users["TFJob"].create("tfjobs", raw_job("TFJob", f"odd-{i}", text), ok=False) for i, text in enumerate(texts)]
    accepted(answers, 6)


# ---- objects that are large, or many ----


def large_job(name, variables, suspend=False):
    o = job_of("TFJob", name, suspend=suspend)
    container_of(o)["env"] = variables
    return o


@attack
def large(a):
    """a tenant who may create TFJobs takes the controller's memory with a job of 1.3 MB"""
    a.users["TFJob"].create("tfjobs", large_job("large", [{"name": "A", "value": "x" * 1_300_000}]))


@attack
def variables(a):
    """a tenant who may create TFJobs takes the controller's memory with 40,000 empty variables"""
    a.users["TFJob"].create("tfjobs", large_job("many", [{"name": f"V{i:05}", "value": ""} for i in range(40000)], suspend=True))


@attack
def variables_100000(a):
    """a tenant who may create TFJobs takes the controller's time with 100,000 entries of env"""
    o = json.dumps(large_job("most", ["HERE"])).replace('"HERE"', ",".join(['{"name":"A"}'] * 100_000))
    a.users["TFJob"].create("tfjobs", o)


@attack
def legal_large(a):
    """a tenant who may create TFJobs takes the controller's time with legal objects of many containers"""
    for i in range(4):
        o = job_of("TFJob", f"wide-{i}")
        pod_of(o)["containers"] += [{"name": f"c{n}", "image": "registry.example.com/a:1", "env": [{"name": f"V{v}", "value": "1"} for v in range(10)]}
                                    for n in range(300)]
        a.users["TFJob"].create("tfjobs", o)
    a.probe()


@attack
def many_large(a):
    """a tenant who may create TFJobs ends the controller with 30 jobs of 1.3 MB (36 did at 64 MiB)"""
    o = large_job("NAME", [{"name": "A", "value": "x" * 1_300_000}])
    text = json.dumps(o)
    for i in range(30):
        a.users["TFJob"].create("tfjobs", text.replace('"NAME"', f'"heap-{i}"', 1))
    a.probe()


@attack
def crowd(a):
    """a tenant who may create TFJobs delays others with 300 jobs at once (5,000 on a larger machine)"""
    text = json.dumps(job_of("TFJob", "NAME"))
    threads = [threading.Thread(target=lambda n=n: [a.users["TFJob"].create("tfjobs", text.replace('"NAME"', f'"crowd-{n}-{i}"', 1))
                                                    for i in range(75)]) for n in range(4)]  # fmt: skip
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        a.probe()
        time.sleep(0.5)


@attack
def wide(a):
    """a tenant who may create TFJobs delays others with one job of 1,500 replicas"""
    o = job_of("TFJob", "thousand")
    role_of(o)["replicas"] = 1500
    a.users["TFJob"].create("tfjobs", o)
    for _ in range(3):
        a.probe()
    a.users["TFJob"].delete("tfjobs", "thousand")


@attack
def annotation(a):
    """a tenant who may create TFJobs takes the controller's memory with annotations of 256 KiB, on jobs and on pods"""
    for i in range(10):
        o = job_of("TFJob", f"note-{i}")
        o["metadata"]["annotations"] = {"a": "x" * 262_000}
        role_of(o)["template"]["metadata"]["annotations"] = {"a": "x" * 262_000}
        a.users["TFJob"].create("tfjobs", o, ok=False)


@attack
def labels(a):
    """a tenant who may create TFJobs takes the controller's memory with 15,000 labels, whose number has no limit"""
    for i in range(2):
        o = job_of("TFJob", f"label-{i}")
        o["metadata"]["labels"] = {f"l{n}": "v" for n in range(5000)}
        role_of(o)["template"]["metadata"]["labels"] = {f"l{n}": "v" for n in range(10000)}
        a.users["TFJob"].create("tfjobs", o)


def noise(size):
    """Text that does not get smaller when it is packed."""
    return os.urandom(size // 2).hex()


LOOKS = {"training.kubeflow.org/job-name": "x", "training.kubeflow.org/replica-type": "worker", "trainc.dev/job": "x",
         "batch.kubernetes.io/controller-uid": "x"}
PLAIN_POD = {"containers": [{"name": "tensorflow", "image": "registry.example.com/a:1"}]}


@table([
    ("look_pods_labels", "a tenant who may create pods takes the controller's memory with labels of pods that look like replicas", "pods", "labels"),
    ("look_pods_owners", "a tenant who may create pods takes the controller's memory with owners of pods that look like replicas", "pods", "owners"),
    ("look_services", "a tenant who may create Services takes the controller's memory with Services that look like those of replicas", "services", "owners"),
    ("look_jobs", "a tenant who may create Jobs takes the controller's memory with Jobs that look like those of a run", "jobs", "labels"),
])
def look(a, plural, how):
    begin, sent = a.resident(), 0
    template = {"spec": {**PLAIN_POD, "restartPolicy": "Never"}}
    spec = {"pods": PLAIN_POD, "services": {"clusterIP": "None", "ports": [{"port": 1}]}, "jobs": {"suspend": True, "template": template}}[plural]
    for i in range(40):
        m = {"name": f"look-{i}", "labels": dict(LOOKS)}
        if how == "labels":
            m["labels"].update({noise(60): "v" for _ in range(2500)})
        else:
            m["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": "x", "uid": noise(150_000)}]
        sent += 150_000
        a.users[plural].create(plural, {"metadata": m, "spec": {**spec, **({"suspend": True} if plural == "jobs" else {})}})
    a.probe()
    a.grows(begin, sent)


@attack
def fields_managers(a):
    """a tenant who may create TFJobs takes the controller's time with 1,000 entries of managedFields"""
    o = job_of("TFJob", "managed")
    o["metadata"]["managedFields"] = [
        {"manager": f"m{i}", "operation": "Update", "apiVersion": f"{GROUP}/v1", "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1",
         "fieldsV1": {"f:spec": {f"f:x{i}": {}}}} for i in range(1000)]
    a.users["TFJob"].create("tfjobs", o)


# ---- values ----


@table([
    ("value_ttl", "a tenant who may create TFJobs ends the controller with ttlSecondsAfterFinished at its limits", "ttlSecondsAfterFinished"),
    ("value_deadline", "a tenant who may create TFJobs ends the controller with activeDeadlineSeconds at its limits", "activeDeadlineSeconds"),
    ("value_backoff", "a tenant who may create TFJobs ends the controller with backoffLimit at its limits", "backoffLimit"),
    ("value_available", "a tenant who may create TFJobs ends the controller with minAvailable at its limits", "schedulingPolicy"),
])  # fmt: skip
def values(a, field):
    answers = []
    for i, n in enumerate((-1, 0, MOST, -MOST - 1, 2**62, 2**63 - 1, -(2**63))):
        o = job_of("TFJob", f"value-{i}", **{field: {"minAvailable": n} if field == "schedulingPolicy" else n})
        role_of(o)["template"]["metadata"]["annotations"] = {}         # its pod ends at once
        answers.append(a.users["TFJob"].create("tfjobs", o, ok=False))
    accepted(answers)


@attack
def replicas(a):
    """a tenant who may create TFJobs ends the controller, or makes it create pods without end, with 2^31 - 1, -1 and 0
    replicas"""
    answers = []
    for i, n in enumerate((MOST, -1, 0, MOST - 1, 1_000_000)):
        o = job_of("TFJob", f"size-{i}")
        role_of(o)["replicas"] = n
        answers.append(a.users["TFJob"].create("tfjobs", o, ok=False))
    accepted(answers)
    a.probe()
    must(not [p for p in a.admin.list("pods") if p["metadata"]["name"].startswith("size-0")], "pods of a job with 2^31 - 1 replicas")


@attack
def scaled(a):
    """an editor scales a PyTorchJob to 2^31 - 1 through its scale subresource"""
    o = job_of("PyTorchJob", "elastic")
    o["spec"]["elasticPolicy"] = {"minReplicas": 1, "maxReplicas": 2, "rdzvBackend": "c10d"}
    a.users["editor"].create("pytorchjobs", o)
    until(lambda: a.admin.get("pods", "elastic-worker-0"), PATIENCE, "the pod")
    a.users["editor"].change("pytorchjobs", "elastic", {"spec": {"replicas": MOST}}, "scale", ok=False)
    a.probe("PyTorchJob")
    time.sleep(0.5)  # no pod is created meanwhile
    made = [p for p in a.admin.list("pods") if p["metadata"]["name"].startswith("elastic-")]
    must(len(made) <= 2, f"{len(made)} pods of a job with at most two workers")


@attack
def ports(a):
    """a tenant who may create TFJobs ends the controller with ports 0, -1, 65536 and 2^31 - 1"""
    answers = []
    for i, port in enumerate((0, -1, 65536, MOST, 1)):
        o = job_of("TFJob", f"port-{i}")
        container_of(o)["ports"] = [{"name": "tfjob-port", "containerPort": port}]
        answers.append(a.users["TFJob"].create("tfjobs", o, ok=False))
    accepted(answers)


@attack
def images(a):
    """a tenant who may create TFJobs writes lines of his own into the log with newlines and escapes in an image"""
    for i, image in enumerate(('a\n{"level":"error","message":"PWN"}', "\x1b]0;PWN\x07", "\u202ea:1", "\x85a", "x" * 100_000, " ")):
        o = job_of("TFJob", f"image-{i}")
        container_of(o)["image"] = image
        a.users["TFJob"].create("tfjobs", o, ok=False)
    a.probe()
    for line in a.said().split("\n")[:-1]:              # the last may not be whole yet
        must(line.startswith("{") and json.loads(line)["message"] != "PWN", f"a line of the log: {line[:200]}")
    must(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", a.said()), "control characters in the log")


@attack
def names(a):
    """a tenant who may create TFJobs ends the controller with names of 253 characters, of dots, and of digits"""
    answers = [a.users["TFJob"].create("tfjobs", job_of("TFJob", name), ok=False)
               for name in ("n" * 253, ".".join(["n"] * 100), "0", "0.0", "n" * 63, "n" * 55, "kubernetes", "a.trainc")]
    accepted(answers, 4)


@attack
def unicode(a):
    """a tenant who may create TFJobs ends a watch with NUL, lone surrogates, and text in every plane"""
    text = json.dumps(job_of("TFJob", "NAME"))
    answers = []
    for i, bad in enumerate(("\\u0000", "\\ud800", "\\udfff\\ud800", "\\u202e\\u2066", "\U0010ffff", "\x7f", "é" * 1000)):
        answers.append(a.users["TFJob"].create("tfjobs", text.replace('"NAME"', f'"text-{i}"', 1).replace("train:1.0", bad).replace('"train"', f'"{bad}"'),
                                               ok=False))
    accepted(answers, 3)


def paths_in(value, at=()):
    """The paths of all values inside VALUE."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*at, key)
        yield from paths_in(item, (*at, key))


def replaced(value, path, new):
    copy = json.loads(json.dumps(value))
    inside = copy
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = new
    return copy


def full_job(kind):
    o = job_of(kind, "NAME", ttlSecondsAfterFinished=1, backoffLimit=1, cleanPodPolicy="All", suspend=False)
    container_of(o).update({"env": [{"name": "A", "value": "1"}], "ports": [{"name": "a", "containerPort": 1}], "resources": {"limits": {"cpu": "1"}}})
    return o


@table([(f"wrong_{kind.lower()}", f"a tenant who may create {kind}s ends the controller with null or a wrong type in any one field", kind)
        for kind in ("TFJob", "MPIJob", "PyTorchJob")])
def wrong(a, kind):
    whole, answers = full_job(kind), []
    for i, path in enumerate(p for p in paths_in(whole["spec"])):
        for k, bad in enumerate((None, {"a": []}, "", -1) if kind == "TFJob" else (None,)):
            o = replaced(whole, ("spec", *path), bad)
            o["metadata"]["name"] = f"wrong-{i}-{k}"
            answers.append(a.users[kind].create(PLURALS[kind], o, ok=False))
    accepted(answers, 5)
    a.probe(kind)


# ---- what users other than the controller write into its objects ----


STATUSES = [
    {"conditions": [{"type": f"C{i}", "status": "True", "reason": "r" * 50, "message": "m" * 20} for i in range(8000)]},
    {"conditions": [{"type": "Succeeded", "status": "True", "reason": "\x1b]0;PWN\x07", "message": "m" * 30000}], "completionTime": "9999-12-31T23:59:59Z"},
    {"conditions": [{"type": "Restarting", "status": "True"}, {"type": "Running", "status": "True"}, {"type": "Failed", "status": "True"}]},
    {"startTime": "0001-01-01T00:00:00Z", "lastReconcileTime": "9999-12-31T23:59:59Z", "replicaStatuses": {"Worker": {"active": MOST, "failed": -1}}},
    {"startTime": "9999-12-31T23:59:59Z", "replicaStatuses": {"x" * 1000: {"succeeded": MOST}, "Worker": {"failed": MOST}}},
    {"conditions": [{"type": "Created", "status": "True", "lastTransitionTime": "2500-01-01T00:00:00Z", "lastUpdateTime": "1600-01-01T00:00:00Z"}]},
]


@attack
def statuses(a):
    """a user who may patch statuses ends the controller with conditions and times of his own: of other millennia,
    8,000 of them, contradictory"""
    answers = []
    for i, status in enumerate(STATUSES):
        o = job_of("TFJob", f"status-{i}", ttlSecondsAfterFinished=MOST, activeDeadlineSeconds=2**62)
        a.users["TFJob"].create("tfjobs", o)
        answers.append(a.users["status"].change("tfjobs", f"status-{i}", {"status": status}, "status", ok=False))
    accepted(answers, 3)
    restart_reads(a)


def restart_reads(a):
    """Another controller starts beside what was written, as after a restart, and reads it."""
    p = a.start(ns=TEAM)
    time.sleep(1)  # it does not end meanwhile
    must(p.poll() is None, f"a controller that starts beside it ends with {p.returncode}: {a.said(p)[-500:]}")
    p.terminate()
    p.wait(timeout=20)


RECORDS = ["", "null", "[]", "{", "x" * 200_000, nested(250), nested(9000), '{"version":1}', '{"version":99999999999999999999}',
           json.dumps({"version": 1, "roles": {"worker": {"succeeded": "0-99999999999", "failed": "5-1", "attempts": {"0": [MOST, -1, 2**63]}}}}),
           json.dumps({"version": 1, "conditions": [{"type": "Running", "status": "True", "lastUpdateTime": "9999-12-31T23:59:59Z"}] * 3000}),
           json.dumps({"version": 1, "start": "9999-12-31T23:59:59Z", "restarts": 2**63, "roles": []})]  # fmt: skip


@attack
def records(a):
    """a tenant who may create TFJobs ends the controller with a forged annotation trainc.dev/record"""
    for i, text in enumerate(RECORDS):
        o = job_of("TFJob", f"record-{i}")
        o["metadata"]["annotations"] = {"trainc.dev/record": text}
        a.users["TFJob"].create("tfjobs", o)
    a.probe()
    restart_reads(a)


@attack
def clocks(a):
    """a tenant who may create TFJobs makes a job older or younger than it is, so that deadlines of others are wrong"""
    o = job_of("TFJob", "old", activeDeadlineSeconds=3600)
    o["metadata"].update({"creationTimestamp": "1970-01-01T00:00:00Z", "generation": 9223372036854775807, "resourceVersion": "", "uid": "forged"})
    a.users["TFJob"].create("tfjobs", o)
    stored = a.admin.get("tfjobs", "old")["metadata"]
    must(stored["creationTimestamp"] > "2026" and stored["generation"] == 1 and stored["uid"] != "forged", stored)
    until(lambda: a.admin.get("pods", "old-worker-0"), PATIENCE, "the job runs")


@attack
def finalizers(a):
    """a tenant who may create TFJobs keeps a job that is deleted for ever, so that the controller works for it for
    ever or stays with it"""
    o = job_of("TFJob", "undead")
    o["metadata"]["finalizers"] = [f"example.com/{i}" for i in range(500)]
    a.users["TFJob"].create("tfjobs", o)
    until(lambda: a.admin.get("pods", "undead-worker-0"), PATIENCE, "the pod")
    a.users["TFJob"].delete("tfjobs", "undead")
    a.admin.delete("pods", "undead-worker-0")
    a.probe()
    time.sleep(0.5)  # no pod is created meanwhile
    must(not a.admin.get("pods", "undead-worker-0"), "a job that is being deleted got another pod")


@attack
def owners(a):
    """a tenant who may create TFJobs names cluster-scoped objects, and objects of other namespaces, as the owners of
    his job"""
    answers = []
    node = a.admin.request("GET", "/api/v1/nodes")[1]["items"][0]["metadata"]
    for i, owner in enumerate(({"apiVersion": "v1", "kind": "Node", "name": node["name"], "uid": node["uid"]},
                               {"apiVersion": "v1", "kind": "Namespace", "name": GOOD, "uid": "1", "controller": True},
                               {"apiVersion": "v1", "kind": "Pod", "name": "db-worker-0", "uid": "2", "controller": True, "blockOwnerDeletion": True})):
        o = job_of("TFJob", f"owned-{i}")
        o["metadata"]["ownerReferences"] = [owner] * (1 if i else 1)
        answers.append(a.users["TFJob"].create("tfjobs", o, ok=False))
    accepted(answers)


# ---- names that collide, and objects that look like a job's own ----


def stays(a, plural, name, seconds=0.0):
    """The colleague's object is the same as at the beginning; SECONDS gives the controller time to act."""
    time.sleep(seconds)
    o = a.admin.get(plural, name)
    must(o and o["metadata"]["uid"] == a.colleagues[plural, name][0] and "deletionTimestamp" not in o["metadata"], f"{plural}/{name} has changed")


def told(a, name, reason, ns=TEAM):
    """Waits for an Event whose reason matches, about an object whose name matches."""
    until(lambda: any(re.fullmatch(name, e["involvedObject"]["name"]) and re.fullmatch(reason, e["reason"]) for e in a.admin.list("events", ns)), PATIENCE,
          f"an Event {reason} about {name}, but {[(e['involvedObject']['name'], e['reason']) for e in a.admin.list('events', ns)][-8:]}")


@attack
def mpi_exec(a):
    """a tenant who may create MPIJobs gets a Role that permits exec into the pods of a StatefulSet, db-worker-0 (B1)"""
    a.users["MPIJob"].create("mpijobs", job_of("MPIJob", "db"))
    a.probe("MPIJob")
    time.sleep(1)  # no Role is created meanwhile
    must(not a.admin.get("roles", "db-launcher") and not a.admin.get("rolebindings", "db-launcher"), "the Role for db-worker-0 exists")
    must(not a.admin.get("pods", "db-launcher"), "the launcher runs")
    stays(a, "pods", "db-worker-0")


@attack
def mpi_account(a):
    """a tenant who may create MPIJobs takes over an account and a ConfigMap with the names of his job's"""
    a.users["MPIJob"].create("mpijobs", job_of("MPIJob", "own"))
    told(a, "own", "ErrResourceExists")
    must(not a.admin.get("pods", "own-launcher") and not a.admin.get("pods", "own-worker-0"), "the job runs as the colleague's account")
    must(not a.admin.get("roles", "own-launcher"), "a Role for an account that is not the job's")
    must(a.admin.get("configmaps", "own-config")["data"] == {"secret": "1"}, "the ConfigMap has changed")


@attack
def mpi_late(a):
    """a tenant who may create MPIJobs and pods lets the worker be his own pod, and the launcher's Role lead into it
    only"""
    a.users["pods"].create("pods", {"metadata": {"name": "race-worker-0"}, "spec": {"containers": [{"name": "mpi", "image": "registry.example.com/a:1"}]}})
    a.users["MPIJob"].create("mpijobs", job_of("MPIJob", "race"))
    a.probe("MPIJob")
    role = a.admin.get("roles", "race-launcher")
    exec_into = [n for rule in (role or {"rules": []})["rules"] if "pods/exec" in rule["resources"] for n in rule.get("resourceNames", ["*"])]
    must(not exec_into, f"a Role permits exec into {exec_into}, which the job does not own")


@attack
def adopt_pod(a):
    """a tenant who may create TFJobs makes the controller adopt or delete a colleague's pod with the name of a
    replica"""
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "tool"))
    a.users["PyTorchJob"].create("pytorchjobs", job_of("PyTorchJob", "tool"))
    a.probe()
    a.users["TFJob"].change("tfjobs", "tool", {"spec": {"runPolicy": {"suspend": True}}})
    a.probe()
    stays(a, "pods", "tool-worker-0", 0.3)


@attack
def adopt_statefulset(a):
    """a tenant who may create TFJobs makes the controller adopt or delete the pod of a StatefulSet"""
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "db"))
    a.probe()
    a.users["TFJob"].change("tfjobs", "db", {"spec": {"runPolicy": {"suspend": True}}})
    a.probe()
    stays(a, "pods", "db-worker-0", 0.3)


@attack
def adopt_service(a):
    """a tenant who may create TFJobs makes the controller take over a colleague's Service"""
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "web"))
    a.probe()
    a.users["TFJob"].delete("tfjobs", "web")
    stays(a, "services", "web-worker-0", 0.3)


@attack
def scaler(a):
    """a tenant who may create PyTorchJobs makes the controller change or delete a colleague's autoscaler"""
    o = job_of("PyTorchJob", "scaled")
    o["spec"]["elasticPolicy"] = {"minReplicas": 1, "maxReplicas": 2, "metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}
    a.users["PyTorchJob"].create("pytorchjobs", o)
    told(a, "scaled", "ErrResourceExists")
    a.users["PyTorchJob"].change("pytorchjobs", "scaled", {"spec": {"runPolicy": {"suspend": True}}})
    a.probe("PyTorchJob")
    stays(a, "horizontalpodautoscalers", "scaled", 0.3)


@attack
def gang(a):
    """a tenant who may create TFJobs makes the controller delete a colleague's PodGroup with the name of his job"""
    p = a.start("--gang=coscheduling", ns=TEAM)
    try:
        a.users["TFJob"].create("tfjobs", job_of("TFJob", "grouped", suspend=True))
        until(lambda: (a.admin.get("tfjobs", "grouped") or {}).get("status", {}).get("conditions"), PATIENCE, "its status")
        stays(a, "podgroups", "grouped", 1)
        a.users["TFJob"].change("tfjobs", "grouped", {"spec": {"runPolicy": {"suspend": False}}})
        told(a, "grouped", "ErrResourceExists")
        stays(a, "podgroups", "grouped")
    finally:
        p.terminate()
        p.wait(timeout=20)


@attack
def same_name(a):
    """tenants who may create one kind each use one name: each job has pods of its own, and none adopts another's"""
    kinds = ("TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob")
    for kind in kinds:
        a.users[kind].create(PLURALS[kind], job_of(kind, "same"))
    until(lambda: a.admin.get("pods", "same-worker-0"), PATIENCE, "the pod of one")
    a.probe()
    owners = {r["uid"] for p in a.admin.list("pods") if p["metadata"]["name"].startswith("same-") for r in p["metadata"].get("ownerReferences", [])}
    must(len(owners) == 1, f"{len(owners)} jobs own pods of one name")


@attack
def squat_pod(a):
    """a tenant who may create pods takes the names of a job's replicas: the job says so, and nothing else happens"""
    pod = {"metadata": {"name": "squat-worker-0"}, "spec": {"containers": [{"name": "main", "image": "registry.example.com/a:1"}]}}
    a.users["pods"].create("pods", pod)
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "squat"))
    told(a, "squat", "FailedCreatePod|ErrResourceExists")
    must(not a.admin.get("pods", "squat-worker-0")["metadata"].get("ownerReferences"), "the pod was adopted")


def replica_like(a, name, owner_ns, **more):
    """A pod that says that it is the worker of a job of another namespace."""
    owner = a.admin.get("tfjobs", name, owner_ns)["metadata"]["uid"]
    return {"metadata": {"name": f"{name}-worker-0", "labels": {
        "training.kubeflow.org/job-name": name, "training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": "0",
        "training.kubeflow.org/operator-name": "tfjob-controller", "trainc.dev/job": name}, "ownerReferences": [
        {"apiVersion": f"{GROUP}/v1", "kind": "TFJob", "name": name, "uid": owner, "controller": True}], **more},
        "spec": {"containers": [{"name": "tensorflow", "image": "registry.example.com/a:1"}]}}  # fmt: skip


@attack
def spoof_owner(a):
    """a tenant who may create pods ends a job of another namespace with a pod that names it as its owner and fails"""
    a.admin.create("tfjobs", job_of("TFJob", "spoofed"), ns=GOOD)
    until(lambda: a.admin.get("pods", "spoofed-worker-0", GOOD), PATIENCE, "the pod")
    a.users["pods"].create("pods", replica_like(a, "spoofed", GOOD))
    a.users["pods"].change("pods", "spoofed-worker-0", {"status": {"phase": "Failed"}}, "status", ok=False)
    a.probe()
    time.sleep(0.3)  # no verdict is written meanwhile
    conditions = [c["type"] for c in a.admin.get("tfjobs", "spoofed", GOOD).get("status", {}).get("conditions", [])]
    must("Failed" not in conditions and "Succeeded" not in conditions and "Restarting" not in conditions, conditions)
    a.admin.delete("tfjobs", "spoofed", GOOD)


@attack
def selectors(a):
    """a tenant who may create TFJobs gets Services that select pods of others, with labels of his own"""
    o = job_of("TFJob", "sel")
    role_of(o)["template"]["metadata"]["labels"] = {"app": "db", "training.kubeflow.org/job-name": "db", "trainc.dev/job": "db"}
    a.users["TFJob"].create("tfjobs", o)
    a.probe()
    for s in a.admin.list("services"):
        if s["metadata"]["name"].startswith("sel-"):
            must(s["spec"]["selector"].get("training.kubeflow.org/job-name") == "sel", s["spec"]["selector"])


@attack
def service_spoof(a):
    """a tenant who may create Services leads a job of another namespace elsewhere with labels of that job"""
    a.users["services"].create("services", {"metadata": {"name": "probe-worker-0", "labels": {"training.kubeflow.org/job-name": "probe"}},
                                            "spec": {"type": "ExternalName", "externalName": "example.com"}})
    a.probe()
    must(all(s["spec"].get("type") != "ExternalName" for s in a.admin.list("services", GOOD)), "a Service of the other namespace")


# ---- storms ----


@attack
def storm_suspend(a):
    """a tenant who may create TFJobs keeps the controller busy by suspending and resuming without end"""
    o = job_of("TFJob", "storm")
    role_of(o)["replicas"] = 8
    a.users["TFJob"].create("tfjobs", o)
    for i in range(60):
        a.users["TFJob"].change("tfjobs", "storm", {"spec": {"runPolicy": {"suspend": i % 2 == 0}}})
        if i % 20 == 10:
            a.probe()
    until(lambda: len([p for p in a.admin.list("pods") if p["metadata"]["name"].startswith("storm-")]) == 8, PATIENCE * 2, "exactly its eight pods")


@attack
def storm_managed_by(a):
    """a tenant who may create TFJobs switches managedBy back and forth, so that two controllers act on one job"""
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "torn"))
    for i in range(40):
        a.users["TFJob"].change("tfjobs", "torn", {"spec": {"runPolicy": {"managedBy": ["kueue.x-k8s.io/multikueue", None][i % 2]}}}, ok=False)
    a.probe()
    must(len([p for p in a.admin.list("pods") if p["metadata"]["name"].startswith("torn-")]) <= 1, "more pods than one")


@attack
def storm_names(a):
    """a tenant who may create TFJobs deletes and creates a job of one name, so that pods of an old uid count for the
    new job"""
    for _ in range(15):
        a.users["TFJob"].create("tfjobs", job_of("TFJob", "again"))
        a.users["TFJob"].delete("tfjobs", "again")
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "again"))
    uid = a.admin.get("tfjobs", "again")["metadata"]["uid"]

    def right():
        p = a.admin.get("pods", "again-worker-0")
        return p and p["metadata"]["ownerReferences"][0]["uid"] == uid and "deletionTimestamp" not in p["metadata"]
    until(right, PATIENCE * 2, "a pod of the last job")


@attack
def storm_refused(a):
    """a tenant who may create TFJobs keeps the controller busy with jobs that the API server refuses pods for"""
    for i in range(40):
        o = job_of("TFJob", f"refused-{i}")
        pod_of(o)["serviceAccountName"] = "missing"
        pod_of(o)["hostNetwork"] = True
        container_of(o)["name"] = "tensorflow"
        container_of(o)["volumeMounts"] = [{"name": "missing", "mountPath": "/x"}]
        a.users["TFJob"].create("tfjobs", o, ok=False)
    a.probe()
    begun = len(a.said())
    time.sleep(1)  # the log of a second
    must(len(a.said()) - begun < 200_000, f"{len(a.said()) - begun} bytes of log in a second")


@attack
def events(a):
    """a user who may write Events floods the namespace with Events about a job"""
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "loud"))
    uid = a.admin.get("tfjobs", "loud")["metadata"]["uid"]
    for i in range(150):
        a.users["events"].create("events", {"metadata": {"name": f"loud.{i}"}, "type": "Warning", "reason": "PWN", "message": "\x1b]0;PWN\x07" * 50,
                                            "involvedObject": {"apiVersion": f"{GROUP}/v1", "kind": "TFJob", "namespace": TEAM, "name": "loud", "uid": uid}})


@attack
def changes(a):
    """a tenant who may create TFJobs changes a job between two reads of the controller: its roles, its size, its
    image"""
    a.users["TFJob"].create("tfjobs", job_of("TFJob", "moving"))
    for i in range(30):
        o = job_of("TFJob", "moving")
        role_of(o)["replicas"] = i % 4
        container_of(o)["image"] = f"registry.example.com/a:{i}"
        if i % 3 == 0:
            o["spec"]["tfReplicaSpecs"]["PS"] = o["spec"]["tfReplicaSpecs"]["Worker"]
        a.users["TFJob"].change("tfjobs", "moving", {"spec": {**o["spec"], "tfReplicaSpecs": {"PS": None, **o["spec"]["tfReplicaSpecs"]}}}, ok=False)
    a.probe()


# ---- leases, namespaces, definitions ----


@attack
def lease(a):
    """an editor steals the controller's Lease: in his own namespace it is not the controller's, in the controller's he
    may not write"""
    lease = {"metadata": {"name": "trainc-supervise"}, "spec": {"holderIdentity": "thief", "leaseDurationSeconds": MOST}}
    a.users["editor"].create("leases", lease)
    code, _ = a.users["editor"].create("leases", lease, ns="trainc-system", ok=False)
    must(code == 403, f"an editor of another namespace writes the Lease: {code}")


@attack
def two_controllers(a):
    """an administrator starts a second controller by mistake: every replica still has one pod, and jobs end"""
    p = a.start(ns=TEAM)
    try:
        o = job_of("TFJob", "twice")
        role_of(o)["replicas"] = 6
        a.users["TFJob"].create("tfjobs", o)
        until(lambda: len([p for p in a.admin.list("pods") if p["metadata"]["name"].startswith("twice-")]) == 6, PATIENCE, "six pods")
        a.probe()
        must(p.poll() is None, a.said(p)[-500:])
    finally:
        p.terminate()
        p.wait(timeout=20)


@attack
def namespace_deleted(a):
    """an administrator deletes a namespace with jobs: the controller does not fill its log for what is refused there,
    and others are handled"""
    for i in range(5):
        o = job_of("TFJob", f"doomed-{i}")
        o["metadata"]["finalizers"] = ["example.com/stay"]
        a.admin.create("tfjobs", o, ns=DOOMED)
    until(lambda: a.admin.get("pods", "doomed-4-worker-0", DOOMED), PATIENCE, "a pod")
    a.admin.request("DELETE", f"/api/v1/namespaces/{DOOMED}")
    a.probe()
    begun = len(a.said())
    time.sleep(1)  # the log of a second
    must(len(a.said()) - begun < 20_000, f"{len(a.said()) - begun} bytes of log in a second")
    for i in range(5):
        a.admin.change("tfjobs", f"doomed-{i}", {"metadata": {"finalizers": None}}, ns=DOOMED, ok=False)


def crd_of(a, plural):
    return a.admin.request("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{plural}.{GROUP}")[1]


def put_crd(a, crd):
    name = crd["metadata"]["name"]
    crd["metadata"] = {"name": name, **({"resourceVersion": crd["metadata"]["resourceVersion"]} if "resourceVersion" in crd["metadata"] else {})}
    crd.pop("status", None)
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    if "resourceVersion" in crd["metadata"]:
        return a.admin.request("PUT", f"{path}/{name}", crd)
    return a.admin.request("POST", path, crd)


@attack
def crd_gone(a):
    """an administrator deletes and replaces the definition of one kind: the other kinds are handled, and the new
    definition's jobs too, also beside one of 250 levels"""
    crd = crd_of(a, "jaxjobs")
    a.admin.request("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jaxjobs.{GROUP}")
    yield
    a.probe()
    crd["metadata"].pop("resourceVersion", None)
    until(lambda: put_crd(a, crd)[0] in (200, 201), 30, "the definition is created again")
    until(lambda: a.is_served("jaxjobs"), 30, "the definition is served")
    a.users["JAXJob"].create("jaxjobs", raw_job("JAXJob", "deep", nested(250)))
    a.users["JAXJob"].create("jaxjobs", job_of("JAXJob", "later"))
    until(lambda: a.admin.get("pods", "later-worker-0"), 20 + PATIENCE * 2, "the pod of a job of the new definition")


@attack
def crd_version(a):
    """an administrator adds a served version v2 and stores jobs in it: jobs of both versions are handled"""
    crd = crd_of(a, "paddlejobs")
    other = json.loads(json.dumps(crd["spec"]["versions"][0]))
    other.update({"name": "v2", "storage": True})
    crd["spec"]["versions"] = [{**crd["spec"]["versions"][0], "storage": False}, other]
    must(put_crd(a, crd)[0] == 200, "the definition cannot be changed")
    until(lambda: a.admin.request("GET", f"/apis/{GROUP}/v2/namespaces/{TEAM}/paddlejobs")[0] == 200, 20, "v2 is served")
    o = {**job_of("PaddleJob", "second"), "apiVersion": f"{GROUP}/v2"}
    code, answer = a.users["PaddleJob"].request("POST", f"/apis/{GROUP}/v2/namespaces/{TEAM}/paddlejobs", o)
    must(code == 201, answer)
    until(lambda: a.admin.get("pods", "second-worker-0"), PATIENCE * 2, "the pod of a job of v2")
    a.users["PaddleJob"].touched.add("paddlejobs")
    a.probe("PaddleJob")


@attack
def crd_conversion(a):
    """an administrator installs a conversion webhook that does not answer for one kind: the other kinds are handled"""
    crd = crd_of(a, "xgboostjobs")
    before = json.loads(json.dumps(crd))
    other = json.loads(json.dumps(crd["spec"]["versions"][0]))
    other.update({"name": "v2", "storage": True})
    crd["spec"]["versions"] = [{**crd["spec"]["versions"][0], "storage": False}, other]
    crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:9/x"}}}
    code, answer = put_crd(a, crd)
    must(code == 200, answer)
    try:
        until(lambda: a.admin.request("GET", f"/apis/{GROUP}/v2/namespaces/{TEAM}/xgboostjobs")[0] in (200, 500), 20, "v2 is served")
        a.users["XGBoostJob"].request("POST", f"/apis/{GROUP}/v2/namespaces/{TEAM}/xgboostjobs", {**job_of("XGBoostJob", "stuck"), "apiVersion": f"{GROUP}/v2"})
        a.probe(patience=30 + PATIENCE)                 # docs/supervise.md: such a watch delays others by at most 30 s
        a.probe()
    finally:
        before["metadata"]["resourceVersion"] = crd_of(a, "xgboostjobs")["metadata"]["resourceVersion"]
        before["spec"]["versions"].append({**other, "storage": False})
        before["spec"].pop("conversion", None)
        put_crd(a, before)


# ---- records of runs ----


HOSTILE_JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "pwn", "labels": {"trainc.dev/job": "x"}}, "spec": {"template": {"spec": {
    "hostPID": True, "serviceAccountName": "default", "restartPolicy": "Never", "containers": [{"name": "main", "image": "evil"}],
    "volumes": [{"name": "h", "hostPath": {"path": "/"}}]}}}}  # fmt: skip


def genuine(a):
    """The record of a run that somebody with the rights applied in the other namespace."""
    if not hasattr(a, "record"):
        a.write("real.tj", 'job "real" {\n  image = "busybox:1"\n  restarts = 3\n  role worker {\n    replicas = 1\n'
                '    annotations { "e2e.trainc.dev/hold" = "yes" }\n  }\n  role late {\n    replicas = 1\n    start_after = started(worker)\n'
                '    annotations { "e2e.trainc.dev/hold" = "yes" }\n  }\n}\n')
        done = a.trainc("apply", "--controller", "--no-wait", "real.tj")
        must(done.returncode == 0, done.stderr)
        until(lambda: (a.admin.get("configmaps", "real.trainc", GOOD) or {}).get("data", {}).get("attended"), PATIENCE, "the run is attended")
        a.record = a.admin.get("configmaps", "real.trainc", GOOD)
        must("jobs" in a.record["data"], sorted(a.record["data"]))
    return a.record


def forged(a, name, left=True, **data):
    """A copy of a genuine record under another name, as a writer of ConfigMaps makes it."""
    text = json.dumps({k: v for k, v in genuine(a).items() if k in ("metadata", "data")})
    o = json.loads(re.sub(r"\breal\b", name, text).replace(GOOD, TEAM))
    m = o["metadata"]
    o["metadata"] = {"name": name + ".trainc", "labels": m["labels"], "annotations": m["annotations"]}
    if not left:
        o["metadata"]["labels"].pop("trainc.dev/controller", None)
    o["data"].update({k: v if isinstance(v, str) else json.dumps(v) for k, v in data.items()})
    o["data"] = {k: v for k, v in o["data"].items() if v != "null"}
    return o


def restart_of(*jobs, number=1):
    return {"generation": 1, "number": number, "cause": "x", "jobs": [list(j) for j in jobs]}


@attack
def record_job(a):
    """a user who may write ConfigMaps only gets a Job with hostPID and hostPath from a forged record (A1)"""
    named = lambda name: [{**HOSTILE_JOB, "metadata": {"name": name, "namespace": TEAM, "labels": {"trainc.dev/job": name[4:]}}}]  # noqa: E731
    a.users["configmaps"].create("configmaps", forged(a, "a", jobs=named("pwn-a"), restarts="1", restart=restart_of(("pwn-a", "", 0, "")), attended="null"))
    a.users["configmaps"].create("configmaps", forged(a, "b", jobs=named("pwn-b"), restarts="9", restart="null"))
    a.users["configmaps"].create("configmaps", forged(a, "c", jobs=named("pwn-c"), restarts="9", restart=restart_of(("pwn-c", "0", 0, ""))))
    uid = a.admin.get("jobs", "db-backup")["metadata"]["uid"]
    a.users["configmaps"].create("configmaps", forged(a, "d", jobs=named("pwn-d"), restarts="9", restart=restart_of(("db-backup", uid, 0, ""))))
    a.probe_run()
    yield
    told(a, r"[acd]\.trainc", "NotVouched")
    must(a.metric("trainc_records_not_vouched") > 0, "no metric counts the records")
    must(not [o["metadata"]["name"] for o in a.admin.list("jobs") if o["metadata"]["name"].startswith("pwn")], "a forged record got a Job")
    must(not [p["metadata"]["name"] for p in a.admin.list("pods") if p["spec"].get("hostPID")], "a forged record got a pod with hostPID")
    stays(a, "jobs", "db-backup")


@attack
def record_delete(a):
    """a user who may write ConfigMaps only has a colleague's Job deleted by a record that names its uid (A1)"""
    uid = a.admin.get("jobs", "db-backup")["metadata"]["uid"]
    job = {**HOSTILE_JOB, "metadata": {"name": "db-backup", "namespace": TEAM, "labels": {"trainc.dev/job": "e"}}}
    a.users["configmaps"].create("configmaps", forged(a, "e", jobs=[job], restarts="1", restart=restart_of(("db-backup", uid, 0, ""))))
    a.users["configmaps"].create("configmaps", forged(a, "f", jobs=[job], restarts="1", verdict="Failed", inventory=[["batch", "Job", TEAM, "db-backup", uid, "x"]]))
    a.probe_run()
    yield
    stays(a, "jobs", "db-backup")
    must(a.admin.get("jobs", "db-backup")["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example.com/db:1", "the Job was replaced")


@attack
def record_verdict(a):
    """a user who may write ConfigMaps only writes Jobs of his own into the record of a colleague's run (A1)"""
    done = a.trainc("apply", "--controller", "--no-wait", "real.tj", ns=TEAM)
    must(done.returncode == 0, done.stderr)
    until(lambda: a.admin.get("jobs", "real-worker"), PATIENCE, "the run's Job")
    job = {**HOSTILE_JOB, "metadata": {"name": "real-worker", "namespace": TEAM, "labels": {"trainc.dev/job": "real"}}}
    uid = a.admin.get("jobs", "real-worker")["metadata"]["uid"]
    a.users["configmaps"].touched.update(("configmaps", "jobs"))
    a.users["configmaps"].change("configmaps", "real.trainc", {"data": {"jobs": json.dumps([job]), "restarts": "9",
                                                                      "restart": json.dumps(restart_of(("real-worker", uid, 0, "")))}})
    a.probe_run()
    yield
    told(a, "real.trainc", "NotVouched")
    must(a.admin.get("jobs", "real-worker")["metadata"]["uid"] == uid, "the run's Job was replaced")


@attack
def record_wait(a):
    """a user who may write ConfigMaps only lets the rights of somebody who runs `trainc wait` create a Job (A1)"""
    job = {**HOSTILE_JOB, "metadata": {"name": "pwn-wait", "namespace": TEAM, "labels": {"trainc.dev/job": "g"}}}
    a.users["configmaps"].create("configmaps", forged(a, "g", left=False, jobs=[job], restarts="1", restart=restart_of(("pwn-wait", "", 0, "")), attended="null"))
    done = a.trainc("wait", "g", "--timeout=3s", ns=TEAM)
    must(done.returncode != 0, done.stdout + done.stderr)
    must(not a.admin.get("jobs", "pwn-wait"), "wait created the Job of a forged record")


GARBAGE = {
    "plan": ["null", "[]", "{", '"x"', nested(250), nested(5000), '{"version":99}', "x" * 300_000],
    "attended": ["-1", "x", "99999999999999999999", "9223372036854775807"],
    "jobs": ["{}", "[[]]", "[null]", '[{"kind":"Secret","metadata":{"name":"../x"}}]', nested(300), "x" * 500_000],
    "restart": ["{}", '{"generation":1,"number":-1,"jobs":[]}', '{"generation":1,"number":9223372036854775807,"jobs":[["../../x","",0,""]]}', '{"jobs":[[]]}'],
    "outcome": ["{}", '{"generation":1,"end":"9999-12-31T23:59:59Z","start":"0001-01-01T00:00:00Z"}', '{"generation":9223372036854775807}'],
    "verdict": ["x", "\x1b]0;PWN\x07", "Succeeded", "Failed"], "restarts": ["-1", "9223372036854775807", "x"],
    "inventory": ["[]", "[[]]", "x", nested(250)],
}  # fmt: skip


@attack
def record_garbage(a):
    """a user who may write ConfigMaps only ends the controller with records whose members are no such thing"""
    n = 0
    for key, texts in GARBAGE.items():
        for text in texts:
            n += 1
            o = forged(a, f"bad-{n}")
            o["data"][key] = text
            a.users["configmaps"].create("configmaps", o)
    a.holds(run=True)


@attack
def record_plan(a):
    """a user who may write ConfigMaps only ends the controller with a plan whose times and numbers overflow"""
    plan = json.loads(genuine(a)["data"]["plan"])
    n = 0
    for path in list(paths_in(plan)):
        for bad in (None, 2**63 - 1, -(2**63), "9223372036s", nested(3)):
            n += 1
            if n % 4 == 0:
                a.users["configmaps"].create("configmaps", forged(a, f"plan-{n}", plan=json.dumps(replaced(plan, path, bad))))
    a.holds(run=True)


@attack
def record_forms(a):
    """a user who may write ConfigMaps only ends the controller with records of any name, immutable ones, and such that
    are kept by a finalizer"""
    for i, name in enumerate(("trainc", "x", "a.b.trainc", "n" * 246 + ".trainc", "0.trainc", "trainc.trainc")):
        o = forged(a, f"form-{i}")
        o["metadata"]["name"] = name
        a.users["configmaps"].create("configmaps", o)
    for i in range(5):
        o = forged(a, f"fixed-{i}", attended="null")
        o["immutable"] = True
        a.users["configmaps"].create("configmaps", o)
    o = forged(a, "kept")
    o["metadata"]["finalizers"] = ["example.com/x"]
    a.users["configmaps"].create("configmaps", o)
    a.users["configmaps"].delete("configmaps", "kept.trainc")
    a.probe_run()
    begun = len(a.said())
    time.sleep(1)  # the log of a second
    must(len(a.said()) - begun < 20_000, f"{len(a.said()) - begun} bytes of log in a second")
    a.admin.change("configmaps", "kept.trainc", {"metadata": {"finalizers": None}}, ok=False)


@attack
def record_large(a):
    """a user who may write ConfigMaps only ends the controller with 30 records of 1 MB"""
    for i in range(30):
        a.users["configmaps"].create("configmaps", forged(a, f"mega-{i}", **{("jobs", "plan", "x")[i % 3]: "x" * 950_000}))
    a.holds(run=True)


@attack
def record_many(a):
    """a user who may write ConfigMaps only delays others with 150 records (5,000 on a larger machine)"""
    for i in range(150):
        a.users["configmaps"].create("configmaps", forged(a, f"few-{i}"))
    a.holds(run=True)


@attack
def jobs_spoof(a):
    """a user who may create Jobs only puts Jobs into another namespace's run by its labels: they are not resumed, not
    deleted, and do not count"""
    genuine(a)
    labels = a.admin.get("jobs", "real-late", GOOD)["metadata"]["labels"]
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "real.trainc", "uid": a.admin.get("configmaps", "real.trainc", GOOD)["metadata"]["uid"]}
    for name in ("real-late", "real-worker-2"):
        a.users["jobs"].create("jobs", {"metadata": {"name": name, "labels": labels, "ownerReferences": [owner]}, "spec": {"suspend": True, "template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example.com/a:1"}]}}}}, ok=False)
    a.probe_run()
    o = a.admin.get("jobs", "real-late")
    must(o is None or o["spec"].get("suspend"), "a Job of another namespace was resumed")


# ---- strangers on the pod network ----


def half_requests(a, n, stop):
    """N connections that send half a request and come back when they are closed."""
    held = {}
    while not stop.is_set():
        for i in range(n):
            if i not in held:
                try:
                    held[i] = socket.create_connection(("127.0.0.1", a.main.port), timeout=1)
                    held[i].sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n")
                    held[i].setblocking(False)
                except OSError:
                    held.pop(i, None)
        for i, s in list(held.items()):
            try:
                if s.recv(1) == b"":
                    held.pop(i).close()
            except BlockingIOError:
                pass
            except OSError:
                held.pop(i).close()
        time.sleep(0.02)
    for s in held.values():
        s.close()


@attack
def probes(a):
    """a stranger on the pod network starves the kubelet's probes with 40 half requests (B3)"""
    stop = threading.Event()
    t = threading.Thread(target=half_requests, args=(a, 40, stop))
    t.start()
    try:
        time.sleep(0.5)  # the connections are open then
        answered = 0
        for _ in range(20):
            answered += a.page("/healthz")[0] == 200
            time.sleep(0.05)  # 20 requests in a second
    finally:
        stop.set()
        t.join()
    must(answered >= 18, f"{answered} of 20 probes were answered")


@attack
def stranger(a):
    """a stranger on the pod network ends the controller with requests that are no such thing, or reads more than its
    numbers"""
    for text in (b"\0" * 100_000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000, b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
                 b"GET /../../etc/passwd HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET " + b"/" * 5000, b"\r\n\r\n", b""):
        try:
            with socket.create_connection(("127.0.0.1", a.main.port), timeout=2) as s:
                s.settimeout(0.3)
                s.sendall(text)
                must(b"root:" not in s.recv(4096), "a file")
        except OSError:
            pass
    many = []
    for _ in range(100):
        try:
            many.append(socket.create_connection(("127.0.0.1", a.main.port), timeout=0.2))
        except OSError:
            break
    for s in many:
        s.close()
    told_there = a.page("/metrics")[1]
    must("trainc_passes" in told_there and "probe-" not in told_there and "real" not in told_there, "the page names jobs")


@attack
def narrow(a):
    """a tenant of any of these roles does what his role does not permit: all other attacks show what they claim only if
    he is refused"""
    for name, user in a.users.items():
        for plural in ("secrets", "roles", "serviceaccounts"):
            if name != "editor" or plural != "serviceaccounts":
                must(user.request("GET", path_of(plural))[0] == 403, f"{name} may list {plural}")
        for plural in ("pods", "configmaps", "jobs", "tfjobs"):
            must(user.request("GET", path_of(plural, ns=GOOD))[0] == 403, f"{name} may list {plural} of another namespace")
    must(a.users["configmaps"].request("POST", path_of("jobs"), HOSTILE_JOB)[0] == 403, "configmaps may create Jobs")
    must(a.users["TFJob"].request("POST", path_of("pods"), {"metadata": {"name": "x"}})[0] == 403, "TFJob may create pods")


# ---- the commands of an administrator in a namespace that a tenant filled ----


def fill(a):
    """Records, Jobs, pods and Events with everything that a terminal or a reader may not bear."""
    if getattr(a, "filled", False):
        return
    a.filled = True
    escapes = "F\x1b]0;PWN\x07\x1b[2J\x9b31m\u202ePWN\r\n"
    editor = a.users["editor"]
    for name in ("real", "full"):
        o = forged(a, name, left=False)
        o["metadata"]["annotations"] = {**o["metadata"]["annotations"], "trainc.dev/file": escapes}
        editor.create("configmaps", o, ok=False)
    for key, texts in GARBAGE.items():
        for i, text in enumerate(texts):
            o = forged(a, f"f-{key}-{i}", left=False)
            o["data"][key] = text
            editor.create("configmaps", o)
    for i in range(10):
        editor.create("configmaps", forged(a, f"m-{i}", left=False, jobs="x" * 900_000))
    labels = {"trainc.dev/job": "full", "trainc.dev/role": "worker"}
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example.com/a:1", "command": [escapes]}]}
    editor.create("jobs", {"metadata": {"name": "full-worker", "labels": labels, "annotations": {"a": escapes}},
                           "spec": {"template": {"metadata": {"labels": labels}, "spec": pod}}})
    until(lambda: [p for p in a.admin.list("pods") if p["metadata"]["name"].startswith("full-worker")], 30, "the pod")
    for p in a.admin.list("pods"):
        if p["metadata"]["name"].startswith("full-worker"):
            a.users["pods"].change("pods", p["metadata"]["name"], {"status": {"message": escapes, "reason": escapes, "conditions": [
                {"type": "Ready", "status": "False", "reason": "PWN", "message": escapes * 100}]}}, "status", ok=False)
            for i in range(20):
                editor.create("events", {"metadata": {"name": f"full.{i}"}, "type": "Warning", "reason": "FailedScheduling", "message": escapes,
                                         "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": TEAM, "name": p["metadata"]["name"],
                                                            "uid": p["metadata"]["uid"]}}, ok=False)
    a.write("full.tj", 'job "full" {\n  image = "busybox:1"\n  role worker {\n    replicas = 1\n  }\n}\n')


def on_terminal(a, words, seconds=30):
    """Runs a command on a terminal: (status, output, seconds, most memory in bytes)."""
    master, slave = pty.openpty()
    begun = time.monotonic()
    p = subprocess.Popen([os.path.realpath(TRAINC), words[0], "--namespace", TEAM, *words[1:]], cwd=a.dir, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                         env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    out, most = b"", 0
    try:
        while time.monotonic() < begun + seconds:
            ready = select.select([master], [], [], 0.1)[0]
            try:
                with open(f"/proc/{p.pid}/status") as f:
                    found = re.search(r"VmHWM:\s+(\d+)", f.read())
                most = max(most, int(found[1]) << 10 if found else 0)
                if ready:
                    out += os.read(master, 65536)
            except OSError:
                break
            if not ready and p.poll() is not None:
                break
    finally:
        if p.poll() is None and time.monotonic() >= begun + seconds:
            p.kill()
        p.wait()
        os.close(master)
    return p.returncode, out, time.monotonic() - begun, most


COMMANDS = [
    ("status", ["status"]), ("status_one", ["status", "full"]), ("status_wide", ["status", "full", "-o", "wide"]), ("list", ["list"]), ("logs", ["logs", "full"]),
    ("wait", ["wait", "full", "--timeout=2s"]), ("why", ["why", "full"]), ("diff", ["diff", "full.tj"]), ("fit", ["fit", "full.tj"]),
    ("suspend", ["suspend", "full"]), ("scale", ["scale", "full", "worker=2"]), ("apply", ["apply", "full.tj", "--no-wait"]),
    ("delete", ["delete", "full", "--yes"]), ("delete_bad", ["delete", "f-plan-0", "--yes"]), ("wait_bad", ["wait", "f-restart-2", "--timeout=2s"]),
]  # fmt: skip


@table([(f"command_{name}", f"a tenant writes to the terminal of an administrator, or ends his `trainc {words[0]}`, in a namespace that he filled", words)
        for name, words in COMMANDS])  # fmt: skip
def command(a, words):
    fill(a)                             # once, for all commands
    status, out, seconds, most = on_terminal(a, words)
    shown = out.decode(errors="replace")
    must(status in range(0, 10) or status == 124, f"status {status}: {shown[-600:]!r}")
    must(seconds < 25, f"{seconds:.0f} s: {shown[-300:]!r}")
    for bad in ("\x1b]", "\x1b[2J", "\x9b", "\u202e", "\x07"):
        must(bad not in shown, f"{bad!r} on the terminal: {shown[max(0, shown.find(bad) - 100):][:300]!r}")
    must(most < 512 << 20, f"{most >> 20} MiB")
    must(a.admin.get("jobs", "pwn") is None, "a Job of a record")


# ---- the run ----


def attempt(a, f):
    """The result of a step of an attack: an error, or None."""
    try:
        step = f()
        return None, step
    except Exception as problem:
        known = isinstance(problem, (Failure, TimeoutError))
        return str(problem) if known else "".join(traceback.format_exception(problem)[-3:]), None


def judge(a, f, run, clean):
    begun = time.monotonic()
    error, _ = attempt(a, run)
    after, _ = attempt(a, a.holds)
    error = error or after
    a.seconds[f.__name__] = a.seconds.get(f.__name__, 0) + time.monotonic() - begun
    print(f"{'FAIL' if error else 'ok'} {f.__name__}: {' '.join(f.__doc__.split())} ({a.seconds[f.__name__]:.1f} s, {a.memory() >> 20} MiB)", flush=True)
    if error:
        print("    " + error[:1500].replace("\n", "\n    "), flush=True)
    if clean:
        attempt(a, a.clean)
    if after:
        a.mend()
    return error is not None


def set_traps(a, chosen):
    traps = []
    for f in chosen:
        if inspect.isgeneratorfunction(f):
            begun = time.monotonic()
            trap = f(a)
            error, _ = attempt(a, lambda trap=trap: next(trap))
            a.seconds[f.__name__] = time.monotonic() - begun
            traps.append((f, trap, error))
    return traps


def spring(trap, error):
    must(not error, error)
    for _ in trap:
        raise Failure("a trap yields twice")


def stop(*_):
    raise SystemExit(1)                 # so that the cluster is left as it was


def main(wanted):
    signal.signal(signal.SIGTERM, stop)
    unknown = set(wanted) - {f.__name__ for f in ATTACKS}
    must(not unknown, f"no attack is named {', '.join(unknown)}")
    chosen = [f for f in ATTACKS if not wanted or f.__name__ in wanted]
    a, failed, begun = Field(), 0, time.monotonic()
    a.seconds = {}
    try:
        a.prepare()
        a.start()
        a.probe()
        traps = set_traps(a, chosen)
        if traps:
            time.sleep(4)               # a controller that falls into one has done so by then
        soon = [trap for trap in traps if trap[0] is not crd_gone]      # which has all the time of the others
        for f, trap, error in soon:
            failed += judge(a, f, lambda trap=trap, error=error: spring(trap, error), clean=f is soon[-1][0])
        for f in chosen:
            if not inspect.isgeneratorfunction(f):
                failed += judge(a, f, lambda f=f: f(a), clean=not f.__name__.startswith("command_"))
        for f, trap, error in traps:
            if f is crd_gone:
                failed += judge(a, f, lambda trap=trap, error=error: spring(trap, error), clean=True)
    finally:
        a.close()
    print(f"# {len(chosen)} attacks in {time.monotonic() - begun:.0f} s")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    if "COUNTS" in os.environ:
        with open(os.environ["COUNTS"], "a") as counts:
            print(len(chosen) - failed, failed, 0, file=counts)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
