"""records.py [NAME...] - somebody who may write ConfigMaps, and nothing else, writes records of runs: nothing that is
only stored is executed, neither by the controller nor by commands of people with more rights."""
import base64
import hashlib
import json
import re
import socket
import sys
import urllib.request

from runs_world import World, main, must

CHECKS = []
PROGRAM = """job "%s" {
  image = "busybox:1"
%s
  role ps     { replicas = 1, annotations { "e2e.trainc.dev/hold" = "yes" } }
  role worker { replicas = 2, annotations { "e2e.trainc.dev/hold" = "yes" } }
  success = done(worker)
}
"""
OLD = '{"generation":1,"end":"2020-01-01T00:00:00Z","cause":""}'


VOUCHER = "trainc-restart-" + hashlib.sha256(b"a").hexdigest()[:16]


def check(f):
    CHECKS.append(f)
    return f


def hostile(name, labels=()):
    """A Job that its author could not create."""
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default", "labels": dict(labels)}, "spec": {
        "template": {"metadata": {}, "spec": {"hostPID": True, "restartPolicy": "Never", "containers": [{"name": "main", "image": "evil"}],
                                              "volumes": [{"name": "h", "hostPath": {"path": "/"}}]}}}}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def store_jobs(r, jobs):
    r["data"]["jobs"] = json.dumps(jobs)
    r["data"]["jobsDigest"] = digest(r["data"]["jobs"])
    r["data"].setdefault("restarts", "3")


def in_progress(w, r, *names, number=1):
    """A restart in progress, for Jobs that exist or not."""
    uids = [(w.get("jobs", n) or {"metadata": {"uid": ""}})["metadata"]["uid"] for n in names]
    r["data"]["restart"] = json.dumps({"generation": int(r["metadata"]["annotations"]["trainc.dev/generation"]), "number": number,
                                       "cause": "x", "jobs": [[n, u, 0, ""] for n, u in zip(names, uids)]})


def list_job(r, name, uid):
    kinds = json.loads(r["data"]["applied"])
    next(k for k in kinds if k["kind"] == "Job")["objects"].append([name, uid, "0"])
    r["data"]["applied"] = json.dumps(kinds)


def pwn(w, r, run):
    """the attack of the report: a restart in progress of a Job that never existed"""
    store_jobs(r, [hostile("pwn-" + run, {"trainc.dev/job": run})])
    in_progress(w, r, "pwn-" + run)


def pwn_due(w, r, run):
    """the run has failed, and the record holds other Jobs"""
    jobs = json.loads(r["data"]["jobs"])
    jobs[0]["spec"]["template"]["spec"]["hostPID"] = True
    store_jobs(r, jobs)
    w.job(run + "-worker", "Failed", 3)


def pwn_hidden(w, r, run):
    """the same, and the digest of the Jobs is the old one"""
    old = r["data"]["jobsDigest"]
    pwn_due(w, r, run)
    r["data"]["jobsDigest"] = old


def victim(w, r, run):
    """a restart in progress of somebody else's Job"""
    w.put("jobs", "default", hostile("victim-" + run))
    store_jobs(r, [hostile("victim-" + run)])
    in_progress(w, r, "victim-" + run)


def victim_listed(w, r, run):
    """somebody else's Job with the labels of the run, in the inventory, after a verdict"""
    part_of = r["metadata"]["labels"]["applyset.kubernetes.io/id"]      # without it, the controller does not see the Job
    w.put("jobs", "default", hostile("victim-" + run, {"trainc.dev/job": run, "trainc.dev/role": "ps", "applyset.kubernetes.io/part-of": part_of}))
    list_job(r, "victim-" + run, w.get("jobs", "victim-" + run)["metadata"]["uid"])
    w.job(run + "-worker", "Succeeded")


def again(w, r, run):
    """a restart in progress of a run that is well"""
    in_progress(w, r, run + "-ps", run + "-worker")


def again_part(w, r, run):
    """a restart in progress of one of its Jobs"""
    in_progress(w, r, run + "-ps")


def verdict(_w, r, _run):
    """a verdict that no object shows"""
    r["data"]["verdict"] = "Succeeded"


def expired(_w, r, _run):
    """a verdict of long ago, in a run with a ttl"""
    r["data"].update(verdict="Failed", outcome=OLD)


