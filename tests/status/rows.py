"""rows.py TRAINC - `trainc status --from`: objects in, state and cause out, as of a given time."""
import copy
import json
import os
import pty
import random
import re
import subprocess
import sys
import tempfile
import termios

PROGRAM = """import std.pytorch

job "j": pytorch.torchrun {
  image   = "registry.example.com/a:1"
  command = ["torchrun", "train.py"]
  mounts { "/data" = pvc("data") }
  role worker { replicas = 2, cpu = 8, memory = 8Gi, retries = 2 }
}
"""
SLICES = """import std.tpu

job "j" {
  image   = "registry.example.com/a:1"
  command = ["train"]
  role worker { accelerator = tpu.v5e(2x4), slices = 2, cpu = 8, memory = 8Gi, shm = 1Gi }
}
"""
WORDS = """import std.pytorch

framework pair(word: enum("fail", "restart", "replace", "ignore")? = none) {
  role lead { replicas: int(1..1) = 1 }
  role helper {
    replicas: int(0..) = 1
    on_failed_pod = word
  }
  success = done(lead)
  running = started(lead)
}

job "j": pair(%s) {
  image   = "registry.example.com/a:1"
  command = ["train"]
  timeout = 2h
  role helper { cpu = 1, memory = 1Gi%s }
  role lead   { cpu = 1, memory = 1Gi }
}
"""
NOW, OLD, MIDDLE, NEW = "2026-01-01T01:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:30:00Z", "2026-01-01T00:59:55Z"
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


def event(kind, name, reason, message, at=NEW, count=1):
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "%s.%s" % (name, reason)}, "type": "Warning", "reason": reason,
            "message": message, "count": count, "lastTimestamp": at, "involvedObject": {"kind": kind, "name": name}}


def thing(kind, name, api="v1", labels=None, **rest):
    return dict({"apiVersion": api, "kind": kind, "metadata": {"name": name, "labels": labels or {}}}, **rest)


def put(o, path, value):
    """A copy of an object with one change."""
    o = copy.deepcopy(o)
    at = o
    for key in path.split(".")[:-1]:
        at = at.setdefault(key, {})
    at[path.split(".")[-1]] = value
    return o


