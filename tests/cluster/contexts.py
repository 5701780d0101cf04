"""contexts.py [NAME...] - commands that show several clusters at once, of which some do not answer."""
import json
import os
import re
import socket
import sys
import time

from api_memory import must, run_checks
from commands import JOB
from fit import node
from world import World

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


class Clusters(World):
    """Two clusters, a context of a server that accepts connections and never answers, and one of a port where nothing
    listens. The commands talk to the first, unless they name others."""

    def __init__(self):
        super().__init__()
        self.other = World()
        self.silent = socket.create_server(("127.0.0.1", 0), backlog=64)
        closed = socket.create_server(("127.0.0.1", 0))
        ports = {"c": self.listener.server_address[1], "d": self.other.listener.server_address[1], "silent": self.silent.getsockname()[1],
                 "closed": closed.getsockname()[1]}
        closed.close()
        self.write("config", json.dumps({
            "clusters": [{"name": n, "cluster": {"server": "http://127.0.0.1:%d" % p}} for n, p in ports.items()], "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": n, "context": {"cluster": n, "user": "u"}} for n in ports] + [{"name": "x,y", "context": {"cluster": "d", "user": "u"}}],
            "current-context": "c"}))

    def close(self):
        self.other.close()
        self.silent.close()
        super().close()


def started(w):
    w.write("a.tj", JOB % ("a", 2))
    w.write("b.tj", JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    w.want(0, "apply", "--context", "d", "a.tj")
    w.want(0, "apply", "--context", "d", "b.tj")


def rows(out):
    return [re.split(r"  +", line.strip()) for line in out.splitlines()]


@check
def together(w):
    """one table, with the context of each run; wide and JSON have it, too"""
    started(w)
    got = rows(w.want(0, "list", "--context", "c,d")[0])
    must([r[:3] for r in got] == [["CONTEXT", "RUN", "STATE"], ["c", "a", "Running"], ["d", "a", "Running"], ["d", "b", "Running"]], got)
    got = rows(w.want(0, "status", "--context", "d,c", "a")[0])
    must([r[:4] for r in got] == [["CONTEXT", "RUN", "STATE", "ROLE"], ["d", "a", "Running", "worker"], ["c", "a", "Running", "worker"]], got)
    must(got[0][4] == "DESIRED" and got[1][4] == "2", got)
    got = rows(w.want(0, "status", "--context", "c,d", "-o", "wide")[0])
    must([r[:3] for r in got] == [["CONTEXT", "RUN", "REPLICA"], ["c", "a", "worker-0"], ["c", "a", "worker-1"], ["d", "a", "worker-0"],
                                  ["d", "a", "worker-1"], ["d", "b", "worker-0"]], got)
    got = json.loads(w.want(0, "status", "--context", "c,d", "-o", "json")[0])
    must([(r["context"], r["name"], len(r["replicas"])) for r in got["runs"]] == [("c", "a", 2), ("d", "a", 2), ("d", "b", 1)], got)
    must(got["schemaVersion"] == 1 and [(c["context"], c["status"]) for c in got["contexts"]] == [("c", 0), ("d", 0)], got["contexts"])
    w.want(0, "list", "--context", "x,y", out="^RUN")           # the name of one context
    w.want(8, "status", "--exit-status", "--context", "c,d") if w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3) else None


@check
def unreachable(w):
    """a cluster that refuses connections or is silent is a row with the reason, and the status is its own; the others are
    shown, and nothing hangs"""
    started(w)
    begin = time.monotonic()
    out, err = w.want(7, "list", "--context", "c,closed,silent,d", "--retry-timeout", "1s", err="closed: .*\n(?s:.*)silent: ")
    must(time.monotonic() - begin < 25, time.monotonic() - begin)
    got = rows(out)
    must([r[0] for r in got] == ["CONTEXT", "c", "d", "d", "closed", "silent"], got)
    must("onnection refused" in got[4][-1], got)
    got = json.loads(w.want(7, "status", "--context", "closed,d", "-o", "json")[0])
    must([r["name"] for r in got["runs"]] == ["a", "b"] and got["contexts"][0]["status"] == 7 and "refused" in got["contexts"][0]["reason"], got)
    out, err = w.want(3, "list", "--context", "c,nowhere", err="nowhere: .*nowhere")
    must([r[0] for r in rows(out)] == ["CONTEXT", "c", "nowhere"], out)
    got = rows(w.want(7, "list", "--context", "all", "--retry-timeout", "1s")[0])
    must({r[0] for r in got[1:]} == {"c", "d", "silent", "closed", "x,y"}, got)


