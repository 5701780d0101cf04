"""What other projects' controllers do with our objects: JobSet's own controller with its webhooks, and the training
operator.  Each check has a namespace of its own.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 operators.py [NAME...]

Pods run nothing here (kwok); annotations say how they end, see stages/pod-complete.yaml.
"""

import json
import os
import subprocess
import sys
import time

import runtime
from runtime import HOLD, Failure
from supervise import NOTE, must

CHECKS = []


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


# What a run looks like

ROLE = ("trainc.dev/role", "training.kubeflow.org/replica-type")

def pods(s, role=None):
    """The pods that are not being deleted, by their names within the run."""
    found = json.loads(s.kubectl("get", "pods", "-o", "json"))["items"]
    mine = [p for p in found if "deletionTimestamp" not in p["metadata"]]
    return [p for p in mine if role in (None, *(p["metadata"].get("labels", {}).get(label) for label in ROLE))]


def until(s, what, right, seconds=150):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := right():
            return found
        time.sleep(0.2)
    seen = [(p["metadata"]["name"], p["status"].get("phase")) for p in pods(s)]
    raise Failure(f"not seen in {seconds} s: {what}\n{seen}\n{s.run('status', 'a', '-o', 'wide').stdout}")


def running(s, n, role=None):
    """Returns the N pods when exactly that many run."""
    def right():
        found = pods(s, role)
        return found if len(found) == n and all(p["status"].get("phase") == "Running" for p in found) else None
    return until(s, f"{n} running pods", right)


def release(s, which, code=0):
    """The pods end with that status."""
    names = [p["metadata"]["name"] for p in which]
    s.kubectl("annotate", "pod", *names, f"{NOTE}/exit={code}", f"{NOTE}/hold-", "--overwrite")


def state(s):
    """The state of the run as `status` reports it."""
    return json.loads(s.run("status", "a", "-o", "json").stdout)["runs"][0]


def has(s, kind, condition):
    """Is that condition of the run's object true?"""
    found = s.get(kind, "a").get("status", {}).get("conditions", [])
    return any(c["type"] == condition and c["status"] == "True" for c in found)


def environment(pod):
    """The environment of its first container, as far as it is plain text."""
    return {e["name"]: e["value"] for e in pod["spec"]["containers"][0].get("env", []) if "value" in e}


def gone(s):
    """Deletes the run; none of its objects may be left, whoever created them."""
    s.want(0, "delete", "a", "--yes")
    until(s, "nothing left", lambda: not [x for x in s.names("job,pod,service,configmap") if "/a" in x])


# JobSet


def put(s, text, target):
    s.write("project.tj", f'project {{\n  target = "{target}"\n}}\n')
    s.write("a.tj", text)


PAIR = """import std.pytorch

job "a": pytorch.torchrun {{
  image = "busybox:1"
{head}  role worker {{
    replicas = 2
    command = ["train.py"]
    {hold}  }}
}}
"""


@check
def set_succeeds(s):
    """a JobSet runs to its end, and its pods have the host names that their environment promises"""
    put(s, PAIR.format(head="", hold=HOLD), "jobset")
    s.want(0, "apply", "a.tj", out="JobSet/a created")
    first = running(s, 2)
    names = {f"{p['spec']['hostname']}.{p['spec']['subdomain']}" for p in first}
    address = environment(first[0])["PET_MASTER_ADDR"]
    must(address in names, f"{address} is not one of {sorted(names)}")
    must(s.get("service", address.split(".")[1])["spec"]["publishNotReadyAddresses"], "the Service hides pods that are not ready")
    until(s, "Running", lambda: state(s)["state"] == "Running")
    release(s, first)
    s.want(0, "wait", "a", err="Succeeded")
    until(s, "Completed", lambda: has(s, "jobset", "Completed"))
    s.want(0, "apply", "a.tj", err="has ended: Succeeded")
    gone(s)


