"""Compares what `trainc fit` says with what the real scheduler does: random nodes, existing pods, and jobs.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 fit.py

E2E_FIT_CASES is the number of cases (48), E2E_FIT_SEED the seed of the random numbers.  Each case has nodes of its own,
which no other check selects or tolerates.  If a job fits `now`, the scheduler places all of its pods. If it `preempts`,
the scheduler does so, and ends a pod of lower priority. If it fits the `empty` cluster, the scheduler does so when the
other pods are gone. If it `never` fits, the scheduler does not. An `unknown` answer claims nothing, and is rare.
"""

import json
import os
import random
import sys
import time

import runtime
from runtime import Failure

CLASS = "e2e-fit-high"
CASES = int(os.environ.get("E2E_FIT_CASES", "48"))


def amounts(cpu, memory, **more):
    return {"cpu": str(cpu), "memory": f"{memory}Gi", **{f"example.com/{name}": str(n) for name, n in more.items()}}


def node(dice, run, case, i):
    """A node of a case, as kwok plays it."""
    name = f"fit-{run}-{case}-{i}"
    taints = [{"key": f"fit-{run}-{case}", "effect": "NoSchedule"}]
    if dice.random() < 0.3:
        taints.append({"key": f"t{dice.randrange(2)}", "effect": dice.choice(("NoSchedule", "PreferNoSchedule"))})
    has = {**amounts(dice.choice((4, 8, 16)), dice.choice((8, 32)), **({"gpu": dice.choice((2, 4))} if dice.random() < 0.5 else {})),
           "pods": str(dice.choice((3, 110)))}
    labels = {"kubernetes.io/hostname": name, "fit-case": f"{run}-{case}", "zone": dice.choice("ab")}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "spec": {"taints": taints, "unschedulable": dice.random() < 0.1}, "status": {"allocatable": has, "capacity": has}}


def pod(dice, case, i, on):
    """A pod that exists before the job."""
    need = amounts(dice.randrange(4), dice.randrange(8))
    main = {"name": "main", "image": "busybox:1", "resources": {"requests": need}}
    if dice.random() < 0.3:
        main["ports"] = [{"containerPort": 80, "hostPort": dice.choice((9000, 9001)), "protocol": dice.choice(("TCP", "TCP", "UDP"))}]
    spec = {"nodeName": on, "tolerations": [{"operator": "Exists"}], "containers": [main]}
    if dice.random() < 0.3:
        spec["priorityClassName"] = CLASS       # of the same priority as the jobs that have one
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"there-{case}-{i}", "labels": {"there": "yes", "case": str(case)}}, "spec": spec}


def job(dice, run, case):
    """A role of random size, requests and placement."""
    more = [f'node {{ "fit-case" = "{run}-{case}"' + (', "zone" = "a"' if dice.random() < 0.3 else "") + " }",
            f'tolerate = ["fit-{run}-{case}"' + (', "t0"' if dice.random() < 0.4 else "") + "]"]
    if dice.random() < 0.2:
        more.append('spread = "host"')
    if dice.random() < 0.4:
        more.append("raw container { resources = { limits = { \"example.com/gpu\" = %d } } }" % dice.choice((1, 2)))
    head = runtime.HOLD
    if dice.random() < 0.35:
        head += f'priority = "{CLASS}"\n  '
    port, kind = dice.random(), dice.random()
    if port < 0.25:
        more.append('ports { p = 9000 }')
    if port < 0.2:
        more.append('raw pod { hostNetwork = true, dnsPolicy = "ClusterFirstWithHostNet" }')
    elif kind < 0.08:
        more.append('raw pod { topologySpreadConstraints = [{ maxSkew = 1, topologyKey = "zone", whenUnsatisfiable = "DoNotSchedule", '
                    'labelSelector = { matchLabels = { "trainc.dev/job" = "j%d" } } }] }' % case)
    elif kind < 0.12:
        more.append('raw pod { schedulingGates = [{ name = "e2e.trainc.dev/gate" }] }')
    return runtime.job(f"j{case}", f"replicas = {dice.randrange(1, 10)}\ncommand = [\"train\"]\ncpu = {dice.choice((1, 2, 4))}\n"
                       f"memory = {dice.choice((1, 4))}Gi\n" + "\n".join(more), head)


def fits(done):
    """The first word of each line of `trainc fit`, in the order of the jobs."""
    return [line.split()[0] for line in done.stdout.splitlines() if line.split()]


def sizes(s):
    """For each case: how many pods its Job creates. It creates them in several requests, which may take long."""
    found = json.loads(s.kubectl("get", "jobs", "-l", "trainc.dev/job", "-o", "json"))["items"]
    return {int(j["metadata"]["labels"]["trainc.dev/job"][1:]): j["spec"]["parallelism"] for j in found}


