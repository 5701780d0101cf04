"""placement.py - fields of the language on a real server: what admission takes, where the real scheduler places the pods, and what a
kubelet makes of it (suite.py runs the checks)."""
import json
import os
import sys
import time

import runtime
from runtime import Failure

KWOK, NODE = [], []
POOLS = {"a": {"pool": "a"}, "b": {"pool": "b", "spot": "yes"}, "c": {"pool": "c"}}
PROGRAM = '''job "%(name)s" {
  image   = "busybox:1"
  command = ["sleep", "600"]
  env_from = [config_env("settings"), secret_env("token", prefix = "T_", optional = true)]
  raw pod       { shareProcessNamespace = true, hostAliases = [{ ip = "10.0.0.1", hostnames = ["job"] }] }
  raw container { stdin = true }
  role worker {
    replicas = 3
    cpu      = 100m
    memory   = 64Mi
    limits { unbounded = true }
    tolerate = ["%(taint)s"]
    node_in { "%(taint)s-pool" = [%(pools)s] }
    avoid { "%(taint)s-spot" = "*" }
    mounts { "/data" = csi("data", "inline.example.com", { bucket = "corpus" }) }
    raw pod { hostAliases = [{ ip = "10.0.0.1", hostnames = ["role"] }] }
    sidecar logs { image = "busybox:1", command = ["tail"], cpu = 10m, memory = 8Mi }
  }
  aux board { command = ["sleep", "600"], tolerate = ["%(taint)s"], cpu = 10m, memory = 8Mi }
}
'''


def kwok_check(f):
    KWOK.append((f.__doc__.strip(), f))
    return f


def node_check(f):
    NODE.append((f.__doc__.strip(), f))
    return f


def nodes_of(taint):
    has = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    return [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"{taint}-{name}", "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": {
        "kubernetes.io/hostname": f"{taint}-{name}", **{f"{taint}-{k}": v for k, v in labels.items()}}},
        "spec": {"taints": [{"key": taint, "effect": "NoSchedule"}]}, "status": {"allocatable": has, "capacity": has}} for name, labels in POOLS.items()]


def pods_of(s, name, role):
    return json.loads(s.kubectl("get", "pods", "-l", f"trainc.dev/job={name},trainc.dev/role={role}", "-o", "json"))["items"]


def placed(s, name, role, n):
    """The pods of a role, when all of them have a node."""
    for _ in range(120):
        pods = pods_of(s, name, role)
        if len(pods) == n and all("nodeName" in p["spec"] for p in pods):
            return pods
        time.sleep(0.5)
    raise Failure(f"role {role} has no nodes for {n} pods: {[p['status'].get('conditions') for p in pods]}")


@kwok_check
def fields_kept(s):
    """node_in, avoid, env_from, limits { unbounded }, csi and raw blocks of a job: a server takes them, the scheduler obeys, nothing is lost"""
    taint = f"kept-{os.getpid()}"
    names = [f"{taint}-{name}" for name in POOLS]
    s.write("nodes.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes_of(taint)}))
    s.kubectl("create", "configmap", "settings", "--from-literal=A=1")
    try:
        s.kubectl("create", "-f", os.path.join(s.dir, "nodes.json"), ns=False)
        s.kubectl("wait", "--for=condition=Ready", "--timeout=50s", *(f"node/{name}" for name in names), ns=False)
        s.write("a.tj", PROGRAM % {"name": "a", "taint": taint, "pools": '"a", "b"'})
        s.want(0, "apply", "a.tj", "--no-wait", err="run 'a' stays when it has ended")
        workers = placed(s, "a", "worker", 3)
        where = {p["spec"]["nodeName"] for p in workers}
        if where != {f"{taint}-a"}:
            raise Failure(f"the pods are on {where}: only {taint}-a is in a pool that is asked for, and not avoided")
        spec = workers[0]["spec"]
        main = spec["containers"][0]
        sources = [next(iter(e.keys() - {"prefix"})) for e in main["envFrom"]]
        wrong = [what for what, good in (
            ("env_from", sources == ["configMapRef", "secretRef"] and main["envFrom"][1]["secretRef"].get("optional") and main["envFrom"][1]["prefix"] == "T_"),
            ("limits", not main["resources"].get("limits") and main["resources"]["requests"]["memory"] == "64Mi"),
            ("csi", [v["csi"]["driver"] for v in spec["volumes"] if "csi" in v] == ["inline.example.com"]),
            ("raw pod", spec.get("shareProcessNamespace") and spec["hostAliases"] == [{"ip": "10.0.0.1", "hostnames": ["role"]}]),
            ("raw container", main.get("stdin") and not spec["initContainers"][0].get("stdin"))) if not good]
        board = placed(s, "a", "board", 1)[0]["spec"]
        if not board.get("shareProcessNamespace") or board["hostAliases"][0]["hostnames"] != ["job"] or not board["containers"][0].get("stdin"):
            wrong.append("raw blocks of the auxiliary role")
        if wrong:
            raise Failure(f"the pods lack what {wrong} says: {spec}")
        s.want(0, "diff", "a.tj")
        s.write("b.tj", PROGRAM % {"name": "b", "taint": taint, "pools": '"x", "y"'})
        s.want(8, "fit", "b.tj", out=f"no node has {taint}-pool = x or y; nodes have {taint}-pool: ")
    finally:
        s.kubectl("delete", "--wait=false", *(f"node/{name}" for name in names), ns=False, ok=False)


@node_check
def node_env_from(s):
    """env_from on a real kubelet: the program has the keys as variables, with the prefix, and env has precedence"""
    s.kubectl("create", "configmap", "settings", "--from-literal=A=config", "--from-literal=B=config")
    s.kubectl("create", "secret", "generic", "token", "--from-literal=C=secret")
    s.write("a.tj", '''job "a" {
  image    = "localhost/busybox:1"
  pull     = "never"
  command  = ["sh", "-c", "echo got $A $B $T_C $C."]
  env_from = [config_env("settings"), secret_env("token", prefix = "T_")]
  env      { B = "own" }
  role worker { cpu = 10m, memory = 16Mi }
}
''')
    s.want(0, "apply", "a.tj", "--for", "complete", "--timeout", "120s")
    s.want(0, "logs", "a", out=r"got config own secret \.")


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], [c for c in NODE + KWOK if c[1].__name__ in sys.argv[1:]] or KWOK))
