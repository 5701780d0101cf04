"""api_memory.py - an API server in memory, for tests: objects, their versions, watches, counted requests, and
responses to single requests that a test chooses.  Derived classes do what a cluster does with the objects:
world.py beside it for the commands, ../supervise/world.py for the controller.  Tests of exact bytes use standin/."""
import atexit
import copy
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

TRAINC = os.path.realpath(os.environ.get("TRAINC", "build/trainc"))
with open(TRAINC, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()        # it is slower, and keeps what it released
PATH = re.compile(r"/(?:api|apis/([^/]+))/[^/]+(?:/namespaces/([^/]+))?/([^/]+)(?:/([^/]+))?(?:/([^/]+))?")


class Failure(Exception):
    """The result of a test differs from what it expected."""


def must(ok, what):
    if not ok:
        raise Failure(str(what))


def status(code, reason, message, causes=(), **details):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message,
                  "details": {"causes": list(causes), **details}}


def not_found(plural, name):
    return status(404, "NotFound", '%s "%s" not found' % (plural, name))


def names_only(method, where, body):
    """[the request], if it changes or deletes an object by its name, without saying which one: its uid or version."""
    m = body.get("preconditions" if method == "DELETE" else "metadata", {})
    return [] if method not in ("PATCH", "PUT", "DELETE") or m.get("uid") or m.get("resourceVersion") else [(method, *where)]


def merge(old, new, nulls=True):
    """Merges NEW into OLD; with NULLS, a null removes a field, as in a merge patch."""
    for key, value in new.items():
        if nulls and value is None:
            old.pop(key, None)
        elif isinstance(value, dict):
            if not isinstance(old.get(key), dict):
                old[key] = {}
            merge(old[key], value, nulls)
        else:
            old[key] = value


def selected(o, selector):
    labels = o["metadata"].get("labels", {})
    one_of = re.fullmatch(r"(\S+) in \((.*)\)", selector)
    if one_of:
        return labels.get(one_of[1]) in re.split(" *, *", one_of[2].strip())
    for term in filter(None, selector.split(",")):
        key, equals, value = term.partition("=")
        if (labels.get(key) != value) if equals else (key[1:] in labels) if key.startswith("!") else (key not in labels):
            return False
    return True


def encoded(document):
    """The JSON of DOCUMENT.  A text "RAW:NAME" stands for the bytes RAW[NAME], which need not be JSON."""
    text = json.dumps(document).encode()
    return text if b'"RAW:' not in text else re.sub(rb'"RAW:(\w+)"', lambda m: RAW[m[1].decode()], text)


RAW = {}


def reply(h, code, document):
    text = document if isinstance(document, bytes) else encoded(document)
    h.send_response(code)
    h.send_header("Content-Type", "text/plain" if isinstance(document, bytes) else "application/json")
    h.send_header("Content-Length", str(len(text)))
    h.end_headers()
    h.wfile.write(text)


def cut(h):
    """Ends the connection with a reset."""
    h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    h.close_connection = True
    h.connection.close()


