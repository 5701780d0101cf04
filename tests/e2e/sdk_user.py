"""sdk_user.py VERSION NAMESPACE KIND|functions: what a user's program does with the Python SDK of the training
operator.

Run by sdk.py, with an SDK of that version in PYTHONPATH.  It does not know whether an operator or trainc serves it,
with one exception: it ends the pods itself, by the annotations of stages/pod-complete.yaml, because nothing runs in
them. Everything waits for a limited time; the first surprise ends the program with a traceback.
"""

import io
import logging
import sys
import threading
import time

from kubeflow.training import TrainingClient, models
from kubernetes import client

VERSION, SPACE, KIND = sys.argv[1:]
NOTE = "e2e.trainc.dev"
LIMIT = 180                             # seconds for one step; the machine may be busy
KINDS = {                               # the spec's class, its field of roles, the container, the roles
    "PyTorchJob": (models.KubeflowOrgV1PyTorchJobSpec, "pytorch_replica_specs", "pytorch", {"Master": 1, "Worker": 2}),
    "TFJob": (models.KubeflowOrgV1TFJobSpec, "tf_replica_specs", "tensorflow", {"Chief": 1, "PS": 1, "Worker": 2}),
    "XGBoostJob": (models.KubeflowOrgV1XGBoostJobSpec, "xgb_replica_specs", "xgboost", {"Master": 1, "Worker": 2}),
    "PaddleJob": (models.KubeflowOrgV1PaddleJobSpec, "paddle_replica_specs", "paddle", {"Master": 1, "Worker": 2}),
    "MPIJob": (models.KubeflowOrgV1MPIJobSpec, "mpi_replica_specs", "mpi", {"Launcher": 1, "Worker": 2}),
    "MXJob": (models.KubeflowOrgV1MXJobSpec, "mx_replica_specs", "mxnet", {"Scheduler": 1, "Server": 1, "Worker": 2}),
}
SIZED = {"PyTorchJob", "TFJob"}         # kinds whose number of workers may change while they run
LINES = ["line 1 of a pod", "line 2 of a pod", "line 3 of a pod"]


class Said(logging.Handler):
    """What the SDK logs; version 1.7 returns logs of pods in no other way."""

    def __init__(self):
        super().__init__()
        self.lines = []
        logging.getLogger().addHandler(self)

    def emit(self, record):
        self.lines.append(record.getMessage())


