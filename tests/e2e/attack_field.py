"""The means of attacks.py: one controller with the permissions of its manifest, two namespaces, and users with narrow
roles.  In the namespace of the attackers a colleague has objects of her own, which no attack may touch; in the other
namespace jobs must be handled all the while."""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import time

import cluster
import runtime
from cluster import until
from runtime import KUBECTL, TRAINC
from supervise import ACCOUNT, GROUP, NOTE, ROLES, manifest, must, resource

TEAM, GOOD, DOOMED = (f"e2e-attack-{word}-{os.getpid()}" for word in ("team", "good", "doomed"))
PLURALS = {kind: kind.lower() + "s" for kind in ROLES}
PATIENCE = float(os.environ.get("ATTACK_PATIENCE", "10"))      # seconds in which another user's job must be handled
ALL = ["create", "get", "list", "watch", "patch", "update", "delete"]
CORE = ["pods", "services", "configmaps", "events", "serviceaccounts"]
ACTORS = {                              # user -> the rules of the user's role in the namespace TEAM, and nothing else
    **{kind: [(GROUP, [plural], ALL)] for kind, plural in PLURALS.items()},
    "status": [(GROUP, ["tfjobs/status"], ["get", "patch", "update"])],
    "configmaps": [("", ["configmaps"], ALL)],
    "pods": [("", ["pods", "pods/status"], ALL)],
    "services": [("", ["services"], ALL)],
    "jobs": [("batch", ["jobs"], ALL)],
    "events": [("", ["events"], ALL)],
    "editor": [("", CORE, ALL), ("batch", ["jobs"], ALL), ("apps", ["deployments"], ALL),
               (GROUP, [p + s for p in PLURALS.values() for s in ("", "/scale")], ALL),
               ("autoscaling", ["horizontalpodautoscalers"], ALL), ("coordination.k8s.io", ["leases"], ALL),
               ("scheduling.x-k8s.io", ["podgroups"], ALL)],
}
APIS = {"horizontalpodautoscalers": "/apis/autoscaling/v2", "leases": "/apis/coordination.k8s.io/v1", "jobs": "/apis/batch/v1",
        "deployments": "/apis/apps/v1", "statefulsets": "/apis/apps/v1", "podgroups": "/apis/scheduling.x-k8s.io/v1alpha1",
        "roles": "/apis/rbac.authorization.k8s.io/v1", "rolebindings": "/apis/rbac.authorization.k8s.io/v1",
        **{plural: f"/apis/{GROUP}/v1" for plural in PLURALS.values()}}  # fmt: skip
