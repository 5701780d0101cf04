"""typical.py - typical commands about a cluster, for tests that break something in each of them: what the cluster
contains before, and whether a command has done its work. The state of the cluster can be set back."""
import copy
import re
import threading

import world
from world import World

PROGRAM = 'job "%s" {\n  image = "busybox:1"\n  role worker {\n    replicas = 1:%d\n    command = ["train"]\n    cpu = 1\n    memory = 1Gi\n  }\n}\n'
world.KINDS.update({"customresourcedefinitions": ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
                    "pytorchjobs": ("kubeflow.org", "v1", "PyTorchJob")})


class Restored(World):
    """A server whose state can be set back. PHASE: the state that pods reach."""

    def __init__(self):
        super().__init__()
        self.phase, self.generation = "Running", 0

    def save(self):
        with self.lock:
            self.saved = copy.deepcopy((self.objects, self.version))

    def restore(self):
        """The saved state; watches of an earlier command end."""
        with self.lock:
            self.objects, self.version = copy.deepcopy(self.saved)
            self.events, self.requests = [], []
            self.generation += 1
            self.lock.notify_all()

    def streams(self, _plural):
        """Watches of an earlier command end."""
        mine = threading.current_thread()
        if not hasattr(mine, "generation"):
            mine.generation = self.generation
        return not self.stopped and mine.generation == self.generation

    def run_job(self, ns, job, phase=None, code=None):
        super().run_job(ns, job, phase or self.phase, code)


class Command:
    """WORDS of trainc; PREPARE: what the server has before; DONE: has the command done its work, which a status of 0
    claims?  READS: it only reads, so an empty list or watch may be the truth."""

    def __init__(self, name, words, done, prepare=None, reads=False, status=0):
        self.name, self.words, self.done, self.prepare, self.reads, self.status = name, words.split(), done, prepare, reads, status


def applied(w, count=2, phase="Running"):
    w.phase = phase
    w.write("a.tj", PROGRAM % ("a", count))
    w.want(0, "apply", "--no-wait", "a.tj")


def suspended(w):
    applied(w)
    w.want(0, "suspend", "a")


def changed(w):
    applied(w)
    w.write("a.tj", PROGRAM % ("a", 3))


def logged(w):
    applied(w)
    for i in range(2):
        w.logs["a-worker-%d-x" % i, False] = ["the line"]


def job(w, path):
    o = w.get("jobs", "a-worker")
    for part in path.split("."):
        o = (o or {}).get(part)
    return o


def program(w):
    w.write("a.tj", PROGRAM % ("a", 2))


def finishing(w):
    program(w)
    w.phase = "Succeeded"


def foreign_job(w):
    w.put("jobs", "default", {"metadata": {"name": "other"}, "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimit": 0,
          "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example.com/a:1"}]}}}})


def definition(w):
    w.groups.append({"metadata": {"name": "apiextensions.k8s.io"}, "versions": [{"version": "v1", "resources": [
        {"resource": "customresourcedefinitions", "scope": "Cluster", "responseKind": {
            "kind": "CustomResourceDefinition", "group": "apiextensions.k8s.io", "version": "v1"}}]}]})
    w.groups.append({"metadata": {"name": "example.com"}, "versions": [{"version": "v1", "resources": [
        {"resource": "gadgets", "scope": "Namespaced", "responseKind": {"kind": "Gadget", "group": "example.com", "version": "v1"}}]}]})
    w.put("customresourcedefinitions", "", {"metadata": {"name": "gadgets.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"}, "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}}]}})


def there(w, _out):
    return bool(w.get("configmaps", "a.trainc") and w.get("jobs", "a-worker"))


COMMANDS = [
    Command("apply", "apply a.tj --timeout 3s", there, program),
    Command("again", "apply a.tj --no-wait --timeout 3s", lambda w, _: job(w, "spec.parallelism") == 3, changed),
    Command("dry", "apply a.tj --dry-run=server --timeout 3s", lambda w, out: "Job/a-worker" in out, program),
    Command("run", "run a.tj --timeout 3s", lambda w, _: there(w, _) and job(w, "status.succeeded") == 2, finishing),
    Command("wait", "wait a --timeout 1s", lambda w, _: False, applied, status=124),
    Command("delete", "delete a --yes --timeout 3s", lambda w, _: not w.names("jobs") and not w.names("configmaps"), applied),
    Command("suspend", "suspend a", lambda w, _: job(w, "spec.suspend"), applied),
    Command("resume", "resume a", lambda w, _: job(w, "spec.suspend") is False, suspended),
    Command("scale", "scale a worker=1", lambda w, _: job(w, "spec.parallelism") == 1, applied),
    Command("diff", "diff a.tj", lambda w, _: False, changed, status=1),
    Command("logs", "logs a", lambda w, out: "the line" in out, logged, reads=True),
    Command("why", "why a", lambda w, out: "all expected replicas are ready" in out, applied, reads=True),
    Command("status", "status a", lambda w, out: "Running" in out and len(re.findall(" 2(?= )", out)) == 3, applied, reads=True),
    Command("all", "status", lambda w, out: "Running" in out, applied, reads=True),
    Command("list", "list", lambda w, out: "a " in out, applied, reads=True),
    Command("fit", "fit a.tj", lambda w, _: False, lambda w: (program(w), w.put("nodes", "", {
        "metadata": {"name": "small"}, "status": {"allocatable": {"cpu": "100m", "memory": "1Gi", "pods": "10"}}})), status=8),
    Command("import", "import --from-cluster job/other", lambda w, out: "registry.example.com/a:1" in out, foreign_job),
    Command("imports", "import --from-cluster --all", lambda w, out: "registry.example.com/a:1" in out, foreign_job),
    Command("crd", "vendor crd --from-cluster Gadget", lambda w, out: "example.com/v1 Gadget" in out, definition),
    Command("version", "version --server", lambda w, out: "1.35" in out),
]
