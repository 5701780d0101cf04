"""copies.py [NAME...] - a copy of a cell that fails restarts by itself: its Jobs are created again and the others are
left alone, whoever attends the run, and whenever the attendant is killed."""
import json
import re
import sys

from runs_world import World, main, must, status

CHECKS = []
CELLS = """job "a" {
  image = "busybox:1"
  %s
  role learner { replicas = 1 }
  cell server {
    copies   = 3
    %s
    role head   { replicas = 1 }
    role worker {
      replicas    = 2
      start_after = ready(head)
    }
    success = none
  }
}
"""


def check(f):
    CHECKS.append(f)
    return f


def copies(copy="restarts = 2", job=""):
    return CELLS % (job, copy)


def of_copy(i):
    return {"a-server-head-%d" % i, "a-server-worker-%d" % i}


def note(w, name):
    return w.get("jobs", name)["metadata"].get("annotations", {}).get("trainc.dev/copy-restarts")


def anew(w, old, *which):
    """Exactly the Jobs of the copies WHICH differ from OLD, and the record lists the new ones."""
    def holds():
        now, wanted = w.uids(), set().union(*(of_copy(i) for i in which))
        record = w.restart()
        listed = {j[0]: j[3] for j in record.get("earlier", []) + record.get("jobs", [])}
        return set(now) == set(old) and {n for n in now if now[n] != old[n]} == wanted \
            and all(listed.get(n) == now[n] for n in wanted) and len(w.names("jobs")) == len(now)
    return holds


def begin(w, program=copies(), *words):
    if w.controllers:
        w.see("the controller is ready", lambda: "all watches are live" in w.said())
    w.jobs_run = False
    w.write("a.tj", program)
    w.want(0, "apply", "--no-wait", *(["--controller"] if w.controllers else []), "a.tj", *words)


def run_copy(w, i):
    """The copy runs: the workers start when the head is ready."""
    w.job("a-server-head-%d" % i, "Running")
    w.see("the workers of copy %d are released" % i, lambda: not w.is_suspended("a-server-worker-%d" % i))
    w.job("a-server-worker-%d" % i, "Running")


def all_run(w):
    w.job("a-learner", "Running")
    for i in range(3):
        run_copy(w, i)


def attended_until_it_runs(w):
    """Lets a command that is killed then start what has to wait."""
    p = w.start("wait", "a")
    all_run(w)
    w.shown(p, "Running")
    p.kill()
    p.communicate(timeout=20)


def fail(w, i, code=3):
    w.job("a-server-worker-%d" % i, "Failed", code)


@check
def restarts(w):
    """a copy that fails restarts as often as its cell permits, in its start order; the others keep their Jobs; after
    that the run fails"""
    w.supervise()
    begin(w)
    all_run(w)
    for count in 1, 2:
        old = w.uids()
        fail(w, 1, 2 + count)
        w.see("restart %d of the copy" % count, anew(w, old, 1))
        must(w.is_suspended("a-server-worker-1") and not w.is_suspended("a-server-head-1"), "the start order does not begin again")
        must(all(note(w, n) == "%d %d" % (count, count) for n in of_copy(1)), note(w, "a-server-head-1"))
        must(not w.record("a")["verdict"] and not note(w, "a-server-head-2"), w.record("a"))
        run_copy(w, 1)
        w.want(0, "status", "a", out="Running")
    told = [x for x in w.told("a") if x[1] == "CopyRestarted"]
    for i, (kind, _, message) in enumerate(told):
        must(kind == "Warning" and re.fullmatch(r"copy server/1 of run 'a' starts again \(%d\), because it has failed: (server-worker-1 [01]: exit code %d|"
                                                r"BackoffLimitExceeded)" % (1 + i, 3 + i), message), told)
    must(len(told) == 2, told)
    old = w.uids()
    fail(w, 1, 9)
    w.see("the verdict", w.verdict("a", "Failed"))
    w.see("the end", lambda: w.names("jobs") == ["a-server-worker-1"])
    must(w.uids().items() <= old.items(), "a Job was created after the last restart")
    w.see("who failed", lambda: "server-worker-1" in json.loads(w.record("a")["outcome"]).get("first_failure", {}).get("role", ""))


