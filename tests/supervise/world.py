"""world.py - a small API server in memory for tests of the controller: custom resources, pods and Services, watches and
counted requests.  It deletes what loses its owner, as a cluster does, and lets tests decide how pods end."""
import copy
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

TRAINC = os.path.realpath(os.environ.get("TRAINC", "build/trainc"))
JOBS = {"tfjobs": "TFJob", "pytorchjobs": "PyTorchJob", "mxjobs": "MXJob", "xgboostjobs": "XGBoostJob", "mpijobs": "MPIJob",
        "paddlejobs": "PaddleJob", "jaxjobs": "JAXJob"}
CORE = {"pods": "Pod", "services": "Service", "events": "Event", "configmaps": "ConfigMap", "serviceaccounts": "ServiceAccount",
        "secrets": "Secret"}
OTHERS = {"roles": "Role", "rolebindings": "RoleBinding", "leases": "Lease", "podgroups": "PodGroup",
          "horizontalpodautoscalers": "HorizontalPodAutoscaler"}
KINDS = {**JOBS, **CORE, **OTHERS}
WRITES = ("POST", "PATCH", "PUT", "DELETE")


class Failure(Exception):
    """What a test expected and did not see."""


def must(ok, what):
    if not ok:
        raise Failure(str(what))


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def status(code, reason, message):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}


def merge(old, new):
    for key, value in new.items():
        if value is None:
            old.pop(key, None)
        elif isinstance(value, dict):
            if not isinstance(old.get(key), dict):
                old[key] = {}
            merge(old[key], value)
        else:
            old[key] = value


def selected(o, selector):
    labels = o["metadata"].get("labels", {})
    for term in filter(None, selector.split(",")):
        key, equals, value = term.partition("=")
        if (labels.get(key) != value) if equals else (key not in labels):
            return False
    return True


def manifest(*options):
    """The objects of `trainc supervise --manifest`."""
    return json.loads(subprocess.run([TRAINC, "supervise", "--kubeflow", "--manifest", "-o", "json", *options], capture_output=True, text=True,
                                     check=True).stdout)["items"]


def permissions(items):
    """(verb, group, resource) of all roles of a manifest."""
    return {(verb, group, resource) for o in items if o["kind"] in ("Role", "ClusterRole") for rule in o["rules"]
            for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]}


