"""advice.py TRAINC - `trainc why --from`: for each way in which a run can fail or not start, the first line and what to do.

A row has a title, the objects, a part of the cause and a part of the advice ("" where there is none to give). Exactly
the wanted advice may be there: a second piece, about something that is not the problem, is an error."""
import json
import os
import subprocess
import sys
import tempfile

import rows
from rows import LIMIT, PARTLY, RUN0, condition, ended, event, job, joined, normal, pod, put, waits

OLD, MIDDLE, NEW, NOW = rows.OLD, rows.MIDDLE, rows.NEW, rows.NOW
NAME = "j-worker-1-abcde"


def held(reason, message="", restarts=0, last=None, created=OLD):
    """Worker 1 waits with a reason."""
    state = waits(reason, message, restarts)
    state.update({"lastState": last["state"]} if last else {})
    return [PARTLY, RUN0, put(pod(1, "Pending", created, container=state), "spec.nodeName", "n1")]


def pull(message, reason="ErrImagePull"):
    return held(reason, message)


def unplaced(message, reason="Unschedulable"):
    return [PARTLY, RUN0, pod(1, "Pending", OLD, [dict(condition("PodScheduled", "False", reason, message), lastTransitionTime=OLD)])]


def refused(message):
    return [PARTLY, RUN0, event("Job", "j-worker", "FailedCreate", 'Error creating: pods "j-worker-1-x" is forbidden: ' + message)]


def placed(reason, message):
    """Worker 1 has a node, and an Event."""
    return [PARTLY, RUN0, put(put(pod(1, "Pending", OLD), "spec.nodeName", "n1"), "status.startTime", OLD), event("Pod", NAME, reason, message)]


def died(code, reason="Error", message=""):
    return [job([LIMIT]), pod(1, "Failed", container=ended(code, reason, message))]


def taken(reason, message="", disruption=""):
    extra = {"conditions": [condition("DisruptionTarget", "True", disruption, "taken")]} if disruption else {}
    return [job([LIMIT]), put(pod(1, "Failed"), "status", dict({"phase": "Failed"}, **({"reason": reason, "message": message} if reason else {}), **extra))]


def probe(message):
    return [PARTLY, RUN0, pod(1, "Running", conditions=[condition("ContainersReady", "False", "ContainersNotReady", "containers with unready status: [main]")],
                              container={"ready": False, "state": {"running": {}}}), event("Pod", NAME, "Unhealthy", message)]


START = ('failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container '
         'process: exec: "pythn": executable file not found in $PATH: unknown')