def ttl(_w, r, _run):
    """a shorter ttl"""
    plan = json.loads(r["data"]["plan"])
    must("ttl" in plan, plan)
    plan["ttl"] = 1
    r["data"].update(verdict="Failed", outcome=OLD, plan=json.dumps(plan))


def plan(_w, r, _run):
    """another success rule, by which the run has ended"""
    p = json.loads(r["data"]["plan"])
    p["success"] = {"ready": "ps", "index": -1}
    r["data"]["plan"] = json.dumps(p)


def more(w, r, run):
    """more restarts than the program permits"""
    r["data"]["restarts"] = "9"
    w.job(run + "-worker", "Failed", 3)


def recreated(w, r, run):
    """deleted and made again with the same content, after a failure"""
    w.take("configmaps", "default", run + ".trainc")
    for key in "uid", "resourceVersion":
        del r["metadata"][key]
    w.job(run + "-worker", "Failed", 3)


def copied(w, r, run):
    """a copy in another namespace, with a restart in progress"""
    in_progress(w, r, run + "-ps", run + "-worker")
    for key in "uid", "resourceVersion":
        del r["metadata"][key]
    r["metadata"]["namespace"] = "other"


def forged(w, r, run):
    """somebody who may also patch Jobs lets them vouch for Jobs of another form"""
    jobs = json.loads(r["data"]["jobs"])
    jobs[0]["spec"]["template"]["spec"]["hostPID"] = True
    store_jobs(r, jobs)
    m, d = r["metadata"], r["data"]
    texts = [m["namespace"], run, m["uid"], d["jobsDigest"], d["plan"]]
    value = digest("1 %d %d %d %d %d %s\n" % (*(len(t.encode()) for t in texts), d["restarts"]) + "".join(texts))
    for name in run + "-ps", run + "-worker":
        job = w.get("jobs", name)
        must(len(job["metadata"]["annotations"]["trainc.dev/record-digest"]) == len(value), job)
        job["metadata"]["annotations"]["trainc.dev/record-digest"] = value
        w.put("jobs", "default", job)
    w.job(run + "-worker", "Failed", 3)


def counted(w, r, run):
    """restarts that were used up are not counted"""
    r["data"]["restart"] = '{"generation":1,"number":1,"cause":"x","jobs":[]}'
    job = w.get("jobs", run + "-ps")
    job["metadata"]["annotations"]["trainc.dev/restarted"] = "3"        # as the last restart has written it
    w.put("jobs", "default", job)
    w.job(run + "-worker", "Failed", 3)


def renamed(w, r, run):
    """the record of another run under a name of its own"""
    del r["metadata"]["uid"], r["metadata"]["resourceVersion"]
    r["metadata"]["name"] = "x-%s.trainc" % run
    r["data"]["verdict"] = "Succeeded"


# attack -> (lines of the program, the Event that tells of it, the reason in it)
ATTACKS = {
    pwn: ("", "NotVouched", "a-ps|does not vouch|no Job vouches|record names other Jobs"),
    pwn_due: ("restarts = 2", "NotVouched", "does not vouch"),
    pwn_hidden: ("restarts = 2", "NotVouched", "the Jobs in the record are not those"),
    victim: ("", "NotVouched", "does not vouch"),
    victim_listed: ("", "NotVouched", "Job 'victim-victim-listed' does not vouch"),
    again: ("restarts = 2", "NotVouched", "no Job vouches for it"),
    again_part: ("restarts = 2", "NotVouched", "names other Jobs"),
    verdict: ("", "NotVouched", "no object shows the verdict 'Succeeded'"),
    expired: ("ttl = 1h", "NotVouched", "no object shows the verdict 'Failed'"),
    ttl: ("ttl = 1h", "NotVouched", "does not vouch"),
    plan: ("", "NotVouched", "does not vouch"),
    more: ("restarts = 2", "NotVouched", "does not vouch"),
    recreated: ("restarts = 2", "NotVouched", "does not vouch"),
    copied: ("restarts = 2", "NotVouched", "no Job vouches for it"),
    forged: ("restarts = 2", "NotVouched", "differs from the stored Job in spec.template.spec.hostPID"),
    counted: ("restarts = 3", "NotVouched", "was created by restart 3"),
    renamed: ("", "NotAttended", "another name"),
}


def name_of(attack):
    return attack.__name__.replace("_", "-")


