"""sync.py [NAME...] - `trainc sync`: replicas are processes of this machine, which the scripts of the pod start, stop and give
new code; each of them is made to fail in turn."""
import base64
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import code as codes
from api_memory import TRAINC, must, reply, run_checks, status
from copies import words_of
from streams import Streams, after
from web_socket import CLOSE, FAILURE, PING, ended, frame, message

CHECKS = []
PROGRAM = '''job "b" {
  image = "busybox:1"
  code { dir = "src", sync = true }
  role worker {
    replicas = %d
    command  = ["sh", "train.sh"]
    cpu      = 1
    memory   = 1Gi
    grace    = 2s
  }
}
'''
TRAIN = 'echo "start %s $(cat lib/x 2>/dev/null)" >> ../out; %s\nwhile :; do sleep 0.05; done\n'


def check(f):
    CHECKS.append(f)
    return f


class Replica:
    """A container whose directory /code is DIR."""

    def __init__(self, w, index):
        self.index, self.top = index, os.path.join(w.dir, "replica-%d" % index)
        self.dir, parts = os.path.join(self.top, "code"), os.path.join(self.top, "parts")
        os.makedirs(self.dir)
        os.mkdir(parts)
        pod = w.get("jobs", "b-worker")["spec"]["template"]["spec"]
        for part in w.names("configmaps"):
            for key, text in w.get("configmaps", part).get("binaryData", {}).items():
                with open(os.path.join(parts, key), "wb") as f:
                    f.write(base64.b64decode(text))
        self.unpack = self.words(pod["initContainers"][0]["command"], parts)
        subprocess.run(self.unpack, check=True)
        self.main = subprocess.Popen(self.words(pod["containers"][0]["command"]), cwd=self.dir, start_new_session=True)

    def words(self, words, parts=""):
        """Words of a container, as Kubernetes changes them, with paths of this machine."""
        return [self.dir if x == "/code" else x.replace("$$(", "$(").replace("/.trainc/code", parts) for x in words]

    def said(self):
        path = os.path.join(self.top, "out")
        return open(path).read().splitlines() if os.path.exists(path) else []

    def files(self):
        return {os.path.relpath(os.path.join(at, n), self.dir) for at, _, names in os.walk(self.dir) for n in names if ".trainc" not in at}

    def id(self):
        return open(os.path.join(self.dir, ".trainc/id")).read().strip()

    def end(self):
        for kill, number in (os.killpg, lambda: self.main.pid), (os.kill, lambda: int(open(os.path.join(self.dir, ".trainc/pid")).read())):
            try:
                kill(number(), signal.SIGKILL)
            except (OSError, ValueError):
                pass
        self.main.wait()


