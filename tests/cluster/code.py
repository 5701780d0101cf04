"""code.py [NAME...] - the code of runs in a cluster: its ConfigMaps are written before what needs them, shared by runs with
the same code, compared with what is there, and gone with the last run."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys

import world
from api_memory import run_checks
from world import must, status

PROGRAM = 'job "%s" {\n  image = "busybox:1"\n  code = "src"\n  role worker {\n    command = ["train"]\n    cpu = 1\n    memory = 1Gi\n  }\n}\n'
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def is_code(key):
    return key[0] == "configmaps" and key[2] and key[2].startswith("trainc-code-")


class World(world.World):
    """A cluster that knows which manager has set which owners of a ConfigMap with code, and lets nobody change its content;
    an object goes when its last owner goes."""

    def __init__(self):
        super().__init__()
        self.managers = {}
        self.whole = 0                  # how often the content of a ConfigMap with code was read

    def answer(self, method, path, query, headers, body):
        code, o = super().answer(method, path, query, headers, body)
        where = self.place(path)
        if method != "GET" or code != 200 or not where or not is_code(where):
            return code, o
        if "as=PartialObjectMetadata;" in headers.get("Accept", ""):
            return code, {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": o["metadata"]}
        self.whole += 1
        return code, o

    def put(self, plural, ns, o, event=None):
        if event == "DELETED":
            for key, x in list(self.objects.items()):
                refs = x["metadata"].get("ownerReferences", [])
                left = [r for r in refs if r["uid"] != o["metadata"]["uid"]]
                if not is_code(key) or left == refs:
                    continue
                x["metadata"]["ownerReferences"] = left
                if not left:
                    self.take(*key)
        return super().put(plural, ns, o, event)

    def on_patch(self, where, query, headers, body):
        if not is_code(where):
            return super().on_patch(where, query, headers, body)
        old = self.objects.get(where)
        if old and any(old.get("binaryData", {}).get(k) != v for k, v in body.get("binaryData", {}).items()):
            return status(409, "Conflict", "Apply failed with 1 conflict", [
                {"reason": "FieldManagerConflict", "message": 'conflict with "somebody"', "field": ".binaryData"}])
        if not old:
            self.managers[where] = {}
        mine = self.managers.setdefault(where, {})
        mine[query["fieldManager"]] = body["metadata"].get("ownerReferences", [])
        new = dict(old or {}, **body)
        new.setdefault("binaryData", {})
        new["metadata"] = dict((old or body)["metadata"], ownerReferences=[r for refs in mine.values() for r in refs])
        return self.stored(*where[:2], new, 200 if old else 201, "dryRun" in query)

    def code(self):
        return sorted(n for n in self.names("configmaps") if n.startswith("trainc-code-"))

    def source(self, text, *jobs):
        os.makedirs(os.path.join(self.dir, "src"), exist_ok=True)
        self.write("src/train.py", text)
        for name in jobs:
            self.write(name + ".tj", PROGRAM % name)


def sent(w):
    """The objects that were written, in order."""
    return [re.sub(r".*/", "", path.split("?")[0]) for method, path, _ in w.requests if method == "PATCH"]


def about_code(w):
    return [r[:2] for r in w.requests if "/trainc-code-" in r[1]]


def owned_by(w):
    """The owners of the code."""
    return {r["name"] for r in w.get("configmaps", w.code()[0])["metadata"].get("ownerReferences", [])}


@check
def whole(w):
    """apply writes the code before the Job, and owns it by the record and the Job; delete leaves nothing"""
    w.source("print(1)\n", "a")
    out, _ = w.want(0, "apply", "a.tj", out=r"ConfigMap/trainc-code-[0-9a-f]{12}-0 created\n.*Job/a-worker created\n.*run/a created")
    must(len(w.code()) == 1, w.code())
    order = sent(w)
    must(order.index(w.code()[0]) < order.index("a-worker"), order)
    o, job = w.get("configmaps", w.code()[0]), w.get("jobs", "a-worker")
    kinds = sorted((r["kind"], r["name"]) for r in o["metadata"]["ownerReferences"])
    must(kinds == [("ConfigMap", "a.trainc"), ("Job", "a-worker")], kinds)
    must(o["immutable"] is True and base64.b64decode(o["binaryData"]["part-000"])[:2] == b"\x1f\x8b", o)
    label = o["metadata"]["labels"]["trainc.dev/code"]
    pod = job["spec"]["template"]
    must(job["metadata"]["labels"]["trainc.dev/code"] == pod["metadata"]["labels"]["trainc.dev/code"] == label == w.code()[0][12:24], label)
    must(pod["spec"]["initContainers"][0]["command"][4].startswith(label), pod)
    w.want(0, "apply", "a.tj", out="run/a unchanged")
    must(not sent(w), w.requests)
    must(len(about_code(w)) == 1 and not w.whole, about_code(w))
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    w.want(0, "wait", "a")
    w.want(0, "delete", "a", "--yes")
    must(not w.names("configmaps"), w.names("configmaps"))


@check
def shared(w):
    """two runs share the code; it stays until both are gone"""
    w.source("print(1)\n", "a", "b")
    w.want(0, "apply", "a.tj")
    w.want(0, "apply", "b.tj", out="ConfigMap/trainc-code-[0-9a-f]+-0 unchanged")
    must(len(w.code()) == 1, w.code())
    w.want(0, "delete", "a", "--yes")
    must(len(w.code()) == 1 and {r["name"] for r in w.get("configmaps", w.code()[0])["metadata"]["ownerReferences"]} == {"b.trainc", "b-worker"},
         w.get("configmaps", w.code()[0]))
    w.want(0, "delete", "b", "--yes")
    must(not w.code(), w.code())


@check
def together(w):
    """several jobs of one command have their code, too"""
    w.source("print(1)\n", "a", "b")
    w.want(0, "apply", "a.tj", "b.tj")
    must({r["name"] for r in w.get("configmaps", w.code()[0])["metadata"]["ownerReferences"]} == {"a.trainc", "a-worker", "b.trainc", "b-worker"}, "owners")


def squat(w, content, owners=()):
    """Puts other content under the name of the code."""
    _, out, _ = w.run("compile", "a.tj")
    name = re.search("trainc-code-[0-9a-f]{12}-0", out).group()
    w.put("configmaps", "default", {"metadata": dict({"name": name}, **({"ownerReferences": list(owners)} if owners else {})), "binaryData": content})
    return name


@check
def squatter(w):
    """a name with other content is a conflict: nothing that would run it is created"""
    for content in ({"part-000": "AAAA"}, {"other": "AAAA"}):
        w.source("print(1)\n", "a")
        name = squat(w, content)
        w.want(5, "apply", "a.tj", err="ConfigMap/%s exists with other content than the code of this program" % name)
        must(not w.names("jobs"), w.names("jobs"))
        w.take("configmaps", "default", name)
        w.want(0, "apply", "a.tj")
        w.want(0, "delete", "a", "--yes")


@check
def keeps_ended(w):
    """without its new code, --rerun leaves the run that has ended as it is"""
    w.source("print(1)\n", "a")
    w.want(0, "apply", "a.tj")
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    w.source("print(2)\n")
    record = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a.trainc", "uid": w.get("configmaps", "a.trainc")["metadata"]["uid"]}
    for owners in ((), (record,)):
        name = squat(w, {"part-000": "AAAA"}, owners)
        out, _ = w.want(5, "apply", "a.tj", "--rerun", "--yes", err="exists with other content")
        must("deleted" not in out and w.names("jobs") == ["a-worker"], out)
        w.want(0, "status", "a", out="Succeeded")
        w.take("configmaps", "default", name)
    w.fault("PATCH", "/configmaps/trainc-code-", status(403, "Forbidden", 'configmaps is forbidden: User "eve" cannot patch'))
    w.want(4, "apply", "a.tj", "--rerun", "--yes", err="forbidden")
    w.want(0, "status", "a", out="Succeeded")
    w.want(0, "apply", "a.tj", "--rerun", "--yes", out="Job/a-worker deleted.*Job/a-worker recreated.*run/a recreated")


@check
def lost(w):
    """code that is gone, or that only another run owns, is seen by diff and written again by apply"""
    w.source("print(1)\n", "a", "b")
    w.want(0, "apply", "a.tj")
    w.want(0, "diff", "a.tj")
    name = w.code()[0]
    w.take("configmaps", "default", name)
    w.want(1, "diff", "a.tj", out="ConfigMap/%s would be created" % name)
    must(not w.code(), w.code())
    w.want(0, "apply", "a.tj", out="ConfigMap/%s created.*Job/a-worker unchanged.*run/a configured" % name)
    must(owned_by(w) == {"a.trainc", "a-worker"} and len(about_code(w)) == 3, (owned_by(w), about_code(w)))
    w.take("configmaps", "default", name)
    w.want(0, "apply", "b.tj")
    must(owned_by(w) == {"b.trainc", "b-worker"}, owned_by(w))
    w.want(1, "diff", "a.tj", out="ConfigMap/%s would be changed\n  metadata.ownerReferences" % name)
    w.want(0, "apply", "a.tj", out="run/a configured")
    w.want(0, "diff", "a.tj")
    w.want(0, "delete", "b", "--yes")
    must(owned_by(w) == {"a.trainc", "a-worker"}, owned_by(w))
    w.fault("GET", "/configmaps/trainc-code-", status(403, "Forbidden", 'configmaps is forbidden: User "eve" cannot get'))
    w.want(4, "apply", "a.tj", err="forbidden")


@check
def gitops(w):
    """code that exists without an owner is used, and stays without one when the runs are gone"""
    w.source("print(1)\n", "a", "b")
    w.want(0, "apply", "a.tj")
    o = w.get("configmaps", w.code()[0])
    w.want(0, "delete", "a", "--yes")
    del o["metadata"]["ownerReferences"], o["metadata"]["uid"]
    w.put("configmaps", "default", o)
    for _ in range(2):
        w.want(0, "apply", "a.tj", "b.tj", out="ConfigMap/%s unchanged|run/a unchanged" % w.code()[0])
        must(not owned_by(w) and not [r for r in about_code(w) if r[0] == "PATCH"], (owned_by(w), about_code(w)))
    w.want(0, "diff", "a.tj")
    w.want(0, "delete", "a", "b", "--yes")
    must(w.names("configmaps") == w.code() and len(w.code()) == 1, w.names("configmaps"))


@check
def denied(w):
    """a refusal by the server stops the run before its Job"""
    w.source("print(1)\n", "a")
    w.fault("PATCH", "/configmaps/trainc-code-", status(403, "Forbidden", 'configmaps is forbidden: User "eve" cannot patch'))
    w.want(4, "apply", "a.tj", err="forbidden")
    must(not w.names("jobs"), w.names("jobs"))


@check
def changed(w):
    """other code is another program: --rerun replaces the run, and the pods say which code they have"""
    w.source("print(1)\n", "a")
    w.want(0, "apply", "a.tj")
    first = w.code()[0]
    w.source("print(2)\n")
    w.want(1, "diff", "a.tj", out="trainc.dev/code")
    w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    w.want(0, "apply", "a.tj", "--rerun", "--yes")
    label = w.get("jobs", "a-worker")["spec"]["template"]["metadata"]["labels"]["trainc.dev/code"]
    must(first[12:24] != label and "trainc-code-%s-0" % label in w.code(), (label, w.code()))
    w.want(0, "delete", "a", "--yes")
    must(not w.names("configmaps"), w.names("configmaps"))


def apply_changed(w, name, text):
    """Applies the run with other code; returns the name of its ConfigMap."""
    before = w.code()
    w.source(text, name)
    w.run_job("default", w.get("jobs", name + "-worker"), "Succeeded")
    out, _ = w.want(0, "apply", name + ".tj", "--rerun", "--yes")
    return [n for n in w.code() if n not in before], out


@check
def earlier(w):
    """the ConfigMaps of earlier code are deleted when the run has other code, and not while it could not get it"""
    w.source("print(1)\n", "a")
    w.want(0, "apply", "a.tj")
    first = w.code()
    w.source("print(2)\n")
    w.fault("PATCH", "/jobs/a-worker", status(422, "Invalid", "field is immutable"), times=9)
    w.run("apply", "a.tj", "--yes")
    must(set(first) < set(w.code()), w.code())          # the Job has the earlier code
    w.faults.clear()
    new, out = apply_changed(w, "a", "print(2)\n")
    must(new == [] and len(w.code()) == 1 and w.code() != first and "ConfigMap/%s deleted" % first[0] in out, (first, w.code(), out))
    new, out = apply_changed(w, "a", "print(3)\n")
    must(w.code() == new and len(new) == 1, w.code())
    w.fault("DELETE", "/configmaps/trainc-code-", status(403, "Forbidden", "configmaps is forbidden"), times=9)
    new, out = apply_changed(w, "a", "print(4)\n")      # it stays; the run is as its program says
    must(len(w.code()) == 2 and "deleted" not in out.replace("Job/a-worker deleted", ""), (w.code(), out))
    w.want(0, "delete", "a", "--yes")
    must(not w.code(), w.code())


@check
def earlier_shared(w):
    """earlier code that another run has stays, and only that run owns it; code without an owner stays as it is"""
    w.source("print(1)\n", "a", "b")
    w.want(0, "apply", "a.tj", "b.tj")
    first = w.code()[0]
    new, _ = apply_changed(w, "a", "print(2)\n")
    must(len(new) == 1 and w.code() == sorted([first, *new]), w.code())
    owners = {r["name"] for r in w.get("configmaps", first)["metadata"]["ownerReferences"]}
    must(owners == {"b.trainc", "b-worker"}, owners)
    must(w.get("configmaps", first).get("binaryData"), "the content of shared code is gone")
    w.want(0, "delete", "b", "--yes")
    must(w.code() == new, w.code())
    w.put("configmaps", "default", {"metadata": {"name": "trainc-code-000000000000-0", "labels": {"trainc.dev/code": "000000000000"}}, "binaryData": {}})
    new, _ = apply_changed(w, "a", "print(3)\n")
    must(w.code() == sorted(["trainc-code-000000000000-0", *new]), w.code())


def git(w, *words):
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a",
               GIT_COMMITTER_EMAIL="a@b")
    return subprocess.run(["git", *words], cwd=w.dir, env=env, check=True, capture_output=True, text=True).stdout.strip()


def noted(w):
    """Applies the run a, and returns the commit and whether the code differs from it, as the record has them."""
    if "a-worker" in w.names("jobs"):
        w.want(0, "delete", "a", "--yes")
    w.want(0, "apply", "--no-wait", "a.tj")
    record = json.loads(w.get("configmaps", "a.trainc")["data"]["code"])[0]
    shown = json.loads(w.want(0, "status", "a", "-o", "json")[0])["runs"][0]["code"][0]
    must(shown.get("commit") == record.get("commit") and shown.get("dirty", False) == record.get("dirty", False), (record, shown))
    return record.get("commit"), record.get("dirty")


@check
def commits(w):
    """the record says from which commit the code is, and whether it differs from it, as git does; git is not started"""
    w.source("print(1)\n", "a")
    must(noted(w) == (None, None), "no repository")
    for how in (), ("--object-format=sha256",):
        for path in ".git", "src":
            shutil.rmtree(os.path.join(w.dir, path), ignore_errors=True)
        w.source("print(1)\n")
        os.makedirs(os.path.join(w.dir, "src/deep"), exist_ok=True)
        w.write("src/deep/run.sh", "x")
        os.chmod(os.path.join(w.dir, "src/deep/run.sh"), 0o755)
        if not os.path.lexists(os.path.join(w.dir, "src/link")):
            os.symlink("train.py", os.path.join(w.dir, "src/link"))
        w.write("src/empty", "")
        w.write("src/.gitignore", "*.pt\n")
        git(w, "init", "-q", *how)
        must(noted(w) == (None, None), "no commit")
        w.write("other", "1")
        git(w, "add", ".")
        git(w, "commit", "-qm", "one")
        head = git(w, "rev-parse", "HEAD")
        must(noted(w) == (head, False), (noted(w), head))
        for index in "4", "2":
            git(w, "update-index", "--index-version", index)
            os.utime(os.path.join(w.dir, "src/train.py"))
            w.write("src/model.pt", "ignored")
            must(noted(w) == (head, False), (index, noted(w)))
        w.write("src/new.py", "new")
        must((got := noted(w)) == (head, True), ("a new file", got))
        git(w, "add", "src/new.py")
        must(noted(w) == (head, True), "a staged file")
        git(w, "commit", "-qm", "two")
        second = git(w, "rev-parse", "HEAD")
        must(second != head and noted(w) == (second, False), "committed")
        git(w, "reset", "-q", "--soft", head)
        must(noted(w) == (head, True), "a commit that was taken back")
        git(w, "reset", "-q", "--soft", second)
        w.source("print(2)\n")
        must(noted(w) == (second, True), "a changed file")
        git(w, "checkout", "-q", "src/train.py")
        os.chmod(os.path.join(w.dir, "src/train.py"), 0o755)
        must(noted(w) == (second, True), "other permissions")
        os.chmod(os.path.join(w.dir, "src/train.py"), 0o644)
        os.unlink(os.path.join(w.dir, "src/empty"))
        must(noted(w) == (second, True), "a file that is gone")
        git(w, "checkout", "-q", "src/empty")
        git(w, "gc", "-q")
        git(w, "checkout", "-q", "--detach")
        must(noted(w) == (second, False), "packed, and no branch")
        index = os.path.join(w.dir, ".git/index")
        text = open(index, "rb").read()
        for damage in text[:40], text[:-60], b"DIRC" + b"\xff" * 40, text[:200] + b"\xff" * 300 + text[200:]:
            with open(index, "wb") as f:
                f.write(damage)
            must(noted(w)[0] == second, "a damaged index")


@check
def who_has_what(w):
    """the record and status -o json have the code of each role; status -o wide has that of each replica, marked if it is
    not the code of the program"""
    w.source("print(1)\n", "a")
    w.write("a.tj", (PROGRAM % "a").replace("role worker {", "role worker {\n    replicas = 2"))
    w.want(0, "apply", "a.tj")
    label = w.get("jobs", "a-worker")["metadata"]["labels"]["trainc.dev/code"]
    record = json.loads(w.get("configmaps", "a.trainc")["data"]["code"])
    must([(r["role"], r["id"][:12], r["files"], r["bytes"], len(r["id"])) for r in record] == [("worker", label, 1, 9, 64)], record)
    out, _ = w.want(0, "status", "a", "-o", "wide")
    rows = [line.split() for line in out.splitlines()]
    must(rows[0] == ["RUN", "REPLICA", "STATE", "ATTEMPTS", "EXIT", "SINCE", "POD", "IP", "NODE", "CODE", "CAUSE"], out)
    must([r[-1] for r in rows[1:]] == [label, label], out)
    pod = w.get("pods", "a-worker-1-x")
    pod["metadata"]["labels"]["trainc.dev/code"] = "0123456789ab"
    w.put("pods", "default", pod)
    out, _ = w.want(0, "status", "a", "-o", "wide", out="worker-1 .* 0123456789ab\\*$")
    must(out.count("*") == 1, out)
    run = json.loads(w.want(0, "status", "a", "-o", "json")[0])["runs"][0]
    must(run["code"] == record, run["code"])
    must([r["code"] for r in run["replicas"]] == [label, "0123456789ab"], run["replicas"])
    w.take("pods", "default", "a-worker-1-x")
    out, _ = w.want(0, "status", "a", "-o", "wide")
    must("*" not in out, out)
    w.write("b.tj", (PROGRAM % "b").replace('  code = "src"\n', ""))
    w.want(0, "apply", "b.tj")
    must("code" not in w.get("configmaps", "b.trainc")["data"] and "CODE" not in w.want(0, "status", "b", "-o", "wide")[0], "a run without code")
    must("code" not in json.loads(w.want(0, "status", "b", "-o", "json")[0])["runs"][0], "a run without code")


@check
def dry(w):
    """dry runs write nothing and name the ConfigMap"""
    w.source("print(1)\n", "a")
    w.want(0, "apply", "--dry-run=client", "a.tj", out="ConfigMap/trainc-code-[0-9a-f]+-0 would be applied")
    w.want(0, "apply", "--dry-run=server", "a.tj", out="ConfigMap/trainc-code-[0-9a-f]+-0 created .dry run")
    must(not w.names("configmaps") + w.names("jobs"), w.names("configmaps"))


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