@check
def fits(w):
    """fit answers for each context"""
    w.write("a.tj", JOB % ("a", 2))
    w.put("nodes", "", node("n", 8))
    w.other.put("nodes", "", node("small", 1))
    got = rows(w.want(8, "fit", "--context", "c,d", "a.tj")[0])
    must([r[:2] for r in got] == [["c", "now"], ["d", "never"]], got)
    got = json.loads(w.want(8, "fit", "--context", "c,d", "-o", "json", "a.tj")[0])
    must([(j["context"], j["name"], j["fits"]) for j in got["jobs"]] == [("c", "a", "now"), ("d", "a", "never")], got)
    got = rows(w.want(7, "fit", "--context", "c,closed", "a.tj", err="closed: ")[0])
    must(got[0][:2] == ["c", "now"] and got[1][0] == "closed" and "refused" in got[1][1], got)


@check
def hostile(w):
    """texts of a cluster cannot fill another column or move the cursor"""
    started(w)
    o = w.other.get("configmaps", "a.trainc")
    o["metadata"]["annotations"]["trainc.dev/file"] = "a\x1fb\x1b[2J\nc  d\u202e"
    w.other.put("configmaps", "default", o)
    out, err = w.want(0, "list", "--context", "c,d")
    must("\x1b" not in out + err and "\x1f" not in out and "\u202e" not in out and len(out.splitlines()) == 4, out)


@check
def explained(w):
    """why and logs: the context before each line; events: a column; JSON has it, too; a context that fails is a line, and the status is the worst"""
    import events
    started(w)
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    for one, word in ((w, "first"), (w.other, "second")):
        events.event(one, "Job", "a-worker", "Started", "the %s has started" % word, 1)
    out, _ = w.want(0, "why", "--context", "c,d", "a")
    lines = out.splitlines()
    must(lines[0].startswith("c  a: Failed") and any(line.startswith("c  what to do: ") for line in lines) and any(line.startswith("d  a: Running") for line in lines), out)
    d = json.loads(w.want(0, "why", "--context", "c,d", "a", "-o", "json")[0])
    must([(r["context"], r["run"]["state"]) for r in d["runs"]] == [("c", "Failed"), ("d", "Running")] and d["runs"][0]["advice"] and [x["status"] for x in d["contexts"]] == [0, 0], d)
    out, _ = w.want(0, "events", "--context", "c,d", "a")
    must(rows(out)[0] == ["CONTEXT", "LAST", "COUNT", "TYPE", "REASON", "OBJECT", "MESSAGE"] and {(r[0], r[-1]) for r in rows(out)[1:]} >= {("c", "the first has started"), ("d", "the second has started")}, out)
    d = json.loads(w.want(0, "events", "--context", "c,d", "a", "-o", "json")[0])
    must({(e["context"], e["message"]) for e in d["events"]} >= {("c", "the first has started"), ("d", "the second has started")}, d)
    out, err = w.want(7, "why", "--context", "d,closed", "a", "--retry-timeout", "1s", err="^trainc: closed: ")
    must(re.search("^d       a: Running", out, re.M) and re.search("^closed  ", out, re.M), out)
    out, err = w.want(8, "why", "--context", "c,d", "b", err="c: no run 'b'")
    must(re.search("^d  b: Running", out, re.M), out)
    out, _ = w.want(2, "events", "--context", "c,d", "b", err="c: no run 'b'")
    for one, word in ((w, "first"), (w.other, "second")):
        one.logs[("a-worker-0-x", False)] = ["the %s prints \x1b[1m" % word]
    out, _ = w.want(0, "logs", "--context", "c,d", "a")
    must([line.split()[0] for line in out.splitlines()] == ["c", "d"] and "the first prints" in out and "the second prints" in out, out)
    out, _ = w.want(0, "logs", "--context", "c,d", "-o", "json", "a")
    must([(d["context"], d["text"][:9]) for d in map(json.loads, out.splitlines())] == [("c", "the first"), ("d", "the secon")], out)
    for command in "logs", "events":
        w.want(2, command, "-f", "--context", "c,d", "a", err="--follow shows one context")


