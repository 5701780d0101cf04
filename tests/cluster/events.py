"""events.py [NAME...] - `trainc events`: which Events belong to a run, how they are merged, ordered and followed."""
import json
import re
import sys

from api_memory import must, run_checks, status
from commands import JOB
from world import World

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def second(n):
    return "2026-01-01T00:%02d:%02dZ" % divmod(n, 60)


def event(w, kind, name, reason, message, at, ns="default", n=1, warning=False, uid="", **more):
    """Stores an Event about an object, as the kubelet and controllers write it."""
    w.version += 1
    w.put("events", ns, {"metadata": {"name": "%s.%x" % (name, w.version)}, "involvedObject": {"kind": kind, "name": name, "namespace": ns, "uid": uid},
          "reason": reason, "message": message, "type": "Warning" if warning else "Normal", "count": n, "firstTimestamp": second(0),
          "lastTimestamp": second(at), **more})


KUBELET = {"source": {"component": "kubelet", "host": "gpu-7"}}


def rows(w, *words):
    out, _err = w.want(0, "events", "a", *words)
    return [re.split(r"  +", line.strip()) for line in out.splitlines()]


def applied(w, ns="default"):
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "--no-wait", "-n", ns, "a.tj")


@check
def whose(w):
    """Events of the run's objects, of pods that are gone and of nodes that ran them; none of other runs, whatever their
    names, and none of other nodes"""
    applied(w)
    for kind, name, mine in (("Job", "a-worker", True), ("Pod", "a-worker-0-x", True), ("Pod", "a-worker-1-gone7", True), ("Service", "a", True),
                             ("Workload", "job-a-worker-1f2e3", True), ("PersistentVolumeClaim", "data-a-worker-1", True),
                             ("PersistentVolumeClaim", "a-worker-1-gone7-scratch", True), ("Node", "n", True), ("Node", "gpu-7", True),
                             ("Job", "a", True), ("PodGroup", "a", True), ("Job", "a-b", False), ("Pod", "a-b-worker-0-x", False), ("Pod", "a-worker-2-x", False),
                             ("Pod", "b-a-worker-0-x", False), ("Job", "a-worker-extra", False), ("Node", "gpu-8", False),
                             ("Workload", "job-a-b-worker-1f2e3", False), ("PersistentVolumeClaim", "data-a-worker-7", False), ("Pod", "", False)):
        event(w, kind, name, "R", "mine" if mine else "not mine", 5, **(KUBELET if name == "a-worker-1-gone7" else {}))
    job = w.get("jobs", "a-worker")["metadata"]["uid"]
    event(w, "PodGroup", "strange-name", "R", "not mine", 5, uid="other")
    event(w, "Job", "renamed", "R", "mine", 5, uid=job)
    got = rows(w)
    must(got[0] == ["LAST", "COUNT", "TYPE", "REASON", "OBJECT", "MESSAGE"], got)
    must({r[-1] for r in got[1:]} == {"mine"} and len(got) == 13, got)
    objects = [r[4] for r in got[1:]]
    must("worker/0" in objects and "worker/1" in objects and "Node/gpu-7" in objects and "Workload/job-a-worker-1f2e3" in objects, objects)
    w.want(0, "events", "a.tj", out="mine")
    w.want(2, "events", "nobody", err="no run 'nobody'")


