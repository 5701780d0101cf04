"""What the controller of LeaderWorkerSets does with the objects of the target lws, with its webhooks.

    KUBECONFIG=... KUBECTL=... TRAINC=... E2E_LWS=... python3 groups.py [NAME...]

Pods run nothing here (kwok), and never end.
"""

import glob
import json
import os
import re
import subprocess

import operators
from operators import pods, until
from runtime import PATIENCE, TRAINC, Background, Failure
from supervise import must

CHECKS = []


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


def put(s, text):
    operators.put(s, text, "lws")


CHAT = """import std.lws
job "a" {
  image   = "busybox:1"
  success = none
  %s
  cell serve: lws.group(size = 3) {
    copies = %s
    env { SEED = pod.copy, RANK = pod.rank, ME = pod.host, NAME = "${pod.copy}-of", FIRST = serve[0].leader.host(0) }
    role leader { command = ["serve"], ports { http = 8080 }, env { PORT = leader.port(0, "http") } }
    role worker { command = ["follow"], env { LEADER = leader.address(0, "http"), UP = "$(LWS_LEADER_ADDRESS)" } }
  }
}
"""

ALONE = """job "a" {
  image   = "busybox:1"
  success = none
  cell server {
    copies  = 2
    success = none
    role worker {
      replicas = 11
      command  = ["serve"]
      ports { http = 80 }
      env    { RANK = pod.index, LEADER = worker.host(0), ME = pod.host, ALL = join(worker.addresses("http"), ",") }
      mounts { "/cache" = own_claim("cache", 1Gi, keep = true) }
    }
  }
}
"""


def environment(pod):
    """The variables as the kubelet makes them: references to earlier ones are replaced, and fields of the pod are read."""
    found = {}
    for e in pod["spec"]["containers"][0].get("env", []):
        if "value" in e or "valueFrom" not in e:
            found[e["name"]] = re.sub(r"\$(?:\$|\((\w+)\))", lambda m: "$" if m[0] == "$$" else found.get(m[1], m[0]), e.get("value", ""))
            continue
        path = e["valueFrom"]["fieldRef"]["fieldPath"]
        label = re.fullmatch(r"metadata\.labels\['(.*)'\]", path)
        found[e["name"]] = pod["metadata"]["labels"][label[1]] if label else pod["metadata"]["name"]
        must(label or path == "metadata.name", path)
    return found


def promised(s):
    """What `trainc env` says of each replica, by its host name."""
    said = json.loads(s.want(0, "env", "a.tj", "-o", "json").stdout)
    return {r["host"]: {v["name"]: v["value"] for v in r["env"]} for r in said["jobs"][0]["replicas"]}


def keeps_promises(s, n):
    """The N pods are those of `trainc env`, with the same variables; LWS_LEADER_ADDRESS has the namespace, too."""
    wanted = promised(s)
    must(len(wanted) == n, f"env has {len(wanted)} replicas, not {n}")
    found = {f"{p['spec']['hostname']}.{p['spec']['subdomain']}": p for p in operators.running(s, n)}
    must(sorted(found) == sorted(wanted), f"pods {sorted(found)}\nenv {sorted(wanted)}")
    for host, p in found.items():
        got = environment(p)
        must(p["metadata"]["name"] == host.split(".")[0], p["metadata"]["name"])
        for name, value in wanted[host].items():
            more = "." + s.ns if name == "LWS_LEADER_ADDRESS" else ""
            must(got.get(name) == value + more, f"{host}: {name} is {got.get(name)!r}, and env says {value!r}")
        for address in re.findall(r"[a-z0-9-]+\.a-[a-z]+", " ".join(got.values())):
            must(address in found, f"{host} knows '{address}', and the pods are {sorted(found)}")
    return list(found.values())


def uids(found):
    return {p["metadata"]["name"]: p["metadata"]["uid"] for p in found}


def state(s):
    return operators.state(s)


def cells(s):
    return {f"{r['cell']}/{r['copy']}": r for r in state(s)["roles"] if r.get("cell")}


@check
def groups_run(s):
    """the pods of a cell have the names, hosts and variables that `trainc env` says, and the Service exists"""
    put(s, CHAT % ("", 3))
    s.want(0, "apply", "a.tj", out="LeaderWorkerSet/a-serve created")
    keeps_promises(s, 9)
    service = s.get("service", "a-serve")["spec"]
    must(service["clusterIP"] == "None" and service["publishNotReadyAddresses"], service)
    until(s, "Running", lambda: state(s)["state"] == "Running")
    s.want(0, "status", "a", out=r"serve +.*3/3 copies ready")
    s.want(0, "why", "a", out="Running|nothing")
    s.want(0, "apply", "a.tj", out="unchanged")
    gone(s)


