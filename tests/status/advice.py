"""advice.py - `trainc why`: for each way in which a run can fail or not start, the first line and what to do.

A row has a title, the objects, a part of the cause and a part of the advice ("" where there is none to give, a tuple of
several pieces). Exactly the wanted advice may be there: a second piece, about something that is not the problem, is an error."""
import copy
import datetime
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cluster"))
import rows  # noqa: E402
import world  # noqa: E402
from api_memory import merge  # noqa: E402
from rows import LIMIT, PARTLY, RUN0, condition, ended, event, job, joined, normal, pod, put, waits  # noqa: E402
from world import World  # noqa: E402

OLD, MIDDLE, NEW, NOW = rows.OLD, rows.MIDDLE, rows.NEW, rows.NOW
NAME = "j-worker-1-abcde"
world.KINDS["workloads"] = ("kueue.x-k8s.io", "v1beta1", "Workload")
PLURALS = {kind: plural for plural, (_, _, kind) in world.KINDS.items()}
KUEUE = {"metadata": {"name": "kueue.x-k8s.io"}, "versions": [{"version": "v1beta1", "resources": [
    {"resource": "workloads", "scope": "Namespaced", "responseKind": {"kind": "Workload", "group": "kueue.x-k8s.io", "version": "v1beta1"}}]}]}


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


def alive(message, when=NEW):
    """Worker 1 runs and is ready, and its probe fails."""
    return [put(job(ready=2, **rows.STARTED), "spec.parallelism", 2), RUN0, pod(1, "Running", container={"ready": True, "state": {"running": {"startedAt": OLD}}}, conditions=[
        condition("Ready", "True", "", ""), condition("ContainersReady", "True", "", "")]), event("Pod", NAME, "Unhealthy", message, when)]


def rejected(reason, message):
    """The kubelet of the node refuses worker 1."""
    return taken(reason, message)


def queued(message, reason="Pending"):
    """The Workload of the run waits for its quota."""
    return [job(suspend=True, labels=rows.QUEUE), put(rows.thing("Workload", "job-j-worker", "kueue.x-k8s.io/v1beta1", rows.LABELS), "status.conditions",
                                                      [condition("QuotaReserved", "False", reason, message)])]