@check
def set_fails(s):
    """a JobSet whose worker fails is Failed, with the worker's exit code"""
    put(s, PAIR.format(head="", hold=HOLD), "jobset")
    s.want(0, "apply", "a.tj")
    release(s, [p for p in running(s, 2) if "-0-1-" in p["metadata"]["name"]], 3)
    s.want(8, "wait", "a", err="Failed: worker 1 exited with code 3")
    gone(s)


# A Job that is re-created under its name may be without pods for long: the Job controller tracks expected pods by name,
# and after a quick change it waits for pods that were never created (seen here for ten minutes).  So these checks
# examine objects.


@check
def set_restarts(s):
    """`restarts` of a JobSet: after a failure every Job is re-created, and the run continues"""
    put(s, PAIR.format(head="  restarts = 1\n", hold=HOLD), "jobset")
    s.want(0, "apply", "a.tj")
    old = s.get("job", "a-worker-0")["metadata"]["uid"]
    release(s, running(s, 2)[:1], 1)

    def again():
        found = [j for j in json.loads(s.kubectl("get", "jobs", "-o", "json"))["items"] if j["metadata"]["uid"] != old]
        return found and found[0]["metadata"]["labels"]["jobset.sigs.k8s.io/restart-attempt"] == "1"
    until(s, "a Job of the second attempt", again)
    must(s.get("jobset", "a")["status"]["restarts"] == 1, s.get("jobset", "a")["status"])
    must(state(s)["state"] not in ("Failed", "Failing"), state(s))
    gone(s)


@check
def set_suspends(s):
    """suspend deletes the pods of a JobSet, resume creates them again"""
    put(s, PAIR.format(head="", hold=HOLD), "jobset")
    s.want(0, "apply", "a.tj")
    running(s, 2)
    s.want(0, "suspend", "a")
    until(s, "no pods", lambda: not pods(s))
    until(s, "Suspended", lambda: state(s)["state"] == "Suspended")
    s.want(0, "resume", "a")
    release(s, running(s, 2))
    s.want(0, "wait", "a", err="Succeeded")
    gone(s)


SERVED = """job "a" {
  image = "busybox:1"
  role ps {
    replicas = 1
    annotations {
      "e2e.trainc.dev/hold" = "yes"
    }
  }
  role worker {
    replicas = 2
    start_after = ready(ps)
    annotations {
      "e2e.trainc.dev/hold" = "yes"
    }
  }
  success = done(worker)
}
"""


@check
def set_orders(s):
    """JobSet's controller itself starts a role after another, and ends roles that would continue after success"""
    put(s, SERVED, "jobset")
    done = s.want(0, "apply", "a.tj", "--for", "created")
    must("plain Jobs cannot do" not in done.stderr, done.stderr)
    running(s, 1, "ps")
    release(s, running(s, 2, "worker"))
    until(s, "Completed", lambda: has(s, "jobset", "Completed"))
    until(s, "no pods", lambda: not [p for p in pods(s) if p["status"]["phase"] == "Running"])
    s.want(0, "wait", "a", err="Succeeded")
    gone(s)


SLICES = """import std.jax
import std.tpu

job "a": jax.distributed {
  image = "busybox:1"
  role worker {
    slices = 2
    accelerator = tpu.v5p(2x2x2)
    command = ["train.py"]
    annotations {
      "e2e.trainc.dev/hold" = "yes"
    }
  }
}
"""


def node_for(s, pod, topology, number):
    """A node that the pod selects, with the devices that it requests, in its own domain of TOPOLOGY."""
    room = {"cpu": "1k", "memory": "10Ti", "pods": "2k", "ephemeral-storage": "10Ti"}
    for device in pod["spec"]["containers"][0].get("resources", {}).get("limits", {}):
        room.setdefault(device, "1k")
    name = f"{s.ns}-{number}"
    labels = {**pod["spec"].get("nodeSelector", {}), "kubernetes.io/hostname": name, topology: name, "e2e": s.ns}
    s.write("node.json", json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
                                     "status": {"capacity": room, "allocatable": room}}))
    s.kubectl("create", "-f", f"{s.dir}/node.json", ns=False)