@check
def shown(w):
    """status says which copy restarts and how often; the others are ready meanwhile, and scale and apply wait"""
    begin(w)
    p = w.start("wait", "a")
    all_run(w)
    w.shown(p, "Running")
    w.want(0, "status", "a", out="server +.*3/3|Running")
    w.fault("DELETE", "/jobs/a-server-head-2", (503, {}), 1000)
    old = w.uids()
    fail(w, 2)
    w.see("it begins", lambda: w.restart().get("copy") == "server/2")
    out, _ = w.want(0, "status", "a")
    must("Degraded" in out and re.search(r"(server-worker-2 [01]: exit code 3|BackoffLimitExceeded); copy 2 of 'server' restarts \(1 of 2\)", out), out)
    w.faults.clear()
    w.see("it restarts", anew(w, old, 2), 40)
    run_copy(w, 2)
    w.want(0, "status", "a", out="Running")
    w.want(0, "apply", "--no-wait", "a.tj", out="unchanged")
    must(note(w, "a-server-head-2") == "1 1", "apply has taken the number away")
    w.want(0, "apply", "--no-wait", "--rerun", "a.tj")
    must(not note(w, "a-server-head-2"), note(w, "a-server-head-2"))
    p.kill()
    p.communicate(timeout=20)


@check
def alone(w):
    """without an attendant a failed copy does not restart, and status and why say so with the ways out"""
    begin(w)
    attended_until_it_runs(w)
    old = w.uids()
    fail(w, 1)
    w.want(0, "status", "a", out=r"Degraded.*exit code 3; no attendant starts copy 1 of 'server' again \(1 of 2\)")
    w.want(0, "why", "a", out=r"trainc wait a")
    p = w.start("wait", "a")
    w.see("the next one restarts it", anew(w, old, 1))
    run_copy(w, 1)
    w.job("a-learner", "Succeeded")
    p.communicate(timeout=40)
    must(p.returncode == 0, p.returncode)


@check
def attended(w):
    """wait alone restarts a copy; two of them and the controller together do it once"""
    for attendants in 1, 2, 3:
        if attendants == 3:
            w.supervise()
        begin(w)
        waits = [w.start("wait", "a") for _ in range(min(attendants, 2))]
        all_run(w)
        for count in 1, 2:
            old = w.uids()
            fail(w, 0)
            w.see("restart %d of %d" % (count, attendants), anew(w, old, 0))
            must(note(w, "a-server-head-0") == "%d %d" % (count, count), note(w, "a-server-head-0"))
            run_copy(w, 0)
        w.job("a-learner", "Succeeded")
        for p in waits:
            out, err = p.communicate(timeout=40)
            must(p.returncode == 0, (attendants, p.returncode, out, err))
        w.see("success", w.verdict("a", "Succeeded"))
        w.want(0, "delete", "a", "--yes")
        must(not w.names("jobs") + w.names("pods") + w.names("configmaps"), w.names("jobs"))


@check
def several(w):
    """copies that fail together restart one after the other, and none of them twice"""
    w.supervise()
    begin(w)
    all_run(w)
    old = w.uids()
    with w.lock:
        fail(w, 0)
        fail(w, 2)
    w.see("both", anew(w, old, 0, 2), 30)
    must(all(note(w, n) == "1 1" for i in (0, 2) for n in of_copy(i)), "counted wrongly")
    run_copy(w, 0)
    run_copy(w, 2)
    old = w.uids()
    fail(w, 1)
    w.see("a third", anew(w, old, 1), 30)
    w.settle()
    run_copy(w, 1)
    w.job("a-learner", "Succeeded")
    w.see("success", w.verdict("a", "Succeeded"))
    w.see("the copies end", lambda: w.names("jobs") == ["a-learner"])


