"""The training operator and our controller on one control plane: time, requests to the API server, and resources of
each.

    E2E_OPERATOR=... E2E_ADDONS=... KUBECTL=... TRAINC=... python3 peer_bench.py DIR [us|them] [SCENARIO...]

DIR is that of a cluster (up.sh kwok with E2E_AUDIT=1).  PEER_PODS=N sets how many pods run when a controller is
restarted.
"""

import glob
import json
import os
import signal
import subprocess
import sys
import time

from cluster import Cluster, Missing, Refused, until
from peer import GROUP, served
from supervise import NOTE, resource

SIDES = {"them": "operator", "us": "trainc"}
TICK = os.sysconf("SC_CLK_TCK")
LONGEST = 900


class Controller:
    """A process, its resource use, and its requests."""

    def __init__(self, directory, word):
        config = os.path.join(directory, "kubeconfig.controller")
        self.audit = os.path.join(directory, "audit.log")
        self.from_line = os.path.getsize(self.audit)
        ours = [os.path.realpath(os.environ["TRAINC"]), "supervise", "--kubeflow", "--all-namespaces", "--operator", "1.7"]
        theirs = [os.path.join(os.environ["E2E_OPERATOR"], "training-operator"), "--kubeconfig", config, "--zap-log-level", "error",
                  "--metrics-bind-address", "0", "--health-probe-bind-address", "0", "--monitoring-port", "0"]  # fmt: skip
        self.began = time.monotonic()
        self.process = subprocess.Popen(theirs if word == "them" else ours, env={**os.environ, "KUBECONFIG": config},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip

    def usage(self):
        """Its peak memory in MB, its seconds of processor time."""
        if self.process.poll() is not None:
            raise RuntimeError(f"the controller has ended with {self.process.returncode}")
        with open(f"/proc/{self.process.pid}/status") as f:
            peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM:"))
        with open(f"/proc/{self.process.pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        return peak / 1024, (int(fields[11]) + int(fields[12])) / TICK

    def requests(self):
        """How many requests of each verb and resource were made; a watch counts when it starts."""
        seen = {}
        with open(self.audit) as f:
            f.seek(self.from_line)
            for line in f:
                event = json.loads(line)
                about = event.get("objectRef", {})
                what = "/".join(about[part] for part in ("resource", "subresource") if part in about)
                seen[event["auditID"]] = f"{event['verb']} {what or event['requestURI'].split('?')[0]}"
        verbs = list(seen.values())
        return {verb: verbs.count(verb) for verb in sorted(set(verbs))}

    def close(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Place:
    """A namespace of the cluster with the jobs of one scenario."""

    def __init__(self, cluster, name):
        self.cluster, self.ns = cluster, f"bench-{name}-{os.getpid()}"
        cluster.make_namespace(self.ns)
        until(lambda: any(a["metadata"]["name"] == "default" for a in cluster.list(self.ns, "serviceaccounts")), 60, "the account")

    def put(self, jobs):
        for job in jobs:
            self.cluster.request("POST", f"{GROUP}/namespaces/{self.ns}/pytorchjobs", job)

    def pods(self):
        """Returns their number with a single request."""
        found = self.cluster.get(f"/api/v1/namespaces/{self.ns}/pods?limit=1")
        return len(found["items"]) + found["metadata"].get("remainingItemCount", 0)

    def succeeded(self):
        found = self.cluster.get(f"{GROUP}/namespaces/{self.ns}/pytorchjobs")["items"]
        return sum(holds(job, "Succeeded") for job in found)

    def close(self):
        """Deletes everything and waits until the control plane is idle for the next scenario."""
        for plural in (f"{GROUP}/namespaces/{self.ns}/pytorchjobs", f"/api/v1/namespaces/{self.ns}/pods"):
            self.cluster.delete_all(plural)
        self.cluster.drop_namespace(self.ns)

        def gone():
            try:
                self.cluster.get(f"/api/v1/namespaces/{self.ns}")
            except Missing:
                return True
            return False
        until(gone, LONGEST, f"the end of {self.ns}")


def holds(job, condition):
    return any(c["type"] == condition and c["status"] == "True" for c in job.get("status", {}).get("conditions", []))


def after(start, right):
    """Seconds from START until RIGHT() is true."""
    end = start + LONGEST
    while not right():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {LONGEST} s")
        time.sleep(0.05)
    return time.monotonic() - start


def job(name, sizes, restart="Never", **notes):
    return resource("PyTorchJob", name, restart=restart, sizes=sizes, notes={f"{NOTE}/{key}": value for key, value in notes.items()})


# Scenarios: each gives (what, seconds) pairs


def made_and_done(place, jobs, pods):
    start = time.monotonic()
    place.put(jobs)
    yield "all pods created", after(start, lambda: place.pods() == pods)
    yield "Succeeded", after(start, lambda: place.succeeded() == len(jobs))


def large(place, restart):
    """1 job of 1,000 replicas"""
    yield from made_and_done(place, [job("large", {"Worker": 1000}, run="1s")], 1000)


def many(place, restart):
    """500 jobs of 4 replicas"""
    yield from made_and_done(place, [job(f"j{i}", {"Worker": 4}, run="1s") for i in range(500)], 2000)


def storm(place, restart):
    """200 pods fail at once"""
    path = f"/api/v1/namespaces/{place.ns}/pods"
    place.put([job(f"j{i}", {"Worker": 4}, restart="ExitCode", hold="yes") for i in range(50)])

    def running():
        found = place.cluster.get(path)["items"]
        return {p["metadata"]["uid"] for p in found if p["status"].get("phase") == "Running" and "deletionTimestamp" not in p["metadata"]}
    until(lambda: len(running()) == 200, LONGEST, "200 pods")
    before = running()
    start = time.monotonic()
    for pod in place.cluster.get(path)["items"]:
        ended = {"name": "pytorch", "image": "a", "imageID": "", "ready": False, "restartCount": 0,
                 "state": {"terminated": {"exitCode": 137, "reason": "Error"}}}  # fmt: skip
        place.cluster.patch(f"{path}/{pod['metadata']['name']}/status", {"status": {"phase": "Failed", "containerStatuses": [ended]}})
    yield "all run again", after(start, lambda: len(running() - before) == 200)


def again(place, restart):
    """restarted with N pods running"""
    count = int(os.environ.get("PEER_PODS", "5000")) // 4
    place.put([job(f"j{i}", {"Worker": 4}, hold="yes") for i in range(count)])
    after(time.monotonic(), lambda: place.pods() == 4 * count)
    until(lambda: all(holds(j, "Running") for j in place.cluster.get(f"{GROUP}/namespaces/{place.ns}/pytorchjobs")["items"]), LONGEST, "Running")
    last = f"/api/v1/namespaces/{place.ns}/pods/j{count - 1}-worker-"
    restart(None)
    for i in range(4):                  # while no controller manages it
        place.cluster.patch(last + str(i), {"metadata": {"annotations": {f"{NOTE}/hold": None}}})
    time.sleep(5)  # the cluster is quiet then
    start = time.monotonic()
    restart(True)
    yield "sees what has ended meanwhile", after(start, lambda: place.succeeded() == 1)


SCENARIOS = (large, many, storm, again)


def measure(cluster, directory, word, scenario):
    """The cost of one scenario for one controller: (what, number) pairs."""
    running = [Controller(directory, "us" if scenario is again else word)]
    place = Place(cluster, f"{scenario.__name__}-{word}")

    def restart(start):
        """Stops the controller, which for `again` is ours on both sides; starts the one that is measured."""
        if start:
            running.append(Controller(directory, word))
        else:
            running.pop().close()
    try:
        time.sleep(3)                   # it has its watches
        found = list(scenario(place, restart))
        time.sleep(3)                   # ... and writes its last status
        peak, seconds = running[0].usage()
        asked = running[0].requests()
    finally:
        for one in running:
            one.close()
        try:
            place.close()
        except (Refused, OSError) as problem:           # TimeoutError too: measurements so far still count
            print(f"# {place.ns} is left behind: {problem}", file=sys.stderr, flush=True)
    return [*((what, value, "s") for what, value in found), ("peak memory", peak, "MB"), ("processor time", seconds, "s"),
            ("requests", sum(asked.values()), ""), *((f"  {verb}", n, "") for verb, n in asked.items())]  # fmt: skip


def table(title, sides):
    """Prints the cost for both sides, line by line, and how many times higher the operator's is."""
    print(f"\n{title}\n{'':32}" + "".join(f"{SIDES[word]:>14}" for word in sides) + f"{'ratio':>10}")
    lines = list(dict.fromkeys(what for found in sides.values() for what, _, _ in found))
    units = {what: unit for found in sides.values() for what, _, unit in found}
    values = [{what: value for what, value, _ in found} for found in sides.values()]
    for what in sorted(lines, key=lambda w: (w.startswith("  "), 0)):
        shown = [f"{v.get(what, 0):.1f} {units[what]}" if units[what] else str(v.get(what, 0)) for v in values]
        ratio = f"{values[0][what] / values[1][what]:.1f}" if len(values) == 2 and all(v.get(what) for v in values) else ""
        print(f"{what:32}" + "".join(f"{s:>14}" for s in shown) + f"{ratio:>10}", flush=True)


def main(directory, *words):
    sides = [w for w in words if w in SIDES] or list(SIDES)
    wanted = [s for s in SCENARIOS if s.__name__ in words or not [w for w in words if w not in SIDES]]
    cluster = Cluster(os.environ["KUBECTL"], os.path.join(directory, "kubeconfig"))
    try:
        for path in sorted(glob.glob(os.path.join(os.environ["E2E_ADDONS"], "*.yaml"))):
            cluster.apply_file(path)
        until(lambda: served(cluster, f"{GROUP}/mpijobs"), 60, "the kinds")
        for scenario in wanted:
            table(scenario.__doc__.replace("N pods", os.environ.get("PEER_PODS", "5000") + " pods"),
                  {word: measure(cluster, directory, word, scenario) for word in sides})  # fmt: skip
    finally:
        cluster.close()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main(*sys.argv[1:])