def attack_all(w, *options):
    """Applies a run for each attack and, when all run, changes all records.  Returns what exists afterwards."""
    for attack, (lines, _, _) in ATTACKS.items():
        w.write(name_of(attack) + ".tj", PROGRAM % (name_of(attack), "  " + lines))
    w.want(0, "apply", "--no-wait", *options, *[name_of(a) + ".tj" for a in ATTACKS])
    if options:
        w.see("all are taken over", lambda: all(w.record(name_of(a)).get("attended") == "1" for a in ATTACKS))
        w.settle()
    with w.lock:
        for attack in ATTACKS:
            r = w.get("configmaps", name_of(attack) + ".trainc")
            attack(w, r, name_of(attack))
            r["metadata"]["managedFields"] = [{"manager": "trainc-applyset", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:data": {}}},
                                              {"manager": "eve", "time": "2026-01-02T00:00:00Z", "fieldsV1": {"f:data": {"f:plan": {}}}}]
            w.put("configmaps", "other" if attack is copied else "default", r)
    if options:
        w.settle()                      # the controller has seen the records first: a run that succeeds before stops its other Jobs
    w.end_jobs()
    return w.existing()


def compare(before, after):
    must(before == after, "created: %s; deleted: %s" % (sorted(set(after.items()) - set(before.items())), sorted(set(before.items()) - set(after.items()))))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def metrics(port):
    return urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=10).read().decode()


@check
def controller(w):
    """each attack on the controller: no Job is created or deleted, an Event says who wrote the record, and a metric
    counts; the log says it once"""
    port = free_port()
    w.supervise("--listen", "127.0.0.1:%d" % port)
    w.see("the controller is ready", lambda: "all watches are live" in w.said())
    before = attack_all(w, "--controller")

    def told(attack):
        record = ("x-" if attack is renamed else "") + name_of(attack)
        return [x for ns in ("default", "other") for x in w.told(record, ns) if x[1] in ("NotVouched", "NotAttended")]
    w.see("all attacks are told", lambda: all(told(a) for a in ATTACKS), 30)
    for attack, (_, reason, text) in ATTACKS.items():
        said = told(attack)
        # an attack of several writes may be told after each of them: a slow server shows the controller the first alone
        must(all(x[0] == "Warning" for x in said) and any(x[1] == reason and re.search(text, x[2]) for x in said), (attack.__name__, said))
        must(reason == "NotAttended" or any("'eve' at 20" in x[2] and "has written the record last" in x[2] for x in said), said)
    compare(before, w.existing())
    w.settle(2)
    compare(before, w.existing())
    page = metrics(port)
    counted_here = len(ATTACKS) - 1 - w.elsewhere
    must("trainc_records_not_vouched_total %d\n" % counted_here in page, [x for x in page.split("\n") if "vouched" in x])
    lines = [x for x in w.said().split("\n") if '"warning"' in x]
    must(len(lines) == len(ATTACKS), lines)
    must(len(set(lines)) == len(ATTACKS), lines)


@check
def flood(w):
    """60 hostile records at once: all are counted, and the log and the Events do not grow with their number; none is
    told again"""
    port = free_port()
    w.supervise("--listen", "127.0.0.1:%d" % port)
    w.see("the controller is ready", lambda: "all watches are live" in w.said())
    w.write("a.tj", PROGRAM % ("a", "  restarts = 2"))
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    w.see("it is attended", lambda: w.record("a").get("attended") == "1")
    before = w.existing()
    model = w.get("configmaps", "a.trainc")
    for i in range(60):
        r = json.loads(json.dumps(model))
        del r["metadata"]["uid"], r["metadata"]["resourceVersion"]
        r["metadata"]["name"] = "r%d.trainc" % i
        r["metadata"]["labels"]["trainc.dev/run"] = "r%d" % i
        r["data"]["applied"] = "[]"
        pwn(w, r, "r%d" % i)
        w.put("configmaps", "default", r)
    w.see("all are counted", lambda: "trainc_records_not_vouched_total 60\n" in metrics(port), 30)
    w.settle(1)
    lines = [x for x in w.said().split("\n") if '"warning"' in x]
    must(20 <= len(lines) <= 27 and len(set(lines)) == len(lines), lines)
    events = [x for i in range(60) for x in w.told("r%d" % i)]
    must(len(events) == len(lines), events)
    compare(before, w.existing())


