"""The jobs for the training operator and our controller: each has a base, a change, and events of its pods.  A row
is run in steps.  The first creates the job; each other one is a list of actions, after which the objects are
recorded."""

import copy
import os

from supervise import ROLES, resource

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "train"                          # of every job that is created here
AGAIN = 13                              # ours waits 10 s before it creates a failed pod again
ROWS = []


class Row:
    """One job, the objects around it, and what happens to it."""

    def __init__(self, name, job, *steps, gang="", admitted=False, before=()):
        self.name = name
        self.job = job
        self.gang = gang                # the scheduler in the controller's options
        self.admitted = admitted        # Volcano lets it start
        self.before = list(before)      # objects that exist before the job
        self.steps = list(steps)        # lists of actions
        ROWS.append(self)

    def plural(self):
        return self.job["kind"].lower() + "s"


# Actions: (word, ...), see peer.py


def end(pod, code=0, **more):
    """The pod's first container exits with that code, and the pod ends with it."""
    return ("end", pod, {"code": code, **more})


def evict(pod):
    """The kubelet evicts the pod."""
    return ("evict", pod)


def restart(pod, times=1):
    """The kubelet has restarted its container that many times."""
    return ("restart", pod, times)


def spec(change):
    """A merge patch of the job's spec."""
    return ("spec", change)


def policy(**fields):
    return spec({"runPolicy": fields})


def scale(kind, role, replicas):
    return spec({ROLES[kind][0]: {role: {"replicas": replicas}}})


def kill(pod):
    """Somebody deletes the pod."""
    return ("kill", pod)


def pause(seconds):
    """Something that takes that long."""
    return ("pause", seconds)


DROP = ("drop",)                        # somebody deletes the job
SUSPEND = policy(suspend=True)
RESUME = policy(suspend=False)


# Jobs


def job(kind, restart="Never", sizes=None, top=None, template=None, container=None, **run_policy):
    """A job of the kind; TOP is merged into its spec, TEMPLATE into each template's spec, CONTAINER into its
    containers."""
    made = copy.deepcopy(resource(kind, NAME, restart=restart, sizes=sizes, policy=run_policy))
    made["spec"].update(top or {})
    for role in made["spec"][ROLES[kind][0]].values():
        role["template"]["spec"].update(copy.deepcopy(template or {}))
        role["template"]["spec"]["containers"][0].update(copy.deepcopy(container or {}))
    return made


def elastic(**fields):
    return {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d", **fields}}


METRICS = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]
EVERY = ("PyTorchJob", "TFJob", "MXJob", "XGBoostJob", "PaddleJob", "MPIJob")
LEAD = {"PyTorchJob": "master-0", "TFJob": "chief-0", "MXJob": "scheduler-0", "XGBoostJob": "master-0", "PaddleJob": "worker-0",
        "MPIJob": "launcher"}
WORKERS = [end("worker-0"), end("worker-1")]


def ends(kind):
    """What determines its success."""
    return WORKERS if kind == "PaddleJob" else [end(LEAD[kind])]


# The normal life of every kind, and failures, suspension and cleanup of each kind

for _kind in EVERY:
    _short = _kind.removesuffix("Job").lower()
    Row(f"{_short}-succeeds", job(_kind), ends(_kind))
    Row(f"{_short}-fails", job(_kind), [end("worker-1", 1)])
    Row(f"{_short}-suspended", job(_kind), [SUSPEND], [RESUME], ends(_kind))
    Row(f"{_short}-made-suspended", job(_kind, suspend=True), [RESUME])
    Row(f"{_short}-clean-all", job(_kind, cleanPodPolicy="All"), ends(_kind))
    Row(f"{_short}-clean-running", job(_kind, cleanPodPolicy="Running"), ends(_kind))
    Row(f"{_short}-exit-137", job(_kind, restart="ExitCode"), [end("worker-0", 137), pause(AGAIN)], ends(_kind))
    Row(f"{_short}-exit-1", job(_kind, restart="ExitCode"), [end("worker-0", 1)])
    Row(f"{_short}-on-failure", job(_kind, restart="OnFailure"), [end("worker-0", 1), pause(AGAIN)], ends(_kind))

# Which replica decides

