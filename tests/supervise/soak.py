"""soak.py - jobs come and go under one controller for SECONDS (3600), and its memory and file descriptors stay constant.

    make soak-supervise                           an hour
    make soak-supervise SECONDS=1200 SEED=7

About 40 jobs exist at any time, and each has one of the lives below: it succeeds, fails, restarts, is suspended,
resized, refused and corrected, loses pods, or is deleted while it runs.  Now and then requests fail and watches end.
Each job has to reach the end of its life within two minutes.  One line a minute shows the memory.
"""
import copy
import os
import random
import statistics
import sys
import time

from supervise import container, pytorch, resident, role, tfjob
from world import SANITIZED, Failure, World, must, status

LIVE = 40
PATIENCE = 120                          # seconds for one step of a job's life
KEPT = 60                               # seconds that the server remembers for watches
WARM = 0.25                             # the part of the run from which on memory counts
GROWTH = 1024                           # KiB by which it may grow from then on: buffers of connections vary by about that
OPEN = 200                              # descriptors: connections of 32 requests and the watches, old and new
NAMES = {"PyTorchJob": "pytorchjobs", "TFJob": "tfjobs", "XGBoostJob": "xgboostjobs", "PaddleJob": "paddlejobs", "MPIJob": "mpijobs",
         "JAXJob": "jaxjobs", "MXJob": "mxjobs"}


def job_of(kind, name, restart="Never", **policy):
    """A job of that kind with two workers."""
    if kind == "PyTorchJob":
        job = pytorch(name, 2, restart)
    elif kind == "TFJob":
        job = tfjob(name, 2, restart)
    else:
        field, word, roles = {
            "XGBoostJob": ("xgbReplicaSpecs", "xgboost", {"Master": 1, "Worker": 2}),
            "PaddleJob": ("paddleReplicaSpecs", "paddle", {"Worker": 2}),
            "MPIJob": ("mpiReplicaSpecs", "mpi", {"Launcher": 1, "Worker": 2}),
            "JAXJob": ("jaxReplicaSpecs", "jax", {"Worker": 2}),
            "MXJob": ("mxReplicaSpecs", "mxnet", {"Scheduler": 1, "Server": 1, "Worker": 2})}[kind]
        specs = {r: role(word, n, restart) for r, n in roles.items()}
        if kind == "MPIJob":
            specs["Launcher"]["template"]["spec"]["containers"] = [container("mpi", command=["mpirun", "-n", "2", "train"])]
        job = {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {"name": name}, "spec": {field: specs}}
        if kind == "MXJob":
            job["spec"]["jobMode"] = "MXTrain"
    job["spec"]["runPolicy"] = policy
    return job


class Life:
    """One job, and what its pods do; a life is a generator of predicates: each must become true before the life
    continues."""

    def __init__(self, w, dice, number):
        self.w, self.dice, self.name = w, dice, "j%d" % number
        self.kind = dice.choice(list(NAMES))
        self.plural = NAMES[self.kind]
        self.what = dice.choice(LIVES)
        self.steps = self.what(self)
        self.step()

    def step(self):
        """Advances to the next predicate; returns false at the end."""
        self.right = next(self.steps, None)
        self.until = time.monotonic() + PATIENCE
        return self.right is not None

    def make(self, restart="Never", **policy):
        self.job = job_of(self.kind, self.name, restart, **policy)
        self.size = sum(r["replicas"] for key, rs in self.job["spec"].items() if key.endswith("ReplicaSpecs") for r in rs.values())

    def put(self, job):
        self.w.put(self.plural, copy.deepcopy(job))

    def pods(self):
        """The names of its pods that are not being deleted."""
        return [n for (p, _, n), o in self.w.objects.items()
                if p == "pods" and n.startswith(self.name + "-") and "deletionTimestamp" not in o["metadata"]]

    def all_there(self):
        return len(self.pods()) == self.size

    def none_there(self):
        return not any(p == "pods" and n.startswith(self.name + "-") for p, _, n in self.w.objects)

    def holds(self, condition):
        return lambda: condition in self.w.conditions(self.plural, self.name)

    def run(self):
        for n in self.pods():
            self.w.pod(n, "Running")

    def one(self):
        return self.dice.choice([n for n in self.pods() if "worker" in n])

    def begin(self, **more):
        """The pods are created (the launcher of an MPIJob when its workers run), and run."""
        self.make(**more)
        self.put(self.job)

        def there():
            if self.kind == "MPIJob" and not self.all_there():
                self.run()
            return self.all_there()
        yield there
        self.run()
        yield self.holds("Running")

    def finish(self):
        for n in self.pods():
            self.w.pod(n, "Succeeded")
        yield self.holds("Succeeded")

    def forget(self):
        """The job is deleted, and its Events some time later."""
        self.w.take(self.plural, "default", self.name)
        yield self.none_there


