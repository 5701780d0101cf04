"""commands.py [NAME...] - how the commands react to the responses of an API server, request by request."""
import hashlib
import json
import re
import signal
import os
import pty
import select
import subprocess
import sys
import threading
import time
import urllib.parse

import world
from api_memory import SANITIZED
from world import TRAINC, main, must, status

JOB = 'job "%s" {\n  image = "busybox:1"\n  role worker {\n    replicas = %s\n    command = ["train"]\n    cpu = 1\n    memory = 1Gi\n  }\n}\n'
PAIR = '''job "a" {
  image = "busybox:1"
  role ps {
    replicas = 1
  }
  role worker {
    replicas = 1
  }
  success = done(worker)
}
'''
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def conflict(field, manager):
    return status(409, "Conflict", "Apply failed with 1 conflict", [
        {"reason": "FieldManagerConflict", "message": 'conflict with "%s" using batch/v1' % manager, "field": field}])


@check
def whole(w):
    """apply, status, wait and delete leave nothing behind"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj", out=r"Service/a created\nJob/a-worker created\nrun/a created")
    w.want(0, "status", "a", out="Running")
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    w.want(0, "wait", "a")
    w.want(0, "delete", "a", "--yes", out="run/a deleted")
    must(not w.names("jobs") + w.names("services") + w.names("configmaps"), "something is left")


@check
def stays(w):
    """a new run without a ttl stays when it has ended: said once, and not if the program says so"""
    says, again = "stays when it has ended", "^(?!.*when (it|they) ha)"
    a = JOB % ("a", 2)
    w.write("a.tj", a)
    w.want(0, "apply", "a.tj", "--no-wait", err=r"run 'a' stays when it has ended: 'ttl = 1d' in the job or in the project's defaults removes it a day later")
    w.want(0, "apply", "a.tj", "--no-wait", err=again)
    w.write("a.tj", a.replace("replicas", "env { A = 1 }\n    replicas"))
    w.want(0, "apply", "a.tj", "--no-wait", "--recreate", "--yes", err=again)
    for name, line in ("b", "ttl = 1d"), ("c", "ttl = none"), ("d", "success = none"):
        w.write("b.tj", (JOB % (name, 2)).replace("  image", "  %s\n  image" % line))
        w.want(0, "apply", "b.tj", "--no-wait", err=again)
    w.write("two.tj", PAIR.replace('"a"', '"two"').replace("replicas = 1", 'replicas = 1\n    command = ["x"]'))
    w.want(0, "apply", "two.tj", "--no-wait", err="run 'two' stays when it has ended, until 'trainc delete two'")
    w.write("many.tj", JOB % ("e", 1) + JOB % ("f", 1))
    _, err = w.want(0, "apply", "many.tj", "--no-wait", err="these 2 runs stay when they have ended")
    must(err.count("ended") == 1, err)
    w.want(0, "apply", "--dry-run=server", "--name", "g", "a.tj", err=again)
    w.write("project.tj", "project { defaults { ttl = 2d } }\n")
    w.write("h.tj", JOB % ("h", 1))
    w.want(0, "apply", "h.tj", "--no-wait", err=again)


ORDERED = '''job "two" {
  image = "busybox:1"
  role store {
    replicas = 1
  }
  role chief {
    replicas = 1
    start_after = ready(store)
  }
}
'''


@check
def ordered(w):
    """apply of a program with start_after starts the roles in their order and returns when all run; where nobody attends
    the run, status and why say so, and name the two ways out"""
    w.write("two.tj", ORDERED)
    w.want(0, "apply", "two.tj", "--timeout", "30s", out="run/two created", err="this command does this until it returns.*start role 'chief' after ready")
    must(not w.get("jobs", "two-chief")["spec"].get("suspend"), w.get("jobs", "two-chief")["spec"])
    w.want(0, "delete", "two", "--yes")
    w.want(0, "apply", "--no-wait", "two.tj", err="needs; 'trainc wait two' does this")
    cause = "no attendant starts role 'chief', although ready\\(store\\) has come true"
    w.want(0, "status", "two", out="Pending.*" + cause)
    out, _err = w.want(0, "why", "two", out=cause + ".*'trainc wait two' starts it.*'trainc apply --controller two.tj' leaves that")
    must("waits for" not in out, out)
    advice = json.loads(w.want(0, "why", "two", "-o", "json")[0])["advice"]
    must(len(advice) == 2, advice)
    w.want(0, "apply", "--for", "scheduled", "--timeout", "30s", "two.tj")
    w.want(0, "apply", "--timeout", "30s", "two.tj")
    w.want(0, "status", "two", out="Running")
    w.want(0, "delete", "two", "--yes")
    w.jobs_run = False
    w.want(0, "apply", "--no-wait", "two.tj")           # the condition has not come true: nothing is missing
    out, _err = w.want(0, "why", "two", out="waits for ready\\(store\\)")
    must("no attendant" not in out and "--controller" not in out, out)


@check
def places(w):
    """-o wide and -o json show the pod of each replica, its node and its address; the column of processes is only
    for local runs"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj")
    pod = w.get("pods", "a-worker-1-x")
    pod["spec"]["nodeName"], pod["status"]["podIP"] = "gpu-7", "10.0.0.9"
    w.put("pods", "default", pod)
    out, _err = w.want(0, "status", "a", "-o", "wide")
    table = [line.split() for line in out.splitlines()]
    must(table[0] == ["RUN", "REPLICA", "STATE", "ATTEMPTS", "EXIT", "SINCE", "POD", "IP", "NODE", "CAUSE"], out)
    must(table[1][5:] == ["a-worker-0-x", "n"] and table[2][5:] == ["a-worker-1-x", "10.0.0.9", "gpu-7"], out)
    got = json.loads(w.want(0, "status", "a", "-o", "json")[0])["runs"][0]["replicas"]
    must([(r["pod"], r["ip"], r["node"]) for r in got] == [("a-worker-0-x", "", "n"), ("a-worker-1-x", "10.0.0.9", "gpu-7")], got)
    w.take("pods", "default", "a-worker-1-x")
    out, _err = w.want(0, "status", "a", "-o", "wide")
    must("gpu-7" not in out and "a-worker-1-x" not in out, out)


def read_terminal(fd, got, enough):
    """Appends what appears on a terminal to GOT until ENOUGH accepts it, for at most a minute, or until the end."""
    until = time.monotonic() + 60
    while not enough(got) and time.monotonic() < until:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            more = os.read(fd, 65536)
        except OSError:                 # the other side is closed
            break
        if not more:
            break
        got += more
    return got


@check
def bar(w):
    """on a terminal: how many of 1,000 replicas are ready, start on a node, and wait for one; the screen is left clean"""
    w.jobs_run = False
    w.write("a.tj", JOB % ("a", 1000))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.run_job("default", w.get("jobs", "a-worker"))
    for key in [k for k in w.objects if k[0] == "pods"]:
        o, i = w.objects[key], int(key[2].split("-")[2])
        if i >= 300:
            placed = {"type": "PodScheduled", "status": str(i < 600), "lastTransitionTime": world.NOW}
            o["status"] = {"phase": "Pending", "conditions": [placed]}
            w.put("pods", "default", o)
    job = w.get("jobs", "a-worker")
    job["status"]["ready"] = 300
    w.put("jobs", "default", job)
    want = b"  worker  300/1000 ready  [######++++++........]  300 starting, 400 waiting"
    ours, theirs = pty.openpty()
    env = {**w.environment(), "TERM": "xterm"}
    env.pop("CI", None)
    with subprocess.Popen([TRAINC, "wait", "a", "--color=never"], cwd=w.dir, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env) as p:
        os.close(theirs)
        got = read_terminal(ours, b"", lambda text: want in text)
        p.send_signal(signal.SIGINT)
        got = read_terminal(ours, got, lambda text: b"'trainc delete a' ends it" in text)
        os.close(ours)
        must(p.wait(timeout=60) == 130, p.returncode)
    must(want in got, got[-2000:])
    must(b"\x1b[?25l" not in got and got.rindex(b"\x1b[J") < got.index(b"trainc: run 'a' goes on"), got[-300:])


@check
def secret_values(w):
    """no message shows the contents of Secrets: a conflict, a change by admission, an immutable field, diff, -v"""
    mine, theirs = "bWluZS1taW5l", "dGhlaXJzLXRoZWlycw=="
    program = (JOB % ("a", 1))[:-2] + ('  object key {\n    apiVersion = "v1"\n    kind = "Secret"\n    metadata = { name = "key" }\n'
                                       '    data = { password = "%s" }\n  }\n}\n')

    def masked(code, *words, err=None, out=None):
        got = "".join(w.want(code, *words, "-v", err=err, out=out)).replace(line, "")
        must(mine not in got and theirs not in got and "(masked)" in got, got)
    line = 'data = { password = "%s" }' % mine
    w.write("a.tj", program % mine)
    w.want(0, "apply", "--no-wait", "a.tj")
    secret = w.get("secrets", "key")
    w.put("secrets", "default", dict(secret, data={"password": theirs}))
    w.fault("PATCH", "/secrets/key", conflict(".data.password", "vault"))
    masked(5, "apply", "--no-wait", "--refresh", "a.tj", err="'vault' owns data.password of Secret/key")
    w.fault("PATCH", "/secrets/key", status(422, "Invalid", "Secret is invalid", [
        {"reason": "FieldValueForbidden", "message": "Forbidden: field is immutable when `immutable` is set", "field": "data"}]))
    masked(5, "apply", "--no-wait", "--refresh", "a.tj", err="Secret/key cannot take data.password while it exists")
    w.fault("PATCH", "/secrets/key", lambda _h, _b: (200, dict(secret, data={"password": theirs})))
    masked(0, "apply", "--no-wait", "--refresh", "a.tj", err="the API server changed data.password")


SECRET = (JOB % ("a", 1))[:-2] + ('  object key {\n    apiVersion = "v1"\n    kind = "Secret"\n    metadata = { name = "key" }\n'
                                  '    stringData = { password = "%s" }\n  }\n}\n')
SALT = "trainc.dev/salt"


def hashes(w):
    """The digests in the record of run 'a': of each object by name, and of all together."""
    data = w.get("configmaps", "a.trainc")["data"]
    return {o[0]: o[2] for kind in json.loads(data["applied"]) for o in kind["objects"]} | {"": data["hash"]}


@check
def secret_hashes(w):
    """the record does not allow testing guesses of a Secret's value, and an unchanged apply still sends nothing"""
    w.write("a.tj", SECRET % "hunter2")
    w.want(0, "apply", "--no-wait", "a.tj")
    first, salt = hashes(w), w.get("secrets", "key")["metadata"]["annotations"][SALT]
    must(re.fullmatch("[0-9a-f]{32}", salt), salt)
    must(salt not in json.dumps(w.get("configmaps", "a.trainc")), "the record has the salt")
    w.want(0, "apply", "--no-wait", "a.tj", out="Secret/key unchanged")
    must([m for m, _p, _b in w.requests] == ["GET"] * 5, w.requests)    # the record, three kinds, the pods
    must(hashes(w) == first, "the record has changed")
    w.want(0, "apply", "--no-wait", "--refresh", "a.tj", out="Secret/key unchanged")
    w.want(0, "delete", "a", "--yes")
    w.want(0, "apply", "--no-wait", "a.tj")
    again = hashes(w)
    must({k for k in first if first[k] == again[k]} == {"a", "a-worker"}, (first, again))

    w.write("a.tj", SECRET % "hunter3")         # a value that returns is not recognized as an old one either
    out, err = w.want(1, "diff", "a.tj", out="stringData.password")
    must(SALT not in out + err and "hunter" not in out + err, out + err)
    w.want(0, "apply", "--no-wait", "a.tj", out="Secret/key configured")
    w.write("a.tj", SECRET % "hunter2")
    w.want(0, "apply", "--no-wait", "a.tj", out="Secret/key configured")
    must(hashes(w)["key"] != again["key"], "the same value has the same digest")


@check
def secret_without_salt(w):
    """a Secret that an older version applied gets a salt with the next apply, and nothing else changes"""
    w.write("a.tj", SECRET % "hunter2")
    w.want(0, "apply", "--no-wait", "a.tj")
    body = json.loads(next(b for m, p, b in w.requests if m == "PATCH" and "/secrets/key" in p))
    secret, record = w.get("secrets", "key"), w.get("configmaps", "a.trainc")
    del body["metadata"]["annotations"], secret["metadata"]["annotations"]
    old = hashlib.sha256(json.dumps(body, separators=(",", ":")).encode()).hexdigest()[:16]
    record["data"]["applied"] = record["data"]["applied"].replace(hashes(w)["key"], old)
    w.put("secrets", "default", secret)
    w.put("configmaps", "default", record)
    w.want(0, "diff", "a.tj", out=r"\A\Z")
    w.want(0, "apply", "--no-wait", "a.tj", out="Secret/key configured")
    must(old not in w.get("configmaps", "a.trainc")["data"]["applied"], "the record has the old digest")
    must(sorted(p.split("?")[0] for m, p, _b in w.requests if m == "PATCH") == [
        "/api/v1/namespaces/default/configmaps/a.trainc"] * 2 + ["/api/v1/namespaces/default/secrets/key"], w.requests)
    w.want(0, "apply", "--no-wait", "a.tj", out="Secret/key unchanged")
    must([m for m, _p, _b in w.requests] == ["GET"] * 5, w.requests)


@check
def salt_of_another(w):
    """a copy of a Secret claims the field of its salt too: apply takes it back without a conflict, and says who
    should leave it out"""
    def stolen(*more):
        return status(409, "Conflict", "Apply failed with %d conflicts" % (1 + len(more)), [
            {"reason": "FieldManagerConflict", "message": 'conflict with "argocd" using v1', "field": f}
            for f in (".metadata.annotations." + SALT, *more)])

    w.write("a.tj", SECRET % "hunter2")
    w.want(0, "apply", "--no-wait", "a.tj")
    copied = w.get("secrets", "key")
    copied["metadata"]["annotations"][SALT] = "copied"
    w.put("secrets", "default", copied)
    w.fault("PATCH", "/secrets/key", stolen())
    out, err = w.want(0, "apply", "--no-wait", "a.tj", out="Secret/key configured",
                      err="'argocd' has set the annotation trainc.dev/salt of Secret/key.*remove it from what 'argocd' applies")
    must("conflict" not in err and w.get("secrets", "key")["metadata"]["annotations"][SALT] != "copied", err)
    must([("force=true" in p) for m, p, _b in w.requests if m == "PATCH" and "/secrets/key" in p] == [False, True], w.requests)

    w.write("a.tj", SECRET % "hunter3")         # beside a conflicting field it does not need a message
    w.fault("PATCH", "/secrets/key", stolen(".data.password"))
    out, err = w.want(5, "apply", "--no-wait", "a.tj", err="'argocd' owns data.password of Secret/key")
    must(SALT not in err and "write it in the program" in err and err.count("TJ1203") == 1, err)

    bare = w.get("secrets", "key")              # somebody removed it: it is restored without asking
    del bare["metadata"]["annotations"]
    w.put("secrets", "default", bare)
    out, err = w.want(0, "apply", "--no-wait", "a.tj", out="Secret/key configured")
    must(SALT not in err and w.get("secrets", "key")["metadata"]["annotations"][SALT], err)


