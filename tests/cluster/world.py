"""world.py - a small API server in memory for tests of the commands: it stores what is applied, counts requests,
lets Jobs run, and answers single requests with what a test wants it to.  Exact bytes are the business of standin/."""
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

TRAINC = os.path.realpath(os.environ.get("TRAINC", "build/trainc"))
NOW = "2026-01-01T00:00:00Z"
KINDS = {"pods": ("", "v1", "Pod"), "services": ("", "v1", "Service"), "configmaps": ("", "v1", "ConfigMap"), "secrets": ("", "v1", "Secret"),
         "events": ("", "v1", "Event"), "namespaces": ("", "v1", "Namespace"), "nodes": ("", "v1", "Node"),
         "resourcequotas": ("", "v1", "ResourceQuota"), "jobs": ("batch", "v1", "Job")}


class Failure(Exception):
    """What a test expected and did not see."""


def status(code, reason, message, causes=(), **details):
    return code, {"kind": "Status", "apiVersion": "v1", "code": code, "reason": reason, "message": message,
                  "details": {"causes": list(causes), **details}}


def merge(old, new, nulls):
    for key, value in new.items():
        if nulls and value is None:
            old.pop(key, None)
        elif isinstance(value, dict) and isinstance(old.get(key), dict):
            merge(old[key], value, nulls)
        else:
            old[key] = value


def selected(o, selector):
    labels = o["metadata"].get("labels", {})
    for term in filter(None, selector.split(",")):
        key, equals, value = term.partition("=")
        if (labels.get(key) != value) if equals else (key not in labels):
            return False
    return True