LIVE = "Liveness probe failed: HTTP probe failed with statuscode: 500"
CWD = 'failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: chdir to cwd ("%s") set in config.json failed: %s: unknown'
SECCOMP = 'failed to create containerd container: cannot load seccomp profile "/var/lib/kubelet/seccomp/x.json": open /var/lib/kubelet/seccomp/x.json: no such file or directory'
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
    ("too many pulls, by the status alone", pull("unexpected status from HEAD request to https://r.io/v2/a/manifests/2: 429 Too Many Requests"), "429 Too Many Requests", "limits pulls"),
    ("too many pulls, with a reason", pull("unexpected status code 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit"),
     "429 Too Many Requests", "limits pulls"),
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
    ("a hook without a retry", [*died(137), event("Pod", NAME, "FailedPostStartHook", "PostStartHook failed")], "worker 1: killed by KILL", "lifecycle"),
    ("no such program", died(128, "StartError", START), "worker 1: StartError (exit code 128)", "the image has no such program"),
    ("no such path", died(128, "ContainerCannotRun", "exec /app/run: no such file or directory"), "ContainerCannotRun", "a path does not exist"),
    ("a program of another processor", died(1, "StartError", "exec /bin/x: exec format error"), "StartError", "processor of the node"),
    ("a script without its first line", died(255, "Error", "exec /app/run.sh: exec format error\n"), "worker 1: exit code 255", "#!/bin/sh"),
    ("a program that prints the same among other lines", died(1, "Error", "starting\nexec /app/run.sh: exec format error\n"), "worker 1: exit code 1", "an error of its own"),
    ("a script that keeps failing so", held("CrashLoopBackOff", "back-off", 5, ended(255, "Error", "exec /app/run.sh: exec format error\n")), "CrashLoopBackOff: exit code 255", "#!/bin/sh"),
    ("no such directory", died(128, "StartError", CWD % ("/nowhere", "no such file or directory")), "StartError (exit code 128)", "correct 'workdir'"),
    ("a directory of root", died(128, "StartError", CWD % ("/root", "permission denied")), "StartError (exit code 128)", "correct 'workdir'"),
    ("a file as directory", died(128, "StartError", CWD % ("/etc/passwd", "not a directory")), "StartError (exit code 128)", "correct 'workdir'"),
    ("no such seccomp profile", held("CreateContainerError", SECCOMP), "cannot load seccomp profile", "seccomp profile of the pod"),
    ("a key of a Secret", held("CreateContainerConfigError", "references non-existent secret key: b"), "non-existent secret key", "no such key"),
    ("a read-only root", died(1, "Error", "OSError: [Errno 30] Read-only file system: '/app/out'"), "worker 1: exit code 1", "an error of its own"),
    ("the shell finds no program", died(127, "Error", "sh: 1: pythn: not found"), "worker 1: exit code 127", "an error of its own"),
    ("the shell may not start the program", died(126, "Error", "sh: 1: /app/x: Permission denied"), "worker 1: exit code 126", "an error of its own"),
    ("a user without a number", held("CreateContainerConfigError", "container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root"), "non-numeric user", "set a user"),
    ("a reason that nobody knows", held("SomethingNew", "no idea"), "worker 1: SomethingNew: no idea", ""),
    ("the image of a sidecar", [PARTLY, RUN0, joined(pod(1, "Pending"), "logs", waits("ErrImagePull", "x:2: not found"), True, True)], "sidecar 'logs': ErrImagePull", "check its name and tag"),
    ("the image of an init container", [PARTLY, RUN0, joined(pod(1, "Pending"), "fetch", waits("ImagePullBackOff", "x:2: not found"), True)], "init container 'fetch': ImagePullBackOff", "check its name and tag"),
    ("an init container with too little memory", [PARTLY, RUN0, joined(pod(1, "Pending"), "fetch", dict(waits("CrashLoopBackOff", "back-off", 3), lastState=ended(137, "OOMKilled")["state"]), True)],
     "init container 'fetch': CrashLoopBackOff", "a container before it fails"),
    ("a Secret of a sidecar", [PARTLY, RUN0, joined(pod(1, "Pending"), "logs", waits("CreateContainerConfigError", 'secret "x" not found'), True, True)], "sidecar 'logs': CreateContainerConfigError", "Secret does not exist"),
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
    ("huge pages", unplaced("0/9 nodes are available: 9 Insufficient hugepages-2Mi."), "hugepages-2Mi", "ask for less"),
    ("labels that changed", rejected("NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed"), "NodeAffinity", "labels of the node changed"),
    ("ports that were taken meanwhile", rejected("NodePorts", "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"), "NodePorts", "another port"),
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
    ("a liveness probe that has killed nothing", alive(LIVE), "worker 1: Liveness probe failed: HTTP probe failed with statuscode: 500", "is killed when that lasts"),
    ("a liveness probe that failed long ago", alive(LIVE, MIDDLE), "", ""),
    ("a liveness probe that keeps killing", held("CrashLoopBackOff", "back-off", 5, ended(137, "Error", at=NEW)) + [event("Pod", NAME, "Unhealthy", LIVE)], "CrashLoopBackOff: exit code 137, Liveness probe failed", "liveness probe"),
    ("a liveness probe that keeps ending it", held("CrashLoopBackOff", "back-off", 5, ended(143, "Error", at=NEW)) + [event("Pod", NAME, "Unhealthy", LIVE)], "CrashLoopBackOff: exit code 143, Liveness probe failed", "liveness probe"),
    ("a liveness probe that has ended the run", [job([LIMIT]), pod(1, "Failed", container=ended(137, "Error", at=NEW)), event("Pod", NAME, "Unhealthy", LIVE)], "worker 1: Liveness probe failed (exit code 137)", "liveness probe"),
    ("a startup probe that has ended the run", [job([LIMIT]), pod(1, "Failed", container=ended(137, "Error", at=NEW)), event("Pod", NAME, "Unhealthy", "Startup probe failed: dial tcp 10.0.0.1:80: connect: connection refused")], "worker 1: Startup probe failed (exit code 137)", "'within'"),
    ("a program that was killed for its memory after its probe had failed", [*died(137, "OOMKilled"), event("Pod", NAME, "Unhealthy", LIVE)], "worker 1: OOMKilled", ("more memory than 'memory'", "liveness probe")),
    ("a program that fails by itself beside its probe", [*died(3), event("Pod", NAME, "Unhealthy", LIVE, MIDDLE)], "worker 1: exit code 3", "liveness probe"),
    ("a directory that cannot be made", died(128, "StartError", "OCI runtime create failed: runc create failed: unable to start container process: error during container init: mkdir /etc/passwd: not a directory: unknown"), "StartError (exit code 128)", "correct 'workdir'"),
    ("a liveness probe", probe("Liveness probe failed: HTTP probe failed with statuscode: 500"), "Liveness probe failed", "liveness probe"),
    ("a startup probe", probe("Startup probe failed: timeout"), "Startup probe failed", "'within'"),
    # ---- images: what else registries, resolvers and runtimes say ----
    ("docker has no such tag", pull("Error response from daemon: manifest for r.io/a:2 not found: manifest unknown: manifest unknown"), "manifest unknown", "check its name and tag"),
    ("the registry refuses connections", pull("failed to do request: Head \"https://r.io/v2/a/manifests/2\": dial tcp 10.0.0.9:443: connect: connection refused"),
     "connection refused", "cannot reach the registry"),
    ("the connection to the registry breaks", pull("read tcp 10.0.0.1:4000->10.0.0.9:443: read: connection reset by peer"), "connection reset by peer", "cannot reach the registry"),
    ("the registry is slow", pull("net/http: TLS handshake timeout"), "TLS handshake timeout", "cannot reach the registry"),
    ("the registry has no route", pull("dial tcp 10.0.0.9:443: connect: no route to host"), "no route to host", "cannot reach the registry"),
    ("the pull takes too long", pull("rpc error: code = DeadlineExceeded desc = context deadline exceeded"), "context deadline exceeded", "cannot reach the registry"),
    ("a resolver fails", pull("dial tcp: lookup r.example.com on 10.96.0.10:53: server misbehaving"), "server misbehaving", "resolve the name of the registry"),
    ("the registry speaks no TLS", pull("http: server gave HTTP response to HTTPS client"), "HTTP response to HTTPS client", "speaks HTTP"),
    ("an old certificate", pull("x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after 2025-12-31"), "certificate has expired", "clock of the node"),
    ("the registry has an error", pull("unexpected status from HEAD request to https://r.io/v2/a/manifests/2: 503 Service Unavailable"), "503 Service Unavailable", "the registry has an error"),
    ("the registry's gateway has an error", pull("unexpected status code 502 Bad Gateway"), "502 Bad Gateway", "the registry has an error"),
    ("the registry fails", pull("received unexpected HTTP status: 500 Internal Server Error"), "500 Internal Server Error", "the registry has an error"),
    ("docker misses a login", pull("unauthorized: authentication required"), "unauthorized: authentication required", "requires a login"),
    ("a cloud misses a login", pull("no basic auth credentials"), "no basic auth credentials", "requires a login"),
    ("a registry denies", pull("denied: requested access to the resource is denied"), "requested access to the resource is denied", "only after a login"),
    ("docker has another processor", pull("no matching manifest for linux/arm64/v8 in the manifest list entries"), "no matching manifest", "processor of the node"),
    ("an unsigned image", held("SignatureValidationFailed", "Source image rejected: A signature was required, but no signature exists"), "SignatureValidationFailed", "signed"),
    ("no registry", held("RegistryUnavailable", "image pull failed for a:2 because the registry is unavailable"), "RegistryUnavailable", "cannot reach the registry"),
    ("a broken image", held("ImageInspectError", "Failed to inspect image \"a:2\": rpc error: code = Unknown desc = layer not known"), "ImageInspectError", "the node's copy of the image"),
    ("upper case in an image", held("InvalidImageName", 'Failed to apply default image tag "A:2": couldn\'t parse image name "A:2": invalid reference format: repository name must be lowercase'),
     "must be lowercase", "is not the name of an image"),
    ("a pull that waits", held("ImagePullBackOff", 'Back-off pulling image "a:2"'), "ImagePullBackOff", "check its name and tag"),
    ("a pull that waits, with its error", held("ImagePullBackOff", 'Back-off pulling image "a:2": ErrImagePull: rpc error: code = NotFound desc = a:2: not found'), "a:2", "check its name and tag"),
    ("a layer that does not fit", pull("failed to extract layer sha256:0a: write /opt/x: no space left on device"), "no space left on device", "disk of the node is full"),
    # ---- containers: configuration, creation, start ----
    ("no such key of a Secret", held("CreateContainerConfigError", "couldn't find key token in Secret default/s"), "couldn't find key token in Secret", "has no such key"),
    ("no such key of a ConfigMap", held("CreateContainerConfigError", "couldn't find key a in ConfigMap default/c"), "couldn't find key a in ConfigMap", "has no such key"),
    ("a user with a name", held("CreateContainerConfigError", "container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root"), "non-numeric user", "set a user"),
    ("a subpath", held("CreateContainerConfigError", 'failed to prepare subPath for volumeMount "d" of container "main"'), "failed to prepare subPath", "the path in the volume"),
    ("a path of the host is missing", held("CreateContainerError", 'failed to generate container "x" spec: failed to stat "/data": stat /data: no such file or directory'), "failed to stat", "a path does not exist"),
    ("no command", held("CreateContainerError", "failed to generate container spec: failed to apply OCI options: no command specified"), "no command specified", "the image has no program of its own"),
    ("a reserved name", held("CreateContainerError", 'failed to reserve container name "main_0": name "main_0" is reserved for "abc"'), "is reserved for", "the container runtime of the node"),
    ("a runtime that hangs", held("CreateContainerError", "context deadline exceeded"), "CreateContainerError: context deadline exceeded", "the container runtime of the node"),
    ("not executable", held("RunContainerError", 'runc create failed: unable to start container process: exec: "./train.sh": permission denied: unknown'), "permission denied", "may not be executed"),
    ("a file where a directory is", held("RunContainerError", 'error mounting "/var/x" to rootfs at "/etc/x": not a directory: unknown'), "not a directory", "one is a file"),
    ("too little memory to start", held("RunContainerError", "container init was OOM-killed (memory limit too low?)"), "OOM-killed", "give it more with 'memory'"),
    ("the shell is missing", held("RunContainerError", 'exec: "bash": executable file not found in $PATH: unknown'), "executable file not found", "the image has no such program"),
    ("a hook before the start", held("PreStartHookError", "hook failed"), "PreStartHookError", "the container runtime of the node"),
    ("any other reason", held("SomethingNewError", "it says this"), "SomethingNewError: it says this", ""),
    # ---- restarts ----
    ("its path is missing again and again", held("CrashLoopBackOff", "back-off", 5, ended(128, "StartError", START)), "CrashLoopBackOff: exit code 128, StartError: ...create shim task", "the image has no such program"),
    ("it keeps being killed", held("CrashLoopBackOff", "back-off", 5, ended(137, "Error")), "CrashLoopBackOff: exit code 137", "usually because memory ran out"),
    ("it keeps ending with 0", held("CrashLoopBackOff", "back-off", 5, ended(0, "Completed")), "CrashLoopBackOff", "keeps exiting by itself"),
    # ---- scheduling: the other reasons of the scheduler's plugins ----
    *[("too little " + what, unplaced("0/9 nodes are available: 9 Insufficient %s. preemption: 0/9 nodes are available: 9 No preemption victims found for incoming pod." % what),
       "Insufficient " + what, "ask for less") for what in ("cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "rdma/hca")],
    ("full nodes", unplaced("0/9 nodes are available: 9 Too many pods."), "Too many pods", "as many pods as they may"),
    ("no nodes", unplaced("no nodes available to schedule pods"), "no nodes available", "the cluster has no nodes"),
    ("a taint since 1.34", unplaced("0/9 nodes are available: 9 node(s) had untolerated taint(s)."), "untolerated taint", "'tolerate'"),
    *[("a node under " + what, unplaced("0/9 nodes are available: 9 node(s) had untolerated taint {node.kubernetes.io/%s: }." % what), what, "short of")
      for what in ("disk-pressure", "memory-pressure", "pid-pressure")],
    ("nodes without a network", unplaced("0/9 nodes are available: 9 node(s) had untolerated taint {node.kubernetes.io/network-unavailable: }."), "network-unavailable", "network plugin"),
    ("nodes that begin", unplaced("0/9 nodes are available: 9 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}."), "uninitialized", "not set up yet"),
    ("a taint of somebody and one of Kubernetes", unplaced("0/9 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }, 8 node(s) had untolerated taint {pool: gpu}."),
     "pool: gpu", ("'tolerate'", "uncordon")),
    ("too little on some, a taint on others", unplaced("0/9 nodes are available: 4 Insufficient cpu, 5 node(s) had untolerated taint {pool: gpu}."), "Insufficient cpu", ("ask for less", "'tolerate'")),
    ("cordoned nodes", unplaced("0/9 nodes are available: 9 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }."), "unschedulable", "uncordon"),
    ("spread", unplaced("0/9 nodes are available: 9 node(s) didn't match pod topology spread constraints."), "topology spread", "spreads the pods"),
    ("spread without a label", unplaced("0/9 nodes are available: 9 node(s) didn't match pod topology spread constraints (missing required label)."), "missing required label", "spreads the pods"),
    ("affinity", unplaced("0/9 nodes are available: 9 node(s) didn't match pod affinity rules."), "pod affinity rules", "beside other pods"),
    ("others want to be alone", unplaced("0/9 nodes are available: 9 node(s) didn't satisfy existing pods anti-affinity rules."), "existing pods anti-affinity", "other pods there"),
    ("a named node", unplaced("0/9 nodes are available: 9 node(s) didn't match the requested node name."), "requested node name", "'nodeName'"),
    ("a volume elsewhere", unplaced("0/9 nodes are available: 9 node(s) had volume node affinity conflict."), "volume node affinity conflict", "a volume is in another zone"),
    ("a volume elsewhere since 1.33", unplaced("0/9 nodes are available: 9 node(s) didn't match PersistentVolume's node affinity."), "PersistentVolume's node affinity", "a volume is in another zone"),
    ("a zone of volumes", unplaced("0/9 nodes are available: 9 node(s) had no available volume zone."), "no available volume zone", "a volume is in another zone"),
    ("too many volumes", unplaced("0/9 nodes are available: 9 node(s) exceed max volume count."), "exceed max volume count", "as many volumes as they may"),
    ("no volumes to bind", unplaced("0/9 nodes are available: 9 node(s) didn't find available persistent volumes to bind."), "persistent volumes to bind", "no volume that fits"),
    ("full storage", unplaced("0/9 nodes are available: 9 node(s) did not have enough free storage."), "enough free storage", "no volume that fits"),
    ("a volume of one pod", unplaced("0/9 nodes are available: 9 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode."), "ReadWriteOncePod",
     "admits one pod"),
    ("a volume that is gone", unplaced('0/9 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-1".'), "non-existent persistentvolume", "its volume is gone"),
    ("a claim that ends", unplaced('persistentvolumeclaim "data" is being deleted'), "is being deleted", "claim is being deleted"),
    ("a slow provisioner", unplaced('running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded', "SchedulerError"), "binding volumes", "the provisioner of the storage"),
    ("devices of claims", unplaced("0/9 nodes are available: 9 cannot allocate all claims. still not schedulable, preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling."),
     "cannot allocate all claims", "claim of devices"),
    ("no such claim of devices", unplaced('resourceclaim.resource.k8s.io "gpu" not found'), 'resourceclaim.resource.k8s.io "gpu"', "claim of devices"),
    ("a claim of devices that is made", unplaced('waiting for dynamic resource controller to create the resourceclaim "gpu"'), "to create the resourceclaim", ""),
    ("coscheduling", unplaced("pre-filter pod j-worker-1 cannot find enough sibling pods, current pods number: 1, minMember of group: 2"), "cannot find enough sibling pods", ""),
    # ---- admission ----
    ("a quota of devices", refused("exceeded quota: gpus, requested: requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8"), "exceeded quota: gpus", "is used up"),
    ("a priority without a quota", refused("insufficient quota to match these scopes: [{PriorityClass In [high]}]"), "insufficient quota to match", "the priority"),
    ("a minimum", refused("minimum cpu usage per Container is 1, but request is 100m"), "minimum cpu usage", "LimitRange"),
    ("a ratio", refused("cpu max limit to request ratio per Container is 2, but provided ratio is 4.0"), "limit to request ratio", "LimitRange"),
    ("a namespace that ends", refused("unable to create new content in namespace a because it is being terminated"), "it is being terminated", "namespace is being deleted"),
    *[("a webhook that does not answer: " + how, [PARTLY, RUN0, event("Job", "j-worker", "FailedCreate", 'Error creating: Internal error occurred: failed calling webhook "v.example.com": '
       "failed to call webhook: Post \"https://v.w.svc:443/x?timeout=10s\": " + how)], 'failed calling webhook "v.example.com"', "does not answer")
      for how in ("dial tcp 10.0.0.1:443: connect: connection refused", "context deadline exceeded", 'no endpoints available for service "v"', "x509: certificate signed by unknown authority",
                  "dial tcp 10.0.0.1:443: i/o timeout", "dial tcp: lookup v.w.svc: no such host")],
    ("Gatekeeper", [PARTLY, RUN0, event("Job", "j-worker", "FailedCreate", 'Error creating: admission webhook "validation.gatekeeper.sh" denied the request: [repos] container <main> has an invalid image repo')],
     "validation.gatekeeper.sh", "a webhook of the cluster"),
    ("tolerations of a namespace", refused("pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist"), "namespace whitelist", "'tolerate'"),
    ("nodes of a namespace", refused("pod node label selector conflicts with its namespace node label selector"), "namespace node label selector", "of the namespace"),
    ("images of a cluster", refused('image policy webhook backend denied one or more images: a:2'), "image policy webhook backend", "a policy for images"),
    ("an invalid pod", [PARTLY, RUN0, event("Job", "j-worker", "FailedCreate", 'Error creating: Pod "j-worker-1-x" is invalid: spec.containers[0].resources.requests: Invalid value: "9": must be less than or equal to cpu limit of 4')],
     "must be less than or equal to", "LimitRange"),
    ("no right to create pods", refused('User "system:serviceaccount:kube-system:job-controller" cannot create resource "pods" in API group "" in the namespace "a"'), "cannot create resource", "may not create"),
    # ---- rejected by a node ----
    *[("a node without " + what, rejected("OutOf" + what, "Node didn't have enough resource: " + what), "OutOf" + what, "took the place") for what in ("memory", "pods", "nvidia.com/gpu", "ephemeral-storage")],
    ("labels of a node that changed", rejected("NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"), "NodeAffinity", "labels"),
    ("a forbidden sysctl", rejected("SysctlForbidden", 'forbidden sysctl: "net.core.somaxconn" not allowlisted'), "SysctlForbidden", "sysctl"),
    ("AppArmor", rejected("AppArmor", "Cannot enforce AppArmor: profile \"x\" is not loaded"), "AppArmor", "AppArmor profile"),
    ("a node that shuts down", rejected("NodeShutdown", "Pod was rejected as the node is shutting down."), "NodeShutdown", "node shut down"),
    ("a pod of the system", rejected("Preempting", "Preempted in order to admit critical pod"), "Preempted in order to admit critical pod", "a pod of the system"),
    # ---- evicted and disrupted ----
    *[("evicted: " + message[:40], taken("Evicted", message), "Evicted", "needed the room") for message in (
        "The node was low on resource: ephemeral-storage. Threshold quantity: 1, available: 0.", "The node had condition: [DiskPressure]. ")],
    ("a full scratch", taken("Evicted", 'Usage of EmptyDir volume "scratch" exceeds the limit "10Gi". '), "EmptyDir", "more than its 'scratch'"),
    ("a full disk of its own", taken("Evicted", "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "), "ephemeral local storage", "more disk than 'disk'"),
    ("a full disk of a container", taken("Evicted", 'Container main exceeded its local ephemeral storage limit "1Gi". '), "ephemeral storage limit", "more disk than 'disk'"),
    ("taken by the scheduler", taken("", "", "PreemptionByScheduler"), "disrupted: PreemptionByScheduler", "higher priority"),
    ("its node is gone", taken("", "", "DeletionByPodGC"), "disrupted: DeletionByPodGC", "its node is gone"),
    # ---- exit codes ----
    *[("exit code %d" % code, died(code), "worker 1: " + words, "an error of its own") for code, words in (
        (1, "exit code 1"), (2, "exit code 2"), (126, "exit code 126"), (130, "killed by INT"), (132, "killed by ILL"), (134, "killed by ABRT"), (136, "killed by FPE"), (143, "killed by TERM"), (255, "exit code 255"))],
    ("a bus error", died(135), "worker 1: killed by BUS", "'shm'"),
    # ---- the Job's own reasons ----
    ("a rule of the Job", [job([condition("Failed", reason="PodFailurePolicy", message="Container main for pod a/j-worker-1-x failed with exit code 42 matching FailJob rule at index 0")]), died(42)[1]],
     "worker 1: exit code 42", "an error of its own"),
    ("a Job without pods", [job([LIMIT])], "BackoffLimitExceeded", ""),
    ("indexes", [job([condition("Failed", reason="FailedIndexes", message="Job has failed indexes")]), died(3)[1]], "worker 1: exit code 3", "an error of its own"),
    ("most indexes", [job([condition("Failed", reason="MaxFailedIndexesExceeded", message="Job has exceeded the specified maximal number of failed indexes")]), died(3)[1]], "worker 1: exit code 3", "an error of its own"),
    # ---- volumes, sandbox ----
    ("not a directory", placed("FailedMount", 'MountVolume.SetUp failed for volume "d" : hostPath type check failed: /data is not a directory'), "hostPath type check failed", "cannot be mounted"),
    ("a mount that waits", placed("FailedMount", "Unable to attach or mount volumes: unmounted volumes=[d], unattached volumes=[d x]: timed out waiting for the condition"), "unmounted volumes", "cannot be mounted"),
    ("an export", placed("FailedMount", 'MountVolume.SetUp failed for volume "d" : mount failed: exit status 32 mount.nfs: access denied by server while mounting nfs:/d'), "access denied by server", "cannot be mounted"),
    ("no driver of storage", placed("FailedMount", "MountVolume.MountDevice failed for volume \"d\" : driver name efs.csi.aws.com not found in the list of registered CSI drivers"), "registered CSI drivers", "driver of the volume"),
    ("a key of a ConfigMap as a volume", placed("FailedMount", 'MountVolume.SetUp failed for volume "c" : references non-existent config key: a.yaml'), "non-existent config key", "has no such key"),
    ("a volume of a cloud", placed("FailedAttachVolume", 'AttachVolume.Attach failed for volume "pv-1" : rpc error: code = NotFound desc = volume vol-1 not found'), "AttachVolume.Attach failed", "cannot be attached"),
    ("no addresses", placed("FailedCreatePodSandBox", "Failed to create pod sandbox: plugin type=\"host-local\" failed (add): failed to allocate for range 0: no IP addresses available in range set"), "no IP addresses available",
     "addresses for pods"),
    ("no addresses of a cloud", placed("FailedCreatePodSandBox", 'Failed to create pod sandbox: plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container'), "failed to assign an IP address",
     "addresses for pods"),
    ("a runtime that a node lacks", placed("FailedCreatePodSandBox", 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "nvidia" is configured'), "no runtime for", "runtime class"),
    ("a plugin that refuses", placed("FailedCreatePodSandBox", 'Failed to create pod sandbox: plugin type="cilium-cni" failed (add): dial unix /var/run/cilium.sock: connect: connection refused'), "connection refused", "network plugin"),
    ("no network", placed("NetworkNotReady", "network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady"), "NetworkNotReady", "network plugin"),
    # ---- queues ----
    ("larger than the queue", queued("couldn't assign flavors to pod set worker: insufficient quota for cpu in flavor f, previously considered podsets requests (0) + current podset request (99) > maximum capacity (9)"),
     "maximum capacity", "the whole quota of the queue"),
    ("others use the quota", queued("couldn't assign flavors to pod set worker: insufficient unused quota for cpu in flavor f, 7 more needed"), "insufficient unused quota", "other runs use the quota"),
    ("no such resource", queued("couldn't assign flavors to pod set worker: resource nvidia.com/gpu unavailable in ClusterQueue"), "unavailable in ClusterQueue", "no quota for that resource"),
    ("no such place", queued('couldn\'t assign flavors to pod set worker: topology "t" allows to fit only 3 out of 8 pod(s)'), "allows to fit only", "no single place"),
    ("no place at all", queued('couldn\'t assign flavors to pod set worker: topology "t" doesn\'t allow to fit any of 8 pod(s)'), "doesn't allow to fit any", "no place of that level"),
    ("no topology", queued('couldn\'t assign flavors to pod set worker: Flavor "f" does not support TopologyAwareScheduling'), "TopologyAwareScheduling", "has no topology"),
    ("no such level", queued('couldn\'t assign flavors to pod set worker: Flavor "f" does not contain the requested level'), "requested level", "no such level"),
    ("only with a place", queued('couldn\'t assign flavors to pod set worker: Flavor "f" supports only TopologyAwareScheduling'), "supports only", "say where they run"),
    ("other labels", queued("couldn't assign flavors to pod set worker: flavor f doesn't match node affinity"), "doesn't match node affinity", "other labels"),
    ("tainted nodes of the queue", queued("couldn't assign flavors to pod set worker: untolerated taint {pool gpu NoSchedule <nil>} in flavor f"), "untolerated taint", "add the taint"),
    ("another namespace", queued("Workload namespace doesn't match ClusterQueue selector", "Inadmissible"), "ClusterQueue selector", "not for this namespace"),
    ("no queue", queued("LocalQueue q doesn't exist", "Inadmissible"), "LocalQueue q doesn't exist", "'kubectl get localqueue'"),
    ("a stopped queue", queued("ClusterQueue c is inactive", "Inadmissible"), "ClusterQueue c is inactive", "the queue is stopped"),
    ("bounds in a queue", queued("didn't satisfy LimitRange constraints: spec.podSets[0]", "Inadmissible"), "LimitRange constraints", "LimitRange"),
]


class Seen(World):
    """A server with the run, whose objects can be replaced by those of a row. It is NOW there."""

    def __init__(self, program, groups):
        super().__init__()
        self.jobs_run, self.groups = False, groups
        self.write("job.tj", program)
        self.want(0, "apply", "--no-wait", "job.tj")
        self.applied = copy.deepcopy(self.objects)
        self.ahead = datetime.datetime.fromisoformat(NOW.replace("Z", "+00:00")).timestamp() - time.time()

    def show(self, objects):
        with self.lock:
            self.objects = copy.deepcopy(self.applied)
            for o in copy.deepcopy(objects):
                plural = PLURALS[o["kind"]]
                if plural == "jobs":
                    new, o = o, self.get(plural, o["metadata"]["name"])
                    merge(o, {"metadata": {"labels": new["metadata"]["labels"]}, "spec": new["spec"]})
                    o["status"] = new["status"]
                self.put(plural, "default", o)
            if not objects:
                self.take("jobs", "default", "j-worker")


def told(status, out, err):
    """The cause and the advice that `why -o json` prints."""
    got = json.loads(out) if status == 0 else {"run": {"cause": err}, "advice": []}
    return got["run"].get("cause", ""), got["advice"]


def right(cause, advice, got):
    wanted = advice if isinstance(advice, tuple) else (advice,) if advice else ()
    return cause in got[0] and len(got[1]) == len(wanted) and all(any(w in a for a in got[1]) for w in wanted)


def main():
    """Each row from saved objects, and from a cluster, where only some members of objects are read: both say the same."""
    passed = failed = 0
    plain, queue = Seen(rows.PROGRAM, []), Seen(rows.PROGRAM.replace("{\n", '{\n  queue = "q"\n', 1), [KUEUE])
    for title, objects, cause, advice in TABLE:
        plain.write("seen.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        saved = told(*plain.run("why", "--from", "seen.json", "--now", NOW, "job.tj", "-o", "json"))
        cluster = queue if any(o["kind"] == "Workload" for o in objects) else plain
        cluster.show(objects)
        live = told(*cluster.run("why", "j", "-o", "json"))
        for ok, what in ((right(cause, advice, saved), saved), (saved == live, ("on a cluster", live, "and saved", saved))):
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print("FAIL %s: %s" % (title, json.dumps(what, indent=1)))
    plain.close()
    queue.close()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
