"""fields.py - every field times every target: no target drops one silently.

A cell says how the output of a program with the field differs from that of a program without it:
  emitted      in an object that the cluster reads
  annotation   for whatever manages the job, under trainc.dev/
  reported     TJ0817 says that the runtime does it
  told         TJ0810 says what the controller does instead
  refused      an error
  operator     the controller's own rule, see OPERATOR
  status       read by `trainc status` and the local backend from the program itself
tests/targets/fields.table holds the cells; one that is none of them is a failure.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))
from vocabulary import unheard  # noqa: E402

TRAINC = os.environ["TRAINC"]
TABLE = "tests/targets/fields.table"
TARGETS = ("jobs", "pods", "jobset", "trainer", "kubeflow", "lws", "volcano")
NPU = 'accelerator npu(count: int(1..4)) { resource = "example.com/npu", per_pod = count }\n'

# name: (of the job, of its role, base of the role without the field)
FIELDS = {
    "namespace": ('namespace = "team"', "", ""), "queue": ('queue = "q"', "", ""), "gang": ('gang = "volcano"', "", ""),
    "scheduler": ('scheduler = "mine"', "", ""), "priority": ('priority = "high"', "", ""), "timeout": ("timeout = 90s", "", ""),
    "ttl": ("ttl = 60s", "", ""), "clean": ('clean = "all"', "", ""), "restarts": ("restarts = 2", "", ""), "suspend": ("suspend = true", "", ""),
    "success": ("success = done(worker, 0)", "", ""), "running": ("running = ready(worker)", "", ""),
    "replicas": ("", "replicas = 3", "replicas = 2"), "elastic": ("", "replicas = 1:3, retries = 1", "replicas = 3, retries = 1"),
    "container": ("", 'container = "other"', ""), "pull": ("", 'pull = "always"', ""), "pull_secrets": ("", 'pull_secrets = ["s"]', ""),
    "command": ("", 'command = ["x"]', ""), "args": ("", 'args = ["x"]', ""), "workdir": ("", 'workdir = "/app"', ""),
    "env": ("", 'env { A = "b" }', ""), "ports": ("", "ports { http = 80 }", ""), "mounts": ("", 'mounts { "/d" = scratch("s", 1Gi) }', ""),
    "own claim": ("", 'mounts { "/d" = own_claim("s", 1Gi) }', ""), "kept claim": ("", 'mounts { "/d" = own_claim("s", 1Gi, keep = true) }', ""),
    "files": ("", 'files { "/etc/a" = "b" }', ""), "cpu": ("", "cpu = 2", ""), "memory": ("", "memory = 2Gi", ""), "disk": ("", "disk = 2Gi", ""),
    "shm": ("", "shm = 2Gi", ""), "limits": ("", "limits { cpu = 2 }", ""), "resources": ("", 'resources { "example.com/nic" = 2 }', ""), "accelerator": ("", "accelerator = npu(2)", ""),
    "own amounts": ("", "memory = if pod.index == 0 then 2Gi else 1Gi", "memory = 1Gi"),
    "device_claims": ("", 'device_claims { gpu = "one-gpu" }', ""),
    "shared_device_claims": ("", 'shared_device_claims { gpu = "team-gpus" }', ""),
    "node": ("", 'node { zone = "a" }', ""), "node_in": ("", 'node_in { a = ["x", "y"] }', ""), "avoid": ("", 'avoid { a = "x" }', ""), "zone": ("", 'zone = "a"', ""), "zones": ("", 'zone = ["a", "b"]', ""), "tolerate": ("", 'tolerate = ["gpu"]', ""), "spread": ("", 'spread = "host"', ""), "place": ("", 'place = prefer("host")', ""),
    "host_network": ("", "host_network = true", ""), "host_ipc": ("", "host_ipc = true", ""),
    "runtime_class": ("", 'runtime_class = "gvisor"', ""), "automount": ("", "automount = false", ""),
    "env_from": ("", 'env_from = config_env("settings")', ""),
    "security": ("", "security { run_as = 1000 }", ""),
    "service_account": ("", 'service_account = "sa"', ""), "service": ("", 'service = "cluster", ports { http = 80 }', "ports { http = 80 }"),
    "restart": ("", 'restart = "on-failure"', ""), "retries": ("", "retries = 2", ""), "retry_on": ("", "retries = 2, retry_on = 130..140", "retries = 2"),
    "grace": ("", "grace = 90s", ""), "ready": ("", 'ready = exec(["true"])', ""), "labels": ("", 'labels { a = "b" }', ""), "annotations": ("", 'annotations { a = "b" }', ""),
    "sidecar": ("", 'sidecar s { image = "a/b:1" }', ""), "init": ("", 'init i { image = "a/b:1", command = ["x"] }', ""),
    "raw pod": ("", "raw pod { hostIPC = true }", ""), "raw container": ("", "raw container { stdin = true }", ""),
    "raw job": ("", "raw job { backoffLimit = 7 }", ""), "raw service": ('raw service { sessionAffinity = "ClientIP" }', "ports { http = 80 }", "ports { http = 80 }"),
    "start_after": ('aux other { image = "a/b:1", command = ["x"] }', "start_after = done(other)", ""),
    "aux": ('aux other { image = "a/b:1", command = ["x"] }', "", ""),
    "object": ('object o { apiVersion = "v1", kind = "ConfigMap", data { a = "b" } }', "", ""),
}
# Fields of jobs and roles without a row, and why.
OTHERWISE = {
    "image": "every program here has it",
    "layout": "is in no object: tests/language/layouts.py",
    "code": "takes files of a directory, and these programs have none: tests/code/targets.py",
    "slices": "needs an accelerator with slices: tests/emit/slices.tj",
    "other_roles": "is about roles that a program may have; objects do not show it",
}
STATUS = {"running"}
# The training operator creates the gang's group if it was started for that scheduler, and its own default is
# "on-failure".
OPERATOR = {("gang", "kubeflow"), ("restart", "kubeflow")}


def program(target, job, role):
    head = 'job "a"' if target != "kubeflow" else 'import std.kubeflow\njob "a": kubeflow.pytorchjob'
    replicas = "" if "replicas" in role else "replicas = 2\n    "
    if target == "lws":                 # its object is about a cell: the role is in one
        return NPU + '%s {\n  image = "r.example.com/a:1"\n  success = none\n  %s\n  cell c {\n  copies = 2\n  success = none\n  role worker {\n    %s%s\n  }\n  }\n}\n' \
            % (head, job.replace("ready(worker)", "ready(c)"), replicas, role)
    return NPU + '%s {\n  image = "r.example.com/a:1"\n  %s\n  role worker {\n    %s%s\n  }\n}\n' % (head, job, replicas, role)


def compiled(target, text):
    done = subprocess.run([TRAINC, "compile", "-o", "json", "--format", "json", "--target", target, "-"], input=text, capture_output=True, text=True, timeout=60)
    said = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    if done.returncode:
        return None, said
    return json.loads(done.stdout), said


def leaves(value, path=()):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(v, path + (k,))
        if not value:
            yield path, "{}"
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from leaves(v, path + (i,))
    else:
        yield path, value


def cell(target, name, job, role, base):
    other_base = 'aux other { image = "a/b:1", command = ["x"] }' if name == "start_after" else ""
    before, said_before = compiled(target, program(target, other_base, base))
    after, said = compiled(target, program(target, job, role))
    if after is None:
        return "refused"
    if before is None:
        return "refused"
    changed = set(leaves(before)) ^ set(leaves(after))
    ours = [path for path, _ in changed if any(str(p).startswith("trainc.dev/") for p in path)]
    if len(changed) > len(ours):
        return "emitted"
    if ours:
        return "annotation"
    notes = lambda ds: [d for d in ds if d["code"] == "TJ0817"]
    if json.dumps(notes(said)) != json.dumps(notes(said_before)):
        return "reported"
    others = lambda ds: [d["message"] for d in ds if d["code"] == "TJ0810"]
    if others(said) != others(said_before):
        return "told"
    return "status" if name in STATUS else "operator" if (name, target) in OPERATOR else "LOST"


def main():
    lost = ["nothing is compiled for %s, so its column says nothing" % t for t in TARGETS if compiled(t, program(t, "", ""))[0] is None]
    rows = [("field",) + TARGETS]
    for name, (job, role, base) in FIELDS.items():
        row = [cell(t, name, job, role, base) for t in TARGETS]
        lost += ["%s on %s" % (name, t) for t, c in zip(TARGETS, row) if c == "LOST"]
        rows.append((name,) + tuple(row))
    text = "".join(" ".join("%-13s" % c for c in row).rstrip() + "\n" for row in rows)
    if os.environ.get("BLESS"):
        with open(TABLE, "w") as f:
            f.write(text)
    with open(TABLE) as f:
        wanted = f.read().splitlines()
    failed = len(lost)
    for said in unheard(FIELDS, ("job", "role", "aux"), OTHERWISE):
        failed += 1
        print("FAIL " + said)
    for name in lost:
        print("FAIL silently dropped: " + name)
    for i, line in enumerate(text.splitlines()):
        if i >= len(wanted) or wanted[i] != line:
            failed += 1
            print("FAIL %s\n  is:     %s\n  wanted: %s" % (rows[i][0], line, wanted[i] if i < len(wanted) else ""))
    print("%d passed, %d failed" % (len(FIELDS) * len(TARGETS) - failed, failed))
    sys.exit(failed != 0)


main()