class World:
    """The server, a directory with a kubeconfig, and trainc in it."""

    def __init__(self, namespaces=("default",)):
        self.lock = threading.Condition()
        self.objects, self.events, self.version, self.requests, self.faults = {}, [], 100, [], []
        self.denied, self.groups, self.jobs_run = set(), [], True
        self.stopped = False
        self.logs = {}                  # (pod, of the instance before?) -> what its container printed
        world = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do(self):
                try:
                    world.serve(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
            do_GET = do_POST = do_PATCH = do_DELETE = do

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.dir = tempfile.mkdtemp()
        self.write("config", json.dumps({
            "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:%d" % self.server.server_address[1]}}],
            "users": [{"name": "u", "user": {}}], "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "current-context": "c"}))
        for name in namespaces:
            self.put("namespaces", "", {"metadata": {"name": name}, "status": {"phase": "Active"}})

    def close(self):
        with self.lock:
            self.stopped = True
            self.lock.notify_all()
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.dir)

    # ---- what is stored ----

    def put(self, plural, ns, o, event=None):
        """Stores an object as a change by somebody."""
        with self.lock:
            group, version, kind = KINDS[plural]
            m = o["metadata"]
            self.version += 1
            m["resourceVersion"] = str(self.version)
            m.setdefault("uid", "uid-%d" % self.version)
            m.setdefault("creationTimestamp", NOW)
            if ns:
                m["namespace"] = ns
            o.update(kind=kind, apiVersion=group + "/" + version if group else version)
            key = (plural, ns, m["name"])
            event = event or ("MODIFIED" if key in self.objects else "ADDED")
            if event == "DELETED":
                self.objects.pop(key, None)
            else:
                self.objects[key] = o
            self.events.append((self.version, plural, ns, event, json.loads(json.dumps(o))))
            self.lock.notify_all()
            return o

    def take(self, plural, ns, name):
        """Removes an object, and the pods of a Job."""
        with self.lock:
            o = self.objects.get((plural, ns, name))
            if o and plural == "jobs":
                for other in [k for k, x in self.objects.items() if k[0] == "pods" and k[1] == ns
                              and x["metadata"]["labels"].get("job-name") == name]:
                    self.take(*other)
            if o:
                self.put(plural, ns, o, "DELETED")

    def get(self, plural, name, ns="default"):
        with self.lock:
            return self.objects.get((plural, ns, name))

    def names(self, plural):
        with self.lock:
            return sorted(k[2] for k in self.objects if k[0] == plural)

    def run_job(self, ns, job, phase="Running", code=None):
        """Lets the pods of a Job reach PHASE, as the controllers would."""
        spec, name = job["spec"], job["metadata"]["name"]
        n = spec.get("completions", spec.get("parallelism", 1))
        if spec.get("suspend"):
            job["status"] = {"conditions": [{"type": "Suspended", "status": "True", "lastTransitionTime": NOW}]}
            n = 0
        for key in [k for k in self.objects if k[:2] == ("pods", ns) and re.fullmatch(re.escape(name) + r"-\d+-x", k[2])]:
            if int(key[2].rsplit("-", 2)[1]) >= n:
                self.take(*key)
        if not n:
            self.put("jobs", ns, job)
            return
        over = phase in ("Succeeded", "Failed")
        state = {"terminated": {"exitCode": code or 0, "finishedAt": NOW, "startedAt": NOW, "reason": "Error" if code else "Completed"}} \
            if over else {"running": {"startedAt": NOW}}
        for i in range(n):
            labels = dict(spec["template"]["metadata"].get("labels", {}), **{"job-name": name, "batch.kubernetes.io/job-completion-index": str(i)})
            self.put("pods", ns, {"metadata": {"name": "%s-%d-x" % (name, i), "labels": labels, "annotations": {
                "batch.kubernetes.io/job-completion-index": str(i)}}, "spec": {"nodeName": "n", "containers": spec["template"]["spec"]["containers"]},
                "status": {"phase": phase, "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": str(not over)}],
                           "containerStatuses": [{"name": "main", "ready": not over, "restartCount": 0, "state": state}]}})
        job["status"] = {"startTime": NOW, "active": 0 if over else n, "ready": 0 if over else n, "succeeded": n if phase == "Succeeded" else 0,
                         "failed": n if phase == "Failed" else 0, "conditions": [{"type": {"Succeeded": "Complete", "Failed": "Failed"}[phase],
                                                                                 "status": "True", "lastTransitionTime": NOW,
                                                                                 "reason": "BackoffLimitExceeded"}] if over else []}
        self.put("jobs", ns, job)

    # ---- requests ----

    def fault(self, method, pattern, answer, times=1, skip=0):
        """ANSWER for the next TIMES requests that match, after SKIP of them: a status(), "cut", or a function of (handler, body)."""
        self.faults.append([method, re.compile(pattern), answer, times, skip])

    def find_fault(self, method, path):
        for f in self.faults:
            if f[0] == method and f[1].search(path) and f[3]:
                if f[4]:
                    f[4] -= 1
                    continue
                f[3] -= 1
                return f[2]
        return None

    def serve(self, h):
        body = h.rfile.read(int(h.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(h.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        with self.lock:
            self.requests.append((h.command, h.path, body.decode()))
            answer = self.find_fault(h.command, h.path)
        if callable(answer):
            answer = answer(h, body)
        if answer == "cut":
            h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            h.close_connection = True
            h.connection.close()
            return
        if answer is None and query.get("watch") == "true":
            self.watch(h, url.path, query)
            return
        if url.path.endswith("/log") and not answer:
            self.log(h, url.path.split("/")[-2], query.get("previous") == "true")
            return
        code, document = answer or self.answer(h.command, url.path, query, h.headers, body)
        text = json.dumps(document).encode()
        h.send_response(code)
        h.send_header("Content-Type", "application/json")
        h.send_header("Content-Length", str(len(text)))
        h.end_headers()
        h.wfile.write(text)

    def log(self, h, pod, previous):
        with self.lock:
            lines = self.logs.get((pod, previous), [])
        text = "".join("%s %s\n" % (NOW, line) for line in lines).encode()
        h.send_response(200)
        h.send_header("Content-Type", "text/plain")
        h.send_header("Content-Length", str(len(text)))
        h.end_headers()
        h.wfile.write(text)

    @staticmethod
    def place(path):
        m = re.fullmatch(r"/(?:api|apis/([^/]+))/[^/]+(?:/namespaces/([^/]+))?(?:/([^/]+))(?:/([^/]+))?(?:/([^/]+))?", path)
        if not m:
            return None
        plural, name, ns = m[3], m[4], m[2] or ""
        if plural == "namespaces" and not ns and name:
            return plural, "", name
        return plural, ns, name

    def answer(self, method, path, query, headers, body):
        if path == "/version":
            return 200, {"gitVersion": "v1.35.0"}
        if path in ("/api", "/apis"):
            return 200, {"kind": "APIGroupDiscoveryList", "items": self.groups if path == "/apis" else []}
        if path.endswith("/selfsubjectaccessreviews"):
            a = json.loads(body)["spec"]["resourceAttributes"]
            return 201, {"status": {"allowed": (a["verb"], a["resource"]) not in self.denied}}
        if path.endswith("/selfsubjectreviews"):
            return 201, {"status": {"userInfo": {"username": "eve"}}}
        where = self.place(path) or self.place(path.replace("/namespaces/", "/namespaces/", 1))
        if re.fullmatch(r"/api/v1/namespaces/[^/]+", path):
            where = ("namespaces", "", path.rsplit("/", 1)[1])
        if not where or where[0] not in KINDS:
            return status(404, "NotFound", "the server could not find the requested resource")
        with self.lock:
            return getattr(self, "on_" + method.lower())(where, query, headers, json.loads(body) if body else {})

    def on_get(self, where, query, _headers, _body):
        plural, ns, name = where
        if name:
            o = self.objects.get(where)
            return (200, o) if o else status(404, "NotFound", '%s "%s" not found' % (plural, name))
        group, version, kind = KINDS[plural]
        items = [o for (p, n, _), o in sorted(self.objects.items()) if p == plural and ns in ("", n) and selected(o, query.get("labelSelector", ""))]
        return 200, {"kind": kind + "List", "apiVersion": group + "/" + version if group else version,
                     "metadata": {"resourceVersion": str(self.version)}, "items": items}

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
            return status(404, "NotFound", '%s "%s" not found' % (plural, name))
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
            return status(404, "NotFound", '%s "%s" not found' % (plural, name))
        if body.get("preconditions", {}).get("uid", o["metadata"]["uid"]) != o["metadata"]["uid"]:
            return status(409, "Conflict", "Precondition failed: UID in precondition: x, UID in object meta: y")
        if body.get("dryRun"):
            return 200, o
        if o["metadata"].get("finalizers"):
            o["metadata"]["deletionTimestamp"] = NOW
            return 200, self.put(plural, ns, o)
        self.take(plural, ns, name)
        return 200, {"kind": "Status", "status": "Success"}

    def watch(self, h, path, query):
        plural, ns, _ = self.place(path)
        if plural not in KINDS:
            h.send_error(404)
            return
        h.send_response(200)
        h.send_header("Content-Type", "application/json")
        h.send_header("Transfer-Encoding", "chunked")
        h.end_headers()

        def send(kind, o):
            line = json.dumps({"type": kind, "object": o}).encode() + b"\n"
            h.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        with self.lock:
            at = int(query.get("resourceVersion") or 0)
            if query.get("sendInitialEvents") == "true":
                for (p, n, _), o in sorted(self.objects.items()):
                    if p == plural and ns in ("", n) and selected(o, query.get("labelSelector", "")):
                        send("ADDED", o)
                send("BOOKMARK", {"kind": KINDS[plural][2], "metadata": {"resourceVersion": str(self.version),
                                                                        "annotations": {"k8s.io/initial-events-end": "true"}}})
                at = self.version
            while not self.stopped:
                new = [e for e in self.events if e[0] > at] if self.events and self.events[-1][0] > at else []
                for version, p, n, kind, o in new:
                    at = version
                    if p == plural and ns in ("", n) and selected(o, query.get("labelSelector", "")):
                        send(kind, o)
                self.lock.wait(0.5)
        h.close_connection = True

    # ---- trainc ----

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def start(self, *words, **more):
        env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        env.update(KUBECONFIG=os.path.join(self.dir, "config"), HOME=self.dir)
        return subprocess.Popen([TRAINC, *words], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=env, **more)

    def run(self, *words, timeout=60):
        with self.lock:
            self.requests.clear()
        p = self.start(*words)
        out, err = p.communicate(timeout=timeout)
        if p.returncode < 0 or "ERROR: " in err:
            raise Failure("trainc %s died: %d\n%s" % (" ".join(words), p.returncode, err))
        return p.returncode, out, err

    def want(self, code, *words, out=None, err=None, **more):
        """Runs trainc, and expects a status and patterns in what it prints."""
        got = self.run(*words, **more)
        text = "trainc %s: status %d\n%s\n%s" % (" ".join(words), *got)
        if got[0] != code:
            raise Failure("expected status %d: %s" % (code, text))
        for pattern, where in ((out, got[1]), (err, got[2])):
            if pattern and not re.search(pattern, where, re.S | re.M):
                raise Failure("expected %r: %s" % (pattern, text))
        return got[1], got[2]

    def wait_for(self, what, predicate, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            with self.lock:
                if predicate():
                    return
            time.sleep(0.02)
        raise Failure("never: " + what)


def must(ok, what):
    if not ok:
        raise Failure(str(what))


def main(checks, wanted):
    passed = failed = 0
    for f in checks:
        if wanted and f.__name__ not in wanted:
            continue
        w = World()
        try:
            f(w)
            passed += 1
        except (Failure, subprocess.TimeoutExpired, AssertionError) as e:
            failed += 1
            print("FAIL %s: %s\n%s" % (f.__name__, f.__doc__, e))
        finally:
            w.close()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0
