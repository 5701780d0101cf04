"""rows.py TRAINC - `trainc status --from`: objects in, state and cause out."""
import copy
import json
import os
import random
import subprocess
import sys
import tempfile
import time

PROGRAM = """job "j": pytorch.torchrun {
  image   = "registry.example.com/a:1"
  command = ["torchrun", "train.py"]
  role worker { replicas = 2, cpu = 8, memory = 8Gi, retries = 2 }
}
"""
OLD, NEW = "2026-01-01T00:00:00Z", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL " + what)


def pod(index, phase, created=OLD, conditions=(), container=None, **status):
    state = {"name": "main", "ready": phase == "Running", "restartCount": 0}
    state.update(container or {"state": {"running": {}}} if phase == "Running" else container or {})
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "j-worker-%d-abcde" % index, "creationTimestamp": created,
                         "labels": {"trainc.dev/job": "j", "trainc.dev/role": "worker"}},
            "status": dict({"phase": phase, "conditions": list(conditions),
                            "containerStatuses": [state] if phase != "Pending" or container else []}, **status)}


def condition(kind, status="True", reason="", message=""):
    return {"type": kind, "status": status, "reason": reason, "message": message}


def job(conditions=(), suspend=False, labels=None, **status):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "j-worker", "labels": dict({"trainc.dev/job": "j", "trainc.dev/role": "worker"}, **(labels or {}))},
            "spec": {"suspend": suspend}, "status": dict({"conditions": list(conditions)}, **status)}


def waits(reason, message="", restarts=0):
    return {"restartCount": restarts, "state": {"waiting": {"reason": reason, "message": message}}}


def ended(code, reason="Error", message="", at="2026-01-01T00:01:00Z"):
    return {"state": {"terminated": {"exitCode": code, "reason": reason, "message": message, "finishedAt": at}}}