class Fleet(Streams, codes.World):
    """A cluster with the run b, whose replicas may be synced."""

    def __init__(self):
        super().__init__()
        self.replicas, self.faults_at, self.script = [], {}, self.container
        self.go, self.received, self.notes = [], [], threading.Lock()

    def begin(self, n, program=PROGRAM):
        self.train("v1", {"old": "1", "lib/x": "one"})
        self.write("b.tj", program % n)
        self.want(0, "apply", "--no-wait", "b.tj")
        self.replicas = [Replica(self, i) for i in range(n)]
        self.wait_for("the programs", lambda: all(r.said() for r in self.replicas))

    def train(self, version, files=(), more="trap 'exit 0' TERM"):
        """Writes the source with these files besides train.sh."""
        src = os.path.join(self.dir, "src")
        subprocess.run(["rm", "-rf", src], check=True)
        for name, text in {"train.sh": TRAIN % (version, more), **dict(files)}.items():
            os.makedirs(os.path.dirname(os.path.join(src, name)), exist_ok=True)
            with open(os.path.join(src, name), "w") as f:
                f.write(text)

    def container(self, s):
        """Runs the command of the stream; a fault of the replica happens at its step: have, archive, ready, go or end."""
        r = self.replicas[int(re.search(r"/pods/b-worker-(\d+)-", s.path).group(1))]
        at, what = self.faults_at.get(r.index, (None, None))
        if at == "open":
            what(s)
            return
        s.accept()
        p = subprocess.Popen(r.words(words_of(s.path)), cwd=r.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pour = threading.Thread(target=self.pour, args=(s, p, r, at), daemon=True)
        pour.start()
        while line := p.stdout.readline():
            if at == line.split()[0].decode():
                if what == "kill":
                    p.kill()
                    p.wait()
                    s.h.connection.shutdown(2)
                elif what:
                    what(s)
                else:
                    p.stdin.close() if not p.stdin.closed else None
                    p.wait()
                    s.h.connection.shutdown(2)
                return
            s.send(message(1, line))
        err = p.stderr.read()
        s.send(message(2, err), ended(p.wait()))

    def pour(self, s, p, r, at):
        n = 0
        try:
            while x := s.read():
                if x[0] == PING:
                    continue
                if x[0] == CLOSE or x[1][:1] == b"\xff":
                    break
                if at == "archive":
                    s.h.connection.shutdown(2)
                    break
                if x[1][1:] == b"go\n":
                    with self.notes:
                        self.go.append(r.index)
                    if at == "go":
                        s.h.connection.shutdown(2)
                n += len(x[1]) - 1
                p.stdin.write(x[1][1:])
                p.stdin.flush()
        except (OSError, ValueError):
            pass
        with self.notes:
            self.received.append(n)
        try:
            p.stdin.close()
        except (OSError, ValueError):
            pass

    def labels(self):
        return [self.get("pods", "b-worker-%d-x" % r.index)["metadata"]["labels"]["trainc.dev/code"] for r in self.replicas]

    def record(self):
        return [x["id"] for x in json.loads(self.get("configmaps", "b.trainc")["data"]["code"])]

    def close(self):
        for r in self.replicas:
            r.end()
        super().close()


def settled(w):
    """Is nothing of an attempt left in any replica?"""
    return not [r for r in w.replicas if os.path.exists(os.path.join(r.dir, ".trainc/new"))]


@check
def whole(w):
    """all replicas get the code and start again in the same containers; files that are gone from it are deleted, others stay"""
    w.begin(3)
    before = w.record()[0]
    with open(os.path.join(w.replicas[1].dir, "written"), "w") as f:
        f.write("mine")
    w.train("v2", {"new/deep/file": "2", "lib": "a file now"})
    out, _ = w.want(0, "sync", "b", out=r"^run/b synced worker: 3 of 3 replicas run [0-9a-f]{12} \(was %s\), 5 files changed, \d+\.\d s\n$" % before[:12])
    now = out.split()[8]
    for r in w.replicas:
        must([x.split()[1] for x in r.said()] == ["v1", "v2"] and r.main.poll() is None, r.said())
        must(r.files() == {"train.sh", "new/deep/file", "lib"} | ({"written"} if r.index == 1 else set()), r.files())
        must(r.id().startswith(now) and sorted(os.listdir(os.path.join(r.dir, ".trainc"))) == ["files", "id", "pid"], r.id())
    must(w.labels() == [now] * 3 and w.record()[0].startswith(now), (w.labels(), w.record()))
    must(sorted(w.go) == [0, 1, 2] and settled(w), w.go)
    out, _ = w.want(0, "status", "b", "-o", "wide")
    must(out.count(now + "*") == 3, out)
    run = json.loads(w.want(0, "status", "b", "-o", "json")[0])["runs"][0]
    must(run["code"][0]["id"] == w.record()[0] and {r["code"] for r in run["replicas"]} == {now} and not run.get("cause"), run)
    w.want(0, "sync", "b.tj", out=r"^run/b unchanged worker: 3 of 3 replicas run %s\n$" % now)
    must(len(w.go) == 3 and all(len(r.said()) == 2 for r in w.replicas), "an unchanged replica was restarted")
    w.want(0, "sync", "b", "--restart")
    must(all(len(r.said()) == 3 for r in w.replicas), [r.said() for r in w.replicas])
    w.train("v3")
    doc = json.loads(w.want(0, "sync", "b", "-o", "json", "--no-restart")[0])
    run = doc["runs"][0]
    must(doc["schemaVersion"] == 1 and (run["name"], run["namespace"], run["result"], run["changed"]) == ("b", "default", "synced", 3), doc)
    must(run["from"].startswith(now) and run["to"] == w.record()[0] and run["replicas"][1] == {"role": "worker", "index": 1, "result": "synced"}, doc)
    must(all(len(r.said()) == 3 and r.files() - {"written"} == {"train.sh"} for r in w.replicas), "restarted, or other files")
    w.replicas[0].main.send_signal(signal.SIGTERM)
    must(w.replicas[0].main.wait(10) == 143, "the exit status after TERM, of a program that ends with 0")


@check
def later_pod(w):
    """a pod that is created later has the code of its template: status says so, and the next sync gives it the code"""
    w.begin(2)
    w.train("v2")
    w.want(0, "sync", "b")
    now = w.labels()[0]
    w.replicas[1].end()
    os.rename(w.replicas[1].top, w.replicas[1].top + ".old")
    w.replicas[1] = Replica(w, 1)
    pod = w.get("pods", "b-worker-1-x")
    pod["metadata"]["labels"]["trainc.dev/code"] = w.get("jobs", "b-worker")["metadata"]["labels"]["trainc.dev/code"]
    w.put("pods", "default", pod)
    w.want(0, "status", "b", out="worker: 1 of 2 replicas runs other code; run 'trainc sync b'")
    w.wait_for("the program", lambda: w.replicas[1].said())
    w.want(0, "sync", "b", out="2 of 2 replicas run " + now)
    must(len(w.replicas[0].said()) == 2 and [x.split()[1] for x in w.replicas[1].said()] == ["v1", "v2"], [r.said() for r in w.replicas])
    must("other code" not in w.want(0, "status", "b")[0], "the cause stays")
    subprocess.run(w.replicas[1].unpack, check=True)        # the node was started again, and the step runs again
    must(w.replicas[1].id().startswith(now), "the step has put the old code back")


@check
def restart(w):
    """restart of a replica with sync starts its program in place; apply of other code names sync"""
    w.begin(2)
    w.want(0, "restart", "b", "worker/1", out="run/b restarts worker/1")
    must([len(r.said()) for r in w.replicas] == [1, 2] and w.replicas[1].main.poll() is None, [r.said() for r in w.replicas])
    must(not [r for r in w.requests if "/eviction" in r[1]], "an eviction")
    w.train("v2")
    cause = {"reason": "FieldValueInvalid", "message": "field is immutable", "field": "spec.template"}
    w.fault("PATCH", "/jobs/b-worker", status(422, "Invalid", "field is immutable", [cause]), times=9)
    w.want(5, "apply", "--no-wait", "b.tj", err="'trainc sync b' gives running replicas new code, if nothing else has changed")


def denied(s):
    reply(s.h, *status(403, "Forbidden", 'pods "x" is forbidden: User "eve" cannot create resource "pods/exec" in API group "" in the namespace "default"'))


def missing(s):
    s.accept()
    failure = dict(FAILURE, reason="InternalError", message='exec: "sh": executable file not found in $PATH')
    s.send(message(3, json.dumps(failure).encode()), frame(CLOSE, b"\x03\xe8"))


def answers(*lines):
    def send(s):
        s.accept()
        for line in lines:
            s.send(message(1, line))
        s.read_until(lambda *_: False)
    return send


HAVE = b"have " + b"a" * 64 + b"\n"
FAULTS = [
    ("open", denied, "pods/exec"), ("open", missing, "has no sh"), ("open", lambda s: s.h.connection.shutdown(2), ""),
    ("open", answers(b"have ../../etc\n"), "makes no sense"), ("open", answers(b"ready\n"), "makes no sense"), ("open", answers(b"running\n"), "makes no sense"),
    ("open", answers(HAVE, b"running\n"), "makes no sense"), ("open", answers(HAVE, b"changed 1\n"), "makes no sense"), ("open", answers(HAVE, HAVE), "makes no sense"),
    ("open", answers(b"x" * 5000), "makes no sense"), ("open", answers(b"have none\n", b"failed\n"), ""),
    ("have", None, ""), ("archive", None, ""), ("ready", None, ""),
    ("ready", lambda s: s.send(message(1, b"failed\n"), message(2, b"no room\x1b[2J\n"), ended(65)), "no room"),
]


@check
def nothing_anywhere(w):
    """a replica that fails before all are ready: nothing is changed in any, whichever it is and wherever it fails"""
    w.begin(3)
    before, label = [r.files() for r in w.replicas], w.labels()
    ids, record = [r.id() for r in w.replicas], w.record()
    w.train("v2", {"more": "x" * 100000})
    for n, (at, what, said) in enumerate(FAULTS):
        w.faults_at = {n % 3: (at, what)}
        _, err = w.want(8, "sync", "b", err="worker/%d: .*%s" % (n % 3, said)) if said != "pods/exec" else w.want(4, "sync", "b", err=said)
        must("nothing was changed in any replica" in err and "\x1b" not in err, err)
        must([r.files() for r in w.replicas] == before and [r.id() for r in w.replicas] == ids, (n, [r.files() for r in w.replicas]))
        must(all(len(r.said()) == 1 for r in w.replicas) and not w.go, (n, [r.said() for r in w.replicas], w.go))
        w.wait_for("the end of the scripts", lambda: settled(w))
        must(w.labels() == label and w.record() == record, (n, w.labels()))
    w.faults_at = {}
    os.mkdir(os.path.join(w.replicas[2].dir, "more"))
    with open(os.path.join(w.replicas[2].dir, "more/checkpoint"), "w") as f:
        f.write("mine")
    w.want(8, "sync", "b", err="worker/2: .*more is a directory in which the program has written")
    must([r.id() for r in w.replicas] == ids and not w.go, w.go)
    os.rename(os.path.join(w.replicas[2].dir, "more"), os.path.join(w.replicas[2].dir, "kept"))
    w.want(0, "sync", "b", out="3 of 3 replicas")


@check
def too_late(w):
    """a replica that fails after that is named, and the same command completes what was begun"""
    w.begin(2)
    w.train("v2")
    w.faults_at = {1: ("go", None)}
    w.want(8, "sync", "b", err="worker/1: .*\n.*replicas may have different code now; the same command completes what was begun")
    must(w.record()[0] == w.replicas[0].id() and w.labels()[0] == w.record()[0][:12], (w.record(), w.labels()))
    w.faults_at = {}
    w.want(0, "sync", "b", out="2 of 2 replicas run")
    must({r.id() for r in w.replicas} == {w.record()[0]} and set(w.labels()) == {w.record()[0][:12]}, w.labels())


@check
def swapped_only(w):
    """a replica that has the files and whose program was not started again is not called unchanged: the next sync starts it"""
    w.begin(2)
    w.train("v2")
    w.want(0, "sync", "b", "--no-restart", out="2 of 2 replicas have")
    w.want(0, "sync", "b", "--no-restart", out="unchanged worker: 2 of 2 replicas have")
    must(all([x.split()[1] for x in r.said()] == ["v1"] for r in w.replicas), [r.said() for r in w.replicas])
    w.want(0, "sync", "b", out="2 of 2 replicas run")
    must(all([x.split()[1] for x in r.said()] == ["v1", "v2"] for r in w.replicas), [r.said() for r in w.replicas])
    w.want(0, "sync", "b", out="unchanged worker: 2 of 2 replicas run")
    must(settled(w) and all(len(r.said()) == 2 for r in w.replicas), [r.said() for r in w.replicas])
    w.train("v3")
    w.faults_at = {1: ("changed", "kill")}
    w.want(8, "sync", "b", err="the same command completes what was begun")
    w.faults_at = {}
    subprocess.run(["rm", "-rf", os.path.join(w.replicas[1].dir, ".trainc/new")], check=True)
    w.want(0, "sync", "b", out="2 of 2 replicas run")
    must(all(r.said()[-1].split()[1] == "v3" for r in w.replicas), [r.said() for r in w.replicas])


@check
def two_writers(w):
    """somebody else writes the record meanwhile: his roles stay as he noted them; the last try tells when it was not written"""
    w.begin(1)
    w.train("v2")
    conflict = status(409, "Conflict", "the object has been modified")
    w.fault("PATCH", "/configmaps/b.trainc", conflict, times=2)
    w.want(0, "sync", "b", out="1 of 1 replicas run")
    must(w.record()[0] == w.replicas[0].id(), w.record())
    w.train("v3")
    w.fault("PATCH", "/configmaps/b.trainc", conflict, times=99)
    w.want(5, "sync", "b", err="modified")


@check
def killed(w):
    """trainc that is killed or interrupted before all are ready has changed nothing"""
    w.begin(2)
    ids = [r.id() for r in w.replicas]
    w.train("v2", {"big": os.urandom(2000).hex() * 100})
    for number in signal.SIGKILL, signal.SIGINT:
        for at in "have", "ready":
            waits, over = threading.Event(), threading.Event()
            w.faults_at = {1: (at, lambda _, waits=waits, over=over: waits.set() or over.wait(20))}
            p = w.start("sync", "b")
            must(waits.wait(20), "it did not come so far")
            p.send_signal(number)
            p.communicate(timeout=20)
            over.set()
            must(p.returncode == (-9 if number == signal.SIGKILL else 130), p.returncode)
            w.wait_for("the end of the scripts", lambda: settled(w))
            must([r.id() for r in w.replicas] == ids and all(len(r.said()) == 1 for r in w.replicas) and not w.go, (at, w.go))
    w.faults_at = {}
    w.want(0, "sync", "b", out="2 of 2")


class Watching:
    """`trainc sync --watch`, and what it has printed."""

    def __init__(self, w, *words):
        self.world, self.p, self.out, self.err = w, w.start("sync", "--watch", *words), [], []
        self.readers = [threading.Thread(target=lambda f=f, to=to: to.extend(iter(f.readline, "")), daemon=True)
                        for f, to in ((self.p.stdout, self.out), (self.p.stderr, self.err))]
        for t in self.readers:
            t.start()
        self.says("waiting for changes; Ctrl-C ends this and leaves the run running")

    def says(self, text):
        self.world.wait_for(text, lambda: text in "".join(self.out + self.err))

    def ended(self, code):
        must(self.p.wait(timeout=20) == code, (self.p.returncode, self.out, self.err))
        for t in self.readers:
            t.join(10)


@check
def watched(w):
    """--watch syncs after each change, tries again by itself after a failure, and ends with a signal or with the run"""
    w.begin(2)
    x = Watching(w, "b")
    for version in "v2", "v3":
        before = len(x.out)
        w.train(version, {"lib/%d" % i: str(i) for i in range(50)})
        w.wait_for("one line", lambda: len(x.out) > before)
        w.wait_for("the new program", lambda: all(r.said()[-1].split()[1] == version for r in w.replicas))
        must(len(x.out) == before + 1 and "2 of 2 replicas run " in x.out[-1], x.out)
    ids = [r.id() for r in w.replicas]
    w.faults_at = {1: ("have", None)}
    w.train("v4")
    x.says("the same again in 2 s, or after the next change")
    must([r.id() for r in w.replicas] == ids and "nothing was changed in any replica" in "".join(x.err), x.err)
    w.faults_at = {}
    w.wait_for("the next try", lambda: all(r.said()[-1].split()[1] == "v4" for r in w.replicas))
    x.says("(was %s)" % ids[0][:12])
    os.kill(x.p.pid, signal.SIGINT)
    x.ended(130)
    must(settled(w), "something is left")
    x = Watching(w, "b.tj")
    w.want(0, "delete", "b", "--yes")
    x.ended(0)
    must("run 'b' was deleted" in "".join(x.err), x.err)


@check
def stubborn(w):
    """a program that ignores TERM is killed after its grace period; one that fails at once ends its container"""
    w.begin(1)
    w.train("v2", more="trap '' TERM")
    w.want(0, "sync", "b")
    w.train("v3")
    begin = time.monotonic()
    w.want(0, "sync", "b", out="1 of 1")
    must(1.5 < time.monotonic() - begin < 6 and [x.split()[1] for x in w.replicas[0].said()] == ["v1", "v2", "v3"], w.replicas[0].said())


@check
def refused(w):
    """what cannot be synced is refused before any stream is opened"""
    w.begin(2)
    w.train("v2")
    seen = len(w.seen)
    w.write("c.tj", PROGRAM.replace('"b"', '"c"').replace(", sync = true", "") % 1)
    w.want(0, "apply", "--no-wait", "c.tj")
    w.want(5, "sync", "c", err=r"job 'c' of the program may not be synced: it needs code \{ sync = true \}")
    w.write("c.tj", PROGRAM.replace('"b"', '"c"') % 1)
    w.want(5, "sync", "c", err=r"role 'worker' of run 'c' was started without 'code \{ sync = true \}'")
    w.want(2, "sync", "b", "--role", "ps", err="job 'b' has no role 'ps'")
    w.want(2, "sync", "b", "--restart", "--no-restart", err="exclude each other")
    os.rename(os.path.join(w.dir, "b.tj"), os.path.join(w.dir, "elsewhere.tj"))
    w.want(2, "sync", "b", err="the program of run 'b', 'b.tj', is not here; name it: trainc sync FILE --job b")
    w.write("src/.env", "TOKEN=1\n")
    w.want(1, "sync", "elsewhere.tj", err="TJ1303")
    os.unlink(os.path.join(w.dir, "src/.env"))
    pod = w.get("pods", "b-worker-1-x")
    pod["status"]["phase"] = "Pending"
    w.put("pods", "default", pod)
    w.want(5, "sync", "elsewhere.tj", err="worker/1 has not started yet; nothing was changed")
    must(len(w.seen) == seen, w.seen[seen:])


@check
def notes(w):
    """a label or record that cannot be written is said; others may write the record meanwhile"""
    w.begin(1)
    w.train("v2")
    w.fault("PATCH", "/pods/b-worker-0-x", status(403, "Forbidden", 'pods is forbidden: User "eve" cannot patch'))
    w.want(0, "sync", "b", err="forbidden.*\n.*so 'status' will show other code than these pods have")
    w.fault("PATCH", "/configmaps/b.trainc", status(409, "Conflict", "the object has been modified"))
    w.want(0, "sync", "b", out="unchanged")
    must(w.labels()[0] == w.record()[0][:12] == w.replicas[0].id()[:12], (w.labels(), w.record()))


if __name__ == "__main__":
    sys.exit(run_checks(Fleet, CHECKS, sys.argv[1:], after))