def run(trainc, directory, objects, form="json", program="job.tj", now=NOW):
    path = os.path.join(directory, "seen.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
    p = subprocess.run([trainc, "status", "--from", path, "--now", now, os.path.join(directory, program), "-o", form, "--exit-status"],
                       capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


RUN, RUN0 = pod(1, "Running"), pod(0, "Running")
WAITS = pod(0, "Pending", NEW)
PLACED = put(put(pod(0, "Pending", OLD), "spec.nodeName", "n1"), "status.startTime", OLD)
PLACED2 = put(put(pod(1, "Pending", OLD), "spec.nodeName", "n1"), "status.startTime", OLD)
READY = [RUN0, RUN]
STARTED = {"startTime": OLD, "active": 2}
LABELS = {"trainc.dev/job": "j"}
QUEUE = {"kueue.x-k8s.io/queue-name": "q"}
BY_OTHERS = put(put(put(job(), "spec.managedBy", "example.com/controller"), "status", {}), "metadata.creationTimestamp", OLD)
EMPTY = put(put(job(), "status", {}), "spec.parallelism", 2)
INIT = put(put(put(WAITS, "spec.nodeName", "n1"), "spec.initContainers", [{"name": "fetch"}, {"name": "log", "restartPolicy": "Always"}]),
           "status.initContainerStatuses", [{"name": "fetch", "state": {"running": {}}}, {"name": "log", "state": {"waiting": {}}}])
RESTARTED = {"ready": True, "restartCount": 2, "state": {"running": {}}, "lastState": ended(1, at=NEW)["state"]}
PULL = 'failed to pull and unpack image "a:2": failed to resolve reference "a:2": '
# What containerd, CRI-O and the kubelet report about an image, and what status shows of it.
GRPC = "rpc error: code = %s desc = "
CRIO = "unable to pull image or OCI artifact: pull image err: initializing source docker://r.io/a:2: reading manifest 2 in r.io/a: "
PULLS = [
    ("ErrImagePull", GRPC % "NotFound" + PULL + "a:2: not found", "a:2: not found"),
    ("ErrImagePull", GRPC % "Unknown" + PULL + "pull access denied, repository does not exist", "a:2: pull access denied, repository does not exist"),
    ("ErrImagePull", GRPC % "Unknown" + GRPC % "NotFound" + PULL + "a:2: not found", "a:2: not found"),
    ("ErrImagePull", GRPC % "Code(99)" + "a:2: not found", "a:2: not found"),
    ("ErrImagePull", GRPC % "Unknown" + 'failed to pull and unpack image "a:2": failed to copy: httpReadSeeker: failed open: 403 Forbidden',
     "a:2: failed to copy: httpReadSeeker: failed open: 403 Forbidden"),
    ("ImagePullBackOff", 'Back-off pulling image "a:2": ErrImagePull: ' + GRPC % "NotFound" + PULL + "a:2: not found", "a:2: not found"),
    ("ErrImagePull", GRPC % "Unknown" + "reading manifest 2 in r.io/a: manifest unknown", "a:2: manifest unknown"),
    ("ErrImagePull", GRPC % "Unknown" + "Error reading manifest 2 in r.io/a: name unknown: no repository 'a'", "a:2: name unknown: no repository 'a'"),
    ("ErrImagePull", GRPC % "Unknown" + "initializing source docker://r.io/a:2: reading manifest 2 in r.io/a: unauthorized: authentication required",
     "a:2: unauthorized: authentication required"),
    ("ErrImagePull", CRIO + "requested access to the resource is denied; artifact err: get manifest: build image source: reading manifest 2 in r.io/a: "
     "requested access to the resource is denied", "a:2: requested access to the resource is denied"),
    ("ImagePullBackOff", 'Back-off pulling image "a:2": ErrImagePull: ' + CRIO + "manifest unknown; artifact err: get manifest: x", "a:2: manifest unknown"),
    ("ErrImagePull", GRPC % "Unknown" + "Error response from daemon: manifest for a:2 not found: manifest unknown", "manifest for a:2 not found: manifest unknown"),
    ("ErrImagePull", "rpc error: code = Unknown, and not found", "a:2: rpc error: code = Unknown, and not found"),
]
# Rows that are not used for random mutants.
ALSO = [
    ("S-37 gate", [put(job(ready=1, **STARTED), "spec.parallelism", 2), pod(0, "Running", conditions=[condition("Ready", "False", "ReadinessGatesNotReady", "readiness gate \"x\"")]), RUN],
     "Starting", "worker 0: not ready: readiness gate \"x\"", 0),
    ("S-14 set", [job([condition("Suspended")], suspend=True), thing("Workload", "jobset-j", "kueue.x-k8s.io/v1beta2", LABELS,
     status={"conditions": [condition("QuotaReserved", "False", "Pending", "insufficient unused quota for cpu")]})],
     "Queued", "insufficient unused quota for cpu", 0),
    ("S-14 stopped", [job(suspend=True, labels=QUEUE), thing("Workload", "job-j-stopped", "kueue.x-k8s.io/v1beta2", LABELS, spec={"active": False},
     status={"conditions": [condition("Evicted", "True", "Deactivated", "The workload is deactivated")]})], "Suspended", "The workload is deactivated", 0),
    ("one replica, two Jobs", [job([condition("Complete")], succeeded=2), put(job(startTime=OLD, active=1, ready=1), "metadata.name", "j-worker-0")],
     "Running", "", 0),
]
LIMIT = condition("Failed", reason="BackoffLimitExceeded", message="Job has reached the specified backoff limit")
OOM = pod(1, "Failed", container=ended(137, "OOMKilled"))


def joined(o, name, state, init=False, always=False):
    """A pod with one more container."""
    o = copy.deepcopy(o)
    key = "initContainerStatuses" if init else "containerStatuses"
    o["status"].setdefault(key, []).append(dict({"name": name, "restartCount": 0}, **state))
    if init:
        o.setdefault("spec", {}).setdefault("initContainers", []).append(dict({"name": name}, **({"restartPolicy": "Always"} if always else {})))
    return o


def normal(o):
    return dict(o, type="Normal")


PARTLY = put(job(ready=1, **STARTED), "spec.parallelism", 2)
REPLACED = [put(put(pod(1, "Failed", container=ended(1, at="2026-01-01T00:59:48Z")), "metadata.name", "j-worker-1-old"), "metadata.creationTimestamp", OLD),
            pod(1, "Running", NEW, container={"ready": False, "state": {"running": {}}})]
# The first line of a run says why, not which controller noticed: the verdict of a Job or JobSet is named only when no pod explains it.
FIRST_LINES = [
    ("the Job's limit, a pod", [job([LIMIT]), OOM], "Failed", "=worker 1: OOMKilled (exit code 137)", 8),
    ("the Job's limit, no pod", [job([LIMIT])], "Failed", "=BackoffLimitExceeded: Job has reached the specified backoff limit", 8),
    ("the Job's policy, a pod", [job([condition("Failed", reason="PodFailurePolicy", message="Container main for pod")]),
     pod(0, "Failed", container=ended(3))], "Failed", "=worker 0: exit code 3", 8),
    ("still failing", [job([condition("FailureTarget", reason="BackoffLimitExceeded")]), RUN0, OOM], "Failing", "=worker 1: OOMKilled (exit code 137)", 8),
    ("the Job's deadline, a pod", [job([condition("Failed", reason="DeadlineExceeded", message="too long")]), OOM], "Failed", "=DeadlineExceeded: too long", 8),
    ("a JobSet's verdict", [thing("JobSet", "j", "jobset.x-k8s.io/v1alpha2", status={"conditions": [condition("Failed", reason="FailedJobs", message="jobset failed")]}),
     job([LIMIT]), OOM], "Failed", "=worker 1: OOMKilled (exit code 137)", 8),
    ("evicted", [job([LIMIT]), pod(1, "Failed", reason="Evicted", message="The node was low on resource: memory.")], "Failed",
     "=worker 1: Evicted: The node was low on resource: memory.", 8),
    ("rejected by the kubelet", [job([LIMIT]), pod(0, "Failed", reason="OutOfcpu", message="Node didn't have enough resource: cpu")], "Failed",
     "=worker 0: OutOfcpu: Node didn't have enough resource: cpu", 8),
    ("its last attempt, not an earlier one", [job([LIMIT]), pod(1, "Failed", OLD, container=ended(7)),
     put(pod(1, "Failed", NEW, container=ended(9, at=NEW)), "metadata.name", "j-worker-1-zzzzz")], "Failed", "=worker 1: exit code 9", 8),
    ("a retry under way", [PARTLY, RUN0, *REPLACED], "Degraded",
     "restarted less than a minute ago: worker 1 (1 restart)", 0),
    ("a reason that nobody knows, at once", [PARTLY, RUN0, pod(1, "Pending", NEW, container=waits("PostStartHookError", "hook failed"))],
     "Pending", "=worker 1: PostStartHookError: hook failed", 0),
    ("a reason that nobody knows, for long", [PARTLY, RUN0, pod(1, "Pending", OLD, container=waits("PostStartHookError", "hook failed"))],
     "Stalled", "=worker 1: PostStartHookError: hook failed", 0),
    ("creating", [PARTLY, RUN0, pod(1, "Pending", NEW, container=waits("ContainerCreating"))], "Starting", "=1/2 ready", 0),
    ("no scheduler, for long", [PARTLY, RUN0, put(pod(1, "Pending", OLD), "spec.schedulerName", "volcano")], "Stalled",
     "=worker 1: not scheduled: no scheduler 'volcano' has looked at it", 0),
    ("a sidecar that crashes", [PARTLY, RUN0, joined(RUN, "logs", waits("CrashLoopBackOff", "back-off", 4), True, True)], "Stalled",
     "=worker 1: sidecar 'logs': CrashLoopBackOff: back-off", 0),
    ("another container that crashes", [PARTLY, RUN0, joined(RUN, "proxy", dict(waits("CrashLoopBackOff", "", 4),
     lastState=ended(1, "Error")["state"]))], "Stalled", "=worker 1: container 'proxy': CrashLoopBackOff: exit code 1", 0),
    ("another container without memory", [job([LIMIT]), joined(pod(1, "Failed", container=ended(0, "Completed")), "proxy", ended(137, "OOMKilled"))],
     "Failed", "=worker 1: container 'proxy': OOMKilled (exit code 137)", 8),
    ("an init container that crashes", [PARTLY, RUN0, joined(pod(1, "Pending", OLD), "fetch", waits("CrashLoopBackOff", "back-off", 4), True)],
     "Stalled", "=worker 1: init container 'fetch': CrashLoopBackOff: back-off", 0),
    ("a long pull", [PARTLY, RUN0, PLACED2, normal(event("Pod", "j-worker-1-abcde", "Pulling", 'Pulling image "a:2"', MIDDLE))], "Starting",
     '=worker 1: pulling "a:2" for 30m', 0),
    ("a pull that has ended", [PARTLY, RUN0, PLACED2, normal(event("Pod", "j-worker-1-abcde", "Pulling", 'Pulling image "a:2"', OLD)),
     normal(event("Pod", "j-worker-1-abcde", "Pulled", "done", MIDDLE))], "Stalled", "no progress: on node n1", 0),
    ("a program that has ended, before its pod", [PARTLY, RUN0, pod(1, "Running", conditions=[condition("Ready", "False")],
     container=dict(ended(0, "Completed"), ready=False))], "Running", "", 0),
    ("a program that has failed, before its pod", [PARTLY, RUN0, pod(1, "Running",
     conditions=[condition("Ready", "False")], container=dict(ended(2), ready=False))], "Degraded", "=worker 1: exit code 2", 0),
]
ROWS = [
    # row, objects, state, part of the cause, exit status
    ("absent", [], "Absent", "none of its objects", 0),
    ("S-01 Job", [put(job(**STARTED), "metadata.deletionTimestamp", NEW), RUN], "Terminating", "being deleted", 0),
    ("S-01 held", [put(put(job([condition("Complete")], succeeded=2), "metadata.deletionTimestamp", NEW), "metadata.finalizers",
     ["example.com/hold", "foregroundDeletion"])], "Succeeded", "done(worker); Job/j-worker is being deleted; finalizer 'example.com/hold' holds it: "
     "the controller that has set it must remove it; finalizer 'foregroundDeletion' holds it: its pods are still there", 0),
    ("S-01 held before its end", [put(put(job(**STARTED), "metadata.deletionTimestamp", NEW), "metadata.finalizers", ["example.com/hold"]), RUN],
     "Terminating", "Job/j-worker is being deleted; finalizer 'example.com/hold' holds it: the controller that has set it must remove it", 0),
    ("S-01 failed", [put(job([condition("Failed", reason="BackoffLimitExceeded")]), "metadata.deletionTimestamp", NEW)], "Failed",
     "Job/j-worker is being deleted", 8),
    ("S-01 pod", [job(**STARTED), RUN, put(RUN0, "metadata.deletionTimestamp", NEW)], "Degraded", "worker 0: is being deleted", 0),
    ("S-10", [job([condition("Failed", reason="BackoffLimitExceeded", message="too many")], failedIndexes="0,2-3")], "Failed",
     "BackoffLimitExceeded: too many; failed indexes 0,2-3", 8),
    ("S-11", [job([condition("FailureTarget", reason="PodFailurePolicy")]), RUN], "Failing", "PodFailurePolicy", 8),
    ("S-12", [job([condition("Complete")], succeeded=2)], "Succeeded", "done(worker)", 0),
    ("S-13", [job([condition("SuccessCriteriaMet", reason="SuccessPolicy")], completedIndexes="0-1"), RUN], "Completing", "done(worker)", 0),
    ("S-14", [job(suspend=True, labels=QUEUE)], "Queued", "waits in the queue 'q'", 0),
    ("S-14 workload", [job(suspend=True, labels=QUEUE), put(thing("Workload", "job-j-worker", "kueue.x-k8s.io/v1beta1", LABELS),
     "status.conditions", [condition("QuotaReserved", "False", "Pending", "insufficient quota for nvidia.com/gpu, 8 more needed")])],
     "Queued", "insufficient quota for nvidia.com/gpu, 8 more needed", 0),
    ("S-15", [put(job([condition("Suspended")], suspend=True), "metadata.managedFields",
                  [{"manager": "night-shift", "fieldsV1": {"f:spec": {"f:suspend": {}}}}])], "Suspended", "by night-shift", 0),
    ("S-16", [BY_OTHERS], "Unknown", "the controller 'example.com/controller'", 0),
    ("S-16 new", [put(BY_OTHERS, "metadata.creationTimestamp", NEW)], "Pending", "was just created", 0),
    ("S-17", [put(EMPTY, "metadata.creationTimestamp", NEW)], "Pending", "was just created", 0),
    ("S-17 old", [put(EMPTY, "metadata.creationTimestamp", OLD)], "Starting", "no pods yet", 0),
    ("S-18", [put(EMPTY, "metadata.creationTimestamp", OLD), event("Job", "j-worker", "FailedCreate", "exceeded quota: gpus, used 8, limited 8")],
     "Stalled", "FailedCreate: exceeded quota: gpus, used 8, limited 8", 0),
    ("S-18 over", [put(EMPTY, "metadata.creationTimestamp", OLD), event("Job", "j-worker", "FailedCreate", "exceeded quota", OLD),
                   event("Job", "j-worker", "SuccessfulCreate", "created", NEW)], "Starting", "no pods yet", 0),
    ("S-18 words", [put(EMPTY, "metadata.creationTimestamp", OLD), event("Job", "j-worker", "FailedCreate", 'Error creating: pods "j-worker-0-5kpb4" is forbidden: '
                                                                          'exceeded quota: gpus, used 8')], "Stalled", "FailedCreate: exceeded quota: gpus, used 8", 0),
    ("S-18 webhook", [put(EMPTY, "metadata.creationTimestamp", OLD), event("Job", "j-worker", "FailedCreate", 'Error creating: admission webhook "w" denied the request')],
     "Stalled", 'FailedCreate: admission webhook "w" denied the request', 0),
    ("S-18 earlier Job", [put(EMPTY, "metadata.creationTimestamp", MIDDLE), event("Job", "j-worker", "FailedCreate", "exceeded quota", OLD)], "Starting", "no pods yet", 0),
    ("S-18 resumed", [put(put(job(**STARTED), "status.startTime", MIDDLE), "spec.parallelism", 2), RUN, event("Job", "j-worker", "FailedCreate", "exceeded quota", OLD)],
     "Starting", "1/2 ready", 0),
    ("S-18 resumed, not begun", [put(put(job([condition("Suspended")]), "metadata.creationTimestamp", OLD), "status.conditions",
                                      [dict(condition("Suspended"), lastTransitionTime=MIDDLE)]), event("Job", "j-worker", "FailedCreate", "exceeded quota", OLD)],
     "Starting", "no pods yet", 0),
    ("S-18 some", [put(job(**STARTED), "spec.parallelism", 2), RUN, event("Job", "j-worker", "FailedCreate", "exceeded quota")], "Stalled", "exceeded quota", 0),
    ("S-19", [job(**STARTED)] + [pod(i, "Pending", OLD, container=waits("ErrImagePull", "a:1 not found")) for i in (0, 1)], "Stalled",
     "2 of 2 pods: ErrImagePull: a:1 not found", 0),
    ("S-19 failed", [job(**STARTED), pod(0, "Failed", container=ended(3)), RUN], "Degraded", "worker 0: exit code 3", 0),
    ("S-20", [RUN, pod(0, "Running", container={"ready": False, "state": {"running": {}}})], "Starting", "", 0),
    ("S-20 counted", [put(put(job(active=2, ready=1, startTime=OLD), "spec.parallelism", 2), "spec.completions", 2)], "Starting", "1/2 ready", 0),
    ("S-21", [put(job(**STARTED), "spec.parallelism", 2), RUN, pod(0, "Running", container=RESTARTED)], "Degraded", "worker 0 (2 restarts)", 0),
    ("S-22", READY, "Running", "", 0),
    ("S-22 Job", [put(job(**STARTED), "spec.parallelism", 2)] + READY, "Running", "", 0),
    ("S-30", [pod(0, "Pending", conditions=[condition("PodScheduled", "False", "SchedulingGated")]), RUN], "Queued", "SchedulingGated", 0),
    ("S-30 gate", [put(pod(0, "Pending", conditions=[condition("PodScheduled", "False", "SchedulingGated")]), "spec.schedulingGates",
                       [{"name": "example.com/later"}]), RUN], "Queued", "SchedulingGated: example.com/later", 0),
    ("S-31 new", [pod(0, "Pending", NEW, [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes")]), RUN], "Pending", "0/3 nodes", 0),
    ("S-31 old", [pod(0, "Pending", OLD, [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes")]), RUN], "Stalled", "0/3 nodes", 0),
    ("S-31 event", [pod(0, "Pending", OLD), RUN, event("Pod", "j-worker-0-abcde", "FailedScheduling", "0/3 nodes are available: 3 Insufficient "
     "nvidia.com/gpu. preemption: 0/3 nodes are available.")], "Stalled", "worker 0: Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", 0),
    ("S-31 claim", [pod(0, "Pending", NEW, [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available: pod has unbound immediate "
     "PersistentVolumeClaims. not found")]), RUN, event("PersistentVolumeClaim", "j-worker-0-abcde-data", "ProvisioningFailed",
                                                       'storageclass.storage.k8s.io "gold" not found')],
     "Pending", 'worker 0: Unschedulable: storageclass.storage.k8s.io "gold" not found', 0),
    ("S-31 nobody to evict", [pod(0, "Pending", NEW, [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available: pod has unbound "
     "immediate PersistentVolumeClaims. not found")]), RUN], "Pending", "unbound immediate PersistentVolumeClaims", 0),
    ("S-32 final", [pod(0, "Pending", NEW, container=waits("ErrImagePull", "not found")), RUN], "Stalled", "not found", 0),
    ("S-32 new", [pod(0, "Pending", NEW, container=waits("ImagePullBackOff", "timeout")), RUN], "Pending", "timeout", 0),
    ("S-32 image", [put(pod(0, "Pending", NEW, container=dict(waits("ErrImagePull", "not found"), image="a:2")), "spec", {}), RUN], "Stalled",
     "worker 0: ErrImagePull: a:2: not found", 0),
    ("S-32 tag", [pod(0, "Pending", NEW, container=dict(waits("ErrImagePull", PULL + "docker.io/a:2: not found"), image="a:2")), RUN], "Stalled",
     "worker 0: ErrImagePull: docker.io/a:2: not found", 0),
    ("S-32 back-off", [pod(0, "Pending", NEW, container=dict(waits("ImagePullBackOff", 'Back-off pulling image "a:2": ErrImagePull: ' + PULL + "a:2: not found"),
                                                             image="a:2")), RUN], "Stalled", "worker 0: ImagePullBackOff: a:2: not found", 0),
    ("S-32 login", [pod(0, "Pending", NEW, container=dict(waits("ErrImagePull", PULL + "unexpected status from HEAD request to https://r/v2/a: 401 Unauthorized"),
                                                          image="a:2")), RUN], "Stalled", "ErrImagePull: a:2: unexpected status from HEAD request to https://r/v2/a: 401", 0),
    ("S-32 forbidden", [pod(0, "Pending", NEW, container=waits("ErrImagePull", PULL + "failed to fetch anonymous token: 403 Forbidden")), RUN], "Stalled", "403", 0),
    *(("S-32 words", [pod(0, "Pending", NEW, container=dict(waits(reason, message), image="a:2")), RUN], "Stalled", "worker 0: %s: %s" % (reason, said), 0)
      for reason, message, said in PULLS),
    ("S-32 events", [pod(0, "Pending", NEW, container=dict(waits("ImagePullBackOff", 'Back-off pulling image "a:2"'), image="a:2")), RUN,
                     event("Pod", "j-worker-0-abcde", "Failed", 'Failed to pull image "a:2": rpc error: code = NotFound desc = ' + PULL + "a:2: not found", MIDDLE),
                     put(event("Pod", "j-worker-0-abcde", "Failed", "Error: ErrImagePull", MIDDLE), "metadata.name", "b"),
                     put(event("Pod", "j-worker-0-abcde", "Failed", "Error: ImagePullBackOff", NEW), "metadata.name", "c")], "Stalled",
     "worker 0: ImagePullBackOff: a:2: not found", 0),
    ("S-32 registry", [pod(0, "Pending", OLD, container=waits("RegistryUnavailable", "the registry is unavailable")), RUN], "Stalled",
     "RegistryUnavailable: the registry is unavailable", 0),
    ("S-33 signature", [pod(0, "Pending", NEW, container=waits("SignatureValidationFailed", "it is not signed")), RUN], "Stalled", "SignatureValidationFailed: it is not signed", 0),
    ("S-33 inspect", [pod(0, "Pending", NEW, container=waits("ImageInspectError", "an ambiguous name")), RUN], "Stalled", "ImageInspectError: an ambiguous name", 0),
    ("S-32 event", [pod(0, "Pending", NEW, container=waits("ImagePullBackOff", "Back-off pulling image")), RUN,
                    event("Pod", "j-worker-0-abcde", "Failed", "pull access denied")], "Stalled", "ImagePullBackOff: pull access denied", 0),
    ("S-33", [pod(0, "Pending", NEW, container=waits("CreateContainerConfigError", "secret missing")), RUN], "Stalled", "secret missing", 0),
    ("S-33 sync", [pod(0, "Pending", NEW, container=waits("CreateContainerConfigError", "failed to sync")), RUN], "Pending", "sync", 0),
    ("S-34", [pod(0, "Running", container=waits("CrashLoopBackOff", "", 1)), RUN], "Degraded", "CrashLoopBackOff", 0),
    ("S-34 third", [pod(0, "Running", container=dict(waits("CrashLoopBackOff", "", 3), lastState=ended(1, message="boom")["state"])), RUN],
     "Stalled", "worker 0: CrashLoopBackOff: exit code 1: boom", 0),
    ("S-35", [PLACED, RUN, event("Pod", "j-worker-0-abcde", "FailedMount", "secret \"s\" not found")], "Stalled", "FailedMount: secret \"s\" not found", 0),
    ("S-35 new", [put(put(WAITS, "spec.nodeName", "n1"), "status.startTime", NEW), RUN, event("Pod", "j-worker-0-abcde", "FailedAttachVolume", "in use")],
     "Pending", "FailedAttachVolume: in use", 0),
    ("S-35 silent", [PLACED, RUN], "Stalled", "no progress: on node n1 for 60 min", 0),
    ("S-35 slow", [put(put(PLACED, "status.startTime", "2026-01-01T00:57:00Z"), "metadata.creationTimestamp", OLD), RUN], "Starting", "1/2 ready", 0),
    ("S-36", [INIT, RUN], "Starting", "init container 'fetch' runs, 1 of 2", 0),
    ("S-36 image", [put(INIT, "status.initContainerStatuses", [dict(waits("ErrImagePull", "not found"), name="fetch")]), RUN], "Stalled", "ErrImagePull", 0),
    ("S-37", [pod(0, "Running", container={"ready": False, "state": {"running": {}}}), RUN, event("Pod", "j-worker-0-abcde", "Unhealthy", "probe failed")],
     "Starting", "worker 0: not ready: probe failed", 0),
    ("S-37 node", [put(pod(0, "Running", conditions=[condition("Ready", "False")]), "spec.nodeName", "n1"), RUN,
                   event("Pod", "j-worker-0-abcde", "NodeNotReady", "Node is not ready")], "Starting", "worker 0: not ready: node n1 is not ready", 0),
    ("S-38", [put(pod(0, "Running", conditions=[condition("Ready")], container={"ready": True, "restartCount": 3, "state": {"running": {}}}),
                  "spec.nodeName", "n7"), RUN], "Running", "", 0),
    ("S-39", [pod(0, "Succeeded"), pod(1, "Succeeded")], "Succeeded", "done(worker)", 0),
    ("S-40", [pod(0, "Failed", container=ended(3)), RUN], "Degraded", "worker 0: exit code 3", 0),
    ("S-40 spent", [put(pod(0, "Failed", created="2026-01-01T00:0%d:00Z" % i, container=ended(3)), "metadata.name", "j-worker-0-%d" % i) for i in (1, 2, 3)] + [RUN],
     "Failing", "worker 0: exit code 3", 8),
    ("S-40 anew", [pod(0, "Failed", container=ended(3)), put(pod(0, "Running", "2026-01-01T00:30:00Z"), "metadata.name", "j-worker-0-new"), RUN], "Running", "", 0),
    ("S-40 disrupted", [put(pod(0, "Failed", conditions=[condition("DisruptionTarget", reason="PreemptionByScheduler")], container=ended(143)),
     "metadata.name", "j-worker-0-%d" % i) for i in range(4)] + [RUN], "Degraded", "worker 0: disrupted: PreemptionByScheduler", 0),
    ("S-40 with 0", [pod(0, "Succeeded", conditions=[condition("DisruptionTarget", reason="EvictionByEvictionAPI")], container=ended(0)), pod(1, "Succeeded")],
     "Succeeded", "=done(worker); worker 0: ended with 0 although it was stopped (disrupted: EvictionByEvictionAPI)", 0),
    ("S-40 with 0, one runs", [pod(0, "Succeeded", conditions=[condition("DisruptionTarget", reason="EvictionByEvictionAPI")], container=ended(0)), RUN], "Running", "", 0),
    ("S-40 drained", [put(RUN0, "metadata.deletionTimestamp", NEW), RUN], "Degraded", "worker 0: is being deleted", 0),
    ("S-40 init", [put(pod(0, "Failed", created=OLD), "status.initContainerStatuses", [dict(ended(4), name="fetch")]), RUN], "Degraded",
     "worker 0: init container 'fetch': exit code 4", 0),
    ("S-41", [pod(0, "Unknown"), RUN], "Unknown", "", 0),
    ("S-41 node", [put(RUN0, "spec.nodeName", "n1"), RUN, put(thing("Node", "n1"), "status.conditions", [condition("Ready", "Unknown")])], "Unknown",
     "worker 0: node n1 is not ready", 0),
    ("S-60 while", [job(startTime=OLD), put(thing("PodGroup", "j", "scheduling.volcano.sh/v1beta1", LABELS), "status", {"phase": "Pending"})], "Queued",
     "PodGroup j: waits in its queue", 0),
    ("S-51 while", [put(job(**STARTED), "spec.parallelism", 2), WAITS, thing("PersistentVolumeClaim", "data", status={"phase": "Lost"})], "Stalled",
     "PersistentVolumeClaim data: its volume is lost", 0),
    ("S-61", [thing("TrainJob", "j", "example.com/v1", status={"conditions": [condition("Complete", reason="AllDone")]})], "Succeeded", "done(worker)", 0),
    ("S-61 failed", [thing("JobSet", "j", "example.com/v1", status={"conditions": [condition("Failed", reason="FailedJobs", message="one did")]}), RUN],
     "Failing", "FailedJobs: one did", 8),
    ("S-61 suspended", [thing("JobSet", "j", "example.com/v1", status={"conditions": [condition("Suspended", reason="Hand")]})], "Suspended", "Hand", 0),
    ("S-61 resumed", [thing("JobSet", "j", "example.com/v1", status={"conditions": [condition("Suspended", "False")]})] + READY, "Running", "", 0),
    ("S-61 restarts", [put(thing("JobSet", "j", "example.com/v1", spec={"failurePolicy": {"maxRestarts": 3}}, status={"restarts": 1}), "metadata.labels", LABELS)],
     "Pending", "1 of 3 restarts", 0),
    ("S-61 pods", [thing("JobSet", "j", "example.com/v1", status={}), pod(0, "Failed", container=ended(3)), RUN], "Degraded", "worker 0: exit code 3", 0),
    ("S-61 kinds", [thing("OldJob", "j", "example.com/v1", status={"conditions": [condition("Created"), condition("Running")]})] + READY, "Running", "", 0),
    ("S-61 set", [thing("JobSet", "j", "example.com/v1", status={}), put(put(put(job(startTime=OLD, active=2, ready=2), "metadata.name", "j-worker-0"),
     "spec.parallelism", 2), "spec.completions", 2)], "Running", "", 0),
    ("S-61 anew", [thing("JobSet", "j", "example.com/v1", status={}), job([condition("Failed", reason="BackoffLimitExceeded")])], "Degraded",
     "BackoffLimitExceeded", 0),
    ("S-61 set's pods", [put(thing("JobSet", "j", "example.com/v1", status={}), "metadata.ownerReferences", [{"kind": "Job", "name": "j"}]),
                         thing("Train", "j", "example.com/v1", status={"conditions": [condition("Suspended", "False")]})] +
     [put(put(p, "metadata.name", "j-node-0-%d-x" % i), "metadata.labels", {"jobset.sigs.k8s.io/jobset-name": "j", "jobset.sigs.k8s.io/replicatedjob-name": "node",
      "batch.kubernetes.io/job-completion-index": str(i)}) for i, p in enumerate((RUN0, pod(1, "Pending", NEW, container=waits("ErrImagePull", "not found"))))],
     "Stalled", "worker 1: ErrImagePull: not found", 0),
    ("S-61 two", [thing("Train", "j", "example.com/v1", status={"conditions": [condition("Failed", reason="Why")]}),
                  put(thing("JobSet", "j", "example.com/v1", status={"conditions": [condition("Completed")]}), "metadata.ownerReferences", [{"name": "j"}])],
     "Failed", "Why", 8),
    ("S-61 counts", [thing("OldJob", "j", "example.com/v1", status={"conditions": [condition("Running")], "replicaStatuses": {"Worker": {"active": 1}}})],
     "Starting", "1/2 ready", 0),
    ("S-61 failed ones", [thing("OldJob", "j", "example.com/v1", status={"replicaStatuses": {"Worker": {"active": 1, "failed": 1}}})], "Degraded",
     "1 of 2 pods failed", 0),
    ("S-02", [put(thing("JobSet", "j", "example.com/v1", status={"observedGeneration": 1}), "metadata.generation", 2)], "Pending", "has not seen generation 2", 0),
]

# Objects other than replicas: row, object, its state, part of its cause.
SLICE = thing("EndpointSlice", "j-x", "discovery.k8s.io/v1", {"kubernetes.io/service-name": "j"},
              endpoints=[{"conditions": {"ready": True}}, {"conditions": {"ready": False}}])
BESIDE = [
    ("S-01", put(thing("ConfigMap", "c", labels=LABELS), "metadata.deletionTimestamp", OLD), "Terminating", ""),
    ("S-02", put(put(thing("Deployment", "d", "apps/v1", LABELS), "metadata.generation", 3), "status", {"observedGeneration": 2}), "Pending", "generation 3"),
    ("S-03 stalled", thing("Widget", "w", "example.com/v1", LABELS, status={"conditions": [condition("Stalled", reason="Why")]}), "Failed", "Why"),
    ("S-03 reconciling", thing("Widget", "w", "example.com/v1", LABELS, status={"conditions": [condition("Reconciling")]}), "Pending", ""),
    ("S-03 not ready", thing("Widget", "w", "example.com/v1", LABELS, status={"conditions": [condition("Ready", "False", "No")]}), "Pending", "No"),
    ("S-03 ready", thing("Widget", "w", "example.com/v1", LABELS, status={"conditions": [condition("Ready")]}), "Running", ""),
    ("S-03 silent", thing("Widget", "w", "example.com/v1", LABELS), "Unknown", "it reports no state"),
    ("S-50", thing("Service", "j", labels=LABELS), "Running", "1/2 endpoints ready"),
    ("S-51 bound", thing("PersistentVolumeClaim", "data", status={"phase": "Bound"}), "Running", ""),
    ("S-51 pending", thing("PersistentVolumeClaim", "data", status={"phase": "Pending"}), "Pending", "ProvisioningFailed: no such class"),
    ("S-51 late", thing("PersistentVolumeClaim", "data", spec={"storageClassName": "late"}, status={"phase": "Pending"}), "Running", "first pod"),
    ("S-51 lost", thing("PersistentVolumeClaim", "data", status={"phase": "Lost"}), "Failed", "lost"),
    ("S-52 map", thing("ConfigMap", "c", labels=LABELS), "Running", ""),
    ("S-52 secret", thing("Secret", "c", labels=LABELS), "Running", ""),
    ("S-52 account", thing("ServiceAccount", "c", labels=LABELS), "Running", ""),
    ("S-53 late", thing("Deployment", "d", "apps/v1", LABELS, status={"conditions": [condition("Progressing", "False", "ProgressDeadlineExceeded")]}),
     "Failed", "ProgressDeadlineExceeded"),
    ("S-53 some", thing("Deployment", "d", "apps/v1", LABELS, spec={"replicas": 2}, status={"replicas": 2, "updatedReplicas": 2, "availableReplicas": 1}),
     "Starting", "1/2 available"),
    ("S-53 old ones", thing("Deployment", "d", "apps/v1", LABELS, status={"replicas": 2, "updatedReplicas": 1, "availableReplicas": 1}), "Starting", "updated"),
    ("S-53", thing("Deployment", "d", "apps/v1", LABELS, status={"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}), "Running", ""),
    ("S-54 set", thing("StatefulSet", "s", "apps/v1", LABELS, spec={"replicas": 3}, status={"readyReplicas": 2, "updatedReplicas": 3}), "Starting", "2/3 ready"),
    ("S-54 revision", thing("StatefulSet", "s", "apps/v1", LABELS, spec={"replicas": 2}, status={"readyReplicas": 2, "updatedReplicas": 1,
     "currentRevision": "a", "updateRevision": "b"}), "Starting", "updated"),
    ("S-54 by hand", thing("StatefulSet", "s", "apps/v1", LABELS, spec={"replicas": 2, "updateStrategy": {"type": "OnDelete"}},
     status={"readyReplicas": 2, "updatedReplicas": 1, "currentRevision": "a", "updateRevision": "b"}), "Running", "1/2 updated"),
    ("S-54 daemons", thing("DaemonSet", "s", "apps/v1", LABELS, status={"desiredNumberScheduled": 3, "numberAvailable": 3, "updatedNumberScheduled": 3}), "Running", ""),
    ("S-54 replicas", thing("ReplicaSet", "s", "apps/v1", LABELS, spec={"replicas": 1}, status={"availableReplicas": 0}), "Starting", "0/1 ready"),
    ("S-55 no", thing("CustomResourceDefinition", "c", labels=LABELS, status={"conditions": [condition("NamesAccepted", "False", "Taken")]}), "Failed", "Taken"),
    ("S-55", thing("CustomResourceDefinition", "c", labels=LABELS, status={"conditions": [condition("Established")]}), "Running", ""),
    ("S-60 queue", thing("PodGroup", "g", "scheduling.volcano.sh/v1beta1", LABELS, status={"phase": "Pending"}), "Queued", "queue"),
    ("S-60 unschedulable", thing("PodGroup", "g", "scheduling.volcano.sh/v1beta1", LABELS, status={"phase": "Inqueue", "conditions":
     [condition("Unschedulable", "True", "NotEnoughResources", "3/4 tasks in gang unschedulable")]}), "Pending", "3/4 tasks in gang unschedulable"),
    ("S-60 coscheduling", thing("PodGroup", "g", "scheduling.x-k8s.io/v1alpha1", LABELS, status={"phase": "Scheduling"}), "Pending", "fit"),
    ("S-60 native", thing("PodGroup", "g", "scheduling.k8s.io/v1beta1", LABELS, status={"conditions":
     [condition("PodGroupInitiallyScheduled", "False", "Unschedulable", "2 of 4 fit")]}), "Pending", "2 of 4 fit"),
    ("S-60 runs", thing("PodGroup", "g", "scheduling.volcano.sh/v1beta1", LABELS, status={"phase": "Running"}), "Running", ""),
    ("S-60 evicted", thing("Workload", "w", "kueue.x-k8s.io/v1beta1", LABELS, status={"conditions":
     [condition("QuotaReserved", "False", "Pending", "x"), condition("Evicted", "True", "Preempted", "for a higher priority")]}), "Queued", "evicted: for a higher priority"),
    ("S-60 preempted", thing("Workload", "w", "kueue.x-k8s.io/v1beta2", LABELS, status={"conditions":
     [condition("QuotaReserved", "False", "Pending", "couldn't assign flavors to pod set worker: insufficient unused quota for cpu in flavor f, 1 more needed"),
      condition("Evicted", "True", "Preempted", "Preempted to accommodate a workload (UID: 0-1, JobUID: 2-3) due to prioritization in the ClusterQueue; "
                "preemptor path: /cq; preemptee path: /cq")]}), "Queued",
     "evicted: Preempted to accommodate a workload due to prioritization in the ClusterQueue; now couldn't assign flavors to pod set worker"),
    ("S-60 checks", thing("Workload", "w", "kueue.x-k8s.io/v1beta2", LABELS, status={"conditions": [condition("QuotaReserved")]}), "Queued", "has quota; its admission checks"),
    ("S-60 stopped", thing("Workload", "w", "kueue.x-k8s.io/v1beta2", LABELS, spec={"active": False}, status={"conditions":
     [condition("QuotaReserved", "False", "Pending", "x"), condition("Evicted", "True", "Deactivated", "The workload is deactivated")]}),
     "Suspended", "The workload is deactivated"),
    ("S-60 admitted", thing("Workload", "w", "kueue.x-k8s.io/v1beta1", LABELS, status={"conditions": [condition("QuotaReserved"), condition("Admitted")]}), "Running", ""),
]


def rows(trainc, directory):
    for name, objects, state, cause, want in ROWS + ALSO + FIRST_LINES:
        status, out, err = run(trainc, directory, objects)
        check(status == want, "%s: status %d, not %d: %s" % (name, status, want, err))
        got = json.loads(out)["runs"][0] if out else {}
        check(got.get("state") == state, "%s: state %s, not %s" % (name, got.get("state"), state))
        told = got.get("cause", "")
        check(told == cause[1:] if cause[:1] == "=" else cause in told, "%s: the cause %r is not %r" % (name, told, cause))
        if name == "S-38":
            seen = [(r["role"], r["index"], r["state"], r["node"], r["attempts"]) for r in got.get("replicas", [])]
            check(seen == [("worker", 0, "ready", "n7", 4), ("worker", 1, "ready", "", 1)], "%s: %s" % (name, seen))
        for seed in range(3):
            mixed = copy.copy(objects)
            random.Random(seed).shuffle(mixed)
            check(run(trainc, directory, mixed)[1] == out, "%s: another order, another answer" % name)


def beside(trainc, directory):
    rest = [SLICE, thing("StorageClass", "late", volumeBindingMode="WaitForFirstConsumer"),
            event("PersistentVolumeClaim", "data", "ProvisioningFailed", "no such class")]
    for name, o, state, cause in BESIDE:
        _, out, err = run(trainc, directory, [o] + rest)
        got = (json.loads(out)["runs"][0].get("objects") or [{}])[0] if out else {}
        check(got.get("state") == state and cause in got.get("cause", ""), "%s: %s, not %s, %r %s" % (name, got, state, cause, err))
    _, out, _ = run(trainc, directory, READY + [put(o, "metadata.labels", {"trainc.dev/job": "someone"}) for _, o, _, _ in BESIDE if o["metadata"]["labels"]])
    check("objects" not in json.loads(out)["runs"][0], "objects of another job")


def words(trainc, directory):
    """on_failed_pod: what a failed pod does to the job."""
    lead = thing("Pod", "j-lead-0", status=copy.deepcopy(RUN["status"]))
    lost = thing("Pod", "j-helper-0", status=pod(0, "Failed", container=ended(3))["status"])
    retried, final = ", retries = 1", ""
    for word, role, kind in (("", retried, "Restarting"), ("", final, "Failed"), ("fail", retried, "Failed"), ("fail", final, "Failed"),
                             ("restart", retried, "Restarting"), ("restart", final, "Restarting"), ("replace", retried, "Running"),
                             ("replace", final, "Failed"), ("ignore", retried, "Running"), ("ignore", final, "Running")):
        with open(directory + "/words.tj", "w", encoding="utf-8") as f:
            f.write(WORDS % ('word = "%s"' % word if word else "", role))
        _, out, err = run(trainc, directory, [lead, lost], program="words.tj")
        got = [c["type"] for c in json.loads(out)["runs"][0]["conditions"] if c["status"] == "True"] if out else err
        blamed = json.loads(out)["runs"][0]["first_failure"] if out else err
        check((blamed is None) == (word == "ignore"), "on_failed_pod = %r%s: %s is to blame" % (word, role, blamed))
        check(got == ["Created", kind], "on_failed_pod = %r%s: %s, not %s" % (word, role, got, kind))
    begun = put(lead, "status.startTime", OLD)
    _, out, _ = run(trainc, directory, [begun], program="words.tj", now="2026-01-01T01:59:59Z")
    check(json.loads(out)["runs"][0]["state"] == "Pending", "before the deadline: " + out)
    status, out, _ = run(trainc, directory, [begun], program="words.tj", now="2026-01-01T02:00:00Z")
    check(status == 8 and "longer than its timeout of 2 h" in out, "the deadline: " + out)


def conditions(trainc, directory):
    """Types, order and times of conditions; warnings, and the text output."""
    done = [put(job([put(condition("Complete"), "lastTransitionTime", "2026-01-01T00:30:00Z")], startTime=OLD), "metadata.creationTimestamp", OLD)]
    got = json.loads(run(trainc, directory, done)[1])["runs"][0]
    check([(c["type"], c.get("since")) for c in got["conditions"]] == [("Created", OLD), ("Succeeded", "2026-01-01T00:30:00Z")], "times: %s" % got)
    held = put(job([put(condition("Suspended"), "lastTransitionTime", "2026-01-01T00:20:00Z")], suspend=True), "metadata.creationTimestamp", OLD)
    got = json.loads(run(trainc, directory, [held])[1])["runs"][0]
    check([(c["type"], c.get("since")) for c in got["conditions"]] == [("Created", OLD), ("Suspended", "2026-01-01T00:20:00Z")], "suspended since: %s" % got)
    begun = put(condition("Running"), "lastTransitionTime", "2026-01-01T00:10:00Z")
    old = thing("OldJob", "j", "example.com/v1", status={"conditions": [condition("Created"), begun], "replicaStatuses": {"Worker": {"active": 2}}})
    got = json.loads(run(trainc, directory, [put(old, "metadata.creationTimestamp", OLD)])[1])["runs"][0]
    check(got["state"] == "Running" and [(c["type"], c.get("since")) for c in got["conditions"]] ==
          [("Created", OLD), ("Running", "2026-01-01T00:10:00Z")], "running since: %s" % got)
    over = thing("OldJob", "j", "example.com/v1", status={"conditions": [condition("Failed", reason="Why")], "replicaStatuses": {"Worker": {"failed": 1}}})
    out = run(trainc, directory, [over], "table")[1]
    check(out.splitlines()[1].endswith("  1         0  1 of 2 pods failed"), "nothing is to come of a role that is over: %r" % out)
    stuck = [pod(i, "Pending", OLD, [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes")]) for i in (0, 1)]
    told = [event("Pod", "j-worker-%d-abcde" % i, "FailedScheduling", "0/3 nodes", "2026-01-01T00:5%d:00Z" % i, 4) for i in (0, 1)]
    other = event("Pod", "someone-0", "FailedScheduling", "theirs")
    got = json.loads(run(trainc, directory, stuck + told + [other])[1])["runs"][0]
    check(got["events"] == [{"time": "2026-01-01T00:51:00Z", "kind": "Pod", "name": "j-worker-1-abcde", "count": 8, "reason": "FailedScheduling",
                             "message": "0/3 nodes"}], "warnings: %s" % got.get("events"))
    new = {"apiVersion": "events.k8s.io/v1", "kind": "Event", "type": "Warning", "reason": "FailedScheduling", "note": "bad\x1b[31m\nnews",
           "series": {"count": 3, "lastObservedTime": "2026-01-01T00:59:00Z"}, "regarding": {"kind": "Pod", "name": "j-worker-0-abcde"}}
    out = run(trainc, directory, stuck + [new], "table")[1]
    check("\nj: Stalled: 2 of 2 pods: Unschedulable: 0/3 nodes\n" in out and
          "  60s ago  Pod j-worker-0-abcde: FailedScheduling (3 times): bad [31m news\n" in out, "read by a person: %r" % out)
    ttl = copy.copy(PROGRAM).replace("  role worker", "  ttl = 2d\n  role worker")
    with open(directory + "/ttl.tj", "w", encoding="utf-8") as f:
        f.write(ttl)
    out = run(trainc, directory, [], "table", "ttl.tj")[1]
    check("  none of its objects exist; they are removed 2d after its end (ttl)\n" in out, "absent after a ttl: %r" % out)
    well = run(trainc, directory, READY, "table")[1]
    check(well.count("\n") == 2 and "\nj    Running  worker        2       2      2" in well, "nothing to add: %r" % well)
    wide = run(trainc, directory, READY, "wide")[1]
    check("worker-1   ready" in wide.replace("  ready", "   ready") and run(trainc, directory, READY, "name")[1] == "run/j\n", "wide: %r" % wide)


def night(trainc):
    """The example in docs/status.md is the actual output."""
    here = os.path.dirname(os.path.abspath(__file__))
    p = subprocess.run([trainc, "status", "--from", here + "/night/objects.json", "--now", "2026-03-02T00:00:00Z", here + "/night/bert.tj"],
                       capture_output=True, text=True)
    with open(here + "/../../docs/status.md", encoding="utf-8") as f:
        check(p.stdout and "```\n" + p.stdout + "```\n" in f.read(), "docs/status.md has another example: %s%s" % (p.stdout, p.stderr))


def in_set(o):
    """The Job or pod with the name that a set's controller gives it, without labels."""
    return {**o, "metadata": {**o["metadata"], "labels": {"trainc.dev/job": "j"}, "name": o["metadata"]["name"].replace("j-worker", "j-worker-0")}}


def sets(trainc, directory):
    """S-61 with the names that the controller of a set gives: the set decides, not a Job that may be re-created."""
    broken, complete = in_set(job([condition("Failed", reason="BackoffLimitExceeded")])), in_set(job([condition("Complete")], succeeded=2))
    running = [in_set(RUN0), in_set(RUN)]
    for target, kind, done in (("jobset", "JobSet", "Completed"), ("trainer", "TrainJob", "Complete")):
        home = os.path.join(directory, target)
        os.mkdir(home)
        for name, text in (("job.tj", PROGRAM), ("project.tj", 'project { target = "%s" }\n' % target)):
            with open(os.path.join(home, name), "w", encoding="utf-8") as f:
                f.write(text)

        def whole(*conditions):
            return thing(kind, "j", "example.com/v1", status={"conditions": list(conditions)})

        for objects, state in (
            (running, "Running"), ([whole()] + running, "Running"), ([whole(condition(done))], "Succeeded"),
            ([whole(condition(done)), complete], "Succeeded"), ([complete], "Succeeded"),
            ([whole(condition("Failed", reason="ReachedMaxRestarts")), broken], "Failed"), ([broken], "Failed"),
            ([put(RUN0, "metadata.labels", {"trainc.dev/job": "j"})], "Absent"),
        ):
            status, out, err = run(trainc, home, objects)
            got = json.loads(out)["runs"][0]["state"] if out else err
            check(got == state, "%s %s: %s, not %s" % (target, [o["metadata"]["name"] for o in objects], got, state))


def slices(trainc, directory):
    """Each Job of a role of several slices covers a part of it: the label says which."""
    home = os.path.join(directory, "slices")
    os.mkdir(home)
    for name, text in (("job.tj", SLICES), ("project.tj", 'project { target = "jobset" }\n')):
        with open(os.path.join(home, name), "w", encoding="utf-8") as f:
            f.write(text)

    def of_slice(o, n, index=None):
        labels = {"trainc.dev/job": "j", "trainc.dev/role": "worker", "jobset.sigs.k8s.io/job-index": str(n)}
        if index is not None:
            labels["batch.kubernetes.io/job-completion-index"] = str(index)
        return put(put(o, "metadata.labels", labels), "metadata.name", "j-worker-%d" % n if index is None else "j-worker-%d-%d-abcde" % (n, index))

    complete, going = job([condition("Complete")], succeeded=2, completedIndexes="0,1"), job(startTime=OLD, active=1, ready=1, completedIndexes="1")
    broken = of_slice(pod(0, "Failed", container=ended(3)), 1, 0)
    for objects, state, cause, counts in (
        ([of_slice(going, 0), of_slice(complete, 1), of_slice(RUN0, 0, 0)], "Running", "", (1, 3)),
        ([of_slice(complete, 0), of_slice(complete, 1)], "Succeeded", "done(worker)", (0, 4)),
        ([of_slice(complete, 0), of_slice(complete, 1), of_slice(going, 7)], "Succeeded", "done(worker)", (0, 4)),
        ([of_slice(p, n, i) for n in (0, 1) for i, p in enumerate(READY)], "Running", "", (4, 0)),
        ([of_slice(RUN0, 0, 0), of_slice(RUN, 0, 1), broken], "Failing", "worker 2: exit code 3", (2, 0)),
    ):
        status, out, err = run(trainc, home, objects)
        got = json.loads(out)["runs"][0] if out else {}
        role = got["roles"][0] if got else {}
        check(got and got["state"] == state and cause in got["cause"] and (role["active"], role["succeeded"]) == counts,
              "slices %s: %s %s, not %s" % ([o["metadata"]["name"] for o in objects], out, err, state))


def mutants(trainc, directory):
    """Objects with missing, wrong or excessive parts: status still gives an answer, and the same for any order."""
    every = [o for row in ROWS for o in row[1]] + [row[1] for row in BESIDE] + [SLICE]
    junk = (None, True, -1, 2 ** 62, -2 ** 63, 1.5, "", "x" * 300, NEW, "\x1b[3m\n", [], {}, [None], [{}], {"a": 1}, "0-99999999999,5", "Running")
    chance = random.Random(20260301)

    def mutant(o):
        at = o = copy.deepcopy(o)
        while at:
            key = chance.choice(list(at) if isinstance(at, dict) else range(len(at)))
            if not isinstance(at[key], (dict, list)) or chance.random() < 0.25:
                at[key] = copy.deepcopy(chance.choice(junk))
                break
            at = at[key]
        return o

    for n in range(60):
        some = [mutant(chance.choice(every)) for _ in range(8)]         # a cluster has only one object of a name
        objects = list({json.dumps([o["kind"], o["metadata"] and o["metadata"]["name"]]): o for o in some if isinstance(o.get("metadata"), dict)
                        and "name" in o["metadata"] and "kind" in o}.values())
        status, out, err = run(trainc, directory, objects)
        check(status in (0, 8) and json.loads(out), "mutants %d: status %d %s" % (n, status, err))
        check(run(trainc, directory, objects[::-1])[1] == out, "mutants %d: another order, another answer" % n)


def failures(trainc, directory):
    """The first failing rank: the earliest; a signal is an echo; replicas that were stopped do not count."""
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


def last_words(trainc, directory):
    """Pods whose records tell when they failed: the first one is to blame, whichever ended first."""
    def failure(*pods):
        return json.loads(run(trainc, directory, list(pods))[1])["runs"][0]["first_failure"]

    def record(second, error, follows=False, **more):
        return json.dumps(dict({"last_words": 1, "time": 1767225600 * 10**9 + second * 10**8, "error": error, "follows": follows}, **more)) + "\n"
    raised = ended(1, at="2026-01-01T00:00:09Z", message=record(51, "ValueError: bad batch", at="train.py:14", rank=1))
    lost = ended(1, at="2026-01-01T00:00:05Z", message=record(50, "ConnectionError: closed by peer", True, rank=0))
    got = failure(pod(0, "Failed", container=lost), pod(1, "Failed", container=raised))
    check((got["index"], got["reason"], got["log"]) == (1, "exit code 1: ValueError: bad batch (train.py:14, rank 1)", []), "raised: %s" % got)
    later = ended(1, at="2026-01-01T00:00:05Z", message=record(52, "RuntimeError: no answer"))
    got = failure(pod(0, "Failed", container=later), pod(1, "Failed", container=raised))
    check(got["index"] == 1, "the time in the record decides: %s" % got)
    silent = ended(137, "OOMKilled", at="2026-01-01T00:00:04Z")
    got = failure(pod(0, "Failed", container=silent), pod(1, "Failed", container=raised))
    check(got["index"] == 0 and got["reason"] == "OOMKilled", "one that could say nothing, before: %s" % got)
    silent = ended(3, at="2026-01-01T00:00:05Z", message="boom")
    got = failure(pod(0, "Failed", container=silent), pod(1, "Failed", container=raised))
    check(got["index"] == 1, "one that said nothing, in the same second: %s" % got)
    stopped = pod(1, "Failed", container=ended(143, at="2026-01-01T00:00:09Z", message=raised["state"]["terminated"]["message"]))
    stopped["metadata"]["deletionTimestamp"] = OLD
    got = failure(pod(0, "Failed", container=lost), stopped)
    check(got["index"] == 1, "one that raised first, and was stopped before it ended: %s" % got)
    several = record(53, "RuntimeError: child") + record(51, "KeyError: 'x'", rank=3) + record(50, "EOFError", True, rank=2)
    got = failure(pod(0, "Failed", container=ended(1, message=several)))
    check(got["reason"] == "exit code 1: KeyError: 'x' (rank 3)", "several processes: %s" % got)
    old = record(51, "KeyError: 'x'", rank=3)
    got = failure(pod(0, "Failed", container=ended(1, at="2026-01-01T00:02:00Z", message=old)))
    check(got["reason"] == "exit code 1", "a failure that a launcher has got over: %s" % got)
    for wrong in ('{"last_words": 2, "time": 5, "error": "x"}', '{"last_words": 1, "error": "x"}', '{"last_words": 1, "time": "5", "error": "x"}',
                  '{"last_words": 1, "time": 5}', '{"last_words": 1, "time": 5, "error": "x"', '{"last_words": 1, "time": -5, "error": "x"}'):
        got = failure(pod(0, "Failed", container=ended(1, message=wrong)))
        check(got["reason"] == "exit code 1" and got["log"] == [wrong], "no record: %s" % got)
    loop = dict(waits("CrashLoopBackOff", "", 1), lastState=raised["state"])
    got = json.loads(run(trainc, directory, [pod(0, "Running", container=loop), RUN])[1])["runs"][0]["cause"]
    check(got.endswith("CrashLoopBackOff: exit code 1: ValueError: bad batch (train.py:14, rank 1)"), "loop: %s" % got)


def others(trainc, directory):
    """Objects of other jobs, file formats, and unreadable input."""
    other = pod(0, "Failed", container=ended(1))
    other["metadata"]["labels"]["trainc.dev/job"] = "someone"
    check(json.loads(run(trainc, directory, [other])[1])["runs"][0]["state"] == "Absent", "another job's pod")
    status, out, _ = run(trainc, directory, [pod(0, "Failed", container=ended(3)), RUN], "table")
    check(status == 0 and "\nj: Degraded" in out and "  first failure: worker 0, 59m ago\n" in out, "table: %s" % out)
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
        check(p.returncode in (0, 1) and (p.returncode == 0 or "seen.json%s" % (":" if text else "' is empty") in p.stderr), "%r: status %d %s" % (text, p.returncode, p.stderr))
    for text, place in (("garbage", "1:1"), ("[]", "1:1"), ("kind: Pod\n---\nname: x\n", "3:1")):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        p = subprocess.run([trainc, "status", "--from", path, directory + "/job.tj"], capture_output=True, text=True)
        check(p.returncode == 1 and p.stdout == "" and "seen.json:%s: an object of Kubernetes has a 'kind'" % place in p.stderr, "%r: %s" % (text, p.stderr))
    p = subprocess.run([trainc, "status", "--from", path], capture_output=True, text=True)
    check(p.returncode == 2 and "needs one program" in p.stderr, "no program: %s" % p.stderr)
    text = json.dumps({"kind": "List", "items": READY})
    p = subprocess.run([trainc, "status", "--from", "-", directory + "/job.tj", "-o", "json"], input=text + " " * (70 << 20), capture_output=True, text=True)
    check('"state": "Running"' in p.stdout, "standard input, and a large one: %s" % p.stderr)
    p = subprocess.run([trainc, "status", "--from", "-", directory + "/job.tj"], input="{", capture_output=True, text=True)
    check(p.returncode == 1 and "<stdin>:1:2: " in p.stderr, "standard input that breaks off: %s" % p.stderr)
    for extra, said in ((["--now", NOW], "add --from FILE"), (["--from", path, "--watch"], "saved objects do not change")):
        p = subprocess.run([trainc, "status", directory + "/job.tj"] + extra, capture_output=True, text=True)
        check(p.returncode == 2 and said in p.stderr, "%s: %s" % (extra, p.stderr))
    p = subprocess.run([trainc, "status", "--from", path, "--now", "noon", directory + "/job.tj"], capture_output=True, text=True)
    check(p.returncode == 2 and "--now takes a time" in p.stderr, "no time: %s" % p.stderr)
    p = subprocess.run([trainc, "status", "--from", directory + "/none", directory + "/job.tj"], capture_output=True, text=True)
    check(p.returncode == 1 and "no such file" in p.stderr, "no file: %s" % p.stderr)


def ended_jobs(trainc, directory):
    """A Job that failed as a whole says which of its pods failed, or how many."""
    limit = condition("Failed", reason="BackoffLimitExceeded")
    gone = put(pod(1, "Failed", container=ended(3)), "metadata.labels", {"trainc.dev/job": "j", "trainc.dev/role": "worker"})
    for objects, failed in (([job([limit], failed=2)], 2), ([job([limit], failed=7)], 2), ([job([limit], failed=1), gone], 1),
                            ([job([condition("Failed", reason="PodFailurePolicy")], failed=1), gone, RUN0], 1)):
        role = json.loads(run(trainc, directory, objects)[1])["runs"][0]["roles"][0]
        check(role["failed"] == failed, "%d of the Job's pods failed, not %d" % (role["failed"], failed))


def bare_pods(trainc, directory):
    """Pods that no controller counts: the back-off limit of their framework, and the gate of a suspended job."""
    program = os.path.join(directory, "pods.tj")
    with open(program, "w", encoding="utf-8") as f:
        f.write('import std.kubeflow\n\njob "j": kubeflow.pytorchjob(backoff_limit = 3) {\n  image = "registry.example.com/a:1"\n'
                '  role worker { replicas = 4 }\n}\n')
    def four(restarts, phase="Running", **rest):
        return [thing("Pod", "j-worker-%d" % i, spec=rest.get("spec", {}), status=dict(pod(i, phase, container={"ready": True,
                "restartCount": restarts, "state": {"running": {}}})["status"], **rest.get("status", {}))) for i in range(4)]
    for restarts, state in ((0, "Running"), (1, "Failing")):
        got = json.loads(run(trainc, directory, four(restarts), program="pods.tj")[1])["runs"][0]
        check(got["state"] == state, "%d restarts of each pod: %s, not %s" % (restarts, got["state"], state))
        check(not restarts or "BackoffLimitExceeded: 4 restarts" in got["cause"], "the limit is the cause: %s" % got["cause"])
    gated = [condition("PodScheduled", "False", "SchedulingGated")]
    held = [put(put(pod(i, "Pending", conditions=gated), "spec.schedulingGates", [{"name": "trainc.dev/suspend"}]), "metadata.name", "j-worker-%d" % i)
            for i in range(4)]
    got = json.loads(run(trainc, directory, held, program="pods.tj")[1])["runs"][0]
    check((got["state"], got.get("cause", "")) == ("Suspended", ""), "a suspended job: %s, %s" % (got["state"], got.get("cause")))
    bare = thing("Pod", "j-worker-0", status={"phase": "Failed"})
    got = json.loads(run(trainc, directory, [bare], program="pods.tj")[1])["runs"][0]
    check("worker 0: Failed: none of its containers left a status" in got["cause"], "a pod without statuses: %s" % got["cause"])


def kept(trainc, directory):
    """With clean = "none" nothing stops the other replicas, so the verdict does not wait for them."""
    with open(os.path.join(directory, "kept.tj"), "w", encoding="utf-8") as f:
        f.write('job "j" {\n  image = "registry.example.com/a:1"\n  clean = "none"\n  role worker { replicas = 2 }\n}\n')
    failed = condition("Failed", reason="FailedJobs", message="one did")
    for objects in ([thing("JobSet", "j", "example.com/v1", status={"conditions": [failed]}), RUN], [job([failed]), RUN]):
        got = json.loads(run(trainc, directory, objects, program="kept.tj")[1])["runs"][0]
        check((got["state"], got["cause"]) == ("Failed", "FailedJobs: one did"), "replicas that are kept: %s, %s" % (got["state"], got["cause"]))


def narrow(trainc, directory):
    """On a narrow terminal, columns that say nothing make room for the cause, which is cut between words."""
    path = os.path.join(directory, "seen.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": [PARTLY, RUN0, pod(1, "Pending", OLD, container=waits(
            "ErrImagePull", "failed to resolve reference: the registry asks for a login that nobody has"))]}, f)

    def first_lines(columns):
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (30, columns))
        p = subprocess.Popen([trainc, "status", "--from", path, "--now", NOW, os.path.join(directory, "job.tj")], stdout=theirs)
        os.close(theirs)
        text = b""
        while b"\r\n\r\n" not in text:
            text += os.read(ours, 65536)
        p.wait()
        os.close(ours)
        return text.decode().split("\r\n")[:2]
    head, row = first_lines(80)
    check(head.split() == ["RUN", "STATE", "ROLE", "DESIRED", "READY", "CAUSE"], "80 columns: %r" % head)
    check(len(row) <= 80 and row.endswith("…") and "worker 1: ErrImagePull: " in row and re.search(r"[a-z:]…$", row), "80 columns: %r" % row)
    check(all(w in "ErrImagePull: failed to resolve reference: the registry asks for a login" for w in row[:-1].split()[7:]), "cut between words: %r" % row)
    head, row = first_lines(300)
    check(len(head.split()) == 10 and row.endswith("nobody has"), "300 columns: %r" % row)


def main():
    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(d, "job.tj"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        rows(sys.argv[1], d)
        beside(sys.argv[1], d)
        words(sys.argv[1], d)
        conditions(sys.argv[1], d)
        night(sys.argv[1])
        mutants(sys.argv[1], d)
        sets(sys.argv[1], d)
        slices(sys.argv[1], d)
        failures(sys.argv[1], d)
        last_words(sys.argv[1], d)
        others(sys.argv[1], d)
        ended_jobs(sys.argv[1], d)
        bare_pods(sys.argv[1], d)
        kept(sys.argv[1], d)
        narrow(sys.argv[1], d)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