@check
def set_slices(s):
    """each slice is a Job in a node pool of its own, and its pods find the first host of the first slice"""
    put(s, SLICES, "jobset")
    s.want(0, "apply", "a.tj", "--for", "created")
    topology = s.get("jobset", "a")["spec"]["replicatedJobs"][0]["template"]["metadata"]["annotations"]["alpha.jobset.sigs.k8s.io/exclusive-topology"]
    first = until(s, "the first pod of each slice", lambda: len(found := pods(s)) == 2 and found)
    try:
        for number in (0, 1):
            node_for(s, first[0], topology, number)
        found = running(s, 4)
        places = {(p["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"], p["spec"]["nodeName"]) for p in found}
        must(len(places) == 2 and len({node for _, node in places}) == 2, places)
        names = {f"{p['spec']['hostname']}.{p['spec']['subdomain']}" for p in found}
        address = environment(found[0])["JAX_COORDINATOR_ADDRESS"].rsplit(":", 1)[0]
        must(address in names, f"{address} is not one of {sorted(names)}")
        release(s, found)
        s.want(0, "wait", "a", err="Succeeded")
    finally:
        s.kubectl("delete", "node", "-l", f"e2e={s.ns}", "--wait=false", ns=False, ok=False)
    gone(s)


@check
def set_changes(s):
    """a JobSet that cannot be changed while it exists: the fields are named, and --recreate replaces it"""
    put(s, PAIR.format(head="", hold=HOLD), "jobset")
    s.want(0, "apply", "a.tj")
    s.write("a.tj", PAIR.format(head="", hold=HOLD).replace("train.py", "other.py"))
    s.want(5, "apply", "a.tj", err=r"JobSet/a cannot take spec\.replicatedJobs\S+ while it exists.*train\.py.*other\.py.*--recreate")
    s.want(0, "apply", "a.tj", "--recreate", "--yes", "--for", "created", out="JobSet/a recreated")
    until(s, "the new Job", lambda: command_of(s) == "other.py")
    gone(s)


def command_of(s):
    """The command of the Job of the only role."""
    found = json.loads(s.kubectl("get", "jobs", "-o", "json"))["items"]
    return found[0]["spec"]["template"]["spec"]["containers"][0]["command"][0] if found else None


# The training operator

TRAINING = """import std.kubeflow

job "a": kubeflow.{kind} {{
  image = "busybox:1"
  command = ["train"]
  annotations {{
    "e2e.trainc.dev/hold" = "yes"
  }}
  role {first} {{
  }}
  role worker {{
    replicas = 2
  }}
}}
"""


def operator_runs(s, kind, first):
    """Applies a job of the operator; each of its pods has the environment that `env` prints."""
    put(s, TRAINING.format(kind=kind, first=first), "kubeflow")
    s.want(0, "apply", "a.tj", "--for", "created")
    found = running(s, 3)
    promised = json.loads(s.want(0, "env", "a.tj", "-o", "json").stdout)["jobs"][0]["replicas"]
    for pod in found:
        name, container = pod["metadata"]["name"], pod["spec"]["containers"][0]["name"]
        ours = [r["env"] for r in promised if r["name"] == name and r["container"] == container]
        must([{e["name"]: e["value"] for e in env} for env in ours] == [environment(pod)], f"{name}: {environment(pod)}, not {ours}")
    until(s, "Running", lambda: state(s)["state"] == "Running")
    return found


@check
def operator_succeeds(s):
    """a PyTorchJob and its environment: the operator gives its pods what `env` prints, and `wait` sees it succeed"""
    found = operator_runs(s, "pytorchjob", "master")
    release(s, found)
    s.want(0, "wait", "a", err="Succeeded")
    s.want(0, "status", "a", out="Succeeded")
    gone(s)