def scheduled(s):
    """For each case: how many pods of its job have a node, how many the scheduler has considered, and how many exist."""
    found = {case: (0, 0, 0) for case in range(CASES)}
    for p in json.loads(s.kubectl("get", "pods", "-l", "trainc.dev/job", "-o", "json"))["items"]:
        case = int(p["metadata"]["labels"]["trainc.dev/job"][1:])
        placed, looked, n = found[case]
        seen = any(c["type"] == "PodScheduled" for c in p["status"].get("conditions", []))
        found[case] = placed + ("nodeName" in p["spec"]), looked + seen, n + 1
    return found


def wait_for(s, cases, right, what, seconds=180):
    """Waits until right(placed, considered, existing) holds for each case; all jobs have all their pods by then."""
    end, wanted = time.monotonic() + seconds, sizes(s)
    while time.monotonic() < end:
        found = scheduled(s)
        left = [case for case in cases if found[case][2] != wanted[case] or not right(*found[case])]
        if not left:
            return
        time.sleep(0.5)
    raise Failure(f"not seen in {seconds} s: {what}, for {len(left)} jobs; j{left[0]} has {found[left[0]]} pods (scheduled, looked at, all)")


def beside_the_scheduler(s):
    """fit predicts what the real scheduler does with random jobs on random nodes"""
    # CI uses the same cases each time, so that luck does not decide about a change.
    seed = int(os.environ.get("E2E_FIT_SEED") or (7 if os.environ.get("CI") == "true" else random.randrange(1 << 30)))
    dice, run = random.Random(seed), f"{os.getpid()}"
    nodes, pods, programs = [], [], []
    for case in range(CASES):
        mine = [node(dice, run, case, i) for i in range(dice.randrange(1, 6))]
        nodes += mine
        pods += [pod(dice, case, i, dice.choice(mine)["metadata"]["name"]) for i in range(dice.randrange(5))]
        programs.append(job(dice, run, case))
    s.write("nodes.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
    s.write("pods.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    s.write("a.tj", "\n".join(programs))
    names = [n["metadata"]["name"] for n in nodes]
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": CLASS}, "value": 1000}
    s.write("class.json", json.dumps(high))
    try:
        s.kubectl("apply", "-f", os.path.join(s.dir, "class.json"), ns=False)
        s.kubectl("create", "-f", os.path.join(s.dir, "nodes.json"), ns=False)
        s.kubectl("wait", "--for=condition=Ready", "--timeout=50s", *(f"node/{name}" for name in names), ns=False)
        s.kubectl("create", "-f", os.path.join(s.dir, "pods.json"))
        compare(s, seed)
    finally:
        s.kubectl("delete", "--wait=false", *(f"node/{name}" for name in names), ns=False, ok=False)


def compare(s, seed):
    done = s.run("fit", "a.tj")
    words = fits(done)
    if done.returncode not in (0, 8) or len(words) != CASES:
        raise Failure(f"trainc fit: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    kinds = {word: [case for case in range(CASES) if words[case] == word] for word in ("now", "preempts", "empty", "never", "unknown")}
    if not kinds["now"] or not kinds["never"]:
        raise Failure(f"seed {seed} has no jobs of both kinds: {words}")
    if sum(map(len, kinds.values())) != CASES or len(kinds["unknown"]) > CASES // 4:
        raise Failure(f"seed {seed}: {words}")
    before = others(s)
    s.want(0, "apply", "a.tj", "--no-wait")
    wait_for(s, kinds["now"], lambda placed, looked, n: placed == n, f"`now`, and all pods scheduled (seed {seed})")
    wait_for(s, kinds["preempts"], lambda placed, looked, n: placed == n, f"`preempts`, and all pods scheduled (seed {seed})")
    after = others(s)
    for case in kinds["now"] + kinds["preempts"]:
        if (after[case] < before[case]) != (case in kinds["preempts"]):
            raise Failure(f"fit said `{words[case]}` of j{case}, and of {before[case]} other pods {after[case]} are left (seed {seed})")
    wait_for(s, kinds["empty"] + kinds["never"], lambda placed, looked, n: looked == n, f"the scheduler has looked (seed {seed})")
    unfit(s, kinds["empty"] + kinds["never"], seed)
    s.kubectl("delete", "pods", "-l", "there=yes", "--grace-period=0", "--force", "--wait=true")
    wait_for(s, kinds["empty"], lambda placed, looked, n: placed == n, f"`empty`, and all pods scheduled once the others are gone (seed {seed})")
    unfit(s, kinds["never"], seed)


def others(s):
    """For each case: how many of the pods that existed before the job do, and are not being ended."""
    found = {case: 0 for case in range(CASES)}
    for p in json.loads(s.kubectl("get", "pods", "-l", "there=yes", "-o", "json"))["items"]:
        found[int(p["metadata"]["labels"]["case"])] += "deletionTimestamp" not in p["metadata"] and p["status"].get("phase") != "Failed"
    return found


def unfit(s, cases, seed):
    found = scheduled(s)
    for case in cases:
        if found[case][0] == found[case][2]:
            raise Failure(f"fit said that j{case} does not fit, and all its pods are scheduled (seed {seed})")


CHECKS = [(beside_the_scheduler.__doc__, beside_the_scheduler)]


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS))
