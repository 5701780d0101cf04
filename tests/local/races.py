"""Commands at the same moment as the start, the end or the removal of a run. The test itself holds the lock of a run,
or answers in place of a keeper, so the order of events is always the same."""
import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess

from support import check, end, finish, program, shell, start, trainc, within

RUNS = os.environ["TRAINC_STATE_DIR"] + "/runs/"
IN_OPEN = 0x20
libc = ctypes.CDLL(None, use_errno=True)


class Opens:
    """Reports when other processes open a directory."""

    def __init__(self, path):
        self.fd = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        self.events = b""
        libc.inotify_add_watch(self.fd, path.encode(), IN_OPEN)

    def wait(self, n):
        """Waits until the directory itself, not a file in it, was opened N times."""
        while n > 0:
            if not self.events and not select.select([self.fd], [], [], 20)[0]:
                check(False, "nothing opens the directory")
                return
            self.events = self.events or os.read(self.fd, 4096)
            length = struct.unpack_from("iIII", self.events)[3]
            n -= length == 0
            self.events = self.events[16 + length:]


def lock(path):
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    return fd


def listen(run):
    """A socket like that of the run's keeper."""
    s = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(RUNS + run)
    s.bind("control")
    os.chdir(here)
    s.listen()
    return s


def replace(run, state):
    """Replaces the state file of a run."""
    with open(RUNS + run + "/state.mine", "w") as f:
        json.dump(state, f)
    os.rename(RUNS + run + "/state.mine", RUNS + run + "/state")


def ended_child(pid):
    """Has a process a child that has ended?"""
    children = open("/proc/%d/task/%d/children" % (pid, pid)).read().split()
    return any(open("/proc/%s/stat" % c).read().rsplit(")", 1)[1].split()[0] == "Z" for c in children)


def names():
    return trainc("list", "--local", "--all", "-o", "name").stdout.split()


def live_times():
    """Lines have the same time when they are shown at once, and later."""
    script = "i=0; while test $i -lt 100; do echo $i; i=$((i + 1)); sleep 0.01; done"
    live = trainc("run", "--local", "--timestamps", program("times", shell(script))).stdout
    later = trainc("logs", "--local", "--timestamps", "times").stdout
    wrong = sum(a != b for a, b in zip(live.split("\n"), later.split("\n")))
    check(live.count("\n") == 100 and wrong == 0, "%d of the lines have another time" % wrong)


def hears(p):
    """Does the command handle signals?"""
    status = open("/proc/%d/status" % p.pid).read()
    return int(status.split("SigBlk:")[1].split()[0], 16) >> (signal.SIGTERM - 1) & 1


def printed_at_the_end():
    """A program prints 3 MiB after Ctrl-C and ends, before the command reads any of it."""
    script = ("trap 'until test -e go; do sleep 0.02; done; yes 0123456789abcde | head -n 196608; echo last; exit 0' TERM; "
              "echo ready; while :; do sleep 0.1; done")
    file = program("long", shell(script))
    log = RUNS + "long/logs/main-0.log"
    for where in ("file", "pipe"):
        with open("long.out", "w+") as out:
            command = start("run", "--local", file, stdout=out if where == "file" else subprocess.PIPE)
            within(10, lambda: os.path.exists(log) and os.path.getsize(log) and hears(command), "it runs")
            command.send_signal(signal.SIGINT)
            while b"stopping" not in command.stderr.readline():
                pass
            command.send_signal(signal.SIGSTOP)
            open("go", "w").close()
            within(20, lambda: os.path.exists(RUNS + "long/result"), "the run has ended")
            command.send_signal(signal.SIGCONT)
            text = finish(command)[1] or open("long.out").read()
        n = text.count("0123456789abcde\n")
        check(n == 196608 and text.endswith("last\n"), "%s: all of it is shown: %d lines" % (where, n))
        os.remove("go")
        trainc("delete", "--local", "--yes", "long")


def history():
    """A run starts while the keeper of the run before it ends: that keeper has announced its verdict and still holds
    the lock."""
    file = program("again", shell("echo $WORD"))
    trainc("run", "--local", "-e", "WORD=first", file)
    fd = lock(RUNS + "again")
    opens = Opens(RUNS + "again")
    second = start("run", "--local", "-e", "WORD=second", file)
    opens.wait(2)
    os.close(fd)
    check(finish(second)[0] == 0, "the second run succeeds")
    kept = [n for n in names() if n.startswith("run/again")]
    check(kept == ["run/again", "run/again~1"], "the first run is kept: %s" % kept)
    check("first" in trainc("logs", "--local", "again~1").stdout, "its output is kept")


def listed():
    """A run is removed between the moment in which `list` finds its name and the moment in which it reads its state."""
    trainc("run", "--local", program("b", shell("true")))
    trainc("run", "--local", program("c", shell("true")))
    os.mkdir(RUNS + "a")
    fd = lock(RUNS + "a")
    s = listen("a")
    command = start("list", "--local", "-o", "name")
    client = s.accept()[0]
    client.recv(6)
    shutil.rmtree(RUNS + "b")
    client.sendall(b"ok\n")
    status, out, err = finish(command)
    check((status, err) == (0, ""), "a removed run is not an error of list: %d %s" % (status, err))
    check("run/c\n" in out and "run/b\n" not in out, "list shows the others: " + out)
    for thing in (client, s):
        thing.close()
    os.close(fd)
    shutil.rmtree(RUNS + "a")


def started():
    """`apply` finds a run of the same name that another command is starting, from another program."""
    trainc("apply", "--local", program("other", shell("sleep 600")))
    os.mkdir(RUNS + "st")
    fd = lock(RUNS + "st")
    opens = Opens(RUNS + "st")
    command = start("apply", "--local", "--no-wait", program("st", shell("true")))
    opens.wait(2)
    s = listen("st")
    replace("st", json.load(open(RUNS + "other/state")))
    status, out, err = finish(command)
    check(status == 5 and "another program" in err, "the other program is reported: %d %s %s" % (status, out, err))
    s.close()
    os.close(fd)
    shutil.rmtree(RUNS + "st")


def ended():
    """`apply` cannot start a run because another command has started it, and that run ends at this moment."""
    file = program("fin", shell("true"))
    trainc("apply", "--local", "--for=complete", file)
    last = json.load(open(RUNS + "fin/state"))
    fd = lock(RUNS + "fin")
    opens = Opens(RUNS + "fin")
    command = start("apply", "--local", "--no-wait", "--rerun", file)
    opens.wait(1)                       # the command's keeper waits for the end of the keeper before it
    command.send_signal(signal.SIGSTOP)
    alive = [os.getpid(), int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])]
    replace("fin", dict(last, phase="Running", keeper=alive))
    within(20, lambda: ended_child(command.pid), "the keeper is refused")
    replace("fin", last)
    command.send_signal(signal.SIGCONT)
    status, out, err = finish(command)
    check((status, out) == (0, "run/fin unchanged\n"), "the run is not started again: %d %s %s" % (status, out, err))
    os.close(fd)


printed_at_the_end()
live_times()
history()
ended()
listed()
started()
end()