GANG_GROUP = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "podgroups.scheduling.x-k8s.io",
                 "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/scheduler-plugins/pull/50"}},
    "spec": {"group": "scheduling.x-k8s.io", "scope": "Namespaced",
             "names": {"plural": "podgroups", "singular": "podgroup", "kind": "PodGroup", "listKind": "PodGroupList"},
             "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}  # fmt: skip


def path_of(plural, name="", ns=TEAM, part=""):
    api = APIS.get(plural, "/api/v1")
    return "/".join(x for x in (f"{api}/namespaces/{ns}/{plural}", name, part) if x)


def nested(levels, inner="1"):
    """JSON of that many maps, one in the other."""
    return '{"a":' * levels + inner + "}" * levels


def job_of(kind, name, **more):
    """A job with one worker that never ends; as the least that a tenant writes."""
    first = {"MPIJob": {"Launcher": 1}, "XGBoostJob": {"Master": 1}}.get(kind, {})
    o = resource(kind, name, sizes={**first, "Worker": 1})
    o["spec"]["runPolicy"].update(more)
    return o


def role_of(o):
    """The specification of the workers of a job."""
    return next(specs for key, specs in o["spec"].items() if key.endswith("ReplicaSpecs"))["Worker"]


def pod_of(o):
    return role_of(o)["template"]["spec"]


def container_of(o):
    return pod_of(o)["containers"][0]


class User:
    """Requests to the API server as one of the users; an administrator without a name."""

    def __init__(self, field, name=None):
        self.field, self.name = field, name
        self.touched = set()            # plurals in which it may have left objects

    def request(self, method, path, body=None, kind="application/json", accept="application/json"):
        """(status, value); BODY is a value, or text that is sent as it is."""
        data = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        headers = {"Accept": accept, **({"Content-Type": kind} if data else {})}
        if self.name:
            headers["Impersonate-User"] = "attacker-" + self.name
        connection = cluster._Connection(self.field.socket)
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            return 0, {"message": str(problem)}             # the server closed the connection: refused
        finally:
            connection.close()
        with contextlib.suppress(ValueError, RecursionError):
            return answer.status, json.loads(text)
        return answer.status, {"message": text[:1000].decode(errors="replace")}        # also what is too deep for Python

    def create(self, plural, value, ns=TEAM, ok=True):
        if ns == TEAM:
            self.touched.add(plural)
        code, answer = self.request("POST", path_of(plural, ns=ns), value)
        must(not ok or code in (200, 201), f"{self.name} creates {plural}: {code} {str(answer.get('message'))[:600]}")
        return code, answer

    def change(self, plural, name, value, part="", ok=True, ns=TEAM):
        code, answer = self.request("PATCH", path_of(plural, name, ns, part), value, "application/merge-patch+json")
        must(not ok or code == 200, f"{self.name} changes {plural}/{name}: {code} {str(answer.get('message'))[:600]}")
        return code, answer

    def delete(self, plural, name, ns=TEAM):
        return self.request("DELETE", path_of(plural, name, ns), {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})[0]

    def get(self, plural, name, ns=TEAM):
        code, value = self.request("GET", path_of(plural, name, ns))
        return value if code == 200 else None

    def list(self, plural, ns=TEAM, query=""):
        code, value = self.request("GET", path_of(plural, ns=ns) + query)
        return (value["items"] or []) if code == 200 else []

    def list_metadata(self, plural, ns=TEAM):
        """The objects without their contents, which may be deeper than Python reads."""
        code, value = self.request("GET", path_of(plural, ns=ns), accept="application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
        return (value["items"] or []) if code == 200 else []


class Field:
    """Everything that the attacks share."""

    def __init__(self):
        self.files = tempfile.TemporaryDirectory(prefix="e2e-attack-")
        self.dir, self.socket = self.files.name, os.path.join(self.files.name, "api")
        self.proxy = subprocess.Popen([KUBECTL, "proxy", "--unix-socket", self.socket], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: os.path.exists(self.socket), 60, "kubectl proxy")
        self.admin = User(self)
        self.users = {name: User(self, name) for name in ACTORS}
        self.controllers, self.probes = [], 0
        self.limit = self.limit_of_manifest()
        self.peak = 0

    # ---- the cluster ----

    @staticmethod
    def limit_of_manifest():
        """The memory limit of the controller's Deployment, in bytes."""
        text = manifest("Deployment")[0]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"]
        return int(text.removesuffix("Mi")) << 20

    def apply(self, objects):
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        done = subprocess.run([KUBECTL, "apply", "--server-side", "--force-conflicts", "-f", "-"], input=text, capture_output=True, text=True, timeout=120)
        must(not done.returncode, done.stderr)

    def prepare(self):
        """The definitions and the permissions of the manifest, the namespaces, the users, and a colleague's objects."""
        both = {o["kind"] + o["metadata"]["name"]: o for o in manifest() + manifest(None, "--gang=coscheduling")}
        # without the second line against forged records, the policy, the first line must hold: attacks_record.py tests both
        objects = [o for o in both.values() if o["kind"] not in ("Deployment", "Service", "NetworkPolicy", "ValidatingAdmissionPolicy",
                                                                 "ValidatingAdmissionPolicyBinding")]
        crds = [o for o in objects if o["kind"] == "CustomResourceDefinition"]
        self.forget([o["metadata"]["name"] for o in crds])
        self.apply(crds)
        self.admin.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", GANG_GROUP)
        spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns, "labels": {"trainc.dev/supervise": "enabled"}}}
                  for ns in (TEAM, GOOD, DOOMED)]
        self.apply(spaces + [o for o in objects if o not in crds] + self.roles())
        until(lambda: all(self.is_served(PLURALS[kind]) for kind in ROLES) and self.is_served("podgroups"), 60, "the definitions")
        until(lambda: all(self.admin.get("serviceaccounts", "default", ns) for ns in (TEAM, GOOD)), 60, "the accounts")
        runtime.granted(self.space_of(TEAM), "trainc-supervise", "create", "pods", ACCOUNT)
        self.colleague()

    def forget(self, names):
        """Deletes definitions that another check, or an earlier run, has left in a form of its own."""
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
        for name in names:
            self.admin.request("DELETE", path + name)
        until(lambda: all(self.admin.request("GET", path + name)[0] == 404 for name in names), 60, "the old definitions are gone")

    def is_served(self, plural):
        return self.admin.request("GET", path_of(plural) + "?limit=1")[0] == 200

    @staticmethod
    def space_of(ns):
        class Space:
            pass
        Space.ns = ns
        return Space

    @staticmethod
    def roles():
        made = []
        for user, rules in ACTORS.items():
            name = "attacker-" + user.lower()
            made.append({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name, "namespace": TEAM},
                         "rules": [{"apiGroups": [g], "resources": r, "verbs": v} for g, r, v in rules]})
            made.append({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name, "namespace": TEAM},
                         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
                         "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "attacker-" + user}]})
        return made

    def colleague(self):
        """A database: a StatefulSet whose pod has the name of a job's replica, a Job, an autoscaler, a PodGroup, a
        Service, a pod without an owner, and an account."""
        meta = lambda name, **more: {"name": name, "namespace": TEAM, "labels": {"colleague": "yes", **more}}  # noqa: E731
        spec = {"containers": [{"name": "main", "image": "registry.example.com/db:1"}]}
        template = {"metadata": {"labels": {"app": "db", "colleague": "yes"}, "annotations": {f"{NOTE}/hold": "yes"}}, "spec": spec}
        self.apply([
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta("db-worker"),
             "spec": {"serviceName": "db", "selector": {"matchLabels": {"app": "db"}}, "template": template}},
            {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta("db-backup"),
             "spec": {"template": {**template, "spec": {**spec, "restartPolicy": "Never"}}}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": meta("tool-worker-0"), "spec": spec},
            {"apiVersion": "v1", "kind": "Service", "metadata": meta("web-worker-0"), "spec": {"selector": {"app": "db"}, "ports": [{"port": 80}]}},
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta("own-launcher")},
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("own-config"), "data": {"secret": "1"}},
            {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": meta("scaled"),
             "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db-worker"}}},
            {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": meta("grouped"), "spec": {"minMember": 2}},
        ])  # fmt: skip
        until(lambda: self.admin.get("pods", "db-worker-0"), 60, "the colleague's pod")
        self.colleagues = self.belongings()

    def belongings(self):
        """The uids and specifications of the colleague's objects."""
        found = {}
        for plural in ("statefulsets", "pods", "services", "jobs", "serviceaccounts", "configmaps", "horizontalpodautoscalers", "podgroups"):
            for o in self.admin.list(plural, query="?labelSelector=colleague%3Dyes"):
                owners = [(r["kind"], r["name"]) for r in o["metadata"].get("ownerReferences", [])]
                spec = {k: v for k, v in o.get("spec", {}).items() if k not in ("nodeName", "suspend")}
                found[plural, o["metadata"]["name"]] = (o["metadata"]["uid"], owners, spec, "deletionTimestamp" in o["metadata"])
        return found

    # ---- the controller ----

    def start(self, *options, ns=None):
        """Starts a controller; without NS, the one that all attacks are about."""
        with socket.create_server(("127.0.0.1", 0)) as s:
            port = s.getsockname()[1]
        log = os.path.join(self.dir, f"controller-{len(self.controllers)}.log")
        where = ["--namespace", ns] if ns else ["--listen", f"127.0.0.1:{port}"]       # options may name the namespace, too
        with open(log, "w") as out:
            p = subprocess.Popen([os.path.realpath(TRAINC), "supervise", "--kubeflow", "--as", ACCOUNT, *where, *options],
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        p.port, p.log = port, log
        self.controllers.append(p)
        if not ns:
            self.main = p
            until(lambda: p.poll() is not None or self.page("/readyz")[0] == 200, 60, "the controller is ready")
        return p

    def page(self, path):
        """(status, text) of the controller's page; (0, why) if there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.main.port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as problem:
            return 0, repr(problem)
        finally:
            connection.close()

    def metric(self, name):
        """The sum of a metric over all its labels."""
        return sum(int(n) for n in re.findall(rf"^{name}(?:_total)?(?:\{{.*\}})? (\d+)$", self.page("/metrics")[1], re.M))

    def said(self, p=None):
        return open((p or self.main).log, errors="replace").read()

    def memory(self):
        """The most memory that the controller has had, in bytes."""
        with contextlib.suppress(OSError), open(f"/proc/{self.main.pid}/status") as f:
            self.peak = max(self.peak, int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) << 10)
        return self.peak

    def close(self):
        for p in self.controllers:
            if p.poll() is None:
                p.terminate()
        for p in self.controllers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(timeout=30)
            if p.poll() is None:
                p.kill()
                p.wait()
        for ns in (TEAM, GOOD, DOOMED):
            self.admin.request("DELETE", f"/api/v1/namespaces/{ns}")
        for plural in PLURALS.values():
            self.release(plural)
        self.proxy.terminate()
        self.proxy.wait(timeout=30)
        self.files.cleanup()

    # ---- what every attack is followed by ----

    def probe(self, kind="TFJob", patience=PATIENCE):
        """Another user's job is handled: the time in seconds until its pod exists."""
        self.probes += 1
        name = f"probe-{self.probes}"
        begun = time.monotonic()
        self.admin.create(PLURALS[kind], job_of(kind, name), ns=GOOD)
        while time.monotonic() < begun + patience and self.main.poll() is None:
            if self.admin.get("pods", name + "-worker-0", GOOD):
                self.admin.delete(PLURALS[kind], name, GOOD)
                return time.monotonic() - begun
            time.sleep(0.05)
        self.admin.delete(PLURALS[kind], name, GOOD)
        must(self.main.poll() is None, f"the controller has ended with {self.main.returncode}: {self.said()[-600:]}")
        must(False, f"a job of another namespace has no pod after {patience:.0f} s: {self.said()[-600:]}")

    def trainc(self, *words, ns=GOOD, timeout=60):
        return subprocess.run([os.path.realpath(TRAINC), words[0], "--namespace", ns, *words[1:]], cwd=self.dir, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=timeout)

    def probe_run(self):
        """Another user's run is handled: the controller takes it over."""
        self.probes += 1
        name = f"run-{self.probes}"
        self.write(name + ".tj", f'job "{name}" {{\n  image = "busybox:1"\n  role worker {{ replicas = 1 }}\n  role late {{\n'
                   f'    replicas = 1\n    start_after = started(worker)\n  }}\n}}\n')
        begun = time.monotonic()
        done = self.trainc("apply", "--controller", "--no-wait", name + ".tj")
        must(done.returncode == 0, done.stderr)
        until(lambda: (self.admin.get("configmaps", name + ".trainc", GOOD) or {}).get("data", {}).get("attended"), PATIENCE,
              "the controller takes over a run of another namespace")
        return time.monotonic() - begun

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def holds(self, run=False):
        """What must be true after every attack."""
        self.probe()
        if run:
            self.probe_run()
        code, why = self.page("/healthz")
        must(code == 200, f"/healthz: {code} {why}")
        now = self.belongings()
        must(now == self.colleagues, f"a colleague's objects have changed: {[k for k in now | self.colleagues if now.get(k) != self.colleagues.get(k)]}")
        most = self.memory()
        must(most < self.limit, f"the controller has taken {most >> 20} MiB; the manifest's limit is {self.limit >> 20} MiB")

    def grows(self, begin, sent):
        """Since BEGIN, the controller's memory has grown by less than what an attacker SENT: it does not keep that. (It
        takes some memory to read it.)"""
        now = self.resident()
        must(now - begin < sent, f"{sent >> 10} KiB of objects take {(now - begin) >> 10} KiB of the controller's memory")

    def resident(self):
        """The memory that the controller has now, in bytes."""
        with open(f"/proc/{self.main.pid}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1]) << 10

    def mend(self):
        """After a failed attack: a fresh controller, so that the next attack is judged by itself."""
        if self.main.poll() is None:
            self.main.kill()
            self.main.wait()
        self.peak = 0
        self.colleagues = self.belongings()
        self.start()

    def release(self, plural):
        """Removes the finalizers of a tenant's jobs that are being deleted."""
        for o in self.admin.list_metadata(plural):
            if o["metadata"].get("finalizers") and "deletionTimestamp" in o["metadata"]:
                self.admin.change(plural, o["metadata"]["name"], {"metadata": {"finalizers": None}}, ok=False)

    def clean(self):
        """Deletes what the attackers have left."""
        touched = set().union(*(u.touched for u in (self.admin, *self.users.values())))
        for plural in touched:
            selector = "?labelSelector=colleague%21%3Dyes"
            self.admin.request("DELETE", path_of(plural) + selector, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})
            self.release(plural)
        for u in (self.admin, *self.users.values()):
            u.touched.clear()
