"""answers.py [NAME...] - every command x every answer of its exchange x every way in which the answer can be broken.
The server does not do what a request with a broken answer asks for. So a command must not exit with 0, unless it did
its work with other answers; it must say why; and it must end. Names select commands; with -v, every case is printed."""
import copy
import gzip
import json
import queue
import re
import subprocess
import sys
import threading
import time
import urllib.parse

import world
from typical import COMMANDS, Restored
from world import NOW, Failure, must

LIMIT = 30                              # seconds that a command may take, at most

ANY = ["null", "text", "html", "empty", "cut", "longer", "shorter", "bomb", "status"]
MODES = {"object": ANY + ["kind", "name", "namespace"], "review": ANY + ["kind"], "list": ANY + ["kind", "namespace", "none", "noitems"],
         "watch": ["null", "text", "html", "empty", "cut", "bomb", "kind", "namespace", "none"], "log": ["html", "longer"],
         "discovery": ANY + ["kind"]}


class Broken(Restored):
    """A server that gives one answer in a broken form."""

    def __init__(self):
        super().__init__()
        self.broken, self.seen, self.order = None, {}, []

    def restore(self, broken):
        """The saved state; BROKEN: (key of the request, mode) or None."""
        with self.lock:
            super().restore()
            self.seen, self.order, self.broken = {}, [], broken

    def key(self, method, path, query):
        """A request by what it asks for, and the how manyeth such request it is: requests that run in parallel
        arrive in any order."""
        where = self.place(path)
        if query.get("watch") == "true":
            what = "watch"
        elif path.endswith("/log"):
            what = "log"
        elif "reviews" in path:
            what = "review"
        elif not where:
            what = "discovery"
        else:
            what = "list" if method == "GET" and not where[2] else "object"
        first = (what, method, path)
        self.seen[first] = self.seen.get(first, 0) + 1
        return first + (self.seen[first],)

    def serve(self, h):
        path, query, body = self.take_request(h)
        threading.current_thread().generation = self.generation
        with self.lock:
            key = self.key(h.command, path, query)
            self.order.append(key)
            mode = self.broken[1] if self.broken and self.broken[0] == key else None
            self.requests.append((h.command, h.path, body.decode()))
        where = self.place(path)
        if mode:
            self.break_answer(h, mode, key[0], where, query, body)
        elif key[0] == "watch":
            self.watch(h, where, query)
        elif key[0] == "log":
            self.log(h, where[2], False)
        else:
            world.reply(h, *self.answer(h.command, path, query, h.headers, body))

    # ---- broken answers ----

    def right_answer(self, h, what, where, query, body):
        """The answer that would be right, made without any change."""
        if what == "log":
            return b"".join(b"%s line\n" % NOW.encode() for _ in range(3))
        if what == "watch":
            events = [{"type": "ADDED", "object": o} for o in self.listed(where[0], where[1], query)]
            end = {"kind": self.kinds[where[0]][2], "apiVersion": "v1", "metadata": {
                "resourceVersion": str(self.version), "annotations": {"k8s.io/initial-events-end": "true"}}}
            return events + [{"type": "BOOKMARK", "object": end}]
        before = copy.deepcopy((self.objects, self.version, self.events))
        code, document = self.answer(h.command, urllib.parse.urlsplit(h.path).path, query, h.headers, body)
        document = copy.deepcopy(document)
        self.objects, self.version, self.events = before
        if code >= 300 and where:
            group, version, kind = self.kinds[where[0]]
            document = {"kind": kind, "apiVersion": group + "/" + version if group else version,
                        "metadata": {"name": where[2] or "x", "namespace": where[1], "uid": "u", "resourceVersion": "1"}}
        return document

    def break_answer(self, h, mode, what, where, query, body):
        with self.lock:
            document = self.right_answer(h, what, where, query, body)
        objects = [e["object"] for e in document] if what == "watch" else document.get("items", []) if what == "list" else [document]
        if mode == "kind":
            for o in objects if what == "watch" else [document]:
                o["kind"] = "GadgetList" if what == "list" else "Gadget"
        elif mode == "name":
            (document.get("details", {}) if document["kind"] == "Status" else document["metadata"])["name"] = "other"
            document = {"kind": "Status", "apiVersion": "v1", "status": "Success", "details": {"name": "other"}} if document["kind"] == "Status" else document
        elif mode == "namespace" and document["kind"] == "Status" if what == "object" else False:
            document = dict(self.get(where[0], where[2], where[1]), metadata={"name": where[2], "namespace": "elsewhere"})
        elif mode == "namespace":
            for o in objects:
                o.setdefault("metadata", {})["namespace"] = "elsewhere"
        elif mode == "none":
            document = document[-1:] if what == "watch" else dict(document, items=[])
        elif mode == "noitems":
            del document["items"]
        elif mode == "status":
            document = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500, "message": "broken"}
        if what == "log":
            text = document
        elif what == "watch":
            text = b"".join(json.dumps(e).encode() + b"\n" for e in document)
        else:
            text = json.dumps(document).encode()
        self.send_broken(h, mode, text, "text/plain" if what == "log" else "application/json")

    def send_broken(self, h, mode, text, kind):
        length, more = None, {}
        if mode in ("null", "text", "empty"):
            text = {"null": b"null", "text": b'"x"', "empty": b""}[mode]
        elif mode == "html":
            text, kind = b"<html>log in</html>", "text/html"
        elif mode == "cut":
            text = text[:len(text) // 2]
        elif mode == "longer":
            length = len(text) + 100
        elif mode == "shorter":
            length = len(text) // 2
        elif mode == "bomb":
            text, more = BOMB, {"Content-Encoding": "gzip"}
        h.send_response(200)
        for name, value in {"Content-Type": kind, "Content-Length": len(text) if length is None else length, **more}.items():
            h.send_header(name, str(value))
        h.end_headers()
        h.wfile.write(text)
        if length is not None:
            h.close_connection = True


BOMB = gzip.compress(b'{"kind":"' + b"x" * (80 << 20) + b'"}', 6)


# ---- cases ----

def run(w, command):
    words = [world.TRAINC, *command.words]
    if command.name not in ("version",):
        words += ["--retry-timeout", "1s"]
    p = subprocess.Popen(words, cwd=w.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=w.environment())
    try:
        out, err = p.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        return None, out.decode(errors="replace"), err.decode(errors="replace")
    return p.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def judge(w, command, mode, got):
    """What is wrong with a result; empty: nothing."""
    code, out, err = got
    if code is None:
        return "it did not end in %d s" % LIMIT
    if code < 0 or code in (70, 134, 139) or "ERROR: " in err:
        return "it died"
    if code == 0 and not command.done(w, out) and not (command.reads and mode == "none"):
        return "success without the work"
    if re.search(r"^trainc: *$", err, re.M) or (code and code != command.status and not err.strip()):
        return "no message"
    return ""


def prepared(command):
    w = Broken()
    if command.prepare:
        command.prepare(w)
    w.save()
    return w


def work(todo, problems, cases, verbose):
    while True:
        try:
            command = todo.get_nowait()
        except queue.Empty:
            return
        w = prepared(command)
        try:
            w.restore(None)
            code, out, err = run(w, command)
            if code != command.status:
                problems.append("%s: unbroken: status %s\n%s\n%s" % (command.name, code, out, err))
            # the first and the second of many access reviews stand for the others
            for key in sorted(k for k in set(w.order) if k[0] != "review" or k[3] <= 2):
                for mode in MODES[key[0]]:
                    w.restore((key, mode))
                    began = time.monotonic()
                    got = run(w, command)
                    wrong = judge(w, command, mode, got)
                    cases.append(command.name)
                    if verbose:
                        print("%-8s %-60s %-9s %4s %5.2f s  %s" % (command.name, " ".join(map(str, key)), mode, got[0], time.monotonic() - began,
                                                                 got[2].strip().split("\n")[-1][:150]))
                    if wrong:
                        problems.append("%s: %s, %s: %s: status %s\n%s%s" % (command.name, " ".join(map(str, key)), mode, wrong, *got))
        except Failure as e:
            problems.append("%s: %s" % (command.name, e))
        finally:
            w.close()


def main(words):
    verbose, names = "-v" in words, [x for x in words if x != "-v"]
    todo, problems, cases = queue.Queue(), [], []
    for c in COMMANDS:
        if not names or c.name in names:
            todo.put(c)
    workers = [threading.Thread(target=work, args=(todo, problems, cases, verbose)) for _ in range(2)]
    for t in workers:
        t.start()
    for t in workers:
        t.join()
    for p in problems:
        print("FAIL", p)
    must(len(cases) > 10, "no case ran")
    print("%d passed, %d failed" % (len(cases) - len(problems), len(problems)))
    return 1 if problems else 0


sys.exit(main(sys.argv[1:]))