def until(what, right):
    end = time.monotonic() + LIMIT
    while not (value := right()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {LIMIT} s: {what}")
        time.sleep(0.3)
    return value


def expect(found, wanted, what):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")


class Old:
    """The SDK of the 1.7 line: a function for each kind."""

    def __init__(self, _):
        self.sdk = TrainingClient()
        self.core = self.sdk.core_api

    def of(self, verb, kind):
        return getattr(self.sdk, f"{verb}_{kind.lower()}")

    def create(self, kind, job):
        self.of("create", kind)(job, namespace=SPACE)

    def get(self, kind, name):
        return self.of("get", kind)(name, namespace=SPACE)

    def all(self, kind):
        return getattr(self.sdk, f"list_{kind.lower()}s")(namespace=SPACE)

    def change(self, kind, job):
        self.of("patch", kind)(job, job.metadata.name, namespace=SPACE)

    def delete(self, kind, name):
        self.of("delete", kind)(name, namespace=SPACE)

    def wait(self, kind, name, *conditions):
        return self.sdk.wait_for_job_conditions(name, SPACE, kind, set(conditions), timeout=LIMIT, polling_interval=1)

    def logs(self, kind, name, container, **which):
        said = Said()
        self.sdk.get_job_logs(name, SPACE, container=container, **which)
        found = [line.removeprefix("The logs of pod ").split(":\n ", 1) for line in said.lines if line.startswith("The logs of pod ")]
        return dict(found)

    def followed(self, kind, name, container):
        """The lines of a running pod, as they arrive: the stream does not end before the pod."""
        said = Said()
        threading.Thread(target=self.sdk.get_job_logs, args=(name, SPACE), kwargs={"container": container, "follow": True}, daemon=True).start()
        return until("lines", lambda: len(found := [x.split("]: ", 1)[1] for x in said.lines if x.startswith("[Pod ")]) >= len(LINES) and found)


class New(Old):
    """The SDK of the 1.8 line: one function for all kinds."""

    def __init__(self, kind):
        self.sdk = TrainingClient(namespace=SPACE, job_kind=kind)       # it waits for jobs of its own kind only
        self.core = self.sdk.core_api

    def create(self, kind, job):
        self.sdk.create_job(job, namespace=SPACE)

    def get(self, kind, name):
        return self.sdk.get_job(name, job_kind=kind)

    def all(self, kind):
        return self.sdk.list_jobs(job_kind=kind)

    def change(self, kind, job):
        self.sdk.update_job(job, job.metadata.name, job_kind=kind)

    def delete(self, kind, name):
        self.sdk.delete_job(name, job_kind=kind)

    def wait(self, kind, name, *conditions):
        return self.sdk.wait_for_job_conditions(name, job_kind=kind, expected_conditions=set(conditions), wait_timeout=LIMIT, polling_interval=1)

    def logs(self, kind, name, container, **which):
        return self.sdk.get_job_logs(name, job_kind=kind, **which)[0]

    def followed(self, kind, name, container):
        """It returns when the stream ends, and prints the lines until then."""
        out, sys.stdout = sys.stdout, io.StringIO()
        try:
            threading.Thread(target=self.sdk.get_job_logs, args=(name,), kwargs={"job_kind": kind, "follow": True}, daemon=True).start()
            return until("lines", lambda: len(found := [x.split("]: ", 1)[1] for x in sys.stdout.getvalue().splitlines() if x.startswith("[Pod ")])
                         >= len(LINES) and found)
        finally:
            sys.stdout = out

    def events(self, kind, name):
        return self.sdk.get_job_logs(name, job_kind=kind, verbose=True)[1]

    def from_function(self, kind, name, function, workers):
        more = {"num_chief_replicas": 1} if kind == "TFJob" else {}
        self.sdk.create_job(name=name, job_kind=kind, train_func=function, parameters={"lr": "0.1"}, num_workers=workers,
                            base_image="registry.example.com/train:1.0", packages_to_install=["six"], **more)


def job_of(kind, name, restart="Never", notes=None, suspend=None):
    """A job made of the SDK's own classes; its pods run until they are released."""
    spec, field, container, roles = KINDS[kind]
    words = ["mpirun", "-n", "2", "train"] if kind == "MPIJob" else ["train"]
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(annotations=notes or {f"{NOTE}/hold": "yes"}),
        spec=client.V1PodSpec(containers=[client.V1Container(name=container, image="registry.example.com/train:1.0", command=words)]))
    specs = {role: models.KubeflowOrgV1ReplicaSpec(replicas=n, restart_policy=restart, template=template) for role, n in roles.items()}
    more = {"job_mode": "MXTrain"} if kind == "MXJob" else {}
    policy = models.KubeflowOrgV1RunPolicy(clean_pod_policy="None", **({} if suspend is None else {"suspend": suspend}))
    made = getattr(models, "KubeflowOrgV1" + kind)
    return made(api_version="kubeflow.org/v1", kind=kind, metadata=client.V1ObjectMeta(name=name, namespace=SPACE),
                spec=spec(run_policy=policy, **{field: specs}, **more))


def release(sdk, name, code=0, pods=None):
    """Its pods end with that status."""
    change = {"metadata": {"annotations": {f"{NOTE}/exit": str(code), f"{NOTE}/hold": None}}}
    for pod in pods or sdk.sdk.get_job_pod_names(name, SPACE):
        sdk.core.patch_namespaced_pod(pod, SPACE, change)


def holding(sdk, kind, name):
    """The conditions of a job that are true."""
    return {c.type for c in sdk.sdk.get_job_conditions(name, SPACE, kind) if c.status == "True"}


def is_deleted(sdk, kind, name):
    """The SDK reports that the job does not exist, and the pods are garbage-collected."""
    try:
        sdk.get(kind, name)
        return False
    except RuntimeError:
        return not sdk.sdk.get_job_pod_names(name, SPACE)


