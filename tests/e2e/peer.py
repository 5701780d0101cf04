"""Compares the training operator with our controller: both get the same jobs on the same control plane, one after the
other, and their objects after each step are compared field by field.

    KUBECONFIG=... KUBECTL=... TRAINC=... E2E_OPERATOR=... E2E_ADDONS=... python3 peer.py [--keep FILE] [--from FILE] [ROW...]

--keep writes the operator's objects to a file, --from reads that instead of running the operator.  All jobs of one
round run at once, each in a namespace of its own, and take their steps together: the next step begins when nothing has
changed for a while.
"""

import concurrent.futures
import copy
import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time

import peer_compare
from cluster import Cluster, Missing, until
from peer_jobs import NAME, ROWS
from supervise import NOTE

GROUP = "/apis/kubeflow.org/v1"
JOBS = ("pytorchjobs", "tfjobs", "mxjobs", "xgboostjobs", "paddlejobs", "mpijobs")
OWNED = {
    "pods": "/api/v1/pods",
    "services": "/api/v1/services",
    "configmaps": "/api/v1/configmaps",
    "serviceaccounts": "/api/v1/serviceaccounts",
    "roles": "/apis/rbac.authorization.k8s.io/v1/roles",
    "rolebindings": "/apis/rbac.authorization.k8s.io/v1/rolebindings",
    "horizontalpodautoscalers": "/apis/autoscaling/v2/horizontalpodautoscalers",
    "volcano": "/apis/scheduling.volcano.sh/v1beta1/podgroups",
    "coscheduling": "/apis/scheduling.x-k8s.io/v1alpha1/podgroups",
    **{jobs: f"{GROUP}/{jobs}" for jobs in JOBS},
}
EVENTS = "/api/v1/events"
QUIET = 4                               # seconds without a change after which a step is over
LONGEST = 240                           # ... or this many in total


class Eyes:
    """The existing objects as the server's watches report them, and when they last changed."""

    def __init__(self, cluster, prefix):
        self.prefix = prefix
        self.lock = threading.Lock()
        self.objects = {}               # (kind, namespace, name) -> object
        self.made = {}                  # (namespace, pod) -> uids
        self.changed = time.monotonic()
        for kind, path in [*OWNED.items(), ("events", EVENTS)]:
            threading.Thread(target=self.look, args=(cluster, kind, path), daemon=True).start()

    def look(self, cluster, kind, path):
        for change, o in cluster.watch(path):
            ns, name = o["metadata"].get("namespace", ""), o["metadata"].get("name")
            if not ns.startswith(self.prefix):
                continue
            with self.lock:
                self.changed = time.monotonic()
                if change == "DELETED":
                    self.objects.pop((kind, ns, name), None)
                else:
                    self.objects[kind, ns, name] = o
                if kind == "pods":
                    self.made.setdefault((ns, name), set()).add(o["metadata"]["uid"])

    def settle(self, least):
        """Waits at least LEAST seconds, and then until nothing changes anymore."""
        start = time.monotonic()
        with self.lock:
            self.changed = start
        while time.monotonic() - start < LONGEST:
            time.sleep(0.2)
            with self.lock:
                idle = time.monotonic() - self.changed
            if idle >= QUIET and time.monotonic() - start >= least:
                return
        print(f"# something still changes after {LONGEST} s", flush=True)

    def within(self, ns):
        """Copies of the objects in a namespace, and how often each pod was created."""
        with self.lock:
            found = {(kind, name): copy.deepcopy(o) for (kind, where, name), o in self.objects.items() if where == ns}
            return found, {name: len(uids) for (where, name), uids in self.made.items() if where == ns}


