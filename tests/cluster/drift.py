"""drift.py [NAME...] - somebody changes or removes what apply has written: diff and apply see every field, without a
request more than an unchanged run needs; status and why say what is missing."""
import copy
import json
import re
import sys

import races
import world
from world import main, must

CHECKS = []
PROGRAM = '''job "ff" {
  image = "busybox:1"
  role worker {
    replicas = 2
    command = ["train"]
    cpu = 1
    memory = 1Gi
    env {
      A = "1"
    }
    files {
      "/etc/a.txt" = "hello"
      "/etc/b.txt" = "there"
    }
  }
  object key {
    apiVersion = "v1"
    kind = "Secret"
    metadata = { name = "key" }
    data = { password = "bWluZS1taW5l" }
  }
}
'''
# what apply keeps as it finds it, and what nobody can change in an object
KEPT = re.compile(r"(/apiVersion|/kind|/metadata/(name|namespace)|/spec/suspend|part-of)$")


def check(f):
    CHECKS.append(f)
    return f


def leaves(o, path=()):
    """The paths to all values of an object."""
    if isinstance(o, (dict, list)) and o:
        for key in o if isinstance(o, dict) else range(len(o)):
            yield from leaves(o[key], path + (key,))
    else:
        yield path


def at(o, path):
    for key in path:
        o = o[key]
    return o


def other(value):
    return not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else "b3RoZXI=" if value == "bWluZS1taW5l" else \
        [] if isinstance(value, list) else {} if isinstance(value, dict) else "other-" + value


def change(o, path, removed):
    """The object with the value at PATH changed or removed; None if that is no change."""
    o = copy.deepcopy(o)
    o["metadata"]["managedFields"] = [{"manager": "kubectl-edit", "fieldsV1": {"f:spec": {"f:parallelism": {}}}}]
    holder = at(o, path[:-1])
    old = holder[path[-1]]
    if removed:
        del holder[path[-1]]
        return o if old not in (False, 0, "", [], {}) else None         # a server leaves out such values
    holder[path[-1]] = other(old)
    return o if holder[path[-1]] != old else None


@check
def each_field(w):
    """every field that we write x changed, removed: diff exits with 1 and names it, apply writes it again, and the time
    after that nothing is written"""
    w.write("ff.tj", PROGRAM)
    w.want(0, "apply", "--no-wait", "ff.tj")
    written = [("services", "ff"), ("configmaps", "ff-worker-files"), ("jobs", "ff-worker"), ("secrets", "key")]
    good = {x: w.get(*x) for x in written}
    sent = {x: {k: v for k, v in o.items() if k != "status"} for x, o in good.items()}
    rows = 0
    for where, o in sent.items():
        for path in leaves(o):
            name = "/" + "/".join(map(str, path))
            if KEPT.search(name) or re.match("/metadata/(uid|resourceVersion|creationTimestamp)", name):
                continue
            for removed in (False, True):
                bad = change(good[where], path, removed)
                if bad is None:
                    continue
                rows += 1
                w.put(where[0], "default", bad)
                what = (where, name, "removed" if removed else "changed")
                out, err = w.run("diff", "ff.tj")[1:] if rows % 4 == 0 else ("", "")
                must(rows % 4 or "salt" in name or where[1] in out, (what, out, err))
                before = len(w.requests)
                code, out, err = w.run("apply", "--no-wait", "ff.tj")
                must(code == 0 and re.search("%s configured" % where[1], out), (what, code, out, err, before))
                now = w.get(*where)
                must(at(now, path) == at(good[where], path) or "salt" in name, (what, at(now, path)))
    must(rows > 80, rows)
    w.want(0, "diff", "ff.tj")
    w.want(0, "apply", "--no-wait", "ff.tj", out="run/ff unchanged")
    print("%d rows" % rows)


@check
def without_requests(w):
    """an unchanged run: the comparison needs no request; what differs is named before it is written, and a Secret is
    masked"""
    w.write("ff.tj", PROGRAM)
    w.want(0, "apply", "--no-wait", "ff.tj")
    w.want(0, "apply", "--no-wait", "ff.tj", out="run/ff unchanged")
    must(len([r for r in w.requests if "/version" not in r[1]]) == 6, [r[:2] for r in w.requests])     # k + 2 for 4 kinds
    o = w.get("configmaps", "ff-worker-files")
    o["data"]["a.txt"] = "HACKED"
    w.put("configmaps", "default", o)
    w.want(1, "diff", "ff.tj", out="HACKED")
    w.want(0, "apply", "--no-wait", "ff.tj", out="ConfigMap/ff-worker-files configured",
           err=r"ConfigMap/ff-worker-files was changed after it was applied: data\S*a\.txt\S* is not as the program says")
    o = w.get("secrets", "key")
    o["data"]["password"] = "dGhlaXJzLXRoZWlycw=="
    w.put("secrets", "default", o)
    out, err = w.want(0, "apply", "--no-wait", "ff.tj", out="Secret/key configured", err="Secret/key was changed")
    must("dGhl" not in out + err and "bWlu" not in out + err, out + err)


