"""history.py [NAME...] - `trainc history`: the launches of a run in its record, what is kept after `delete`, and records
that somebody else has written."""
import json
import re
import sys

from api_memory import must, run_checks, status
from commands import JOB
from world import World

CHECKS = []
SHELF = "trainc.history"


def check(f):
    CHECKS.append(f)
    return f


def launches(w, *words):
    runs = json.loads(w.want(0, "history", *words, "-o", "json")[0])["runs"]
    must(len(runs) == 1, runs)
    return runs[0]["launches"]


def rows(w, *words):
    return [re.split(r"  +", line.strip()) for line in w.want(0, "history", *words)[0].splitlines()]


def end(w, phase, code=None):
    w.run_job("default", w.get("jobs", "a-worker"), phase, code)


def record(w, name="a"):
    return w.get("configmaps", name + ".trainc")


@check
def whole(w):
    """who launched what, when, and how it ended: while it runs, after its end, after it was replaced, and after delete"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj")
    got = rows(w, "a")
    must(got == [["N", "STARTED", "ENDED", "STATE", "CODE", "CAUSE"], ["1", got[1][1], "Running"]], got)
    must(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", got[1][1]), got)
    end(w, "Failed", 3)
    w.want(8, "wait", "a")
    first = launches(w, "a.tj")[0]
    must((first["n"], first["state"], first["by"], first["file"], first["images"]) == (1, "Failed", "eve", "a.tj", ["busybox:1"]), first)
    must("exit code 3" in first["cause"] and re.fullmatch("[0-9a-f]{16}", first["program"]) and first["ended"] >= first["started"][:4], first)
    w.write("a.tj", (JOB % ("a", 2)).replace("busybox:1", "busybox:2"))
    w.want(0, "apply", "--rerun", "a.tj")
    w.write("a.tj", (JOB % ("a", 2)).replace("busybox:1", "busybox:2").replace('["train"]', '["train", "2"]'))
    w.want(0, "apply", "--recreate", "a.tj")
    got = launches(w, "a")
    must([(x["n"], x["state"]) for x in got] == [(1, "Failed"), (2, "Replaced"), (3, "Running")], got)
    must(got[0] == first and got[1]["cause"] == "it was Running when it was applied again" and got[1]["images"] == ["busybox:2"], got)
    must(len({x["program"] for x in got}) == 3, got)
    w.want(0, "apply", "a.tj", out="run/a unchanged")
    must(len(launches(w, "a")) == 3, "an apply that changed nothing is not a launch")
    w.want(0, "delete", "--yes", "a")
    must(w.names("configmaps", True) == [SHELF], w.names("configmaps", True))
    got = launches(w, "a")
    must([(x["n"], x["state"]) for x in got] == [(1, "Failed"), (2, "Replaced"), (3, "Deleted")], got)
    must(got[2]["cause"] == "it was Running when it was deleted" and got[2]["ended"], got)
    w.want(0, "apply", "a.tj")
    must([x["n"] for x in launches(w, "a")] == [1, 2, 3, 4], "the numbers go on")
    wide = w.want(0, "history", "-o", "wide")[0].splitlines()
    must(wide[0].split() == ["RUN", "N", "STARTED", "ENDED", "STATE", "BY", "PROGRAM", "IMAGES", "CODE", "CAUSE"] and "eve" in wide[1], wide)
    w.want(2, "history", "nobody", err="no run 'nobody' in namespace 'default', and none is remembered")


@check
def verdicts(w):
    """an end that a command or the controller has recorded is that of the launch, also when the objects are gone"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    end(w, "Succeeded")
    w.want(0, "wait", "a")
    w.take("jobs", "default", "a-worker")
    must([x["state"] for x in launches(w, "a")] == ["Succeeded"], "the record's verdict")
    w.want(0, "delete", "--yes", "a")
    must([x["state"] for x in launches(w, "a")] == ["Succeeded"], "after delete")
    w.want(0, "apply", "a.tj")
    end(w, "Failed", 7)                     # no command sees it
    w.want(0, "apply", "--rerun", "a.tj")
    got = launches(w, "a")
    must([x["state"] for x in got] == ["Succeeded", "Failed", "Running"] and "exit code 7" in got[1]["cause"], got)