@check
def whole(w):
    """when the restarts of a copy are used up, the restarts of the job restart everything, and copies have theirs again"""
    w.supervise()
    begin(w, copies("restarts = 1", "restarts = 1"))
    all_run(w)
    old = w.uids()
    fail(w, 1)
    w.see("the copy", anew(w, old, 1))
    run_copy(w, 1)
    old = w.uids()
    fail(w, 1)
    w.see("everything", lambda: set(w.uids()) == set(old) and not set(w.uids().values()) & set(old.values())
          and w.restart().get("number") == 1 and all(j[3] for j in w.restart()["jobs"]))
    must(not note(w, "a-server-head-1") and not w.restart().get("earlier"), w.restart())
    all_run(w)
    old = w.uids()
    fail(w, 1)
    w.see("the copy again", anew(w, old, 1))
    must(note(w, "a-server-head-1") == "1 1", note(w, "a-server-head-1"))
    w.job("a-learner", "Failed", 4)
    w.see("the verdict", w.verdict("a", "Failed"))


@check
def lost(w):
    """the copies that an elastic cell has lost are made again with everything else"""
    w.supervise()
    begin(w, copies("restarts = 0", "restarts = 1").replace("copies   = 3", "copies   = 2:3"))
    all_run(w)
    fail(w, 1)
    w.see("its other Job ends", lambda: "a-server-head-1" not in w.names("jobs"))
    w.want(0, "status", "a", out="1 of 3 copies of 'server' is lost")
    old = w.uids()
    fail(w, 0)
    w.see("everything", lambda: len(w.uids()) == 7 and not set(w.uids().values()) & set(old.values()) and w.restart().get("number") == 1
          and all(j[3] for j in w.restart()["jobs"]))
    all_run(w)
    w.job("a-learner", "Succeeded")
    w.see("success", w.verdict("a", "Succeeded"))


def going_slowly(w, i):
    """Copy I fails and restarts, but one of its old Jobs does not go away."""
    o = json.loads(json.dumps(w.get("jobs", "a-server-head-%d" % i)))
    o["metadata"].update(finalizers=["foregroundDeletion"], deletionTimestamp="2026-01-01T00:00:00Z")
    w.fault("DELETE", "/jobs/a-server-head-%d" % i, status(409, "Conflict", "x"), 1000)
    fail(w, i)
    w.see("it begins", lambda: w.restart().get("copy") == "server/%d" % i, 40)
    w.put("jobs", "default", o)


@check
def ends_meanwhile(w):
    """a run that ends while a copy restarts: nothing is created any more, and nothing is left, also with a ttl"""
    w.supervise()
    begin(w, copies("restarts = 2", "ttl = 1s"))
    all_run(w)
    going_slowly(w, 1)
    w.job("a-learner", "Succeeded")
    w.see("the verdict", w.verdict("a", "Succeeded"))
    w.see("the others go", lambda: w.names("jobs") == ["a-server-head-1"], 40)
    w.faults.clear()
    w.take("jobs", "default", "a-server-head-1")
    w.settle(3)
    must(not w.names("jobs") and all(j[3] for j in w.restart()["jobs"]), (w.names("jobs"), w.restart()))


@check
def ends_waited(w):
    """wait does not leave a restart behind that goes on after the verdict"""
    begin(w)
    p = w.start("wait", "a")
    all_run(w)
    going_slowly(w, 1)
    w.job("a-learner", "Succeeded")
    w.see("the restart ends", lambda: w.restart()["jobs"] == [])
    w.faults.clear()
    w.take("jobs", "default", "a-server-head-1")
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0, (out, err))
    must(not [n for n in w.names("jobs") if n.startswith("trainc-restart-")] and all(j[3] for j in w.restart()["jobs"]), (w.names("jobs"), w.restart()))


