"""runs.py [NAME...] - runs that `trainc apply --controller` leaves to `trainc supervise`, against an API server in
memory: what the controller does for them while no command waits, what the record contains, and that the
controller recovers from a kill -9 at any moment."""
import itertools
import json
import re
import sys
import time

from runs_world import SANITIZED, World, main, manifest, must, permissions, status

CHECKS = []
ORDER = """job "a" {
  image = "busybox:1"
  role ps     { replicas = 1 }
  role worker {
    replicas    = 2
    start_after = ready(ps)
  }
  success = done(worker)
}
"""
RANKS = """job "a" {
  image = "busybox:1"
  role first  { replicas = 2 }
  role second { replicas = 2 }
  success = done(first, 0)
}
"""
STAGES = """job "a" {
  image = "busybox:1"
  role prepare { replicas = 1 }
  role worker {
    replicas    = 2
    start_after = done(prepare)
  }
  success = done(worker)
}
"""


def check(f):
    CHECKS.append(f)
    return f


def jobs_are(w, *names):
    return lambda: w.names("jobs") == sorted(names)


def start(w, program=ORDER, *words):
    """Applies a program; apply waits for the controller only 3 s, so the controller is ready before."""
    w.see("the controller is ready", lambda: "all watches are live" in w.said())
    w.write("a.tj", program)
    return w.want(0, "apply", "--no-wait", "--controller", "a.tj", *words)


@check
def whole(w):
    """start order, an endless role that ends with success, the verdict on the record, and nothing left after delete"""
    w.supervise()
    w.jobs_run = False
    out, err = start(w)
    must("the controller does what plain Jobs cannot do for job 'a'" in err and "trainc wait" not in err, err)
    must(w.objects[("configmaps", "default", "a.trainc")]["metadata"]["labels"]["trainc.dev/controller"] == "supervise", "no label")
    w.see("the controller takes it", lambda: w.record("a").get("attended") == "1")
    w.settle()
    must(w.is_suspended("a-worker"), w.record("a"))
    w.job("a-ps", "Running")
    w.see("the workers are released", lambda: not w.is_suspended("a-worker"))
    w.job("a-worker", "Running")
    w.settle()
    must(jobs_are(w, "a-ps", "a-worker")() and not w.record("a")["verdict"], w.record("a"))
    w.job("a-worker", "Succeeded")
    w.see("the parameter server ends", jobs_are(w, "a-worker"))
    must(w.record("a")["verdict"] == "Succeeded", "it was deleted before the verdict was recorded")
    w.want(0, "status", "a", out="Succeeded")
    w.settle()
    # a request is repeated after a conflict with apply's second write of the record, and while a late watch does not show its effect
    written = [same for same, _ in itertools.groupby((m, p.rsplit("/", 1)[1]) for m, p, _ in w.written())]
    must(written == [("PATCH", "a.trainc"), ("PATCH", "a-worker"), ("PATCH", "a.trainc"), ("DELETE", "a-ps")], w.written())
    w.want(0, "wait", "a")
    w.want(0, "apply", "a.tj", err="has ended: Succeeded")
    w.want(0, "delete", "a", "--yes")
    w.settle()
    must(not w.names("jobs") + w.names("pods") + w.names("configmaps") + w.names("services"), w.names("configmaps"))
    w.stop()