@check
def many(w):
    """the last ten are kept; several runs that are applied and deleted at once keep theirs, with one request for all"""
    names = ["r%d" % i for i in range(6)]
    w.write("all.tj", "".join(JOB % (name, 1) for name in names))
    w.want(0, "apply", "--no-wait", "all.tj")
    w.want(0, "delete", "--yes", *names)
    stored = [r for r in w.requests if r[0] in ("POST", "PATCH") and r[1].startswith("/api/v1/namespaces/default/configmaps") and SHELF in r[2]]
    must(len(stored) == 1, [r[:2] for r in w.requests])
    for _ in range(11):
        w.want(0, "apply", "--no-wait", "all.tj")
        w.write("all.tj", "".join(JOB % (name, 1) for name in names).replace('"train"', '"train", "%d"' % _))
        w.want(0, "apply", "--no-wait", "--recreate", "all.tj")
        if _ % 5 == 4:
            w.want(0, "delete", "--yes", *names)
    got = launches(w, "r3")
    must([x["n"] for x in got] == list(range(got[-1]["n"] - 9, got[-1]["n"] + 1)) and got[-1]["n"] > 12, [x["n"] for x in got])
    w.want(0, "delete", "--yes", "r3")
    out = w.want(0, "history", "-o", "json")[0]
    must([r["name"] for r in json.loads(out)["runs"]] == ["r0", "r1", "r2", "r4", "r5", "r3"], out)


@check
def everywhere(w):
    """-A has the runs of all namespaces, and those that were deleted there"""
    w.put("namespaces", "", {"metadata": {"name": "team"}, "status": {"phase": "Active"}})
    w.write("a.tj", JOB % ("a", 1))
    for ns in ("default", "team"):
        w.want(0, "apply", "-n", ns, "a.tj")
    w.want(0, "delete", "--yes", "-n", "team", "a")
    got = [r[:3] for r in rows(w, "-A")]
    must(got[0] == ["NAMESPACE", "RUN", "N"] and got[1:] == [["default", "a", "1"], ["team", "a", "1"]], got)
    w.want(2, "history", "-A", "a", err="-A shows the runs of all namespaces")
    must(w.want(0, "history")[0].count("\n") == 2, "one namespace")


@check
def interrupted(w):
    """an apply that continues an interrupted one is the same launch"""
    w.write("a.tj", JOB % ("a", 1))
    w.fault("PATCH", "/jobs/a-worker", status(422, "Invalid", "no"), times=1)
    w.want(6, "apply", "a.tj")
    w.want(0, "apply", "a.tj")
    must([(x["n"], x["state"]) for x in launches(w, "a")] == [(1, "Running")], launches(w, "a"))


@check
def refused(w):
    """a history that cannot be kept or read is reported, and holds nothing up"""
    w.write("a.tj", JOB % ("a", 1))
    forbidden = status(403, "Forbidden", 'configmaps "trainc.history" is forbidden')
    w.fault("GET", "/configmaps/" + SHELF, forbidden, times=2)
    w.want(0, "apply", "a.tj")
    w.want(0, "delete", "--yes", "a", err="the history of what is deleted is not kept: .*forbidden", out="run/a deleted")
    must(not w.names("configmaps", True), w.names("configmaps", True))
    w.fault("GET", "/configmaps/" + SHELF, forbidden)
    w.want(4, "history", "a", err="forbidden")
    w.fault("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", status(404, "NotFound", "an old server"))
    w.want(0, "apply", "a.tj")
    must("by" not in launches(w, "a")[0], launches(w, "a"))