def run(trainc, directory, objects, form="json"):
    path = os.path.join(directory, "seen.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
    p = subprocess.run([trainc, "status", "--from", path, os.path.join(directory, "job.tj"), "-o", form], capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


RUN = pod(1, "Running")
ROWS = [
    # row, objects, state, part of the cause, exit status
    ("absent", [], "Absent", "none of its objects", 0),
    ("S-10", [job([condition("Failed", reason="BackoffLimitExceeded", message="too many")])], "Failed", "BackoffLimitExceeded: too many", 8),
    ("S-11", [job([condition("FailureTarget", reason="PodFailurePolicy")]), RUN], "Failing", "PodFailurePolicy", 8),
    ("S-12", [job([condition("Complete")], succeeded=2)], "Succeeded", "done(worker)", 0),
    ("S-14", [job(suspend=True, labels={"kueue.x-k8s.io/queue-name": "q"})], "Queued", "", 0),
    ("S-15", [job(suspend=True)], "Suspended", "", 0),
    ("S-20", [RUN, pod(0, "Running", container={"ready": False, "state": {"running": {}}})], "Starting", "", 0),
    ("S-22", [pod(0, "Running"), RUN], "Running", "", 0),
    ("S-30", [pod(0, "Pending", conditions=[condition("PodScheduled", "False", "SchedulingGated")]), RUN], "Queued", "SchedulingGated", 0),
    ("S-31 new", [pod(0, "Pending", NEW, [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes")]), RUN], "Pending", "0/3 nodes", 0),
    ("S-31 old", [pod(0, "Pending", OLD, [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes")]), RUN], "Stalled", "0/3 nodes", 0),
    ("S-32 final", [pod(0, "Pending", NEW, container=waits("ErrImagePull", "not found")), RUN], "Stalled", "not found", 0),
    ("S-32 new", [pod(0, "Pending", NEW, container=waits("ImagePullBackOff", "timeout")), RUN], "Pending", "timeout", 0),
    ("S-33", [pod(0, "Pending", NEW, container=waits("CreateContainerConfigError", "secret missing")), RUN], "Stalled", "secret missing", 0),
    ("S-33 sync", [pod(0, "Pending", NEW, container=waits("CreateContainerConfigError", "failed to sync")), RUN], "Pending", "sync", 0),
    ("S-34", [pod(0, "Running", container=waits("CrashLoopBackOff", "", 1)), RUN], "Degraded", "CrashLoopBackOff", 0),
    ("S-34 third", [pod(0, "Running", container=waits("CrashLoopBackOff", "", 3)), RUN], "Stalled", "CrashLoopBackOff", 0),
    ("S-39", [pod(0, "Succeeded"), pod(1, "Succeeded")], "Succeeded", "done(worker)", 0),
    ("S-40", [pod(0, "Failed", container=ended(3)), RUN], "Failing", "", 8),
    ("S-41", [pod(0, "Unknown"), RUN], "Unknown", "", 0),
]


def rows(trainc, directory):
    for name, objects, state, cause, want in ROWS:
        status, out, err = run(trainc, directory, objects)
        check(status == want, "%s: status %d, not %d: %s" % (name, status, want, err))
        got = json.loads(out)["runs"][0] if out else {}
        check(got.get("state") == state, "%s: state %s, not %s" % (name, got.get("state"), state))
        check(cause in got.get("cause", ""), "%s: cause %r holds no %r" % (name, got.get("cause"), cause))
        for seed in range(3):
            mixed = copy.copy(objects)
            random.Random(seed).shuffle(mixed)
            check(run(trainc, directory, mixed)[1] == out, "%s: another order, another answer" % name)


def failures(trainc, directory):
    """The first failing rank: the earliest; a signal is an echo; what was stopped does not count."""
    def first(objects):
        return json.loads(run(trainc, directory, objects)[1])["runs"][0].get("first_failure")
    late, early = ended(1, at="2026-01-01T00:02:00Z"), ended(7, at="2026-01-01T00:01:00Z", message="one\ntwo")
    got = first([pod(0, "Failed", container=late), pod(1, "Failed", container=early)])
    check(got["index"] == 1 and got["exit_code"] == 7 and got["log"] == ["one", "two"] and got["reason"] == "exit code 7", "earliest: %s" % got)
    got = first([pod(0, "Failed", container=ended(139)), pod(1, "Failed", container=ended(2))])
    check(got["index"] == 1, "a signal is the echo: %s" % got)
    got = first([pod(0, "Failed", container=ended(139))])
    check(got["signal"] == "SEGV" and got["reason"] == "killed by SEGV", "signal by name: %s" % got)
    got = first([pod(0, "Failed", container=ended(137, "OOMKilled"))])
    check(got["reason"] == "OOMKilled", "container reason: %s" % got)
    stopped = pod(0, "Failed", container=ended(143))
    stopped["metadata"]["deletionTimestamp"] = OLD
    check(first([stopped, pod(1, "Failed", container=ended(4, at="2026-01-01T00:09:00Z"))])["index"] == 1, "what was stopped")
    evicted = pod(0, "Failed", reason="Evicted", message="low on memory", container=ended(1))
    check(json.loads(run(trainc, directory, [evicted])[1])["runs"][0]["first_failure"]["reason"] == "Evicted: low on memory", "evicted")


def others(trainc, directory):
    """Objects of other jobs, forms of the file, and what cannot be read."""
    other = pod(0, "Failed", container=ended(1))
    other["metadata"]["labels"]["trainc.dev/job"] = "someone"
    check(json.loads(run(trainc, directory, [other])[1])["runs"][0]["state"] == "Absent", "another job's pod")
    status, out, _ = run(trainc, directory, [pod(0, "Failed", container=ended(3)), RUN], "table")
    check(status == 8 and out.startswith("j  Failing") and "first failure: worker 0, exit code 3" in out, "table: %s" % out)
    path = os.path.join(directory, "seen.json")
    many = [pod(0, "Running"), RUN]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n---\n".join(json.dumps(o) for o in many))
    p = subprocess.run([trainc, "status", "--from", path, directory + "/job.tj", "-o", "json"], capture_output=True, text=True)
    check('"state": "Running"' in p.stdout, "documents: %s" % p.stderr)
    for text in ("{", "[1, 2", "\0", "a: b: c", "{\"items\": 3, \"kind\": \"List\"}", "null", "", "[[[[", "kind: Pod\nmetadata: 3\n",
                 "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"j-worker-0\"}, \"status\": {\"containerStatuses\": [3, null]}}"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        p = subprocess.run([trainc, "status", "--from", path, directory + "/job.tj"], capture_output=True, text=True)
        check(p.returncode in (0, 1) and (p.returncode == 0 or "seen.json:" in p.stderr), "%r: status %d %s" % (text, p.returncode, p.stderr))
    p = subprocess.run([trainc, "status", "--from", path], capture_output=True, text=True)
    check(p.returncode == 2 and "needs one program" in p.stderr, "no program: %s" % p.stderr)
    p = subprocess.run([trainc, "status", "--from", directory + "/none", directory + "/job.tj"], capture_output=True, text=True)
    check(p.returncode == 1 and "no such file" in p.stderr, "no file: %s" % p.stderr)


with tempfile.TemporaryDirectory() as d:
    with open(os.path.join(d, "job.tj"), "w", encoding="utf-8") as f:
        f.write("import std.pytorch\n\n" + PROGRAM)
    rows(sys.argv[1], d)
    failures(sys.argv[1], d)
    others(sys.argv[1], d)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
