"""tutorial.py TRAINC - does what docs/tutorial.md says, in its order, in an empty directory, then the first run of
docs/local.md; then, each in a directory of its own, what docs/kueue.md, docs/ci.md and docs/administer.md say.

A ```tj block is written to job.tj, or to the file that stands behind the word tj.  A ```sh block is run by a shell; what the block without a language after it shows must
be printed, line by line and in this order, except for lines that are "…"; TIME stands for a time. A line may end with "…".
A block "sh cluster" runs against the stand-in for an API server in tests/cluster.  A command that fails must have a name
below FAILS."""
import json
import os
import re
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cluster"))
from world import World  # noqa: E402

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
FAILS = {"trainc check job.tj": 1, "trainc run --local job.tj": 8}


def pattern(line):
    text = re.escape(line.rstrip("…")).replace("TIME", r"\S+( \S+)?")
    return re.compile(text + ("" if line.endswith("…") else r"\s*$"))


def shown(wanted, printed):
    """The first wanted line that was not printed in its place, or None."""
    lines, at = printed.splitlines(), 0
    for line in wanted.splitlines():
        if line.strip() == "…":
            continue
        form = pattern(line)
        while at < len(lines) and not form.match(lines[at]):
            at += 1
        if at == len(lines):
            return line
        at += 1
    return None


def run(w, words, env, out):
    done = subprocess.run(["sh", "-c", words], cwd=w.dir, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    out.append(done.stdout)
    return done.returncode


def one_node(w):
    w.put("nodes", "", {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                                                              "conditions": [{"type": "Ready", "status": "True"}]}})


def finish(w):
    """What the cluster does while `wait` waits: the Job succeeds."""
    w.run_job("default", w.get("jobs", "hello-worker"), "Succeeded")


def saved_cluster(w):
    """Writes the cluster.json of docs/kueue.md: eight nodes, and a queue with 48 devices, of which 24 are in use."""
    product = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    sizes = {"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "8"}
    quota = [{"name": "cpu", "nominalQuota": "768"}, {"name": "memory", "nominalQuota": "8Ti"}, {"name": "nvidia.com/gpu", "nominalQuota": "48"}]
    used = [{"name": "cpu", "total": "288"}, {"name": "memory", "total": "3Ti"}, {"name": "nvidia.com/gpu", "total": "24"}]
    active = {"conditions": [{"type": "Active", "status": "True"}]}
    queue = "kueue.x-k8s.io/v1beta1"
    items = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-%d" % i, "labels": product},
              "status": {"allocatable": sizes, "conditions": [{"type": "Ready", "status": "True"}]}} for i in range(8)]
    items.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other", "namespace": "other"},
                  "spec": {"nodeName": "gpu-0", "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "8"}}}]},
                  "status": {"phase": "Running"}})
    items.append({"apiVersion": queue, "kind": "ResourceFlavor", "metadata": {"name": "h100"}, "spec": {"nodeLabels": product}})
    items.append({"apiVersion": queue, "kind": "LocalQueue", "metadata": {"name": "team-a", "namespace": "research"},
                  "spec": {"clusterQueue": "team-a"}, "status": active})
    items.append({"apiVersion": queue, "kind": "ClusterQueue", "metadata": {"name": "team-a"},
                  "spec": {"namespaceSelector": {}, "resourceGroups": [{"coveredResources": [r["name"] for r in quota],
                                                                        "flavors": [{"name": "h100", "resources": quota}]}]},
                  "status": dict(active, flavorsReservation=[{"name": "h100", "resources": used}])})
    w.write("cluster.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def follow(w, trainc, blocks, bad):
    """Does what the blocks say; returns the number of commands and outputs, and appends what was wrong to BAD."""
    done, out = 0, []
    os.mkdir(os.path.join(w.dir, "bin"))
    os.symlink(trainc, os.path.join(w.dir, "bin/trainc"))
    local = dict(os.environ, HOME=w.dir, TRAINC_STATE_DIR=os.path.join(w.dir, "state"), PATH=os.path.join(w.dir, "bin") + ":" + os.environ["PATH"])
    cluster = dict(w.environment(), PATH=local["PATH"])
    for kind, text in blocks:
        done += 1
        if kind.split(" ")[0] == "tj":
            name = kind[3:] or "job.tj"
            w.write(name, text)
            if run(w, "trainc fmt --diff --check " + name, local, out):
                bad.append("is not in its form: %s\n%s" % (name, out[-1]))
        elif kind.startswith("sh"):
            out = []
            for words in text.splitlines():
                timer = threading.Timer(0.5, finish, [w]) if words == "trainc wait hello" else None
                if timer:
                    timer.start()
                code = run(w, words, cluster if kind == "sh cluster" else local, out)
                if code not in (0, FAILS.get(words, 0)):
                    bad.append("'%s' exits with %d\n%s" % (words, code, out[-1]))
                done += 1
        elif not kind:
            missing = shown(text, "".join(out))
            if missing is not None:
                bad.append("not printed: %s\nbut\n%s" % (missing, "".join(out)))
    return done


def main(trainc):
    total, all_bad = 0, 0
    for page, more, least, before in (("tutorial", "local", 20, one_node), ("kueue", None, 10, saved_cluster), ("ci", None, 8, None), ("administer", None, 5, None)):
        w, bad = World(), []
        try:
            if before:
                before(w)
            with open("docs/%s.md" % page, encoding="utf-8") as f:
                blocks = FENCE.findall(f.read())
            if more:
                with open("docs/%s.md" % more, encoding="utf-8") as f:
                    blocks += FENCE.findall(f.read())[:3]       # the first run
            done = follow(w, trainc, blocks, bad)
        finally:
            w.close()
        if done < least:
            bad.append("only %d commands and outputs" % done)
        for what in bad:
            print("FAIL docs/%s.md: %s" % (page, what))
        total, all_bad = total + done - len(bad), all_bad + len(bad)
    print("%d passed, %d failed" % (total, all_bad))
    return 1 if all_bad else 0


sys.exit(main(sys.argv[1]))