@check
def raced(w):
    """somebody else creates the object that keeps histories at the same moment: both are kept"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")

    def first(_handler, _body):
        w.put("configmaps", "default", {"metadata": {"name": SHELF, "labels": {"trainc.dev/history": "deleted"}}, "data": {"b": '[{"n":1,"state":"Failed"}]'}})
        return status(409, "AlreadyExists", "it exists")
    w.fault("POST", "/namespaces/default/configmaps", first)
    w.want(0, "delete", "--yes", "a")
    must(sorted(w.get("configmaps", SHELF)["data"]) == ["a", "b"], w.get("configmaps", SHELF))


@check
def room(w):
    """the shelf has a limit of bytes: the histories that ended first are dropped"""
    old = json.dumps([{"n": 1, "state": "Failed", "ended": "2020-01-01T00:00:00Z", "cause": "x" * 9000}])
    new = json.dumps([{"n": 1, "state": "Failed", "ended": "2025-01-01T00:00:00Z", "cause": "x" * 9000}])
    data = {"old%d" % i: old for i in range(15)}
    data.update({"new%d" % i: new for i in range(25)}, strange="no json")
    w.put("configmaps", "default", {"metadata": {"name": SHELF, "labels": {"trainc.dev/history": "deleted"}}, "data": data})
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    w.want(0, "delete", "--yes", "a")
    left = w.get("configmaps", SHELF)["data"]
    must("a" in left and "strange" not in left and all("new%d" % i in left for i in range(25)), sorted(left))
    must(sum(len(k) + len(v) for k, v in left.items()) <= 256 << 10 and len([k for k in left if k.startswith("old")]) == 3, sorted(left))


HOSTILE = {
    "no JSON": "[{", "no list": '{"n":1}', "no launches": '[1,"a",null,[[]],{}]', "numbers": '[{"n":-1},{"n":0},{"n":1e99},{"n":99999999999999},{"n":"1"}]',
    "order": '[{"n":5,"state":"Failed"},{"n":3,"state":"Failed"},{"n":5,"state":"Failed"}]', "deep": "[" * 100000,
    "types": '[{"n":1,"state":7,"cause":[],"by":{},"images":"x","code":[1],"started":"never","ended":-1}]',
    "escapes": json.dumps([{"n": 1, "state": "Bad\x1b[2J", "cause": "one\ntwo\t\x1b]0;x\x07 \u202eend\r", "by": "\x1b[31meve", "images": ["a\x1b[0m"],
                            "program": "\x1b\x1b", "file": "\x07", "code": [{"role": "r", "id": "\x1b[2J0123456789", "files": 1, "bytes": 1}]}]),
    "large": json.dumps([{"n": i, "state": "Failed", "cause": "\u00e9" * 300, "by": "y" * 5000, "images": ["z" * 300] * 100} for i in range(1, 3)])[:30000],
    "too large": json.dumps([{"n": i, "state": "Failed", "cause": "x" * 500} for i in range(1, 2000)]),
    "facts": json.dumps([{"n": 1, "state": "F", "words": 9, "facts": ["a\x1b[31m=\u202e", "=", "", "b" * 4000, "c=#12345678 d"] * 50}]),
    "more facts": json.dumps([{"n": 1, "state": "F", "words": 99, "facts": ["a=%d" % i for i in range(3000)]}]),
    "many": json.dumps([{"n": i, "state": "F"} for i in range(1, 900)]),
}


RICH = """job "a" {
  image = "busybox:1"
  restarts = 2
  labels { "example.com/team" = "one" }
  role worker {
    replicas = 2
    command = ["train", "--data", "/data"]
    args = ["--lr", "0.1"]
    env { PASSPHRASE = "hunter2", STEPS = "10" }
    files { "/etc/a.txt" = "confidential" }
    cpu = 1
    memory = 1Gi
    sidecar logs { image = "busybox:1" }
  }
}
"""
# what is changed in RICH, and what `diff --against` says about it: the name of the fact, its old and its new value
CHANGED = [
    ("", "", None),
    ("busybox:1\"\n  restarts", "busybox:2\"\n  restarts", ("worker image", "busybox:1", "busybox:2")),
    ("restarts = 2", "restarts = 3", ("restarts", "2", "3")),
    ("replicas = 2", "replicas = 3", ("worker replicas", "2", "3")),
    ("replicas = 2", "replicas = 2:4", ("worker replicas", "2", "4")),
    ('"0.1"', '"0.2"', ("worker args", "--lr 0.1", "--lr 0.2")),
    ('"/data"', '"${pod.index}"', ("worker command", "train --data /data", "train --data {index}")),
    ("hunter2", "hunter3", ("worker env PASSPHRASE", None, None)),
    ("confidential", "nothing", ("worker file /etc/a.txt", None, None)),
    (', STEPS = "10"', "", ("worker env STEPS", None, None)),
    ("cpu = 1\n", "cpu = 2\n", ("worker cpu", "1", "2")),
    ("1Gi", "2Gi", ("worker memory", "1Gi", "2Gi")),
    ('"one"', '"two"', ("labels", "example.com/team=one", "example.com/team=two")),
    ('    sidecar logs { image = "busybox:1" }\n', "", ("worker container logs image", "busybox:1", None)),
    ("  role worker {", "  role other { command = [\"x\"] }\n  role worker {", ("other command", None, "x")),
    ("memory = 1Gi\n", "memory = 1Gi\n    raw pod { enableServiceLinks = true }\n", ("worker raw_pod", None, None)),
    ("  restarts = 2\n", "  restarts = 2\n  timeout = 1h\n", ("timeout", None, "1h")),
]


def against(w, number, *words, wanted=None):
    code, out, err = w.run("diff", *words, "--against", str(number), "-o", "json")
    must(code == (wanted if wanted is not None else 1) and (code > 1 or out), (code, out, err))
    return json.loads(out)["runs"][0] if code < 2 else err


@check
def compared(w):
    """diff --against N names each fact that differs from an earlier launch, and keeps no value that may be confidential"""
    w.write("a.tj", RICH)
    w.want(0, "apply", "--no-wait", "a.tj")
    must("hunter" not in record(w)["data"]["history"] and "confidential" not in record(w)["data"]["history"], "kept")
    for before, after, fact in CHANGED:
        must(before in RICH, before)
        w.write("a.tj", RICH.replace(before, after, 1) if before else RICH)
        got = against(w, 1, "a.tj", wanted=1 if fact else 0)
        must((got["name"], got["against"], got["complete"]) == ("a", 1, True), got)
        found = [(x["name"], x["old"], x["new"]) for x in got["fields"]]
        must(fact in found if fact else not found, (before, after, found))
    w.write("a.tj", RICH.replace('"0.1"', '"0.2"'))
    w.want(0, "apply", "--no-wait", "--yes", "--recreate", "a.tj")
    text = w.want(1, "diff", "--against", "1", "a")[0]
    must(re.fullmatch(r"run/a differs from launch 1 \(\d{4}-.*Z, Replaced\)\n  worker args\n-     --lr 0.1\n\+     --lr 0.2\n", text), text)
    must(w.want(0, "diff", "--against", "2", "a.tj", "a")[0] == "", "the same")
    w.want(2, "diff", "--against", "3", "a", err="run 'a' has no launch 3; its history has 1 and 2: 'trainc history a' shows them")
    w.want(2, "diff", "--against", "3", "b", err="no run 'b' in namespace 'default', and none is remembered")
    for wrong in ("0", "-1", "x", "", "99999999", "1x"):
        w.want(2, "diff", "--against=" + wrong, "a", err="--against needs the number of a launch")
    w.want(2, "diff", "a", err="'trainc diff a --against N' compares a run with an earlier launch of it")
    w.write("a.tj", "job {")
    w.want(2, "diff", "--against", "1", "a.tj", err="TJ0")
    w.want(0, "delete", "--yes", "a")
    must([x["name"] for x in against(w, 1, "a")["fields"]] == ["worker args"], "after delete")


@check
def compared_in_part(w):
    """launches of an earlier version have only images and code; a large program is kept in less detail"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "--no-wait", "a.tj")
    o = record(w)
    old = json.loads(o["data"]["history"])
    for x in old:
        del x["facts"], x["words"]
    o["data"]["history"] = json.dumps(old)
    w.put("configmaps", "default", o)
    w.write("a.tj", (JOB % ("a", 3)).replace("busybox:1", "busybox:2"))
    code, out, err = w.run("diff", "--against", "1", "a.tj")
    must(code == 1 and "  image busybox:2\n" in out and "  image busybox:1\n" in out and "replicas" not in out, out)
    must("launch 1 of run 'a' has only its images and code" in err, err)
    must(against(w, 1, "a.tj")["complete"] is False, "complete")
    many = "job \"a\" {\n  image = \"busybox:1\"\n%s}\n" % "".join(
        "  role r%d { command = [\"train\", \"%s\"], cpu = 1, env { A = \"%d\" } }\n" % (i, "x" * 80, i) for i in range(60))
    w.write("a.tj", many)
    w.want(0, "apply", "--no-wait", "--yes", "--recreate", "a.tj")
    w.write("a.tj", many.replace('A = "7"', 'A = "8"'))
    code, out, err = w.run("diff", "--against", "2", "a.tj")
    must(code == 1 and "launch 2 of run 'a' is kept in less detail, because its program is large" in err, err)
    must(out.splitlines()[1:2] == ["  r7"] and "r8" not in out, out)
    for i in range(9):
        w.write("a.tj", many.replace('A = "7"', 'A = "x%d"' % i))
        w.want(0, "apply", "--no-wait", "--yes", "--recreate", "a.tj")
    stored = record(w)["data"]["history"]
    must(len(stored) <= 16 << 10 and len(json.loads(stored)) == 10 and json.loads(stored)[-1]["facts"], len(stored))


