"""world.py - the cluster for tests of the controller: an API server in memory (../cluster/api_memory.py) with custom
resources, permissions and pods that end as the tests decide; it deletes objects that lose their owner, as a
cluster does."""
import copy
import functools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster"))
from api_memory import PATH, RAW, SANITIZED, TRAINC, Failure, Server, cut, merge, must, names_only, not_found, reply, run_checks, selected, status   # noqa: E402

JOBS = {"tfjobs": "TFJob", "pytorchjobs": "PyTorchJob", "mxjobs": "MXJob", "xgboostjobs": "XGBoostJob", "mpijobs": "MPIJob",
        "paddlejobs": "PaddleJob", "jaxjobs": "JAXJob"}
CORE = {"pods": "Pod", "services": "Service", "events": "Event", "configmaps": "ConfigMap", "serviceaccounts": "ServiceAccount",
        "secrets": "Secret"}
OTHERS = {"roles": ("rbac.authorization.k8s.io", "v1", "Role"), "rolebindings": ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
          "leases": ("coordination.k8s.io", "v1", "Lease"), "podgroups": ("scheduling.x-k8s.io", "v1alpha1", "PodGroup"),
          "horizontalpodautoscalers": ("autoscaling", "v2", "HorizontalPodAutoscaler")}
# kinds that share a plural with another one, under names of their own
OLD = {"old-tfjobs": ("tensorflow.org", "v1alpha1", "TfJob"), "old-mxjobs": ("mxnet.mlkube.io", "v1beta1", "MxJob")}
KINDS = {**{plural: ("kubeflow.org", "v1", kind) for plural, kind in JOBS.items()}, **OLD,
         "jobs": ("batch", "v1", "Job"), "deployments": ("apps", "v1", "Deployment"),
         **{plural: ("", "v1", kind) for plural, kind in CORE.items()}, **OTHERS, "namespaces": ("", "v1", "Namespace")}
WRITES = ("POST", "PATCH", "PUT", "DELETE")


IMAGE = ("--image", "registry.example.com/trainc:1")


def manifest(*options):
    """The objects of `trainc supervise --manifest`."""
    return json.loads(subprocess.run([TRAINC, "supervise", "--kubeflow", "--manifest", "-o", "json", *IMAGE, *options], capture_output=True, text=True,
                                     check=True).stdout)["items"]


def permissions(items):
    """(verb, group, resource) of the controller's roles of a manifest; its others are for users"""
    roles = [o for o in items if o["kind"] in ("Role", "ClusterRole") and o["metadata"]["labels"]["app.kubernetes.io/component"] == "controller"]
    return {(verb, group, resource) for o in roles for rule in o["rules"]
            for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]}


@functools.cache
def rights(options):
    """The permissions that a controller with these options gets."""
    done = subprocess.run([TRAINC, "supervise", "--manifest", "-o", "json", *IMAGE, *options], capture_output=True, text=True, check=True)
    return permissions(json.loads(done.stdout)["items"])


def wording(permission):
    """A permission in the words of the API server."""
    return 'cannot %s resource "%s" in API group "%s"' % (permission[0], permission[2], permission[1])


