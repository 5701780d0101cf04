"""world.py - the cluster for tests of the commands: an API server in memory (api_memory.py) that runs Jobs, and
trainc in a directory with a kubeconfig for it."""
import atexit
import json
import os
import re
import select
import signal
import subprocess
import time

from api_memory import TRAINC, Failure, Server, cut, merge, must, not_found, reply, run_checks, status, until

NOW = "2026-01-01T00:00:00Z"
KINDS = {"pods": ("", "v1", "Pod"), "services": ("", "v1", "Service"), "configmaps": ("", "v1", "ConfigMap"), "secrets": ("", "v1", "Secret"),
         "events": ("", "v1", "Event"), "namespaces": ("", "v1", "Namespace"), "nodes": ("", "v1", "Node"),
         "resourcequotas": ("", "v1", "ResourceQuota"), "jobs": ("batch", "v1", "Job")}


def owners(o):
    return {x["uid"] for x in o["metadata"].get("ownerReferences", ()) if x["kind"] == "ConfigMap"}


STARTED = []


@atexit.register
def end_started():
    """A check that fails leaves no command behind."""
    for p in STARTED:
        if p.poll() is None:
            p.kill()


class World(Server):
    """The server, a directory with a kubeconfig, and trainc in it."""

    def __init__(self, namespaces=("default",)):
        super().__init__(KINDS)
        self.denied, self.groups, self.jobs_run = set(), [], True
        self.logs = {}                  # (pod, previous instance?) -> the lines its container printed, or the whole answer
        for name in namespaces:
            self.put("namespaces", "", {"metadata": {"name": name}, "status": {"phase": "Active"}})

    # ---- what is stored ----

    def now(self):
        """The current time for all objects: the same in every test, unless the test moves the server's clock."""
        return super().now() if self.ahead else NOW

    def put(self, plural, ns, o, event=None):
        """Stores an object as if somebody had changed it.  An object is deleted with the ConfigMap that owns it, as
        by a cluster's garbage collector."""
        with self.lock:
            o = self.keep(plural, ns, o, event)
            if event == "DELETED":
                for key in [k for k, x in self.objects.items() if o["metadata"]["uid"] in owners(x)]:
                    self.take(*key)
            elif owners(o) and not owners(o) & {x["metadata"]["uid"] for x in self.objects.values()}:
                self.take(plural, ns, o["metadata"]["name"])
            return o

    def take(self, plural, ns, name):
        """Removes an object; with a Job, also its pods."""
        with self.lock:
            o = self.objects.get((plural, ns, name))
            if o and plural == "jobs":
                for other in [k for k, x in self.objects.items() if k[0] == "pods" and k[1] == ns
                              and x["metadata"]["labels"].get("job-name") == name]:
                    self.take(*other)
            if o:
                self.put(plural, ns, o, "DELETED")

    def run_job(self, ns, job, phase="Running", code=None):
        """Lets the pods of a Job reach PHASE, as controllers would."""
        spec, name = job["spec"], job["metadata"]["name"]
        n = spec.get("completions", spec.get("parallelism", 1))
        if spec.get("suspend"):
            job["status"] = {"conditions": [{"type": "Suspended", "status": "True", "lastTransitionTime": self.now()}]}
            n = 0
        for key in [k for k in self.objects if k[:2] == ("pods", ns) and re.fullmatch(re.escape(name) + r"-\d+-x", k[2])]:
            if int(key[2].rsplit("-", 2)[1]) >= n:
                self.take(*key)
        if not n:
            self.put("jobs", ns, job)
            return
        over = phase in ("Succeeded", "Failed")
        state = {"terminated": {"exitCode": code or 0, "finishedAt": self.now(), "startedAt": self.now(), "reason": "Error" if code else "Completed"}} \
            if over else {"running": {"startedAt": self.now()}}
        for i in range(n):
            labels = dict(spec["template"]["metadata"].get("labels", {}), **{"job-name": name, "batch.kubernetes.io/job-name": name, "batch.kubernetes.io/controller-uid": job["metadata"]["uid"], "batch.kubernetes.io/job-completion-index": str(i)})
            self.put("pods", ns, {"metadata": {"name": "%s-%d-x" % (name, i), "labels": labels, "annotations": {
                "batch.kubernetes.io/job-completion-index": str(i)}}, "spec": {"nodeName": "n", "containers": spec["template"]["spec"]["containers"],
                                                                                     "initContainers": spec["template"]["spec"].get("initContainers", [])},
                "status": {"phase": phase, "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": str(not over)}],
                           "containerStatuses": [{"name": "main", "ready": not over, "restartCount": 0, "state": state}]}})
        job["status"] = {"startTime": self.now(), "active": 0 if over else n, "ready": 0 if over else n, "succeeded": n if phase == "Succeeded" else 0,
                         "failed": n if phase == "Failed" else 0, "conditions": [{"type": {"Succeeded": "Complete", "Failed": "Failed"}[phase],
                                                                                 "status": "True", "lastTransitionTime": self.now(),
                                                                                 "reason": "BackoffLimitExceeded"}] if over else []}
        self.put("jobs", ns, job)

    # ---- requests ----

    def serve(self, h):
        path, query, body = self.take_request(h)
        with self.lock:
            self.requests.append((h.command, h.path, body.decode()))
            answer = self.find_fault(h.command, h.path)
        if callable(answer):
            answer = answer(h, body)
        if answer == "cut":
            cut(h)
            return
        where = self.place(path)
        if answer is None and where and query.get("watch") == "true":
            self.watch(h, where, query)
        elif answer is None and path.endswith("/log"):
            self.log(h, where[2], query.get("previous") == "true")
        else:
            reply(h, *(answer or self.answer(h.command, path, query, h.headers, body)))

    def log(self, h, pod, previous):
        with self.lock:
            lines = self.logs.get((pod, previous), [])
        reply(h, 200, lines if isinstance(lines, bytes) else "".join("%s %s\n" % (NOW, line) for line in lines).encode())

    def answer(self, method, path, query, headers, body):
        if path == "/version":
            return 200, {"gitVersion": "v1.35.0"}
        if path in ("/api", "/apis"):
            return 200, {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": self.groups if path == "/apis" else []}
        if path.endswith("/selfsubjectaccessreviews"):
            a = json.loads(body)["spec"]["resourceAttributes"]
            resource = "/".join(filter(None, (a["resource"], a.get("subresource"))))
            return 201, {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
                         "status": {"allowed": (a["verb"], resource) not in self.denied}}
        if path.endswith("/selfsubjectreviews"):
            return 201, {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1", "status": {"userInfo": {"username": "eve"}}}
        where = self.place(path)
        if not where:
            return status(404, "NotFound", "the server could not find the requested resource")
        document = json.loads(body) if body else {}
        with self.lock:
            if method == "GET":
                return self.on_get(where, query)
            return getattr(self, "on_" + method.lower())(where[:3], query, headers, document)

    def check_versions(self, old, new):
        m = new.get("metadata", {})
        if m.get("uid") and (not old or m["uid"] != old["metadata"]["uid"]):
            return status(409, "Conflict", "Precondition failed: UID in precondition")
        if m.get("resourceVersion") and (not old or m["resourceVersion"] != old["metadata"]["resourceVersion"]):
            return status(409, "Conflict", "the object has been modified; please apply your changes to the latest version")
        return None

    def stored(self, plural, ns, o, code, dry):
        if dry:
            o["metadata"].setdefault("uid", "dry")
            return code, o
        o = self.put(plural, ns, o)
        if plural == "jobs" and self.jobs_run:
            self.run_job(ns, o)
        return code, json.loads(json.dumps(o))

    def on_post(self, where, query, _headers, body):
        plural, ns, name = where[0], where[1], body["metadata"]["name"]
        if ns and ("namespaces", "", ns) not in self.objects:
            return status(404, "NotFound", 'namespaces "%s" not found' % ns)
        if (plural, ns, name) in self.objects:
            return status(409, "AlreadyExists", '%s "%s" already exists' % (plural, name))
        return self.stored(plural, ns, body, 201, "dryRun" in query)

    def on_patch(self, where, query, headers, body):
        plural, ns, name = where
        old = self.objects.get(where)
        wrong = self.check_versions(old, body)
        if wrong:
            return wrong
        if not old and "apply-patch" not in headers["Content-Type"]:
            return not_found(plural, name)
        if ns and ("namespaces", "", ns) not in self.objects:
            return status(404, "NotFound", 'namespaces "%s" not found' % ns)
        body.setdefault("metadata", {}).setdefault("name", name)
        new = json.loads(json.dumps(old)) if old else {}
        merge(new, body, "merge-patch" in headers["Content-Type"])
        if old and new == old:
            return 200, old
        return self.stored(plural, ns, new, 200 if old else 201, "dryRun" in query)

    def on_delete(self, where, _query, _headers, body):
        plural, ns, name = where
        o = self.objects.get(where)
        if not o:
            return not_found(plural, name)
        if body.get("preconditions", {}).get("uid", o["metadata"]["uid"]) != o["metadata"]["uid"]:
            return status(409, "Conflict", "Precondition failed: UID in precondition: x, UID in object meta: y")
        if body.get("preconditions", {}).get("resourceVersion", o["metadata"]["resourceVersion"]) != o["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "Precondition failed: ResourceVersion in precondition: x, ResourceVersion in object meta: y")
        if body.get("dryRun"):
            return 200, o
        if o["metadata"].get("finalizers"):
            o["metadata"]["deletionTimestamp"] = self.now()
            return 200, self.put(plural, ns, o)
        self.take(plural, ns, name)
        return 200, {"kind": "Status", "status": "Success"}

    # ---- trainc ----

    def start(self, *words, **more):
        STARTED.append(subprocess.Popen([TRAINC, *words], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=self.environment(), **more))
        return STARTED[-1]

    def run(self, *words, timeout=60):
        with self.lock:
            self.requests.clear()
        p = self.start(*words)
        out, err = p.communicate(timeout=timeout)
        if p.returncode < 0 or "ERROR: " in err:
            raise Failure("trainc %s died: %d\n%s" % (" ".join(words), p.returncode, err))
        return p.returncode, out, err

    def want(self, code, *words, out=None, err=None, **more):
        """Runs trainc, and expects a status and patterns in its output."""
        got = self.run(*words, **more)
        text = "trainc %s: status %d\n%s\n%s" % (" ".join(words), *got)
        if got[0] != code:
            raise Failure("expected status %d: %s" % (code, text))
        for pattern, where in ((out, got[1]), (err, got[2])):
            if pattern and not re.search(pattern, where, re.S | re.M):
                raise Failure("expected %r: %s" % (pattern, text))
        return got[1], got[2]

    def shown(self, p, enough, out=False, seconds=60):
        """Reads what a command prints, until it contains the text ENOUGH or ENOUGH accepts it; communicate() returns
        the rest."""
        fd, got, end = (p.stdout if out else p.stderr).fileno(), b"", time.monotonic() + seconds
        right = enough if callable(enough) else lambda text: enough in text
        while not right(got.decode(errors="replace")):
            more = select.select([fd], [], [], max(0, end - time.monotonic()))[0] and os.read(fd, 65536)
            if not more:
                raise Failure("not shown in %d s: %s\n%s" % (seconds, enough, got.decode(errors="replace")))
            got += more
        return got.decode()

    def interrupt(self, p, number=signal.SIGINT, seconds=20):
        """Sends a signal, and waits until the process has taken it: until then it is among the pending ones."""
        p.send_signal(number)
        end = time.monotonic() + seconds
        while p.poll() is None and time.monotonic() < end:
            with open("/proc/%d/status" % p.pid) as f:
                if not int(re.search(r"^ShdPnd:\s+(\w+)", f.read(), re.M)[1], 16) & 1 << (number - 1):
                    return
            time.sleep(0.01)

    def wait_for(self, what, predicate, seconds=20):
        until(self.lock, what, predicate, seconds)


def main(checks, wanted):
    return run_checks(World, checks, wanted)