RPC = "rpc error: code = Unknown desc = "
TABLE = [
    # ---- images ----
    ("no such tag", pull(RPC + "a:2: not found"), "ErrImagePull: a:2: not found", "check its name and tag"),
    ("a login is missing", pull("401 Unauthorized"), "401 Unauthorized", "requires a login"),
    ("access denied", pull("pull access denied, repository does not exist or may require authorization"), "pull access denied", "only after a login"),
    ("forbidden", pull("403 Forbidden"), "403 Forbidden", "a login that may read"),
    ("too many pulls", pull("429 toomanyrequests: You have reached your pull rate limit"), "toomanyrequests", "limits pulls"),
    ("another processor", pull("no match for platform in manifest"), "no match for platform", "processor of the node"),
    ("no such registry", pull("dial tcp: lookup r.example.com: no such host"), "no such host", "resolve the name of the registry"),
    ("an unknown certificate", pull("x509: certificate signed by unknown authority"), "signed by unknown authority", "trust the registry"),
    ("the registry does not answer", pull("dial tcp 10.0.0.9:443: i/o timeout"), "i/o timeout", "cannot reach the registry"),
    ("the disk is full", pull("write /var/lib/x: no space left on device"), "no space left on device", "disk of the node is full"),
    ("never pulled", held("ErrImageNeverPull", "Container image is not present"), "ErrImageNeverPull", "forbids pulling"),
    ("no name of an image", held("InvalidImageName", "couldn't parse image reference"), "InvalidImageName", "is not the name of an image"),
    ("an image that is pulled", [PARTLY, RUN0, rows.PLACED2, normal(event("Pod", NAME, "Pulling", 'Pulling image "a:2"', MIDDLE))], 'pulling "a:2" for 30m', ""),
    # ---- containers ----
    ("no such Secret", held("CreateContainerConfigError", 'secret "token" not found'), 'secret "token" not found', "Secret does not exist"),
    ("no such ConfigMap", held("CreateContainerConfigError", 'configmap "cfg" not found'), 'configmap "cfg" not found', "ConfigMap does not exist"),
    ("the code is gone", placed("FailedMount", 'MountVolume.SetUp failed for volume "code-parts" : configmap "trainc-code-3f2a9c01b7de-0" not found'),
     'configmap "trainc-code-3f2a9c01b7de-0" not found', "'trainc apply' writes it again"),
    ("root is forbidden", held("CreateContainerConfigError", "container has runAsNonRoot and image will run as root"), "runAsNonRoot", "set a user"),
    ("no driver", held("RunContainerError", "nvidia-container-cli: initialization error: nvml error: driver not loaded"), "nvidia-container-cli", "driver of the node"),
    ("a hook", held("PostStartHookError", "command 'x' exited with 1"), "PostStartHookError", "lifecycle"),
    ("no such program", died(128, "StartError", START), "worker 1: StartError (exit code 128)", "the image has no such program"),
    ("no such path", died(128, "ContainerCannotRun", "exec /app/run: no such file or directory"), "ContainerCannotRun", "a path does not exist"),
    ("a program of another processor", died(1, "StartError", "exec /bin/x: exec format error"), "StartError", "processor of the node"),
    # ---- restarts ----
    ("it keeps exiting", held("CrashLoopBackOff", "back-off", 5, ended(1)), "CrashLoopBackOff: exit code 1", "keeps exiting by itself"),
    ("it keeps exceeding its memory", held("CrashLoopBackOff", "back-off", 5, ended(137, "OOMKilled")), "OOMKilled", "more memory than 'memory'"),
    ("a sidecar keeps exiting", [PARTLY, RUN0, joined(pod(1, "Running"), "logs", waits("CrashLoopBackOff", "back-off", 5), True, True)],
     "sidecar 'logs': CrashLoopBackOff", "--container NAME"),
    ("an init container keeps exiting", [PARTLY, RUN0, joined(pod(1, "Pending"), "fetch", waits("CrashLoopBackOff", "back-off", 5), True)],
     "init container 'fetch': CrashLoopBackOff", "a container before it fails"),
    ("the step that unpacks the code has no shell", [PARTLY, RUN0, joined(pod(1, "Pending"), "code", waits("CrashLoopBackOff", "back-off", 5), True)],
     "init container 'code': CrashLoopBackOff", "set code { unpack = IMAGE }"),
    ("a container beside it has too little memory", [job([LIMIT]), joined(pod(1, "Failed", container=ended(0, "Completed")), "proxy", ended(137, "OOMKilled"))],
     "container 'proxy': OOMKilled", "--container NAME"),
    # ---- scheduling ----
    ("too little", unplaced("0/9 nodes are available: 9 Insufficient nvidia.com/gpu."), "Insufficient nvidia.com/gpu", "ask for less"),
    ("labels", unplaced("0/9 nodes are available: 9 node(s) didn't match Pod's node affinity/selector."), "didn't match", "labels"),
    ("a taint", unplaced("0/9 nodes are available: 9 node(s) had untolerated taint {pool: gpu}."), "untolerated taint", "'tolerate'"),
    ("nodes that do not answer", unplaced("0/9 nodes are available: 9 node(s) had untolerated taint {node.kubernetes.io/not-ready: }."), "not-ready",
     "nodes do not answer"),
    ("drained nodes", unplaced("0/9 nodes are available: 9 node(s) were unschedulable."), "were unschedulable", "uncordon"),
    ("host ports", unplaced("0/9 nodes are available: 9 node(s) didn't have free ports for the requested pod ports."), "free ports", "another port"),
    ("one per node", unplaced("0/9 nodes are available: 9 node(s) didn't match pod anti-affinity rules."), "anti-affinity", "'spread'"),
    ("a claim without a volume", unplaced("0/9 nodes are available: pod has unbound immediate PersistentVolumeClaims."), "unbound immediate", "no volume"),
    ("no such claim", unplaced('persistentvolumeclaim "data" not found'), 'persistentvolumeclaim "data"', "claim does not exist"),
    ("a gate", [PARTLY, RUN0, put(pod(1, "Pending", OLD, [condition("PodScheduled", "False", "SchedulingGated", "")]), "spec.schedulingGates",
                                  [{"name": "example.com/wait"}])], "SchedulingGated: example.com/wait", "whoever has set it"),
    ("no such scheduler", [PARTLY, RUN0, put(pod(1, "Pending", OLD), "spec.schedulerName", "volcano")], "no scheduler 'volcano'", "does not run here"),
    # ---- admission ----
    ("a quota", refused("exceeded quota: q, requested: cpu=9, used: cpu=1, limited: cpu=4"), "exceeded quota", "is used up"),
    ("a quota that wants requests", refused("failed quota: q: must specify limits.memory for: main"), "must specify", "wants every container"),
    ("pod security", refused('violates PodSecurity "restricted:latest": privileged'), "violates PodSecurity", "another namespace"),
    ("a webhook", [PARTLY, RUN0, event("Job", "j-worker", "FailedCreate", 'Error creating: admission webhook "v.example.com" denied the request: no latest tag')],
     'admission webhook "v.example.com"', "a webhook of the cluster"),
    ("a policy", [PARTLY, RUN0, event("Job", "j-worker", "FailedCreate", "Error creating: pods \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no")],
     "ValidatingAdmissionPolicy 'p'", "a policy of the cluster"),
    ("a limit range", refused("maximum memory usage per Container is 1Gi, but limit is 2Gi"), "usage per Container", "LimitRange"),
    ("no such account", [PARTLY, RUN0, event("Job", "j-worker", "FailedCreate", 'Error creating: pods "x" is forbidden: error looking up service account a/b: serviceaccount "b" not found')],
     'serviceaccount "b"', "service account does not exist"),
    ("no such priority", refused("no PriorityClass with name high was found"), "no PriorityClass", "priority class does not exist"),
    ("no such runtime class", refused('pod rejected: RuntimeClass "kata" not found'), 'RuntimeClass "kata"', "runtime class does not exist"),
    # ---- failures and disruptions ----
    ("an error of its own", died(3), "worker 1: exit code 3", "an error of its own"),
    # what a program says is not what the cluster says
    *[("the words of a program: " + words, died(1, "Error", json.dumps({"last_words": 1, "time": 1767225660 * 10**9, "error": words, "follows": False}) + "\n"),
       words, "an error of its own")
      for words in ("OutOfRangeError: End of sequence", "HTTPError: 403 Forbidden", "dial: i/o timeout", "Insufficient samples", "you must specify a file",
                    "OSError: no space left on device", "container 'x' is broken", "the model is not ready")],
    ("the words of a program that keeps exiting", held("CrashLoopBackOff", "back-off", 5, ended(1, "Error", "OutOfRangeError: 403 Forbidden")),
     "OutOfRangeError", "keeps exiting by itself"),
    ("a shell that finds no program", died(127, "Error", "sh: 1: pythn: command not found"), "exit code 127", "an error of its own"),
    ("a signal", died(139), "worker 1: killed by SEGV", "an error of its own"),
    ("too little memory", died(137, "OOMKilled"), "worker 1: OOMKilled (exit code 137)", "more memory than 'memory'"),
    ("ended with 0 at TERM", [job([LIMIT]), pod(0, "Succeeded", conditions=[condition("DisruptionTarget", "True", "EvictionByEvictionAPI", "taken")]), pod(1, "Succeeded")],
     "ended with 0 although it was stopped", "exit with another code than 0 after TERM"),
    ("evicted", taken("Evicted", "The node was low on resource: memory."), "worker 1: Evicted: The node was low", "needed the room"),
    ("the node was tainted", taken("", "", "DeletionByTaintManager"), "disrupted: DeletionByTaintManager", "stopped answering or was tainted"),
    ("drained", taken("", "", "EvictionByEvictionAPI"), "disrupted: EvictionByEvictionAPI", "drained the node"),
    ("the node shut down", taken("Terminated", "Pod was terminated in response to imminent node shutdown.", "TerminationByKubelet"), "Terminated", ""),
    ("killed by somebody", died(137, "Error"), "worker 1: killed by KILL", "usually because memory ran out"),
    ("the node forgot it", died(137, "ContainerStatusUnknown", "The container could not be located when the pod was terminated"), "ContainerStatusUnknown",
     "look at the node"),
    ("unhealthy devices", taken("UnexpectedAdmissionError", "Allocate failed due to no healthy devices present"), "UnexpectedAdmissionError", "healthy devices"),
    ("NUMA", taken("TopologyAffinityError", "Resources cannot be allocated with Topology locality"), "TopologyAffinityError", "NUMA"),
    ("the node was full", taken("OutOfcpu", "Node didn't have enough resource: cpu"), "OutOfcpu", "took the place"),
    ("too long", [job([condition("Failed", reason="DeadlineExceeded", message="Job was active longer than specified deadline")])], "DeadlineExceeded", "'timeout'"),
    ("its objects are gone", [], "none of its objects exist", "'trainc apply' creates"),
    # ---- mounts, sandbox, probes ----
    ("a volume", placed("FailedMount", "MountVolume.SetUp failed for volume \"d\": mount failed: exit status 32"), "FailedMount", "cannot be mounted"),
    ("a Secret as a volume", placed("FailedMount", 'MountVolume.SetUp failed for volume "s": secret "s" not found'), 'secret "s" not found', "Secret does not exist"),
    ("attached elsewhere", placed("FailedAttachVolume", 'Multi-Attach error for volume "d" Volume is already used by pod(s) x'), "Multi-Attach", "admits only one"),
    ("the network plugin", placed("FailedCreatePodSandBox", "Failed to create pod sandbox: plugin type=\"cni\" failed (add)"), "FailedCreatePodSandBox", "network plugin"),
    ("it is not ready yet", probe("Readiness probe failed: dial tcp 10.0.0.1:80: connect: connection refused"), "Readiness probe failed", ""),
    ("a liveness probe", probe("Liveness probe failed: HTTP probe failed with statuscode: 500"), "Liveness probe failed", "liveness probe"),
    ("a startup probe", probe("Startup probe failed: timeout"), "Startup probe failed", "'within'"),
]


def main():
    trainc, passed, failed = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "job.tj"), "w", encoding="utf-8") as f:
            f.write(rows.PROGRAM)
        for title, objects, cause, advice in TABLE:
            with open(os.path.join(place, "seen.json"), "w", encoding="utf-8") as f:
                json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
            p = subprocess.run([trainc, "why", "--from", "seen.json", "--now", NOW, "job.tj", "-o", "json"], cwd=place, capture_output=True, text=True)
            got = json.loads(p.stdout) if p.returncode == 0 else {"run": {"cause": p.stderr}, "advice": []}
            told = got["run"].get("cause", "")
            right = cause in told and len(got["advice"]) == bool(advice) and all(advice in a for a in got["advice"])
            passed, failed = passed + right, failed + (not right)
            if not right:
                print("FAIL %s: %r, %s" % (title, told, json.dumps(got["advice"], indent=1)))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
