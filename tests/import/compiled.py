"""compiled.py [NAME...] - compiles every example, and every program of PROGRAMS, for every target that takes it, and
imports the result.  The program that results must compile for that target, say nothing about launchers that do not
know of each other, and have the same jobs, roles and replicas with the same outcome; for the targets of EQUAL it has
the same objects, except for the name of the framework."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
TARGETS = ["jobs", "pods", "jobset", "trainer", "kubeflow"]
EQUAL = ("jobs", "pods", "jobset")
ROLE = "cpu = 1, memory = 1Gi"
PROGRAMS = {
    "settings": 'timeout = 2h, ttl = 1h, restarts = 3, clean = "all"\n role w { replicas = 2, retries = 2, retry_on = [1, 3..5], %s }\n'
                ' role p { restart = "on-failure", labels { x = "y" }, annotations { note = "n" }, %s }' % (ROLE, ROLE),
    "held": 'suspend = true\n role w { replicas = 3, %s }' % ROLE,
    "volcano": 'gang = "volcano"\n role w { replicas = 2, %s }\n role p { %s }' % (ROLE, ROLE),
    "coscheduling": 'gang = "coscheduling"\n role w { replicas = 2, %s }' % ROLE,
    "queue": 'queue = "q", labels { team = "t" }\n role w { replicas = 2, %s }' % ROLE,
    "order": 'success = done(w)\n role w { replicas = 2, start_after = ready(p) and done(q), %s }\n role p { %s }\n role q { %s }' % (ROLE, ROLE, ROLE),
    "beside": 'role w { replicas = 2, %s }\n aux board { image = "a/board:1", restart = "always", cpu = 1, memory = 1Gi }\n'
              ' aux watch { image = "a/w:1", restart = "on-failure", cpu = 1, memory = 1Gi }' % ROLE,
    "elastic": 'role w { replicas = 1:4, %s }' % ROLE,
    "index": 'env { ME = w.host(pod.index), RANK = "rank-${pod.index}", NEXT = w.host((pod.index + 1) %% 3) }\n role w { replicas = 3, args = ["--at=${pod.index}", '
             '["a", "b", "c"][pod.index]], %s }' % ROLE,
    "files": 'role w { replicas = 2, %s, files { "/etc/app/hosts" = "${w.host(0)}:1\\n${w.host(1)}:1 $(X) $Y\\n" }\n mounts { "/keys/.ssh" = generated("ssh-keypair") } }' % ROLE,
    "namespace": 'namespace = "lab"\n role w { replicas = 2, env { A = w.host(1) }, %s }' % ROLE,
    "fail": 'role w { replicas = 2, retries = 3, %s }\n role x { %s }' % (ROLE, ROLE),
}
failed = passed = 0


def run(*argv, **kw):
    done = subprocess.run([TRAINC, *argv], capture_output=True, timeout=120, check=False, **kw)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def jobs(target, path):
    """What the jobs of a program are, without what names its framework."""
    status, out, err = run("plan", "-o", "json", "--target", target, path)
    if status:
        return err
    ret = []
    for job in json.loads(out)["jobs"]:
        kept = {k: job[k] for k in ("name", "namespace", "success", "clean", "restarts", "timeout_s", "ttl_s")}
        kept["roles"] = sorted([role[k] for k in ("name", "replicas", "image", "cpu", "memory", "ports")] + [role["kind"] if target in ("jobs", "pods") else "",
                                                                                                            (role["devices"] or {}).get("count")] for role in job["roles"])
        ret.append(kept)
    return ret


def plain(text):
    """The objects of a text, without the name of the framework."""
    text = re.sub(r"\n *app\.kubernetes\.io/name: .*", "", text)
    return sorted("\n".join(sorted(doc.split("\n"))) for doc in text.split("\n---\n"))


def note(name, wrong, shown=""):
    global failed, passed
    if wrong:
        failed += 1
        print("FAIL %s: %s" % (name, wrong))
        print("    " + str(shown).strip().replace("\n", "\n    ")[:1500])
    else:
        passed += 1


def back(name, target, path, place):
    status, objects, _ = run("compile", "--target", target, path)
    if status or not objects.strip():
        return
    manifest, program = os.path.join(place, "m.yaml"), os.path.join(place, "a.tj")
    with open(manifest, "w") as f:
        f.write(objects)
    status, text, said = run("import", manifest)
    note("%s, %s: import" % (name, target), status, said)
    with open(program, "w") as f:
        f.write(text)
    status, again, said = run("compile", "--target", target, program)
    note("%s, %s: compile again" % (name, target), status, said + text)
    note("%s, %s: no false TJ0534" % (name, target), "TJ0534" in said, said)
    if target == "kubeflow":
        return              # its framework is known again, and decides what is default
    if name in CELLS:
        return
    before, after = jobs(target, path), jobs(target, program)
    note("%s, %s: the same jobs" % (name, target), before != after and "they differ", "%s\n%s\n%s" % (before, after, text))
    if target in EQUAL and name not in DIFFERENT:
        missing = [x for x in plain(objects) if x not in plain(again)]
        note("%s, %s: the same objects" % (name, target), bool(missing), missing and missing[0])


def damaged_conditions():
    """The text of a condition comes from whoever wrote the annotation."""
    with tempfile.TemporaryDirectory() as place:
        for text in ("x", "done(", "done(w", "done(w,", "done()", "(", ")", "x(", "a b (", "", " ", "done(w))", "done(w) and", "\\0done(w)", "done(w\\0)", "done(w) x" + "(" * 500):
            manifest = os.path.join(place, "m.json")
            with open(manifest, "w") as f:
                labels = {"trainc.dev/job": "a", "trainc.dev/role": "w", "app.kubernetes.io/managed-by": "trainc"}
                f.write(json.dumps({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a-w", "labels": labels, "annotations": {"trainc.dev/success": text.replace("\\0", "\0")}},
                                    "spec": {"completions": 1, "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "x:1"}], "restartPolicy": "Never"}}}}))
            status, _, said = run("import", manifest)
            note("success %r" % text, status not in (0, 1) or (status == 1 and "error" not in said), said)


# The objects differ in a way that the import tells or that means the same: groups of a set become one role; what the
# framework leaves to the image is written out; an annotation for the queue is also on the object; lists in another order.
# the roles of their cells become roles of the job; servers that run until they are deleted get an end in a JobSet
CELLS = {"20-servers", "21-trials", "recipes"}
DIFFERENT = {"18-tpu-multislice", "05-horovod-mpi", "17-rlhf", "19-nvl72", "files"}


def main():
    with tempfile.TemporaryDirectory() as place:
        for directory in sorted(glob.glob("examples/*/")):
            for path in sorted(glob.glob(directory + "*.tj")):
                with open(path) as f:
                    if not re.search(r"^job |^ *job \"|\bjob ", f.read(), re.M):
                        continue
                name = os.path.basename(directory.rstrip("/"))
                if len(sys.argv) < 2 or name in sys.argv[1:]:
                    for target in TARGETS:
                        back(name, target, path, place)
        for name, body in PROGRAMS.items():
            if len(sys.argv) < 2 or name in sys.argv[1:]:
                path = os.path.join(place, "p.tj")
                with open(path, "w") as f:
                    f.write('job "a" {\n image = "a/b:1", command = ["x"]\n %s\n}\n' % body)
                status, _, said = run("check", path)
                note("%s is right" % name, status, said)
                for target in TARGETS:
                    back(name, target, path, place)
    damaged_conditions()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