@check
def hostile(w):
    """whoever may write ConfigMaps may write any history: it is only data, has bounds, and moves no cursor"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    w.put("configmaps", "default", {"metadata": {"name": SHELF, "labels": {"trainc.dev/history": "deleted"}}, "data": {}})
    for what, text in HOSTILE.items():
        for name in ("a.trainc", SHELF):
            o = w.get("configmaps", name)
            o["data"]["history" if name == "a.trainc" else "a"] = text
            if name == SHELF:
                o["data"]["..\x1b/x"] = text
            w.put("configmaps", "default", o)
        for words in (("a",), (), ("-A", "-o", "wide"), ("-o", "json"), ("a", "-o", "wide")):
            out, err = w.want(0, "history", *words)
            must("\x1b" not in out + err and "\u202e" not in out.replace("\\u202e", "") or "json" in words, (what, words, out))
            must("\x1b" not in out and "\r" not in out and len(out) < 60000 and out.count("\n") < 100, (what, words, len(out)))
        for words in (("a",), ("a.tj",), ("a", "-o", "json")):
            code, out, err = w.run("diff", "--against", "1", *words)
            must("\x1b" not in out + err and "\u202e" not in out + err and len(out) < 60000 and code in (0, 1, 2), (what, words, code, out, err))
        w.want(0, "apply", "--refresh", "a.tj")
        stored = record(w)["data"]["history"]
        must(len(stored) <= 16 << 10 and json.loads(stored)[-1]["by"] == "eve" and len(json.loads(stored)) <= 10, (what, stored))
    w.want(0, "delete", "--yes", "a")
    must(json.loads(w.get("configmaps", SHELF)["data"]["a"])[-1]["state"] == "Deleted", "kept")


@check
def forged(w):
    """a number that somebody wrote hides no later launch"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    for number in (999999999, 1000001, 1000000, 999999):
        o = w.get("configmaps", "a.trainc")
        o["data"]["history"] = '[{"n":%d,"state":"Failed"}]' % number
        w.put("configmaps", "default", o)
        for word in ("one", "two"):
            w.write("a.tj", (JOB % ("a", 1)).replace('"train"', '"train", "%s%d"' % (word, number)))
            w.want(0, "apply", "--no-wait", "--yes", "--recreate", "a.tj")
            got = launches(w, "a")
            must(got[-1]["by"] == "eve" and not got[-1].get("ended"), (number, word, got))
        must(len(got) == (2 if number > 1000000 else 3), (number, got))


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