@check
def refused(w):
    """a copy whose Jobs the server refuses holds up nothing else: roles start, other copies restart, the run ends"""
    w.supervise()
    begin(w, copies("restarts = 2", "ttl = 1s"))
    w.job("a-learner", "Running")
    run_copy(w, 0)
    run_copy(w, 1)
    w.fault("PATCH", "/jobs/a-server-(head|worker)-1", status(403, "Forbidden", "exceeded quota"), 1000)
    fail(w, 1)
    w.see("it begins", lambda: w.restart().get("copy") == "server/1" and "a-server-head-1" not in w.names("jobs"), 40)
    run_copy(w, 2)                      # whose workers start now
    w.job("a-learner", "Succeeded")
    w.see("the verdict", w.verdict("a", "Succeeded"))
    w.see("the end", lambda: not w.names("jobs"), 40)
    w.faults.clear()
    w.settle(3)
    must(not w.names("jobs"), w.names("jobs"))


@check
def changed(w):
    """a copy that cannot restart, because somebody has changed one of its Jobs, does not hold up another one"""
    w.supervise()
    begin(w)
    all_run(w)
    o = json.loads(json.dumps(w.get("jobs", "a-server-head-0")))
    o["spec"]["template"]["spec"]["containers"][0]["image"] = "busybox:2"
    w.put("jobs", "default", o)
    fail(w, 0)
    w.settle(2)
    old = w.uids()
    fail(w, 2)
    w.see("the other one", anew(w, old, 2), 40)


