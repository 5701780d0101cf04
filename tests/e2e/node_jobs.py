"""Examples of the training operator whose pods are real processes, on a real node without the operator (suite.py node).

    KUBECONFIG=... KUBECTL=... TRAINC=... E2E_EXAMPLES=... python3 node_jobs.py [NAME...]

The manifests are those of the operator's version 1.7.0: replicas, policies and, where there is one, the command. Their
images are not available here, so each container has build.sh's image with Python, and the training program is a script:
it prints its environment, and then uses it as the program would: every replica connects to the names and ports in its
environment.  Only when all have succeeded does it exit with 0.
"""

import json
import os
import subprocess
import sys

import runtime
import supervise
from cluster import until
from supervise import GROUP, manifest, must

IMAGE = "localhost/python:1"
DNS = "10.96.0.10"                      # lib.sh
CHECKS = []

COMMON = '''
import json, os, socket, sys, time

def say(**what):
    print(json.dumps(what), flush=True)

def serve(port):
    return socket.create_server(("", port))

def ask(address, text):
    """The answer of the replica at an address; it may not have started yet."""
    host, port = address.rsplit(":", 1)
    end = time.monotonic() + 150
    while True:
        try:
            with socket.create_connection((host, int(port)), timeout=10) as s:
                s.sendall(text.encode() + b"\\n")
                return s.makefile().readline().strip()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
'''

# The ranks send their numbers to the master, and each gets the sum.
TORCH = COMMON + '''
E = os.environ
say(seen={k: v for k, v in E.items() if k in ("RANK", "WORLD_SIZE") or k.startswith(("MASTER_", "PET_"))}, words=sys.argv[1:])
rank, size = int(E["RANK"]), int(E["WORLD_SIZE"])
if rank == 0:
    server, came, total = serve(int(E["MASTER_PORT"])), [], 0
    while len(came) < size - 1:
        s, _ = server.accept()
        total += int(s.makefile().readline())
        came.append(s)
    for s in came:
        s.sendall(b"%d\\n" % total)
        s.close()
else:
    total = int(ask(E["MASTER_ADDR"] + ":" + E["MASTER_PORT"], str(rank)))
say(sum=total)
sys.exit(total != size * (size - 1) // 2)
'''

# A parameter server counts requests forever; a worker asks each server.
TENSOR = COMMON + '''
config = json.loads(os.environ["TF_CONFIG"])
task, cluster = config["task"], config["cluster"]
say(seen=config)
if task["type"] == "ps":
    server = serve(int(cluster["ps"][task["index"]].rsplit(":", 1)[1]))
    while True:
        s, _ = server.accept()
        s.sendall(("ps-%d got %s" % (task["index"], s.makefile().readline())).encode())
        s.close()
me = "worker-%d" % task["index"]
answers = [ask(address, me) for address in cluster["ps"]]
say(answers=answers)
sys.exit(answers != ["ps-%d got %s" % (i, me) for i in range(len(cluster["ps"]))])
'''


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


def prepare():
    """The definitions from the controller's manifest, the only ones of these kinds in the cluster; another check may
    have created them."""
    objects = [o for o in manifest("CustomResourceDefinition")]
    with supervise.MANIFEST:
        done = subprocess.run([runtime.KUBECTL, "apply", "--server-side", "-f", "-"], capture_output=True, text=True, timeout=120,
                              input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    must(not done.returncode, done.stderr)
    names = ["crd/" + o["metadata"]["name"] for o in objects]

    def established(crd):
        return any(c["type"] == "Established" and c["status"] == "True" for c in crd.get("status", {}).get("conditions") or [])

    def known():
        text = subprocess.run([runtime.KUBECTL, "get", *names, "-o", "json"], capture_output=True, text=True, check=True, timeout=60).stdout
        return all(established(crd) for crd in json.loads(text)["items"])
    until(known, 60, "the definitions")


def example(searches, path, script, file):
    """The job of an example with the script instead of its program: at the path FILE that its command names, or as
    its command."""
    with open(os.path.join(os.environ["E2E_EXAMPLES"], path)) as f:
        text = f.read()
    text = subprocess.run([runtime.KUBECTL, "create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-"], input=text,
                          capture_output=True, text=True, check=True, timeout=60).stdout
    job = json.loads(text)
    job["metadata"].pop("namespace", None)
    for spec in next(value for key, value in job["spec"].items() if key.endswith("ReplicaSpecs")).values():
        pod = spec["template"]["spec"]
        for container in pod["containers"]:
            command = container.setdefault("command", ["python3", file])
            must(file in command, f"the example's command is {command}")
            container.update(image=IMAGE, imagePullPolicy="IfNotPresent",
                             volumeMounts=[{"name": "program", "mountPath": file, "subPath": "program.py"}])
        # The operator's init container waits with nslookup for the name of the master.  This busybox's nslookup fails
        # as soon as one domain of the search list lacks a name, so the list has only the domain that has it.
        pod.update(dnsPolicy="None", dnsConfig={"nameservers": [DNS], "searches": searches})
        pod["volumes"] = [{"name": "program", "configMap": {"name": "program"}}]
    program = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "program"}, "data": {"program.py": script}}
    return job, program


