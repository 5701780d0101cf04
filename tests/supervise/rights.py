"""rights.py [NAME...] - the permissions of `trainc supervise --manifest` are those that the controller needs, verb by verb.

Each check brings a controller into every situation in which it needs one of its permissions. The server refuses what
the manifest does not permit (world.py), so no permission is missing; and each one must have been used, so none is too
much. Those for runs alone are compared in the same way by runs.py."""
import re
import sys
import time

from supervise import (ALL, condition, container, job_done, job_pod, mpijob, old_mxjob, old_tfjob, old_status, pods_are, pytorch, role, tfjob)
from world import JOBS, KINDS, main, must, rights, status

CHECKS = []
ROLES = {"tfjobs": ("tfReplicaSpecs", "tensorflow", ("Chief", "Worker")), "pytorchjobs": ("pytorchReplicaSpecs", "pytorch", ("Master", "Worker")),
         "mxjobs": ("mxReplicaSpecs", "mxnet", ("Scheduler", "Server", "Worker")), "xgboostjobs": ("xgbReplicaSpecs", "xgboost", ("Master", "Worker")),
         "mpijobs": ("mpiReplicaSpecs", "mpi", ("Launcher", "Worker")), "paddlejobs": ("paddleReplicaSpecs", "paddle", ("Worker",)),
         "jaxjobs": ("jaxReplicaSpecs", "jax", ("Worker",))}


def check(f):
    CHECKS.append(f)
    return f


def job(plural, name, **policy):
    key, main_container, roles = ROLES[plural]
    spec = {key: {r: role(main_container, 1, "ExitCode") for r in roles}, "runPolicy": policy}
    return {"apiVersion": "kubeflow.org/v1", "kind": JOBS[plural], "metadata": {"name": name},
            "spec": {**spec, **({"jobMode": "MXTrain"} if plural == "mxjobs" else {})}}


def kept(w, plural, name):
    """Is a fact about the job in its annotation?"""
    return (w.get(plural, name)["metadata"].get("annotations") or {}).get("trainc.dev/record")


def life(w, plural):
    """A job of a kind: its worker is retried, which its annotation records; it ends, and is deleted. Returns the job's
    pods and Services."""
    name = "life-" + plural
    with w.lock:
        w.put(plural, job(plural, name, ttlSecondsAfterFinished=0))
    w.wait_for("pods of " + name, lambda: (("pods", "default", name + "-worker-0")) in w.objects and
               sum(n.startswith(name) for n in w.names("pods")) == len(ROLES[plural][2]))
    w.run_pods(match=name)
    w.wait_for("Running", condition(w, plural, name, "Running"))
    w.pod(name + "-worker-0", "Failed", 137)
    w.wait_for("a record", lambda: kept(w, plural, name))


def end(w, plural):
    name = "life-" + plural
    w.wait_for("a new worker", lambda: w.objects.get(("pods", "default", name + "-worker-0"), {}).get("status", {}).get("phase") == "Pending", 40)
    with w.lock:                        # a job may be deleted as soon as one of its pods has ended
        w.run_pods(match=name)
        for n in w.names("pods"):
            if n.startswith(name):
                w.pod(n, "Succeeded")
    w.wait_for("nothing of " + name, lambda: (plural, "default", name) not in w.objects, 40)


def orphan(w, plural, name):
    """Takes its owner from an object: the controller adopts it again."""
    w.change(plural, name, {"metadata": {"ownerReferences": None}})
    w.wait_for("adopted: " + name, lambda: w.objects[(plural, "default", name)]["metadata"].get("ownerReferences"))


def compare(w, *options):
    """Nothing is used that is not granted, which the server checks; nothing is granted that is not used."""
    left = rights(options) - rights(()) - w.needed
    must(not left, "granted, but not used: %s" % sorted(left))