@check
def waiting(w):
    """the same records wait for `trainc wait` of somebody with more rights"""
    before = attack_all(w)
    ran = [(a, w.start("wait", name_of(a), "--timeout", "9s", *(("-n", "other") if a is copied else ()))) for a in ATTACKS]
    for attack, p in ran:
        _, err = p.communicate(timeout=60)
        # the run of victim_listed has succeeded
        must(p.returncode in ((0, 124) if attack is victim_listed else (5, 8, 124)), (attack.__name__, p.returncode, err))
        must(attack in (renamed, verdict, expired, victim_listed) or re.search("vouch|record|differs from the stored Job", err), (attack.__name__, err))
    compare(before, w.existing())


@check
def restored(w):
    """after an attack, `apply` with the program restores the run: it is attended, and a restart in progress is
    forgotten"""
    w.supervise()
    w.see("the controller is ready", lambda: "all watches are live" in w.said())
    w.write("a.tj", PROGRAM % ("a", "restarts = 2"))
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    w.see("it is attended", lambda: w.record("a").get("attended") == "1")
    before = w.existing()
    r = w.get("configmaps", "a.trainc")
    again(w, r, "a")
    p = json.loads(r["data"]["plan"])
    p["success"] = {"ready": "ps", "index": -1}
    r["data"]["plan"] = json.dumps(p)
    w.put("configmaps", "default", r)
    w.want(0, "status", "a")
    w.want(0, "apply", "--no-wait", "a.tj", out="configured")
    w.see("it is attended again", lambda: w.record("a").get("attended") == "2")
    compare(before, w.existing())
    old = w.get("jobs", "a-worker")["metadata"]["uid"]
    w.job("a-worker", "Failed", 3)
    w.end_jobs(False)
    w.see("it restarts", lambda: (w.get("jobs", "a-worker") or {"metadata": {"uid": old}})["metadata"]["uid"] != old)
    w.see("the restart is complete", lambda: json.loads(w.record("a")["restart"])["jobs"][0][3] and w.names("jobs") == ["a-ps", "a-worker"])
    before = w.existing()
    w.take("configmaps", "default", "a.trainc")         # no longer their owner: the cluster does not delete them with it
    w.settle(3)
    compare(before, w.existing())


@check
def voucher(w):
    """without its voucher, a restart is not continued: nothing is created; with it, the next attendant continues"""
    w.supervise()
    w.see("the controller is ready", lambda: "all watches are live" in w.said())
    w.write("a.tj", PROGRAM % ("a", 'restarts = 2\n  aux board { restart = "always" }'))
    w.want(0, "apply", "--no-wait", "--controller", "a.tj")
    w.see("all run", lambda: len(w.names("pods")) == 3 and w.record("a").get("attended") == "1")
    for name in "a-ps", "a-worker":
        job = w.get("jobs", name)
        job["metadata"]["finalizers"] = ["foregroundDeletion"]
        w.put("jobs", "default", job)
    w.job("a-worker", "Failed", 3)
    w.see("the old Jobs are being deleted", lambda: all((w.get("jobs", n) or {"metadata": {}})["metadata"].get("deletionTimestamp") for n in ("a-ps", "a-worker")))
    job = w.get("jobs", VOUCHER)
    must(job["spec"]["suspend"] and job["spec"]["parallelism"] == 0 and "trainc.dev/job" not in job["metadata"]["labels"], job)
    must(not any(n.startswith(VOUCHER) for n in w.names("pods")), w.names("pods"))
    for words in ("status", "a", "-o", "json"), ("list",), ("why", "a"):
        out, _ = w.want(0, *words) if words[0] != "why" else w.run(*words)[1:]
        must(VOUCHER not in out, out)
    w.controllers[-1].kill()
    w.take("jobs", "default", VOUCHER)
    for name in "a-ps", "a-worker":
        w.take("jobs", "default", name)
    w.supervise()
    w.see("it is told", lambda: [x for x in w.told("a") if x[1] == "NotVouched" and "no Job vouches" in x[2]], 30)
    must(not w.names("jobs"), w.names("jobs"))
    w.put("jobs", "default", {**job, "spec": {**job["spec"], "template": json.loads(json.dumps(job["spec"]["template"]).replace(" 1\"", " 2\""))}})
    w.settle(2)
    must(w.names("jobs") == [VOUCHER], "the voucher of another restart counts")
    genuine = w.record("a")
    for restart in genuine["restart"], "":      # a verdict while no Job exists
        r = w.get("configmaps", "a.trainc")
        r["data"].update(verdict="Succeeded", restart=restart)
        w.put("configmaps", "default", r)
        w.settle(1)
        must(len(w.names("deployments")) == 1, "a stored verdict has deleted the Deployment")
    w.put("jobs", "default", job)
    r = w.get("configmaps", "a.trainc")
    r["data"] = genuine
    w.put("configmaps", "default", r)           # an event, so that a pass follows
    w.see("it continues", lambda: w.names("jobs") == ["a-ps", "a-worker"], 30)
    w.want(0, "delete", "a", "--yes")
    must(not w.names("jobs"), w.names("jobs"))