def said_by(d, pod):
    """The lines of a pod's process, as one dictionary."""
    found = {}
    for line in d.space.kubectl("logs", pod).splitlines():
        found.update(json.loads(line))
    return found


def run(d, path, script, file, searches):
    """Runs an example to its end; returns its job as it was sent."""
    prepare()
    job, program = example(searches, path, script, file)
    kind, name = job["kind"], job["metadata"]["name"]
    d.start()
    d.put(program, job)
    d.until(f"{name} ends", lambda: {"Succeeded", "Failed"} & set(d.conditions(kind, name)), 300)
    if "Succeeded" not in d.conditions(kind, name):
        raise runtime.Failure("\n".join([str(d.conditions(kind, name)), *(d.space.kubectl("logs", p, ok=False) for p in d.pods())]))
    return job


def collected(d, kind, name):
    d.space.kubectl("delete", f"{kind.lower()}s.{GROUP}", name, "--wait=false")
    d.until("its pods are collected", lambda: not d.listed("pods"), 120)


@check
def torch_processes(d):
    """examples/pytorch/simple.yaml: the ranks see the operator's environment and meet at the master"""
    run(d, "pytorch/simple.yaml", TORCH, "/opt/pytorch-mnist/mnist.py", [f"{d.space.ns}.svc.cluster.local"])
    d.until("the worker ends", lambda: d.phases() == ["Succeeded"] * 2, 120)         # only the master decides
    for rank, pod in enumerate(("pytorch-simple-master-0", "pytorch-simple-worker-0")):
        said = said_by(d, pod)
        master = {"ADDR": "pytorch-simple-master-0", "PORT": "23456"}
        want = {"RANK": str(rank), "WORLD_SIZE": "2", **{f"{p}MASTER_{k}": v for k, v in master.items() for p in ("", "PET_")},
                "PET_NODE_RANK": str(rank), "PET_NNODES": "2", "PET_NPROC_PER_NODE": "auto"}
        must(said["seen"] == want, f"{pod} sees {said['seen']}, and not {want}")
        must(said["words"] == ["--epochs=1"] and said["sum"] == 1, said)
    status = d.space.get(f"pytorchjobs.{GROUP}", "pytorch-simple")["status"]["replicaStatuses"]
    must(status["Master"].get("succeeded") == 1, status)
    collected(d, "PyTorchJob", "pytorch-simple")


@check
def tensor_processes(d):
    """examples/tensorflow/dist-mnist: workers reach the servers through TF_CONFIG; the servers, which never end, are
    deleted with the job"""
    job = run(d, "tensorflow/dist-mnist/tf_job_mnist.yaml", TENSOR, "/train.py", ["cluster.local"])
    name, sizes = job["metadata"]["name"], {"ps": 2, "worker": 4}
    cluster = {role: [f"{name}-{role}-{i}.{d.space.ns}.svc:2222" for i in range(n)] for role, n in sizes.items()}

    def ended(i):
        return d.space.get("pod", f"{name}-worker-{i}")["status"]["phase"] == "Succeeded"
    d.until("all workers end", lambda: all(ended(i) for i in range(4)), 120)         # only the first one decides
    for role, n in sizes.items():
        for i in range(n):
            said = said_by(d, f"{name}-{role}-{i}")
            want = {"cluster": cluster, "task": {"type": role, "index": i}, "environment": "cloud"}
            must(said["seen"] == want, f"{role} {i} sees {said['seen']}, and not {want}")
            must(role == "ps" or said["answers"] == [f"ps-{k} got worker-{i}" for k in range(2)], said)
    must(d.phases().count("Running") == 2, f"the servers do not run: {d.phases()}")
    collected(d, "TFJob", name)


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS, supervise.outcome))
