"""The controller (trainc supervise) on a real API server, with real admission, garbage collection and permissions:
each check has a namespace and a controller of its own, which acts as the ServiceAccount of its manifest.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 supervise.py [NAME...]

Pods run nothing here (kwok); annotations say how they end, see stages/pod-complete.yaml.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import runtime
from runtime import Failure, KUBECTL, TRAINC

GROUP = "kubeflow.org"
ACCOUNT = "system:serviceaccount:trainc-system:trainc-supervise"
NOTE = "e2e.trainc.dev"
CHECKS = []
MANIFEST = threading.Lock()             # its objects are cluster-scoped: only one check at a time creates them
LABELS = threading.Lock()               # a controller that selects namespaces by their label would also attend those of another check
OLD_DEFINITIONS = threading.Lock()      # for the definitions of the kinds of --ancestors, which one check at a time has


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


def must(right, what):
    if not right:
        raise Failure(str(what))


# Custom resources

ROLES = {                               # kind -> its field of roles, its container, the roles of a job with two workers
    "PyTorchJob": ("pytorchReplicaSpecs", "pytorch", {"Master": 1, "Worker": 2}),
    "TFJob": ("tfReplicaSpecs", "tensorflow", {"Chief": 1, "PS": 1, "Worker": 2}),
    "MXJob": ("mxReplicaSpecs", "mxnet", {"Scheduler": 1, "Server": 1, "Worker": 2}),
    "XGBoostJob": ("xgbReplicaSpecs", "xgboost", {"Master": 1, "Worker": 2}),
    "PaddleJob": ("paddleReplicaSpecs", "paddle", {"Worker": 2}),
    "MPIJob": ("mpiReplicaSpecs", "mpi", {"Launcher": 1, "Worker": 2}),
    "JAXJob": ("jaxReplicaSpecs", "jax", {"Worker": 2}),
}


def resource(kind, name, restart="Never", sizes=None, policy=None, notes=None):
    """A job whose pods run until they are released, unless NOTES say otherwise."""
    field, container, roles = ROLES[kind]
    words = ["mpirun", "-n", "2", "train"] if kind == "MPIJob" else ["train"]
    template = {
        "metadata": {"annotations": {f"{NOTE}/hold": "yes"} if notes is None else notes},
        "spec": {"containers": [{"name": container, "image": "registry.example.com/train:1.0", "command": words}]},
    }
    specs = {role: {"replicas": n, "restartPolicy": restart, "template": template} for role, n in (sizes or roles).items()}
    spec = {field: specs, "runPolicy": policy or {}}
    if kind == "MXJob":
        spec["jobMode"] = "MXTrain"
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


# A namespace with a controller


class Desk:
    """The means of a check: the namespace, and the controllers that it started."""

    def __init__(self, space):
        self.space = space
        self.running = []

    def start(self, *options, kubeflow=True):
        return self.start_all("--namespace", self.space.ns, *options, kubeflow=kubeflow)

    def start_all(self, *options, kubeflow=True):
        """Starts a controller that handles other namespaces, too."""
        where = [] if any(o.startswith("--namespace") for o in options) else ["--all-namespaces"]
        return self.start_labelled(*where, *options, kubeflow=kubeflow)

    def start_labelled(self, *options, kubeflow=True):
        """Starts a controller that handles the namespaces with the label, unless the options choose others."""
        words = ["--kubeflow", "--as", ACCOUNT] if kubeflow else []
        path = os.path.join(self.space.dir, f"controller-{len(self.running)}.log")
        with open(path, "w") as log:
            self.running.append(subprocess.Popen([os.path.realpath(TRAINC), "supervise", *words, *options],
                                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log))  # fmt: skip
        return self.running[-1]

    def said(self):
        return "".join(open(os.path.join(self.space.dir, f"controller-{i}.log")).read() for i in range(len(self.running)))

    def close(self):
        for one in self.running:
            if one.poll() is None:
                one.terminate()
            one.wait(timeout=30)

    def put(self, *jobs):
        self.space.write("jobs.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": list(jobs)}))
        self.space.kubectl("create", "-f", os.path.join(self.space.dir, "jobs.json"))

    def listed(self, kind):
        return json.loads(self.space.kubectl("get", kind, "-o", "json"))["items"]

    def pods(self):
        return sorted(p["metadata"]["name"] for p in self.listed("pods") if "deletionTimestamp" not in p["metadata"])

    def phases(self):
        return sorted(p["status"].get("phase") for p in self.listed("pods"))

    def conditions(self, kind, name):
        status = self.space.get(f"{kind.lower()}s.{GROUP}", name).get("status", {})
        return {c["type"]: c for c in status.get("conditions", []) if c["status"] == "True"}

    def reasons(self):
        return [e["reason"] for e in self.listed("events")]

    def release(self, *pods, code=0):
        """The pods end with that status."""
        self.space.kubectl("annotate", "pod", *pods, f"{NOTE}/exit={code}", f"{NOTE}/hold-", "--overwrite")

    def until(self, what, right, seconds=180):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if right():
                return
            must(not self.running or any(one.poll() is None for one in self.running), f"the controller has ended:\n{self.said()[-2000:]}")
            time.sleep(0.2)
        pods = [(p["metadata"]["name"], p["status"].get("phase")) for p in self.listed("pods")]
        raise Failure(f"not seen in {seconds} s: {what}\n{pods}\n{self.said()[-2000:]}")


def manifest(kind=None, *options, kubeflow=True):
    words = ["--kubeflow"] if kubeflow else []
    text = subprocess.run([os.path.realpath(TRAINC), "supervise", "--manifest", *words, *options, "--image", "registry.example.com/trainc:1",
                           "-o", "json"], capture_output=True, text=True, check=True, timeout=30).stdout  # fmt: skip
    value = json.loads(text)
    items = value["items"] if isinstance(value, dict) and value.get("kind") == "List" else value
    return [o for o in items if kind is None or o["kind"] == kind]


def install(space):
    """The account and the permissions of the manifest; the definitions are those that the operator's own module
    brings."""
    with MANIFEST:
        objects = [o for o in manifest() if o["kind"] in ("Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")]
        space.write("account.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        space.kubectl("apply", "--server-side", "-f", os.path.join(space.dir, "account.json"), ns=False)
    runtime.granted(space, "trainc-supervise", "create", "pods", ACCOUNT)


# The checks


@check
def definitions(d):
    """a server serves the definitions of the manifest, considers their schemas structural, and accepts a job of each
    kind"""
    other = "e2e.trainc.dev"            # here the operator's API group belongs to the operator's own definitions
    made = [json.loads(json.dumps(o).replace(GROUP, other)) for o in manifest("CustomResourceDefinition")]
    must(len(made) == len(ROLES), [o["metadata"]["name"] for o in made])
    names = [o["metadata"]["name"] for o in made]
    d.space.write("crds.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": made}))
    try:
        d.space.kubectl("apply", "--server-side", "-f", os.path.join(d.space.dir, "crds.json"), ns=False)
        d.space.kubectl("wait", "--for=condition=Established", "--timeout=50s", *(f"crd/{name}" for name in names), ns=False)
        for name in names:
            status = json.loads(d.space.kubectl("get", "crd", name, "-o", "json", ns=False))["status"]
            must(not [c for c in status["conditions"] if c["type"] == "NonStructuralSchema"], status)
        for kind in ROLES:
            job = json.loads(json.dumps(resource(kind, "a-" + kind.lower())).replace(GROUP + "/v1", other + "/v1"))
            d.space.write("one.json", json.dumps(job))
            d.space.kubectl("create", "--validate=strict", "-f", os.path.join(d.space.dir, "one.json"))
            wrong = json.loads(json.dumps(job).replace('"replicas": 2', '"replicas": "two"'))
            d.space.write("one.json", json.dumps(wrong))
            done = subprocess.run([KUBECTL, "-n", d.space.ns, "apply", "--server-side", "--validate=ignore", "-f", os.path.join(d.space.dir, "one.json")],
                                  capture_output=True, text=True, timeout=60)
            must(done.returncode and "replicas" in done.stderr, f"{kind} with replicas of text: {done.stdout}{done.stderr}")
    finally:
        d.space.kubectl("delete", "--wait=false", *(f"crd/{name}" for name in names), ns=False, ok=False)


@check
def deployment(d):
    """the whole manifest is admitted with strict validation, also with shards, whose number can be changed"""
    def apply(workload, *options):
        objects = [o for o in manifest(None, *options) if o["kind"] != "CustomResourceDefinition"]
        for o in objects:                       # attacks with records in other namespaces must not meet the policy
            if o["kind"] == "ValidatingAdmissionPolicyBinding":
                o["spec"]["matchResources"] = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": d.space.ns}}}
        d.space.write("all.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        done = subprocess.run([KUBECTL, "apply", "--server-side", "--validate=strict", "-f", os.path.join(d.space.dir, "all.json")],
                              capture_output=True, text=True, timeout=60)
        must(done.returncode == 0 and not done.stderr, done.stderr)           # no warning, neither of Pod Security
        d.space.kubectl("-n", "trainc-system", "rollout", "status", "--timeout=50s", workload, ns=False)

    def shards():
        """The arguments of the StatefulSet's pods, and the form of their names."""
        text = d.space.kubectl("-n", "trainc-system", "get", "pods", "-l", "app.kubernetes.io/name=trainc-supervise", "-o", "json", ns=False)
        pods = [p for p in json.loads(text)["items"] if p["metadata"]["ownerReferences"][0]["kind"] == "StatefulSet"]
        return sorted((p["metadata"]["name"], next(a for a in p["spec"]["containers"][0]["args"] if "total" in a)) for p in pods
                      if "deletionTimestamp" not in p["metadata"])

    with MANIFEST:
        try:
            apply("deployment/trainc-supervise")
            done = subprocess.run([KUBECTL, "-n", "trainc-system", "run", "other", "--image=registry.example.com/other:1"],
                                  capture_output=True, text=True, timeout=60)
            must('violates PodSecurity "restricted' in done.stderr, done)
            for n in (3, 2):
                apply("statefulset/trainc-supervise", f"--total-shards={n}")
                wanted = [(f"trainc-supervise-{i}", f"--total-shards={n}") for i in range(n)]
                d.until(f"the pods {wanted}", lambda: shards() == wanted)
        finally:
            for workload in ("deployment", "statefulset"):
                d.space.kubectl("-n", "trainc-system", "delete", f"{workload}/trainc-supervise", "--ignore-not-found", ns=False)