@check
def many(w):
    """the same for many runs, which are read together"""
    w.write("many.tj", "\n".join(PROGRAM.replace('"ff"', '"f%d"' % i).replace("object key", "object k%d" % i).replace('"key"', '"k%d"' % i) for i in range(6)))
    w.want(0, "apply", "--no-wait", "many.tj")
    o = w.get("services", "f3")
    o["spec"]["publishNotReadyAddresses"] = False
    w.put("services", "default", o)
    out, _err = w.want(0, "apply", "--no-wait", "many.tj", out="Service/f3 configured", err="Service/f3 was changed")
    must(out.count("configured") == 2 and out.count("unchanged") >= 5, out)
    must(w.get("services", "f3")["spec"]["publishNotReadyAddresses"], "not written")


@check
def size(w):
    """the size that `scale` has set stays; the size that a person has edited is written again"""
    w.write("ff.tj", PROGRAM)
    w.want(0, "apply", "--no-wait", "ff.tj")
    for manager, kept in (("trainc-scale", True), ("kubectl-edit", False)):
        o = w.get("jobs", "ff-worker")
        o["spec"].update(parallelism=3, completions=3)
        o["metadata"]["managedFields"] = [{"manager": manager, "fieldsV1": {"f:spec": {"f:parallelism": {}, "f:completions": {}}}}]
        w.put("jobs", "default", o)
        w.want(0, "apply", "--no-wait", "ff.tj", out="Job/ff-worker (unchanged|configured)")
        must((w.get("jobs", "ff-worker")["spec"]["parallelism"] == 3) == kept, (manager, w.get("jobs", "ff-worker")["spec"]))


@check
def queued(w):
    """what a queue writes into a Job, to place its pods, stays: apply says unchanged, and the Job is not sent"""
    w.write("ff.tj", PROGRAM.replace('image = "busybox:1"', 'image = "busybox:1"\n  queue = "q"', 1).replace("cpu = 1", "cpu = 1\n    tolerate = [\"x:NoSchedule\", \"x:NoExecute\"]", 1))
    w.want(0, "apply", "--no-wait", "ff.tj")
    o = w.get("jobs", "ff-worker")
    pod = o["spec"]["template"]["spec"]
    must(o["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "q" and pod["tolerations"], o)
    pod["tolerations"] = [{"key": "pool", "operator": "Exists"}] + pod["tolerations"]
    pod["nodeSelector"] = {"pool": "a"}
    o["spec"].update(suspend=False, parallelism=1)
    w.put("jobs", "default", o)
    w.want(0, "apply", "--no-wait", "ff.tj", out="Job/ff-worker unchanged.*run/ff unchanged")
    w.want(0, "diff", "ff.tj")


@check
def told(w):
    """status and why say what of a run is missing or was changed by somebody, and what to do"""
    w.write("ff.tj", PROGRAM)
    w.want(0, "apply", "--no-wait", "ff.tj")
    w.want(0, "status", "ff", out="Running")
    w.want(0, "why", "ff", out="nothing holds it back")
    w.take("services", "default", "ff")
    lost = "Service ff was deleted after it was applied"
    w.want(0, "status", "ff", out=lost)
    out, _err = w.want(0, "why", "ff", out=lost + ".*'trainc diff ff.tj' shows")
    must("nothing holds it back" not in out, out)
    w.want(0, "apply", "--no-wait", "ff.tj", out="Service/ff created")
    w.want(0, "why", "ff", out="nothing holds it back")
    for plural, name, fields, said in (("services", "ff", {"f:spec": {"f:publishNotReadyAddresses": {}}}, "spec.publishNotReadyAddresses"),
                                       ("configmaps", "ff-worker-files", {"f:data": {"f:a.txt": {}}}, "data.a.txt"),
                                       ("secrets", "key", {"f:data": {"f:password": {}}}, "data.password")):
        good = w.get(plural, name)
        o = w.get(plural, name)
        o["metadata"]["managedFields"] = [{"manager": "trainc", "operation": "Apply", "fieldsV1": {"f:spec": {"f:x": {}}}},
                                          {"manager": "kubectl-edit", "operation": "Update", "fieldsV1": fields}]
        w.put(plural, "default", o)
        w.want(0, "why", "ff", out=r"%s %s %s was changed by 'kubectl-edit' after it was applied" % (good["kind"], name, re.escape(said)))
        found = json.loads(w.want(0, "status", "ff", "-o", "json")[0])["runs"][0]["objects"]
        must([(x["kind"], x["name"]) for x in found] == [(good["kind"], name)], found)
        o["metadata"]["managedFields"][1] = {"manager": "somebody", "fieldsV1": {"f:metadata": {"f:annotations": {"f:note": {}}}}}
        w.put(plural, "default", o)
        w.want(0, "why", "ff", out="nothing holds it back")
    w.take("secrets", "default", "key")
    w.denied = {("list", "secrets")}
    w.fault("GET", "/secrets", world.status(403, "Forbidden", "secrets is forbidden"), 99)
    w.want(0, "status", "ff", out="Running")


if __name__ == "__main__":
    world.World = races.Cluster
    sys.exit(main(CHECKS, sys.argv[1:]))