@check
def merged(w):
    """the same report about the same object is one row with the sum of the counts; rows are in the order of their times,
    and within a second in that of their versions"""
    applied(w)
    event(w, "Pod", "a-worker-0-x", "BackOff", "restarting", 40, n=3, warning=True)
    event(w, "Pod", "a-worker-0-x", "Pulled", "pulled", 30)
    event(w, "Pod", "a-worker-0-x", "Created", "created", 30)
    event(w, "Pod", "a-worker-0-x", "BackOff", "restarting", 50, n=2, warning=True)
    event(w, "Pod", "a-worker-1-x", "BackOff", "restarting", 45, warning=True)
    got = [r[1:] for r in rows(w)[1:]]
    must(got == [["1", "Normal", "Pulled", "worker/0", "pulled"], ["1", "Normal", "Created", "worker/0", "created"],
                 ["1", "Warning", "BackOff", "worker/1", "restarting"], ["5", "Warning", "BackOff", "worker/0", "restarting"]], got)
    event(w, "Pod", "a-worker-0-x", "Scheduled", "assigned", 0, count=None, firstTimestamp=None, lastTimestamp=None, eventTime="2026-01-01T00:00:30.900000Z",
          reportingComponent="default-scheduler", reportingInstance="s-1")
    got = json.loads(w.want(0, "events", "a", "-o", "json")[0])
    must((got["schemaVersion"], got["run"], got["namespace"], got["unread"]) == (1, "a", "default", []), got)
    must([r["reason"] for r in got["events"]] == ["Pulled", "Created", "Scheduled", "BackOff", "BackOff"], got)
    must(got["events"][-1] == {"first": second(0), "last": second(50), "count": 5, "type": "Warning", "reason": "BackOff", "kind": "Pod",
                               "name": "a-worker-0-x", "role": "worker", "index": 0, "node": "", "message": "restarting"}, got["events"][-1])


@check
def series(w):
    """an Event with a series, which newer controllers write, counts as often as the series says, at its last time"""
    applied(w)
    event(w, "Pod", "a-worker-0-x", "Killing", "stop", 1, count=None, lastTimestamp=None, firstTimestamp=None, eventTime="2026-01-01T00:00:01.000000Z",
          series={"count": 7, "lastObservedTime": "2026-01-01T00:00:09.000000Z"})
    event(w, "Pod", "a-worker-0-x", "Other", "before", 5)
    got = [r[1:] for r in rows(w)[1:]]
    must(got == [["1", "Normal", "Other", "worker/0", "before"], ["7", "Normal", "Killing", "worker/0", "stop"]], got)


@check
def clean(w):
    """what a cluster reports cannot end its line, move the cursor or fill another column"""
    applied(w)
    event(w, "Pod", "a-worker-0-x", "Bad\x1b[2J", "one\ntwo\t\x1b]0;x\x07 \u202eend\r", 1)
    out, err = w.want(0, "events", "a")
    must("\x1b" not in out + err and "\u202e" not in out and "\r" not in out and len(out.splitlines()) == 2, out)
    got = json.loads(w.want(0, "events", "a", "-o", "json")[0])["events"]
    must(len(got) == 1 and "\n" not in got[0]["message"], got)


@check
def nodes_elsewhere(w):
    """Events of nodes are in the namespace default; without the right to read them, the others are shown, and a sentence
    says what is missing"""
    w.put("namespaces", "", {"metadata": {"name": "team"}, "status": {"phase": "Active"}})
    applied(w, "team")
    event(w, "Pod", "a-worker-0-x", "Started", "run", 1, ns="team")
    event(w, "Node", "n", "NodeNotReady", "gone", 2)
    event(w, "Node", "far", "NodeNotReady", "gone", 2)
    got = [r[3:] for r in rows(w, "-n", "team")[1:]]
    must(got == [["Started", "worker/0", "run"], ["NodeNotReady", "Node/n", "gone"]], got)
    must([r[1] for r in w.requests if "/namespaces/default/events" in r[1] and "fieldSelector=involvedObject.kind%3DNode" in r[1]], w.requests)
    refused = status(403, "Forbidden", 'events is forbidden: User "eve" cannot list resource "events" in API group "" in the namespace "default"')
    w.fault("GET", "/namespaces/default/events", refused, times=99)
    out, _ = w.want(0, "events", "a", "-n", "team", err="events of nodes are not shown: .*default")
    must("NodeNotReady" not in out and "Started" in out, out)
    unread = json.loads(w.want(0, "events", "a", "-n", "team", "-o", "json")[0])["unread"]
    must(len(unread) == 1 and "default" in unread[0], unread)
    w.fault("GET", "/namespaces/team/events", status(403, "Forbidden", 'events is forbidden: User "eve" cannot list resource "events" in API group "" in the namespace "team"'), times=99)
    w.want(4, "events", "a", "-n", "team", err="eve.*events")