class Side:
    """One of the two controllers with the jobs of one round."""

    def __init__(self, cluster, word, gang, log):
        self.cluster = cluster
        self.prefix = f"peer-{word}-{os.getpid()}-"
        self.eyes = Eyes(cluster, self.prefix)
        self.process = subprocess.Popen(self.command(word, gang), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @staticmethod
    def command(word, gang):
        config = os.environ["KUBECONFIG"]
        if word == "them":
            scheduler = {"": [], "volcano": ["volcano"], "coscheduling": ["scheduler-plugins-scheduler"]}[gang]
            return [os.path.join(os.environ["E2E_OPERATOR"], "training-operator"), "--kubeconfig", config, "--metrics-bind-address", "0",
                    "--health-probe-bind-address", "0", "--monitoring-port", "0", *(f"--gang-scheduler-name={s}" for s in scheduler)]  # fmt: skip
        return [os.path.realpath(os.environ["TRAINC"]), "supervise", "--kubeflow", "--all-namespaces", "--operator", "1.7", *([f"--gang={gang}"] if gang else [])]

    def space(self, row):
        return self.prefix + row.name

    def path(self, kind, ns, name):
        group, _, plural = OWNED[kind].rpartition("/")
        return f"{group}/namespaces/{ns}/{plural}" + (f"/{name}" if name else "")

    def create(self, row):
        ns = self.space(row)
        self.cluster.make_namespace(ns)
        until(lambda: self.has("serviceaccounts", ns, "default"), 60, f"the account of {ns}")
        for o in row.before:
            self.cluster.apply([copy.deepcopy(o)], ns)
        self.cluster.request("POST", self.path(row.plural(), ns, ""), row.job)
        if row.admitted:                # no Volcano runs here
            until(lambda: self.has("volcano", ns, NAME), 60, f"the group of {ns}")
            self.cluster.patch(self.path("volcano", ns, NAME) + "/status", {"status": {"phase": "Inqueue"}})
            # the operator does not watch groups, and checks again when the job changes
            self.cluster.patch(self.path(row.plural(), ns, NAME), {"metadata": {"annotations": {f"{NOTE}/admitted": "yes"}}})

    def has(self, kind, ns, name):
        with self.eyes.lock:
            return (kind, ns, name) in self.eyes.objects

    # ---- actions ----

    def act(self, row, act):
        word, rest = act[0], act[1:]
        try:
            getattr(self, "do_" + word)(row, *rest)
        except Missing as missing:
            print(f"# {row.name}: {word} {rest}: {missing}", flush=True)

    def pod_status(self, row, pod, change):
        ns, name = self.space(row), f"{row.job['metadata']['name']}-{pod}"
        self.cluster.patch(self.path("pods", ns, name) + "/status", {"status": change})

    def pod(self, row, pod):
        return self.cluster.get(self.path("pods", self.space(row), f"{row.job['metadata']['name']}-{pod}"))

    def containers(self, row, pod, change):
        """The states of the pod's containers; CHANGE gives the changes by index."""
        found = self.pod(row, pod)["spec"]["containers"]
        return [{"name": c["name"], "image": c["image"], "imageID": "", "ready": False, "started": False, "restartCount": 0, **change(i)}
                for i, c in enumerate(found)]  # fmt: skip

    def do_end(self, row, pod, how):
        code, at = how["code"], how.get("container", 0)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

        def ended(i):
            mine = code if i == at else 0
            return {"state": {"terminated": {"exitCode": mine, "reason": "Error" if mine else "Completed", "startedAt": stamp, "finishedAt": stamp}}}

        self.pod_status(row, pod, {
            "phase": "Failed" if code else "Succeeded", "containerStatuses": self.containers(row, pod, ended),
            "conditions": [{"type": t, "status": "False", "reason": "PodCompleted", "lastTransitionTime": stamp} for t in ("Ready", "ContainersReady")]})  # fmt: skip

    def do_evict(self, row, pod):
        self.pod_status(row, pod, {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory.", "containerStatuses": None})

    def do_restart(self, row, pod, times):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.pod_status(row, pod, {"containerStatuses": self.containers(row, pod, lambda _: {
            "ready": True, "started": True, "restartCount": times, "state": {"running": {"startedAt": stamp}}})})  # fmt: skip

    def do_spec(self, row, change):
        self.cluster.patch(self.path(row.plural(), self.space(row), row.job["metadata"]["name"]), {"spec": change})

    def do_kill(self, row, pod):
        self.cluster.request("DELETE", self.path("pods", self.space(row), f"{row.job['metadata']['name']}-{pod}"))

    def do_drop(self, row):
        self.cluster.delete(self.path(row.plural(), self.space(row), row.job["metadata"]["name"]))

    def do_remove(self, row, kind, name):
        self.cluster.delete(self.path(kind, self.space(row), name))

    def do_pause(self, *_):
        pass

    # ---- steps ----

    def step(self, rows, number):
        """Carries out step NUMBER of all rows that have it; returns the objects afterwards, by the rows' names."""
        least, mine = 0, [row for row in rows if number <= len(row.steps)]
        if number == 0:
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(self.create, mine))
        for row in mine:
            for act in row.steps[number - 1] if number else []:
                least = max(least, act[1] if act[0] == "pause" else 0)
                self.act(row, act)
        self.eyes.settle(least)
        if self.process.poll() is not None:
            raise RuntimeError(f"the controller has ended with {self.process.returncode}; its log says why")
        return {row.name: peer_compare.snapshot(*self.eyes.within(self.space(row)), self.space(row)) for row in mine}

    def run(self, rows):
        """The records of the rows: a list of snapshots each."""
        records = {row.name: [] for row in rows}
        for number in range(1 + max(len(row.steps) for row in rows)):
            start = time.monotonic()
            for name, snapshot in self.step(rows, number).items():
                records[name].append(snapshot)
            print(f"#   step {number}: {time.monotonic() - start:.0f} s", flush=True)
        return records

    def close(self, rows):
        self.process.terminate()
        self.process.wait(timeout=30)
        for row in rows:
            self.cluster.drop_namespace(self.space(row))


def play(cluster, word, rows):
    """The records of all rows, one round for each gang scheduler."""
    records = {}
    for gang in ("", "volcano", "coscheduling"):
        if not (mine := [row for row in rows if row.gang == gang]):
            continue
        print(f"# {'the operator' if word == 'them' else 'ours'}{', gangs of ' + gang if gang else ''}: {len(mine)} jobs", flush=True)
        with open(os.path.join(os.environ.get("TMPDIR", "/tmp"), f"peer-{word}{gang and '-' + gang}.log"), "w") as log:
            side = Side(cluster, word, gang, log)
            try:
                records.update(side.run(mine))
            finally:
                side.close(mine)
    return records


def served(cluster, path):
    try:
        return cluster.get(path + "?limit=1")
    except Missing:
        return None


def main(words):
    kept = {w: words[words.index(w) + 1] for w in ("--keep", "--from") if w in words}
    names = [w for w in words if not w.startswith("--") and w not in kept.values()]
    rows = [row for row in ROWS if not names or any(n in row.name for n in names)]
    cluster = Cluster(os.environ["KUBECTL"], os.environ["KUBECONFIG"])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        here = os.path.dirname(os.path.abspath(__file__))
        for path in sorted(glob.glob(os.path.join(os.environ["E2E_ADDONS"], "*.yaml"))) + glob.glob(os.path.join(here, "kinds", "*.yaml")):
            cluster.apply_file(path)
        until(lambda: all(served(cluster, path) for path in OWNED.values()), 60, "the kinds")
        if "--from" in kept:
            theirs = json.load(open(kept["--from"]))
        else:
            theirs = play(cluster, "them", rows)
        if "--keep" in kept:
            json.dump(theirs, open(kept["--keep"], "w"))
        ours = play(cluster, "us", rows)
        if "--keep" in kept:
            json.dump(ours, open(kept["--keep"] + ".ours", "w"))
    finally:
        cluster.close()
    return peer_compare.report(rows, theirs, ours, whole=not names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