def succeeds(life):
    yield from life.begin(cleanPodPolicy=life.dice.choice(["All", "Running", "None"]))
    yield from life.finish()
    yield from life.forget()


def fails(life):
    yield from life.begin(backoffLimit=0)
    life.w.pod(life.one(), "Failed", 1)
    yield life.holds("Failed")
    yield from life.forget()


def expires(life):
    yield from life.begin(ttlSecondsAfterFinished=1)
    for n in life.pods():
        life.w.pod(n, "Succeeded")
    yield lambda: (life.plural, "default", life.name) not in life.w.objects and life.none_there()


def restarts(life):
    yield from life.begin(restart="ExitCode")
    pod = life.one()
    uid = life.w.get("pods", pod)["metadata"]["uid"]
    life.w.pod(pod, "Failed", 137)
    yield lambda: life.all_there() and life.w.objects[("pods", "default", pod)]["metadata"]["uid"] != uid
    life.run()
    yield from life.finish()
    yield from life.forget()


def suspends(life):
    yield from life.begin()
    life.w.change(life.plural, life.name, {"spec": {"runPolicy": {"suspend": True}}})
    yield life.none_there
    yield life.holds("Suspended")
    life.w.change(life.plural, life.name, {"spec": {"runPolicy": {"suspend": False}}})

    def there():
        life.run()
        return life.all_there()
    yield there
    life.run()
    yield from life.finish()
    yield from life.forget()


def is_refused(life):
    life.make()
    bad = copy.deepcopy(life.job)
    worker = next(rs for key, rs in bad["spec"].items() if key.endswith("ReplicaSpecs"))["Worker"]
    life.dice.choice([lambda: worker["template"]["spec"]["containers"][0].pop("image"),
                      lambda: worker.update(replicas="x" * life.dice.randrange(1, 3000)),
                      lambda: worker.update(restartPolicy="Sometimes"),
                      lambda: worker["template"]["spec"].update(containers=[])])()
    life.put(bad)
    yield life.holds("Failed")
    life.w.change(life.plural, life.name, {"spec": copy.deepcopy(life.job["spec"])})
    yield lambda: bool(life.pods())
    yield from life.forget()


def loses_a_pod(life):
    yield from life.begin()
    pod = life.one()
    life.w.take("pods", "default", pod)
    yield life.all_there
    life.run()
    yield from life.finish()
    yield from life.forget()


def goes(life):
    life.make()
    life.put(life.job)
    for _ in range(life.dice.randrange(3)):
        yield lambda: bool(life.pods())
    yield from life.forget()


def ends_late(life):
    life.make(activeDeadlineSeconds=2)
    life.put(life.job)
    yield life.holds("Failed")
    yield from life.forget()


