"""Single rules of the ancestors, each with its own inputs, from which a program is made."""
import json
import os
import shutil
import subprocess

from ancestors import own, same
from legacy_status import Status

IMAGE = "registry.example.com/filled/in:1.0"


def mx_program(roles, arguments="", name="digits", more=""):
    text = "".join("  role %s { replicas = %d%s }\n" % (role, n, more if role == "worker" else "") for role, n in roles.items() if n)
    return 'import std.kubeflow\njob "%s": kubeflow.mxjob(operator = "1.7"%s) {\n  image = "%s"\n%s}\n' % (name, arguments, IMAGE, text)


def conditions(case, given, want):
    """The condition that follows from counts of v1beta1's replicas, by its success policy."""
    for n, (i, wanted) in enumerate(zip(given, want["conditionPresent"])):
        program = mx_program({"scheduler": i["schedulerReplicas"], "worker": i["workerReplicas"]},
                             ', api = "v1beta1", success_policy = "%s"' % i["successPolicy"])
        phases = {role: ["Succeeded"] * i[role]["succeeded"] + ["Failed"] * i[role]["failed"] + ["Running"] * i[role]["active"]
                  for role in ("scheduler", "worker")}
        status = Status(case, program=program).with_phases(lambda role, k: (phases[role] + [None] * 9)[k])
        yield from same("%d: %s" % (n, i["description"]), status.last(), wanted)


def worker_ids(case, given, want):
    """Only workers know their number."""
    roles = {}
    for i in given:
        roles[i["role"].lower()] = max(roles.get(i["role"].lower(), 0), i["index"] + 1)
    pods = {o["metadata"]["name"]: o for o in case.tool.compiled(mx_program(roles, ', api = "v1"'), "--target", "pods") if o["kind"] == "Pod"}
    for i, wanted in zip(given, want["DMLC_WORKER_ID"]):
        pod = pods["digits-%s-%d" % (i["role"].lower(), i["index"])]
        env = {v["name"]: v.get("value") for v in pod["spec"]["containers"][0]["env"]}
        yield from same("%s %d" % (i["role"], i["index"]), env.get("DMLC_WORKER_ID"), wanted)


def job_labels(case, given, want):
    """Every pod and Service has them; '/' in a key becomes '-'."""
    program = mx_program({"worker": 1}, ', api = "v1"', name=given["key"].replace("/", "-"))
    for o in case.tool.compiled(program, "--target", "pods"):
        yield from same("labels of " + o["kind"], {k: v for k, v in own(o["metadata"]["labels"]).items() if k in want}, want)


def retryable(case, given, want):
    """A role whose exit codes decide: 1 to 127 are permanent; for other codes only the code counts."""
    program = mx_program({"worker": 1}, ', api = "v1"', more=", retry_on = 128..255")
    for i, wanted in zip(given, want["retryable"]):
        code, reason = i["exitCode"], i.get("reason")
        phase = "Failed" if code else "Succeeded"
        verdict = Status(case, program=program).with_phases(lambda role, k: phase, code=code, reason=reason).last()
        yield from same("a verdict about %s" % i, verdict in ("Succeeded", "Restarting", "Failed") and (verdict == "Succeeded") == (code == 0), True)
        if (verdict == "Restarting") == wanted:
            continue
        if code >= 128 and not wanted:
            case.differs("code-decides", "%s may begin again" % i)
        else:
            yield "%s is %s" % (i, verdict)


def decided(case, manifest, pods, expect):
    """One pass of the controller over these pods, checked by the test for such decisions
    (tests/unit/operator_test.c)."""
    judge = os.path.join(os.path.dirname(case.tool.path), "unit", "operator_test")
    folder = os.path.join(case.scratch, "operator", case.name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "job.yaml"), "w", encoding="utf-8") as f:
        json.dump(manifest, f)
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as f:
        json.dump({"check": "reconcile", "operator_version": "1.7", "observed": {"pods": pods}, "expect": expect}, f)
    done = subprocess.run([judge], env=dict(os.environ, CONFORMANCE=case.scratch), capture_output=True, text=True, timeout=60)
    shutil.rmtree(folder)
    if "ok %s\n" % case.name not in done.stdout:
        yield next((line for line in done.stdout.splitlines() if line.startswith("FAIL %s:" % case.name)), "no verdict: " + done.stdout[-300:])


def mx_manifest(version, roles, **spec):
    """An MXJob of the operator that only handles MXNet: (role, replicas, restart policy)."""
    template = {"spec": {"containers": [{"name": "mxnet", "image": IMAGE}]}}
    entries = {role: {"replicas": n, "restartPolicy": policy, "template": template} for role, n, policy in roles}
    return {"apiVersion": "kubeflow.org/" + version, "kind": "MXJob", "metadata": {"name": "digits"},
            "spec": dict({"jobMode": "MXTrain", "mxReplicaSpecs": entries}, **spec)}


def exit_code(case, given, want):
    """A failed pod of a role whose exit codes decide is replaced by a new one, or stays when the job has failed."""
    manifest = mx_manifest("v1beta1", [("Worker", 1, given["restartPolicy"])], cleanPodPolicy="None")
    pods = [{"name": "digits-worker-0", "phase": given["podPhase"], "exitCode": given["exitCode"]}]
    yield from decided(case, manifest, pods, {"pods_deleted": int(want["podDeleted"])})


def backoff(case, given, want):
    """Restarts in place count; a job with too many of them is cleaned up."""
    counts, servers = given["workerRestartCounts"], given["serversActive"]
    manifest = mx_manifest("v1", [("Worker", len(counts), given["workerRestartPolicy"]), ("Server", servers, "Never")],
                           backoffLimit=given["backoffLimit"])
    pods = [{"name": "digits-worker-%d" % i, "phase": "Running", "restarts": n} for i, n in enumerate(counts)]
    pods += [{"name": "digits-server-%d" % i, "phase": "Running"} for i in range(servers)]
    yield from decided(case, manifest, pods, {"pods_deleted": want["podDeletions"]})


UNITS = [
    ({"podDeleted"}, exit_code),
    ({"podDeletions"}, backoff),
    ({"retryable"}, retryable),
    ({"conditionPresent"}, conditions),
    ({"DMLC_WORKER_ID"}, worker_ids),
    ({"mxnet-job-name", "group-name"}, job_labels),
]
