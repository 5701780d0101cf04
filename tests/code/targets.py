"""targets.py - the field 'code' in the language and in the objects of every target."""
import base64
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
FILES = {"src/train.py": "print(1)\n", "other/x.py": "print(2)\n", "project.tj": "project { }\n"}
RESULTS = {"passed": 0, "failed": 0}


def expect(name, good, more=""):
    RESULTS["passed" if good else "failed"] += 1
    if not good:
        print("FAIL %s: %s" % (name, more))


class Project:
    """A directory with a program and the files above."""

    def __init__(self, program, files=()):
        self.top = tempfile.mkdtemp()
        for path, text in {**FILES, **dict(files), "job.tj": program}.items():
            os.makedirs(os.path.dirname(os.path.join(self.top, path)), exist_ok=True)
            with open(os.path.join(self.top, path), "w", encoding="utf-8") as f:
                f.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.top)

    def run(self, *words):
        done = subprocess.run([TRAINC, *words], cwd=self.top, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def objects(self, *words, path="job.tj"):
        status, out, err = self.run("compile", "-o", "json", *words, path)
        return json.loads(out)["items"] if status == 0 else err


def job(body, head='job "a"', top=""):
    return top + head + ' {\n  image = "r.example.com/a:1"\n%s\n}\n' % body


def pods(o):
    """The pod specs in an object, with their labels."""
    if isinstance(o, dict):
        if "containers" in o:
            yield o
        for value in o.values():
            yield from pods(value)
    elif isinstance(o, list):
        for value in o:
            yield from pods(value)


def labelled(o, key):
    """All values of a label in an object."""
    if isinstance(o, dict):
        for name, value in o.items():
            if name == "labels" and key in value:
                yield value[key]
            yield from labelled(value, key)
    elif isinstance(o, list):
        for value in o:
            yield from labelled(value, key)


def codes(objects):
    return [o for o in objects if o["kind"] == "ConfigMap" and o["metadata"]["name"].startswith("trainc-code-")]


# ---- every target ----

ROLE = '  role worker {\n    replicas = 2, command = ["python", "train.py"]\n    init i { image = "r.example.com/i:1", command = ["x"] }\n' \
       '    sidecar s { image = "r.example.com/s:1" }\n  }'
TARGETS = {"jobs": "", "pods": "", "jobset": "", "trainer": "", "kubeflow": "import std.kubeflow\n"}


def check_pod(name, pod, operator):
    steps = {c["name"]: c for c in pod["initContainers"]}
    main = [c for c in pod["containers"] if c["name"] != "s"][0]
    volumes = {v["name"]: v for v in pod["volumes"]}
    step = steps["code"]
    expect(name + ": the step comes first", pod["initContainers"][0] is step or operator, [c["name"] for c in pod["initContainers"]])
    expect(name + ": its image and amounts", step["image"] == main["image"] and step["resources"] == {
        "requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}}, step)
    mounts = {c["name"]: {m["mountPath"] for m in c.get("volumeMounts", [])} for c in pod["containers"] + pod["initContainers"]}
    expect(name + ": who sees it", "/code" in mounts[main["name"]] and "/code" in mounts["i"] and mounts["code"] == {"/code", "/.trainc/code"} and "/code" not in mounts["s"], mounts)
    expect(name + ": workdir", main["workingDir"] == "/code", main)
    expect(name + ": volumes", volumes["code"] == {"name": "code", "emptyDir": {}} and volumes["code-parts"]["projected"]["sources"] == [
        {"configMap": {"name": "trainc-code-%s-0" % step["command"][4][:12], "items": [{"key": "part-000", "path": "part-000"}]}}], volumes)


def targets():
    for target, top in TARGETS.items():
        head = 'job "a": kubeflow.pytorchjob' if target == "kubeflow" else 'job "a"'
        body = ROLE if target != "kubeflow" else ROLE.replace("replicas = 2, ", "replicas = 2\n    ")
        with Project(job('  code = "src"\n' + body, head, top)) as p:
            objects = p.objects("--target", target)
            if isinstance(objects, str):
                expect(target, False, objects)
                continue
            maps = codes(objects)
            expect(target + ": one ConfigMap, before all pods", len(maps) == 1 and objects.index(maps[0]) == 0, [o["kind"] for o in objects])
            digits = maps[0]["metadata"]["labels"]["trainc.dev/code"]
            runs = [o for o in objects if o["kind"] != "ConfigMap" and any("initContainers" in pod for pod in pods(o))]
            expect(target + ": labels", runs and all(set(labelled(o, "trainc.dev/code")) == {digits} for o in runs), runs)
            for o in runs:
                for pod in pods(o):
                    if "initContainers" in pod:
                        check_pod(target, pod, target == "kubeflow")
            expect(target + ": compile again", p.objects("--target", target) == objects)


# ---- levels ----

def code_of(objects, role):
    """The directory where a role has its code, and the digits of its id; None without code."""
    for o in objects:
        if o["metadata"].get("labels", {}).get("trainc.dev/role") == role and o["kind"] in ("Job", "Deployment"):
            pod = o["spec"]["template"]
            at = [m["mountPath"] for m in pod["spec"]["containers"][0].get("volumeMounts", []) if m["name"] == "code"]
            return (at[0], pod["metadata"]["labels"]["trainc.dev/code"]) if at else None
    return "no such role"


def levels():
    two = '  role x { command = ["x"] }\n  role y {%s\n    command = ["y"]\n  }\n  aux z { command = ["z"] }'
    with Project(job('  code = "src"\n' + two % "")) as p:
        found = [code_of(p.objects(), r) for r in "xyz"]
        expect("roles and aux roles inherit", found[0] and found[0] == found[1] == found[2], found)
        expect("one ConfigMap for all", len(codes(p.objects())) == 1)
    with Project(job('  code = "src"\n' + two % "\n    code = none")) as p:
        expect("none in a role", code_of(p.objects(), "x") and code_of(p.objects(), "y") is None)
    with Project(job('  code = "src"\n' + two % '\n    code { at = "/app" }')) as p:
        x, y = code_of(p.objects(), "x"), code_of(p.objects(), "y")
        expect("a block extends", x[0] == "/code" and y[0] == "/app" and x[1] == y[1], (x, y))
    with Project(job('  code = "src"\n' + two % '\n    code = "other"')) as p:
        expect("two snapshots", code_of(p.objects(), "x")[1] != code_of(p.objects(), "y")[1] and len(codes(p.objects())) == 2)
    with Project(job(two % ""), {"project.tj": 'project { defaults { code = "src" } }\n'}) as p:
        expect("defaults of the project", code_of(p.objects(), "x"), p.objects())
    with Project('for i in range(3) ' + job('  code = "src"\n  role w { command = ["x"] }', head='job "a-${i}"')) as p:
        expect("a fleet has one ConfigMap", len(codes(p.objects())) == 1 and len(p.objects()) == 7, len(p.objects()))
    with Project(job('  code = "src"\n  role w { command = ["x"] }'), {"b.tj": job('  code = "src"\n  role w { command = ["x"] }', 'job "b"')}) as p:
        status, out, err = p.run("compile", "job.tj", "b.tj")
        expect("two programs", status == 0 and out.count("kind: ConfigMap") == 1, err)
    with Project(job('  code { dir = "src", unpack = "r.example.com/t:1" }\n  role w { command = ["x"], workdir = "/w" }')) as p:
        pod = [o for o in p.objects() if o["kind"] == "Job"][0]["spec"]["template"]["spec"]
        step = pod["initContainers"][0]
        expect("unpack", step["image"] == "r.example.com/t:1" and step["command"][:3] == ["trainc", "code", "--unpack"] and
               step["command"][4:] == ["/.trainc/code", "/code"], step)
        expect("a workdir of its own", pod["containers"][0]["workingDir"] == "/w")
    with Project(job('  code { dir = "src", sync = true }\n  role w {\n    replicas = 2\n    command = ["x", "$(A)", "${pod.index}"]\n    args = ["y"]\n  }')) as p:
        pod = [o for o in p.objects() if o["kind"] == "Job"][0]["spec"]["template"]["spec"]
        main, step = pod["containers"][0], pod["initContainers"][0]
        words = main["command"]
        expect("sync starts the command by a script", words[:2] == ["sh", "-c"] and words[3:7] == ["trainc", "/code", "x", "$$(A)"] and main["args"] == ["y"] and
               len(words) == 8 and "$(" not in words[2].replace("$$(", ""), words)
        expect("a script of at most 30 lines", words[2].count("\n") < 30, words[2])
        expect("sync notes what there is", ".trainc/files" in step["command"][2] and step["command"][5:] == ["/code", step["command"][6]], step)
    with Project(job('  code = "x.d/src"\n  role w { command = ["x"] }'), {"sub/x.d/src/f": "1"}) as p:
        os.rename(os.path.join(p.top, "job.tj"), os.path.join(p.top, "sub/job.tj"))
        done = p.objects(path="sub/job.tj")
        expect("relative to the file", not isinstance(done, str) and len(codes(done)) == 1, done)


# ---- where trainc is started ----

# the field in jobs/a.tj, and the files that are taken
PLACES = [
    ('"."', {"a.tj", "loc/f", "location/g", "deep/d/h"}), ('"loc"', {"f"}), ('"location"', {"g"}), ('"deep/d"', {"h"}), ('"../other"', {"x.py"}),
    ('".."', {"project.tj", "job.tj", "src/train.py", "other/x.py", "jobs/a.tj", "jobs/loc/f", "jobs/location/g", "jobs/deep/d/h"}), ('"../jobs/loc"', {"f"}),
]
PLACED = {"jobs/loc/f": "1", "jobs/location/g": "2", "jobs/deep/d/h": "3"}


def places():
    for field, want in PLACES:
        with Project("", {**PLACED, "jobs/a.tj": job("  code = %s\n  role w { command = [\"x\"] }" % field)}) as p:
            ids = set()
            for start in (".", "jobs", "jobs/loc", "jobs/deep/d", "other", "..", "/"):
                here = os.path.realpath(os.path.join(p.top, start))
                file = os.path.join(os.path.realpath(p.top), "jobs/a.tj")
                for path in (os.path.relpath(file, here), file):
                    done = subprocess.run([TRAINC, "code", "-o", "json", path], cwd=here, capture_output=True, text=True, timeout=60, check=False)
                    shown = json.loads(done.stdout)["snapshots"][0] if done.returncode == 0 else {"entries": [], "id": done.stderr, "dir": ""}
                    expect("code = %s from %s" % (field, start), {e["path"] for e in shown["entries"]} == want, shown)
                    ids.add((shown["id"], shown["dir"]))
            expect("code = %s: one id" % field, len(ids) == 1, ids)


# ---- what is refused ----

FORBIDS = {"project.tj": "project { code = false }\n"}
FRAMEWORK = 'framework f {\n  %s\n  role w { replicas: int(1..) = 1 }\n}\n'
WRONG = [
    ("TJ1310", '  code { dir = "src", sync = true, unpack = "r.example.com/t:1" }', "", "exclude each other"),
    ("TJ1310", '  code { sync = true }', "", "names no directory that 'sync' could send"),
    ("TJ1301", '  code = "../x"', "", "is outside of the project"), ("TJ1301", '  code = "/etc"', "", "is absolute"),
    ("TJ1301", '  code { at = "/x" }', "", "names no directory"), ("TJ1301", '  code = "gone"', "", "does not exist"),
    ("TJ1307", '  code { dir = "src", at = "/" }', "", "whole file system"), ("TJ1307", '  code { dir = "src", at = "code" }', "", "not an absolute path"),
    ("TJ1307", '  code { dir = "src", at = "/a\\\\nb" }', "", "has a backslash"), ("TJ1307", '  code { dir = "src", at = "/a\\nb" }', "", "a control character"),
    ("TJ1307", '  code { dir = "src", at = "/.trainc/x" }', "", "trainc uses itself"),
    ("TJ1307", '  code = "src"\n  mounts { "/code/data" = pvc("d") }', "", "a volume is mounted there"),
    ("TJ1307", '  code { dir = "src", at = "/d/code" }\n  mounts { "/d" = pvc("d") }', "", "a volume is mounted there"),
    ("TJ1307", '  code = "src"\n  mounts { "/x" = scratch("code", 1Gi) }', "", "cannot be called 'code'"),
    ("TJ1307", '  code = "src"', 'init code { image = "r.example.com/i:1" }', "cannot be called 'code'"),
    ("TJ1307", '  code = "src"', 'sidecar code { image = "r.example.com/i:1" }', "cannot be called 'code'"),
    ("TJ0302", "  code = 5", "", "'code' expects a directory"), ("TJ0302", '  code { dir = "src", via = "x" }', "", "write 'pvc(\"x\")'"),
    ("TJ1306", '  code { dir = "src", via = secret_files("x") }', "", "is not a claim"),
    ("TJ1306", '  code { dir = "src", via = pvc("x", path = "a/${pod.index}") }', "", "another directory for each replica"),
    ("TJ1306", '  code { dir = "src", via = pvc("x"), unpack = "r.example.com/t:1" }', "", "exclude each other"),
]


def refused():
    for code, field, role, words in WRONG:
        with Project(job(field + '\n  role w {\n    command = ["x"]\n    %s\n  }' % role)) as p:
            status, out, err = p.run("compile", "job.tj")
            expect("%s: %s %s" % (code, field, role), status == 1 and "[%s]" % code in err and words in err and not out, err)
    with Project(job('  code { dir = "src", sync = true }\n  role w { cpu = 1 }')) as p:
        expect("TJ1310", "'sync' needs the command of role 'w': the command of its image is not known [TJ1310]" in p.run("check", "job.tj")[2], p.run("check", "job.tj"))
    with Project(job('  code = "src"\n  role w { command = ["x"] }'), FORBIDS) as p:
        expect("TJ1308", "[TJ1308]" in p.run("check", "job.tj")[2])
    with Project(FRAMEWORK % 'code = "src"' + job('  command = ["x"]', 'job "a": f')) as p:
        expect("not in a framework", "'code' belongs to a job, not to a framework [TJ0203]" in p.run("check", "job.tj")[2], p.run("check", "job.tj"))


MISSING = [
    ('["python", "train.py"]', ""), ('["python", "/code/train.py"]', ""), ('["./train.py"]', ""), ('["python", "gone.py"]', "'gone.py' is not in the code: it does not exist"),
    ('["python", "/code/x/gone.py"]', "'x/gone.py' is not in the code: it does not exist"), ('["python", "/opt/tool.py"]', ""), ('["sh", "-c", "python gone.py"]', ""),
    ('["python", "train.py", "--out", "out.json"]', ""), ('["python", "train.py", "conf/a.yaml"]', "'conf/a.yaml' is not in the code: .trainignore:1 leaves it out"),
]


def step_of(pod):
    return next(c for c in pod["initContainers"] if c["name"] == "code")


def carried():
    """By a claim: no ConfigMap, and the step reads a file of it; without it the same code is refused, and the help leads there."""
    large = {"src/data.bin": base64.b64encode(random.Random(1).randbytes(1500000)).decode()}
    for target, top in {**TARGETS, "lws": ""}.items():
        framework = ": kubeflow.pytorchjob" if target == "kubeflow" else ""
        role = "worker" if target == "kubeflow" else "w"
        body = '  code { dir = "src", via = pvc("team-code", path = "nlp") }\n  role %s { replicas = 2, command = ["python", "train.py"] }' % role
        with Project(job(body, 'job "a"' + framework, top), large) as p:
            found = p.objects("--target", target)
            if target == "lws" and isinstance(found, str):      # a LeaderWorkerSet needs a cell
                expect("lws without a cell", "cell" in found, found)
                continue
            expect("%s: no ConfigMap carries it" % target, not any(o["kind"] == "ConfigMap" for o in found))
            with_step = [pod for pod in pods(found) if "initContainers" in pod]
            expect("%s: pods have the step" % target, with_step)
            for pod in with_step:
                mounts = {m["mountPath"]: m for m in step_of(pod)["volumeMounts"]}
                part = mounts["/.trainc/code"]
                volume = next(v for v in pod["volumes"] if v["name"] == part["name"])
                expect("%s: the step mounts the claim" % target, part["readOnly"] and part["subPath"] == "nlp" and
                       volume["persistentVolumeClaim"] == {"claimName": "team-code", "readOnly": True}, (part, volume))
                expect("%s: it reads the file of its id" % target, "/.trainc/code/trainc-code/$1.tar.gz" in step_of(pod)["command"][2])
                expect("%s: other containers do not see it" % target, not any(m["name"] == part["name"] for c in pod["containers"] for m in c.get("volumeMounts", [])))
            err = p.run("compile", "--target", target, "job.tj")[2]
            expect("%s: compile says how the file is written" % target, "travels by the claim 'team-code'" in err and "'trainc code --upload job.tj'" in err, err)
    with Project(job(body.replace("worker", "w")), large) as p:
        shown = json.loads(p.run("code", "-o", "json", "job.tj")[1])["snapshots"][0]
        expect("code: the carrier", (shown["carrier"], shown["claim"], shown["parts"]) == ("claim", "team-code", 0), shown)
        expect("code: its table", "in a file on the claim team-code" in p.run("code", "job.tj")[1])
        expect("plan names the claim", "by the claim team-code" in p.run("plan", "job.tj")[1])
        status, _, err = p.run("code", "--upload", "--local", "job.tj")
        expect("--upload is about a cluster", status == 2, err)
    with Project(job('  code = "src"\n  role w { command = ["python", "train.py"] }'), large) as p:
        status, _, err = p.run("check", "job.tj")
        expect("too large for ConfigMaps", status == 1 and "TJ1306" in err and 'via = pvc("team-code")' in err, err)
    with Project(job('  code { dir = "src", via = pvc("team-code") }\n  role w { command = ["python", "train.py"] }'), large) as p:
        expect("... the help leads to a program", p.run("check", "job.tj")[0] == 0, p.run("check", "job.tj")[2])


CARRIERS = {"ConfigMaps": 'code = "src"', "claim": 'code { dir = "src", via = pvc("c") }', "other claim": 'code { dir = "src", via = pvc("d", path = "x") }'}


def mixed():
    """The same code by several carriers, in roles, in jobs and in files: each pod finds what it mounts."""
    one = 'job "%s" {\n  image = "r.example.com/a:1"\n%s\n}\n'
    role = '  role %s { command = ["python", "train.py"], %s }'
    for first, a in CARRIERS.items():
        for second, b in CARRIERS.items():
            programs = {
                "roles": {"job.tj": one % ("a", role % ("x", a) + "\n" + role % ("y", b))},
                "jobs": {"job.tj": one % ("a", role % ("x", a)) + one % ("b", role % ("y", b))},
                "files": {"job.tj": one % ("a", role % ("x", a)), "other.tj": one % ("b", role % ("y", b))},
            }
            for how, files in programs.items():
                with Project(files["job.tj"], files) as p:
                    status, out, err = p.run("compile", "-o", "json", *files)
                    found = json.loads(out)["items"] if not status else []
                    there = [o["metadata"]["name"] for o in found if o["kind"] == "ConfigMap"]
                    wanted = {s["configMap"]["name"] for pod in pods(found) for v in pod.get("volumes", []) for s in v.get("projected", {}).get("sources", [])}
                    claims = {v["persistentVolumeClaim"]["claimName"] for pod in pods(found) for v in pod.get("volumes", []) if "persistentVolumeClaim" in v}
                    expect("%s, then %s in %s" % (first, second, how), sorted(there) == sorted(wanted) and len(wanted) == ("ConfigMaps" in (first, second)) and
                           claims == {n for c, n in (("claim", "c"), ("other claim", "d")) if c in (first, second)} and
                           all("claim '%s'" % n in err for n in claims), (there, wanted, claims, err))
                    if how == "roles":
                        lines = [line for line in p.run("plan", "job.tj")[1].splitlines() if line.startswith("  code ")]
                        shown = json.loads(p.run("code", "-o", "json", "job.tj")[1])["snapshots"]
                        expect("plan and code tell %s from %s" % (first, second), len(lines) == len(shown) == len({first, second}), (lines, shown))


def missing():
    for command, words in MISSING:
        with Project(job('  code = "src"\n  role w { command = %s }' % command), {".trainignore": "*.yaml\n", "src/conf/a.yaml": "1"}) as p:
            status, _, err = p.run("check", "job.tj")
            expect("TJ1309: " + command, status == 0 and ("[TJ1309]" in err) == bool(words) and words in err, err)


POLICIES = [
    ("r.code == none", 'code = "src"', False), ("r.code == none", "", True), ('r.code == none or r.code.dir == "src"', 'code = "src"', True),
    ("r.code == none or r.code.max <= 32Mi", 'code = "src"', False), ("r.code == none or not r.code.sync", 'code = "src"', True), ("r.code == none or not r.code.sync", 'code { dir = "src", sync = true }', False),
    ('r.code == none or r.code.via == "configmap"', 'code { dir = "src", via = pvc("team-code") }', False),
    ('r.code == none or r.code.via == "team-code"', 'code { dir = "src", via = pvc("team-code") }', True),
    ('r.code == none or r.code.at == "/code"', 'code { dir = "src", at = "/x" }', False), ('r.code == none or r.code.via == "configmap"', 'code = "src"', True),
]


def policies():
    for test, field, good in POLICIES:
        rules = 'policy "p" {\n  for r in cluster.all_roles { check %s else "no" }\n}\n' % test
        with Project(job("  %s\n  role w { command = [\"x\"] }" % field), {"project.tj": 'project { policies = ["p.tj"] }\n', "p.tj": rules}) as p:
            status, _, err = p.run("check", "job.tj")
            expect("policy %s: %s" % (test, field), (status == 0) == good and ("TJ0901" in err) != good, err)


def main():
    for f in (targets, levels, places, refused, carried, mixed, missing, policies):
        f()
    print("%d passed, %d failed" % (RESULTS["passed"], RESULTS["failed"]))
    sys.exit(RESULTS["failed"] > 0)


main()