Row("tf-first-worker", job("TFJob", sizes={"PS": 1, "Worker": 2}), [end("worker-0")])
Row("tf-second-worker", job("TFJob", sizes={"PS": 1, "Worker": 2}), [end("worker-1")], [end("worker-0")])
Row("tf-all-workers", job("TFJob", sizes={"PS": 1, "Worker": 2}, top={"successPolicy": "AllWorkers"}), [end("worker-0")], [end("worker-1")])
Row("tf-master", job("TFJob", sizes={"Master": 1, "Worker": 1}), [end("worker-0")], [end("master-0")])
Row("tf-evaluator", job("TFJob", sizes={"Chief": 1, "Evaluator": 1, "Worker": 1}), [end("evaluator-0", 1)])
Row("tf-server-fails", job("TFJob"), [end("ps-0", 1)])
Row("tf-alone", job("TFJob", sizes={"Worker": 1}), [end("worker-0")])
Row("tf-dynamic", job("TFJob", sizes={"PS": 1, "Worker": 2}, top={"enableDynamicWorker": True}), [end("worker-1", 1)], [end("worker-0")])
Row("pytorch-workers", job("PyTorchJob", sizes={"Worker": 2}), [end("worker-0")], [end("worker-1")])
Row("pytorch-nproc", job("PyTorchJob", top={"nprocPerNode": "4"}), [end("master-0")])
Row("mx-one-worker", job("MXJob", sizes={"Worker": 1}), [end("worker-0")])
Row("mx-scheduler-fails", job("MXJob"), [end("scheduler-0", 1)])
Row("mx-tune", job("MXJob", sizes={"TunerTracker": 1, "TunerServer": 1, "Tuner": 1}, top={"jobMode": "MXTune"}))
Row("xgboost-alone", job("XGBoostJob", sizes={"Master": 1}), [end("master-0")])
Row("paddle-servers", job("PaddleJob", sizes={"Master": 2, "Worker": 2}), [end("master-0")], [end("master-1")])
Row("mpi-launcher-fails", job("MPIJob"), [end("launcher", 1)])
Row("mpi-workers-run", job("MPIJob"), [end("launcher"), end("worker-0")])
Row("mpi-slots", job("MPIJob", top={"slotsPerWorker": 4, "mainContainer": "mpi"}), [end("launcher")])
Row("mpi-eleven", job("MPIJob", sizes={"Launcher": 1, "Worker": 11}), [end("launcher")])
Row("mpi-accelerator", job("MPIJob", container={"resources": {"limits": {"nvidia.com/gpu": 1}}}))

# Limits

Row("pytorch-ttl", job("PyTorchJob", ttlSecondsAfterFinished=2), [end("master-0"), pause(7)])
Row("tf-ttl-of-failed", job("TFJob", ttlSecondsAfterFinished=2), [end("chief-0", 1), pause(7)])
Row("pytorch-deadline", job("PyTorchJob", activeDeadlineSeconds=20), [pause(25)], [end("worker-0", 0)])
Row("tf-deadline", job("TFJob", activeDeadlineSeconds=20, cleanPodPolicy="All"), [pause(25)], [end("worker-0", 0)])
Row("pytorch-backoff", job("PyTorchJob", restart="OnFailure", backoffLimit=2), [restart("worker-0", 1)], [restart("worker-0", 2)])
Row("tf-backoff-always", job("TFJob", restart="Always", backoffLimit=1), [restart("worker-1", 1)])
Row("xgboost-backoff-none", job("XGBoostJob", restart="ExitCode", backoffLimit=0), [end("worker-0", 137), pause(AGAIN)])

# Sizes

Row("pytorch-elastic", job("PyTorchJob", "OnFailure", {"Worker": 2}, top=elastic(rdzvId="a", maxRestarts=3, rdzvConf=[{"key": "timeout", "value": "600"}])),
    [scale("PyTorchJob", "Worker", 4)], [scale("PyTorchJob", "Worker", 1)], [end("worker-0")])
Row("pytorch-elastic-port", job("PyTorchJob", "OnFailure", {"Worker": 2}, top=elastic(rdzvHost="store", rdzvPort=2379, rdzvBackend="etcd", standalone=True)))
Row("pytorch-elastic-one-ends", job("PyTorchJob", "OnFailure", {"Worker": 3}, top=elastic()), [end("worker-2")])
Row("pytorch-elastic-metrics", job("PyTorchJob", "OnFailure", {"Worker": 2}, top=elastic(metrics=METRICS)), [SUSPEND], [RESUME], [end("worker-0")])
Row("pytorch-scaled", job("PyTorchJob"), [scale("PyTorchJob", "Worker", 3)], [scale("PyTorchJob", "Worker", 1)], [end("master-0")])
Row("paddle-scaled", job("PaddleJob"), [scale("PaddleJob", "Worker", 3)], [scale("PaddleJob", "Worker", 2)], WORKERS)
Row("tf-scaled", job("TFJob"), [scale("TFJob", "Worker", 3)], [scale("TFJob", "Worker", 1)], [end("chief-0")])
Row("xgboost-scaled", job("XGBoostJob"), [scale("XGBoostJob", "Worker", 1)])

