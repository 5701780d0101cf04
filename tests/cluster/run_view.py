"""run_view.py [NAME...] - `list -w` and `status -w` on a terminal: the view that stays open, its keys and sizes, and that
the terminal is as it was afterwards, however the view ends."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from api_memory import TRAINC, Failure, must, run_checks, status
from commands import JOB
from world import World

CHECKS = []
DOWN, UP, ESCAPE = b"\x1b[B", b"\x1b[A", b"\x1b"
ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"
HOSTILE = "\x1b]0;PWN\x07\x9b2J\x7f\u202eend\rmore"


def check(f):
    CHECKS.append(f)
    return f


class View:
    """trainc with all three streams on a terminal of this size."""

    def __init__(self, w, *words, rows=12, columns=80, term="xterm"):
        self.master, self.slave = pty.openpty()
        self.size(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.raw = b""
        self.p = subprocess.Popen([TRAINC, *words], cwd=w.dir, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                  env=dict(w.environment(), TERM=term), start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def size(self, rows, columns):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.05):
        while select.select([self.master], [], [], seconds)[0]:
            try:
                more = os.read(self.master, 65536)
            except OSError:
                return
            if not more:
                return
            self.raw += more
            seconds = 0

    def frame(self):
        """The rows of the last frame that is complete, and the one that is selected."""
        frames = self.raw.decode(errors="replace").split("\x1b[H")
        whole = [f for f in frames if f.endswith("\x1b[J") or "\x1b[J" in f]
        if not whole:
            return [], ""
        rows = whole[-1].split("\x1b[J")[0].split("\r\n")
        chosen = [r for r in rows if "\x1b[7m" in r]
        plain = [re.sub(r"\x1b\[[0-9;]*[mK]", "", r) for r in rows]
        return plain, re.sub(r"\x1b\[[0-9;]*[mK]", "", chosen[0]) if chosen else ""

    def until(self, right, what, seconds=20):
        end = time.monotonic() + seconds
        while True:
            self.read()
            rows, chosen = self.frame()
            if right(rows, chosen):
                break
            if time.monotonic() > end or self.p.poll() is not None:
                raise Failure("not seen: %s\n%s\n%r" % (what, "\n".join(rows), self.raw[-300:]))
        must(all(len(r) <= self.columns for r in rows) and len(rows) <= self.rows, rows)
        must(not re.search(rb"[\x07\x7f]|\xc2\x9b|\xe2\x80\xae|\x1b\]", self.raw), "it reaches the terminal: %r" % self.raw[-500:])
        return rows

    def shows(self, *texts, **more):
        return self.until(lambda rows, _: all(any(re.search(t, r) for r in rows) for t in texts), texts, **more)

    def chooses(self, name):
        return self.until(lambda _, chosen: chosen.startswith(name), name + " is selected")

    def type(self, keys):
        os.write(self.master, keys)

    def ends(self, want, seconds=15):
        end = time.monotonic() + seconds
        while self.p.poll() is None:
            self.read()
            must(time.monotonic() < end, "it did not end: %r" % self.raw[-300:])
        self.read()
        must(self.p.returncode == want, "status %d, not %d: %r" % (self.p.returncode, want, self.raw[-300:]))
        must(termios.tcgetattr(self.slave) == self.before, "the modes of the terminal are others")
        must(self.raw.rfind(LEFT) > self.raw.rfind(ENTERED) and b"\x1b[?25h" in self.raw[self.raw.rfind(ENTERED):], "the screen was not left")
        self.close()

    def close(self):
        if self.p.poll() is None:
            self.p.kill()
            self.p.wait()
        for fd in self.master, self.slave:
            os.close(fd)


def runs(w, *names):
    for name in names:
        w.write(name + ".tj", JOB % (name, 2))
        w.want(0, "apply", "--no-wait", name + ".tj")
        for i in range(2):
            w.logs["%s-worker-%d-x" % (name, i), False] = ["line %d of %s %d" % (k, name, i) for k in range(40)]


@check
def keys(w):
    """keys move, and show logs, why, events and the state of the selected run; q and Escape return"""
    runs(w, "a", "b", "c")
    pod = w.get("pods", "b-worker-0-x")
    w.put("events", "default", {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "b-worker-0-x", "namespace": "default", "uid": pod["metadata"]["uid"]},
          "type": "Warning", "reason": "Failed", "message": "cannot pull the image", "count": 2, "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z"})
    v = View(w, "list", "-w")
    v.shows("^RUN +STATE", "^a +", "^b +", "^c +", "3 runs", "l logs")
    v.chooses("a ")
    for key, name in ((b"j", "b"), (DOWN, "c"), (b"j", "c"), (b"k", "b"), (UP, "a"), (b"G", "c"), (b"g", "a"), (b"\x1bOB", "b")):
        v.type(key)
        v.chooses(name + " ")
    v.type(b"l")
    v.shows("^logs of b", "line 39 of b", "j k scroll")
    v.type(b"g")
    v.shows("line 0 of b", "more below")
    v.type(b"G")
    v.until(lambda rows, _: not any("more below" in r for r in rows) and any("line 39 of b" in r for r in rows), "the end again")
    v.type(b"q")
    v.chooses("b ")
    v.type(b"w")
    v.shows("^why of b .ended.", "Running")
    v.type(ESCAPE)
    v.chooses("b ")
    v.type(b"e")
    v.shows("^events of b", "cannot pull the image")
    v.type(b"\x1b[D")
    v.chooses("b ")
    v.type(b"s")
    v.shows("^state of b", "b +worker-0")
    v.type(b"qq")
    v.ends(0)


@check
def sizes(w):
    """at 60, 80 and 200 columns, with as many rows as there are, and after the size has changed"""
    runs(w, *["run-%02d" % i for i in range(12)])
    for columns in 60, 80, 200:
        v = View(w, "status", "--watch", rows=10, columns=columns)
        v.shows("^RUN", "run-06")
        must(len(v.frame()[0]) == 10, v.frame())
        v.type(b"G")
        v.chooses("run-11")
        v.size(24, 100)
        v.shows("run-00", "run-11")
        must(len(v.frame()[0]) == 24, v.frame())
        v.size(3, 20)
        v.chooses("run-11")
        v.size(1, 4)
        v.chooses("run")
        v.type(b"q")
        v.ends(0)


@check
def changes(w):
    """states change, runs that were deleted go, and new ones come; the selection stays with its run"""
    runs(w, "a", "b")
    v = View(w, "list", "-w")
    v.shows("^a +Running +2/2", "^b +Running")
    v.type(b"j")
    v.chooses("b ")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    v.shows("^a +Failed +- .*exit code 3")
    runs(w, "aa")
    v.shows("^aa +Running", "3 runs", seconds=40)
    v.chooses("b ")
    w.want(0, "delete", "--yes", "a")
    v.until(lambda rows, _: rows and not any(r.startswith("a ") for r in rows), "a has gone", seconds=40)
    v.chooses("b ")
    v.type(b"q")
    v.ends(0)


WAYS = [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGSEGV, -11), (signal.SIGABRT, -6), (signal.SIGQUIT, -3), (signal.SIGUSR1, -10)]


@check
def restored(w):
    """the terminal is as it was after q, control-C and signals, in the list and while a text is shown; control-Z stops"""
    runs(w, "a")
    for keys_first in b"", b"l":
        for number, want in WAYS:
            v = View(w, "list", "-w")
            v.shows("^a +")
            v.type(keys_first)
            v.shows("^logs of a" if keys_first else "l logs")
            os.kill(v.p.pid, number)
            v.ends(want)
        v = View(w, "list", "-w")
        v.shows("^a +")
        v.type(keys_first + b"\x03")
        v.ends(130)
    v = View(w, "list", "-w")
    v.shows("^a +")
    v.type(b"\x1a")
    end = time.monotonic() + 10
    while open("/proc/%d/stat" % v.p.pid).read().rsplit(")", 1)[1].split()[0] != "T":
        must(time.monotonic() < end, "it did not stop")
        v.read()
    must(termios.tcgetattr(v.slave) == v.before, "the modes of the stopped view")
    v.raw = b""
    os.kill(v.p.pid, signal.SIGCONT)
    v.shows("^a +")
    must(ENTERED in v.raw, "the screen again")
    v.type(b"q")
    v.ends(0)


@check
def hung_up(w):
    """a terminal that goes away ends the view, and the process that it started"""
    runs(w, "a")
    v = View(w, "list", "-w")
    v.shows("^a +")
    v.type(b"l")
    v.shows("^logs of a")
    os.close(v.slave)
    os.close(v.master)
    must(v.p.wait(timeout=15) in (129, -1), v.p.returncode)
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(v.p.pid)], capture_output=True, text=True, check=False).stdout
    must(not found.strip(), found)


@check
def lost(w):
    """a run that cannot be watched any more ends the view with the reason, on the usual screen"""
    runs(w, "a")
    v = View(w, "list", "-w")
    v.shows("^a +Running")
    w.fault("GET", "/jobs.*watch=true", status(403, "Forbidden", "user 'eve' cannot watch this"), 99)
    with w.lock:                        # open watches end
        w.stopped = True
        w.lock.notify_all()
    v.ends(4, seconds=60)
    must(b"run 'a' cannot be followed any more" in v.raw[v.raw.rfind(LEFT):], v.raw[-300:])


@check
def hostile(w):
    """texts of the cluster and of programs do not reach the terminal as they are"""
    runs(w, "a")
    w.logs["a-worker-0-x", False] = ["log " + HOSTILE] * 3
    pod = w.get("pods", "a-worker-1-x")
    pod["status"] = {"phase": "Pending", "containerStatuses": [{"name": "main", "ready": False, "restartCount": 0, "image": "busybox:1", "state": {
        "waiting": {"reason": "ImagePullBackOff", "message": "pull " + HOSTILE}}}]}
    w.put("pods", "default", pod)
    v = View(w, "list", "-w", columns=200)
    v.shows("^a +.*ImagePullBackOff")
    for key, title in ((b"l", "logs"), (b"w", "why"), (b"e", "events"), (b"s", "state")):
        v.type(key)
        v.shows("^%s of a" % title)
        if key in b"lw":
            v.shows(r"log .*x1b|pull .*u202e")
        v.type(b"q")
        v.shows("l logs")
    v.type(b"q")
    v.ends(0)


@check
def here(w):
    """the same view of runs of this machine"""
    w.write("a.tj", 'job "a" {\n  role worker { command = ["sh", "-c", "echo the line; exec sleep 60"], cpu = 1, memory = 64Mi }\n}\n')
    p = w.start("run", "--local", "--detach", "a.tj")
    p.communicate(timeout=30)
    v = View(w, "list", "--local", "-w")
    v.shows("^a +Running")
    v.type(b"l")
    v.shows("^logs of a", "the line")
    v.type(b"qw")
    v.shows("^why of a")
    v.type(b"qq")
    v.ends(0)
    w.want(0, "delete", "--local", "--yes", "--force", "a")


@check
def plain(w):
    """into a pipe, as JSON, for one run and on a terminal that cannot move its cursor, lines are printed as before"""
    runs(w, "a")
    for words in (["list", "-w"], ["status", "-w"], ["list", "-w", "-o", "json"]):
        p = w.start(*words)
        out = w.shown(p, "a", out=True)
        p.terminate()
        p.communicate()
        must("\x1b" not in out, out)
    for words, term in ((["list", "-w", "-o", "json"], "xterm"), (["status", "-w", "a"], "xterm"), (["list", "-w"], "dumb")):
        v = View(w, *words, term=term)
        end = time.monotonic() + 10
        while b"a" not in v.raw and time.monotonic() < end:
            v.read()
        must(v.raw and ENTERED not in v.raw, v.raw)
        v.close()
    w.want(2, "list", "-w", "--context", "c,d", err="--watch shows one context")


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
