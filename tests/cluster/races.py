"""races.py [NAME...] - two users apply differing programs as one run.  One command is stopped at each of its writes,
before or after the server has carried it out, while the other one runs to its end; then the first one continues.  One
of them wins: what is in the cluster is what its program says, and the other one says that it lost."""
import json
import re
import sys
import threading

import world
from world import main, must

CHECKS = []
WRITES = ("POST", "PATCH", "DELETE")


def check(f):
    CHECKS.append(f)
    return f


def program(*roles, name="demo"):
    """A job with these roles: (name, replicas, contents of a file or None)."""
    text = 'job "%s" {\n  image = "busybox:1"\n' % name
    for role, replicas, content in roles:
        text += '  role %s {\n    replicas = %d\n    command = ["train"]\n    cpu = 1\n    memory = 1Gi\n' % (role, replicas)
        if content:
            text += "    files {\n%s    }\n" % "".join('      "/etc/%s.txt" = "%s"\n' % x for x in sorted(content.items()))
        text += "  }\n"
    return text + "  success = done(worker)\n}\n"


PROGRAMS = {
    "base": program(("worker", 1, {"a": "base"})),
    "roles": program(("worker", 1, {"a": "base"}), ("third", 1, {"t": "third"})),
    "files": program(("worker", 1, {"a": "other", "b": "more"})),
    "replicas": program(("worker", 3, {"a": "base"})),
    "few": program(("worker", 1, None)),
}


def strip(o):
    """What a program says of an object: without what the server and the commands add."""
    o = json.loads(json.dumps(o))
    for key in ("resourceVersion", "uid", "creationTimestamp"):
        o["metadata"].pop(key, None)
    o["metadata"].get("annotations", {}).pop("trainc.dev/record-digest", None)
    o.pop("status", None)
    return o


def objects_of(w):
    return {k: strip(o) for k, o in w.objects.items() if k[0] in ("jobs", "services", "configmaps", "secrets") and not k[2].endswith(".trainc")}


class Cluster(world.World):
    """A server that, as a real one, removes what an applied object no longer has."""

    def on_patch(self, where, query, headers, body):
        old = self.objects.get(where)
        if not old or "apply-patch" not in headers["Content-Type"] or where[2].endswith(".trainc"):
            return super().on_patch(where, query, headers, body)
        kept = {key: old["metadata"][key] for key in ("uid", "resourceVersion", "creationTimestamp")}
        new = dict(json.loads(json.dumps(body)), **{key: old[key] for key in ("kind", "apiVersion", "status") if key in old})
        new["metadata"].update(kept)
        return (200, old) if new == old else self.stored(*where[:2], new, 200, "dryRun" in query)


def fresh(before):
    """A cluster in which BEFORE has been applied."""
    w = Cluster()
    if before:
        w.write("before.tj", before)
        w.want(0, "apply", "--no-wait", "before.tj")
    return w


def writes_of(before, text):
    """The writes of apply, and the objects when it has ended."""
    w = fresh(before)
    try:
        w.write("one.tj", text)
        w.want(0, "apply", "--no-wait", "--yes", "one.tj")
        return [r[:2] for r in w.requests if r[0] in WRITES and "selfsubject" not in r[1]], objects_of(w)
    finally:
        w.close()


class Stop:
    """Stops a command at its Nth write, BEFORE or after the server carries it out, until go()."""

    def __init__(self, w, n, before):
        self.w, self.left, self.before = w, n, before
        self.reached, self.released = threading.Event(), threading.Event()
        self.after, self.answer = [], w.answer
        w.answer = self.stop

    def stop(self, method, path, query, headers, body):
        mine = headers.get("User-Agent", "") and method in WRITES and "selfsubject" not in path
        first = False
        if mine and not self.reached.is_set():
            with self.w.lock:
                self.left -= 1
                first = self.left == 0
        if not first:
            return self.answer(method, path, query, headers, body)
        if self.before:
            self.reached.set()
            self.released.wait(60)
            return self.answer(method, path, query, headers, body)
        got = self.answer(method, path, query, headers, body)
        self.reached.set()
        self.released.wait(60)
        return got


def race(w, one, two, n, before, late=None):
    """Stops the first command at write N while the second one runs.  (status, stderr) of both, and what the first one
    wrote after the second had ended."""
    w.write("one.tj", one)
    w.write("two.tj", two)
    stop = Stop(w, n, before)
    first = w.start("apply", "--no-wait", "--yes", "one.tj")
    must(stop.reached.wait(60), "write %d was never reached" % n)
    if late:
        late(w)
    second = w.start("apply", "--no-wait", "--yes", "two.tj")
    _out, err = second.communicate(timeout=60)
    with w.lock:
        w.requests.clear()
    stop.released.set()
    _out, first_err = first.communicate(timeout=60)
    return (first.returncode, first_err), (second.returncode, err), [r[:2] for r in w.requests if r[0] in WRITES]