@contextlib.contextmanager
def beside(d):
    """Another namespace, whose name is returned."""
    name = d.space.ns + "-beside"
    with LABELS:
        d.space.kubectl("create", "namespace", name, ns=False)
        try:
            yield name
        finally:
            d.close()
            d.space.kubectl("delete", "namespace", name, "--wait=false", ns=False)


def labelled(d, value):
    """Changes the label by which a namespace is left to the controller."""
    word = f"trainc.dev/supervise={value}" if value else "trainc.dev/supervise-"
    d.space.kubectl("label", "namespace", d.space.ns, word, "--overwrite", ns=False)


def in_namespace(d, kind, ns):
    return json.loads(d.space.kubectl("-n", ns, "get", kind, "-o", "json", ns=False))["items"]


@check
def opted_in(d):
    """without the label a namespace is left alone; with it, its jobs begin; it is taken away while a job runs: nothing
    is written any more; with it again, the job goes on to its end"""
    with beside(d) as other:
        d.put(resource("TFJob", "train", sizes={"Worker": 2}, restart="OnFailure"))
        d.space.kubectl("-n", other, "create", "-f", os.path.join(d.space.dir, "jobs.json"), ns=False)
        d.start_labelled()
        d.until("the watches", lambda: "all watches are live" in d.said())
        time.sleep(3)  # no pod is created meanwhile
        must(not d.pods() and not d.reasons() and not d.conditions("TFJob", "train"), "it is attended without the label")
        labelled(d, "disabled")
        time.sleep(2)  # no pod is created meanwhile
        must(not d.pods(), "it is attended with another value of the label")
        labelled(d, "enabled")
        d.until("both pods run", lambda: d.phases() == ["Running"] * 2)
        d.until("Running", lambda: "Running" in d.conditions("TFJob", "train"))
        labelled(d, None)
        d.until("the log says so", lambda: f"namespace '{d.space.ns}' does not have the label" in d.said())
        d.space.kubectl("delete", "pod", "train-worker-1")
        time.sleep(3)  # no pod is created meanwhile
        must(d.pods() == ["train-worker-0"] and "Running" in d.conditions("TFJob", "train"), "it is still attended")
        labelled(d, "enabled")
        d.until("the missing pod", lambda: len(d.pods()) == 2)
        d.release(*d.pods())
        d.until("Succeeded", lambda: "Succeeded" in d.conditions("TFJob", "train"))
        must(not in_namespace(d, "pods", other) and not in_namespace(d, "events", other), "the other namespace was not left alone")
        must(not re.search(r"forbidden|(?:cannot|may not) (get|list|watch|create|patch|delete)", d.said(), re.I), d.said()[-2000:])


@check
def opted_in_alone(d):
    """with the rights of one namespace (--namespace), no label is needed or read, and other namespaces are left alone, even
    with the label"""
    account = f"system:serviceaccount:{d.space.ns}:alone"
    roles = [o for o in manifest(None, "--namespace", d.space.ns) if o["kind"] == "Role" and o["metadata"]["namespace"] == d.space.ns]
    d.space.write("role.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": roles}))
    d.space.kubectl("apply", "-f", os.path.join(d.space.dir, "role.json"))
    d.space.kubectl("create", "serviceaccount", "alone")
    for role in roles:
        name = role["metadata"]["name"]
        d.space.kubectl("create", "rolebinding", f"alone-{name}", f"--role={name}", f"--serviceaccount={d.space.ns}:alone")
    runtime.granted(d.space, "trainc-supervise", "create", "pods", account)
    with beside(d) as other:
        d.space.kubectl("label", "namespace", other, "trainc.dev/supervise=enabled", ns=False)
        d.put(resource("TFJob", "train", sizes={"Worker": 2}))
        d.space.kubectl("-n", other, "create", "-f", os.path.join(d.space.dir, "jobs.json"), ns=False)
        d.start_labelled("--kubeflow", "--as", account, "--namespace", d.space.ns, kubeflow=False)
        d.until("both pods run", lambda: d.phases() == ["Running"] * 2)
        d.release(*d.pods())
        d.until("Succeeded", lambda: "Succeeded" in d.conditions("TFJob", "train"))
        must(not in_namespace(d, "pods", other) and not in_namespace(d, "events", other), "the other namespace was not left alone")
        must(not re.search(r"forbidden|(?:cannot|may not) (get|list|watch|create|patch|delete)", d.said(), re.I), d.said()[-2000:])


def ends(kind):
    def run(d):
        d.start()
        d.put(resource(kind, "train"))
        wanted = sum(ROLES[kind][2].values())
        first = 2 if kind == "MPIJob" else wanted               # a launcher may wait for its workers
        d.until(f"{first} pods run", lambda: d.phases().count("Running") >= first)
        d.until(f"{wanted} pods run", lambda: d.phases() == ["Running"] * wanted)
        d.until("Running", lambda: "Running" in d.conditions(kind, "train"))
        for pod in d.listed("pods"):
            owner = pod["metadata"]["ownerReferences"][0]
            must((owner["kind"], owner["name"], owner["controller"]) == (kind, "train", True), owner)
        d.release(*d.pods())
        d.until("Succeeded", lambda: "Succeeded" in d.conditions(kind, "train"))
        must("Running" not in d.conditions(kind, "train"), d.conditions(kind, "train"))
        job = d.space.get(f"{kind.lower()}s.{GROUP}", "train")
        must(job["status"]["startTime"] <= job["status"]["completionTime"], job["status"])
        d.until("its Event", lambda: f"{kind}Succeeded" in d.reasons() or f"{kind}JobSucceeded" in d.reasons())
        # Dependents are deleted with their owner: the cluster's garbage collector deletes them, and the controller must
        # not create them again.
        d.space.kubectl("delete", f"{kind.lower()}s.{GROUP}", "train")
        d.until("everything is collected", lambda: not d.space.names("pods,services,configmaps,secrets,roles,rolebindings")
                or set(d.space.names("pods,services,configmaps,secrets,roles,rolebindings")) <= {"serviceaccount/default"})
    run.__name__ = f"ends_{kind.lower()}"
    run.__doc__ = f"a {kind} runs to its end, with the operator's conditions, and is collected when it is deleted"
    return run


for _kind in ROLES:
    check(ends(_kind))