@check
def groups_alone(s):
    """pods of one role, and claims that stay: pod 0 of a copy is called like the copy"""
    put(s, ALONE)
    volumes = [f"{s.ns}-{i}" for i in range(22)]
    s.write("volumes.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [{
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce", "ReadWriteMany"], "hostPath": {"path": "/tmp"}}} for name in volumes]}))
    s.kubectl("create", "-f", os.path.join(s.dir, "volumes.json"), ns=False)
    try:
        s.want(0, "apply", "a.tj")
        keeps_promises(s, 22)
    finally:
        s.kubectl("delete", "pv", "--wait=false", *volumes, ns=False)
    claims = sorted(s.names("pvc"))
    must(len(claims) == 22 and "persistentvolumeclaim/cache-a-server-1-10" in claims, claims)
    gone(s)


@check
def groups_restart(s):
    """a container that restarts restarts its copy as a whole, and no other copy"""
    put(s, CHAT % ("", 2))
    s.want(0, "apply", "a.tj")
    before = uids(operators.running(s, 6))
    victim = "a-serve-1-2"
    s.kubectl("patch", "pod", victim, "--subresource=status", "--type=json", "-p",
              '[{"op": "replace", "path": "/status/containerStatuses/0/restartCount", "value": 1}]')

    def again():
        now = uids(pods(s))
        return len(now) == 6 and all((now[n] != before[n]) == n.startswith("a-serve-1") for n in now)
    until(s, "copy 1 anew", again)
    operators.running(s, 6)
    until(s, "Running", lambda: state(s)["state"] == "Running")
    gone(s)


@check
def groups_alone_restart(s):
    """with restarts = 0 a pod that is deleted comes back alone"""
    put(s, (CHAT % ("", 2)).replace("copies = 2", "copies = 2\n    restarts = 0"))
    s.want(0, "apply", "a.tj")
    before = uids(operators.running(s, 6))
    s.kubectl("delete", "pod", "a-serve-1-2")
    until(s, "a new pod", lambda: uids(pods(s)).get("a-serve-1-2") not in (None, before["a-serve-1-2"]))
    now = uids(operators.running(s, 6))
    must({n for n in now if now[n] != before[n]} == {"a-serve-1-2"}, "other pods have changed, too")
    gone(s)


@check
def groups_scale(s):
    """scale changes the number of copies, apply keeps it, and a copy that goes is not a failure"""
    put(s, CHAT % ("", "1:3"))
    s.want(0, "apply", "a.tj")
    operators.running(s, 9)
    s.want(0, "scale", "a", "serve=2")
    operators.running(s, 6)
    until(s, "Running", lambda: state(s)["state"] == "Running")
    s.want(0, "status", "a", out=r"2/2 copies ready")
    s.want(0, "apply", "a.tj", out="unchanged")
    must(s.get("leaderworkerset", "a-serve")["spec"]["replicas"] == 2, "apply has changed the size")
    s.want(0, "scale", "a", "serve=3")
    keeps_promises(s, 9)
    s.want(6, "scale", "a", "serve=4", err="between 1 and 3")
    gone(s)


@check
def groups_router(s):
    """a role of the job waits until all copies are ready, and starts then"""
    put(s, CHAT % ('role router { command = ["route"], start_after = ready(serve), annotations { "e2e.trainc.dev/hold" = "yes" } }', 2))
    s.want(0, "apply", "a.tj", "--for", "created")
    must(s.get("job", "a-router")["spec"]["suspend"], "the router does not wait")
    attendant = Background(s, "wait", "a", "--timeout", f"{PATIENCE}s")
    try:
        operators.running(s, 7)
    finally:
        attendant.p.terminate()
        attendant.p.wait()
    gone(s)


@check
def groups_waits(s):
    """why says which copy has a pod that no node can take"""
    put(s, (CHAT % ("", 2)).replace('role worker {', 'role worker { cpu = 100000,'))
    s.want(0, "apply", "a.tj", "--for", "created")
    until(s, "a cause", lambda: "Insufficient cpu" in (state(s).get("cause") or ""))
    s.want(0, "why", "a", out="serve.*Insufficient cpu")
    gone(s)


def gone(s):
    """Deletes the run; none of its objects may be left, whoever created them."""
    s.want(0, "delete", "a", "--yes")
    until(s, "nothing left", lambda: not s.names("leaderworkersets,statefulsets,jobs,pods,services,configmaps"))


@check
def groups_goldens(s):
    """the server and the webhook take all goldens of the target"""
    here = os.path.dirname(os.path.abspath(__file__))
    found = sorted(glob.glob(os.path.join(here, "..", "targets", "lws_*.yaml")))
    must(len(found) >= 5, found)
    for path in found:
        s.kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", path)


@check
def groups_examples(s):
    """the examples of the controller's repository are imported, compiled again, and taken by its webhook"""
    found = sorted(glob.glob(os.path.join(os.environ["E2E_LWS"], "examples", "**", "*.yaml"), recursive=True))
    taken = 0
    for path in found:
        with open(path) as f:
            if not re.search("^kind: LeaderWorkerSet", f.read(), re.M):
                continue
        name = os.path.relpath(path, os.environ["E2E_LWS"])
        done = subprocess.run([os.path.realpath(TRAINC), "import", path], capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise Failure(f"{name}: {done.stderr}")
        put(s, done.stdout)
        if "llamacpp" in name and "TJ0801" in s.run("compile", "a.tj", "-o", "json").stderr:
            continue                    # its names have 65 characters in a program
        made = s.want(0, "compile", "a.tj", "-o", "json").stdout
        s.write("made.json", made)
        s.kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", os.path.join(s.dir, "made.json"))
        taken += 1
    must(taken >= 8, f"only {taken} of {len(found)} examples")