def resizes(life):
    life.kind, life.plural = "PyTorchJob", "pytorchjobs"
    life.job = pytorch(life.name, 2, "OnFailure", elasticPolicy={"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d"})
    life.job["spec"]["pytorchReplicaSpecs"].pop("Master")
    life.put(life.job)
    for size in (2, 4, 1):
        life.size = size
        life.w.change(life.plural, life.name, {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": size}}}})
        yield life.all_there
        life.run()
    yield from life.finish()
    yield from life.forget()


LIVES = [succeeds, fails, expires, restarts, suspends, is_refused, loses_a_pod, goes, ends_late, resizes]


class Churn(World):
    """A world that forgets old versions: otherwise the memory of the test itself would grow."""

    oldest = 0                          # no watch can start before this version

    def forget(self, since):
        with self.lock:
            self.requests.clear()
            gone = [i for i, e in enumerate(self.events) if e[5] > since - KEPT]
            first = gone[0] if gone else len(self.events)
            if first:
                self.oldest = self.events[first - 1][0]
                del self.events[:first]
            for key, o in list(self.objects.items()):
                about = o.get("involvedObject") if key[0] == "events" else None
                if about and not any((p, "default", about["name"]) in self.objects for p in NAMES.values()):
                    self.take(*key)
            alive = {o["metadata"]["uid"] for o in self.objects.values()}
            for key, o in list(self.objects.items()):       # its owner was deleted meanwhile: the collector finds it later
                if any(r["uid"] not in alive for r in o["metadata"].get("ownerReferences", [])):
                    self.take(*key)

    def news(self, at, delay):
        must(not at or at >= self.oldest, "a watch is %d versions behind" % (self.oldest - at))
        return super().news(at, delay)

    def disturb(self, dice):
        """A few requests fail, or every watch ends."""
        what = dice.randrange(5)
        if what == 0:
            self.fault("POST", "/(pods|services)", status(500, "InternalError", "of the test"), dice.randrange(1, 4))
        elif what == 1:
            self.fault("PATCH", "/status", status(409, "Conflict", "of the test"), dice.randrange(1, 4))
        elif what == 2:
            self.fault("POST", "/pods", "after", dice.randrange(1, 3))
        elif what == 3:
            self.fault("GET", "watch=true", status(410, "Expired", "of the test"), 2)
            self.cut_watches()
        else:
            self.cut_watches()

    def cut_watches(self):
        self.down = True
        time.sleep(0.5)  # how long the server is away
        self.down = False


def descriptors(p):
    return len(os.listdir("/proc/%d/fd" % p.pid))


def churn(w, seconds, seed):
    """Runs jobs for that many seconds.  Returns [(second, jobs that ended, KiB, descriptors)], one entry per second."""
    dice, begun, living, number, over, seen = random.Random(seed), time.monotonic(), [], 0, 0, []
    shown = disturbed = begun
    w.start()
    while (now := time.monotonic()) < begun + seconds or living:
        while len(living) < LIVE and now < begun + seconds:
            living.append(Life(w, dice, number))
            number += 1
        for life in list(living):
            with w.lock:
                right = life.right()
                ended = right and not life.step()
            if ended:
                living.remove(life)
                over += 1
            elif not right and now > life.until:
                raise Failure("seed %d: %s %s, which %s, waits for ever\n%s" % (
                    seed, life.kind, life.name, life.what.__name__.replace("_", " "), w.log()[-3000:]))
        must(w.controllers[-1].poll() is None, "seed %d: the controller has ended\n%s" % (seed, w.log()[-3000:]))
        if now - begun > len(seen):
            seen.append((now - begun, over, resident(w.controllers[-1]), descriptors(w.controllers[-1])))
            w.forget(time.time())
        if now - shown >= 60:
            shown = now
            print("%6d s  %6d jobs  %6d KiB  %3d descriptors" % (now - begun, *seen[-1][1:]), flush=True)
        if now - disturbed >= 20:
            disturbed = now
            w.disturb(dice)
        time.sleep(0.02)
    return seen


def slope(points):
    """The line through points, by least squares."""
    x, y = statistics.mean(p[0] for p in points), statistics.mean(p[1] for p in points)
    spread = sum((p[0] - x) ** 2 for p in points)
    return sum((p[0] - x) * (p[1] - y) for p in points) / spread if spread else 0


def judge(seen):
    """Memory and descriptors when the run had warmed up, and at its end."""
    warm = seen[int(len(seen) * WARM):]
    third = len(warm) // 3
    first, last = ([s[2] for s in part] for part in (warm[:third], warm[-third:]))
    jobs = warm[-1][1] - warm[0][1]
    grown = slope([(s[1], s[2]) for s in warm]) * jobs
    print("%d jobs in %d s; KiB when warm: %d (at most %d), at the end: %d (at most %d); the line through all grows by %d KiB, %.0f bytes a job"
          % (seen[-1][1], seen[-1][0], statistics.median(first), max(first), statistics.median(last), max(last), grown, grown * 1024 / max(jobs, 1)))
    base = statistics.median(first)
    must(statistics.median(last) < base + GROWTH, "memory grows: %d KiB, then %d" % (base, statistics.median(last)))
    usual = [statistics.median(s[3] for s in part) for part in (warm[:third], warm[-third:])]
    print("descriptors: %d when warm, %d at the end, never more than %d" % (*usual, max(s[3] for s in seen)))
    must(usual[1] < usual[0] + 20 and max(s[3] for s in seen) <= OPEN, "descriptors are left open: %s" % [s[3] for s in seen[-20:]])


def main():
    seconds, seed = int(os.environ.get("SECONDS", 3600)), int(os.environ.get("SEED") or random.randrange(1 << 30))
    w = Churn()
    try:
        print("seed %d, %d s" % (seed, seconds), flush=True)
        seen = churn(w, seconds, seed)
        if SANITIZED:
            print("memory is the sanitizer's here: not looked at")
        else:
            judge(seen)
        w.stop()
        must(not w.refused, "the permissions of the manifest lack %s" % w.refused)
    except Failure as e:
        print("FAIL soak: %s" % e)
        return 1
    finally:
        w.close()
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