@check
def suspended(w):
    """a copy of a suspended run does not restart"""
    w.supervise()
    begin(w)
    all_run(w)
    p = w.start("suspend", "a")
    w.see("the Jobs are suspended", lambda: all(w.is_suspended(n) for n in w.names("jobs")), 30)
    p.kill()
    p.communicate(timeout=20)
    w.settle(1)
    old = w.uids()
    o = json.loads(json.dumps(w.get("jobs", "a-server-worker-1")))
    o["status"] = {"startTime": "2025-12-31T23:59:00Z", "failed": 1, "conditions": [
        {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
    w.put("jobs", "default", o)
    w.settle(2)
    must(w.uids() == old and not w.record("a")["verdict"], w.record("a"))


@check
def scaled(w):
    """a copy that waits for its restart can be scaled away"""
    begin(w, copies("restarts = 2").replace("copies   = 3", "copies   = 1:3"))
    attended_until_it_runs(w)
    fail(w, 2)
    w.want(0, "scale", "a", "server=2", out="from 3 to 2")


@check
def counts(w):
    """whoever may only write ConfigMaps can neither give a run more restarts than it has, nor end it"""
    w.supervise()
    begin(w, copies("restarts = 1", "restarts = 1"))
    all_run(w)

    def edit(f):
        o = json.loads(json.dumps(w.get("configmaps", "a.trainc")))
        f(o["data"])
        w.put("configmaps", "default", o)

    def forget(data):
        data.pop("restart")
        kinds = json.loads(data["applied"])
        for o in next(k for k in kinds if k["kind"] == "Job")["objects"]:
            o[1] = w.uids()[o[0]]
        data["applied"] = json.dumps(kinds)
    w.job("a-learner", "Failed", 4)
    w.see("everything", lambda: w.restart().get("number") == 1 and all(j[3] for j in w.restart()["jobs"]))
    all_run(w)
    edit(forget)
    w.settle(1)
    old = w.uids()
    fail(w, 1)
    w.settle(2)
    must(w.uids() == old, "a restart that the record had lost")
    for lie in ("x", '{"generation":1,"number":1,"cause":"x","jobs":[]}', '{"generation":1,"number":0,"copy":"server/1","count":0}'):
        w.want(0, "apply", "--no-wait", "--controller", "--rerun", "a.tj")
        all_run(w)
        w.settle(0.5)
        generation = w.get("configmaps", "a.trainc")["metadata"]["annotations"]["trainc.dev/generation"]
        edit(lambda data: data.update(restart=lie.replace('"generation":1', '"generation":' + generation)))
        w.settle(1)
        old = w.uids()
        fail(w, 1)
        w.settle(2)
        must(w.uids() == old and not w.record("a")["verdict"], (lie, w.names("jobs"), w.record("a")["verdict"]))


@check
def endless(w):
    """a cell that never ends restarts its copies without limit when nothing is written"""
    w.supervise()
    begin(w, copies(""))
    all_run(w)
    for count in range(1, 5):
        old = w.uids()
        fail(w, 2)
        w.see("restart %d" % count, anew(w, old, 2))
        must(note(w, "a-server-head-2") == "%d %d" % (count, count), note(w, "a-server-head-2"))
        run_copy(w, 2)
    must(not w.record("a")["verdict"], w.record("a"))


@check
def pauses(w):
    """a copy that has run for long before it fails counts as the first in a row: its pause is the shortest"""
    w.supervise()
    begin(w, copies(""))
    all_run(w)
    old = w.uids()
    fail(w, 0)
    w.see("the first", anew(w, old, 0))
    run_copy(w, 0)
    old = w.uids()
    o = json.loads(json.dumps(w.get("jobs", "a-server-worker-0")))      # the copy has run for an hour
    o["status"] = {"startTime": "2025-12-31T23:00:00Z", "failed": 1, "conditions": [
        {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
    w.put("jobs", "default", o)
    w.see("the second", anew(w, old, 0))
    must(note(w, "a-server-head-0") == "2 1", note(w, "a-server-head-0"))


@check
def killed(w):
    """kill -9 before and after every write of a restart, then another controller: each Job is created once, and the
    restart counts once"""
    def start():
        begin(w)
        all_run(w)

    def end():
        must(note(w, "a-server-worker-1") == "1 1", note(w, "a-server-worker-1"))
        w.job("a-learner", "Succeeded")
        w.see("the verdict", w.verdict("a", "Succeeded"))
    w.restart_killed(start, lambda: fail(w, 1), lambda old: anew(w, old, 1)(), end)


@check
def lies(w):
    """a record that somebody changes does not restart another copy, everything, or a copy more often"""
    w.supervise()
    begin(w)
    all_run(w)
    old = w.uids()

    def change(**more):
        o = json.loads(json.dumps(w.get("configmaps", "a.trainc")))
        r = json.loads(o["data"].get("restart") or '{"generation":1,"number":0,"cause":"x","jobs":[]}')
        r.update(more)
        o["data"]["restart"] = json.dumps(r)
        w.put("configmaps", "default", o)
    jobs = [[n, old[n], 0, ""] for n in sorted(of_copy(2))]
    change(copy="server/2", count=1, series=1, jobs=jobs)
    w.settle(1)
    must(w.uids() == old and len(w.names("jobs")) == len(old), "a restart without a voucher")
    w.see("it is told", lambda: any(x[1] == "NotVouched" for x in w.told("a")), 30)
    # while a copy restarts, the record names another one
    w.want(0, "apply", "--no-wait", "--controller", "--rerun", "a.tj")
    all_run(w)
    old = w.uids()
    w.fault("DELETE", "/jobs/a-server-.*-1", (503, {}), 1000)
    fail(w, 1)
    w.see("it begins", lambda: w.restart().get("copy") == "server/1")
    for lie in (dict(copy="server/2", jobs=[[n, old[n], 0, ""] for n in sorted(of_copy(2))]),
                dict(copy="", number=1, jobs=[[n, old[n], 0, ""] for n in sorted(old)]),
                dict(jobs=[[n, old[n], 0, ""] for n in sorted(of_copy(1) | of_copy(2))]), dict(count=9)):
        change(**lie)
        w.settle(1)
        must({n: u for n, u in w.uids().items() if n not in of_copy(1)} == {n: u for n, u in old.items() if n not in of_copy(1)}, lie)
    w.faults.clear()


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