@check
def cut_off(w):
    """output that is too large ends with a whole line, so that the lines of the next context are JSON, too"""
    started(w)
    w.logs[("a-worker-0-x", False)] = ["x" * 99999] * 700
    w.other.logs[("a-worker-0-x", False)] = ["the second"]
    out, _ = w.want(3, "logs", "--context", "c,d", "-o", "json", "a", err="^trainc: c: its output is larger than 64 MiB; show this context alone$")
    lines = out.splitlines()
    must(len(lines) > 600 and json.loads(lines[-1])["text"] == "the second" and lines[-2][-99:] == lines[0][-99:], (len(lines), lines[-1][:99], lines[-2][-99:]))


@check
def refused(w):
    """what shows one context, and commands that take one"""
    started(w)
    w.want(2, "status", "--watch", "--context", "c,d", err="--watch shows one context")
    w.want(2, "status", "-o", "svg", "--context", "c,d", err="-o svg shows one context")
    w.want(2, "delete", "--yes", "--context", "c,d", "a", err="delete takes one context; .list., .status., .why., .logs., .events. and .fit. show several")
    w.want(2, "apply", "--context", "all", "a.tj", err="apply takes one context")
    must(w.get("configmaps", "a.trainc") and w.other.get("configmaps", "a.trainc"), "nothing is deleted")
    w.want(2, "status", "--context", "c,d", "nobody", err="c: no run 'nobody'")
    w.want(0, "list", "--context", "c,c", out="CONTEXT")


@check
def programs(w):
    """fit of several contexts fails if the program has errors, and says that it reads no standard input"""
    w.write("bad.tj", 'job "a" {\n  image = nothing\n}\n')
    for form in ((), ("-o", "json")):
        out, _err = w.want(1, "fit", "bad.tj", "--context", "c,d", *form)
        if form:
            got = json.loads(out)["contexts"]
            must([c["status"] for c in got] == [1, 1] and all("nothing" in c["reason"] for c in got), got)
    w.want(2, "fit", "-", "--context", "c,d", err="a program on standard input is read once, for one context")


@check
def reasons(w):
    """the reason of a context that fails is its first message, not a hint after it"""
    got = json.loads(w.want(7, "list", "--context", "c,closed", "-o", "json")[0])["contexts"]
    must("cannot connect" in got[1]["reason"], got)
    out, _err = w.want(3, "list", "--context", "c,nosuch", "-o", "json")
    must("nosuch" in json.loads(out)["contexts"][1]["reason"], out)


@check
def ended(w):
    """when the command is ended, the processes of its contexts end, too"""
    p = w.start("list", "--context", "silent,d")
    children = lambda: [int(c) for c in open("/proc/%d/task/%d/children" % (p.pid, p.pid)).read().split()]
    until = time.time() + 10
    while len(children()) < 1 and time.time() < until:
        time.sleep(0.02)
    mine = children()
    must(mine, "no process was started")
    p.kill()
    p.communicate(timeout=20)
    until = time.time() + 10
    alive = lambda: [c for c in mine if os.path.exists("/proc/%d" % c) and open("/proc/%d/stat" % c).read().split()[2] != "Z"]
    while alive() and time.time() < until:
        time.sleep(0.05)
    must(not alive(), alive())

if __name__ == "__main__":
    sys.exit(run_checks(Clusters, CHECKS, sys.argv[1:]))