class World:
    """The server, a kubeconfig for it, and the controllers that run against it."""

    allowed = permissions(manifest()) | permissions(manifest("--gang=volcano")) | permissions(manifest("--gang=coscheduling"))   # nothing else is permitted, in any test
    used = set()

    def __init__(self):
        self.refused = []
        self.lock = threading.Condition()
        self.objects, self.events, self.version, self.requests, self.faults = {}, [], 100, [], []
        self.served = set(KINDS)
        self.down = False               # refuses every connection
        self.kill_at = None             # (number of the write, before): SIGKILL the first controller then
        self.writes = 0
        self.delay = 0                  # seconds by which watches are late
        self.slow = 0                   # ... and answers to deletions
        self.stopped = False
        self.controllers = []
        world = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def do(self):
                try:
                    world.serve(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.dir = tempfile.mkdtemp()
        with open(os.path.join(self.dir, "config"), "w") as f:
            json.dump({"clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:%d" % self.server.server_address[1]}}],
                       "users": [{"name": "u", "user": {}}], "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
                       "current-context": "c"}, f)

    def close(self):
        for p in self.controllers:
            if p.poll() is None:
                p.kill()
            p.wait()
            p.log.close()
        with self.lock:
            self.stopped = True
            self.lock.notify_all()
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.dir)

    # ---- what is stored ----

    def put(self, plural, o, change=None):
        """Stores an object as a change by somebody; the lock is held by requests, taken here for tests."""
        with self.lock:
            m = o["metadata"]
            self.version += 1
            m["resourceVersion"] = str(self.version)
            m.setdefault("namespace", "default")
            m.setdefault("uid", "uid-%d" % self.version)
            m.setdefault("creationTimestamp", now())
            o["kind"] = KINDS[plural]
            o.setdefault("apiVersion", "kubeflow.org/v1" if plural in JOBS else "v1")
            key = (plural, m["namespace"], m["name"])
            old = self.objects.get(key)
            if plural in JOBS and change != "DELETED" and (not old or old.get("spec") != o.get("spec")):
                m["generation"] = (old["metadata"].get("generation", 0) if old else 0) + 1
            change = change or ("MODIFIED" if old else "ADDED")
            if change == "DELETED":
                self.objects.pop(key, None)
            else:
                self.objects[key] = copy.deepcopy(o)
            self.events.append((self.version, plural, m["namespace"], change, copy.deepcopy(o), time.time()))
            self.lock.notify_all()
            return copy.deepcopy(o)

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

    def get(self, plural, name, ns="default"):
        with self.lock:
            o = self.objects.get((plural, ns, name))
            return copy.deepcopy(o) if o else None

    def names(self, plural):
        with self.lock:
            return sorted(k[2] for k in self.objects if k[0] == plural)

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
            state = {"terminated": {"exitCode": code, "finishedAt": now(), "startedAt": now()}} if over else {"running": {"startedAt": now()}}
            o["status"] = {"phase": phase, "startTime": now(), "conditions": [{"type": "Ready", "status": str(phase == "Running")}],
                           "containerStatuses": [{"name": container or o["spec"]["containers"][0]["name"], "ready": not over,
                                                  "restartCount": restarts, "state": state}]}
            self.put("pods", o)

    def run_pods(self, phase="Running", match=""):
        with self.lock:
            for (plural, ns, name), o in list(self.objects.items()):
                if plural == "pods" and match in name and o.get("status", {}).get("phase") not in ("Succeeded", "Failed"):
                    self.pod(name, phase, ns=ns)

    # ---- requests ----

    def fault(self, method, pattern, answer, times=1, skip=0):
        """ANSWER for the next TIMES requests that match, after SKIP of them: a status(), "cut", or "after": done, then cut."""
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

    @staticmethod
    def cut(h):
        h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        h.close_connection = True
        h.connection.close()

    def kill_now(self, before):
        if self.kill_at == (self.writes, before):
            self.controllers[-1].kill()
            self.kill_at = None
            return True
        return False

    def serve(self, h):
        body = h.rfile.read(int(h.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(h.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        if self.down:
            self.cut(h)
            return
        write = h.command in WRITES and "/events" not in url.path
        with self.lock:
            self.requests.append((h.command, url.path, body.decode()))
            answer = self.find_fault(h.command, h.path)
            if write:
                self.writes += 1
                if self.kill_now(True):
                    self.cut(h)
                    return
        if answer == "cut":
            self.cut(h)
            return
        if answer is None and query.get("watch") == "true":
            self.watch(h, url.path, query)
            return
        with self.lock:
            code, document = answer if isinstance(answer, tuple) else self.answer(h.command, url.path, query, json.loads(body) if body else {})
            if write and self.kill_now(False):
                answer = "after"
        if answer == "after":
            self.cut(h)
            return
        text = json.dumps(document).encode()
        if h.command == "DELETE":
            time.sleep(self.slow)
        h.send_response(code)
        h.send_header("Content-Type", "application/json")
        h.send_header("Content-Length", str(len(text)))
        h.end_headers()
        h.wfile.write(text)

    def place(self, path):
        m = re.fullmatch(r"/(?:api|apis/([^/]+))/[^/]+(?:/namespaces/([^/]+))?/([^/]+)(?:/([^/]+))?(?:/([^/]+))?", path)
        return (m[3], m[2] or "", m[4], m[5]) if m and m[3] in self.served else None

    def permitted(self, method, path, query):
        m = re.fullmatch(r"/(?:api|apis/([^/]+))/[^/]+(?:/namespaces/[^/]+)?/([^/]+)(?:/([^/]+))?(?:/([^/]+))?", path)
        verb = {"POST": "create", "PATCH": "patch", "PUT": "update", "DELETE": "delete"}.get(method) or (
            "get" if m[3] else "watch" if query.get("watch") == "true" else "list")
        what = (verb, m[1] or "", m[2] + ("/" + m[4] if m[4] else ""))
        World.used.add(what)
        if what not in World.allowed:
            self.refused.append(what)
        return what in World.allowed

    def answer(self, method, path, query, body):
        where = self.place(path)
        if not where:
            return status(404, "NotFound", "the server could not find the requested resource")
        if not self.permitted(method, path, query):
            return status(403, "Forbidden", "no rule permits this")
        return getattr(self, "on_" + method.lower())(where, query, body)

    def on_get(self, where, query, _body):
        plural, ns, name, _ = where
        if name:
            o = self.objects.get((plural, ns, name))
            return (200, o) if o else status(404, "NotFound", '%s "%s" not found' % (plural, name))
        items = [o for (p, n, _), o in sorted(self.objects.items()) if p == plural and ns in ("", n) and selected(o, query.get("labelSelector", ""))]
        return 200, {"kind": KINDS[plural] + "List", "metadata": {"resourceVersion": str(self.version)}, "items": items}

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
            return status(404, "NotFound", '%s "%s" not found' % (plural, name))
        if m.get("uid", old["metadata"]["uid"]) != old["metadata"]["uid"]:
            return status(409, "Conflict", "Precondition failed: UID in precondition")
        new = copy.deepcopy(old)
        merge(new, {"status": body.get("status", {})} if part == "status" else {k: v for k, v in body.items() if k != "status"})
        return 200, old if new == old else self.put(plural, new)

    def on_put(self, where, _query, body):
        plural, ns, name, _ = where
        old = self.objects.get((plural, ns, name))
        if not old:
            return status(404, "NotFound", '%s "%s" not found' % (plural, name))
        if body["metadata"].get("resourceVersion", old["metadata"]["resourceVersion"]) != old["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        body["metadata"]["uid"] = old["metadata"]["uid"]
        return 200, self.put(plural, body)

    def on_delete(self, where, _query, body):
        plural, ns, name, _ = where
        o = self.objects.get((plural, ns, name))
        if not o:
            return status(404, "NotFound", '%s "%s" not found' % (plural, name))
        if body.get("preconditions", {}).get("uid", o["metadata"]["uid"]) != o["metadata"]["uid"]:
            return status(409, "Conflict", "Precondition failed: UID in precondition")
        if plural == "pods" and o.get("status", {}).get("phase") == "Running":          # a grace period
            if "deletionTimestamp" not in o["metadata"]:
                o["metadata"]["deletionTimestamp"] = now()
                o = self.put(plural, o)
                threading.Timer(0.05, self.take, (plural, ns, name)).start()
            return 200, o
        self.take(plural, ns, name)
        return 200, {"kind": "Status", "status": "Success"}

    def watch(self, h, path, query):
        where = self.place(path)
        if not where:
            self.refuse(h, status(404, "NotFound", "the server could not find the requested resource"))
            return
        if not self.permitted("GET", path, query):
            self.refuse(h, status(403, "Forbidden", "no rule permits this"))
            return
        plural, ns = where[:2]
        h.send_response(200)
        h.send_header("Content-Type", "application/json")
        h.send_header("Transfer-Encoding", "chunked")
        h.end_headers()

        def send(kind, o):
            line = json.dumps({"type": kind, "object": o}).encode() + b"\n"
            h.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        with self.lock:
            at = int(query.get("resourceVersion") or 0)
            initial = []
            if query.get("sendInitialEvents") == "true":
                initial = [o for (p, n, _), o in sorted(self.objects.items())
                           if p == plural and ns in ("", n) and selected(o, query.get("labelSelector", ""))]
                at = self.version
        for o in initial:
            send("ADDED", o)
        if query.get("sendInitialEvents") == "true":
            send("BOOKMARK", {"kind": KINDS[plural], "metadata": {"resourceVersion": str(at), "annotations": {"k8s.io/initial-events-end": "true"}}})
        while not self.stopped and not self.down:
            with self.lock:
                ready = [e for e in self.events[-4000:] if e[0] > at and e[5] + self.delay <= time.time()]
                if not ready:
                    self.lock.wait(0.02 if self.delay else 0.2)
            for version, p, n, kind, o, _ in ready:
                at = version
                if p == plural and ns in ("", n) and selected(o, query.get("labelSelector", "")):
                    send(kind, o)
        self.cut(h)

    @staticmethod
    def refuse(h, answer):
        text = json.dumps(answer[1]).encode()
        h.send_response(answer[0])
        h.send_header("Content-Type", "application/json")
        h.send_header("Content-Length", str(len(text)))
        h.end_headers()
        h.wfile.write(text)

    # ---- the controller ----

    def start(self, *options):
        env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        env.update(KUBECONFIG=os.path.join(self.dir, "config"), HOME=self.dir)
        log = open(os.path.join(self.dir, "log%d" % len(self.controllers)), "w+")
        p = subprocess.Popen([TRAINC, "supervise", "--kubeflow", *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env,
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
        """Ends the last controller, and checks that it ended as it should."""
        p = self.controllers[-1]
        p.send_signal(sig)
        code = p.wait(timeout=20)
        begun = self.log() != ""                # before that it had no handler for the signal yet
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
        state = {k: self.objects[k].get("status", {}) for k in self.objects if k[0] in JOBS or k[0] == "pods"}
        raise Failure("never: %s\n%s\n%s" % (what, json.dumps([[list(k), v] for k, v in state.items()])[:3000], self.log()[-3000:]))

    def settle(self, seconds=0.4):
        """Waits until nothing has been written for a moment."""
        n, since = self.writes, time.time()
        while time.time() - since < seconds:
            time.sleep(0.05)
            if self.writes != n:
                n, since = self.writes, time.time()

    def conditions(self, plural, name):
        """The conditions of a job that hold, by type."""
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


def main(checks, wanted):
    passed = failed = 0
    for f in checks:
        if wanted and f.__name__ not in wanted:
            continue
        w = World()
        try:
            f(w)
            must(not w.refused, "the permissions of the manifest lack %s" % w.refused)
            passed += 1
        except (Failure, subprocess.TimeoutExpired, AssertionError, KeyError) as e:
            failed += 1
            print("FAIL %s: %s\n%r\n%s" % (f.__name__, f.__doc__, e, e))
        finally:
            w.close()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0