def pods_by_role(sdk, kind, name):
    """Each query for pods finds the right ones."""
    roles = KINDS[kind][3]
    every = sorted(f"{name}-{role.lower()}-{i}" for role, n in roles.items() for i in range(n))
    if kind == "MPIJob":                # its launcher has no index
        every = sorted({pod.replace("launcher-0", "launcher") for pod in every})
    expect(sorted(sdk.sdk.get_job_pod_names(name, SPACE)), every, "all pods")
    expect(sorted(sdk.sdk.get_job_pod_names(name, SPACE, replica_type="worker")), [f"{name}-worker-0", f"{name}-worker-1"], "the workers")
    expect(sdk.sdk.get_job_pod_names(name, SPACE, replica_type="worker", replica_index=1), [f"{name}-worker-1"], "worker 1")
    return sdk.sdk.get_job_pod_names(name, SPACE, is_master=True)


def logged(sdk, kind, name):
    container = KINDS[kind][2]
    for pod, text in (found := sdk.logs(kind, name, container, is_master=False, replica_type="worker")).items():
        expect(text.strip().splitlines(), LINES, f"what {pod} printed")
    expect(sorted(found), [f"{name}-worker-0", f"{name}-worker-1"], "the workers with logs")


def lives(sdk, kind):
    """One job from its creation to its deletion, and what the SDK returns at every step."""
    sdk.create(kind, job_of(kind, "train"))
    running = sdk.wait(kind, "train", "Running")
    expect(running.kind, kind, "the kind")
    expect(sdk.sdk.is_job_created("train", SPACE, kind), True, "is_job_created")
    expect(sdk.sdk.is_job_running("train", SPACE, kind), True, "is_job_running")
    expect(sdk.sdk.is_job_succeeded("train", SPACE, kind), False, "is_job_succeeded")
    expect([j.metadata.name for j in sdk.all(kind)], ["train"], "the list of jobs")
    expect(holding(sdk, kind, "train"), {"Created", "Running"}, "the conditions")
    total = sum(KINDS[kind][3].values())
    until("all pods are active", lambda: sum(s.active or 0 for s in sdk.get(kind, "train").status.replica_statuses.values()) == total)
    master = pods_by_role(sdk, kind, "train")
    if kind in ("PyTorchJob", "TFJob"):
        expect(master, ["train-master-0" if kind == "PyTorchJob" else "train-chief-0"], "the master")
    logged(sdk, kind, "train")
    if kind == "PyTorchJob":
        expect(list(sdk.logs(kind, "train", "pytorch")), ["train-master-0"], "whose logs are shown without a choice")
        expect(sdk.followed(kind, "train", "pytorch"), LINES, "the lines that are followed")
        if isinstance(sdk, New):
            for pod in ("train-master-0", "train-worker-0", "train-worker-1"):
                def about():
                    return sum(line.endswith(f"Created pod: {pod}") for line in sdk.events(kind, "train").get("pytorchjob/train", []))
                expect(until(f"an Event about {pod}", about), 1, f"the number of Events about {pod}")
    release(sdk, "train")
    job = sdk.wait(kind, "train", "Succeeded")
    expect(sdk.sdk.is_job_succeeded("train", SPACE, kind), True, "is_job_succeeded")
    expect(sdk.sdk.is_job_running("train", SPACE, kind), False, "is_job_running at the end")
    if not job.status.start_time or not job.status.completion_time:
        raise AssertionError(f"no times: {job.status}")
    sdk.delete(kind, "train")
    until("job and pods are gone", lambda: is_deleted(sdk, kind, "train"))


def fails(sdk, kind):
    """A job that fails: waiting for its success raises an error."""
    sdk.create(kind, job_of(kind, "broken"))
    sdk.wait(kind, "broken", "Running")
    release(sdk, "broken", code=1)
    try:
        until("it fails", lambda: sdk.wait(kind, "broken", "Succeeded") is None)
    except RuntimeError as error:
        if "is Failed" not in str(error):
            raise
    expect(sdk.sdk.is_job_failed("broken", SPACE, kind), True, "is_job_failed")
    expect(holding(sdk, kind, "broken"), {"Created", "Failed"}, "the conditions")
    sdk.delete(kind, "broken")