def age(w):
    """Makes the server one without streaming lists, on which a watch begins with a list."""
    w.fault("GET", "sendInitialEvents=true", status(422, "Invalid", "sendInitialEvents is forbidden"), 1000)


def rest(w, plural, name, done):
    """A job at rest is read again when an object with its label appears."""
    w.wait_for("rest of " + name, done)
    path = re.compile(r"/%s/%s$" % (KINDS[plural][2].lower() + "s", name))
    for i in range(40):
        time.sleep(1.5)                 # what is kept of it is freed after a second
        w.put("services", {"metadata": {"name": "%s-%d" % (name, i), "labels": {"training.kubeflow.org/job-name": name}}, "spec": {}})
        time.sleep(0.3)  # the controller does not know it yet
        with w.lock:
            if any(r[0] == "GET" and path.search(r[1]) for r in w.requests):
                for k in range(i + 1):
                    w.take("services", "default", "%s-%d" % (name, k))
                return
    must(False, "%s is not read again" % name)


def exercise(w, *plurals):
    for plural in plurals:
        life(w, plural)
        w.put(plural, job(plural, "rest-" + plural, suspend=True))
        rest(w, plural, "rest-" + plural, condition(w, plural, "rest-" + plural, "Suspended"))
        w.take(plural, "default", "rest-" + plural)
    for plural in plurals:
        end(w, plural)


@check
def kinds(w):
    """--kubeflow: the rights of each kind, those about pods and Services, and those of an MPIJob and an elastic PyTorchJob"""
    age(w)
    w.start("--lease=trainc")
    exercise(w, *ROLES)
    w.put("tfjobs", tfjob())
    w.wait_for("pods", pods_are(w, "train-worker-0", "train-worker-1"))
    orphan(w, "pods", "train-worker-0")
    orphan(w, "services", "train-worker-1")
    w.change("tfjobs", "train", {"spec": {"tfReplicaSpecs": {"Worker": {"replicas": 1}}}})
    w.wait_for("one", lambda: "train-worker-1" not in w.names("pods") + w.names("services"))
    w.take("tfjobs", "default", "train")
    launcher(w)
    scaler(w)
    compare(w, "--kubeflow")