@check
def operator_tfjob(s):
    """a TFJob: the operator's TF_CONFIG equals the one that `env` prints, and the chief decides"""
    found = operator_runs(s, "tfjob", "chief")
    release(s, [p for p in found if p["metadata"]["name"] == "a-chief-0"])
    s.want(0, "wait", "a", err="Succeeded")
    gone(s)


@check
def operator_fails(s):
    """a TFJob whose chief fails is Failed"""
    found = operator_runs(s, "tfjob", "chief")
    release(s, [p for p in found if p["metadata"]["name"] == "a-chief-0"], 1)
    s.want(8, "wait", "a", err="Failed")
    gone(s)


@check
def operator_suspends(s):
    """suspend deletes the pods of a PyTorchJob, resume creates them again"""
    operator_runs(s, "pytorchjob", "master")
    s.want(0, "suspend", "a")
    until(s, "no pods", lambda: not pods(s))
    until(s, "Suspended", lambda: state(s)["state"] == "Suspended")
    s.want(0, "resume", "a")
    release(s, running(s, 3))
    s.want(0, "wait", "a", err="Succeeded")
    gone(s)


# Programs from jobs that are already running

STRANGERS = """apiVersion: batch/v1
kind: Job
metadata: {name: plain, labels: {team: a}}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  backoffLimit: 0
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1", command: [train], ports: [{containerPort: 80, name: http}],
    startupProbe: {httpGet: {port: http}}, env: [{name: SELF, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}]}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: torch}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "busybox:1", command: [train]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: "busybox:1", command: [train]}]}}}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: set}
spec:
  replicatedJobs:
  - name: node
    template: {spec: {parallelism: 2, completions: 2, backoffLimit: 0, template: {spec: {containers: [{name: main, image: "busybox:1", command: [train]}]}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1", command: [train]}]}
"""


@check
def imports(s):
    """import --from-cluster gives the same programs as import of the manifests, without pods or Jobs of a controller"""
    s.write("all.yaml", STRANGERS)
    path = os.path.join(s.dir, "all.yaml")
    s.kubectl("apply", "-f", path)
    until(s, "all pods", lambda: len(pods(s)) == 8)
    before = subprocess.run([os.path.realpath(runtime.TRAINC), "import", path], capture_output=True, text=True, check=True)
    after = s.want(0, "import", "--from-cluster", "pod/alone", "plain", "set", "pytorchjob/torch")
    want, found = programs(before.stdout), programs(after.stdout)
    must(found == want, f"{found}\n\n{want}")
    every = programs(s.want(0, "import", "--from-cluster", "--all").stdout)
    must(every == {name: text for name, text in want.items() if name != "alone"}, sorted(every))
    s.write("all.tj", after.stdout)
    s.want(0, "check", "all.tj")
    s.kubectl("delete", "-f", path)


def programs(text):
    """The jobs of a text by their names, ignoring the namespace and the alignment of columns."""
    lines = [" ".join(line.split()) for line in text.splitlines() if "namespace" not in line]
    return {part.split('"')[1]: part.strip() for part in "\n".join(lines).split("\njob ")[1:]}


# Trainer


def trainer_begins(s):
    put(s, PAIR.format(head="", hold=HOLD), "trainer")
    s.want(0, "apply", "a.tj", "--for", "created", out="TrainJob/a created")
    return running(s, 2)


@check
def trainer_succeeds(s):
    """a TrainJob becomes a JobSet whose pods find each other, and runs to its end"""
    found = trainer_begins(s)
    names = {f"{p['spec']['hostname']}.{p['spec']['subdomain']}" for p in found}
    address = environment(found[0])["PET_MASTER_ADDR"]
    must(address in names, f"{address} is not one of {sorted(names)}")
    until(s, "Running", lambda: state(s)["state"] == "Running")
    release(s, found)
    s.want(0, "wait", "a", err="Succeeded")
    until(s, "Complete", lambda: has(s, "trainjob", "Complete"))
    gone(s)