@check
def evidence(w):
    """the Jobs that show the verdict may be deleted when the run ends: the record has the verdict, and status, wait
    and apply read it there"""
    w.supervise()
    start(w, RANKS)
    w.see("pods", lambda: len(w.names("pods")) == 4)
    pod = w.get("pods", "a-first-0-x")
    pod["status"].update(phase="Succeeded", containerStatuses=[{"name": "main", "ready": False, "restartCount": 0, "state": {
        "terminated": {"exitCode": 0, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:09Z", "reason": "Completed"}}}])
    w.put("pods", "default", pod)
    w.see("all Jobs end", jobs_are(w))
    must(w.record("a")["verdict"] == "Succeeded", w.record("a"))
    w.want(0, "status", "a", out="Succeeded")
    out, _ = w.want(0, "status", "a", "-o", "json")
    must(json.loads(out)["runs"][0]["state"] == "Succeeded", out)
    w.want(0, "list", out="^a +.*Succeeded")
    w.want(0, "wait", "a", timeout=20)
    w.want(0, "apply", "a.tj", err="has ended: Succeeded")
    w.want(0, "apply", "a.tj", "--rerun", "--no-wait", out="run/a (recreated|configured)")
    w.see("it runs again", lambda: len(w.names("pods")) == 4 and w.record("a").get("attended") == "2")
    w.settle()
    must(w.record("a")["verdict"] == "" and len(w.names("jobs")) == 2, w.record("a"))
    w.want(0, "status", "a", out="Running")


@check
def failure(w):
    """a role fails for good: the others end, and the first failing rank is on the record when no pod shows it any more"""
    w.supervise()
    start(w)
    w.see("all run", lambda: len(w.names("pods")) == 3)
    w.job("a-worker", "Failed", 3)
    w.see("the parameter server ends", jobs_are(w, "a-worker"))
    w.see("the first failing rank", lambda: "first_failure" in w.record("a")["outcome"])
    data = w.record("a")
    told = json.loads(data["outcome"])
    must(data["verdict"] == "Failed" and told["first_failure"]["role"] == "worker" and told["first_failure"]["exit_code"] == 3, data)
    must(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", told["end"]), told)
    w.take("jobs", "default", "a-worker")
    out, _ = w.want(0, "status", "a", "-o", "json")
    run = json.loads(out)["runs"][0]
    must(run["state"] == "Failed" and run["first_failure"]["exit_code"] == 3, run)
    w.want(8, "wait", "a", err="worker", timeout=20)
    w.want(8, "apply", "a.tj", err="has ended: Failed")


@check
def held(w):
    """status names the finalizer that holds a Job of a run that has ended; the record does not, since it stays when the Job is gone"""
    w.supervise()
    start(w)
    w.see("all run", lambda: len(w.names("pods")) == 3)
    job = w.get("jobs", "a-worker")
    job["metadata"].update(deletionTimestamp="2026-01-01T00:00:09Z", finalizers=["example.com/hold"])
    w.put("jobs", "default", job)
    w.job("a-worker", "Failed", 3)
    w.see("the first failing rank", lambda: "first_failure" in w.record("a").get("outcome", ""))
    w.want(0, "status", "a", out="Job/a-worker is being deleted; finalizer 'example.com/hold' holds it")
    must("deleted" not in w.record("a")["outcome"], w.record("a"))
    w.take("jobs", "default", "a-worker")
    out, _ = w.want(0, "status", "a")
    must("exit code 3" in out and "deleted" not in out, out)


@check
def told(w):
    """Events about the record: roles that start and end, the verdict, the first failing rank, ttl; each of them once"""
    w.write("a.tj", ORDER.replace("success =", "ttl = 1s\n  success ="))
    w.supervise()
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    start_of = ("Normal", "RoleStarted", "role 'worker' starts, because ready(ps) holds: Job a-worker is resumed")
    w.see("the workers start", lambda: w.told("a") == [start_of])
    w.job("a-worker", "Failed", 3)
    w.see("the ttl passes", lambda: not w.names("jobs"))
    w.see("all is told", lambda: len(w.told("a")) >= 5)
    end = w.told("a")[1:]
    must(sorted(x[:2] for x in end) == [("Normal", "RoleEnded"), ("Normal", "TimeToLiveExpired"), ("Warning", "FirstFailure"),
                                        ("Warning", "RunFailed")], end)
    said = {reason: message for _, reason, message in end}
    must(said["RoleEnded"] == "role 'ps' ends, because the run has failed: Job a-ps is deleted", end)
    must(said["FirstFailure"].startswith("first failure: worker ") and said["FirstFailure"].endswith("exit code 3"), end)
    must(said["RunFailed"].startswith("run 'a' has failed: "), end)
    must(said["TimeToLiveExpired"] == "the run ended more than 1s ago (ttl): Job a-worker is deleted", end)
    w.settle()
    n = len(w.told("a"))
    w.controllers[-1].kill()
    w.supervise()
    w.settle(1)
    must(len(w.told("a")) == n, w.told("a"))


def ttl_elsewhere(w, ahead):
    """The ttl of a run counts by the API server's clock, which is AHEAD seconds ahead of the controller's."""
    w.ahead = ahead
    w.write("a.tj", ORDER.replace("success =", "ttl = 4s\n  success ="))
    w.supervise()
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    w.see("the workers start", lambda: len(w.told("a")) == 1)
    ended = time.monotonic()
    w.job("a-worker", "Failed", 3)
    w.see("the verdict", lambda: w.record("a").get("verdict") == "Failed")
    w.see("the ttl passes", lambda: not w.names("jobs"))
    must(1.5 < time.monotonic() - ended, time.monotonic() - ended)


@check
def behind(w):
    """the controller's clock is ten minutes behind the server's: the ttl of a run expires on time"""
    ttl_elsewhere(w, 600)


@check
def before(w):
    """the controller's clock is ten minutes ahead of the server's: the ttl of a run expires on time"""
    ttl_elsewhere(w, -600)


@check
def helper(w):
    """an aux role that never ends is a Deployment: it is deleted at the verdict, by the controller as by wait"""
    program = ORDER.replace("success =", 'aux board { restart = "always" }\n  success =')
    w.write("a.tj", program)
    w.supervise()
    for words in ["--controller"], ["--controller=off"]:
        w.want(0, "apply", "--no-wait", *words, "a.tj", err="aux 'board' when" if words[0].endswith("off") else "the controller does")
        must(w.names("deployments"), "no Deployment")
        waiting = words[0].endswith("off") and w.start("wait", "a")
        w.see("the workers are released", lambda: not w.is_suspended("a-worker"))
        w.job("a-worker", "Succeeded")
        must(not waiting or waiting.wait(timeout=30) == 0, "wait failed")
        w.see("both end", lambda: w.names("jobs") == ["a-worker"] and not w.names("deployments"))
        w.want(0, "delete", "a", "--yes")


@check
def kept(w):
    """clean = "none": the verdict is recorded and nothing is deleted; a suspended run stays suspended"""
    w.supervise()
    start(w, ORDER.replace("success =", 'clean = "none"\n  success ='))
    w.see("all run", lambda: len(w.names("pods")) == 3)
    w.want(0, "suspend", "a")
    w.settle()
    must(w.is_suspended("a-ps") and w.is_suspended("a-worker"), "a suspended run was resumed")
    w.want(0, "resume", "a")
    w.see("all run again", lambda: len(w.names("pods")) == 3)
    w.job("a-worker", "Succeeded")
    w.see("the verdict", w.verdict("a", "Succeeded"))
    w.settle()
    must(w.names("jobs") == ["a-ps", "a-worker"], w.names("jobs"))


@check
def suspended_by_hand(w):
    """a Job that was started after another role and that a person suspends without trainc stays suspended until somebody resumes it"""
    def set_suspend(value):             # as `kubectl patch job a-worker -p '{"spec":{"suspend":true}}'`
        with w.lock:
            o = json.loads(json.dumps(w.get("jobs", "a-worker")))
            o["spec"]["suspend"] = value
            w.run_job("default", o)

    def stays(why):
        n = len(w.written())
        w.settle(1)
        must(w.is_suspended("a-worker") and len(w.written()) == n, (why, w.written()[n:]))
        out = w.want(0, "status", "a")[0]
        must("Suspended" in out and "waits for" not in out, (why, out))
    w.supervise()
    start(w, STAGES)
    w.job("a-prepare", "Succeeded")             # no role is left but the one that waited
    w.see("the workers start", lambda: not w.is_suspended("a-worker") and len(w.names("pods")) == 3)
    set_suspend(True)
    stays("after the controller")
    w.controllers[-1].kill()
    w.supervise()
    stays("after another start of the controller")
    w.write("a.tj", STAGES.replace("start_after", 'image = "busybox:2"\n    start_after'))
    w.fault("PATCH", "/jobs/a-worker", status(422, "Invalid", "spec.template: field is immutable", [
        {"reason": "FieldValueInvalid", "message": "Invalid value: field is immutable", "field": "spec.template"}], name="a-worker", kind="Job"))
    w.want(0, "apply", "--no-wait", "--recreate", "--yes", "a.tj", out="Job/a-worker recreated")
    stays("after it was created again")
    set_suspend(False)
    w.settle()
    set_suspend(True)
    stays("after kubectl resumed it")
    w.want(0, "resume", "a")
    must(not w.is_suspended("a-worker"), "not resumed")
    set_suspend(True)
    stays("after trainc resumed it")
    w.want(0, "resume", "a")
    w.job("a-worker", "Succeeded")
    w.see("the verdict", w.verdict("a", "Succeeded"))


@check
def started_early(w):
    """a Job that a person starts before its turn runs; when suspended again, it waits for its turn like one that
    never ran"""
    def set_suspend(value):             # as `kubectl patch job a-worker -p '{"spec":{"suspend":true}}'`
        with w.lock:
            o = json.loads(json.dumps(w.get("jobs", "a-worker")))
            o["spec"]["suspend"] = value
            w.run_job("default", o)

    w.supervise()
    w.jobs_run = False
    start(w, STAGES)
    w.job("a-prepare", "Running")
    w.settle()
    n = len(w.written())
    set_suspend(False)
    w.job("a-worker", "Running")
    w.settle(1)
    must(len(w.written()) == n and not w.is_suspended("a-worker"), w.written()[n:])
    w.want(0, "status", "a", out="Running")
    set_suspend(True)
    w.settle(1)
    must(len(w.written()) == n and w.is_suspended("a-worker"), w.written()[n:])
    w.want(0, "status", "a", out="waits for done\\(prepare\\)")
    w.job("a-prepare", "Succeeded")
    w.see("its turn", lambda: not w.is_suspended("a-worker"))
    w.job("a-worker", "Succeeded")
    w.see("the verdict", w.verdict("a", "Succeeded"))


@check
def resumed_to_wait(w):
    """a run that was suspended after its workers had started: when it is resumed and they have to wait again, they
    start when their turn comes"""
    w.supervise()
    start(w)
    w.see("all run", lambda: len(w.names("pods")) == 3)
    w.want(0, "suspend", "a")
    w.jobs_run = False
    w.want(0, "resume", "a")
    w.settle()
    must(not w.is_suspended("a-ps") and w.is_suspended("a-worker"), "the workers did not wait")
    w.want(0, "status", "a", out="waits for ready\\(ps\\)")
    w.job("a-ps", "Running")
    w.see("the workers start", lambda: not w.is_suspended("a-worker"))


@check
def expired(w):
    """ttl of a run with several Jobs: they are deleted after it, and the record keeps the verdict"""
    w.supervise()
    start(w, ORDER.replace("success =", "ttl = 1s\n  success ="))
    w.see("all run", lambda: len(w.names("pods")) == 3)
    w.job("a-worker", "Succeeded")
    w.see("no Jobs", jobs_are(w))
    w.want(0, "status", "a", out="Succeeded")
    w.want(0, "apply", "a.tj", err="has ended: Succeeded")


@check
def mark(w):
    """the mark survives an apply without the option, =off removes it, and a run without it is left alone"""
    w.jobs_run = False
    w.write("a.tj", ORDER)
    _, err = w.want(0, "apply", "--no-wait", "a.tj", err="'trainc wait a' does this while it runs.*'trainc apply --controller' leaves it to")
    w.supervise()
    w.job("a-ps", "Running")
    w.settle()
    must(w.is_suspended("a-worker") and not w.written(), w.written())
    _, err = w.want(0, "apply", "--no-wait", "--controller", "a.tj", out="run/a configured", err="the controller does")
    w.see("the workers are released", lambda: not w.is_suspended("a-worker"))
    must(not [r for r in w.requests if r[0] == "PATCH" and "/jobs/" in r[1]], "a Job was sent again")
    _, err = w.want(0, "apply", "--no-wait", "a.tj", out="run/a unchanged", err="the controller does")
    _, err = w.want(0, "apply", "--no-wait", "--controller=off", "a.tj", out="run/a configured", err="'trainc wait a' does this while it runs")
    w.settle()
    n = w.writes
    w.job("a-worker", "Succeeded")
    w.settle(1)
    must(w.writes == n and w.names("jobs") == ["a-ps", "a-worker"], w.written())
    w.want(2, "apply", "--controller=of", "a.tj", err="off")


@check
def alone(w):
    """without a controller, apply says so, and wait does what is missing; with one, both are active and nothing is
    done twice"""
    w.jobs_run = False
    w.write("a.tj", ORDER)
    w.want(0, "apply", "--no-wait", "--controller", "a.tj", err="no controller has taken run 'a':.*start role 'worker' after ready")
    p = w.start("wait", "a")
    w.job("a-ps", "Running")
    w.see("wait releases the workers", lambda: not w.is_suspended("a-worker"))
    w.supervise()
    w.see("the controller takes it", lambda: w.record("a").get("attended") == "1")
    time.sleep(2)                       # wait sees the record; nothing shows when
    w.job("a-worker", "Succeeded")
    w.see("the parameter server ends", jobs_are(w, "a-worker"))
    out, err = p.communicate(timeout=20)
    must(p.returncode == 0, (p.returncode, out, err))
    must([r[1].rsplit("/", 1)[1] for r in w.written()].count("a-ps") == 1, w.written())
    must(not [r for r in w.requests if r[0] == "DELETE"], "wait ended a Job of a run that a controller attends")


@check
def both(w):
    """two attendants at once, each unaware of the other: the run ends as it would with one"""
    for i in range(6):
        w.jobs_run = False
        w.write("a.tj", ORDER)
        w.want(0, "apply", "--no-wait", "a.tj")
        p = w.start("wait", "a")                # it has read the record without the mark, so it acts on the run
        w.wait_for("wait looks", lambda: [r for r in w.requests if "watch=true" in r[1]])
        time.sleep(0.2)  # nothing is written meanwhile
        with w.lock:
            o = w.get("configmaps", "a.trainc")
            o["metadata"]["labels"]["trainc.dev/controller"] = "supervise"
            w.put("configmaps", "default", o)
        w.supervise() if not w.controllers else None
        w.see("the controller takes it", lambda: w.record("a").get("attended") == "1")
        w.job("a-ps", "Running")
        w.see("the workers are released", lambda: not w.is_suspended("a-worker"))
        w.job("a-worker", "Failed" if i % 2 else "Succeeded", i % 2 * 7)
        w.see("the parameter server ends", jobs_are(w, "a-worker"))
        p.communicate(timeout=20)
        must(p.returncode == (8 if i % 2 else 0), p.returncode)
        w.see("the verdict", w.verdict("a", "Failed" if i % 2 else "Succeeded"))
        w.want(0, "delete", "a", "--yes")


@check
def late_record(w):
    """wait does not count deletions by the controller as ends, even if it sees them before the record; without a
    record it counts them, later"""
    for recorded in ("Succeeded", ""):
        w.jobs_run = False
        w.late = {"configmaps": 1}
        w.write("a.tj", ORDER)
        w.want(0, "apply", "--no-wait", "--controller", "a.tj")
        p = w.start("wait", "a")
        w.wait_for("wait looks", lambda: [r for r in w.requests if "watch=true" in r[1]])
        with w.lock:
            o = w.get("configmaps", "a.trainc")
            o["data"]["attended"] = "1"
            w.put("configmaps", "default", o)
        time.sleep(3)                   # wait sees the record a second later; nothing shows when
        if recorded:
            with w.lock:
                o = w.get("configmaps", "a.trainc")
                o["data"]["verdict"] = recorded
                w.put("configmaps", "default", o)
        w.job("a-worker", "Failed", 137)
        w.job("a-ps", "Failed", 137)
        out, err = p.communicate(timeout=40)
        must(p.returncode == (0 if recorded else 8), (p.returncode, out, err))
        must(w.record("a")["verdict"] == (recorded or "Failed"), w.record("a"))
        w.late = {}
        w.want(0, "delete", "a", "--yes")


@check
def killed(w):
    """kill -9 before and after every write of the controller, then a restart: the same end, and nothing is done for
    another run"""
    def run(kill, code):
        w.kill_at, w.writes = kill, 0
        w.supervise()
        w.jobs_run = False
        w.write("a.tj", ORDER)
        w.want(0, "apply", "--no-wait", "--controller", "a.tj")
        w.job("a-ps", "Running")
        w.see("released (killed at %r)" % (kill,), lambda: w.alive() and not w.is_suspended("a-worker"))
        w.job("a-worker", "Failed" if code else "Succeeded", code)
        w.see("ended (killed at %r)" % (kill,), lambda: w.alive() and w.names("jobs") == ["a-worker"])
        w.see("the verdict (killed at %r)" % (kill,), w.verdict("a", "Failed" if code else "Succeeded"))
        w.settle(0.2)
        w.alive()
        writes = w.writes
        w.stop()
        w.want(0, "delete", "a", "--yes")
        must(not w.names("jobs") + w.names("pods") + w.names("configmaps"), w.names("configmaps"))
        return writes
    n = run(None, 0)
    must(4 <= n <= 6, n)                        # apply may write the record in between: then the first write is repeated
    for i in range(1, 5):
        for before in True, False:
            run((i, before), 5 * (i % 2))
            must(w.kill_at is None, "write %d did not come" % i)


@check
def rerun(w):
    """an apply that restarts the run while the controller writes a verdict: the new run does not get the verdict of
    the old one"""
    w.supervise()
    start(w)
    for i in range(4):
        w.see("all run", lambda: len(w.names("pods")) == 3)
        w.job("a-worker", "Succeeded")          # and at once, without waiting for the controller:
        p = w.start("apply", "--rerun", "--no-wait", "a.tj")
        p.communicate(timeout=30)
        must(p.returncode == 0, p.returncode)
        w.settle()
        must(w.record("a")["verdict"] == "" and w.names("jobs") == ["a-ps", "a-worker"], (i, w.record("a"), w.names("jobs")))


@check
def halfway(w):
    """an apply that died before its last write: its Jobs are not in the record yet, and the controller leaves them alone"""
    w.supervise()
    start(w)
    w.see("all run", lambda: len(w.names("pods")) == 3 and w.record("a").get("attended") == "1")
    w.settle()
    n = w.writes
    o = w.get("configmaps", "a.trainc")
    o["metadata"]["annotations"]["trainc.dev/generation"] = "2"
    o["data"].update(hash="", applied=json.dumps([dict(k, objects=[]) for k in json.loads(o["data"]["applied"])]))
    w.put("configmaps", "default", o)
    w.settle(1)                         # the watch of records may be later than that of Jobs
    w.job("a-worker", "Succeeded")
    w.settle(1)
    must(w.names("jobs") == ["a-ps", "a-worker"] and not w.record("a")["verdict"], w.record("a"))
    must(w.writes == n and w.record("a")["attended"] == "1", w.written()[n:])
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    w.see("the end", jobs_are(w, "a-worker"))


@check
def refused(w):
    """the controller refuses runs without Jobs of their own; an unreadable record stops no other run"""
    w.write("a.tj", ORDER)
    w.want(2, "apply", "--controller", "--target", "pods", "a.tj", err="no Jobs.*--target jobs")
    must(not w.names("configmaps") + w.names("pods"), "something was applied")
    w.put("configmaps", "default", {"metadata": {"name": "b.trainc", "labels": {"trainc.dev/controller": "supervise", "trainc.dev/run": "b"},
                                                 "annotations": {"applyset.kubernetes.io/tooling": "trainc/v9"}}, "data": {"schemaVersion": "1", "plan": "{"}})
    w.put("configmaps", "default", {"metadata": {"name": "c", "labels": {"trainc.dev/controller": "supervise"}}, "data": {}})
    w.supervise()
    start(w)
    w.job("a-worker", "Succeeded")
    w.see("the end", jobs_are(w, "a-worker"))
    said = w.said()
    must(said.count('"run default/b"') == 1 and said.count("cannot be read") == 1 and said.count("belongs to somebody else") == 1, said)
    w.write("b.tj", ORDER.replace('"a"', '"b"'))
    w.want(2, "apply", "--local", "--controller", "b.tj", err="--controller")


@check
def faults(w):
    """conflicts, refusals and an unreachable server are retried until the run has ended"""
    w.fault("PATCH", "a.trainc", status(500, "InternalError", "etcd"), 2)
    w.fault("DELETE", "/jobs/a-ps", "cut", 2)
    w.supervise()
    w.write("a.tj", ORDER)
    w.jobs_run = False
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    w.fault("PATCH", "/jobs/a-worker", status(409, "Conflict", "the object has been modified"), 1)
    w.job("a-ps", "Running")
    time.sleep(0.3)  # the conflict is answered then
    w.job("a-ps", "Running")                    # a conflict means that somebody changed the object
    w.see("released", lambda: not w.is_suspended("a-worker"))
    w.job("a-worker", "Succeeded")
    w.see("ended", jobs_are(w, "a-worker"))


def again(n, program=ORDER):
    return program.replace("success =", "restarts = %d\n  success =" % n)


def replaced(w, old, number):
    """All Jobs differ from OLD, and the record lists them."""
    return lambda: set(w.uids()) == set(old) and not set(w.uids().values()) & set(old.values()) and w.restart().get("number") == number \
        and all(j[3] for j in w.restart()["jobs"])


@check
def restarts(w):
    """a whole run that fails restarts, in its start order, as often as permitted; after that it has failed"""
    w.supervise()
    w.jobs_run = False
    start(w, again(2))
    for number in range(3):
        w.job("a-ps", "Running")
        w.see("the workers are released", lambda: not w.is_suspended("a-worker"))
        w.job("a-worker", "Running")
        out, _ = w.want(0, "status", "a", out="Running")
        old = w.uids()
        w.job("a-worker", "Failed", 3 + number)
        if number < 2:
            w.see("restart %d" % (number + 1), replaced(w, old, number + 1))
            must(w.is_suspended("a-worker") and not w.names("pods"), "the start order does not begin again")
            must(w.get("jobs", "a-worker")["metadata"]["annotations"]["trainc.dev/attempts"] == str(number + 1), "attempts")
            must(not w.record("a")["verdict"], w.record("a"))
    w.see("the verdict", w.verdict("a", "Failed"))
    w.see("the parameter server ends", jobs_are(w, "a-worker"))
    w.settle()
    must(w.restart()["number"] == 2 and len([r for r in w.written() if r[0] == "DELETE" and "/trainc-restart-" not in r[1]]) == 5, w.written())
    must(w.roles() == w.names("jobs"), "the voucher is left")
    told = [x for x in w.told("a") if x[1] == "RunRestarted"]
    for i, (kind, _, message) in enumerate(told):       # the watch of Jobs may be ahead of that of pods, which have the exit code
        must(kind == "Warning" and re.fullmatch(r"run 'a' starts again \(%d of 2\), because it has failed: (worker [01]: exit code %d|"
                                                r"BackoffLimitExceeded)" % (1 + i, 3 + i), message), told)
    must(len(told) == 2, told)
    out, _ = w.want(0, "status", "a", "-o", "json")
    must(json.loads(out)["runs"][0]["first_failure"]["exit_code"] == 5, out)
    w.want(8, "apply", "a.tj", err="has ended: Failed")
    w.want(0, "apply", "--rerun", "--no-wait", "a.tj")
    w.job("a-ps", "Running")
    w.see("it runs", lambda: not w.is_suspended("a-worker"))
    old = w.uids()
    w.job("a-worker", "Failed", 9)
    w.see("a run that was begun by hand has its restarts again", replaced(w, old, 1))
    w.job("a-ps", "Running")
    w.see("it runs", lambda: not w.is_suspended("a-worker"))
    w.job("a-worker", "Succeeded")
    w.see("success", w.verdict("a", "Succeeded"))


@check
def restarts_gang(w):
    """a native gang that fails restarts as a gang: the Workload stays as it is, and the new pods belong to it"""
    w.kinds["workloads"] = ("scheduling.k8s.io", "v1alpha1", "Workload")
    w.groups = [{"metadata": {"name": "scheduling.k8s.io"}, "versions": [{"version": "v1alpha1", "resources": [{
        "resource": "workloads", "scope": "Namespaced",
        "responseKind": {"kind": "Workload", "group": "scheduling.k8s.io", "version": "v1alpha1"}}]}]}]
    w.supervise()
    gang = '  gang = "native"                     # allow TJ0824: switched on\n  role ps { replicas = 1 }\n  role worker { replicas = 2 }\n'
    start(w, again(1, 'job "a" {\n  image = "busybox:1"\n' + gang + "  success = done(worker)\n}\n"), "--kubernetes", "1.35")
    w.see("all run", lambda: len(w.names("pods")) == 3)
    group, old = w.get("workloads", "a"), w.uids()
    w.job("a-worker", "Failed", 3)
    w.see("a restart", replaced(w, old, 1))
    w.see("all run again", lambda: len(w.names("pods")) == 3)
    must(w.get("workloads", "a") == group, (group, w.get("workloads", "a")))
    for name in w.uids():
        spec = w.get("jobs", name)["spec"]["template"]["spec"]
        must(spec["workloadRef"] == {"name": "a", "podGroup": group["spec"]["podGroups"][0]["name"]}, spec)
    w.job("a-worker", "Succeeded")
    w.see("the verdict", w.verdict("a", "Succeeded"))
    w.want(0, "delete", "a", "--yes")
    must(not w.names("workloads") + w.names("jobs"), w.names("workloads"))


@check
def restarts_waited(w):
    """wait alone restarts a run; two of them and the controller together do it once; observers do not see an end in
    between"""
    w.write("a.tj", again(2))
    for attendants in (1, 2, 3):
        w.jobs_run = False
        w.want(0, "apply", "--no-wait", "--controller" + ("" if attendants == 3 else "=off"), "a.tj", err="restart the whole job after a failure, up to 2 times")
        waits = [w.start("wait", "a") for _ in range(min(attendants, 2))]
        if attendants == 3:
            w.supervise()
        for number in (1, 2):
            w.job("a-ps", "Running")
            w.see("the workers are released", lambda: not w.is_suspended("a-worker"))
            w.job("a-worker", "Running")
            old = w.uids()
            w.job("a-worker", "Failed", 3)
            w.see("restart %d of %d" % (number, attendants), replaced(w, old, number))
            w.want(0, "status", "a", out="restarts|Running|Starting|Pending|Queued")
        w.job("a-ps", "Running")
        w.see("the workers are released", lambda: not w.is_suspended("a-worker"))
        w.job("a-worker", "Failed" if attendants == 2 else "Succeeded", attendants % 2 or 4)
        for p in waits:
            out, err = p.communicate(timeout=40)
            must(p.returncode == (8 if attendants == 2 else 0), (attendants, p.returncode, out, err))
        must(w.restart()["number"] == 2, w.restart())
        w.want(0, "delete", "a", "--yes")
        must(not w.names("jobs") + w.names("pods") + w.names("configmaps"), w.names("jobs"))


@check
def restarts_killed(w):
    """kill -9 before and after every write of a restart, then another controller: each Job is created once, and the
    restart counts once"""
    def begin():
        w.jobs_run = False
        w.write("a.tj", again(1))
        w.want(0, "apply", "--no-wait", "--controller", "a.tj")
        w.job("a-ps", "Running")
        w.see("released", lambda: not w.is_suspended("a-worker"))

    def end():
        w.job("a-ps", "Running")
        w.see("released again", lambda: not w.is_suspended("a-worker"))
        w.job("a-worker", "Failed", 4)
        w.see("the verdict", w.verdict("a", "Failed"))
        must(w.restart()["number"] == 1, w.restart())
        must(len([x for x in w.told("a") if x[1] == "RunRestarted"]) == 1, w.told("a"))
        w.see("the end", jobs_are(w, "a-worker"))
    w.restart_killed(begin, lambda: w.job("a-worker", "Failed", 3), lambda old: replaced(w, old, 1)(), end)


@check
def restarts_meanwhile(w):
    """apply, suspend, scale, delete and others while the old Jobs are still being deleted"""
    w.supervise()
    start(w, again(3))
    w.see("all run", lambda: len(w.names("pods")) == 3)
    old = w.uids()

    def fail():
        for name in w.roles():
            with w.lock:
                o = w.get("jobs", name)
                o["metadata"]["finalizers"] = ["foregroundDeletion"]
                w.put("jobs", "default", o)
        w.job("a-worker", "Failed", 3)
        w.see("the old Jobs are being deleted", lambda: all(w.get("jobs", n)["metadata"].get("deletionTimestamp") for n in w.roles()))

    def go_on():
        for name in w.roles():
            w.take("jobs", "default", name)
    fail()
    p = w.start("wait", "a")
    w.want(0, "status", "a", out=r"the whole run restarts \(1 of 3\): ")
    w.want(0, "list", out="^a +.*Degraded")
    w.want(5, "suspend", "a", err="is being restarted")
    w.want(0, "apply", "--no-wait", "a.tj", out="run/a unchanged")
    w.write("b.tj", again(3).replace("busybox:1", "busybox:2"))
    w.want(5, "apply", "--no-wait", "b.tj", err="is being restarted, and cannot be changed meanwhile")
    w.settle()
    must(w.uids() == old, "a Job was created while the old ones existed")
    go_on()
    w.see("the restart is complete", replaced(w, old, 1))
    w.see("all run", lambda: len(w.names("pods")) == 3)
    must(p.poll() is None, "wait ended")
    w.want(0, "diff", "a.tj", out=r"\A\Z")
    w.write("c.tj", again(2))                   # the count survives another apply of the program
    out, _ = w.want(1, "diff", "c.tj", out="trainc.dev/restarts")
    must("attempts" not in out and "ownerReferences" not in out, out)
    w.want(0, "apply", "--no-wait", "c.tj", out="run/a configured")
    must(not any(w.get("jobs", n)["metadata"].get("ownerReferences") for n in w.names("jobs")), "the record is still their owner")
    w.see("it is taken over", lambda: w.record("a")["attended"] == "2")
    must(w.restart()["number"] == 1 and w.restart()["generation"] == 2 and w.record("a")["restarts"] == "2", w.record("a"))
    old = w.uids()
    w.job("a-worker", "Failed", 3)
    w.see("the second restart", replaced(w, old, 2))
    w.see("all run", lambda: len(w.names("pods")) == 3)
    w.write("d.tj", again(5))
    w.want(0, "apply", "--no-wait", "d.tj", out="run/a configured")
    fail()
    p.kill()
    p.communicate()
    delete = w.start("delete", "a", "--yes")
    w.wait_for("delete has said that nothing restarts the run", lambda: w.record("a").get("restarts") == "")
    go_on()
    delete.communicate(timeout=30)
    w.settle()
    must(delete.returncode == 0 and not w.names("jobs") + w.names("configmaps"), w.names("jobs"))
    w.stop()


@check
def restarts_refused(w):
    """a quota holds back a restart: it is retried until there is room; another owner's Job of that name is not
    touched"""
    w.supervise()
    start(w, again(3))
    w.see("all run", lambda: len(w.names("pods")) == 3)
    old = w.uids()
    w.fault("PATCH", "/jobs/a-ps", status(403, "Forbidden", "exceeded quota: jobs"), 2)
    w.fault("GET", "/jobs/a-worker", status(403, "Forbidden", "not now"), 2)
    w.job("a-worker", "Failed", 3)
    w.see("the refusal is told", lambda: "cannot be restarted yet" in w.said() and "exceeded quota" in w.said())
    w.see("the restart is complete", replaced(w, old, 1), 30)
    must(w.restart()["number"] == 1, w.restart())
    theirs = {"metadata": {"name": "a-ps", "finalizers": ["foregroundDeletion"]}, "spec": {"template": {"metadata": {}, "spec": {"containers": []}}}}
    old = w.uids()

    def taken(_h, _body):                       # somebody creates a Job of our name as soon as ours is gone
        w.take("jobs", "default", "a-ps")
        w.put("jobs", "default", theirs)
    w.fault("DELETE", "/jobs/a-ps", taken)
    w.see("all run", lambda: len(w.names("pods")) == 3)
    w.job("a-worker", "Failed", 3)
    w.see("it is told", lambda: "Job 'a-ps' exists and does not belong to the run" in w.said())
    w.settle()
    must(w.roles() == ["a-ps"] and "deletionTimestamp" not in w.get("jobs", "a-ps")["metadata"], w.get("jobs", "a-ps"))
    must("labels" not in w.get("jobs", "a-ps")["metadata"], w.get("jobs", "a-ps"))
    w.take("jobs", "default", "a-ps")
    w.see("the restart is complete", replaced(w, old, 2), 30)
    w.fault("PATCH", "/configmaps/a.trainc", status(403, "Forbidden", "eve may not patch configmaps"))      # but may delete
    w.want(0, "delete", "a", "--yes")
    start(w, again(1))
    w.see("all run", lambda: len(w.names("pods")) == 3 and w.record("a").get("attended") == "1")
    with w.lock:                                # a deadline ends the run, as it does on one machine
        job = w.get("jobs", "a-worker")
        job["status"] = {"startTime": "2026-01-01T00:00:00Z", "conditions": [{"type": "Failed", "status": "True",
            "reason": "DeadlineExceeded", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
        w.put("jobs", "default", job)
    w.see("the verdict", w.verdict("a", "Failed"))
    must(not w.restart(), w.restart())


@check
def restarts_blind(w):
    """no pod is visible, because their watch is late: attempts are still counted, including retries of the pods that
    the Job reports as failed"""
    w.late["pods"] = 60
    w.supervise()
    w.write("a.tj", 'job "a" {\n  image = "busybox:1"\n  restarts = 3\n  role x { replicas = 2 }\n  role y { replicas = 1, retries = 3 }\n}\n')
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    for number, expected in enumerate((("1", "1"), ("2", "2"), ("3", "4"))):
        w.see("all run", lambda: len(w.names("pods")) == 3)
        old = w.uids()
        w.job("a-x" if number < 2 else "a-y", "Failed", 3)
        w.see("restart %d" % (number + 1), replaced(w, old, number + 1))
        must(tuple(w.get("jobs", n)["metadata"]["annotations"]["trainc.dev/attempts"] for n in ("a-x", "a-y")) == expected, w.get("jobs", "a-y"))


@check
def restarts_crossed(w):
    """a run is deleted while the request that creates one of its Jobs is in flight, and the sender is killed: no Job
    is left"""
    for everything in True, False:              # kubectl deletes the whole run, or only its record
        w.supervise()
        start(w, again(1))
        w.see("all run", lambda: len(w.names("pods")) == 3)

        def crossed(_h, _body):
            w.controllers[-1].kill()
            for plural in ("jobs", "services") if everything else ():
                for name in w.names(plural):
                    w.take(plural, "default", name)
            w.take("configmaps", "default", "a.trainc")
        w.fault("PATCH", "/jobs/a-worker", crossed)
        w.job("a-worker", "Failed", 3)
        w.see("the record is gone", lambda: not w.names("configmaps"))
        must(w.controllers[-1].wait(timeout=20) == -9, w.said())
        w.see("no Job is left", lambda: not w.names("jobs") + w.names("pods"))
        w.supervise()
        w.see("the controller is ready", lambda: "all watches are live" in w.said())
        w.settle()
        must(not w.names("jobs"), w.names("jobs"))
        w.stop()
        for key in [k for k in w.objects if k[0] in ("events", "services")]:
            w.take(*key)


ELASTIC = """job "a" {
  image = "busybox:1"
  queue = "q"
  annotations { "kueue.x-k8s.io/elastic-job" = "true" }        # allow TJ0824: switched on
  restarts = 2
  role worker { replicas = 1:4, retries = 2 }
}
"""


@check
def restarts_sizes(w):
    """a restart creates the Jobs as the program defines them: with the size from before scale, and suspended again
    for a queue of Kueue"""
    w.supervise()
    start(w, ELASTIC)
    first = w.get("jobs", "a-worker")
    must(first["spec"]["suspend"] and not w.names("pods"), first)

    def admit(number):
        o = w.get("jobs", "a-worker")
        o["spec"]["suspend"] = False            # as Kueue does it
        w.stored("jobs", "default", o, 200, False)
        w.see("the workers run", lambda: len(w.names("pods")) == 4)
    admit(0)
    w.want(0, "scale", "a", "worker=2")
    w.see("two workers run", lambda: len(w.names("pods")) == 2 and w.record("a").get("attended") == "1")
    old = w.uids()
    w.job("a-worker", "Failed", 3)
    w.see("the restart is complete", replaced(w, old, 1))
    w.settle()
    second = w.get("jobs", "a-worker")
    must(second["spec"] == first["spec"] and second["metadata"]["labels"] == first["metadata"]["labels"], second)
    must(not w.names("pods"), "it runs before its queue admits it")
    w.want(0, "status", "a", out="Queued|Suspended")
    admit(1)
    w.want(0, "status", "a", out="Running")
    w.want(0, "scale", "a", "worker=3")
    w.see("three workers run", lambda: len(w.names("pods")) == 3)


@check
def pages(w):
    """a server without streaming lists: lists, then watches"""
    w.fault("GET", "sendInitialEvents=true", status(422, "Invalid", "sendInitialEvents is forbidden"), 1000)
    w.supervise()
    start(w)
    w.job("a-worker", "Succeeded")
    w.see("the end", jobs_are(w, "a-worker"))


@check
def spaces(w):
    """--namespace limits the controller to one namespace"""
    w.supervise("--namespace", "other")
    w.write("a.tj", ORDER)
    w.want(0, "apply", "--no-wait", "--controller", "a.tj", err="no controller has taken run 'a'.*'default'")
    w.want(0, "apply", "--no-wait", "--controller", "--namespace", "other", "a.tj", err="the controller does")
    w.job("a-worker", "Succeeded", ns="other")
    w.job("a-worker", "Succeeded")
    w.see("the end", w.verdict("a", "Succeeded", "other"))
    w.settle()
    must(("jobs", "other", "a-ps") not in w.objects and ("jobs", "default", "a-ps") in w.objects, w.objects.keys())


@check
def opted_in(w):
    """apply names the command that leaves a namespace to the controller, unless it may not read the namespace"""
    w.supervise("--namespace-selector=trainc.dev/supervise=enabled")
    w.write("a.tj", ORDER)
    command = "kubectl label namespace default trainc.dev/supervise=enabled"
    w.want(0, "apply", "--no-wait", "--controller", "a.tj", err="namespace 'default' has not opted in; '%s' does that" % command)
    with w.lock:
        w.put("namespaces", "", {"metadata": {"name": "default", "labels": {"trainc.dev/supervise": "enabled"}}, "status": {"phase": "Active"}})
    w.see("the controller takes the run", lambda: w.record("a").get("attended") == "1")
    w.stop()
    w.want(0, "apply", "--no-wait", "--controller", "--namespace", "other", "--rerun", "a.tj", err="'kubectl label namespace other")
    w.fault("GET", "/namespaces/other$", status(403, "Forbidden", "no rule permits this"), 100)
    _, err = w.want(0, "apply", "--no-wait", "--controller", "--namespace", "other", "--rerun", "a.tj", err="no controller has taken run 'a' yet")
    must("opted" not in err, err)


@check
def many(w):
    """200 runs at once: each ends as its own Jobs determine, with few requests"""
    w.supervise()
    for i in range(200):
        w.write("r%d.tj" % i, ORDER.replace('"a"', '"r%d"' % i))
    w.want(0, "apply", "--no-wait", "--controller", *["r%d.tj" % i for i in range(200)], timeout=120)
    w.settle(1)
    n = w.writes
    for i in range(200):
        w.job("r%d-worker" % i, "Failed" if i % 3 == 0 else "Succeeded", 1)
    w.see("all verdicts", lambda: all(w.record("r%d" % i)["verdict"] == ("Succeeded" if i % 3 else "Failed") for i in range(200)), 60)
    w.see("all ended", lambda: not [x for x in w.names("jobs") if x.endswith("-ps")], 60)
    w.settle(1)
    # a verdict and a deletion each, plus a few conflicts; 67 runs failed, which may add a write for the first failing
    # rank
    must(w.writes - n <= 490, w.writes - n)
    with open("/proc/%d/status" % w.controllers[-1].pid) as f:
        peak = int(re.search(r"VmHWM:\s+(\d+)", f.read())[1])
    if not SANITIZED:
        must(peak < 40000, "%d kB" % peak)


@check
def objects(w):
    """--manifest without --kubeflow: no definitions, and only the permissions that runs need"""
    items = manifest("--image=registry.example.com/trainc:1")
    kinds = [o["kind"] for o in items]
    must("CustomResourceDefinition" not in kinds and kinds.count("Deployment") == 1, kinds)
    args = next(o for o in items if o["kind"] == "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
    must("--kubeflow" not in args and args[0] == "supervise", args)
    both = manifest("--kubeflow")
    must(permissions(items) < permissions(both), permissions(items))
    must(permissions(manifest("--namespace=ml")) == permissions(manifest("--all-namespaces")), "the namespaced Role differs")


@check
def verbs(w):
    """every verb of the manifest was needed by a test before this one"""
    left = {x for x in World.allowed - World.used if x[2] not in ("leases", "namespaces")}      # tenants.py and supervise.py need these
    must(len(World.used) < 8 or not left, sorted(left))


verbs.last = True


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