@check
def others(w):
    """an inventory with objects of others: `delete`, `apply` and `scale` of somebody with more rights leave them alone"""
    secret = {"metadata": {"name": "db"}, "data": {"password": base64.b64encode(b"x").decode()}}
    w.put("secrets", "default", secret)
    w.put("jobs", "default", hostile("victim"))
    for run in "a", "b":
        w.write(run + ".tj", (PROGRAM % (run, "")).replace("replicas = 2", "replicas = 1:2"))
    w.want(0, "apply", "--no-wait", "a.tj", "b.tj")

    def attack(change):
        r = w.get("configmaps", "a.trainc")
        kinds = json.loads(r["data"]["applied"])
        kinds.append({"group": "", "version": "v1", "kind": "Secret", "plural": "secrets", "namespaced": True,
                      "objects": [["db", w.get("secrets", "db")["metadata"]["uid"], "0", "default", True]]})
        r["data"]["applied"] = json.dumps(kinds)
        list_job(r, "victim", w.get("jobs", "victim")["metadata"]["uid"])
        change(r)
        w.put("configmaps", "default", r)

    def size(r):
        r["data"]["plan"] = r["data"]["plan"].replace('"a-worker"', '"victim"')
    before = w.existing()
    spec = w.get("jobs", "victim")["spec"]
    attack(size)
    code, _, err = w.run("scale", "a", "worker=1")
    must(code == 6 and "does not vouch" in err and w.get("jobs", "victim")["spec"] == spec, err)
    w.want(0, "apply", "--no-wait", "--yes", "a.tj")
    compare(before, w.existing())
    attack(lambda r: r["metadata"]["labels"].update({"trainc.dev/run": "b"}))
    code, out, err = w.run("delete", "a", "--yes")
    must(code == 5 and "another name" in err, (code, out, err))
    compare(before, w.existing())
    attack(lambda r: r["metadata"]["labels"].update({"trainc.dev/run": "a"}))
    w.want(0, "delete", "a", "--yes")
    left = w.existing()
    must({k[2] for k in set(before) - set(left)} == {"a", "a-ps", "a-worker"}, set(before) - set(left))
    must(("secrets", "default", "db") in left and ("jobs", "default", "victim") in left and ("jobs", "default", "b-ps") in left, left)


@check
def ends(w):
    """kill -9 before and after every write while two roles end: both end, although the first deletion removes what
    shows the verdict"""
    def run(kill):
        w.kill_at, w.writes = kill, 0
        w.jobs_run = True
        w.supervise()
        w.write("a.tj", 'job "a" {\n  image = "busybox:1"\n  role first { replicas = 2 }\n  role second { replicas = 2 }\n'
                '  aux board { restart = "always" }\n  success = done(first, 0)\n}\n')
        w.want(0, "apply", "--no-wait", "--controller", "a.tj")
        w.see("it is attended", lambda: w.alive() and w.record("a").get("attended") == "1")
        w.jobs_run = False                      # a pod that has ended stays as it is when its Job is patched
        pod = w.get("pods", "a-first-0-x")
        pod["status"].update(phase="Succeeded", containerStatuses=[{"name": "main", "ready": False, "restartCount": 0, "state": {
            "terminated": {"exitCode": 0, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:09Z", "reason": "Completed"}}}])
        w.put("pods", "default", pod)
        w.see("all Jobs end (killed at %r)" % (kill,), lambda: w.alive() and not w.names("jobs"))
        must(not w.names("deployments"), "the Deployment is left (killed at %r)" % (kill,))
        must(w.record("a")["verdict"] == "Succeeded", w.record("a"))
        w.settle(0.2)
        n = w.writes
        w.alive()
        w.stop()
        w.want(0, "delete", "a", "--yes")
        return n
    n = run(None)
    must(n == 7, n)                             # the record twice, two marks, three deletions
    for i in range(2, n + 1):
        for before in True, False:
            run((i, before))


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
