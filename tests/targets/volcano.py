"""volcano.py: the target volcano, without a cluster.

* Random programs become Jobs of Volcano. Here the pods are made from them as the controller makes them (names, labels, what its plugin
  `svc` adds), and the variables are resolved as the kubelet does: the result is what `trainc env` says of each replica.
* The controller's rules about failures are written down here (its applyPolicies(), and the states of a Job): how often a Job begins
  again, and how it ends, is what the program says.
* A program in the form that `trainc import` writes comes back from its objects unchanged; every program gives the same objects again.
* `trainc status` and `trainc fit` read the Job and its pods.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
passed = failed = 0


def check(what, right, why=""):
    global passed, failed
    passed += bool(right)
    failed += not right
    if not right:
        print("FAIL %s\n%s" % (what, why))


def trainc(*words, text=None):
    return subprocess.run([TRAINC, *words], input=text, capture_output=True, text=True, timeout=60)


def objects_of(text):
    done = trainc("compile", "--target", "volcano", "-o", "json", "-", text=text)
    return (json.loads(done.stdout)["items"] if done.returncode == 0 else None), done.stderr


def job_of(objects):
    return next(o for o in objects if o["apiVersion"].startswith("batch.volcano.sh/"))


# ---- what the controller makes ----

def pods(job):
    """Pod name -> (labels, spec): createJobPod(), and OnPodCreate() of the plugin svc."""
    name, found = job["metadata"]["name"], {}
    for task in job["spec"]["tasks"]:
        for i in range(task["replicas"]):
            pod = "%s-%s-%d" % (name, task["name"], i)
            labels = {**task["template"]["metadata"]["labels"], "volcano.sh/task-index": str(i), "volcano.sh/job-name": name, "volcano.sh/task-spec": task["name"]}
            spec = json.loads(json.dumps(task["template"]["spec"]))
            if "svc" in job["spec"]["plugins"]:
                spec.setdefault("hostname", pod)
                spec.setdefault("subdomain", name)
            found[pod] = (labels, spec)
    return found


def resolved(pod, labels, container):
    env = {}

    def expand(text):
        return re.sub(r"\$\$|\$\((\w+)\)", lambda m: "$" if m[0] == "$$" else env.get(m[1], m[0]), text)
    for e in container.get("env", []):
        path = e.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
        label = re.fullmatch(r"metadata\.labels\['(.*)'\]", path)
        env[e["name"]] = labels[label[1]] if label else pod if path else expand(e.get("value", ""))
    return env, [expand(w) for w in container.get("command", []) + container.get("args", [])]


# ---- random programs ----

ROLES = ("ps", "worker", "eval_set")


def texts(r, roles):
    other = r.choice(roles)
    return r.choice(["pod.index", '"${pod.index}"', '"i${pod.index}x"', "pod.host", "pod.name", "pod.rank", "pod.rank", '"a$$b$"', "%s.host(0)" % other,
                     'join(%s.hosts, ",")' % other, "%s.replicas" % other, '%s.address(0, "p")' % other, '"${pod.host}:${pod.index}"'])


def program(r):
    roles = r.sample(ROLES, r.randint(1, 3))
    body = []
    for name in roles:
        env = "".join("      V%d = %s\n" % (k, texts(r, roles)) for k in range(r.randint(1, 6)))
        body.append('  role %s {\n    replicas = %d\n    command = ["x", "${pod.index}"]\n    ports { p = 80 }\n    env {\n%s    }\n    %s\n  }\n'
                    % (name, r.choice([1, 2, 11]), env, 'files { "/etc/me" = "${pod.index}" }' if r.random() < 0.3 else ""))
    more = r.choice(["", "  restarts = %d\n" % r.randint(0, 4)]) + r.choice(["", "  success = done(%s)\n" % roles[0]]) + r.choice(["", "  ttl = 1h\n"])
    gang = r.choice(["", '  gang = "volcano"\n', '  gang = "volcano"\n  queue = "q"\n'])
    return 'job "a" {\n  image = "r.example.com/a:1"\n%s%s%s}\n' % (more, gang, "".join(body))


def random_programs(n):
    with tempfile.TemporaryDirectory() as d:
        for seed in range(n):
            text = program(random.Random(seed))
            objects, said = objects_of(text)
            env = trainc("env", "--target", "volcano", "-o", "json", "-", text=text)
            if objects is None or env.returncode:
                check("program %d is compiled" % seed, False, text + said + env.stderr)
                continue
            made = pods(job_of(objects))
            wanted = {r["host"]: r for r in json.loads(env.stdout)["jobs"][0]["replicas"]}
            hosts = {"%s.%s" % (spec["hostname"], spec["subdomain"]): (pod, labels, spec) for pod, (labels, spec) in made.items()}
            if sorted(hosts) != sorted(wanted):
                check("the pods of program %d" % seed, False, "%s\n%s\n%s" % (sorted(hosts), sorted(wanted), text))
                continue
            wrong = []
            for host, (pod, labels, spec) in hosts.items():
                got, words = resolved(pod, labels, spec["containers"][0])
                for v in wanted[host]["env"]:
                    parts = v.get("text", [{"field": v["field"]}] if "field" in v else [v.get("value")])
                    value = "".join(part if isinstance(part, str) else pod for part in parts)
                    if got.get(v["name"]) != value:
                        wrong.append("%s: %s is %r, not %r" % (host, v["name"], got.get(v["name"]), value))
                if words[1] != labels.get("trainc.dev/index", labels["volcano.sh/task-index"]):
                    wrong.append("%s: the word %r" % (host, words[1]))
            check("the variables of program %d" % seed, not wrong, "\n".join(wrong[:5]) + "\n" + text)
            one_each = len(job_of(objects)["spec"]["tasks"]) == text.count("  role ")
            if "files" not in text and one_each:    # a file of each replica becomes a raw volume, and a task always a role
                same_again(d, seed, text)


def same_again(d, seed, text):
    path = os.path.join(d, "a.yaml")
    with open(path, "w") as f:
        f.write(trainc("compile", "--target", "volcano", "-", text=text).stdout)
    back = trainc("import", path)
    again = trainc("compile", "--target", "volcano", "-", text=back.stdout)
    with open(path) as f:
        check("the objects of program %d come back" % seed, not back.stderr and again.stdout == f.read(), text + back.stderr + back.stdout + again.stderr)


# ---- failures, as the controller decides ----

def run(job, events):
    """The final phase, and how often anything began again, after events (task, what): its pod fails, or all its pods succeed."""
    spec, again = job["spec"], 0
    tasks = {t["name"]: t for t in spec["tasks"]}
    done = set()
    for name, what in events:
        action = next((p["action"] for p in tasks[name].get("policies", []) if p["event"] == what), "SyncJob")
        if what == "TaskCompleted":
            done.add(name)
        if action == "CompleteJob":
            return "Completed", again
        if action == "TerminateJob":
            return "Terminated", again
        if action in ("RestartJob", "RestartPod"):
            if again + 1 >= spec["maxRetry"]:       # restartingUpdateStatus(): RetryCount >= MaxRetry
                return "Failed", again
            again += 1
            done = set() if action == "RestartJob" else done
        if done == set(tasks):
            return "Completed", again
    return "Running", again


def failures():
    head = 'job "a" {\n  image = "r.example.com/a:1"\n  %s\n  role lead { command = ["a"] %s }\n  role worker { command = ["a"], replicas = 2 %s }\n  %s}\n'
    aux = 'aux board { command = ["b"] }\n'
    for restarts, retries, success, beside in itertools.product(range(4), (0, 1, 3), ("", "success = done(lead)", "success = done(lead) or done(worker)"), ("", aux)):
        if restarts and retries:
            continue
        if beside and not success:
            continue
        text = head % ("restarts = %d\n  %s" % (restarts, success), "", ", retries = %d" % retries, beside)
        objects, said = objects_of(text)
        what = "restarts %d, retries %d, %r, %r" % (restarts, retries, success, beside)
        if objects is None:
            check(what, False, said)
            continue
        job, most = job_of(objects), restarts + retries
        failing = [("worker", "PodFailed")] * (most + 1)
        check(what + ": it begins again as often as the program says, and then fails", run(job, failing)[0] in ("Failed", "Terminated") and run(job, failing)[1] == most, run(job, failing))
        check(what + ": it goes on before", run(job, failing[:-1]) == ("Running", most), run(job, failing[:-1]))
        lead = run(job, [("lead", "TaskCompleted")])[0]
        check(what + ": the end of the first role", lead == ("Completed" if success else "Running"), lead)
        worker = run(job, [("worker", "TaskCompleted")])[0]
        check(what + ": the end of the second role", worker == ("Completed" if "or" in success else "Running"), worker)
        both = run(job, [("worker", "TaskCompleted"), ("lead", "TaskCompleted")])[0]
        check(what + ": the end of both", both == "Completed", both)
        if beside:
            check(what + ": an auxiliary pod fails", run(job, [("board", "PodFailed")]) == ("Running", 0))
            check(what + ": nothing waits for an auxiliary pod", [t["minAvailable"] for t in job["spec"]["tasks"]] == [1, 2, 0])


# ---- there and back ----

BACK = ['''job "train" {
  image    = "registry.example.com/lab/train:1.0"
  cpu      = 8
  restarts = 3
  ttl      = 1h
  queue    = "team"
  gang     = "volcano"
  priority = "high"
  success  = done(lead)

  role lead   { command = ["lead"] }
  role worker { command = ["follow", lead.host(0), "${pod.index}"], replicas = 4 }
}
''', '''job "some" {
  image   = "registry.example.com/lab/some:1.0"
  command = ["work"]
  gang    = "volcano"

  role worker { replicas = 1:3, cpu = 1, retries = 2 }
}
''', '''job "order" {
  cpu     = 1
  success = done(a) or done(b)

  role a { image = "registry.example.com/lab/a:1.0", command = ["a"] }

  role b {
    image       = "registry.example.com/lab/b:1.0"
    command     = ["b"]
    replicas    = 2
    start_after = ready(a)
  }
}
''']


def there_and_back():
    with tempfile.TemporaryDirectory() as d:
        for i, text in enumerate(BACK):
            made = trainc("compile", "--target", "volcano", "-", text=text)
            path = os.path.join(d, "a.yaml")
            with open(path, "w") as f:
                f.write(made.stdout)
            back = trainc("import", path)
            check("program %d comes back" % i, made.returncode == 0 and back.stdout == text, made.stderr + back.stderr + back.stdout)
            check("program %d comes back without a word" % i, not back.stderr, back.stderr)


# ---- status and fit ----

RUN = 'job "a" {\n  image = "r.example.com/a:1"\n  gang = "volcano"\n  restarts = 2\n  role worker { command = ["w"], replicas = 3, cpu = 1 }\n}\n'
RUNNING = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}],
           "containerStatuses": [{"name": "main", "ready": True, "started": True, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-01T00:00:02Z"}}}]}
ENDED = {"phase": "Succeeded", "containerStatuses": [{"name": "main", "ready": False, "restartCount": 0, "state": {
    "terminated": {"exitCode": 0, "reason": "Completed", "startedAt": "2026-01-01T00:00:02Z", "finishedAt": "2026-01-01T00:01:02Z"}}}]}
DEAD = {"phase": "Failed", "containerStatuses": [{"name": "main", "ready": False, "restartCount": 0, "state": {
    "terminated": {"exitCode": 3, "reason": "Error", "startedAt": "2026-01-01T00:00:02Z", "finishedAt": "2026-01-01T00:01:02Z"}}}]}


def project(d):
    with open(os.path.join(d, "project.tj"), "w") as f:
        f.write('project { target = "volcano" }\n')
    with open(os.path.join(d, "a.tj"), "w") as f:
        f.write(RUN)


def status(d, phase, states, retries=0, group=None):
    objects = json.loads(trainc("compile", "-o", "json", os.path.join(d, "a.tj")).stdout)["items"]
    job = job_of(objects)
    job["metadata"].update(namespace="default", uid="j", creationTimestamp="2026-01-01T00:00:00Z")
    job["status"] = {"retryCount": retries, "state": {"phase": phase, "lastTransitionTime": "2026-01-01T00:02:00Z"}} if phase else {}
    owner = [{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "a", "uid": "j", "controller": True}]
    for (pod, (labels, spec)), state in zip(pods(job).items(), states):
        if state:
            objects.append({"apiVersion": "v1", "kind": "Pod", "spec": {**spec, "nodeName": "n"}, "status": state,
                            "metadata": {"name": pod, "namespace": "default", "uid": pod, "creationTimestamp": "2026-01-01T00:00:00Z", "labels": labels, "ownerReferences": owner}})
    if group:
        objects.append({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "status": group,
                        "metadata": {"name": "a-j", "namespace": "default", "uid": "g", "creationTimestamp": "2026-01-01T00:00:00Z", "ownerReferences": owner}})
    with open(os.path.join(d, "objects.json"), "w") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
    done = trainc("status", "--from", os.path.join(d, "objects.json"), os.path.join(d, "a.tj"))
    return done.stdout + done.stderr


def states():
    with tempfile.TemporaryDirectory() as d:
        project(d)
        for what, said, words in [
                ("in its queue", status(d, "Pending", [None] * 3, group={"phase": "Pending"}), "Queued.*waits in its queue"),
                ("not seen yet", status(d, None, [None] * 3), "Pending"),
                ("all run", status(d, "Running", [RUNNING] * 3), "Running +worker +3 +3 +3"),
                ("it restarts", status(d, "Restarting", [None] * 3, retries=1), "Degraded.*1 of 2 restarts"),
                ("it has restarted", status(d, "Running", [RUNNING] * 3, retries=2), "Running +worker +3 +3 +3"),
                ("all have ended", status(d, "Completed", [ENDED] * 3), "Succeeded"),
                ("it has given up", status(d, "Failed", [DEAD, None, None], retries=3), "Failed.*exit code 3"),
                ("it was ended by a rule", status(d, "Terminated", [DEAD, ENDED, None]), "Failed.*exit code 3"),
                ("nothing is left of it", status(d, "Terminated", [None] * 3), "Failed.*Volcano says Terminated"),
                ("somebody holds it", status(d, "Aborted", [None] * 3), "Suspended.*Volcano says Aborted")]:
            check("status: " + what, re.search(words, said, re.S), said)
        done = trainc("why", "--from", os.path.join(d, "objects.json"), os.path.join(d, "a.tj"))
        check("why names the tool that resumes it", "vcctl job resume" in done.stdout and "trainc resume" not in done.stdout, done.stdout + done.stderr)
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {}, "status": {
            "allocatable": {"cpu": "2", "memory": "8Gi", "pods": "110"}, "conditions": [{"type": "Ready", "status": "True"}]}}
        with open(os.path.join(d, "nodes.json"), "w") as f:
            json.dump({"apiVersion": "v1", "kind": "List", "items": [node]}, f)
        done = trainc("fit", "--nodes", os.path.join(d, "nodes.json"), os.path.join(d, "a.tj"))
        check("fit counts the pods of tasks", re.search("worker.*\\b3\\b", done.stdout + done.stderr) and "unknown" not in done.stdout, done.stdout + done.stderr)


def native():
    objects, said = objects_of('job "a" {\n  image = "r.example.com/a:1"\n  gang = "native"\n  role w { command = ["w"] }\n}\n')
    check("gang = \"native\" is refused", objects is None and "TJ0809" in said and "gang = \"native\"" in said, said)


random_programs(80)
failures()
there_and_back()
states()
native()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