@check
def elastic_in_a_queue(w):
    """a Job that Kueue started with fewer pods keeps its size while it runs; `apply` leaves it, `scale` says what to do"""
    w.write("a.tj", (JOB % ("a", "2:8")).replace("image =", 'queue = "ml"\n  image =', 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    live = w.get("jobs", "a-worker")
    must(live["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] == "2", live)
    live["spec"].update(suspend=False, parallelism=4, completions=4)
    w.put("jobs", "default", live)
    w.want(0, "apply", "--no-wait", "a.tj", out="Job/a-worker unchanged")
    w.want(6, "scale", "a", "worker=6", err="Kueue has started role 'worker' with 4 replicas, and keeps that number while they run; "
           "'trainc suspend a', scale and 'trainc resume a'")
    w.want(0, "scale", "a", "worker=4")
    live["spec"].update(suspend=True, parallelism=8, completions=8)
    w.put("jobs", "default", live)
    w.want(0, "scale", "a", "worker=6")
    must(w.get("jobs", "a-worker")["spec"]["parallelism"] == 6, "scaled")


CELLS = """job "c" {
  image   = "registry.example.com/t:1"
  success = none
  cell server {
    copies   = 1:3
    success  = none
    restarts = 0
    role lead { command = ["lead"] }
    role rest { command = ["rest"], replicas = 2, start_after = started(lead) }
  }
  cell fixed { copies = 2, role w { command = ["w"] } }
  role front { command = ["front"] }
}
"""
AWAY = "trainc.dev/scaled-away"


def scaled_away(w):
    """The Jobs of the cell that are scaled away: each is suspended."""
    jobs = [w.get("jobs", "c-server-%s-%d" % (r, n)) for n in range(3) for r in ("lead", "rest")]
    gone = [j for j in jobs if AWAY in j["metadata"].get("annotations", {})]
    must(all(j["spec"]["suspend"] for j in gone), gone)
    return [j["metadata"]["name"][9:] for j in gone]


@check
def copies_scaled(w):
    """`scale` changes the number of copies of a cell: those with the highest numbers go, keep their Jobs, and come back"""
    w.write("c.tj", CELLS)
    w.want(0, "apply", "--no-wait", "c.tj")
    must(scaled_away(w) == [], scaled_away(w))
    w.want(0, "scale", "c", "server=1", out="run/c scaled: server from 3 to 1")
    must(scaled_away(w) == ["lead-1", "rest-1", "lead-2", "rest-2"], scaled_away(w))
    must(not w.get("jobs", "c-server-lead-0")["spec"].get("suspend"), "the first copy goes on")
    cells = json.loads(w.want(0, "status", "c", "-o", "json")[0])["runs"][0]["cells"]
    must([c["copies"]["desired"] for c in cells] == [1, 2], cells)
    w.want(0, "status", "c", out="server +3 .* 0/1 copies ready; server 0: no attendant starts role .server-rest-0.")
    w.want(0, "apply", "--no-wait", "c.tj", out="run/c unchanged")
    must(len(scaled_away(w)) == 4, "a run keeps its size when it is applied again")
    w.want(0, "suspend", "c")
    w.want(6, "scale", "c", "server=2", err="run 'c' is suspended; resume it first")
    w.want(0, "resume", "c")
    must(len(scaled_away(w)) == 4 and not w.get("jobs", "c-server-lead-0")["spec"].get("suspend"), "resumed without them")
    w.want(0, "scale", "c", "2", out="run/c scaled: server from 1 to 2")
    must(scaled_away(w) == ["lead-2", "rest-2"], scaled_away(w))
    must(not w.get("jobs", "c-server-lead-1")["spec"]["suspend"], "the second copy is back")
    must(w.get("jobs", "c-server-rest-1")["spec"]["suspend"], "its other role waits for the first one")
    w.want(0, "scale", "c", "server=3")
    must(scaled_away(w) == [], "all are back")
    for n in (0, 4):
        w.want(6, "scale", "c", "server=%d" % n, err="cell 'server' has between 1 and 3 copies, not %d" % n)
    w.want(6, "scale", "c", "fixed=1", err="cell 'fixed' always has 2 copies; write 'copies = 1:2' to make it elastic")
    w.want(2, "scale", "c", "sever=1", err="run 'c' has no role or cell 'sever'; did you mean 'server'")
    w.want(6, "scale", "c", "server/2/rest=1", err="always has 2 replicas")


@check
def copies_by_address(w):
    """each command that takes a replica takes the addresses of one in a copy, and forwards its ports"""
    w.write("c.tj", CELLS.replace('command = ["lead"]', 'command = ["lead"], ports { http = 8000 }'))
    w.want(0, "apply", "--no-wait", "c.tj")
    lead, w1 = "c-server-lead-1-0-x", "c-fixed-w-1-0-x"
    for address, port, pod in (("server/1/lead/0", "8000", lead), ("server-lead-1/0", "8000", lead), ("fixed/1/0", "80", w1), ("fixed/1/w/0", "80", w1)):
        p = w.start("port-forward", "c", "0:%s:%s" % (address, port))
        shown = w.shown(p, "->", out=True)
        must(shown.endswith("-> %s:%s\n" % (address, port)), shown)
        p.kill()
        p.communicate(timeout=60)
        w.want(0, "logs", "c", "--role", address.rsplit("/", 1)[0])
        w.want(5, "restart", "c", address, err="nothing would create the pod '%s' again" % pod)
    for address in ("server/1/0", "server/7/lead/0", "fixed/1/x/0", "server/0"):
        w.want(2, "port-forward", "c", address + ":80")
        w.want(2, "restart", "c", address)


@check
def copies_of_pods_are_not_scaled(w):
    """copies that are pods have no Jobs that could be suspended, so `scale` says what to do"""
    w.write("c.tj", CELLS)
    w.want(0, "apply", "--no-wait", "--target", "pods", "c.tj")
    w.want(6, "scale", "c", "server=1", err="the copies of cell 'server' have no Jobs of their own; change 'copies' in the program")


@check
def contradictions(w):
    """a command line that contradicts itself, or names something that does not exist, changes nothing"""
    w.write("a.tj", JOB % ("a", "1:3") + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    w.want(2, "delete", "--all", "b", "--yes", err="--all deletes every run, not just 'b'")
    w.want(2, "scale", "a", "worker=2", "worker=1", err="role 'worker' cannot have both 2 and 1 replicas")
    w.want(2, "scale", "a", "worker=2", "wrker=1", err="did you mean 'worker'")
    must(not [r for r in w.requests if r[0] not in ("GET", "POST")], w.requests)
    must(w.get("jobs", "a-worker")["spec"]["parallelism"] == 3, "scaled")
    w.want(2, "logs", "a", "-c", "mian", err="unknown container 'mian'; did you mean 'main'")
    w.want(2, "logs", "a", "-c", "sidecar", "-f", err="unknown container 'sidecar'; the only container is main")
    w.want(0, "logs", "a", "-c", "main")
    out, err = w.want(0, "list", "--namespace", "nobody", err="no runs in namespace 'nobody'; 'trainc list -A'")
    out, err = w.want(0, "list", "--namespace", "nobody", "-A")
    must(not err and "default/a" in out and "default/b" in out, out + err)
    w.want(0, "delete", "b", "--yes")
    for command, code in (("delete", 0), ("status", 2), ("wait", 2)):
        w.want(code, command, "run/b", err="^trainc: no run 'b' in namespace 'default'; 'trainc list' lists runs\n$")
    w.want(1, "delete", "run/b.tj", err="'run/b.tj' cannot be read")
    _out, err = w.want(6, "apply", "--namespace", "nobody", "a.tj", err="namespace 'nobody' does not exist")
    must(err.count("does not exist") == 1, err)
    w.want(0, "list", "-A", out="^default/a ")
    w.want(0, "delete", "run/a", "--yes")
    w.want(0, "delete", "--all", "--yes", err="^trainc: no runs in namespace 'default'; 'trainc list -A' looks in all namespaces\n$")
    w.want(0, "apply", "a.tj")
    w.want(2, "status", "-A", "a", err="-A shows the runs of all namespaces, and 'a' is in one")


@check
def waited_json(w):
    """wait -o json, wide, table and name print the final states, even after a failure"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj")
    for code, more in ((0, ("--for", "running")), (124, ("--timeout", "2s"))):
        out, _err = w.want(code, "wait", "a", "-o", "json", *more)
        got = json.loads(out)
        must(got["schemaVersion"] == 1 and [r["state"] for r in got["runs"]] == ["Running"], out)
    for form, first in (("name", "run/a"), ("wide", "RUN +REPLICA"), ("table", "RUN +STATE +ROLE"), ("text", None)):
        out, _err = w.want(0, "wait", "a", "-o", form, "--for", "running")
        must(re.match(first, out) if first else not out, out)
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    out, _err = w.want(8, "wait", "a", "-o", "json")
    got = json.loads(out)["runs"][0]
    must(got["state"] == "Failed" and got["first_failure"]["exit_code"] == 3, out)


@check
def field_conflict(w):
    """a field with another manager: both values are shown, status 5, the other objects of the stage are applied"""
    w.write("a.tj", JOB % ("a", 1) + JOB % ("b", 1))
    w.fault("PATCH", "/jobs/a-worker", conflict(".spec.parallelism", "kubectl-edit"))
    out, err = w.want(5, "apply", "--no-wait", "a.tj", err="'kubectl-edit' owns spec.parallelism of Job/a-worker")
    must("--force-conflicts" in err, err)
    must("Job/b-worker created" in out, out)


@check
def parent_changed(w):
    """the record has another version but the same generation: it is read again and written, at most five times"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.write("a.tj", (JOB % ("a", 1)).replace("train", "train2"))
    w.jobs_run = False

    def touched(_h, _body):
        o = w.get("configmaps", "a.trainc")
        o["data"]["verdict"] = ""
        w.put("configmaps", "default", o)
    w.fault("PATCH", "/configmaps/a.trainc", touched, 2)
    w.want(0, "apply", "--no-wait", "a.tj", out="run/a configured")
    w.write("a.tj", (JOB % ("a", 1)).replace("train", "train3"))
    w.fault("PATCH", "/configmaps/a.trainc", touched, 100)
    w.want(5, "apply", "--no-wait", "a.tj", err="at the same time")
    must(len([r for r in w.requests if r[0] == "PATCH" and "configmaps/a.trainc" in r[1]]) == 6, w.requests)


@check
def invalid(w):
    """422: the cause is shown at the line of the program"""
    w.write("a.tj", JOB % ("a", 1))
    w.fault("PATCH", "/jobs/a-worker", status(422, "Invalid", "Job is invalid", [
        {"reason": "FieldValueInvalid", "message": "Invalid value: \"busybox:1\": no", "field": "spec.template.spec.containers[0].image"}]))
    w.want(6, "apply", "--no-wait", "a.tj", err=r"a\.tj:2:11: error: the API server refuses spec\.template\.spec\.containers\[0\]\.image of Job/a-worker")


@check
def denied(w):
    """all missing verbs in one message before anything is written"""
    w.denied = {("create", "jobs"), ("patch", "jobs"), ("create", "services")}
    w.write("a.tj", JOB % ("a", 1))
    w.want(4, "apply", "--no-wait", "a.tj", err=r"user 'eve' may not do in namespace 'default' what this needs: .*create services; .*create, patch jobs\.batch")
    must(not [r for r in w.requests if r[0] == "PATCH"], w.requests)


@check
def denied_by_options(w):
    """the permissions that are checked are those of this command line: following needs watch, pruning and --rerun
    need delete, run needs logs"""
    w.denied = {("watch", "jobs"), ("watch", "pods"), ("delete", "jobs"), ("get", "pods/log"), ("delete", "services")}
    w.write("a.tj", JOB % ("a", 1))
    w.want(4, "apply", "a.tj", err=r"what this needs: watch pods; watch jobs\.batch$")
    w.want(4, "run", "a.tj", err=r"what this needs: watch pods; watch jobs\.batch; get pods/log$")
    must(not w.names("configmaps"), "something was written")
    for words in (["--no-wait"], ["--for", "created"]):
        w.want(0, "apply", *words, "--refresh", "a.tj")
    w.want(4, "apply", "--no-wait", "--rerun", "--yes", "a.tj", err=r"what this needs: delete, watch jobs\.batch$")
    w.write("a.tj", (JOB % ("a", 1)).replace("role worker", "role other"))
    w.want(4, "apply", "--no-wait", "--yes", "a.tj", err=r"what this needs: delete, watch jobs\.batch$")
    w.denied = {("watch", "jobs"), ("delete", "jobs")}
    w.write("b.tj", PAIR.replace('"a"', '"b"'))
    w.want(0, "apply", "--no-wait", "b.tj")
    w.write("b.tj", PAIR.replace('"a"', '"b"').replace("busybox:1", "busybox:2"))
    w.want(4, "apply", "--for", "complete", "b.tj", err=r"what this needs: delete, watch jobs\.batch$")
    w.want(4, "apply", "--no-wait", "--recreate", "--yes", "b.tj", err=r"what this needs: delete, watch jobs\.batch$")
    w.want(0, "apply", "--no-wait", "b.tj", out="configured")


@check
def generation_race(w):
    """another apply raises the generation: the loser changes no member, and prunes nothing"""
    w.write("a.tj", JOB % ("a", 1) + JOB % ("b", 1))
    w.want(0, "apply", "--no-wait", "a.tj")

    def raced(_h, _body):
        o = w.get("configmaps", "a.trainc")
        key = next(k for k in o["metadata"]["annotations"] if k.endswith("generation"))
        o["metadata"]["annotations"][key] = "7"
        w.put("configmaps", "default", o)
    w.write("a.tj", (JOB % ("a", 1)).replace("train", "other"))
    w.fault("PATCH", "/configmaps/a.trainc", raced)
    w.want(5, "apply", "--no-wait", "a.tj", err="at the same time; nothing more was changed")
    must(not [r for r in w.requests if r[0] == "PATCH" and "/jobs/" in r[1]], w.requests)


@check
def deleted_meanwhile(w):
    """the record is being deleted: apply stops, and members are not applied if it disappears meanwhile"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    o = w.get("configmaps", "a.trainc")
    o["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    w.put("configmaps", "default", o)
    w.write("a.tj", (JOB % ("a", 1)).replace("train", "other"))
    w.want(5, "apply", "--no-wait", "a.tj", err="is being deleted; wait until it is gone")
    del o["metadata"]["deletionTimestamp"]
    w.put("configmaps", "default", o)
    w.fault("PATCH", "/configmaps/a.trainc", lambda _h, _b: w.take("configmaps", "default", "a.trainc"))
    w.want(5, "apply", "--no-wait", "a.tj", err="applying or deleting run 'a' at the same time")
    must(not [r for r in w.requests if r[0] == "PATCH" and "/jobs/" in r[1]], w.requests)


def immutable():
    return status(422, "Invalid", "Job is invalid: spec.template: field is immutable", [
        {"reason": "FieldValueInvalid", "message": "Invalid value: core.PodTemplateSpec{}: field is immutable", "field": "spec.template"}])


@check
def immutable_field(w):
    """an immutable field: explained; with --recreate a dry run proves the new object before the old one is deleted"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.write("a.tj", (JOB % ("a", 1)).replace("busybox:1", "busybox:2"))
    w.fault("PATCH", "/jobs/a-worker", immutable(), 2)
    w.want(5, "apply", "--no-wait", "a.tj", err=r"Job/a-worker cannot take spec\.template\S+ while it exists.*busybox:1.*busybox:2.*--recreate")
    w.want(0, "apply", "--no-wait", "--recreate", "--yes", "a.tj", out="Job/a-worker recreated")
    calls = [(r[0], r[1]) for r in w.requests if "/jobs" in r[1] and r[0] != "GET"]
    dry = next(i for i, c in enumerate(calls) if "dryRun=All" in c[1])
    gone = next(i for i, c in enumerate(calls) if c[0] == "DELETE")
    must(dry < gone, calls)
    w.write("a.tj", (JOB % ("a", 1)).replace("busybox:1", "busybox:3"))
    w.fault("PATCH", "/jobs/a-worker", immutable())
    w.fault("POST", "/jobs", status(422, "Invalid", "bad", [{"reason": "FieldValueInvalid", "message": "bad image", "field": "spec.template"}]), 9)
    w.fault("PATCH", "dryRun", status(422, "Invalid", "bad", [{"reason": "FieldValueInvalid", "message": "bad image", "field": "spec.template"}]), 9)
    w.want(6, "apply", "--no-wait", "--recreate", "--yes", "a.tj", err="would refuse the new one too: .*bad")
    must(w.get("jobs", "a-worker"), "the old Job is gone although the new one was refused")


@check
def immutable_by_webhook(w):
    """a webhook, such as JobSet's, calls a field immutable only in its message: the same help, and --recreate works"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.write("a.tj", (JOB % ("a", 1)).replace("busybox:1", "busybox:2"))
    denied = status(403, "Forbidden", 'admission webhook "v.example.com" denied the request: spec.template: Invalid value: {"a":{}}: field is immutable')
    del denied[1]["details"]
    w.fault("PATCH", "/jobs/a-worker", denied, 2)
    w.want(5, "apply", "--no-wait", "a.tj", err=r"Job/a-worker cannot take spec\.template\S+ while it exists.*busybox:1.*busybox:2.*--recreate")
    w.want(0, "apply", "--no-wait", "--recreate", "--yes", "a.tj", out="Job/a-worker recreated")
    w.fault("PATCH", "/jobs/a-worker", status(403, "Forbidden", 'admission webhook "v.example.com" denied the request: no jobs on Sundays'))
    w.write("a.tj", (JOB % ("a", 1)).replace("busybox:1", "busybox:3"))
    w.want(4, "apply", "--no-wait", "--recreate", "--yes", "a.tj", err="refuses Job/a-worker.*no jobs on Sundays")


@check
def namespaces(w):
    """a missing namespace fails before any write; --create-namespace creates it with a label; a terminating one is reported"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(6, "apply", "--no-wait", "--namespace", "ml", "a.tj", err="namespace 'ml' does not exist")
    must(not [r for r in w.requests if r[0] == "PATCH"], w.requests)
    w.want(0, "apply", "--no-wait", "--namespace", "ml", "--create-namespace", "a.tj", out="Namespace/ml created")
    must(w.get("namespaces", "ml", "")["metadata"]["labels"], "no label")
    w.want(0, "delete", "--namespace", "ml", "--yes", "a")
    must(w.get("namespaces", "ml", ""), "the namespace was deleted")
    w.put("namespaces", "", {"metadata": {"name": "old"}, "status": {"phase": "Terminating"}})
    w.want(6, "apply", "--no-wait", "--namespace", "old", "a.tj", err="is being deleted")
    w.fault("PATCH", "/services/a", status(403, "Forbidden", "forbidden: because it is being terminated", [
        {"reason": "NamespaceTerminating", "message": "namespace is being terminated"}]))
    w.want(6, "apply", "--no-wait", "a.tj", err="the namespace is being deleted")


@check
def kinds(w):
    """a kind that is not served: the message names the add-on, and the target that needs none; broken groups that
    are not needed are ignored"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(6, "apply", "--no-wait", "--target", "jobset", "a.tj", err="it comes with JobSet.*--target jobs")
    must(not [r for r in w.requests if r[0] == "PATCH"], w.requests)
    w.groups = [{"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1", "freshness": "Stale", "resources": []}]}]
    w.fault("GET", "^/apis$", status(503, "ServiceUnavailable", "stale"), 0)
    w.want(0, "apply", "--no-wait", "a.tj")
    w.want(6, "apply", "--no-wait", "--target", "jobset", "a.tj")


@check
def quota(w):
    """a quota that is used up refuses an object: used and limit from the message"""
    w.write("a.tj", JOB % ("a", 1))
    w.fault("PATCH", "/jobs/a-worker", status(403, "Forbidden", "jobs.batch \"a-worker\" is forbidden: exceeded quota: q, requested: count/jobs.batch=1, "
                                              "used: count/jobs.batch=2, limited: count/jobs.batch=2"))
    w.want(6, "apply", "--no-wait", "a.tj", err="used: count/jobs.batch=2, limited: count/jobs.batch=2.*quota is used up")


@check
def pods_refused(w):
    """a quota, a policy or a LimitRange refuses pods: status names the cause and Stalled, wait exits with 8 with
    --fail-on-stall or 124 after --timeout"""
    w.jobs_run = False
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    job = w.get("jobs", "a-worker")
    for why in ("pods \"a-worker-0\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2",
                "pods \"a-worker-0\" is forbidden: violates PodSecurity \"restricted:latest\""):
        w.put("events", "default", {"metadata": {"name": "e"}, "type": "Warning", "reason": "FailedCreate", "message": why, "count": 1,
                                    "lastTimestamp": "2030-01-01T00:00:00Z", "involvedObject": {"kind": "Job", "name": "a-worker",
                                                                                               "uid": job["metadata"]["uid"], "namespace": "default"}})
        w.want(0, "status", "a", out="Stalled.*" + re.escape(why.split(": ", 1)[1][:30]))
        w.want(8, "wait", "--fail-on-stall", "a")
        w.want(124, "wait", "--timeout", "1s", "a", err="the time is up; run 'a' goes on: Stalled: FailedCreate: " + re.escape(why.split(": ", 1)[1][:30]))
    w.write("b.tj", JOB % ("b", 1))
    w.want(0, "apply", "--no-wait", "b.tj")
    w.jobs_run = True
    w.run_job("default", w.get("jobs", "b-worker"), "Failed", 3)
    w.want(8, "wait", "--fail-on-stall", "a", "b", err="run 'a' is stalled: .*\n(.*\n)*b: Failed: .*worker 0 exited with code 3")


@check
def altered(w):
    """admission changes a field that was sent: a warning, status 0"""
    w.write("a.tj", JOB % ("a", 1))

    def changed(_h, body):
        o = json.loads(body)
        o["spec"]["backoffLimit"] = 1
        o["spec"]["template"]["spec"]["containers"][0]["image"] = "mirror/busybox:1"
        return w.stored("jobs", "default", o, 201, False)
    w.fault("PATCH", "/jobs/a-worker", changed)
    w.want(0, "apply", "--no-wait", "a.tj",
           err=r'warning: Job/a-worker: the API server changed spec\.template\.spec\.containers\[0\]\.image from "busybox:1" to "mirror/busybox:1"')


@check
def finalizers(w):
    """a finalizer holds an object: --timeout limits the wait and no finalizer is removed"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    job = w.get("jobs", "a-worker")
    job["metadata"]["finalizers"] = ["example.com/hold"]
    w.put("jobs", "default", job)
    w.want(124, "delete", "--yes", "--timeout", "5s", "a", err="1 object is still being deleted.*"
           "Job/a-worker is held by finalizer 'example.com/hold': the controller that has set it must remove it")
    must(w.get("jobs", "a-worker")["metadata"]["finalizers"], "the finalizer was stripped")
    must(w.get("configmaps", "a.trainc"), "the record is gone before the members")


DENIED = 'User "eve" cannot %s resource "%s" in API group "%s" in the namespace "default"'


@check
def denied_words(w):
    """a missing permission is named with the verb and the resource, in fewer words than the server's; delete does
    not wait for what it may not watch"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.fault("GET", "/a-worker-0-x/log", status(403, "Forbidden", 'pods "a-worker-0-x" is forbidden: ' + DENIED % ("get", "pods/log", "")), 9)
    w.want(4, "logs", "a", err=r"^trainc: worker/0: user 'eve' may not get pods/log in namespace 'default': ask for a Role that has this verb$")
    w.fault("GET", "/configmaps", status(403, "Forbidden", 'configmaps is forbidden: User "eve" cannot list resource "configmaps" in API group "" at the cluster scope'))
    w.want(4, "list", "-A", err=r"^trainc: user 'eve' may not list configmaps in the whole cluster: ask for a ClusterRole that has this verb$")
    w.fault("GET", "/jobs\\?.*watch=true", status(403, "Forbidden", "jobs.batch is forbidden: " + DENIED % ("watch", "jobs", "batch")), 99)
    out, err = w.want(4, "status", "a", err="user 'eve' may not watch jobs.batch in namespace 'default'")
    must(not out, out)
    out, err = w.want(4, "why", "a", err="user 'eve' may not watch jobs.batch in namespace 'default'")
    must(not out, out)
    job = w.get("jobs", "a-worker")
    job["metadata"]["finalizers"] = ["example.com/hold"]
    w.put("jobs", "default", job)
    w.want(4, "delete", "--yes", "a", err="user 'eve' may not watch jobs.batch in namespace 'default'")


@check
def asks(w):
    """without a terminal and --yes nothing is deleted or re-created, and the message says what --yes does"""
    w.write("a.tj", PAIR)
    w.want(0, "apply", "--no-wait", "a.tj")
    w.write("a.tj", JOB % ("a", 1))
    w.want(2, "apply", "--no-wait", "a.tj", err="Job/a-ps will be deleted.*use --yes to delete without confirmation")
    must("a-ps" in w.names("jobs"), w.names("jobs"))


@check
def no_image(w):
    """why says for each kind of failed pull who has to act and how"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    pull = 'failed to pull and unpack image "busybox:1": failed to resolve reference "busybox:1": '
    for reason, message, said in (("ErrImagePull", pull + "docker.io/library/busybox:1: not found", "check its name and tag"),
                                  ("ErrImagePull", pull + "pull access denied, repository does not exist", "only after a login"),
                                  ("ErrImagePull", pull + "unexpected status from HEAD request: 401 Unauthorized", "the registry requires a login"),
                                  ("ImagePullBackOff", pull + "dial tcp: lookup r.example.com: no such host", "cannot resolve the name of the registry"),
                                  ("ErrImageNeverPull", 'Container image "busybox:1" is not present with pull policy of Never', "forbids pulling it")):
        pod = w.get("pods", "a-worker-0-x")
        pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}], "containerStatuses": [
            {"name": "main", "image": "busybox:1", "ready": False, "restartCount": 0, "state": {"waiting": {"reason": reason, "message": message}}}]}
        w.put("pods", "default", pod)
        out = " ".join(w.want(0, "why", "a")[0].split())
        must(said in out and reason in out and "failed to pull and unpack" not in out, out)
    # a replica whose image is pulled has its node
    must(w.get("pods", "a-worker-0-x")["spec"]["nodeName"], "no node")
    w.want(0, "wait", "--for", "scheduled", "--timeout", "20s", "a")
    w.want(124, "wait", "--for", "running", "--timeout", "1s", "a", err="run 'a' goes on: Stalled: ErrImageNeverPull")


@check
def no_scheduler(w):
    """why names a scheduler that has not looked at a pod for a minute"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    pod = w.get("pods", "a-worker-0-x")
    pod["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    pod.update(spec={"schedulerName": "elsewhere"}, status={"phase": "Pending"})
    w.put("pods", "default", pod)
    w.want(0, "why", "a", out="no scheduler 'elsewhere' has looked at it.*that scheduler does not run here")


@check
def not_ready(w):
    """why blames a node only if the object that is not ready is a node"""
    w.jobs_run = False
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    pod = {"metadata": {"name": "a-worker-0-x", "labels": w.get("jobs", "a-worker")["spec"]["template"]["metadata"]["labels"], "annotations": {
        "batch.kubernetes.io/job-completion-index": "0"}}, "spec": {"nodeName": "n1"}}
    pod["status"] = {"phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "False"}],
                     "containerStatuses": [{"name": "main", "image": "busybox:1", "ready": False, "restartCount": 0, "state": {"running": {"startedAt": w.now()}}}]}
    w.put("pods", "default", pod)
    for reason, message, said in (("Unhealthy", "Readiness probe failed: the model is not ready", False), ("NodeNotReady", "Node is not ready", True)):
        w.put("events", "default", {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "a-worker-0-x", "namespace": "default"},
                                    "type": "Warning", "reason": reason, "message": message, "lastTimestamp": w.now()})
        out = " ".join(w.want(0, "why", "a")[0].split())
        must("is not ready" in out and ("a node does not answer" in out) == said, out)


@check
def webhook_down(w):
    """a webhook that does not respond is reported as a problem for its owner, and is not retried"""
    w.write("a.tj", JOB % ("a", 1))
    w.fault("PATCH", "/jobs/a-worker", status(500, "InternalError", 'Internal error occurred: failed calling webhook "v.example.com": connection refused'), 99)
    _out, err = w.want(7, "apply", "--no-wait", "--retry-timeout", "100ms", "a.tj", err="asks this webhook about each such object, and gets no answer")
    must("nothing is lost" not in err, err)


def timed(w, most, *words, **more):
    """The output of a command that exits with 124 within MOST seconds."""
    begin = time.monotonic()
    got = w.want(124, *words, **more)
    must(time.monotonic() - begin < most, "%.1f s: %s" % (time.monotonic() - begin, got))
    return got


@check
def time_is_up(w):
    """apply --timeout limits every request: it names what it waited for and what was sent, and the next apply
    continues"""
    silent = threading.Event()

    def no_answer(_h, _body):
        silent.wait(30)
        return "cut"
    w.write("a.tj", JOB % ("a", 1))
    down = status(500, "InternalError", 'Internal error occurred: failed calling webhook "v.example.com": connection refused')
    w.fault("PATCH", "/jobs/a-worker", down, 99)
    out, err = timed(w, 25, "apply", "--timeout", "2s", "a.tj",
                     err='refuses Job/a-worker.*failed calling webhook "v.example.com".*asks this webhook.*the time is up; run the same command again to continue')
    must(out == "Service/a created\n" and "run 'a': 1 of 2 objects are as the program says" in err, out + err)
    w.faults.clear()
    w.want(0, "apply", "a.tj", out="Job/a-worker created")
    w.want(0, "delete", "--yes", "a")
    for method, path, said, then in (("GET", "/configmaps/a.trainc", "GET /api/v1/namespaces/default/configmaps/a.trainc: no answer came from", "nothing was changed"),
                                     ("POST", "accessreviews", "POST .*accessreviews: no answer came from", "nothing was changed"),
                                     ("GET", "/jobs/a-worker", "jobs/a-worker: no answer came from", "nothing was changed"),
                                     ("POST", "/configmaps", "POST /api/v1/namespaces/default/configmaps: no answer came from", "run the same command again to continue"),
                                     ("PATCH", "/jobs/a-worker", "has not accepted Job/a-worker.*no answer came from 127.0.0.1:[0-9]+ within [12] s", "run the same command again to continue")):
        w.fault(method, path, no_answer, 99)
        _out, err = timed(w, 25, "apply", "--timeout", "1500ms", "a.tj", err="%s.*%s" % (said, then))
        must(err.count("the time is up") == 1 and err.count("no answer") == 1 and err.count("continue") <= 1, err)
        w.faults.clear()
    w.want(0, "apply", "a.tj", out="Job/a-worker created")
    w.fault("GET", "/pods\\?.*watch=true", no_answer, 99)
    timed(w, 25, "wait", "--timeout", "1500ms", "a", err="the time is up: GET /api/v1/namespaces/default/pods: no answer came .*; the run goes on")
    w.faults.clear()
    job = w.get("jobs", "a-worker")
    job["metadata"]["finalizers"] = ["example.com/hold"]
    w.put("jobs", "default", job)
    timed(w, 25, "apply", "--rerun", "--yes", "--timeout", "1s", "a.tj", err="the time is up; 1 object is still being deleted.*"
          "Job/a-worker is held by finalizer 'example.com/hold'.*run the same command again to continue")
    silent.set()


def silence(w, method, path, skip=0):
    """Leaves requests like this unanswered, after SKIP others; returns an event that ends this."""
    silent = threading.Event()

    def no_answer(_h, _body):
        silent.wait(30)
        return "cut"
    w.fault(method, path, no_answer, 99, skip)
    return silent


@check
def late_for_some(w):
    """apply --timeout of several runs: finished runs are not listed among what is left, and a single message ends it"""
    w.write("a.tj", JOB % ("a", 1) + "\n" + JOB % ("b", 1))
    silent = silence(w, "PATCH", "/jobs/b-worker")
    out, err = timed(w, 25, "apply", "--dry-run=server", "--timeout", "1500ms", "a.tj", out="^run/a created", err="run 'b': 1 of 2 objects")
    must("run 'a'" not in err and "run/b" not in out, out + err)
    silent.set()
    w.faults.clear()
    silent = silence(w, "PATCH", "/configmaps/b.trainc", skip=1)   # the last write of the record
    for more in ([], ["-o", "json"]):
        out, err = timed(w, 25, "apply", "--timeout", "1500ms", *more, "a.tj", err="the time is up: PATCH .*/b.trainc: no answer.*run the same command again to continue")
        must(err.count("continue") == 1 and (more or "run/a created" in out and "run/b" not in out), out + err)
    w.faults.clear()
    silent.set()
    w.want(0, "apply", "--timeout", "20s", "a.tj", out="run/a unchanged.*run/b configured")
    silent = silence(w, "GET", "/pods\\?")           # the state of an unchanged run is not known without its pods
    out, err = timed(w, 25, "apply", "--timeout", "1500ms", "a.tj", err="the time is up: GET .*/pods: no answer.*nothing was changed")
    must(not out and err.count("\n") == 2, out + err)
    silent.set()


@check
def json_of_new_run(w):
    """apply --no-wait -o json reads the state of a new run without a watch, and does not check whether it may watch;
    one list serves many runs"""
    w.denied = {("watch", "jobs"), ("watch", "pods")}
    w.write("a.tj", "".join(JOB % ("j%d" % i, 2) + "\n" for i in range(6)))
    for how in ("--no-wait",), ("--for", "created"), ("--no-wait", "--refresh"), ("--no-wait",):
        doc = json.loads(w.want(0, "apply", *how, "-o", "json", "a.tj")[0])
        must([(r["name"], r["namespace"], r["state"], len(r["replicas"])) for r in doc["runs"]] == [("j%d" % i, "default", "Running", 2) for i in range(6)], doc)
        must(not [r for r in w.requests if "watch=true" in r[1] or '"watch"' in r[2]], w.requests)
        must(len([r for r in w.requests if r[0] == "GET" and "/pods?" in r[1]]) <= 2, w.requests)
        must(doc["runs"][0].get("objects") is None, doc)         # a Service has no state that matters: as with `status`
    w.denied = {("list", "pods")}
    _out, err = w.want(4, "apply", "--no-wait", "-o", "json", "--refresh", "a.tj", err="user 'eve' may not do in namespace 'default' what this needs: list pods")
    must(err.count("\n") == 2, err)    # once, not for each of the six
    w.want(0, "apply", "--no-wait", "--refresh", "a.tj")
    w.denied = set()
    w.fault("GET", "/pods\\?", status(403, "Forbidden", "no pods for you"), 1, 1)
    out, err = w.want(4, "apply", "--no-wait", "-o", "json", "--refresh", "a.tj", err="no pods for you")
    must({(r["state"], r["cause"]) for r in json.loads(out)["runs"]} == {("Unknown", "its state could not be read")}, out)


@check
def late_delete(w):
    """delete --timeout limits every request, says what is left, and the next delete continues; one run that is held
    does not hold others"""
    w.write("a.tj", JOB % ("a", 1) + "\n" + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    down = status(503, "ServiceUnavailable", "the server is currently unable to handle the request")
    w.fault("DELETE", "", down, 99)
    out, err = timed(w, 25, "delete", "--timeout", "1s", "--yes", "a", "b", err="the time is up: DELETE .*: 503 .*currently unable.*; 4 objects are not deleted: "
                     "[^\n]*Job/b-worker.*not everything was deleted; run the same command again to continue\n$")
    must(not out and err.count("503") == 1, out + err)
    doc = json.loads(timed(w, 25, "delete", "--timeout", "1s", "--yes", "a", "b", "-o", "json")[0])
    must([(r["name"], r["result"]) for r in doc["runs"]] == [("a", "deleting"), ("b", "deleting")], doc)
    w.faults.clear()
    silent = silence(w, "DELETE", "/jobs/a-worker")
    timed(w, 25, "delete", "--timeout", "1500ms", "--yes", "a", err="the time is up: DELETE .*/a-worker: no answer came from .*; 2 objects are not deleted: ")
    w.faults.clear()
    silent.set()
    for method, path in ("GET", "/services\\?"), ("DELETE", "/configmaps/a.trainc"):
        silent = silence(w, method, path)
        out, err = timed(w, 25, "delete", "--timeout", "1500ms", "--yes", "a", err="the time is up: %s .*: no answer" % method)
        must(err.count("\n") == 2 and "run/a deleted" not in out and ("Job/a-worker deleted" in out) == (method == "DELETE"), out + err)
        w.faults.clear()
        silent.set()
    w.want(0, "delete", "--timeout", "20s", "--yes", "a", out="run/a deleted")

    w.want(0, "apply", "a.tj")
    job = w.get("jobs", "a-worker")
    job["metadata"]["finalizers"] = ["example.com/hold"]
    w.put("jobs", "default", job)
    out, err = timed(w, 25, "delete", "--timeout", "2s", "--yes", "a", "b", err="the time is up; 1 object is still being deleted: Job/a-worker\n"
                     ".*Job/a-worker is held by finalizer 'example.com/hold'")
    must(not w.get("jobs", "b-worker") and not w.get("configmaps", "b.trainc") and "run/b deleted" in out and "run/a deleted" not in out, out + err)
    w.take("jobs", "default", "a-worker")
    w.want(0, "delete", "--yes", "a", out="run/a deleted")

    w.want(0, "apply", "a.tj")
    w.fault("DELETE", "/services/a", status(403, "Forbidden", "not this one"), 99)
    out, err = w.want(4, "delete", "--timeout", "20s", "--yes", "a", "b", out="run/b deleted", err="not this one")
    must(w.get("configmaps", "a.trainc") and not w.get("jobs", "a-worker") and "time is up" not in err and "run/a" not in out, out + err)
    w.faults.clear()
    w.want(0, "delete", "--yes", "a", out="run/a deleted")


@check
def cut_delete(w):
    """delete that control-C ends after the last object: its record is left, and the message says so; a refusal is
    reported even when the time is up; a run that was not found is not `deleting`"""
    w.write("a.tj", JOB % ("a", 1) + "\n" + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    held = threading.Event()

    def late_answer(_h, _body):
        held.wait(30)

    w.fault("DELETE", "/services/a", late_answer, 1)
    p = w.start("delete", "--yes", "a")
    w.wait_for("the deletion", lambda: any(r[0] == "DELETE" and "/services/a" in r[1] for r in w.requests))
    w.interrupt(p)
    held.set()
    out, err = p.communicate(timeout=30)
    must((p.returncode, w.names("services"), w.names("configmaps")) == (130, ["b"], ["a.trainc", "b.trainc"]), (p.returncode, out, err))
    must("not everything was deleted" in err and "run/a" not in out, out + err)
    w.want(0, "delete", "--yes", "a", out="run/a deleted")
    w.want(0, "apply", "a.tj")

    w.fault("GET", "/jobs\\?.*labelSelector=applyset", status(403, "Forbidden", "not for you"), 1)
    out, _err = w.want(4, "delete", "--yes", "a", "b", "-o", "json", err="not for you")
    must([(r["name"], r["result"]) for r in json.loads(out)["runs"]] == [("b", "deleted")], out)

    w.want(0, "apply", "a.tj")
    silent = silence(w, "DELETE", "/services/b")
    w.fault("DELETE", "/services/a", status(403, "Forbidden", "not this one"), 9)
    _out, err = w.want(4, "delete", "--yes", "a", "b", "--timeout", "1s", err="not this one\n.*the time is up: DELETE [^\n]*/services/b: no answer[^\n]*; 2 objects are not deleted: ")
    must(err.count("not this one") == 1, err)
    silent.set()


@check
def applied_while_deleted(w):
    """delete leaves the record of a run that is applied again meanwhile: otherwise nothing would lead to its new
    objects; other writes of the record do not matter"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")

    def change(**how):
        def between(_h, _body):
            o = w.get("configmaps", "a.trainc")
            for part, values in how.items():
                (o.setdefault(part, {}) if part == "data" else o["metadata"][part]).update(values)
            w.put("configmaps", "default", o)
        return between

    w.fault("DELETE", "/configmaps/a.trainc", change(annotations={"trainc.dev/generation": "2"}), 1)
    out, _err = w.want(5, "delete", "--yes", "a", err="run 'a' was applied again while it was deleted, so its record and its new objects are left; run the same command again to delete them\n$")
    must(w.names("configmaps") == ["a.trainc"] and "run/a" not in out and "Job/a-worker deleted" in out, out)
    w.fault("DELETE", "/configmaps/a.trainc", change(data={"verdict": "Failed"}), 2)
    w.want(0, "delete", "--yes", "a", out="run/a deleted", err=r"\A\Z")
    must(not w.names("configmaps"), w.names("configmaps"))


@check
def apply_to_deleted(w):
    """apply of a run whose Job is being deleted, as after an interrupted delete, says so and changes nothing;
    --recreate and --rerun wait for it"""
    w.write("a.tj", JOB % ("a", 1) + "\n" + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    job = w.get("jobs", "a-worker")
    job["metadata"]["finalizers"] = ["example.com/hold"]
    w.put("jobs", "default", job)
    timed(w, 25, "delete", "--timeout", "1s", "--yes", "a")
    out, err = w.want(5, "apply", "--no-wait", "a.tj", err="run 'a' cannot be applied while Job/a-worker is being deleted")
    must("run/a" not in out and "run/b unchanged" in out and w.names("services") == ["b"], out + err)
    for how in "--rerun", "--recreate":
        must("cannot be applied" not in w.run("apply", "--no-wait", how, "--yes", "--timeout", "1s", "a.tj")[2], how)
    w.take("jobs", "default", "a-worker")
    w.want(0, "apply", "--no-wait", "--rerun", "a.tj", out="run/a")


@check
def cut_reads(w):
    """control-C before any response sets the status of the command, even if the response then breaks off"""
    w.write("a.tj", JOB % ("a", 1))
    new, old = ("GET", "/configmaps/a.trainc"), (("GET", "/jobs\\?"), ("GET", "/pods\\?"))
    for words, places in ((("apply", "--no-wait", "a.tj"), (new, ("POST", "/selfsubjectaccessreviews"), ("PATCH", "/configmaps"), *old)),
                          (("apply", "--no-wait", "--refresh", "-o", "json", "a.tj"), (new, *old)), (("delete", "--yes", "a"), (new, *old[:1]))):
        for method, path in places:
            if (method, path) in old:
                w.want(0, "apply", "--no-wait", "a.tj")
            silent = silence(w, method, path)
            w.requests.clear()
            p = w.start(*words)
            w.wait_for("the request", lambda: any(r[0] == method and re.search(path, r[1]) for r in w.requests))
            w.interrupt(p)
            silent.set()
            out, err = p.communicate(timeout=30)
            must(p.returncode == 130, (words, method, path, p.returncode, out, err))
            w.faults.clear()


@check
def late_change(w):
    """suspend --timeout limits its own requests; control-C ends them; a list that fails is reported"""
    w.write("a.tj", JOB % ("a", 1) + "\n" + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    for method, path in ("GET", "/jobs\\?.*labelSelector=applyset"), ("PATCH", "/jobs/a-worker"):
        silent = silence(w, method, path)
        _out, err = timed(w, 25, "suspend", "a", "b", "--timeout", "1500ms", err="^trainc: the time is up: %s [^\n]*: no answer came from [^\n]*\n$" % method)
        w.requests.clear()
        p = w.start("suspend", "a")
        w.wait_for("the request", lambda: any(r[0] == method and re.search(path, r[1]) for r in w.requests))
        w.interrupt(p)
        w.interrupt(p)
        p.communicate(timeout=30)
        must(p.returncode == 130, p.returncode)
        silent.set()
        w.faults.clear()
    w.fault("GET", "/jobs\\?.*labelSelector=applyset", status(403, "Forbidden", "not for you"), 9)
    w.want(4, "suspend", "a", err="not for you")


@check
def hopeless(w):
    """without a connection or a credential the first run reports it, and the others of the command are not tried"""
    w.write("a.tj", "".join(JOB % ("j%d" % i, 1) + "\n" for i in range(3)))
    w.write("many.tj", "".join(JOB % ("k%d" % i, 1) + "\n" for i in range(6)))
    for answer, code, said in (("cut", 7, "broke before the answer"), (status(401, "Unauthorized", "Unauthorized"), 4, "does not accept the credential")):
        for words in (("apply", "a.tj"), ("apply", "many.tj"), ("wait", "a.tj"), ("status", "j0", "j1", "j2"), ("delete", "--yes", "j0", "j1")):
            w.fault("GET", "/configmaps", answer, 10 ** 9)
            _out, err = w.want(code, *words, "--retry-timeout", "200ms", err=said)
            must(err.count("\n") == 1, err)
            w.faults.clear()


@check
def late_suspend(w):
    """suspend of two runs: the more serious of their statuses counts, even if it is not the last"""
    w.write("a.tj", JOB % ("a", 1) + "\n" + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    w.jobs_run = False
    p = w.start("suspend", "a", "b", "--timeout", "3s")
    w.wait_for("both are suspended", lambda: all(w.objects[("jobs", "default", n)]["spec"].get("suspend") for n in ("a-worker", "b-worker")))
    w.take("jobs", "default", "a-worker")
    out, err = p.communicate(timeout=30)
    must("run 'a' has ended meanwhile" in err and "run 'b' is still stopping" in err and p.returncode == 5, (p.returncode, out, err))


@check
def ended_runs(w):
    """a Job that its ttl removed: the recorded verdict counts; without one the run is reported as gone"""
    for name, end, code in (("good", "Succeeded", 0), ("bad", "Failed", 8)):
        w.write("a.tj", JOB % (name, 1))
        w.want(0, "apply", "--no-wait", "a.tj")
        w.run_job("default", w.get("jobs", name + "-worker"), end, 3 if code else 0)
        w.want(code, "wait", name, err="Succeeded" if not code else "Failed: worker 0 exited with code 3")
        if code:
            w.want(0, "status", name, out=r"bad: Failed[^\n]*: worker 0: exit code 3\n  first failure: worker 0")
        w.take("jobs", "default", name + "-worker")
        w.want(0, "status", name, out="%s +%s [^\n]*its objects have been removed since" % (name, end))
        w.want(0, "list", out="%s +%s " % (name, end))
        w.want(code, "wait", name, err=end)
        w.want(8 if code else 0, "wait", name, "--for", "complete")
        w.want(0, "why", name, out=r"\Abad: Failed since \S+: worker 0: exit code 3; its objects have been removed since\n  first failure: worker 0, .*\nwhat to do: .*apply --rerun" if code else "good: Succeeded")
        w.want(code, "apply", "--no-wait", "a.tj", err="has ended.*--rerun")
        w.want(code, "apply", "--no-wait", "-o", "json", "a.tj", out='"state": "%s"' % end)
    w.want(0, "apply", "--no-wait", "--rerun", "a.tj")
    w.want(0, "status", "bad", out="bad +(Pending|Starting|Running) ")
    w.write("a.tj", JOB % ("c", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.take("jobs", "default", "c-worker")
    w.want(5, "apply", "--no-wait", "a.tj", err="removed before anybody saw the verdict")
    w.want(0, "apply", "--no-wait", "--rerun", "a.tj")
    p = w.start("wait", "c")
    w.shown(p, "c Running")
    w.take("jobs", "default", "c-worker")
    out, err = p.communicate(timeout=30)
    must(p.returncode == 8, (p.returncode, out, err))


@check
def verdict_of_old_run(w):
    """wait records how its run ended: rank and code are known when the Job has expired; but it does not write the verdict
    of an old run into the record of a run that was applied again meanwhile"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    w.want(8, "wait", "a", err="Failed: worker 0 exited with code 3")
    w.take("jobs", "default", "a-worker")
    run = json.loads(w.want(0, "status", "a", "-o", "json")[0])["runs"][0]
    must(run["state"] == "Failed" and run["first_failure"]["role"] == "worker" and run["first_failure"]["exit_code"] == 3, run)
    w.want(0, "status", "a", out="first failure: worker 0")
    w.want(0, "apply", "--no-wait", "--rerun", "a.tj")
    must(not w.get("configmaps", "a.trainc")["data"]["verdict"], "the old verdict is left")
    run = json.loads(w.want(0, "status", "a", "-o", "json")[0])["runs"][0]
    must(run["state"] == "Running" and not run.get("first_failure"), run)
    # others write the record: the verdict is written after all
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)

    def touched(_h, _body):
        o = w.get("configmaps", "a.trainc")
        o["data"]["attended"] = "0"
        w.put("configmaps", "default", o)

    def renewed(_h, _body):
        o = w.get("configmaps", "a.trainc")
        key = next(k for k in o["metadata"]["annotations"] if k.endswith("generation"))
        o["metadata"]["annotations"][key] = "9"
        w.put("configmaps", "default", o)
    w.fault("PATCH", "/configmaps/a.trainc", touched, 2)
    w.want(8, "wait", "a")
    must(w.get("configmaps", "a.trainc")["data"]["verdict"] == "Failed", "no verdict")
    w.want(0, "apply", "--no-wait", "--rerun", "a.tj")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    w.fault("PATCH", "/configmaps/a.trainc", renewed)
    w.want(8, "wait", "a")
    must(w.get("configmaps", "a.trainc")["data"]["verdict"] == "", "the verdict of an old run was written")


@check
def verdict_at_once(w):
    """wait records how a run ended when it sees it, not when it ends itself: killed while it waits for another run, it
    has lost nothing; and a record that it may not write does not stop it"""
    w.write("a.tj", JOB % ("a", 2) + "\n" + JOB % ("b", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    p = w.start("wait", "a", "b")
    w.shown(p, "b Running")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    w.wait_for("the verdict", lambda: '"exit_code":3' in w.get("configmaps", "a.trainc")["data"].get("outcome", ""))
    p.kill()
    p.communicate(timeout=30)
    w.take("jobs", "default", "a-worker")
    run = json.loads(w.want(0, "status", "a", "-o", "json")[0])["runs"][0]
    must(run["state"] == "Failed" and run["first_failure"]["exit_code"] == 3, run)
    w.run_job("default", w.get("jobs", "b-worker"), "Failed", 4)
    w.fault("PATCH", "/configmaps/b.trainc", status(403, "Forbidden", "read only"), 9)
    w.want(8, "wait", "b", err="Failed: worker 0 exited with code 4")
    must(not w.get("configmaps", "b.trainc")["data"]["verdict"], "it was written")


@check
def verdict_with_rank(w):
    """the failing rank that becomes known while the verdict is being written is recorded, too, although the run is over"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "--no-wait", "a.tj")
    p = w.start("wait", "a")
    w.shown(p, "a ")
    begun, known = threading.Event(), threading.Event()
    w.fault("PATCH", "/configmaps/a.trainc", lambda _h, _b: (begun.set(), known.wait(20)) and None)
    job = w.get("jobs", "a-worker")
    w.put("jobs", "default", dict(job, status={"failed": 2, "conditions": [{
        "type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "lastTransitionTime": w.now()}]}))
    must(begun.wait(20), "the verdict is not written")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    w.shown(p, "worker 0: exit code 3")
    known.set()
    _, err = p.communicate(timeout=30)
    must(p.returncode == 8, err)
    must('"exit_code":3' in w.get("configmaps", "a.trainc")["data"]["outcome"], w.get("configmaps", "a.trainc")["data"]["outcome"])


@check
def lost_nodes(w):
    """delete --force-node removes the pods whose nodes do not answer, or are gone, and no others; it names them and asks"""
    def begin():
        w.write("a.tj", JOB % ("a", 4))
        w.want(0, "apply", "--no-wait", "a.tj")
        for i, node in enumerate(("up", "down", "unknown", "gone")):
            pod = w.get("pods", "a-worker-%d-x" % i)
            w.put("pods", "default", dict(pod, spec=dict(pod["spec"], nodeName=node)))
    for node, ready in ("up", "True"), ("down", "False"), ("unknown", "Unknown"):
        w.put("nodes", "", {"metadata": {"name": node}, "status": {"conditions": [{"type": "Ready", "status": ready}]}})
    lost = "".join("trainc: Pod/a-worker-%d-x is on node '%s', which does not answer\n" % x for x in ((1, "down"), (2, "unknown"), (3, "gone")))
    begin()
    w.want(2, "delete", "--force-node", "a", err="use --yes")
    must(w.get("jobs", "a-worker"), "something was deleted")
    _, err = w.want(0, "delete", "-y", "--force-node", "a", out="Job/a-worker deleted")
    must(lost + "trainc: the cluster forgets these pods at once; what runs there may go on" in err, err)
    forced = [(p, b) for m, p, b in w.requests if m == "DELETE" and "/pods/" in p]
    must(sorted(p.split("/")[-1] for p, _b in forced) == ["a-worker-%d-x" % i for i in (1, 2, 3)], forced)
    must(all('"gracePeriodSeconds":0,"preconditions":{"uid":"uid-' in b for _p, b in forced), forced)
    begin()
    for answer, code, said in ((status(403, "Forbidden", "nodes is forbidden"), 4, "nodes is forbidden"), (status(404, "NotFound", "x"), 5, "does not show all nodes"),
                               ((200, {"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [7]}), 5, "does not show all nodes")):
        w.fault("GET", r"/nodes\?", answer)
        w.want(code, "delete", "-y", "--force-node", "a", err=said)
    for node in "down", "unknown", "gone":
        w.put("nodes", "", {"metadata": {"name": node}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    _, err = w.want(0, "delete", "-y", "--force-node", "a")
    must("answer" not in err and not [p for m, p, _b in w.requests if m == "DELETE" and "/pods/" in p], err)
    w.want(2, "delete", "--local", "--force-node", "a", err="--force-node is for runs in a cluster")


@check
def ended_json(w):
    """apply -o json also shows a run that has ended: after those that are followed, and alone"""
    w.write("a.tj", JOB % ("a", 1) + "\n" + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    for more in ([], ["--no-wait"]):
        doc = json.loads(w.want(8, "apply", *more, "-o", "json", "a.tj", err="run 'a' has ended: Failed")[0])
        must([(r["name"], r["namespace"], r["state"]) for r in doc["runs"]] == [("b", "default", "Running"), ("a", "default", "Failed")], doc)
        must(doc["runs"][1]["first_failure"]["exit_code"] == 3, doc)
    doc = json.loads(w.want(8, "apply", "--job", "a", "-o", "json", "a.tj")[0])
    must([r["state"] for r in doc["runs"]] == ["Failed"], doc)


@check
def ended_and_stopping(w):
    """a run that succeeded stays ended while a replica is still stopping: the Job is gone, its pod is not"""
    w.write("a.tj", PAIR)
    w.want(0, "apply", "--no-wait", "a.tj")
    w.run_job("default", w.get("jobs", "a-ps"))
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded", 0)
    pod = json.loads(json.dumps(w.get("pods", "a-ps-0-x")))
    w.want(0, "wait", "a", err="Succeeded")
    w.wait_for("the end of ps", lambda: not w.get("jobs", "a-ps"))
    w.put("pods", "default", pod)
    out, _ = w.want(0, "apply", "a.tj", err="has ended: Succeeded; --rerun")
    must("run/a unchanged" in out and not w.get("jobs", "a-ps"), out)
    for text in PAIR.replace("busybox:1", "busybox:2"), PAIR.replace("  role ps", "  files { \"/etc/a\" = \"b\" }\n  role ps", 1):
        must(text != PAIR, text)
        w.write("a.tj", text)
        w.want(0, "apply", "--no-wait", "a.tj", err="has ended: Succeeded; its program has changed since, and --rerun runs what it is now")
    must(not w.get("jobs", "a-ps"), "a run that has ended was changed")


@check
def recreated(w):
    """somebody deletes the Job under `wait` and creates another one: 5, never 8"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj")
    for pause in (0, 0.3, 1):
        p = w.start("wait", "a")
        w.shown(p, "a Running")
        job = json.loads(json.dumps(w.get("jobs", "a-worker")))
        w.take("jobs", "default", "a-worker")
        time.sleep(pause)
        del job["metadata"]["uid"]
        with w.lock:
            w.run_job("default", w.put("jobs", "default", job))
        out, err = p.communicate(timeout=30)
        must(p.returncode == 5, (pause, p.returncode, out, err))


@check
def interrupted(w):
    """the first SIGINT of an apply lets requests in flight finish, records, and says what was applied"""
    w.write("a.tj", JOB % ("a", 1))

    def slow(_h, _body):
        time.sleep(1)  # as a slow server
    w.fault("PATCH", "/services/a", slow)
    p = w.start("apply", "--no-wait", "a.tj")
    w.wait_for("the Service", lambda: any(r[0] == "PATCH" and "/services/" in r[1] for r in w.requests))
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=30)
    must(p.returncode == 130, (p.returncode, out, err))
    must("1 of 2 objects are as the program says; run the same command again to continue" in err, err)
    must(w.get("services", "a") and not w.get("jobs", "a-worker"), "not as it says")
    w.want(0, "apply", "--no-wait", "a.tj", out="Job/a-worker created")
    for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)):
        p = w.start("wait", "a")
        w.shown(p, "a Running")
        p.send_signal(number)
        out, err = p.communicate(timeout=30)
        must(p.returncode == code and "goes on" in err, (p.returncode, out, err))
    must(w.get("jobs", "a-worker"), "the run was touched")


@check
def killed(w):
    """kill -9 at every request of an apply: the next apply converges to the same objects"""
    program = JOB % ("a", 1)
    w.write("a.tj", program.replace('command = ["train"]', 'command = ["train"]\n    files { "/etc/x" = "1" }'))
    w.want(0, "apply", "--no-wait", "a.tj")
    n = len([r for r in w.requests if "accessreviews" not in r[1]])
    want = w.names("jobs"), w.names("services"), w.names("configmaps")
    for before in (True, False):
        for at in range(n):
            w.want(0, "delete", "--yes", "a")
            left = [at]

            def kill(h, body):
                left[0] -= "accessreviews" not in h.path
                if left[0] == -1:
                    if not before:
                        url = urllib.parse.urlsplit(h.path)
                        w.answer(h.command, url.path, dict(urllib.parse.parse_qsl(url.query)), h.headers, body)
                    p.kill()
                    return "cut"
                return None
            w.faults.clear()
            for method in ("GET", "POST", "PATCH", "DELETE"):
                w.fault(method, "", kill, 10000)
            p = w.start("apply", "--no-wait", "a.tj")
            p.communicate(timeout=30)
            w.faults.clear()
            w.want(0, "apply", "--no-wait", "a.tj")
            got = w.names("jobs"), w.names("services"), w.names("configmaps")
            must(got == want, (before, at, got))


@check
def fleet(w):
    """one apply of hundreds of jobs: a record each, a handful of lists, and no writes the second time"""
    w.jobs_run = False
    n = 300
    w.write("a.tj", "".join(JOB % ("j%d" % i, 1) for i in range(n)).replace("}\njob", "}\n\njob"))
    out, err = w.want(0, "apply", "--no-wait", "--progress", "plain", "a.tj", timeout=120)
    must(out.count(" created\n") == 3 * n, out[-500:])
    must(len([c for c in w.names("configmaps") if c.endswith(".trainc")]) == n, "inventories")
    must(len([r for r in w.requests if r[0] == "POST" and "accessreviews" in r[1]]) < 20, "reviews are asked again")
    # five writes for each job (its record before each stage and at the end), and no read for each name: the collections
    # are listed
    must(len(w.requests) < 5 * n + 40, len(w.requests))
    must(not [r for r in w.requests if r[0] == "GET" and re.search(r"/(jobs|services)/", r[1])], "names are looked up one by one")
    out, err = w.want(0, "apply", "--no-wait", "a.tj", timeout=120)
    must(out.count("run/") == n and len(w.requests) == 4, [r[:2] for r in w.requests][:10])
    w.fault("PATCH", "/jobs/j7-worker", status(422, "Invalid", "no"))
    out, err = w.want(6, "apply", "--no-wait", "--refresh", "a.tj", err="refuses Job/j7-worker", timeout=120)
    must(out.count("run/") == n - 1, out[-500:])


@check
def fleet_meets_others(w):
    """names of a fleet that belong to others are refused before anything is written, though they are found in a list"""
    n = 40
    w.write("a.tj", "".join(JOB % ("j%d" % i, 1) for i in range(n)).replace("}\njob", "}\n\njob"))
    w.put("services", "default", {"metadata": {"name": "j7", "labels": {}}})
    w.put("jobs", "default", {"metadata": {"name": "j9-worker", "labels": {"applyset.kubernetes.io/part-of": "applyset-x-v1"}}, "spec": {}, "status": {"active": 1}})
    _, err = w.want(5, "apply", "--no-wait", "a.tj", err="Service/j7 exists and does not belong to this run.*--adopt")
    must("Job/j9-worker exists" in err and "another set of objects (applyset-x-v1)" in err, err)
    must(not [r for r in w.requests if r[0] == "PATCH" and ("j7" in r[1] or "j9" in r[1])], w.requests)
    w.take("jobs", "default", "j9-worker")
    w.want(0, "apply", "--no-wait", "--adopt", "a.tj", out="Service/j7 adopted")
    w.write("b.tj", "".join(JOB % ("k%d" % i, 1) for i in range(n)).replace("}\njob", "}\n\njob"))
    w.fault("GET", r"/services\?limit=500$", status(403, "Forbidden", "services is forbidden"))
    w.want(4, "apply", "--no-wait", "b.tj", err="services is forbidden")


@check
def memory(w):
    """when an allocation fails during apply or wait, they end with 70 or a reported error, never crash, and the next apply converges"""
    if SANITIZED:
        return                          # a sanitizer build has its own allocator, which cannot be intercepted
    shim = os.path.join(w.dir, "failing.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failing.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source], check=True)
    w.write("a.tj", JOB % ("a", 2))
    for words, most in ((["apply", "--for", "running", "a.tj"], 6000), (["wait", "--timeout", "1s", "a"], 4000)):
        at, seen = 1, set()
        while at < most:
            env = {**os.environ, "LD_PRELOAD": shim, "FAIL_AT": str(at), "KUBECONFIG": os.path.join(w.dir, "config"), "HOME": w.dir}
            p = subprocess.run([TRAINC, *words], cwd=w.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, timeout=60)
            must(p.returncode in (0, 3, 7, 70, 124), (words, at, p.returncode, p.stderr))
            must(p.returncode or w.get("jobs", "a-worker"), (words, at, "success without a Job"))
            seen.add(p.returncode)
            if words[0] == "apply":
                w.want(0, "apply", "--no-wait", "a.tj")
                w.want(0, "delete", "--yes", "a")
            at += 1 + at // 6
        must(70 in seen, (words, seen))
        w.want(0, "apply", "a.tj")


@check
def documents(w):
    """scale, suspend, resume and delete write one document of JSON, with a schemaVersion"""
    w.write("a.tj", JOB % ("a", "1:3"))
    w.want(0, "apply", "a.tj")
    doc = json.loads(w.want(0, "scale", "a", "worker=2", "-o", "json")[0])
    must(doc == {"schemaVersion": 1, "runs": [{"name": "a", "namespace": "default", "result": "scaled",
                                               "roles": [{"role": "worker", "from": 3, "to": 2}]}]}, doc)
    w.want(6, "scale", "a", "worker=9", "-o", "json")
    doc = json.loads(w.want(0, "suspend", "a", "-o", "json")[0])
    must(doc == {"schemaVersion": 1, "runs": [{"name": "a", "namespace": "default", "result": "suspended"}]}, doc)
    doc = json.loads(w.want(0, "resume", "a", "-o", "json")[0])
    must(doc["runs"][0]["result"] == "resumed", doc)
    doc = json.loads(w.want(0, "delete", "a", "--yes", "-o", "json")[0])
    must(doc["schemaVersion"] == 1 and doc["runs"][0]["result"] == "deleted" and
         {"name": "Job/a-worker", "result": "deleted"} in doc["runs"][0]["objects"], doc)
    doc = json.loads(w.want(0, "delete", "a", "--yes", "-o", "json")[0])
    must(doc == {"schemaVersion": 1, "runs": []}, doc)


@check
def streams(w):
    """logs of more replicas than can be read at once: refused with both numbers before any log is opened;
    --max-streams allows them"""
    w.jobs_run = False
    w.write("a.tj", JOB % ("a", 60))
    w.want(0, "apply", "a.tj", "--no-wait")
    w.requests.clear()
    w.want(2, "logs", "a", "--all", err="60 replicas are chosen, and at most 50 logs are read at once; choose some with --rank or --role, "
           "or allow more with --max-streams 60\n")
    w.want(2, "logs", "a", "--rank", "0-30", "--max-streams", "30", err="31 replicas are chosen, and at most 30")
    must(not [r for r in w.requests if "/log" in str(r)], w.requests)
    w.want(0, "logs", "a", "--all", "--max-streams", "60", err="not started yet: worker/0, .* and 55 more")
    w.want(0, "logs", "a", "--rank", "0-49", err="not started yet")
    w.want(0, "logs", "a")
    for wrong in "0", "x", "-1":
        w.want(2, "logs", "a", "--max-streams", wrong, err="--max-streams needs a number above 0, found '%s'" % wrong)


@check
def unreadable(w):
    """a log that cannot be read is named with the server's message, the others are shown, and the status tells why"""
    w.write("a.tj", JOB % ("a", 3))
    w.want(0, "apply", "a.tj")
    w.logs = {("a-worker-%d-x" % i, False): ["text %d" % i] for i in range(3)}
    w.want(0, "logs", "a", "--all", out="(?s)text 0.*text 1.*text 2")
    w.fault("GET", "/a-worker-1-x/log", status(403, "Forbidden", "no logs for you"), times=2)
    out, _ = w.want(4, "logs", "a", "--all", out="(?s)text 0.*text 2", err="worker/1: .*no logs for you")
    must("text 1" not in out, out)
    w.want(4, "logs", "a", "--rank", "1", err="worker/1: .*no logs for you")
    w.fault("GET", "/log", status(500, "InternalError", "no preferred addresses found"), times=99)
    out, err = w.want(7, "logs", "a", "--all", "--retry-timeout", "1s", err="worker/0: .*no preferred addresses found")
    must(not out and "printed nothing" not in err, (out, err))


@check
def away(w):
    """a server that is away for longer than the retries of one request: wait reports it, continues when it is back,
    reports that too although nothing happens, and gives the verdict although the watch of Events has delivered
    nothing since"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj")
    p = w.start("wait", "a", "--retry-timeout", "1s")
    shown = w.start("status", "a", "--watch", "-o", "json", "--retry-timeout", "1s")
    w.shown(p, "a Running")
    lines = w.shown(shown, "\n", out=True)
    w.fault("GET", "watch=true", "cut", times=10 ** 9)
    with w.lock:                        # open watches end too
        w.stopped = True
        w.lock.notify_all()
    time.sleep(12)  # an absence that the commands bear
    must(p.poll() is None, "wait has ended without a server")
    lines += w.shown(shown, "reconnecting", out=True)
    with w.lock:
        w.stopped = False
        w.faults.clear()
        w.requests.clear()
    w.wait_for("all watches of both", lambda: len([r for r in w.requests if "watch=true" in r[1]]) >= 6)
    lines += w.shown(shown, lambda text: (lines + text).count("\n") >= 3, out=True)
    err = w.shown(p, lambda text: text.count("a Running") >= 2)
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    out, rest = p.communicate(timeout=40)
    err += rest
    must("a Running: the API server does not answer; reconnecting\n" in err, err)
    causes = [json.loads(line)["runs"][0].get("cause", "") for line in (lines + shown.communicate(timeout=40)[0]).splitlines()]
    must(causes[:3] == ["", "the API server does not answer; reconnecting", ""], causes)
    must(p.returncode == 8 and "exited with code 3" in out + err, (p.returncode, out, err))


@check
def refused_later(w):
    """a watch that is refused after it was cut: every command that follows a run reports it, exits with 4, and
    leaves the run alone"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj")
    commands = ("wait", "a"), ("wait", "a", "--for", "complete", "--timeout", "20s"), ("status", "a", "--watch"), ("logs", "-f", "a"), \
        ("apply", "a.tj", "--for", "complete"), ("run", "a.tj")
    for words in commands:
        for plural in "pods", "jobs":
            p = w.start(*words)
            w.wait_for("a watch of %s" % plural, lambda: any("/%s?" % plural in r[1] and "watch=true" in r[1] for r in w.requests))
            if words[0] == "logs":
                time.sleep(1)                   # it shows nothing
            else:
                w.shown(p, "Running", out=words[0] == "status")
            w.fault("GET", "/%s\\?.*watch=true" % plural, status(403, "Forbidden", "user 'eve' cannot watch this"), times=10 ** 9)
            with w.lock:                    # open watches end
                w.stopped = True
                w.lock.notify_all()
            out, err = p.communicate(timeout=30)
            w.stopped = False
            must(p.returncode == 4, (words, plural, p.returncode, out, err))
            must("run 'a' cannot be followed any more" in err and "user 'eve' cannot watch this" in err, (words, plural, err))
            w.faults.clear()
            w.requests.clear()
    must(w.get("jobs", "a-worker"), "the run was touched")


@check
def refused_after_the_end(w):
    """a watch of Events may be refused, and a verdict that has been seen is final"""
    w.write("a.tj", JOB % ("a", 2))
    w.want(0, "apply", "a.tj")
    w.fault("GET", "/events\\?.*watch=true", status(403, "Forbidden", "no events for you"), times=10 ** 9)
    p = w.start("wait", "a")
    w.shown(p, "a Running")
    w.wait_for("the refusal", lambda: any("/events?" in r[1] and "watch=true" in r[1] for r in w.requests))
    time.sleep(0.5)  # it does not end meanwhile
    must(p.poll() is None, "wait has ended without Events")
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    out, err = p.communicate(timeout=30)
    must(p.returncode == 0, (p.returncode, out, err))


def life(w, name, made, restarts, over=False):
    """One of the pods that worker/0 has had."""
    pod = json.loads(json.dumps(w.get("pods", "a-worker-0-x")))
    old = w.get("pods", name) or {"metadata": {"uid": name}}
    pod["metadata"].update(name=name, uid=old["metadata"]["uid"], creationTimestamp=made)
    end = {"terminated": {"exitCode": 3, "startedAt": made, "finishedAt": made}}
    pod["status"]["phase"] = "Failed" if over else "Running"
    main = pod["status"]["containerStatuses"][0]
    main.update(restartCount=restarts, state=end if over else {"running": {"startedAt": made}})
    w.put("pods", "default", pod)


@check
def attempts(w):
    """each attempt of a replica has a number: the count continues over restarts of its container, over its pods, and
    over a suspension"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    life(w, "a-worker-0-w", "2025-12-31T00:00:00Z", 1, over=True)
    w.logs = {("a-worker-0-w", True): ["one"], ("a-worker-0-w", False): ["two"], ("a-worker-0-x", False): ["three"]}
    for n, text in enumerate(("one", "two", "three"), 1):
        out, _ = w.want(0, "logs", "a", "--attempt", str(n))
        must(out == "worker/0 \u2502 %s\n" % text, out)
        line = json.loads(w.want(0, "logs", "a", "--attempt", str(n), "-o", "json")[0])
        must((line["attempt"], line["text"]) == (n, text), line)
    lines = [json.loads(line) for line in w.want(0, "logs", "a", "-o", "json")[0].splitlines()]
    must([(line["attempt"], line["text"]) for line in lines] == [(2, "two"), (3, "three")], lines)
    must(w.want(0, "logs", "a", "--attempt", "4", err="no attempt 4 so far: worker/0")[0] == "", "a fourth attempt")
    replicas = json.loads(w.want(0, "status", "a", "-o", "json")[0])["runs"][0]["replicas"]
    must([(r["role"], r["index"], r["attempts"]) for r in replicas] == [("worker", 0, 3)], replicas)
    w.want(0, "status", "a", "-o", "wide", out="worker-0 +ready +3 ")
    w.want(0, "suspend", "a")
    w.want(0, "suspend", "a")
    for pod in w.names("pods"):
        w.take("pods", "default", pod)
    w.want(0, "resume", "a")
    w.want(0, "status", "a", "-o", "wide", out="worker-0 +ready +4 ")
    w.logs = {("a-worker-0-x", False): ["four"]}
    w.want(0, "logs", "a", "--attempt", "4", out="four")
    out, _ = w.want(0, "logs", "a", "--attempt", "1", err="attempt 1 printed nothing, or its output is gone: a node ke")
    must(out == "", out)
    for wrong in "0", "x", "1,2":
        w.want(2, "logs", "a", "--attempt", wrong, err="--attempt needs a number above 0, found '%s'" % wrong)
    w.want(2, "logs", "a", "--attempt", "1", "--previous", err="both choose an attempt")


def with_workloads(w):
    """The server has Kueue's Workloads."""
    world.KINDS["workloads"] = ("kueue.x-k8s.io", "v1beta2", "Workload")
    w.groups = [{"metadata": {"name": "kueue.x-k8s.io"}, "versions": [{"version": "v1beta2", "resources": [
        {"resource": "workloads", "scope": "Namespaced", "responseKind": {"kind": "Workload", "group": "kueue.x-k8s.io", "version": "v1beta2"}}]}]}]


def queued(w, **spec):
    """A run in a queue, and the Workload that Kueue makes of its Job."""
    with_workloads(w)
    w.write("a.tj", (JOB % ("a", 1)).replace("  role", '  queue = "q"\n  role', 1))
    w.want(0, "apply", "a.tj", "--no-wait")
    w.want(6, "suspend", "a", err="Kueue decides when run 'a' runs, and has not seen it yet")
    uid = w.objects[("jobs", "default", "a-worker")]["metadata"]["uid"]
    for name, owner in (("job-a", uid), ("job-b", "another")):
        w.put("workloads", "default", {"metadata": {"name": name, "ownerReferences": [{"kind": "Job", "name": name[4:] + "-worker", "uid": owner}]},
                                       "spec": {"queueName": "q", "podSets": [{"name": "main"}]}, "status": {"conditions": []}})


def queue_says(w, message, reason="Pending"):
    o = w.objects[("workloads", "default", "job-a")]
    o["status"]["conditions"] = [{"type": "QuotaReserved", "status": "False", "reason": reason, "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z"}]
    w.put("workloads", "default", o)


@check
def held_by_queue(w):
    """suspend and resume of a run in a queue of Kueue change its Workload, not the Job, which only Kueue starts"""
    queued(w)
    w.want(0, "suspend", "a", out="run/a suspended")
    changed = [(r[1], json.loads(r[2])) for r in w.requests if r[0] == "PATCH"]
    must(len(changed) == 1 and "/workloads/job-a" in changed[0][0] and changed[0][1] == {"spec": {"active": False}}, changed)
    w.want(0, "status", "a", out="a +Suspended")
    w.want(0, "why", "a", out="'trainc resume a' starts its replicas")
    w.want(0, "resume", "a", out="run/a resumed")
    must(w.objects[("workloads", "default", "job-a")]["spec"]["active"] is True, "not active")
    must("active" not in w.objects[("workloads", "default", "job-b")]["spec"], "the Workload of another run was changed")
    w.want(0, "status", "a", out="a +Queued")


@check
def copies_scaled_in_queue(w):
    """in a queue of Kueue, which sets `suspend` of Jobs, scaling copies changes their Workloads: those of others stay"""
    with_workloads(w)
    w.write("c.tj", 'job "c" {\n image = "registry.example.com/t:1"\n queue = "q"\n success = none\n'
                    'cell server { copies = 1:3, success = none, role w { command = ["w"] } }\n}\n')
    w.want(0, "apply", "--no-wait", "c.tj")
    w.want(6, "scale", "c", "server=2", err="Kueue decides when run 'c' runs, and has not seen it yet")
    for n in range(3):
        job = w.get("jobs", "c-server-w-%d" % n)
        job["spec"]["suspend"] = False
        w.put("jobs", "default", job)
        w.put("workloads", "default", {"metadata": {"name": "w%d" % n, "ownerReferences": [{"kind": "Job", "name": job["metadata"]["name"],
                                       "uid": job["metadata"]["uid"]}]}, "spec": {"queueName": "q", "podSets": [{"name": "main"}]}, "status": {"conditions": []}})
    active = lambda: [w.objects[("workloads", "default", "w%d" % n)]["spec"].get("active") for n in range(3)]
    w.want(0, "scale", "c", "server=1", out="run/c scaled: server from 3 to 1")
    must(active() == [None, False, False], active())
    must(not any(w.get("jobs", "c-server-w-%d" % n)["spec"]["suspend"] for n in range(3)), "Kueue alone sets 'suspend'")
    cells = json.loads(w.want(0, "status", "c", "-o", "json")[0])["runs"][0]["cells"]
    must([c["copies"]["desired"] for c in cells] == [1], cells)
    for n in range(3):                                  # what Kueue does with a Job whose Workload is not active
        job = w.get("jobs", "c-server-w-%d" % n)
        job["spec"]["suspend"] = True
        w.put("jobs", "default", job)
    for key in [k for k in w.objects if k[0] == "pods"]:
        del w.objects[key]
    w.want(0, "suspend", "c")
    w.want(0, "resume", "c")
    must(active() == [True, False, False], active())
    w.want(0, "scale", "c", "server=2", out="run/c scaled: server from 1 to 2")
    must(active() == [True, True, False], active())
    w.want(0, "status", "c", out="c +Queued")
    job = w.get("jobs", "c-server-w-1")
    job["spec"]["suspend"] = False                      # Kueue admits a copy, and the other one waits
    w.put("jobs", "default", job)
    w.run_job("default", job)
    w.want(0, "status", "c", out="c +Running +server .* 1/2 copies ready; server 0: waits in the queue 'q'")
    w.want(0, "why", "c", out="Workload w1: Queued, not admitted yet\nwhat to do: the queue starts it")


@check
def pods_in_queue(w):
    """pods in a queue of Kueue are not suspended: Kueue would keep them until pods with other names take their place"""
    with_workloads(w)
    w.write("project.tj", 'project {\n target = "pods"\n}\n')
    w.write("a.tj", (JOB % ("a", 1)).replace("  role", '  queue = "q"\n  role', 1))
    w.want(0, "apply", "a.tj", "--no-wait")
    w.want(6, "suspend", "a", err="pods in a queue of Kueue cannot be suspended: delete run 'a', and apply it again later")
    pod = w.get("pods", "a-worker-0")
    pod["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["kueue.x-k8s.io/managed"])
    w.put("pods", "default", pod)
    w.want(0, "why", "a", out="finalizer 'kueue.x-k8s.io/managed' holds it: Kueue removes it when the Workload")


@check
def role_covers_queues(w):
    """the Role in docs/runtime.md has the verbs that runs in a queue of Kueue need"""
    queued(w)
    for words in (["status", "a"], ["why", "a"], ["suspend", "a"], ["resume", "a"]):
        w.want(0, *words)
    used = set()
    for method, path, _ in w.requests:
        if "/workloads" in path:
            used.add("patch" if method == "PATCH" else "watch" if "watch=true" in path else "get" if "/workloads/" in path else "list")
    text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "runtime.md")).read()
    verbs = re.search(r"- apiGroups: \[kueue\.x-k8s\.io\]\n  resources: \[workloads\]\n  verbs: \[([a-z, ]+)\]", text)[1].split(", ")
    must({"watch", "patch"} <= used <= set(verbs), "used %s, and the Role has %s" % (used, verbs))


@check
def wrong_class(w):
    """why gives one hint for a claim whose storage class does not exist"""
    w.jobs_run = False
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    lost = 'storageclass.storage.k8s.io "gold" not found'
    unbound = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    job = w.get("jobs", "a-worker")
    w.put("pods", "default", {"metadata": {"name": "a-worker-0-x", "labels": job["spec"]["template"]["metadata"]["labels"], "annotations": {
        "batch.kubernetes.io/job-completion-index": "0"}}, "status": {"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": unbound, "lastTransitionTime": w.now()}]}})
    made = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "a-worker-0-x-c". not found'
    for name, kind, about, reason, message in (("e", "Pod", "a-worker-0-x", "FailedScheduling", unbound), ("g", "Pod", "a-worker-0-x", "FailedScheduling", made),
                                               ("f", "PersistentVolumeClaim", "a-worker-0-x-c", "ProvisioningFailed", lost)):
        w.put("events", "default", {"metadata": {"name": name}, "involvedObject": {"kind": kind, "name": about, "namespace": "default"},
                                    "type": "Warning", "reason": reason, "message": message, "lastTimestamp": w.now()})
    document = json.loads(w.want(0, "why", "a", "-o", "json")[0])
    must(len(document["advice"]) == 1 and "storage class of a claim does not exist" in document["advice"][0], document)
    must(lost in document["run"]["cause"], document)


@check
def no_such_node(w):
    """status names the labels that a waiting pod asks for, why also those that the nodes have; without the right to list nodes, it says less"""
    w.jobs_run = False
    w.write("project.tj", 'project { nodes = "gke" }\n')
    w.write("a.tj", 'import std.nvidia\njob "a" {\n  image = "busybox:1"\n  command = ["sh"]\n  role worker { accelerator = nvidia.h100(8), cpu = 1, memory = 8Gi, shm = 4Gi }\n}\n')
    w.want(0, "apply", "--no-wait", "a.tj")
    template = w.get("jobs", "a-worker")["spec"]["template"]
    message = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."
    w.put("pods", "default", {"metadata": {"name": "a-worker-0-x", "labels": template["metadata"]["labels"], "annotations": {
        "batch.kubernetes.io/job-completion-index": "0"}}, "spec": template["spec"], "status": {"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message, "lastTransitionTime": w.now()}]}})
    for i, product in enumerate(("nvidia-l4", "nvidia-l4", "nvidia-tesla-t4")):
        w.put("nodes", "", {"metadata": {"name": "n%d" % i, "labels": {"cloud.google.com/gke-accelerator": product}}, "spec": {},
                            "status": {"allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "1"}}})
    asked = "cloud.google.com/gke-accelerator = nvidia-h100-80gb or nvidia-h100-mega-80gb"
    w.want(0, "status", "a", out="it asks for " + asked)
    document = json.loads(w.want(0, "why", "a", "-o", "json")[0])
    must(document["advice"][0] == "no node has %s; nodes have cloud.google.com/gke-accelerator: nvidia-l4 (2), nvidia-tesla-t4 (1)" % asked, document)
    must("it asks for " + asked in document["run"]["cause"], document)
    w.fault("GET", "/api/v1/nodes", status(403, "Forbidden", 'nodes is forbidden: User "eve" cannot list resource "nodes" in API group "" at the cluster scope'), 9)
    out, err = w.want(0, "why", "a", out="it asks for " + asked)
    must("nodes have" not in out and "no node has the labels that the role selects" in " ".join(out.split()) and not err, out + err)


@check
def queue_words(w):
    """why explains Kueue's messages in terms of the program"""
    queued(w)
    for words, what in (
        ("couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor f, 1 more needed", "other runs use the quota: it starts when they end"),
        ("insufficient quota for cpu in flavor f, previously considered podsets requests (0) + current podset request (5) > maximum capacity (4)",
         "the whole quota of the queue is smaller"),
        ('topology "t" allows to fit only 3 out of 4 pod(s)', "no single place of that level has room for all"),
        ("LocalQueue q doesn't exist", "create it, or correct 'queue'"),
        ("ClusterQueue c is inactive", "the queue is stopped, or something that it names does not exist"),
        ("resource example.com/gpu unavailable in ClusterQueue", "the queue has no quota for that resource"),
    ):
        queue_says(w, words)
        out, _ = w.want(0, "why", "a", out=re.escape(words[-30:]))
        text = " ".join(out.split())
        must(what in text and "when its turn comes" not in text, text)
    queue_says(w, "something new")
    must("when its turn comes" in " ".join(w.want(0, "why", "a")[0].split()), "no answer to words that nobody knows")


@check
def followed_long(w):
    """logs -f forgets pods that are gone: memory stays constant while a replica gets 120 pods, one after the other,
    and attempts are still counted"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.run_job("default", w.get("jobs", "a-worker"))
    name = w.names("pods")[0]
    pod = w.get("pods", name)
    w.logs[name, False] = ["line 0"]
    printed, sizes = os.path.join(w.dir, "printed"), []
    with open(printed, "w") as out:
        p = subprocess.Popen([TRAINC, "logs", "-f", "a", "-o", "json"], cwd=w.dir, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=w.environment())

    def has(line):
        with open(printed) as f:
            return line in f.read()
    try:
        w.wait_for("line 0", lambda: has('"line 0"'))
        for i in range(1, 121):
            w.take("pods", "default", name)
            name = "a-worker-0-%05d" % i
            w.logs[name, False] = ["line %d" % i]
            pod = json.loads(json.dumps(pod))
            pod["metadata"].update(name=name, uid="pod-%d" % i, creationTimestamp="2027-01-01T00:%02d:%02dZ" % divmod(i, 60))
            pod["metadata"].pop("resourceVersion", None)
            w.put("pods", "default", pod)
            w.wait_for("line %d" % i, lambda: has('"line %d"' % i))
            if i % 60 == 0:
                with open("/proc/%d/status" % p.pid) as f:
                    sizes.append(int(re.search(r"RssAnon:\s+(\d+)", f.read())[1]))
    finally:
        p.kill()
        p.wait()
    with open(printed) as f:
        lines = {line["text"]: line["attempt"] for line in map(json.loads, f.read().splitlines()[:-1]) if "text" in line}
    wrong = [(text, n) for text, n in lines.items() if text != "line %d" % (n - 1)]
    must(len(lines) >= 120 and not wrong, wrong[:5])
    must(SANITIZED or sizes[1] < sizes[0] + 150, sizes)


def peak_memory(process):
    """In KB; 0 when the process has just ended."""
    with open("/proc/%d/status" % process.pid) as f:
        found = re.search(r"VmHWM:\s+(\d+)", f.read())
    return int(found[1]) if found else 0


@check
def merged_large(w):
    """logs of several replicas are merged in a memory that does not depend on how much they printed, also when a
    replica printed much more than another"""
    w.write("a.tj", JOB % ("a", 3))
    w.want(0, "apply", "a.tj")

    def text(n, step):
        return "".join("2026-01-01T00:%02d:%02d.%03d000000Z %s\n" % (i // 60000, i // 1000 % 60, i % 1000, "x" * 100)
                       for i in range(0, n, step)).encode()
    sizes = []
    for n in 30000, 120000:
        w.logs = {("a-worker-0-x", False): text(n, 1), ("a-worker-1-x", False): text(n, 1), ("a-worker-2-x", False): text(n, 50)}
        printed = os.path.join(w.dir, "printed")
        with open(printed, "wb") as out:
            p = subprocess.Popen([TRAINC, "logs", "a", "--all", "--timestamps"], cwd=w.dir, stdin=subprocess.DEVNULL, stdout=out, env=w.environment())
            peak = 0
            while p.poll() is None:
                peak = peak_memory(p) or peak
                time.sleep(0.01)
        with open(printed) as f:
            times = [line.split(" \u2502 ")[1].split(" ")[0] for line in f]
        must(p.returncode == 0 and len(times) == n * 2 + n // 50, (p.returncode, len(times)))
        must(times == sorted(times), "not merged by time")
        sizes.append(peak)
    must(SANITIZED or sizes[1] < sizes[0] + 3000, sizes)


@check
def attempts_of_lives(w):
    """a JobSet deletes the pods of an attempt: the label on those of the next attempt tells where the count
    continues"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    pod = w.get("pods", "a-worker-0-x")
    pod["metadata"]["labels"]["jobset.sigs.k8s.io/restart-attempt"] = "2"
    w.put("pods", "default", pod)
    w.logs = {("a-worker-0-x", False): ["three"]}
    w.want(0, "status", "a", "-o", "wide", out="worker-0 +ready +3 ")
    out, _ = w.want(0, "logs", "a", "--attempt", "3")
    must(out == "worker/0 \u2502 three\n", out)
    must(not w.want(0, "logs", "a", "--attempt", "1")[0], "the text of another life")
    life(w, "a-worker-0-x", "2026-01-01T00:00:00Z", 1)
    w.want(0, "status", "a", "-o", "wide", out="worker-0 +\\w+ +4 ")


@check
def attempt_passes(w):
    """logs -f --attempt N ends when that attempt ends, even if the replica continues"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    w.logs = {("a-worker-0-x", False): ["one"]}
    p = w.start("logs", "-f", "a", "--attempt", "1")
    w.wait_for("the log is read", lambda: [r for r in w.requests if "/log?" in r[1]])
    w.logs = {("a-worker-0-x", True): ["one", "last words"], ("a-worker-0-x", False): ["two"]}
    life(w, "a-worker-0-x", "2026-01-01T00:00:00Z", 1)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and "one\n" in out and "last words" in out and "two" not in out, (p.returncode, out, err))


def lines(*at):
    """The text of a log: pairs of seconds and texts."""
    return "".join("2026-01-01T00:00:%02d.5Z %s\n" % (n, text) for n, text in at).encode()


def held_log(w, text):
    """The first log that is followed ends with TEXT when the result is set."""
    go = threading.Event()
    w.fault("GET", "/log\\?.*follow", lambda _h, _b: go.wait(20) and (200, text))
    return go


@check
def attempt_passes_twice(w):
    """logs -f --attempt N shows no line of a later attempt when the container has started twice between two looks"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    go = held_log(w, lines((1, "one")))
    p = w.start("logs", "-f", "a", "--attempt", "1")
    w.wait_for("the log", lambda: [r for r in w.requests if "/log?" in r[1]])
    w.logs = {("a-worker-0-x", True): lines((2, "two")), ("a-worker-0-x", False): lines((3, "three"))}
    life(w, "a-worker-0-x", "2026-01-01T00:00:00Z", 2)
    time.sleep(1)                       # nothing shows that the command has seen this
    go.set()
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and [line.split(" ")[-1] for line in out.splitlines()] == ["one"], (p.returncode, out, err))


def end_pod(w, name):
    """The program of a pod ends."""
    pod = w.get("pods", name)
    pod["status"]["phase"] = "Succeeded"
    pod["status"]["containerStatuses"][0].update(ready=False, state={"terminated": {
        "exitCode": 0, "startedAt": world.NOW, "finishedAt": world.NOW}})
    w.put("pods", "default", pod)


@check
def slow_rest(w):
    """logs -f shows the end of a log even if the server needs some seconds to send it"""
    def late(_h, _body):
        time.sleep(4)  # as a slow server
        return 200, (world.NOW + " last words\n").encode()
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    w.fault("GET", "/log\\?(?!.*follow)", late)
    p = w.start("logs", "-f", "a")
    w.wait_for("the log", lambda: [r for r in w.requests if "/log?" in r[1]])
    end_pod(w, "a-worker-0-x")
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and "last words" in out, (p.returncode, out, err))


@check
def read_by_another(w):
    """wait a b: a change of the first run is noticed, although it is delivered while the second run is updated"""
    w.write("a.tj", JOB % ("a", 1) + JOB % ("b", 1))
    w.want(0, "apply", "a.tj")
    w.run_job("default", w.get("jobs", "b-worker"), "Succeeded")
    p = w.start("wait", "a", "b")
    w.shown(p, "b Succeeded")
    time.sleep(1)  # its watches are quiet then
    p.send_signal(signal.SIGSTOP)       # the command finds both events when it continues, the Event first
    w.put("events", "default", {"metadata": {"name": "e"}, "type": "Warning", "reason": "x", "message": "y",
                                "involvedObject": {"kind": "Job", "name": "a-worker"}})
    time.sleep(0.5)  # the Event arrives first
    end_pod(w, "a-worker-0-x")
    time.sleep(0.5)  # both are there before it goes on
    before = time.monotonic()
    p.send_signal(signal.SIGCONT)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and time.monotonic() < before + 5, (p.returncode, time.monotonic() - before, out, err))


@check
def sidecar_restarts(w):
    """logs -f reads the next instance of a sidecar, although nothing else of the run has changed"""
    def sidecar(restarts):
        pod = w.get("pods", "a-worker-0-x")
        pod["status"]["initContainerStatuses"] = [{"name": "logger", "ready": True, "restartCount": restarts,
                                                   "state": {"running": {"startedAt": world.NOW}}}]
        w.put("pods", "default", pod)
    w.write("a.tj", (JOB % ("a", 1)).replace("  }\n}\n", '    sidecar logger { image = "busybox:1" }\n  }\n}\n'))
    w.want(0, "apply", "a.tj")
    sidecar(0)
    go = held_log(w, lines((1, "one")))
    p = w.start("logs", "-f", "a", "-c", "logger")
    w.wait_for("the log", lambda: [r for r in w.requests if "/log?" in r[1]])
    w.logs = {("a-worker-0-x", True): lines((1, "one"), (2, "last")), ("a-worker-0-x", False): lines((3, "two"))}
    sidecar(1)
    time.sleep(1)                       # nothing shows that the command has seen this
    go.set()
    out = w.shown(p, "two\n", out=True)
    p.kill()
    p.communicate()
    must([line.split(" ")[-1] for line in out.splitlines()] == ["one", "last", "two"], out)


@check
def same_name(w):
    """logs -f shows the lines of a pod that has replaced another one of its name, once"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    go = held_log(w, lines((1, "one")))
    p = w.start("logs", "-f", "a")
    w.wait_for("the log", lambda: [r for r in w.requests if "/log?" in r[1]])
    w.logs = {("a-worker-0-x", False): lines((3, "two"))}
    with w.lock:
        pod = w.get("pods", "a-worker-0-x")
        w.take("pods", "default", "a-worker-0-x")
        del pod["metadata"]["uid"], pod["metadata"]["resourceVersion"]
        pod["metadata"]["creationTimestamp"] = "2026-01-01T00:00:02Z"
        pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = "2026-01-01T00:00:02Z"
        w.put("pods", "default", pod)
    out = w.shown(p, "two\n", out=True)
    w.requests.clear()
    go.set()
    w.wait_for("later requests", lambda: len([r for r in w.requests if "/log?" in r[1]]) > 3)
    p.send_signal(signal.SIGINT)
    out += p.communicate(timeout=60)[0]
    must(sorted(line.split(" ")[-1] for line in out.splitlines()) == ["one", "two"], out)


@check
def late_pods(w):
    """run prints the output of a short job although the Job has ended before the watch of pods knows its pod"""
    w.jobs_run = False
    w.write("a.tj", JOB % ("a", 1))
    w.logs = {("a-worker-0-x", False): ["short"]}
    p = w.start("run", "a.tj")
    w.shown(p, "a Starting")
    w.late = {"pods": 1}
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and "short" in out, (p.returncode, out, err))


@check
def refused_for_a_while(w):
    """what Jobs cannot do for each other is tried again after a refusal, which is reported once"""
    w.write("a.tj", PAIR)
    w.want(0, "apply", "a.tj")
    p = w.start("wait", "a", "--retry-timeout", "500ms")
    w.shown(p, "a Running")
    down = [True]
    w.fault("DELETE", "/jobs/a-ps", lambda _h, _b: status(500, "InternalError", "down") if down[0] else None, times=100)
    end_pod(w, "a-worker-0-x")
    err = w.shown(p, "500 InternalError: down")
    w.requests.clear()
    w.wait_for("another attempt", lambda: any(r[0] == "DELETE" for r in w.requests))
    down[0] = False
    out, rest = p.communicate(timeout=60)
    must(p.returncode == 0 and "InternalError" not in rest, (p.returncode, out, err + rest))


@check
def own_actions(w):
    """an action for a run is sent once, although the watches report it much later than the server has accepted it"""
    def sent(method, path):
        return len([r for r in w.requests if r[0] == method and path in r[1]])
    w.late = {"jobs": 2}
    w.write("a.tj", PAIR.replace("role worker {", "role worker {\n    start_after = ready(ps)"))
    p = w.start("run", "a.tj")
    w.shown(p, "a Running")
    must(sent("PATCH", "/jobs/a-worker?fieldManager=trainc-attend") == 1, w.requests)
    end_pod(w, "a-worker-0-x")
    out, err = p.communicate(timeout=60)
    must((p.returncode, sent("DELETE", "/jobs/a-ps")) == (0, 1), (p.returncode, out, err, sent("DELETE", "/jobs/a-ps")))


@check
def needs(w):
    """apply says what it leaves to 'wait', after it lists what it has generated itself"""
    tools, path = os.path.join(w.dir, "tools"), os.environ["PATH"]
    os.mkdir(tools)
    with open(os.path.join(tools, "ssh-keygen"), "w") as f:
        f.write("#!/bin/sh\nwhile test $# -gt 1; do shift; done\necho key >\"$1\"\necho pub >\"$1.pub\"\n")
    os.chmod(os.path.join(tools, "ssh-keygen"), 0o755)
    w.jobs_run = False
    w.write("m.tj", 'import std.mpi\n\njob "m": mpi.openmpi {\n  image = "registry.example.com/train:1.0"\n\n'
            '  role launcher { command = ["mpirun", "train"], cpu = 1, memory = 1Gi }\n  role worker   { replicas = 2, cpu = 1, memory = 1Gi }\n}\n')
    os.environ["PATH"] = tools + ":" + path
    try:
        out, err = w.want(0, "apply", "--no-wait", "m.tj", out="^Secret/m-ssh-keypair created",
                          err=r"cannot do everything that job 'm' needs; 'trainc wait m' does this while it runs:\n"
                              r"[^\n]* start role 'launcher' after ready\(worker\)\n")
    finally:
        os.environ["PATH"] = path
    must("keypair" not in err, err)


@check
def nobody(w):
    """what neither a command nor a controller does in a cluster is reported, and not attributed to 'wait': pods, and
    restarts of very many Jobs"""
    w.write("a.tj", 'job "a" {\n  image = "busybox:1"\n  restarts = 2\n  role worker { replicas = 1 }\n}\n')
    w.want(0, "apply", "--no-wait", "a.tj", err=r"'trainc wait a' does this while it runs:\n"
           r"[^\n]* restart the whole job after a failure, up to 2 times\n")
    must(w.get("configmaps", "a.trainc")["data"]["restarts"] == "2", w.get("configmaps", "a.trainc"))
    w.write("c.tj", 'job "c" {\n  image = "busybox:1"\n  restarts = 2\n  role worker {\n    replicas = 1\n    command = [%s]\n  }\n}\n' % ", ".join(['"%s"' % ("x" * 100000)] * 6))
    _, err = w.want(0, "apply", "--no-wait", "c.tj", err=r"nothing restarts the whole run 'c': its Jobs take \d+ KiB, and its record has room for 512;"
                    r" '--target jobset' leaves restarts")
    must("restart the whole job" not in err, err)
    must("jobs" not in w.get("configmaps", "c.trainc")["data"], "the record has them")
    w.write("b.tj", 'job "b" {\n  image = "busybox:1"\n  role worker { replicas = 1, retries = 3 }\n}\n')
    _, err = w.want(0, "apply", "--no-wait", "--target", "pods", "b.tj", err=r"for pods neither .* does this:\n[^\n]* create pods again.*'--target jobs'")
    must("while it runs" not in err, err)


@check
def one_status(w):
    """status shows a state and exits with 0, of a run, of saved objects and of a local run alike; with --exit-status a failure is
    status 8"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.want(0, "status", "a", "--exit-status", out="Running")
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
    saved = {"kind": "List", "items": [w.get("jobs", "a-worker"), w.get("pods", "a-worker-0-x")]}
    w.write("saved.json", json.dumps(saved))
    for words in (["a"], ["a.tj"], ["--from", "saved.json", "a.tj"], []):
        w.want(0, "status", *words, out="Failed.*worker 0: exit code 3")
        w.want(8, "status", "--exit-status", *words, out="Failed")
        w.want(8, "status", "--exit-status", "-o", "json", *words, out='"Failed"')
    w.want(8, "status", "-w", "--exit-status", "a", out="Failed")
    w.want(2, "status", "none", "--exit-status", err="no run 'none'")


@check
def chosen_by_state(w):
    """list and delete choose runs by their state and by the time since their end; what still runs is older than no time"""
    for name in "good", "bad", "runs":
        w.write(name + ".tj", JOB % (name, 1))
        w.want(0, "apply", "--no-wait", name + ".tj")
    w.run_job("default", w.get("jobs", "good-worker"), "Succeeded")
    w.run_job("default", w.get("jobs", "bad-worker"), "Failed", 1)

    def listed(*words):
        return [line[4:] for line in w.want(0, "list", "-o", "name", *words)[0].splitlines()]
    must(listed() == ["bad", "good", "runs"], listed())
    must(listed("--state", "Failed") == ["bad"] and listed("--state", "failed,RUNNING") == ["bad", "runs"], listed("--state", "failed,RUNNING"))
    must(listed("--state", "Failed", "--state", "Succeeded") == ["bad", "good"], "two options")
    must(listed("--older", "1h") == ["bad", "good"] and listed("--all", "--older", "7d", "--state", "Succeeded") == ["good"], listed("--older", "1h"))
    must(listed("--older", "40000d") == [], listed("--older", "40000d"))
    must([r["name"] for r in json.loads(w.want(0, "list", "-o", "json", "--state", "Failed")[0])["runs"]] == ["bad"], "json")
    out, _ = w.want(0, "list", "--state", "Suspended", err="none of the 3 runs is in such a state")
    must(out == "", out)
    must(listed("--older", "213504d") == [] and listed("--older", "106752d") == [], "a time that is longer than an int64 holds")
    w.want(2, "list", "--state", "Broken", err="'Broken' is not a state; the states are Pending, ")
    w.want(2, "list", "--state", "", err="'' is not a state")
    w.want(2, "list", "--older", "yesterday", err="--older needs a time")
    w.want(2, "delete", "--state", "Failed", err="run/bad will be deleted: Failed.*not a terminal: use --yes")
    must(len(w.names("jobs")) == 3, w.names("jobs"))
    w.want(0, "delete", "--yes", "--state", "Suspended", err="none of the 3 runs")
    w.want(0, "delete", "--yes", "runs", "bad", "--state", "Failed", out="run/bad deleted")
    must(w.names("jobs") == ["good-worker", "runs-worker"], w.names("jobs"))
    out, _ = w.want(0, "delete", "--yes", "--older", "1min", out="run/good deleted")
    must(w.names("jobs") == ["runs-worker"] and "runs" not in out, (w.names("jobs"), out))
    w.want(0, "delete", "--yes", "--all", "--state", "running", out="run/runs deleted")
    must(not w.names("configmaps"), w.names("configmaps"))


@check
def damaged_record(w):
    """one record that cannot be read does not keep delete --state from the others: it is named, and the status is not 0"""
    for name in "a", "b", "c":
        w.write(name + ".tj", JOB % (name, 1))
        w.want(0, "apply", "--no-wait", name + ".tj")
        w.run_job("default", w.get("jobs", name + "-worker"), "Failed", 1)
    for plan in "{", '{"name":5}', "":
        o = w.get("configmaps", "b.trainc")
        o["data"]["plan"] = plan
        w.put("configmaps", "default", o)
        _, err = w.want(5, "delete", "--yes", "--state", "Failed", err="run 'b'")
        must(w.names("jobs") == ["b-worker"], (w.names("jobs"), err))
        for name in "a", "c":
            w.want(0, "apply", "--no-wait", name + ".tj")
            w.run_job("default", w.get("jobs", name + "-worker"), "Failed", 1)
    must("b.trainc" in w.names("configmaps"), w.names("configmaps"))


@check
def older_by_the_server(w):
    """--older counts by the server's clock; if its answers do not say what time it is, that is reported"""
    w.ahead = -7 * 86400
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    out, err = w.want(0, "list", "-o", "name", "--older", "1d")
    must(not out and "clock" not in err, (out, err))
    w.want(0, "delete", "--yes", "--older", "1d", err="none of the 1 runs is")
    w.dated = False
    w.want(0, "list", "-o", "name", "--older", "1d", out="run/a", err="the server does not say what time it is, so --older uses the clock of this machine")


@check
def on_end(w):
    """--on-end runs once for each run of a cluster that has ended, whatever its cause says; its output is not that of trainc"""
    for name, end in ("a", ("Succeeded",)), ("b", ("Failed", 3)):
        w.write(name + ".tj", JOB % (name, 1))
        w.want(0, "apply", "--no-wait", name + ".tj")
        w.run_job("default", w.get("jobs", name + "-worker"), *end)
    hook = 'echo "$TRAINC_RUN $TRAINC_NAMESPACE $TRAINC_STATE $TRAINC_STATUS" >> said; cat > $TRAINC_RUN.json; echo printed'
    out, _ = w.want(8, "wait", "-o", "json", "--on-end", hook, "a", "b", err="printed")
    must(len(json.loads(out)["runs"]) == 2, out)
    with open(os.path.join(w.dir, "said")) as f:
        must(f.read() == "a default Succeeded 0\nb default Failed 8\n", "the facts")
    for name in "ab":
        with open(os.path.join(w.dir, name + ".json")) as f:
            must([r["name"] for r in json.load(f)["runs"]] == [name], name)
    w.want(0, "wait", "a", "--on-end", "exit 7", err="run 'a': the command of --on-end ended with status 7")


@check
def diff_unread(w):
    """what diff cannot read is an error, and is not shown as if it did not exist"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--no-wait", "a.tj")
    w.write("a.tj", (JOB % ("a", 1)).replace("busybox:1", "busybox:2"))
    read = w.on_get
    for code, reason, want in ((403, "Forbidden", 4), (500, "InternalError", 7)):
        w.on_get = lambda where, query, answer=(code, reason): status(*answer, "not now") if where[0] == "jobs" and where[2] else read(where, query)
        out, _ = w.want(want, "diff", "a.tj", "--retry-timeout", "200ms", err="a-worker")
        must("created" not in out, out)
    w.on_get = read
    w.want(1, "diff", "a.tj", out="Job/a-worker would be changed")


@check
def offline(w):
    """apply --dry-run=client lists the objects where no cluster is configured; other commands still need one"""
    w.write("a.tj", JOB % ("a", 1))
    os.remove(os.path.join(w.dir, "config"))
    out, err = w.want(0, "apply", "--dry-run=client", "a.tj", out=r"^Service/a would be applied \(dry run\)\nJob/a-worker would be applied")
    must(err == "", err)
    w.want(3, "apply", "--dry-run=server", "a.tj", err="no cluster is configured")
    w.want(3, "apply", "a.tj", err="no cluster is configured")
    w.write("config", "{")
    w.want(3, "apply", "--dry-run=client", "a.tj", err="config:1")       # a configuration that cannot be read is not none


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))

    sys.exit(main(CHECKS, sys.argv[1:]))