# Changes while it runs

Row("pytorch-dropped", job("PyTorchJob"), [DROP])
Row("mpi-dropped", job("MPIJob"), [DROP])
Row("tf-dropped-at-end", job("TFJob"), [end("chief-0")], [DROP])
Row("pytorch-pod-killed", job("PyTorchJob", restart="OnFailure"), [kill("worker-1")], [end("master-0")])
Row("paddle-pod-killed", job("PaddleJob", restart="Never"), [kill("worker-1")])
Row("tf-service-removed", job("TFJob"), [("remove", "services", "train-worker-0")])
Row("pytorch-evicted", job("PyTorchJob", restart="OnFailure"), [evict("worker-0"), pause(AGAIN)])
Row("tf-evicted-exit-code", job("TFJob", restart="ExitCode"), [evict("worker-0"), pause(AGAIN)])
Row("tf-evicted-never", job("TFJob"), [evict("worker-0")])
Row("mpi-evicted", job("MPIJob"), [evict("launcher")])
Row("xgboost-codes", job("XGBoostJob", restart="ExitCode"), [end("worker-0", 143), pause(AGAIN)], [end("worker-1", 130), pause(2 * AGAIN)], [end("master-0")])

# Settings of templates

Row("pytorch-container", job("PyTorchJob", container={
    "env": [{"name": "A", "value": "1"}, {"name": "RANK", "value": "9"}], "args": ["--x"], "workingDir": "/w", "imagePullPolicy": "Always",
    "ports": [{"name": "pytorchjob-port", "containerPort": 29500}, {"name": "extra", "containerPort": 8080}],
    "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
    "volumeMounts": [{"name": "data", "mountPath": "/data"}]}, template={
        "volumes": [{"name": "data", "emptyDir": {}}], "nodeSelector": {"kubernetes.io/os": "linux"}, "terminationGracePeriodSeconds": 5,
        "tolerations": [{"key": "a", "operator": "Exists"}], "securityContext": {"runAsUser": 1000}}))
Row("tf-sidecar", job("TFJob", sizes={"Worker": 2}, template={"containers": [
    {"name": "log", "image": "registry.example.com/log:1"}, {"name": "tensorflow", "image": "registry.example.com/train:1.0"}]}),
    [end("worker-0", container=1)])
Row("xgboost-host-network", job("XGBoostJob", template={"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}))
Row("paddle-init", job("PaddleJob", template={"initContainers": [{"name": "fetch", "image": "registry.example.com/fetch:1"}], "priorityClassName": ""}))
Row("mx-labels", job("MXJob", template={"serviceAccountName": "default", "automountServiceAccountToken": False}))

Row("tf-labels", {**job("TFJob"), "metadata": {"name": NAME, "labels": {"team": "a"}, "annotations": {
    "note": "b", "kubectl.kubernetes.io/last-applied-configuration": "{}"}}})

# Invalid jobs, and existing objects that are in the way

Row("pytorch-two-masters", job("PyTorchJob", sizes={"Master": 2, "Worker": 1}))
Row("tf-no-container", job("TFJob", container={"name": "other"}))
Row("xgboost-no-master", job("XGBoostJob", sizes={"Worker": 1}))
Row("mpi-configmap-there", job("MPIJob"), [("remove", "configmaps", "train-config"), pause(8)], before=[
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "train-config"}}])

# Gangs

Row("volcano-waits", job("PyTorchJob"), gang="volcano")
for _gang in ("volcano", "coscheduling"):
    _admitted = _gang == "volcano"
    Row(f"{_gang}-pytorch", job("PyTorchJob", container={"resources": {"requests": {"cpu": "1"}}}), [end("master-0")], gang=_gang, admitted=_admitted)
    Row(f"{_gang}-tf-least", job("TFJob", schedulingPolicy={"minAvailable": 2, "queue": "q", "priorityClass": "system-node-critical",
                                                          "scheduleTimeoutSeconds": 30}), gang=_gang, admitted=_admitted)  # fmt: skip
    Row(f"{_gang}-mpi-suspended", job("MPIJob", cleanPodPolicy="All"), [SUSPEND], gang=_gang, admitted=_admitted)