class World(Server):
    """The server, a kubeconfig for it, and the controllers that run against it."""

    used = set()                        # in all tests

    def __init__(self):
        self.refused = []
        self.allowed = set()            # the permissions of the manifests of all controllers that were started
        self.withheld = set()           # those of them that a test takes away
        self.needed = set()             # the permissions that were used
        self.served = set(KINDS)
        self.down = False               # refuses every connection
        self.away = set()               # plurals whose watches are cut
        self.kill_at = None             # (number of the write, before): at this write the first controller gets SIGKILL
        self.writes = 0
        self.slow = {}                  # method -> seconds by which its responses are late
        self.controllers = []
        self.entered = []               # rights to enter pods that are somebody else's, or are about to be
        self.by_name = []               # changes that would also hit another object of the same name
        super().__init__(KINDS)

    def close(self):
        for p in self.controllers:
            if p.poll() is None:
                p.kill()
            p.wait()
            p.log.close()
        super().close()

    # ---- what is stored ----

    def put(self, plural, o, change=None):
        """Stores an object as if somebody had changed it; requests hold the lock, and tests take it here."""
        with self.lock:
            m = o["metadata"]
            old = self.objects.get((plural, m.setdefault("namespace", "default"), m["name"]))
            if (plural in JOBS or plural in OLD) and change != "DELETED" and (not old or old.get("spec") != o.get("spec")):
                m["generation"] = (old["metadata"].get("generation", 0) if old else 0) + 1
            return self.keep(plural, m["namespace"], o, change)

    def take(self, plural, ns, name):
        """Removes an object and what it owns."""
        with self.lock:
            o = self.objects.get((plural, ns, name))
            if not o:
                return
            self.put(plural, o, "DELETED")
            uid = o["metadata"]["uid"]
            for key, x in list(self.objects.items()):
                if any(r["uid"] == uid for r in x["metadata"].get("ownerReferences", [])):
                    self.take(*key)

    def space(self, name, label="enabled"):
        """Creates a namespace, or changes its label, which lets the controller attend it; None: it has no label."""
        with self.lock:
            old = self.objects.get(("namespaces", "", name), {"metadata": {}})
            self.keep("namespaces", "", {"metadata": {**old["metadata"], "name": name, "labels": {"trainc.dev/supervise": label} if label else {}}})

    def change(self, plural, name, change, ns="default"):
        """Merges CHANGE into an object."""
        with self.lock:
            o = copy.deepcopy(self.objects[(plural, ns, name)])
            merge(o, change)
            return self.put(plural, o)

    # ---- pods ----

    def pod(self, name, phase, code=None, restarts=0, container=None, ns="default"):
        """Lets a pod reach PHASE."""
        with self.lock:
            o = copy.deepcopy(self.objects[("pods", ns, name)])
            over = phase in ("Succeeded", "Failed")
            code = (1 if phase == "Failed" else 0) if code is None else code
            state = {"terminated": {"exitCode": code, "finishedAt": self.now(), "startedAt": self.now()}} if over else {"running": {"startedAt": self.now()}}
            o["status"] = {"phase": phase, "startTime": self.now(), "conditions": [{"type": "Ready", "status": str(phase == "Running")}],
                           "containerStatuses": [{"name": container or o["spec"]["containers"][0]["name"], "ready": not over,
                                                  "restartCount": restarts, "state": state}]}
            self.put("pods", o)

    def run_pods(self, phase="Running", match=""):
        with self.lock:
            for (plural, ns, name), o in list(self.objects.items()):
                if plural == "pods" and match in name and o.get("status", {}).get("phase") not in ("Succeeded", "Failed"):
                    self.pod(name, phase, ns=ns)

    # ---- requests ----

    def kill_now(self, before):
        if self.kill_at == (self.writes, before):
            self.controllers[-1].kill()
            self.kill_at = None
            return True
        return False

    def serve(self, h):
        """Faults in addition to those of every server: "after": carry it out, then cut the connection; a function: call
        it first, without the lock."""
        path, query, body = self.take_request(h)
        if self.down:
            cut(h)
            return
        write = h.command in WRITES and "/events" not in path
        with self.lock:
            self.requests.append((h.command, path, body.decode()))
            answer = self.find_fault(h.command, h.path)
            self.writes += write
            if write and self.kill_now(True):
                answer = "cut"
        if callable(answer):
            answer = answer()
        watched = query.get("watch") == "true" and self.place(path)
        if answer == "cut" or (answer is None and watched and watched[0] in self.away):
            cut(h)
            return
        if answer is None and query.get("watch") == "true":
            self.serve_watch(h, path, query)
            return
        with self.lock:
            code, document = answer if isinstance(answer, tuple) else self.answer(h.command, path, query, json.loads(body) if body else {})
            if write and self.kill_now(False):
                answer = "after"
        if answer == "after":
            cut(h)
            return
        time.sleep(self.slow.get(h.command, 0))
        reply(h, code, document)

    def serve_watch(self, h, path, query):
        refusal = self.refusal("GET", path, query)
        if refusal:
            reply(h, *refusal)
        else:
            self.watch(h, self.place(path), query)

    def streams(self, plural):
        return not self.stopped and not self.down and plural not in self.away

    def place(self, path):
        where = super().place(path)
        group = PATH.fullmatch(path)[1] if where else None
        where = next(((plural, *where[1:]) for plural, kind in OLD.items() if group == kind[0]), where)
        return where if where and where[0] in self.served else None

    def permitted(self, method, path, query):
        m = PATH.fullmatch(path)
        verb = {"POST": "create", "PATCH": "patch", "PUT": "update", "DELETE": "delete"}.get(method) or (
            "get" if m[4] else "watch" if query.get("watch") == "true" else "list")
        what = (verb, m[1] or "", m[3] + ("/" + m[5] if m[5] else ""))
        return self.permits({what})

    def permits(self, needed):
        with self.lock:
            self.needed |= needed
            World.used |= needed
            self.lacking = lacks = needed - (self.allowed - self.withheld)
            self.refused += lacks
            return not lacks

    def entails(self, method, where, body):
        """The permissions that the API server wants besides that of the request itself: to block the deletion of an
        owner, and to grant rights, which only those may who have them."""
        for owner in body.get("metadata", {}).get("ownerReferences") or ():
            if owner.get("blockOwnerDeletion"):
                yield "update", owner["apiVersion"].rpartition("/")[0], owner["kind"].lower() + "s/finalizers"
        given = body if where[0] == "roles" and method in ("POST", "PATCH") else \
            self.objects.get(("roles", where[1], body["roleRef"]["name"]), {}) if where[0] == "rolebindings" and method == "POST" else {}
        for rule in given.get("rules", ()):
            yield from ((v, g, r) for v in rule["verbs"] for g in rule["apiGroups"] for r in rule["resources"])

    def refusal(self, method, path, query):
        """The response that does not depend on objects; None when the request may continue."""
        if not self.place(path):
            return status(404, "NotFound", "the server could not find the requested resource")
        if not self.permitted(method, path, query):
            return status(403, "Forbidden", "no rule permits this: " + ", ".join(sorted(wording(x) for x in self.lacking)))
        return None

    def answer(self, method, path, query, body):
        refusal = self.refusal(method, path, query)
        if refusal:
            return refusal
        where = self.place(path)
        if method == "GET":
            return self.on_get(where, query)
        if not self.permits(set(self.entails(method, where, body))):
            return status(403, "Forbidden", "no rule permits what this entails: " + ", ".join(sorted(wording(x) for x in self.lacking)))
        self.by_name += names_only(method, where, body)
        if (method, where[0]) == ("DELETE", "pods"):
            self.check_roles("%s is deleted, but a Role names it" % where[2], lambda ns, name, owners: (ns, name) != where[1:3])
        done = getattr(self, "on_" + method.lower())(where, query, body)
        if where[0] == "roles" and done[0] < 300:
            def ours(ns, name, owners):
                pod = self.objects.get(("pods", ns, name))
                return pod["metadata"].get("ownerReferences", [{}])[0].get("uid") == owners[0]["uid"] if pod else method == "PATCH"
            self.check_roles("a Role names a pod that is not its job's after %s" % method, ours)
        return done

    def check_roles(self, what, fits):
        """Every pod that a Role names must fit; an empty list of names would mean all pods."""
        for (plural, ns, name), o in self.objects.items():
            for rule in o["rules"] if plural == "roles" else ():
                names = rule.get("resourceNames")
                if names == [] or ("pods/exec" in rule["resources"] and not names):
                    self.entered.append("%s: %s names no pod" % (what, name))
                self.entered += ["%s: %s" % (what, n) for n in names or () if not fits(ns, n, o["metadata"]["ownerReferences"])]

    def on_post(self, where, _query, body):
        plural, ns = where[:2]
        m = body["metadata"]
        if "generateName" in m:
            m["name"] = m.pop("generateName") + str(self.version)
        if (plural, ns, m["name"]) in self.objects:
            return status(409, "AlreadyExists", '%s "%s" already exists' % (plural, m["name"]))
        m["namespace"] = ns
        if plural == "pods":
            body["status"] = {"phase": "Pending"}
        return 201, self.put(plural, body)

    def on_patch(self, where, _query, body):
        plural, ns, name, part = where
        old = self.objects.get((plural, ns, name))
        m = body.get("metadata", {})
        if not old:
            return not_found(plural, name)
        if m.get("uid", old["metadata"]["uid"]) != old["metadata"]["uid"]:
            return status(409, "Conflict", "Precondition failed: UID in precondition")
        new = copy.deepcopy(old)
        merge(new, {"status": body.get("status", {})} if part == "status" else {k: v for k, v in body.items() if k != "status"})
        return 200, old if new == old else self.put(plural, new)

    def on_put(self, where, _query, body):
        plural, ns, name, _ = where
        old = self.objects.get((plural, ns, name))
        if not old:
            return not_found(plural, name)
        if body["metadata"].get("resourceVersion", old["metadata"]["resourceVersion"]) != old["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        body["metadata"]["uid"] = old["metadata"]["uid"]
        return 200, self.put(plural, body)

    def on_delete(self, where, _query, body):
        plural, ns, name, _ = where
        o = self.objects.get((plural, ns, name))
        if not o:
            return not_found(plural, name)
        if body.get("preconditions", {}).get("uid", o["metadata"]["uid"]) != o["metadata"]["uid"]:
            return status(409, "Conflict", "Precondition failed: UID in precondition")
        if plural == "pods" and o.get("status", {}).get("phase") == "Running":          # a grace period
            if "deletionTimestamp" not in o["metadata"]:
                o["metadata"]["deletionTimestamp"] = self.now()
                o = self.put(plural, o)
                threading.Timer(0.05, self.take, (plural, ns, name)).start()
            return 200, o
        self.take(plural, ns, name)
        return 200, {"kind": "Status", "status": "Success"}

    # ---- the controller ----

    def start(self, *options, kubeflow=True, spaces=("--all-namespaces",)):
        """Starts a controller, which has the permissions of the manifest for its options; SPACES chooses its namespaces,
        unless OPTIONS do."""
        options += () if any(o.startswith("--namespace") for o in options) else tuple(spaces)
        words = " ".join(("--kubeflow", *options) if kubeflow else options).replace("--gang ", "--gang=").split()
        self.allowed |= rights(tuple(o for o in words if o.split("=")[0] in ("--kubeflow", "--gang", "--ancestors", "--kinds", "--all-namespaces")))
        log = open(os.path.join(self.dir, "log%d" % len(self.controllers)), "w+")
        p = subprocess.Popen([TRAINC, "supervise", *["--kubeflow"] * kubeflow, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment(),
                             preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGTERM)])
        p.log = log
        self.controllers.append(p)
        return p

    def log(self, which=-1):
        p = self.controllers[which]
        p.log.flush()
        with open(p.log.name) as f:
            return f.read()

    def stop(self, sig=signal.SIGTERM):
        """Ends the last controller, and checks its exit status."""
        p = self.controllers[-1]
        p.send_signal(sig)
        code = p.wait(timeout=20)
        begun = self.log() != ""                # before that, the signal had no handler
        must(code == 0 or (code == -sig and not begun), "the controller ended with %d:\n%s" % (code, self.log()))

    def wait_for(self, what, predicate, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            with self.lock:
                if predicate():
                    return
            if self.controllers and self.controllers[-1].poll() not in (None, -signal.SIGKILL):
                break
            time.sleep(0.01)
        state = {k: self.objects[k].get("status", {}) for k in self.objects if k[0] in JOBS or k[0] in OLD or k[0] in ("pods", "jobs")}
        raise Failure("never: %s\n%s\n%s" % (what, json.dumps([[list(k), v] for k, v in state.items()])[:3000], self.log()[-3000:]))

    def settle(self, seconds=0.4):
        """Waits until nothing has been written for a moment."""
        n, since = self.writes, time.time()
        while time.time() - since < seconds:
            time.sleep(0.05)
            if self.writes != n:
                n, since = self.writes, time.time()

    def at_once(self, what, seconds, attempt):
        """ATTEMPT(i) returns how many seconds something took that would always take longer than SECONDS if it waited
        for a timer.  A busy machine may delay a single attempt, but not five in a row."""
        took = []
        for i in range(5):
            took.append(attempt(i))
            if took[-1] < seconds:
                return
        raise Failure("%s: never within %.1f s, but %s" % (what, seconds, ", ".join("%.2f" % t for t in took)))

    def conditions(self, plural, name):
        """The conditions of a job that are true, by type."""
        o = self.get(plural, name) or {}
        return {c["type"]: c for c in o.get("status", {}).get("conditions", []) if c["status"] == "True"}

    def written(self, pattern=""):
        """Requests that wrote something."""
        with self.lock:
            return [r for r in self.requests if r[0] in WRITES and re.search(pattern, r[0] + " " + r[1])]

    def told(self, name):
        """Reasons of the Events about an object."""
        with self.lock:
            return [o["reason"] for (p, _, _), o in sorted(self.objects.items()) if p == "events" and o["involvedObject"]["name"] == name]


def main(checks, wanted, lanes=4):
    def clean(w):
        must(not w.refused, "the permissions of the manifest lack %s" % w.refused)
        must(not w.entered, w.entered)
        must(not w.by_name, "changed by name, whoever made it: %s" % w.by_name)
    return run_checks(World, checks, wanted, clean, lanes)