@check
def codes(d):
    """ExitCode: 137 restarts the replica, 1 fails the job"""
    d.start()
    d.put(resource("TFJob", "train", restart="ExitCode", sizes={"Worker": 2}))
    d.until("two run", lambda: d.phases() == ["Running"] * 2)
    before = d.space.get("pod", "train-worker-1")["metadata"]["uid"]
    d.release("train-worker-1", code=137)

    def again():
        found = [p for p in d.listed("pods") if p["metadata"]["name"] == "train-worker-1"]
        return found and found[0]["metadata"]["uid"] != before and found[0]["status"].get("phase") == "Running"
    d.until("another pod of that index", again)
    d.until("its Event", lambda: "TFJobRestarting" in d.reasons())
    d.release("train-worker-1", code=1)
    d.until("Failed", lambda: "Failed" in d.conditions("TFJob", "train"))


@check
def suspended(d):
    """suspend deletes the pods and resume creates them again; cleanPodPolicy and ttl leave nothing"""
    kind = f"pytorchjobs.{GROUP}"
    d.start()
    d.put(resource("PyTorchJob", "train", policy={"cleanPodPolicy": "All", "ttlSecondsAfterFinished": 2}))
    d.until("three run", lambda: d.phases() == ["Running"] * 3)
    d.space.kubectl("patch", kind, "train", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":true}}}')
    d.until("no pods", lambda: not d.listed("pods"))
    d.until("Suspended", lambda: "Suspended" in d.conditions("PyTorchJob", "train"))
    d.space.kubectl("patch", kind, "train", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":false}}}')
    d.until("three run again", lambda: d.phases() == ["Running"] * 3)
    d.release("train-master-0")
    d.until("job, pods and Services are gone", lambda: not d.listed(kind) + d.listed("pods") + d.listed("services"))


@check
def refused(d):
    """a job that the compiler refuses has its message as a condition and an Event; after it is corrected, it runs"""
    d.start()
    wrong = resource("PyTorchJob", "train")
    wrong["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0].pop("image")
    d.put(wrong)
    d.until("Failed", lambda: "Failed" in d.conditions("PyTorchJob", "train"))
    told = d.conditions("PyTorchJob", "train")["Failed"]
    must(told["reason"] == "PyTorchJobFailedValidation" and "image" in told["message"].lower(), told)
    d.until("its Event", lambda: "PyTorchJobFailedValidation" in d.reasons())
    must(not d.listed("pods"), d.phases())
    change = {"spec": resource("PyTorchJob", "train")["spec"]}
    d.space.kubectl("patch", f"pytorchjobs.{GROUP}", "train", "--type=merge", "-p", json.dumps(change))
    d.until("three run", lambda: d.phases() == ["Running"] * 3)


@check
def killed(d):
    """kill -9 at random moments while 12 jobs run: each gets exactly its pods, and ends"""
    jobs, seed = 12, random.randrange(1 << 30)
    dice = random.Random(seed)
    path = os.path.join(d.space.dir, "uids")
    with open(path, "w") as out:
        watch = subprocess.Popen([KUBECTL, "-n", d.space.ns, "get", "pods", "-w", "--no-headers", "-o", "custom-columns=U:.metadata.uid,N:.metadata.name"],
                                 stdout=out, stderr=subprocess.DEVNULL)
    try:
        # no pod ends before all pods exist: without its workers, a job would rightly end with its master
        d.put(*(resource("PyTorchJob", f"j{i}") for i in range(jobs)))
        for _ in range(8):
            one = d.start()
            time.sleep(dice.uniform(0.1, 1.2))
            one.send_signal(signal.SIGKILL)
            one.wait()
        d.start()
        d.until(f"all pods run (seed {seed})", lambda: d.phases() == ["Running"] * 3 * jobs)
        d.release(*d.pods())
        d.until(f"all have succeeded (seed {seed})", lambda: all("Succeeded" in d.conditions("PyTorchJob", f"j{i}") for i in range(jobs)))
        time.sleep(1)  # no pod is created meanwhile
        made = {line for line in open(path).read().splitlines() if line.strip()}
        must(len(made) == jobs * 3, f"{len(made)} pods instead of {jobs * 3} (seed {seed}): {sorted(line.split()[1] for line in made)}")
    finally:
        watch.terminate()
        watch.wait()


@check
def leased(d):
    """of two processes with one Lease the second takes over when the first is killed, and nothing is created twice"""
    # The manifest permits Leases in the namespace of the controller's own pod; here it is that of the check.
    d.space.kubectl("create", "role", "lease", "--verb=get,create,update,patch", "--resource=leases.coordination.k8s.io")
    d.space.kubectl("create", "rolebinding", "lease", "--role=lease", "--serviceaccount=trainc-system:trainc-supervise")
    runtime.granted(d.space, "lease", "create", "leases.coordination.k8s.io", ACCOUNT)
    first = d.start("--lease", "one")
    d.put(resource("PyTorchJob", "train"))
    d.until("three run", lambda: d.phases() == ["Running"] * 3)
    d.start("--lease", "one")
    uids = {p["metadata"]["uid"] for p in d.listed("pods")}
    first.kill()
    first.wait()
    d.release("train-master-0")
    d.until("Succeeded", lambda: "Succeeded" in d.conditions("PyTorchJob", "train"))
    must({p["metadata"]["uid"] for p in d.listed("pods")} <= uids, "a pod was made twice")


def shard_of(ns, total):
    """The shard of a namespace, by the rule of docs/supervise.md."""
    h = 2166136261
    for byte in ns.encode():
        h = (h ^ byte) * 16777619 % 2**32
    return h % total


@check
def sharded(d):
    """two shards of a cluster: each handles the jobs of its namespace; a standby replaces one that is killed; a
    third layout waits"""
    spaces = [d.space.ns, d.space.ns + "-b"]
    others = {f"e2e-run-{outcome_name(f)}-{os.getpid()}" for _, f in CHECKS} - set(spaces)
    total = next(n for n in range(500, 1000) if shard_of(spaces[0], n) != shard_of(spaces[1], n)
                 and not {shard_of(ns, n) for ns in others} & {shard_of(ns, n) for ns in spaces})  # fmt: skip
    numbers = [shard_of(ns, total) for ns in spaces]
    d.space.kubectl("create", "role", "lease", "--verb=get,create,update,patch", "--resource=leases.coordination.k8s.io")
    d.space.kubectl("create", "rolebinding", "lease", "--role=lease", "--serviceaccount=trainc-system:trainc-supervise")
    runtime.granted(d.space, "lease", "create", "leases.coordination.k8s.io", ACCOUNT)
    config = json.loads(d.space.kubectl("config", "view", "--raw", "--flatten", "--minify", "-o", "json", ns=False))
    config["contexts"][0]["context"]["namespace"] = d.space.ns      # the namespace of the Leases
    d.space.write("kubeconfig", json.dumps(config))
    where = ("--kubeconfig", os.path.join(d.space.dir, "kubeconfig"))
    d.space.kubectl("create", "namespace", spaces[1], ns=False)
    try:
        first = d.start_all(*where, f"--total-shards={total}", f"--shard={numbers[0]}")
        d.put(resource("PyTorchJob", "train"))
        d.space.write("other.json", json.dumps(resource("PyTorchJob", "train")))
        d.space.kubectl("-n", spaces[1], "create", "-f", os.path.join(d.space.dir, "other.json"), ns=False)

        def pods_of_other():
            return json.loads(d.space.kubectl("-n", spaces[1], "get", "pods", "-o", "json", ns=False))["items"]

        d.until("three run", lambda: d.phases() == ["Running"] * 3)
        must(not pods_of_other(), "a shard has made pods of another one")
        d.start_all(*where, f"--total-shards={total}", f"--shard={numbers[1]}")
        d.until("three run there", lambda: [p["status"].get("phase") for p in pods_of_other()] == ["Running"] * 3)
        d.start_all(*where, f"--total-shards={total}", f"--shard=pod-{numbers[0] + total}")
        d.start_all(*where, f"--total-shards={total + 1}", f"--shard={shard_of(spaces[0], total + 1)}")
        d.until("the other layout waits", lambda: f"which '{total} shards' holds" in d.said())
        d.until("the standby waits", lambda: f"waits for the Lease {spaces[0]}/trainc-supervise-{numbers[0]}" in d.said())
        uids = {p["metadata"]["uid"] for p in d.listed("pods")}
        first.kill()
        first.wait()
        d.release("train-master-0")
        d.until("Succeeded", lambda: "Succeeded" in d.conditions("PyTorchJob", "train"))
        must({p["metadata"]["uid"] for p in d.listed("pods")} <= uids, "a pod was made twice")
        must(d.running[3].poll() is None and '"holds the Lease' not in open(os.path.join(d.space.dir, "controller-3.log")).read(),
             "the other layout works")
    finally:
        d.space.kubectl("delete", "namespace", spaces[1], "--wait=false", ns=False, ok=False)


OLD_KINDS = {"TfJob": "tfjobs.tensorflow.org", "MxJob": "mxjobs.mxnet.mlkube.io"}


def old_job(kind, name, **more):
    """A job of one of the kinds of --ancestors, whose pods run until they are released."""
    field, container, roles, version = {
        "TfJob": ("tfReplicaType", "tensorflow", ("MASTER", "WORKER", "PS"), "tensorflow.org/v1alpha1"),
        "MxJob": ("mxReplicaType", "mxnet", ("SCHEDULER", "SERVER", "WORKER"), "mxnet.mlkube.io/v1beta1")}[kind]  # fmt: skip
    template = {"metadata": {"annotations": {f"{NOTE}/hold": "yes"}}, "spec": {"restartPolicy": "OnFailure", "containers": [
        {"name": container, "image": "registry.example.com/train:1.0", "command": ["train"]}]}}
    specs = [{field: role, **({} if role == "PS" else {"template": template})} for role in roles]
    spec = {"replicaSpecs": specs, **({"jobMode": "dist"} if kind == "MxJob" else {}), **more}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


@check
def ancestors(d):
    """TfJob v1alpha1 and MxJob v1beta1: a server accepts the definitions and what the old definitions accepted; jobs
    run, end, fail and are collected"""
    with OLD_DEFINITIONS:
        try:
            define_ancestors(d)
            for name in OLD_KINDS.values():
                status = json.loads(d.space.kubectl("get", "crd", name, "-o", "json", ns=False))["status"]
                must(not [c for c in status["conditions"] if c["type"] == "NonStructuralSchema"], status)
            run_ancestors(d)
        finally:
            drop_ancestors(d)


def define_ancestors(d):
    """The definitions of the kinds of --ancestors, and the permissions for them in the namespace of the check."""
    mine = manifest(None, "--ancestors", f"--namespace={d.space.ns}")
    made = [o for o in mine if o["metadata"]["name"] in OLD_KINDS.values()]
    roles = [o for o in mine if o["kind"] in ("Role", "RoleBinding")]
    must(len(made) == 2 and len(roles) == 2, [o["metadata"]["name"] for o in mine])
    d.space.write("old.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": made + roles}))
    d.space.kubectl("apply", "--server-side", "--validate=strict", "-f", os.path.join(d.space.dir, "old.json"), ns=False)
    d.space.kubectl("wait", "--for=condition=Established", "--timeout=50s", *(f"crd/{name}" for name in OLD_KINDS.values()), ns=False)


def drop_ancestors(d):
    """Removes the definitions, and waits until they are gone: the next check creates them again."""
    d.space.kubectl("delete", "--wait=true", "--timeout=60s", *(f"crd/{name}" for name in OLD_KINDS.values()), ns=False, ok=False)


def run_ancestors(d):
    def status(kind, name):
        return d.space.get(OLD_KINDS[kind], name).get("status", {})

    def state(kind, name):
        return status(kind, name).get("phase"), status(kind, name).get("state")

    def pod_of(part):
        return next(p["metadata"]["name"] for p in d.listed("pods") if part in p["metadata"]["name"] and "deletionTimestamp" not in p["metadata"])

    runtime.granted(d.space, "trainc-supervise", "list", "tfjobs.tensorflow.org", ACCOUNT)
    d.start("--ancestors")
    odd = old_job("TfJob", "odd", RuntimeId="zzzz")             # keys in any case, unknown fields
    odd["spec"] = {"REPLICASPECS": odd["spec"]["replicaSpecs"][:1], "runtimeid": "zzzz", "futureField": {"a": 1}}
    main = odd["spec"]["REPLICASPECS"][0]["template"]["spec"]["containers"][0]
    main["Command"] = main.pop("command")
    d.put(old_job("TfJob", "train", tensorboard={"logDir": "/logs"}), old_job("MxJob", "mx"), old_job("TfJob", "bad", replicaSpecs=[]), odd)
    d.until("refused", lambda: state("TfJob", "bad") == ("Failed", "Failed"))
    must("has no replicas" in status("TfJob", "bad")["reason"], status("TfJob", "bad"))
    must(d.space.get(OLD_KINDS["TfJob"], "odd")["spec"]["futureField"] == {"a": 1}, "a field was lost")
    d.until("all run", lambda: all(state(k, n) == ("Running", "Running") for k, n in (("TfJob", "train"), ("MxJob", "mx"), ("TfJob", "odd"))))
    r = d.space.get(OLD_KINDS["TfJob"], "train")["spec"]["RuntimeId"]
    must(re.fullmatch("[0-9a-z]{4}", r), r)
    names = [f"train-{role}-{r}-0" for role in ("master", "ps", "worker")]
    def jobs():
        return sorted(o["metadata"]["name"] for o in d.listed("jobs"))

    # a job is Running when its master runs
    d.until("all Jobs", lambda: [n for n in jobs() if n.startswith("train-")] == names and "odd-master-zzzz-0" in jobs())
    d.until("TensorBoard", lambda: d.space.names("deployments") == [f"deployment.apps/train-tensorboard-{r}"])
    parts = ("train-master", "odd-master", "mx-server", "mx-scheduler")
    d.until("the pods to release", lambda: all(any(part in pod for pod in d.pods()) for part in parts))
    must(d.space.get("deployment", f"train-tensorboard-{r}")["spec"]["template"]["spec"]["containers"][0]["command"][0] == "tensorboard", r)
    shown = d.space.kubectl("get", OLD_KINDS["TfJob"], "train").split("\n")
    must(shown[0].split() == ["NAME", "STATE", "AGE"] and shown[1].split()[:2] == ["train", "Running"], shown)

    # the master decides the end; everything stays in its final state
    d.release(pod_of("train-master"))
    d.until("Done", lambda: state("TfJob", "train") == ("Done", "Succeeded"))
    must([(s["tf_replica_type"], s["state"], s["ReplicasStates"]) for s in status("TfJob", "train")["replicaStatuses"]][:2] == [
        ("MASTER", "Succeeded", {"Succeeded": 1}), ("WORKER", "Running", {"Running": 1})], status("TfJob", "train"))
    d.release(pod_of("odd-master"), code=3)
    d.until("Failed", lambda: state("TfJob", "odd") == ("Done", "Failed"))
    mx = d.space.get(OLD_KINDS["MxJob"], "mx")["spec"]["RuntimeId"]
    d.release(pod_of("mx-server"), code=1)                      # restarts
    d.release(pod_of("mx-scheduler"))
    d.until("Done", lambda: state("MxJob", "mx") == ("Done", "Succeeded"))
    must(d.space.get("service", f"mx-scheduler-{mx}-0")["spec"]["ports"][0]["port"] == 9091, mx)
    time.sleep(1)  # no Job is deleted meanwhile
    must(set(jobs()) >= set(names), "Jobs were deleted")
    # in the foreground: the resource waits for its dependents, and says so
    d.space.kubectl("delete", OLD_KINDS["TfJob"], "train", "odd", "bad", "--cascade=foreground")
    d.space.kubectl("delete", OLD_KINDS["MxJob"], "mx")
    d.until("everything is collected", lambda: not d.space.names("jobs,pods,services,configmaps,deployments"))
    must(not re.search(r"forbidden|(?:cannot|may not) (get|list|watch|create|patch|delete)", d.said(), re.I), d.said()[-2000:])


@check
def permitted(d):
    """no action of the controller needs a permission that its manifest lacks"""
    d.start()
    d.put(resource("MPIJob", "mpi"), resource("PyTorchJob", "torch", policy={"cleanPodPolicy": "Running"}))
    d.until("six run", lambda: d.phases().count("Running") >= 6)
    d.release("torch-master-0", "mpi-launcher")
    d.until("both end", lambda: "Succeeded" in d.conditions("PyTorchJob", "torch") and "Succeeded" in d.conditions("MPIJob", "mpi"))
    must(not re.search(r"forbidden|(?:cannot|may not) (get|list|watch|create|patch|delete)", d.said(), re.I), d.said()[-2000:])


@check
def entered(d):
    """an MPIJob cannot enter a pod of a StatefulSet that has the name of a worker: neither Role nor launcher exist
    until that pod is gone, and an Event names it; afterwards the launcher enters exactly its workers"""
    labels = {"app": "db"}
    container = {"name": "db", "image": "registry.example.com/db:1.0"}
    d.put({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db-worker"}, "spec": {
        "serviceName": "db", "replicas": 1, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels, "annotations": {f"{NOTE}/hold": "yes"}}, "spec": {"containers": [container]}}}})
    d.until("its pod", lambda: d.pods() == ["db-worker-0"])
    d.start()
    d.put(resource("MPIJob", "db"))

    def may_enter(pod):
        done = subprocess.run([KUBECTL, "-n", d.space.ns, "auth", "can-i", "create", f"pods/{pod}", "--subresource=exec",
                               "--as", f"system:serviceaccount:{d.space.ns}:db-launcher"], capture_output=True, text=True, timeout=60)
        return done.stdout.strip() == "yes"

    d.until("an Event", lambda: any('"db-worker-0" of Pod already exists' in e["message"] for e in d.listed("events")))
    time.sleep(3)  # no Role is created meanwhile
    must(d.pods() == ["db-worker-0", "db-worker-1"] and not d.listed("roles") and not d.listed("rolebindings"), d.pods())
    must(not may_enter("db-worker-0") and not may_enter("db-worker-1"), "it may enter a pod")
    d.space.kubectl("delete", "statefulset", "db-worker")
    d.until("all run", lambda: d.pods() == ["db-launcher", "db-worker-0", "db-worker-1"])
    d.until("its own", lambda: may_enter("db-worker-0") and may_enter("db-worker-1"))
    must(not may_enter("db-worker-2") and not may_enter("db-launcher"), d.listed("roles"))
    d.until("they run", lambda: d.phases() == ["Running"] * 3)
    d.release("db-launcher")
    d.until("it ends", lambda: "Succeeded" in d.conditions("MPIJob", "db"))
    d.space.kubectl("delete", "pod", "db-worker-0", "--wait=false")
    d.until("a pod that is gone is not entered", lambda: not may_enter("db-worker-0"))