def launcher(w):
    """What an MPIJob shares is read when it exists already; a pod in the way is read, and the Role follows."""
    w.put("mpijobs", mpijob("m"))
    w.wait_for("pods", lambda: {"m-launcher", "m-worker-0", "m-worker-1"} <= set(w.names("pods")))
    w.stop()
    w.take("pods", "default", "m-launcher")
    w.put("pods", {"metadata": {"name": "m-launcher"}, "spec": {"containers": [container("x")]}})
    w.change("mpijobs", "m", {"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 1}}}})
    w.start("--lease=trainc")
    w.wait_for("an Event", lambda: "ErrResourceExists" in w.told("m"), 30)
    w.take("mpijobs", "default", "m")
    w.take("pods", "default", "m-launcher")


def scaler(w):
    """An autoscaler is created, read and changed after a restart, and deleted while its job is suspended."""
    w.put("pytorchjobs", pytorch(elasticPolicy={"minReplicas": 1, "maxReplicas": 4, "metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}))
    w.wait_for("the autoscaler", lambda: w.names("horizontalpodautoscalers") == ["train"])
    w.stop()
    w.change("pytorchjobs", "train", {"spec": {"elasticPolicy": {"maxReplicas": 5}}})
    w.start("--lease=trainc")
    w.wait_for("its change", lambda: w.get("horizontalpodautoscalers", "train")["spec"]["maxReplicas"] == 5)
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("none", lambda: not w.names("horizontalpodautoscalers"))


@check
def chosen(w):
    """--kinds: the rights of two kinds suffice for them, and jobs of the others are left alone"""
    age(w)
    w.put("mpijobs", mpijob("other"))
    w.put("xgboostjobs", job("xgboostjobs", "another"))
    w.start("--kinds=TFJob,JAXJob")
    exercise(w, "tfjobs", "jaxjobs")
    w.put("tfjobs", tfjob())
    w.wait_for("pods", pods_are(w, "train-worker-0", "train-worker-1"))
    orphan(w, "pods", "train-worker-0")
    orphan(w, "services", "train-worker-1")
    w.change("tfjobs", "train", {"spec": {"tfReplicaSpecs": {"Worker": {"replicas": 1}}}})
    w.wait_for("one", lambda: w.names("pods") == w.names("services") == ["train-worker-0"])
    must(not [r for r in w.requests if "mpijobs" in r[1] or "xgboostjobs" in r[1]], "kinds that were not chosen are not even listed")
    compare(w, "--kubeflow", "--kinds=TFJob,JAXJob")


def grouped(w, name):
    w.start("--gang", name)
    w.put("pytorchjobs", pytorch())
    w.wait_for("the group", lambda: w.names("podgroups") == ["train"])
    w.change("podgroups", "train", {"status": {"phase": "Inqueue"}})
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.stop()
    w.take("pods", "default", "train-worker-0")
    w.start("--gang", name)                     # it does not know that the group exists
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.pod("train-master-0", "Succeeded")
    w.wait_for("no group", lambda: not w.names("podgroups"))
    left = rights(("--kubeflow", "--gang=" + name)) - rights(("--kubeflow",)) - w.needed
    must(not left, "granted, but not used: %s" % sorted(left))


@check
def volcano(w):
    """--gang volcano"""
    grouped(w, "volcano")


@check
def coscheduling(w):
    """--gang coscheduling"""
    grouped(w, "coscheduling")


@check
def ancestors(w):
    """--ancestors, without --kubeflow"""
    age(w)
    w.put("old-tfjobs", old_tfjob(tensorboard={"logDir": "/logs"}))
    w.put("old-mxjobs", old_mxjob("mx"))
    w.start("--ancestors", kubeflow=False)
    w.wait_for("Jobs", lambda: len(w.names("jobs")) == 7)
    w.wait_for("a status", lambda: old_status(w, "old-mxjobs", "mx").get("phase") == "Creating")
    name = next(n for n in w.names("jobs") if "worker" in n and n.startswith("train"))
    orphan(w, "jobs", name)
    orphan(w, "services", name)
    w.stop()
    w.take("jobs", "default", name)
    w.start("--ancestors", kubeflow=False)      # it does not know that the Deployment, its Service and the ConfigMap exist
    w.wait_for("the Job again", lambda: name in w.names("jobs"))
    w.settle()
    for n in w.names("jobs"):
        job_pod(w, n)
    w.change("old-tfjobs", "train", {"spec": {"replicaSpecs": old_tfjob(workers=0)["spec"]["replicaSpecs"]}})
    w.wait_for("the worker is gone", lambda: name not in w.names("jobs") and name not in w.names("services"))
    job_done(w, next(n for n in w.names("jobs") if "master" in n))
    w.wait_for("Done", lambda: old_status(w, "old-tfjobs").get("phase") == "Done")
    rest(w, "old-tfjobs", "train", lambda: True)
    for n in w.names("jobs"):
        if n.startswith("mx"):
            job_done(w, n)
    w.wait_for("Done", lambda: old_status(w, "old-mxjobs", "mx").get("phase") == "Done")
    rest(w, "old-mxjobs", "mx", lambda: True)
    compare(w, "--ancestors")


@check
def removed(w):
    """a permission that is taken away is noticed: the server refuses the request, and the check fails by that"""
    w.withheld = {("create", "", "pods/exec")}
    w.start()
    w.put("mpijobs", mpijob())
    w.wait_for("a refusal", lambda: ("create", "", "pods/exec") in w.refused)
    w.settle()
    must(w.names("roles") == [] and "train-launcher" not in w.names("pods"), w.names("pods"))
    w.refused.clear()


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