@check
def trainer_fails(s):
    """a TrainJob whose worker fails is Failed"""
    release(s, trainer_begins(s)[:1], 3)
    s.want(8, "wait", "a", err="Failed")
    gone(s)


@check
def trainer_changes(s):
    """a TrainJob was created from its runtime, which its controller does not read again: --recreate replaces it"""
    trainer_begins(s)
    s.write("a.tj", PAIR.format(head="", hold=HOLD).replace("train.py", "other.py"))
    s.want(5, "apply", "a.tj", err="TrainJob/a cannot be changed while it exists.*made from TrainingRuntime/a.*--recreate")
    must(command_of(s) == "train.py", command_of(s))
    s.want(0, "apply", "a.tj", "--recreate", "--yes", "--for", "created", out="TrainJob/a recreated")
    until(s, "the new Job", lambda: command_of(s) == "other.py")
    s.want(0, "apply", "a.tj", "--for", "created", out="TrainJob/a unchanged")
    gone(s)


@check
def trainer_suspends(s):
    """suspend deletes the pods of a TrainJob, resume creates them again"""
    trainer_begins(s)
    s.want(0, "suspend", "a")
    until(s, "no pods", lambda: not pods(s))
    until(s, "Suspended", lambda: state(s)["state"] == "Suspended")
    s.want(0, "resume", "a")
    release(s, running(s, 2))
    s.want(0, "wait", "a", err="Succeeded")
    gone(s)


def applied_by_kubectl(s, target):
    """The objects of `compile`, without a record: they are a run by their labels, from its start to its end."""
    put(s, PAIR.format(head="", hold=HOLD), target)
    s.write("a.yaml", s.want(0, "compile", "a.tj").stdout)
    s.kubectl("apply", "--server-side", "-f", os.path.join(s.dir, "a.yaml"))
    found = running(s, 2)
    until(s, "Running", lambda: state(s)["state"] == "Running")
    s.want(0, "list", out=r"^a +Running +2/2")
    s.want(0, "why", "a", out="nothing holds it back")
    s.want(5, "delete", "-y", "a", err="has no record")
    release(s, found)
    s.want(0, "wait", "a", err="Succeeded")


@check
def set_without_record(s):
    """a JobSet that kubectl applied is listed, judged and waited for"""
    applied_by_kubectl(s, "jobset")


@check
def trainer_without_record(s):
    """a TrainJob that kubectl applied is listed, judged and waited for, by its runtime"""
    applied_by_kubectl(s, "trainer")


# Coscheduling

GANG = """job "a" {{
  image = "busybox:1"
  gang = "coscheduling"
  role worker {{
    replicas = 4
    cpu = {cpu}
    annotations {{
      "e2e.trainc.dev/hold" = "yes"
    }}
  }}
}}
"""


@check
def gang_runs(s):
    """a gang that fits is placed by the scheduler of scheduler-plugins"""
    put(s, GANG.format(cpu=1), "jobs")
    s.want(0, "apply", "a.tj", "--for", "created")
    found = running(s, 4)
    must({p["spec"]["schedulerName"] for p in found} == {"scheduler-plugins-scheduler"}, found[0]["spec"]["schedulerName"])
    release(s, found)
    s.want(0, "wait", "a", err="Succeeded")
    gone(s)


@check
def gang_waits(s):
    """no pod of a gang that does not fit is scheduled, although one would fit, and `status` says what it waits for"""
    put(s, GANG.format(cpu=600), "jobs")             # the node has 1,000
    s.want(0, "apply", "a.tj", "--for", "created")
    until(s, "4 pods", lambda: len(pods(s)) == 4)
    until(s, "the refusal", lambda: "4 of 4 pods: Unschedulable" in s.run("status", "a").stdout)
    must(not [p for p in pods(s) if p["spec"].get("nodeName")], "a pod of the gang was placed")
    gone(s)


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS))
