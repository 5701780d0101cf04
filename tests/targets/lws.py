"""lws.py: the target lws, without a cluster.

* Random cells become LeaderWorkerSets. Here the pods are made from them as the controller and its webhook make them (names, labels,
  the three variables), and the variables are resolved as the kubelet does: the result is what `trainc env` says of each replica.
  tests/e2e/groups.py does the same with the controller itself.
* A program in the form that `trainc import` writes comes back from its objects unchanged.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
GROUP, INDEX = "leaderworkerset.sigs.k8s.io/group-index", "leaderworkerset.sigs.k8s.io/worker-index"
passed = failed = 0


def check(what, right, why=""):
    global passed, failed
    passed += bool(right)
    failed += not right
    if not right:
        print("FAIL %s\n%s" % (what, why))


def trainc(*words, text=None):
    return subprocess.run([TRAINC, *words], input=text, capture_output=True, text=True, timeout=60)


# ---- what the controller makes ----

def pods(objects, namespace="default"):
    """Host name -> (labels, containers), as pod_webhook.go and StatefulSets make them."""
    found = {}
    for o in objects:
        if o["kind"] != "LeaderWorkerSet":
            continue
        name, spec = o["metadata"]["name"], o["spec"]
        group = spec["leaderWorkerTemplate"]
        for g in range(spec["replicas"]):
            for i in range(group["size"]):
                template = group.get("leaderTemplate", group["workerTemplate"]) if i == 0 else group["workerTemplate"]
                pod = "%s-%d" % (name, g) + ("-%d" % i if i else "")
                labels = {**template["metadata"]["labels"], GROUP: str(g), INDEX: str(i)}
                ours = [{"name": "LWS_LEADER_ADDRESS", "value": "%s-%d.%s.%s" % (name, g, name, namespace)},
                        {"name": "LWS_GROUP_SIZE", "value": str(group["size"])}, {"name": "LWS_WORKER_INDEX", "value": str(i)}]
                found["%s.%s" % (pod, name)] = (pod, labels, ours, template["spec"])
    return found


def resolved(pod, labels, ours, container):
    """The variables and the words of a container, as the kubelet gives them to it."""
    names = {e["name"] for e in ours}
    env = {}

    def expand(text):
        return re.sub(r"\$\$|\$\((\w+)\)", lambda m: "$" if m[0] == "$$" else env.get(m[1], m[0]), text)
    for e in ours + [e for e in container.get("env", []) if e["name"] not in names]:
        path = e.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
        label = re.fullmatch(r"metadata\.labels\['(.*)'\]", path)
        env[e["name"]] = labels[label[1]] if label else pod if path else expand(e.get("value", ""))
    words = [expand(w) for w in container.get("command", []) + container.get("args", [])]
    paths = [expand(m["subPathExpr"]) for m in container.get("volumeMounts", []) if "subPathExpr" in m]
    return {k: v for k, v in env.items() if not k.startswith("TRAINC_")}, words, paths


# ---- random cells ----

def texts(r, leaders, workers, mine):
    """Texts that a template can have, for a role of these numbers of pods."""
    some = ['pod.copy', '"${pod.copy}"', '"c${pod.copy}-${pod.copy}x"', '"1${pod.copy}"', '"${pod.copy}0"', 'pod.rank', '"r${pod.rank}/${pod.copy}"',
            '"290${pod.rank}"', 'pod.host', '"${pod.host}:${pod.rank}"', 'server.copies', 'server[0].worker.host(0)', 'worker.host(0)',
            'worker.address(0, "p")', 'worker.replicas', '"$(NO)"', '"a$$b${pod.copy}$"', 'worker.host(%d)' % (workers - 1),
            'join(worker.addresses("p"), ",")', 'pod.name', '"${pod.name}.${pod.copy}"', '10 + server.copies']
    if leaders:
        some += ["leader.host(0)", '"tcp://${leader.host(0)}:1${pod.copy}"']
    if mine == "worker" and not leaders:
        some += ["pod.index", '"i${pod.index}"']
    return r.choice(some)


def program(r):
    leaders, copies, workers = r.randint(0, 1), r.choice([1, 2, 3, 11, 23]), r.choice([1, 2, 3, 11, 13])
    roles = []
    for name in (["leader"] if leaders else []) + ["worker"]:
        env = "".join("      V%d = %s\n" % (k, texts(r, leaders, workers, name)) for k in range(r.randint(1, 6)))
        args = ", ".join(texts(r, leaders, workers, name) for _ in range(2)) if r.random() < 0.5 else ""
        args = re.sub(r"(^|, )(pod\.(copy|rank|index|host|name)|[a-z0-9 +]*server\.copies|worker\.replicas)(?=, |$)", r'\1"${\2}"', args)
        mount = 'mounts { "/d" = pvc("data", path = "p/${pod.copy}", shared = true) }' if r.random() < 0.3 else ""
        roles.append('    role %s {\n      replicas = %d\n      command = ["x"%s]\n      ports { p = 80 }\n      env {\n%s      }\n      %s\n    }\n'
                     % (name, 1 if name == "leader" else workers, ", " + args if args else "", env, mount))
    return 'job "a" {\n  image = "r.example.com/a:1"\n  success = none\n  cell server {\n    copies = %d\n    success = none\n%s  }\n}\n' \
        % (copies, "".join(roles)), copies * (leaders + workers)


def random_cells(n):
    for seed in range(n):
        text, count = program(random.Random(seed))
        made = trainc("compile", "--target", "lws", "-o", "json", "-", text=text)
        said = trainc("env", "--target", "lws", "-o", "json", "-", text=text)
        if made.returncode or said.returncode:
            check("cell %d is compiled" % seed, False, text + made.stderr + said.stderr)
            continue
        found = pods(json.loads(made.stdout)["items"])
        wanted = {r["host"]: r for r in json.loads(said.stdout)["jobs"][0]["replicas"]}
        if sorted(found) != sorted(wanted) or len(found) != count:
            check("the pods of cell %d" % seed, False, "%s\n%s\n%s" % (sorted(found), sorted(wanted), text))
            continue
        wrong = []
        for host, (pod, labels, ours, spec) in found.items():
            env, words, paths = resolved(pod, labels, ours, spec["containers"][0])
            for v in wanted[host]["env"]:
                parts = v.get("text", [{"field": v["field"]}] if "field" in v else [v.get("value")])
                value = "".join(part if isinstance(part, str) else pod for part in parts)
                more = ".default" if v["name"] == "LWS_LEADER_ADDRESS" else ""
                if env.get(v["name"]) != value + more:
                    wrong.append("%s: %s is %r, not %r" % (host, v["name"], env.get(v["name"]), value))
            copy, rank = labels[GROUP], labels[INDEX]
            wrong += ["%s: path %s" % (host, p) for p in paths if p != "p/%s" % copy]
            wrong += ["%s: word %r" % (host, w) for w in words if "$(TRAINC" in w]
            if len(words) > 1:
                check_words(wrong, host, text, labels, words)
        check("the variables of cell %d" % seed, not wrong, "\n".join(wrong[:5]) + "\n" + text)


def check_words(wrong, host, text, labels, words):
    """Words have the texts that variables have, so two forms are enough: the number of the copy, and of the pod."""
    line = re.search(r"role %s \{.*?command = \[(.*?)\]\n" % ("leader" if labels["trainc.dev/role"].endswith("leader") else "worker"), text, re.S)[1]
    for written, word in zip(re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s][^,]*(?:\([^)]*\))?', line), words):
        simple = {'"${pod.copy}"': labels[GROUP], '"${pod.rank}"': labels[INDEX], '"c${pod.copy}-${pod.copy}x"': "c%s-%sx" % (labels[GROUP], labels[GROUP])}
        if written in simple and simple[written] != word:
            wrong.append("%s: the word %s is %r" % (host, written, word))


# ---- there and back ----

BACK = ['''import std.lws

job "chat" {
  image   = "registry.example.com/serve/chat:1.0"
  cpu     = 8
  memory  = 32Gi
  success = none

  cell server: lws.group(size = 4) {
    copies = 3

    role leader {
      command = ["serve"]
      env   { FIRST = server[0].leader.host(0), LAST = server[2].worker.host(2) }
      ports { http = 8080 }
    }

    role worker {
      command     = ["follow", "${leader.host(0)}:8080"]
      start_after = ready(leader)
      env { RANK = pod.rank, ME = pod.host, NAME = "c${pod.copy}" }
    }
  }
}
''', '''import std.lws

job "alone" {
  image   = "registry.example.com/serve/llm:2.0"
  success = none

  cell pool: lws.group(size = 8) {
    copies  = 2
    command = ["serve"]

    env {
      LEADER = worker.host(0)
      THIRD  = worker.host(2)
      COPY   = pod.copy
      RANK   = pod.rank
    }

    role leader { replicas = 0 }
    role worker {}
  }
}
''', '''import std.lws

job "racks" {
  namespace = "team"
  image     = "registry.example.com/serve/llm:2.0"
  command   = ["serve"]
  priority  = "high"
  success   = none

  cell pool: lws.group {
    copies   = 2
    restarts = 0
    place    = near("zone")
    apart    = "zone"

    role leader {
      restart = "on-failure"
      grace   = 90s
      labels { app = "pool" }
    }
  }
}
''']


def there_and_back():
    with tempfile.TemporaryDirectory() as d:
        for i, text in enumerate(BACK):
            made = trainc("compile", "--target", "lws", "-", text=text)
            path = os.path.join(d, "a.yaml")
            with open(path, "w") as f:
                f.write(made.stdout)
            back = trainc("import", path)
            check("program %d comes back" % i, made.returncode == 0 and back.stdout == text, made.stderr + back.stderr + back.stdout)
            check("program %d has no warnings" % i, not made.stderr and not back.stderr, made.stderr + back.stderr)


# ---- what status says of pods that no Job makes ----

SERVED = '''import std.lws
job "a" {
  image   = "r.example.com/a:1"
  success = none
  cell serve: lws.group(size = 3) {
    copies = 1:3
    role leader { command = ["serve"] }
    role worker { command = ["follow"] }
  }
}
'''
NOWHERE = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/4 nodes are available."}]}
RUNNING = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}],
           "containerStatuses": [{"name": "main", "ready": True, "started": True, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-01T00:00:02Z"}}}]}


def status(d, replicas, without=(), waits=()):
    """The line of `status` for these pods; those WITHOUT do not exist, those in WAITS find no node."""
    objects = json.loads(trainc("compile", "--target", "lws", "-o", "json", "-", text=SERVED).stdout)["items"]
    for o in objects:
        if o["kind"] == "LeaderWorkerSet":
            o["spec"]["replicas"] = replicas
    for n, (pod, labels, _, spec) in enumerate(list(pods(objects).values())):
        if pod in without:
            continue
        node = {} if pod in waits else {"nodeName": "n"}
        objects.append({"apiVersion": "v1", "kind": "Pod", "spec": {**spec, **node}, "status": NOWHERE if pod in waits else RUNNING,
                        "metadata": {"name": pod, "namespace": "default", "uid": str(n), "creationTimestamp": "2026-01-01T00:00:00Z", "labels": labels}})
    with open(os.path.join(d, "objects.json"), "w") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
    with open(os.path.join(d, "project.tj"), "w") as f:
        f.write('project { target = "lws" }\n')
    with open(os.path.join(d, "a.tj"), "w") as f:
        f.write(SERVED)
    done = trainc("status", "--from", os.path.join(d, "objects.json"), os.path.join(d, "a.tj"))
    return done.stdout + done.stderr


def states():
    with tempfile.TemporaryDirectory() as d:
        for what, said, words in [("all are ready", status(d, 3), "Running +serve +9 +9 +9 .*3/3 copies ready"),
                                  ("scaled to two", status(d, 2), "Running +serve +6 +6 +6 .*2/2 copies ready"),
                                  ("a pod without a node", status(d, 3, waits=["a-serve-1-2"]), "Stalled .*2/3 copies ready; serve 1: serve-worker-1 1: Unschedulable"),
                                  ("a copy that is made anew", status(d, 3, without=["a-serve-1", "a-serve-1-1", "a-serve-1-2"]), "2/3 copies ready")]:
            check("status: " + what, re.search(words, said) and "Failed" not in said, said)


random_cells(120)
there_and_back()
states()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