class Server:
    """The server, and a directory with a kubeconfig for it.  KINDS: plural -> (group, version, kind)."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.lock = threading.Condition()
        self.objects, self.events, self.version, self.requests, self.faults = {}, [], 100, [], []
        self.delay = 0                  # seconds by which watches are late
        self.late = {}                  # plural -> seconds by which its watches are late
        self.stopped = False
        self.ahead = 0                  # seconds by which the server's clock is ahead of this machine's
        self.dated = True               # do answers say what time it is?
        world = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def send_header(self, keyword, value):
                if keyword != "Date" or world.dated:
                    super().send_header(keyword, value)

            def date_time_string(self, timestamp=None):
                return super().date_time_string(time.time() + world.ahead if timestamp is None else timestamp)

            def do(self):
                try:
                    world.serve(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.listener = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.listener.serve_forever, args=(0.05,), daemon=True).start()
        self.dir = tempfile.mkdtemp()
        self.write("config", json.dumps({
            "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:%d" % self.listener.server_address[1]}}],
            "users": [{"name": "u", "user": {}}], "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "current-context": "c"}))

    def close(self):
        with self.lock:
            self.stopped = True
            self.lock.notify_all()
        self.listener.shutdown()
        self.listener.server_close()
        shutil.rmtree(self.dir)

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def environment(self):
        """The environment of a trainc that talks to this server."""
        env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        env.update(KUBECONFIG=os.path.join(self.dir, "config"), HOME=self.dir)
        return env

    # ---- stored objects: copies, so that no object changes without an event ----

    def now(self, later=0):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.ahead + later))

    def keep(self, plural, ns, o, change=None):
        """Stores an object as if somebody had changed it."""
        with self.lock:
            m = o["metadata"]
            self.version += 1
            m["resourceVersion"] = str(self.version)
            m.setdefault("uid", "uid-%d" % self.version)
            m.setdefault("creationTimestamp", self.now())
            if ns:
                m["namespace"] = ns
            group, version, o["kind"] = self.kinds[plural]
            o.setdefault("apiVersion", group + "/" + version if group else version)
            key = (plural, ns, m["name"])
            change = change or ("MODIFIED" if key in self.objects else "ADDED")
            if change == "DELETED":
                self.objects.pop(key, None)
            else:
                self.objects[key] = copy.deepcopy(o)
            self.events.append((self.version, plural, ns, change, copy.deepcopy(o), time.time()))
            self.lock.notify_all()
            return copy.deepcopy(o)

    def get(self, plural, name, ns="default"):
        with self.lock:
            return copy.deepcopy(self.objects.get((plural, ns, name)))

    def names(self, plural, history=False):
        """The names of all objects of a kind. What `delete` keeps of the history of runs counts only if HISTORY says so."""
        with self.lock:
            return sorted(k[2] for k in self.objects if k[0] == plural and (history or k[2] != "trainc.history"))

    def listed(self, plural, ns, query):
        """The objects that match a list or a watch with this query."""
        return [o for (p, n, _), o in sorted(self.objects.items())
                if p == plural and ns in ("", n) and selected(o, query.get("labelSelector", ""))]

    # ---- requests ----

    def fault(self, method, pattern, answer, times=1, skip=0):
        """Gives ANSWER to TIMES matching requests, after SKIP others: a status(), "cut", or any other word that
        serve() knows."""
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

    def take_request(self, h):
        """(path, query, body) of a request, which is counted from now on.  A request that its sender did not
        complete does not count."""
        n = int(h.headers.get("Content-Length") or 0)
        body = h.rfile.read(n)
        if len(body) < n:
            raise ConnectionResetError("%d of %d bytes" % (len(body), n))
        url = urllib.parse.urlsplit(h.path)
        return url.path, dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True)), body

    def place(self, path):
        """(plural, namespace, name, part) of a path; None when the path is not served."""
        m = PATH.fullmatch(path)
        return (m[3], m[2] or "", m[4], m[5]) if m and m[3] in self.kinds else None

    def on_get(self, where, query):
        plural, ns, name = where[:3]
        if name:
            o = self.objects.get((plural, ns, name))
            return (200, o) if o else not_found(plural, name)
        group, version, kind = self.kinds[plural]
        return 200, {"kind": kind + "List", "apiVersion": group + "/" + version if group else version,
                     "metadata": {"resourceVersion": str(self.version)}, "items": self.listed(plural, ns, query)}

    def streams(self, _plural):
        """Whether watches of that kind continue."""
        return not self.stopped

    def watch(self, h, where, query):
        """Serves a watch until the test ends; the caller has found WHERE and checked permissions."""
        plural, ns = where[:2]
        h.send_response(200)
        h.send_header("Content-Type", "application/json")
        h.send_header("Transfer-Encoding", "chunked")
        h.end_headers()

        def send(kind, o):
            line = encoded({"type": kind, "object": o}) + b"\n"
            h.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        with self.lock:
            at, initial = int(query.get("resourceVersion") or 0), []
            if query.get("sendInitialEvents") == "true":
                initial, at = self.listed(plural, ns, query), self.version
            shown = {o["metadata"]["uid"] for o in self.listed(plural, ns, query)}
        for o in initial:
            send("ADDED", o)
        if query.get("sendInitialEvents") == "true":
            send("BOOKMARK", {"kind": self.kinds[plural][2], "metadata": {"resourceVersion": str(at), "annotations": {
                "k8s.io/initial-events-end": "true"}}})
        while self.streams(plural):
            with self.lock:
                ready = self.news(at, self.late.get(plural, self.delay))
                if not ready:
                    self.lock.wait(0.02 if self.delay or self.late else 0.2)
            for version, p, n, kind, o, _ in ready:
                at = version
                if p != plural or ns not in ("", n):
                    continue
                if selected(o, query.get("labelSelector", "")):
                    shown.add(o["metadata"]["uid"])
                    send(kind, o)
                elif kind != "DELETED" and o["metadata"]["uid"] in shown:       # its labels have changed
                    shown.discard(o["metadata"]["uid"])
                    send("DELETED", o)
        cut(h)

    def news(self, at, delay):
        """The events after version AT that a watch can already see, DELAY seconds after they happened."""
        if not self.events or self.events[-1][0] <= at:
            return []
        seen, ready = time.time() - delay, []
        for e in reversed(self.events):
            if e[0] <= at:
                break
            if e[5] <= seen:
                ready.append(e)
        return ready[::-1]


def until(lock, what, predicate, seconds):
    """Waits until PREDICATE holds; a failure names what it waited for."""
    end = time.time() + seconds
    while time.time() < end:
        with lock:
            if predicate():
                return
        time.sleep(0.02)
    raise Failure("never: " + what)


def run_check(world, f, after):
    """Runs a check in a world of its own; returns what was wrong, or nothing."""
    w = world()
    try:
        f(w)
        after(w)
    except (Failure, subprocess.TimeoutExpired, AssertionError, KeyError) as e:
        return "%s: %s\n%r\n%s" % (f.__name__, f.__doc__, e, e)
    finally:
        w.close()
    return ""


def begin_check(world, f, after):
    """Starts a check in a process of its own; returns that process and the file for what it found."""
    found = tempfile.TemporaryFile("w+")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 2
        try:
            os.dup2(found.fileno(), 2)                      # an exception that no check expects ends here, too
            json.dump([run_check(world, f, after), sorted(getattr(world, "used", ()))], found)
            found.flush()
            code = 0
        except BaseException:                               # pylint: disable=broad-except
            traceback.print_exc()
        finally:
            atexit._run_exitfuncs()                         # pylint: disable=protected-access
            sys.stdout.flush()
            os._exit(code)
    return child, found


def end_check(world, f, code, found):
    """What a check of another process found; what its world used was used by ours, too."""
    found.seek(0)
    with found:
        said = found.read()
    if code:
        return "%s: %s\nstatus %d: %s" % (f.__name__, f.__doc__, code, said)
    wrong, used = json.loads(said)
    if used:
        world.used.update(map(tuple, used))
    return wrong


def run_beside(world, checks, after, lanes):
    """Runs checks, LANES at a time, each in a process and a world of its own; returns (check, what was wrong) of those
    that failed."""
    todo, running, failed = list(checks), {}, []
    while todo or running:
        while todo and len(running) < lanes:
            child, found = begin_check(world, todo[0], after)
            running[child] = (todo.pop(0), found)
        child, code = os.wait()
        if child in running:
            f, found = running.pop(child)
            wrong = end_check(world, f, os.waitstatus_to_exitcode(code), found)
            if wrong:
                failed.append((f, wrong))
    return failed


def run_checks(world, checks, wanted, after=lambda w: None, lanes=4):
    """Runs the selected checks, LANES at a time, because most of them wait; AFTER examines the world of each at the end.
    A check whose attribute `last` is set follows the others. A check that failed beside others runs again alone, since
    they may have delayed it; both results are printed. What a sanitizer reports is a failure at once."""
    chosen = [f for f in checks if not wanted or f.__name__ in wanted]
    failed = run_beside(world, [f for f in chosen if not hasattr(f, "last")], after, lanes)
    if lanes > 1:
        again, failed = failed, []
        for f, wrong in again:
            clear = re.search("Sanitizer|runtime error", wrong)
            print("%s %s" % ("FAIL" if clear else "again, alone:", wrong), flush=True)
            failed += [(f, "")] if clear else run_beside(world, [f], after, 1)
    failed += run_beside(world, [f for f in chosen if hasattr(f, "last")], after, 1)
    for _, wrong in failed:
        print("FAIL %s" % wrong if wrong else "", flush=True)
    print("%d passed, %d failed" % (len(chosen) - len(failed), len(failed)))
    return 1 if failed else 0