def judge(w, ends, names, results, what):
    """Fails unless one of the two programs is what the cluster has, and the other command says that it lost."""
    (one, two), (a, b) = names, results
    must(sorted((a[0], b[0])) in ([0, 5], [0, 0]), what)
    if a[0] == b[0] == 0:               # one after the other, or one of them had nothing to do
        must(objects_of(w) in (ends[one][1], ends[two][1]), what)
        return
    winner, err = (one, b[1]) if a[0] == 0 else (two, a[1])
    must(re.search(r"somebody else is (applying|deleting)", err), what)
    must(objects_of(w) == ends[winner][1], (what, winner, objects_of(w), ends[winner][1]))


@check
def each_write(_w):
    """every write x two programs that differ in roles, files or replicas: one command wins, and the cluster has what its
    program says; the other one exits with 5 and says so"""
    races = 0
    for before, pairs in ((None, [("roles", "files")]), ("base", [("roles", "files"), ("replicas", "roles"), ("files", "replicas")]),
                          ("roles", [("files", "replicas"), ("few", "files")])):
        ends = {name: writes_of(PROGRAMS.get(before), PROGRAMS[name]) for name in sorted({name for pair in pairs for name in pair})}
        for one, two in pairs:
            for n in range(1, len(ends[one][0]) + 1):
                for early in (True, False):
                    races += 1
                    w = fresh(PROGRAMS.get(before))
                    try:
                        a, b, _after = race(w, PROGRAMS[one], PROGRAMS[two], n, early)
                        judge(w, ends, (one, two), (a, b), (before, one, two, n, ends[one][0], early, a, b))
                    finally:
                        w.close()
    must(races >= 60, races)
    print("%d races" % races)


def set_back(w):
    """Lets the record look as if the command that applies the run had given no sign of life for an hour."""
    o = w.get("configmaps", "demo.trainc")
    o["data"]["hash"] = re.sub(r" (\d+)$", lambda m: " %d" % (int(m[1]) - 3600000), o["data"]["hash"])
    w.put("configmaps", "default", o)


@check
def silent_for_long(_w):
    """a command that has given no sign of life for minutes: the next one takes over; when the first one goes on, it ends
    the stage that it had begun, and changes nothing more"""
    ends = {name: writes_of(None, PROGRAMS[name]) for name in ("roles", "files")}
    for n in range(2, len(ends["roles"][0])):
        for early in (True, False):
            w = fresh(None)
            try:
                a, b, after = race(w, PROGRAMS["roles"], PROGRAMS["files"], n, early, late=set_back)
                must((a[0], b[0]) == (5, 0) and "applying or deleting run 'demo' at the same time" in a[1], (n, early, a, b))
                under_way = {x[1].split("/")[-2] for x in after if "demo.trainc" not in x[1]}
                must(len(under_way) <= 1 and "DELETE" not in {x[0] for x in after}, (n, early, after))
            finally:
                w.close()


@check
def killed(w):
    """kill -9 at a write: the same program continues at once; another one is refused, and nothing is changed, until two
    minutes have passed"""
    w.write("one.tj", PROGRAMS["roles"])
    stop = Stop(w, 3, True)
    first = w.start("apply", "--no-wait", "--yes", "one.tj")
    must(stop.reached.wait(60), "never reached")
    first.kill()
    first.communicate()
    stop.released.set()
    w.write("two.tj", PROGRAMS["files"])
    w.want(5, "apply", "--no-wait", "--yes", "two.tj", err=r"somebody else is applying another program as run 'demo' since \d+s; nothing was changed")
    must(not [r for r in w.requests if r[0] in WRITES and "selfsubject" not in r[1]], w.requests)
    w.want(0, "apply", "--no-wait", "--yes", "--dry-run=server", "two.tj")
    w.want(0, "apply", "--no-wait", "--yes", "one.tj", out="run/demo configured")
    w.want(0, "apply", "--no-wait", "--yes", "two.tj")
    set_back(w)


@check
def interrupted(w):
    """control-C at a write: the record says that nobody applies the run, so another program can be applied at once"""
    w.write("one.tj", PROGRAMS["roles"])
    stop = Stop(w, 3, True)
    first = w.start("apply", "--no-wait", "--yes", "one.tj")
    must(stop.reached.wait(60), "never reached")
    w.interrupt(first)
    stop.released.set()
    first.communicate(timeout=60)
    must(first.returncode == 130, first.returncode)
    w.write("two.tj", PROGRAMS["files"])
    w.want(0, "apply", "--no-wait", "--yes", "two.tj")


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