def uid_of(sdk, pod):
    try:
        return sdk.core.read_namespaced_pod(pod, SPACE).metadata.uid
    except client.ApiException as error:
        if error.status != 404:
            raise
        return None


def restarts(sdk, kind):
    """A pod that ends with a retryable exit code is created again, and the job continues."""
    sdk.create(kind, job_of(kind, "again", restart="ExitCode"))
    sdk.wait(kind, "again", "Running")
    before = until("the pod of worker 1", lambda: uid_of(sdk, "again-worker-1"))     # the job runs as soon as its master does
    release(sdk, "again", code=137, pods=["again-worker-1"])
    until("another pod of that index", lambda: uid_of(sdk, "again-worker-1") not in (None, before))
    sdk.wait(kind, "again", "Running")  # Restarting ends as soon as a pod runs, with an operator too
    expect(sdk.sdk.is_job_restarting("again", SPACE, kind), False, "is_job_restarting")
    release(sdk, "again")
    sdk.wait(kind, "again", "Succeeded")
    sdk.delete(kind, "again")


def suspended(sdk, kind):
    sdk.create(kind, job_of(kind, "paused", suspend=True))
    until("it is suspended", lambda: "Suspended" in holding(sdk, kind, "paused"))
    expect(sdk.sdk.get_job_pod_names("paused", SPACE), [], "pods of a suspended job")
    job = sdk.get(kind, "paused")
    job.metadata.resource_version = None        # the status may change meanwhile
    job.spec.run_policy.suspend = False
    sdk.change(kind, job)
    sdk.wait(kind, "paused", "Running")
    expect("Suspended" in holding(sdk, kind, "paused"), False, "it is suspended")
    sdk.delete(kind, "paused")


def scaled(sdk, kind):
    """More workers, then fewer, by a patch of the job."""
    job = job_of(kind, "sized", restart="OnFailure")
    field = KINDS[kind][1]
    if kind == "PyTorchJob":
        getattr(job.spec, field).pop("Master")
        job.spec.elastic_policy = models.KubeflowOrgV1ElasticPolicy(min_replicas=1, max_replicas=4, rdzv_backend="c10d")
    sdk.create(kind, job)
    sdk.wait(kind, "sized", "Running")
    for n in (3, 1):
        job = sdk.get(kind, "sized")
        job.metadata.resource_version = None    # the status may change meanwhile
        getattr(job.spec, field)["Worker"].replicas = n
        sdk.change(kind, job)
        wanted = [f"sized-worker-{i}" for i in range(n)]
        until(f"{n} workers", lambda: sorted(sdk.sdk.get_job_pod_names("sized", SPACE, replica_type="worker")) == wanted)
        until(f"{n} active workers", lambda: sdk.get(kind, "sized").status.replica_statuses["Worker"].active == n)
    release(sdk, "sized")
    sdk.wait(kind, "sized", "Succeeded")
    sdk.delete(kind, "sized")


def train(parameters):
    print("training with", parameters["lr"])


def functions(sdk, kind):
    """A job made of a Python function: its pods have the function's text, and end on their own."""
    name = f"made-{kind.lower()}"
    sdk.from_function(kind, name, train, 2)
    sdk.wait(kind, name, "Succeeded")
    for pod in sdk.sdk.get_job_pod_names(name, SPACE):
        words = sdk.core.read_namespaced_pod(pod, SPACE).spec.containers[0].args
        text = "\n".join(words)
        if 'print("training with", parameters["lr"])' not in text or "train({'lr': '0.1'})" not in text or "six" not in text:
            raise AssertionError(f"{pod} has other words: {words}")
    sdk.delete(kind, name)


def main():
    logging.getLogger().setLevel(logging.INFO)
    line = Old if VERSION.startswith("1.7") else New
    if KIND == "functions":
        for kind in ("PyTorchJob", "TFJob"):
            functions(line(kind), kind)
        return
    sdk = line(KIND)
    lives(sdk, KIND)
    fails(sdk, KIND)
    suspended(sdk, KIND)
    if KIND != "MPIJob":
        restarts(sdk, KIND)
    if KIND in SIZED:
        scaled(sdk, KIND)


main()