@check
def autoscaled(d):
    """an elastic job has an autoscaler, which can read its size, and `kubectl scale` changes it; suspension ends
    both"""
    job = resource("PyTorchJob", "train", sizes={"Worker": 2}, restart="OnFailure")
    job["spec"]["elasticPolicy"] = {"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d", "metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}
    d.start()
    d.put(job)
    d.until("two run", lambda: d.phases() == ["Running"] * 2)

    def size():
        """
        What an autoscaler reads: the desired size, the current size, and the number of pods that it would measure;
        None before the controller has written the first status, which may be after the pods run.
        """
        path = f"/apis/{GROUP}/v1/namespaces/{d.space.ns}/pytorchjobs/train/scale"
        o = json.loads(d.space.kubectl("get", "--raw", path, ns=False))
        if "selector" not in o["status"]:
            return None
        pods = d.space.kubectl("get", "pods", "-l", o["status"]["selector"], "-o", "name").split()
        return o["spec"]["replicas"], o["status"]["replicas"], len(pods)

    d.until("its size can be read", lambda: size() == (2, 2, 2))
    d.until("its autoscaler", lambda: [o["spec"]["scaleTargetRef"]["name"] for o in d.listed("hpa")] == ["train"])
    d.space.kubectl("scale", "pytorchjobs.kubeflow.org/train", "--replicas=4")
    d.until("four run", lambda: d.phases() == ["Running"] * 4 and size() == (4, 4, 4))
    d.space.kubectl("scale", "pytorchjobs.kubeflow.org/train", "--replicas=1")
    d.until("one runs", lambda: d.phases() == ["Running"])
    d.space.kubectl("patch", "pytorchjobs.kubeflow.org/train", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":true}}}')
    d.until("nothing is left", lambda: not d.listed("hpa") and not d.listed("pods"))
    d.space.kubectl("patch", "pytorchjobs.kubeflow.org/train", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":false}}}')
    d.until("both are back", lambda: d.listed("hpa") and d.phases() == ["Running"])
    d.release("train-worker-0")
    d.until("Succeeded", lambda: "Succeeded" in d.conditions("PyTorchJob", "train"))
    d.space.kubectl("delete", "pytorchjobs.kubeflow.org/train")
    d.until("garbage is collected", lambda: not d.listed("hpa"))


# Runs that `trainc apply --controller` leaves to the controller

RUN = """job "a" {{
  image = "busybox:1"
  role ps {{
    replicas = 1
    annotations {{
      "e2e.trainc.dev/hold" = "yes"
    }}
  }}
  role worker {{
    replicas    = 2
    start_after = ready(ps)
    {worker}
    annotations {{
      {ends}
    }}
  }}
  {rules}
}}
"""


def run_controller(d, *options):
    """A controller with only the permissions that the manifest has for runs, in this namespace."""
    account = f"system:serviceaccount:{d.space.ns}:runs"
    if not d.running:
        roles = [o for o in manifest(None, "--namespace", d.space.ns, kubeflow=False) if o["kind"] == "Role"]
        d.space.write("role.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": roles}))
        d.space.kubectl("apply", "-f", os.path.join(d.space.dir, "role.json"))
        d.space.kubectl("create", "serviceaccount", "runs")
        d.space.kubectl("create", "rolebinding", "runs", "--role=trainc-supervise", f"--serviceaccount={d.space.ns}:runs")
        runtime.granted(d.space, "trainc-supervise", "list", "deployments.apps", account)
    return d.start("--as", account, *options, kubeflow=False)


def record(d, run="a"):
    return d.space.get("configmap", run + ".trainc")["data"]


def run_jobs(d):
    return sorted(o["metadata"]["name"] for o in d.listed("jobs") if "deletionTimestamp" not in o["metadata"])


def begin_run(d, rules="success = done(worker)", ends='"e2e.trainc.dev/run" = "2s"', worker=""):
    """A run whose parameter server never ends on its own; no command waits for it."""
    d.space.write("a.tj", RUN.format(rules=rules, ends=ends, worker=worker))
    # apply waits 3 s for the controller, which may take longer on a busy machine
    d.space.want(0, "apply", "--controller", "--no-wait", "a.tj", err="the controller does what plain Jobs cannot do for job 'a'|no controller has taken run 'a' yet")
    d.until("the controller takes the run", lambda: record(d).get("attended"))


@check
def run_ends(d):
    """a run left to the controller: its roles start in order, the endless one ends, the record has the verdict,
    delete leaves nothing"""
    run_controller(d)
    begin_run(d)
    d.until("the verdict", lambda: record(d)["verdict"] == "Succeeded")
    d.until("the parameter server is gone", lambda: d.space.names("job") == ["job.batch/a-worker"])
    d.space.want(0, "status", "a", out="Succeeded")
    d.space.want(0, "wait", "a", "--timeout", "20s")
    d.space.want(0, "apply", "a.tj", err="has ended: Succeeded")
    d.space.want(0, "apply", "--rerun", "--no-wait", "a.tj")
    d.until("the verdict of the second run", lambda: record(d)["verdict"] == "Succeeded" and run_jobs(d) == ["a-worker"]
            and json.loads(record(d)["outcome"])["generation"] == 2)
    d.space.want(0, "delete", "a", "--yes")
    d.until("nothing is left", lambda: not d.space.names())
    must(not re.search(r"forbidden|(?:cannot|may not) (get|list|watch|create|patch|delete)", d.said(), re.I), d.said()[-2000:])


@check
def run_fails(d):
    """a role that fails for good ends the others, the first failing rank is on the record, and status shows it when
    the Jobs are gone"""
    run_controller(d)
    begin_run(d, ends='"e2e.trainc.dev/hold" = "yes"')
    d.until("both workers run", lambda: len(workers(d)) == 2)
    d.release(*(p for p in workers(d) if p.startswith("a-worker-0-")), code=3)
    d.until("the verdict", lambda: record(d)["verdict"] == "Failed")
    d.until("the parameter server is gone", lambda: run_jobs(d) == ["a-worker"])
    # the watch of Jobs may be ahead of the watch of pods
    d.until("the first failing rank", lambda: "first_failure" in json.loads(record(d)["outcome"]))
    told = json.loads(record(d)["outcome"])["first_failure"]
    must((told["role"], told["index"], told["exit_code"]) == ("worker", 0, 3), told)
    story = {"RoleStarted", "RunFailed", "FirstFailure", "RoleEnded"}
    d.until("the Events about the record", lambda: {e["reason"] for e in d.listed("events") if e["involvedObject"]["name"] == "a.trainc"} == story)
    text = d.space.kubectl("describe", "configmap", "a.trainc")
    must("first failure: worker 0, exit code 3" in text and "trainc-supervise" in text, text)
    d.space.kubectl("delete", "job", "a-worker")
    out = d.space.want(0, "status", "a", "-o", "json").stdout
    run = json.loads(out)["runs"][0]
    must(run["state"] == "Failed" and run["first_failure"]["exit_code"] == 3, out)
    d.space.want(8, "wait", "a", "--timeout", "20s")


@check
def run_held(d):
    """suspend and resume of a run left to the controller: it does not resume the role that once waited, whichever
    Job is suspended first, even by kubectl"""
    def suspended():
        return sorted(o["spec"].get("suspend", False) for o in d.listed("jobs"))
    run_controller(d)
    begin_run(d, ends='"e2e.trainc.dev/hold" = "yes"')
    for _ in range(3):
        d.until("both roles run", lambda: suspended() == [False, False] and set(d.phases()) == {"Running"} and len(d.pods()) == 3)
        d.space.want(0, "suspend", "a")
        must(suspended() == [True, True], d.listed("jobs"))
        d.until("no pod is left", lambda: not d.pods())
        must(suspended() == [True, True] and not record(d)["verdict"], d.listed("jobs"))
        d.space.want(0, "resume", "a")
    d.until("both roles run", lambda: suspended() == [False, False] and set(d.phases()) == {"Running"} and len(d.pods()) == 3)
    d.space.kubectl("patch", "job/a-worker", "--type=merge", "-p", '{"spec":{"suspend":true}}')
    d.until("the workers are gone", lambda: len(d.pods()) == 1)
    d.until("it is reported", lambda: "Suspended" in d.space.want(0, "status", "a").stdout)
    time.sleep(2)  # it stays suspended meanwhile
    must(suspended() == [False, True], d.listed("jobs"))
    d.space.kubectl("patch", "job/a-worker", "--type=merge", "-p", '{"spec":{"suspend":false}}')
    d.until("both roles run", lambda: suspended() == [False, False] and set(d.phases()) == {"Running"} and len(d.pods()) == 3)
    d.release(*(p for p in d.pods() if p.startswith("a-worker-")))
    d.until("the verdict", lambda: record(d)["verdict"] == "Succeeded")


@check
def run_evidence(d):
    """success by one replica: the Job that shows it is deleted, and wait beside the controller, status and apply know the verdict"""
    run_controller(d)
    d.space.write("a.tj", """job "a" {
  image = "busybox:1"
  role first  { replicas = 2, annotations { "e2e.trainc.dev/hold" = "yes" } }
  role second { replicas = 2, annotations { "e2e.trainc.dev/hold" = "yes" } }
  success = done(first, 0)
}
""")
    d.space.want(0, "apply", "--controller", "--no-wait", "a.tj")
    waiting = subprocess.Popen([os.path.realpath(TRAINC), "wait", "--namespace", d.space.ns, "a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    d.until("four run", lambda: d.phases() == ["Running"] * 4)
    d.release(next(p for p in d.pods() if p.startswith("a-first-0-")))
    d.until("the verdict", lambda: record(d)["verdict"] == "Succeeded")
    _, err = waiting.communicate(timeout=180)
    must(waiting.returncode == 0, f"{waiting.returncode}: {err}")
    d.until("the pods are gone", lambda: "Running" not in d.phases())
    d.space.want(0, "status", "a", out="Succeeded")
    d.space.want(0, "apply", "a.tj", err="has ended: Succeeded")


@check
def run_rules(d):
    """rules of roles: neither an ignored failure nor a retried one ends the run; ttl removes the Jobs"""
    run_controller(d)
    d.space.write("a.tj", """framework pair {
  role helper { replicas = 1, on_failed_pod = "ignore" }
  role worker { replicas = 1, retries = 3 }
  success = done(worker)
}
job "a": pair {
  image = "busybox:1"
  role helper { annotations { "e2e.trainc.dev/exit" = "3" } }
  role worker { annotations { "e2e.trainc.dev/hold" = "yes" } }
  ttl = 3s
}
""")
    d.space.want(0, "apply", "--controller", "--no-wait", "a.tj")
    d.until("the helper has failed", lambda: any(c["type"] == "Failed" for o in d.listed("jobs") for c in o["status"].get("conditions", [])))
    d.until("the worker's pod", lambda: [p for p in d.pods() if p.startswith("a-worker-")])
    worker = next(p for p in d.pods() if p.startswith("a-worker-"))
    d.until("the worker runs", lambda: d.space.get("pod", worker)["status"].get("phase") == "Running")
    d.release(worker, code=9)
    d.until("another attempt", lambda: [p for p in d.pods() if p.startswith("a-worker-") and p != worker])
    must(not record(d)["verdict"], record(d))
    d.release(*(p for p in d.pods() if p.startswith("a-worker-") and p != worker))
    d.until("the verdict", lambda: record(d)["verdict"] == "Succeeded")
    d.until("the ttl removes the Jobs", lambda: not d.listed("jobs"))
    d.space.want(0, "status", "a", out="Succeeded")
    must(record(d)["verdict"] == "Succeeded", record(d))


@check
def run_examples(d):
    """examples of the tree are left to the controller, all at once, and end while no command waits"""
    run_controller(d)
    here = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../examples")
    names = {"async": "15-parameter-server/async.tj", "pi": "16-elastic-workers/pi.tj", "ring-demo": "09-ring/ring.tj",
             "regression": "14-ring-regression/regression.tj"}
    for name, path in names.items():
        d.space.want(0, "apply", "--controller", "--no-wait", os.path.join(here, path))
    d.until("all verdicts", lambda: {n: record(d, n)["verdict"] for n in names} == {n: "Succeeded" for n in names}, 240)
    d.until("nothing runs", lambda: "Running" not in d.phases())
    d.space.want(0, "delete", "--yes", *names)
    d.until("nothing is left", lambda: not d.space.names())


@check
def run_killed(d):
    """kill -9 at random moments while eight runs are attended: each ends with its verdict, and its parameter server with it"""
    run_controller(d)
    seed, n = random.randrange(1 << 30), 8
    dice = random.Random(seed)
    text = RUN.format(rules="success = done(worker)", ends='"e2e.trainc.dev/run" = "3s"', worker="")
    for i in range(n):
        d.space.write(f"r{i}.tj", text.replace('job "a"', f'job "r{i}"'))
    d.space.want(0, "apply", "--controller", "--no-wait", *(f"r{i}.tj" for i in range(n)))
    for _ in range(8):
        d.running[-1].kill()
        d.running[-1].wait()
        run_controller(d)
        time.sleep(dice.uniform(0.1, 1.2))
    d.until(f"all verdicts (seed {seed})", lambda: all(record(d, f"r{i}")["verdict"] == "Succeeded" for i in range(n)))
    d.until(f"all end (seed {seed})", lambda: run_jobs(d) == sorted(f"r{i}-worker" for i in range(n)))


@contextlib.contextmanager
def own_nodes(d, *names):
    """Nodes that accept only pods of this check, which may then delete them."""
    name = d.space.ns
    room = {"cpu": "100", "memory": "1Ti", "pods": "100"}
    for node in names:
        d.space.write("node.json", json.dumps({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": f"{name}-{node}", "labels": {
                "kubernetes.io/hostname": f"{name}-{node}", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", NOTE: name}},
            "spec": {"taints": [{"key": NOTE, "value": name, "effect": "NoSchedule"}]}, "status": {"capacity": room, "allocatable": room}}))
        d.space.kubectl("create", "-f", os.path.join(d.space.dir, "node.json"), ns=False)
    try:
        yield {"nodeSelector": {NOTE: name}, "tolerations": [{"key": NOTE, "operator": "Exists"}]}
    finally:
        d.space.kubectl("delete", "node", "-l", f"{NOTE}={name}", ns=False)


@check
def node_goes(d):
    """a node that is deleted: the pods of a run and of a PyTorchJob are lost, and restart elsewhere; neither fails,
    and both end"""
    run_controller(d)
    d.start()
    with own_nodes(d, "a", "b") as place:
        worker = f'retries = 0\n    raw pod {{ nodeSelector = {{"{NOTE}" = "{d.space.ns}"}}, tolerations = [{{key = "{NOTE}", operator = "Exists"}}] }}'
        begin_run(d, ends=f'"{NOTE}/hold" = "yes"', worker=worker)
        job = resource("PyTorchJob", "train", restart="Never")
        job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"].update(place)      # and of the master: the template is shared
        d.put(job)

        def placed():
            return {p["metadata"]["uid"]: (p["metadata"]["name"], p["spec"].get("nodeName", "")) for p in d.listed("pods")
                    if p["status"].get("phase") == "Running" and re.match("train-|a-worker-", p["metadata"]["name"])
                    and "deletionTimestamp" not in p["metadata"]}
        d.until("the master and four workers run", lambda: len(placed()) == 5)
        before = placed()
        node = next(node for name, node in before.values() if name == "train-worker-0")
        lost = {uid for uid, found in before.items() if found[1] == node}
        d.space.kubectl("delete", "node", node, ns=False)
        d.until("the lost pods run elsewhere", lambda: len(placed()) == 5 and not lost & set(placed()), 240)
        must(set(before) - lost <= set(placed()), (before, placed()))
        must(not record(d)["verdict"] and "Failed" not in d.conditions("PyTorchJob", "train"), (record(d), d.conditions("PyTorchJob", "train")))

        def both():
            """Have both succeeded? Running pods are released, those that still exist: one may have restarted meanwhile."""
            if record(d).get("verdict") == "Succeeded" and "Succeeded" in d.conditions("PyTorchJob", "train"):
                return True
            left = [name for name, _ in placed().values()]
            for name in left:
                d.space.kubectl("annotate", "pod", name, f"{NOTE}/exit=0", f"{NOTE}/hold-", "--overwrite", ok=False)
            return False
        d.until("both succeed", both)


def job_uids(d):
    return {o["metadata"]["name"]: o["metadata"]["uid"] for o in d.listed("jobs") if "deletionTimestamp" not in o["metadata"]
            and not o["metadata"]["name"].startswith("trainc-restart-")}


def restarted(d, old, number):
    """Do all Jobs differ from OLD, and does the record list the restart of this number as complete?"""
    now, text = job_uids(d), record(d).get("restart")
    told = json.loads(text) if text else {"number": 0, "jobs": []}
    return set(now) == set(old) and not set(now.values()) & set(old.values()) and told["number"] == number and all(j[3] for j in told["jobs"])


def workers(d):
    return [p["metadata"]["name"] for p in d.listed("pods") if p["metadata"]["name"].startswith("a-worker-") and
            "deletionTimestamp" not in p["metadata"] and p["status"].get("phase") == "Running"]


@check
def run_restarts(d):
    """a run that fails is restarted as a whole, by the controller and by wait: new Jobs and pods in order, attempts
    are counted on, a limit"""
    attempts = 0
    for attendant in "controller", "wait":
        if attendant == "controller":
            run_controller(d)
            begin_run(d, rules="restarts = 2\n  success = done(worker)", ends='"e2e.trainc.dev/hold" = "yes"')
        else:
            d.space.want(0, "apply", "--rerun", "--no-wait", "--controller=off", "a.tj", err="restart the whole job after a failure, up to 2 times")
        waiting = subprocess.Popen([os.path.realpath(TRAINC), "wait", "--namespace", d.space.ns, "a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for number in 1, 2, 3:
            d.until(f"both workers run before restart {number} by the {attendant}", lambda: len(workers(d)) == 2)
            if attendant == "controller":
                out = json.loads(d.space.want(0, "status", "a", "-o", "json").stdout)["runs"][0]
                attempts = max(r["attempts"] for r in out["replicas"] if r["role"] == "worker")
                must(attempts == number and out.get("restarts", 0) == number - 1, (out, record(d).get("restart"), d.said()))
            old = job_uids(d)
            d.release(workers(d)[0], code=10 + number)
            if number < 3:
                d.until(f"restart {number} by the {attendant}", lambda: restarted(d, old, number))
        out, err = waiting.communicate(timeout=180)
        must(waiting.returncode == 8 and "worker" in err, f"{attendant}: {waiting.returncode}: {err}")
        d.until("the verdict", lambda: record(d)["verdict"] == "Failed")
        d.until("the parameter server is gone", lambda: run_jobs(d) == ["a-worker"])
        must(json.loads(record(d)["restart"])["number"] == 2, record(d)["restart"])
    told = [e["message"] for e in d.listed("events") if e["reason"] == "RunRestarted"]
    must(len(told) == 2, told)
    must(not re.search(r"forbidden|(?:cannot|may not) (get|list|watch|create|patch|delete)", d.said(), re.I), d.said()[-2000:])
    d.space.want(0, "delete", "a", "--yes")
    d.until("nothing is left", lambda: not d.space.names())


@check
def run_restarts_killed(d):
    """kill -9 at random moments of three restarts, together with a wait: none counts twice, no Job is lost or
    created twice, and the run succeeds"""
    run_controller(d)
    seed = random.randrange(1 << 30)
    dice = random.Random(seed)
    begin_run(d, rules="restarts = 3\n  success = done(worker)", ends='"e2e.trainc.dev/hold" = "yes"')
    waiting = subprocess.Popen([os.path.realpath(TRAINC), "wait", "--namespace", d.space.ns, "a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for number in 1, 2, 3:
        d.until(f"both workers run (seed {seed})", lambda: len(workers(d)) == 2)
        old = job_uids(d)
        d.release(workers(d)[0], code=3)
        for _ in range(4):
            time.sleep(dice.uniform(0, 0.5))
            d.running[-1].kill()
            d.running[-1].wait()
            run_controller(d)
        d.until(f"restart {number} (seed {seed})", lambda: restarted(d, old, number))
    d.until(f"both workers run (seed {seed})", lambda: len(workers(d)) == 2)
    d.release(*workers(d))
    out, err = waiting.communicate(timeout=180)
    must(waiting.returncode == 0, f"seed {seed}: {waiting.returncode}: {err}")
    d.until(f"the verdict (seed {seed})", lambda: record(d)["verdict"] == "Succeeded")
    must(len([e for e in d.listed("events") if e["reason"] == "RunRestarted"]) == 3, d.listed("events"))
    must(not any(o["metadata"].get("ownerReferences") for o in d.listed("jobs")), "the record is still the owner of Jobs")


# Policies

PROGRAM = """import std.kubeflow
job "{job}": kubeflow.pytorchjob {{
  namespace = "{ns}"
  image     = "{image}"
  role worker {{
    replicas = 2
    {amounts}
    resources {{ {devices} }}
    init fetch {{ image = "{first}", command = ["fetch"] }}
  }}
}}
"""
RUN_PROGRAM = """job "{job}" {{
  namespace = "{ns}"
  image     = "{image}"
  command   = ["train"]
  role worker {{
    replicas = 2
    {amounts}
    resources {{ {devices} }}
    init fetch {{ image = "{first}", command = ["fetch"] }}
    sidecar logger {{ image = "{first}", command = ["log"] }}
  }}
  aux board {{ image = "elsewhere.example.com/board:3@sha256:DIGEST", command = ["board"], cpu = 1, memory = 1Gi }}
}}
""".replace("DIGEST", "3" * 64)
GROUP_PROGRAM = """job "{job}" {{
  namespace = "{ns}"
  image     = "{image}"
  cell group {{
    success = none
    role leader {{
      command = ["lead"]
      {amounts}
      resources {{ {devices} }}
    }}
    role worker {{
      replicas = 2
      command  = ["train"]
      {amounts}
      init fetch {{ image = "{first}", command = ["fetch"] }}
    }}
  }}
}}
"""
IMAGES = ("registry.example.com/a:1", "registry.example.com/old:latest", "registry.example.com/a", "registry.example.com:5000/a",
          "registry.example.com/a:dev@sha256:" + "0" * 64, "registry.example.com/a:2@sha256:" + "1" * 64, "elsewhere.example.com/a:main-1.2",
          "ubuntu", "registry.example.com/ax", "registry.example.com/a@sha256:" + "2" * 64)
AMOUNTS = ("cpu = 1", "cpu = 250m", "cpu = 129", "cpu = 100m", "memory = 1Gi", "memory = 3Ti", "memory = 1.5Gi", "memory = 2Ti")


def told(text):
    """The policies in a text: names of objects that deny, and of those that warn, with their messages."""
    found = re.findall(r"ValidatingAdmissionPolicy '([^']*)' with binding '[^']*'(?: denied request)?: (.*)", text)
    return {(name, message.strip()) for name, message in found}


@check
def admitted(d):
    """the API server refuses and warns about the same jobs as the compiler, with the same words: the policies of
    tests/supervise/admission"""
    Verdicts(d, PROGRAM, "kubeflow", "--kubeflow").compare(16)


@check
def admitted_runs(d):
    """the same for Jobs, Deployments, pods, JobSets and LeaderWorkerSets of runs; objects that controllers make of them are not
    refused"""
    for target in "jobs", "pods":
        Verdicts(d, RUN_PROGRAM, target).compare(8)
    # the roles of a JobSet do not say whether they are auxiliary, so nothing about cluster.roles is checked
    program = RUN_PROGRAM.replace("aux board {{", 'aux board {{ restart = "on-failure",').replace("elsewhere", "registry")
    sets = Verdicts(d, program, "jobset")
    sets.words["cluster.roles"] = "cluster.all_roles"
    sets.compare(8)
    groups = Verdicts(d, GROUP_PROGRAM, "lws")
    groups.words["cluster.roles"] = "cluster.all_roles"
    groups.compare(8)
    with Verdicts(d, RUN_PROGRAM, "jobs").in_force():
        d.space.write("left.tj", RUN_PROGRAM.format(ns=d.space.ns, job="left", image=IMAGES[5], first=IMAGES[5],
                                                    amounts="cpu = 1\n    memory = 1Gi", devices=""))  # fmt: skip
        d.space.want(0, "apply", "left.tj", "--no-wait")
        d.until("the Job's pods", lambda: len(d.space.kubectl("get", "pods", "-l", "trainc.dev/job=left", "-o", "name").split()) == 3)


class Verdicts:
    """Compares the compiler's verdicts about random programs with an API server's verdicts about their objects under
    the same policies."""

    def __init__(self, d, program, target, *options):
        self.d, self.program, self.target, self.options = d, program, target, options
        # unique names, because an API server still enforces policies for a while after they were deleted
        self.words = {'"prod"': f'"{d.space.ns}"', 'policy "': f'policy "{target} '}
        self.seed = random.randrange(1 << 30)
        self.dice = random.Random(self.seed)

    def trainc(self, directory, *words):
        return subprocess.run([os.path.realpath(TRAINC), *words], cwd=directory, capture_output=True, text=True, timeout=60)

    def send(self):
        """The answer of kubectl and the API server to job.json; nothing is created."""
        return subprocess.run([KUBECTL, "-n", self.d.space.ns, "create", "--dry-run=server", "-f", os.path.join(self.d.space.dir, "job.json")],
                              capture_output=True, text=True, timeout=60).stderr  # fmt: skip

    def prepare(self, scratch):
        """A directory without the policies and one with them."""
        here = os.path.dirname(os.path.realpath(__file__))
        self.bare, self.project = os.path.join(scratch, "without"), os.path.join(scratch, "within")
        shutil.copytree(os.path.join(here, "../supervise/admission"), self.project)
        os.mkdir(self.bare)
        for name in os.listdir(os.path.join(self.project, "policies")):
            path = os.path.join(self.project, "policies", name)
            text = open(path).read()
            for old, new in self.words.items():
                text = text.replace(old, new)
            open(path, "w").write(text)
        text = open(os.path.join(self.project, "project.tj")).read().replace(', "policies/left.tj"', "")
        open(os.path.join(self.project, "project.tj"), "w").write(text)

    def write_program(self, **values):
        program = self.program.format(ns=self.d.space.ns, **values)
        for directory in self.bare, self.project:
            open(os.path.join(directory, "job.tj"), "w").write(program)
        return program

    def write_objects(self):
        compiled = self.trainc(self.bare, "compile", "--target", self.target, "-o", "json", "job.tj")
        must(compiled.returncode == 0, compiled.stderr)
        self.d.space.write("job.json", compiled.stdout)

    def wait_until_applied(self):
        """The API server does not report when policies take effect: each must refuse a program that only this policy
        refuses, and warn about the only program that it admits with a warning."""
        good, enough, odd = IMAGES[5], "cpu = 1\n    memory = 1Gi", "cpu = 1\n    memory = 1.5Gi"
        for job, image, amounts in (("a-tmp", good, enough), ("a", "registry.example.com/a:2", enough),
                                    ("a", good.replace("registry", "elsewhere"), enough), ("a", good, "cpu = 1")):  # fmt: skip
            self.write_program(job=job, image=image, first=good, amounts=amounts, devices="")
            self.write_objects()
            self.d.until(f"a verdict about {job}, {image}, {amounts}", lambda: "denied request" in self.send())
        self.write_program(job="a", image=good, first=good, amounts=odd, devices="")
        self.write_objects()
        self.d.until(f"a warning about {odd}", lambda: "1.5Gi is seldom meant" in self.send())

    @contextlib.contextmanager
    def in_force(self):
        """Installs the policies and waits until the API server enforces them."""
        with tempfile.TemporaryDirectory() as scratch:
            self.prepare(scratch)
            written = self.trainc(self.project, "supervise", *self.options, "--policy", "-o", "json", "--namespace", self.d.space.ns)
            left = [line for line in written.stderr.splitlines() if "do not apply to JobSets and LeaderWorkerSets" not in line]
            must(written.returncode == 0 and not left, written.stderr)
            names = [f"{o['kind']}/{o['metadata']['name']}" for o in json.loads(written.stdout)["items"]]
            self.d.space.write("policies.json", written.stdout)
            try:
                self.d.space.kubectl("apply", "--server-side", "--validate=strict", "-f", os.path.join(self.d.space.dir, "policies.json"), ns=False)
                self.wait_until_applied()
                yield
            finally:
                self.d.space.kubectl("delete", "--wait=false", *names, ns=False, ok=False)

    def compare(self, n):
        """Compares the verdicts about N programs."""
        with self.in_force():
            seen = {True: 0, False: 0}
            for i in range(n):
                seen[self.compare_one(i)] += 1
            must(min(seen.values()) > 1, seen)

    def compare_one(self, i):
        """Compares the verdicts about one program; every second one has nothing to refuse. True when it is refused."""
        dice, good = self.dice, IMAGES
        amounts = dice.sample(AMOUNTS, 2) if i % 4 == 0 else [dice.choice(AMOUNTS[:4]), dice.choice(AMOUNTS[4:])]
        if i % 2:
            good, amounts = IMAGES[5:6], [dice.choice(AMOUNTS[:2]), dice.choice(AMOUNTS[4:5] + AMOUNTS[6:])]
        amounts = {a.split()[0]: a for a in amounts}.values()
        program = self.write_program(job=dice.choice(("a", "try-a", "a-tmp") if i % 4 == 0 else ("a",)), image=dice.choice(good),
                                     first=dice.choice(good), amounts="\n    ".join(amounts),
                                     devices='"example.com/fpga" = 1' if dice.random() < 0.3 else "")  # fmt: skip
        self.write_objects()
        said = self.send()
        denied_there = "denied" in said
        judged = [json.loads(line) for line in self.trainc(self.project, "check", "--format", "json", "job.tj").stdout.splitlines()]
        ours = [e for e in judged if e.get("code") in ("TJ0901", "TJ0409")]
        denied = [e for e in ours if e["code"] == "TJ0901"]
        what = f"{self.target} seed {self.seed}\n{program}{said}{json.dumps([e['message'] for e in ours])}"
        must(denied_there == bool(denied), what)
        must(denied_there or "rror" not in said, what)
        if not denied:
            must(len({n for n, _ in told(said)}) == len({e["message"].split('"')[1] for e in ours}), what)
        for _, message in told(said):
            headline = message.split("; ")[0].replace("role group-", "role ")    # the label of a role has its cell
            must(any(e["message"].endswith(": " + headline) for e in ours), f"{headline}\n{what}")
        return bool(denied)


def outcome_name(f):
    """The name of a check, which is also its namespace."""
    return f"super-{f.__name__}".replace("_", "-")


def outcome(name, f):
    """The check f with its own namespace and controllers, for runtime.outcome()."""
    def run(space):
        install(space)
        desk = Desk(space)
        try:
            f(desk)
        finally:
            desk.close()
    run.__name__ = outcome_name(f)
    return runtime.outcome(name, run)


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS, outcome))