@check
def none(w):
    """no Events: a sentence, status 0; JSON has an empty list; a local run has no Events"""
    applied(w)
    out, _ = w.want(0, "events", "a", err="no events about run 'a'")
    must(out == "", out)
    must(json.loads(w.want(0, "events", "a", "-o", "json")[0])["events"] == [], "events")
    w.want(2, "events", "--local", "a", err="runs on this machine have no events")


@check
def followed(w):
    """-f prints what was reported and then each report, with times, until the run has ended; as JSON one object per line"""
    applied(w)
    event(w, "Pod", "a-worker-0-x", "Started", "first", 1)
    table, lines = w.start("events", "-f", "a"), w.start("events", "-f", "a", "-o", "json")
    shown = w.shown(table, "first", out=True)
    w.shown(lines, "first", out=True)
    must(re.search(r"^LAST +COUNT", shown) and second(1) in shown, shown)
    event(w, "Pod", "a-worker-1-x", "Killing", "second", 2, **KUBELET)
    w.shown(table, "second", out=True)
    w.shown(lines, "second", out=True)
    event(w, "Node", "gpu-7", "NodeNotReady", "third", 3)
    event(w, "Node", "gpu-8", "NodeNotReady", "other", 3)
    got = w.shown(table, "third", out=True)
    must("other" not in got, got)
    w.shown(lines, "third", out=True)
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    event(w, "Job", "a-worker", "Completed", "last", 4)
    out, err = table.communicate(timeout=60)
    must(table.returncode == 0 and "last" in out, (table.returncode, out, err))
    out, err = lines.communicate(timeout=60)
    last = json.loads(out.splitlines()[-1])
    must(lines.returncode == 0 and (last["reason"], last["kind"], last["message"]) == ("Completed", "Job", "last"), out)


@check
def repeated(w):
    """an Event that occurs again is printed again with its new count; a form that is known is not"""
    applied(w)
    event(w, "Pod", "a-worker-0-x", "Unhealthy", "probe", 1, warning=True)
    p = w.start("events", "-f", "a", "-o", "json")
    w.shown(p, "probe", out=True)
    o = w.get("events", w.names("events")[0])
    w.put("events", "default", {**o, "count": 2, "lastTimestamp": second(9)})
    got = w.shown(p, '"count": 2', out=True)
    must(got.count("probe") == 1, got)
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 1)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and "probe" not in out, (p.returncode, out, err))


@check
def crowded(w):
    """many reports about other nodes do not take the place of the run's; a text of a megabyte is cut"""
    applied(w)
    for i in range(10100):
        event(w, "Node", "other-%d" % i, "R", "not mine", 5)
    event(w, "Pod", "a-worker-0-x", "OOMKilled", "mine " + "\u00e9" * 500000, 60, warning=True)
    out, err = w.want(0, "events", "a", "-o", "json", err="at most 50000 about the run and 10000 about nodes are kept")
    found = json.loads(out)["events"]
    must(len(found) == 1 and found[0]["message"].startswith("mine ") and found[0]["message"].endswith("\u2026"), found[:1])
    must(len(found[0]["message"].encode()) < 4200, len(found[0]["message"]))


@check
def cut_off(w):
    """Events that cannot be read end the command with the reason"""
    applied(w)
    w.fault("GET", "/namespaces/default/events", status(403, "Forbidden", 'events is forbidden: User "eve" cannot list'), times=99)
    out, _ = w.want(4, "events", "-f", "a", err="forbidden|may not")
    must(out == "", out)


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
