"""supervise.py [NAME...] - the controller with an API server in memory: what it creates, what it writes, and that it
recovers wherever it is killed."""
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from world import SANITIZED, World, main, manifest, must, permissions, selected, status, TRAINC

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def container(name, **more):
    return {"name": name, "image": "registry.example.com/train:1.0", **more}


def role(name, replicas=1, restart="OnFailure", **spec):
    return {"replicas": replicas, "restartPolicy": restart, "template": {"spec": {"containers": [container(name)], **spec}}}


def pytorch(name="train", workers=2, restart="OnFailure", **more):
    spec = {"pytorchReplicaSpecs": {"Master": role("pytorch", 1, restart), "Worker": role("pytorch", workers, restart)}, **more}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": spec}


def tfjob(name="train", workers=2, restart="Never", **more):
    return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": name},
            "spec": {"tfReplicaSpecs": {"Worker": role("tensorflow", workers, restart)}, **more}}


def pods_are(w, *names):
    return lambda: w.names("pods") == sorted(names)


def condition(w, plural, name, what):
    return lambda: what in w.conditions(plural, name)


ALL = ("train-master-0", "train-worker-0", "train-worker-1")


@check
def whole(w):
    """a PyTorchJob: its pods and Services by index, owned, its conditions and counts as the operator writes them, its Events"""
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("three pods", pods_are(w, *ALL))
    w.wait_for("three Services", lambda: len(w.names("services")) == 3)
    pod = w.get("pods", "train-worker-1")
    owner = pod["metadata"]["ownerReferences"]
    job = w.get("pytorchjobs", "train")
    must(owner == [{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "train", "uid": job["metadata"]["uid"], "controller": True,
                    "blockOwnerDeletion": True}], owner)
    must(pod["metadata"]["labels"]["training.kubeflow.org/replica-index"] == "1", pod)
    w.wait_for("Created", condition(w, "pytorchjobs", "train", "Created"))
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    w.wait_for("two active workers", lambda: w.objects[("pytorchjobs", "default", "train")]["status"]["replicaStatuses"]["Worker"].get("active") == 2)
    w.pod("train-master-0", "Succeeded")
    w.wait_for("Succeeded", condition(w, "pytorchjobs", "train", "Succeeded"))
    s = w.get("pytorchjobs", "train")["status"]
    must([(c["type"], c["status"], c["reason"]) for c in s["conditions"]] == [
        ("Created", "True", "PyTorchJobCreated"), ("Running", "False", "PyTorchJobRunning"), ("Succeeded", "True", "PyTorchJobSucceeded")], s)
    must(s["conditions"][2]["message"] == "PyTorchJob train successfully completed.", s)
    selector = "training.kubeflow.org/job-name=train,training.kubeflow.org/operator-name=pytorchjob-controller,training.kubeflow.org/replica-type=%s"
    must(s["replicaStatuses"] == {"Master": {"succeeded": 1, "selector": selector % "master"},
                                  "Worker": {"succeeded": 2, "selector": selector % "worker"}}, s)
    must(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", s["completionTime"]) and s["startTime"] <= s["completionTime"], s)
    w.wait_for("its Event", lambda: "PyTorchJobSucceeded" in w.told("train"))
    w.settle()
    told = w.told("train")
    must(told.count("SuccessfulCreatePod") == 3 and told.count("SuccessfulCreateService") == 3, told)
    must(len(w.written("POST .*/(pods|services)")) == 6, w.written())
    w.stop()


@check
def written_roles(w):
    """replicaStatuses lists the roles that the job has, and is absent until a suspended job has started"""
    job = tfjob(runPolicy={"suspend": True})
    job["spec"]["tfReplicaSpecs"]["Chief"] = role("tensorflow", 1, "Never")
    w.put("tfjobs", job)
    w.start()
    w.wait_for("Suspended", condition(w, "tfjobs", "train", "Suspended"))
    must(not w.get("tfjobs", "train")["status"].get("replicaStatuses"), w.get("tfjobs", "train"))
    w.change("tfjobs", "train", {"spec": {"runPolicy": {"suspend": False}}})
    w.wait_for("pods", pods_are(w, "train-chief-0", "train-worker-0", "train-worker-1"))
    w.run_pods()
    w.wait_for("counts", lambda: w.objects[("tfjobs", "default", "train")]["status"].get("replicaStatuses") == {
        "Chief": {"active": 1}, "Worker": {"active": 2}})
    w.stop()


@check
def counted(w):
    """counts alone are written once a second, including the last ones; a condition is written at once"""
    w.put("tfjobs", tfjob(workers=40))
    w.start()
    w.wait_for("pods", lambda: len(w.names("pods")) == 40)
    w.settle(1.2)
    before = len(w.written("PATCH .*/status"))
    begun = time.monotonic()
    for name in w.names("pods"):
        w.pod(name, "Running")
        time.sleep(0.03)  # pods begin one after the other
    w.wait_for("all counts", lambda: w.objects[("tfjobs", "default", "train")].get("status", {}).get("replicaStatuses") == {"Worker": {"active": 40}})
    took = time.monotonic() - begun
    w.settle(1.2)
    n = len(w.written("PATCH .*/status")) - before
    must(n <= took + 3, "%d writes in %.1f s" % (n, took))

    def fails(i):
        name = "other-%d" % i
        w.put("tfjobs", tfjob(name))
        w.wait_for("pods", lambda: {name + "-worker-0", name + "-worker-1"} <= set(w.names("pods")))
        w.run_pods(match=name)
        w.wait_for("Running", condition(w, "tfjobs", name, "Running"))
        begun = time.monotonic()
        w.pod(name + "-worker-1", "Failed", 1)
        w.wait_for("Failed", condition(w, "tfjobs", name, "Failed"))
        return time.monotonic() - begun
    w.at_once("a condition", 0.9, fails)
    w.stop()


@check
def merged(w):
    """the creation of a job is written together with what follows within a second, counts with the next condition:
    two writes for a short job"""
    w.start()

    def short(i):
        """How long a job took whose status was written twice; as long as that is less than a second, nothing else may
        be written."""
        job = "train-%d" % i
        begun = time.monotonic()
        w.put("tfjobs", tfjob(job, workers=4))
        w.wait_for("pods", lambda: len([n for n in w.names("pods") if n.startswith(job)]) == 4)
        pods = [n for n in w.names("pods") if n.startswith(job)]
        for name in pods:
            w.pod(name, "Running")
            time.sleep(0.02)  # pods begin one after the other
        w.wait_for("Running", condition(w, "tfjobs", job, "Running"))
        for name in pods:
            w.pod(name, "Succeeded")
        w.wait_for("Succeeded", condition(w, "tfjobs", job, "Succeeded"))
        took = time.monotonic() - begun
        w.settle(1.5)
        must(took > 0.9 or len(w.written("PATCH .*/" + job)) == 2, w.written("PATCH .*/" + job))
        must(w.get("tfjobs", job)["status"]["replicaStatuses"] == {"Worker": {"succeeded": 4}}, w.get("tfjobs", job))
        return took
    w.at_once("a short job", 0.9, short)
    w.put("tfjobs", tfjob("pending"))
    w.wait_for("what nothing follows is written all the same", condition(w, "tfjobs", "pending", "Created"))
    w.stop()


@check
def patient(w):
    """a server that responds slowly gets fewer statuses: counts, and the first Running, wait as long as sixteen
    requests take, at most five seconds"""
    w.slow = {"POST": 0.4}
    w.put("tfjobs", tfjob(workers=8))
    w.start()
    w.wait_for("pods and Services", lambda: len(w.names("pods")) == len(w.names("services")) == 8)
    for name in w.names("pods"):
        w.pod(name, "Running")
        time.sleep(0.4)  # less than a second, so that counts are merged
    w.wait_for("all counts", lambda: w.get("tfjobs", "train").get("status", {}).get("replicaStatuses") == {"Worker": {"active": 8}}, 10)
    w.settle(1.5)
    must(len(w.written("PATCH")) <= 2, w.written("PATCH"))
    w.stop()


@check
def yields(w):
    """the report that a job was created waits while pods of other jobs are being created: when many jobs arrive one
    after the other, pods come first"""
    w.slow = {"POST": 0.4}
    w.start()
    for i in range(160):
        w.put("tfjobs", tfjob("train-%d" % i, workers=2))
        time.sleep(0.06)  # jobs come one after the other
    w.wait_for("all pods and Services", lambda: len(w.names("pods")) == len(w.names("services")) == 320, 60)
    must(len(w.written("PATCH")) <= 40, len(w.written("PATCH")))         # 78 where they do not wait
    w.wait_for("all are told", lambda: len(w.written("PATCH")) == 160, 40)
    w.settle(1)
    must(len(w.written("PATCH")) == 160, len(w.written("PATCH")))
    w.stop()


@check
def verdict_again(w):
    """a verdict whose write has failed is written again at once: it does not wait like counts"""
    w.slow = {"POST": 0.4}
    w.put("tfjobs", tfjob(workers=8))
    w.start()
    w.wait_for("pods and Services", lambda: len(w.names("pods")) == len(w.names("services")) == 8)
    w.run_pods("Running")
    w.wait_for("all counts", lambda: w.get("tfjobs", "train").get("status", {}).get("replicaStatuses") == {"Worker": {"active": 8}}, 10)
    w.fault("PATCH", "/status", status(409, "Conflict", "the object has been modified"), 1)
    begun = time.monotonic()
    w.run_pods("Succeeded")
    w.wait_for("the verdict", lambda: w.get("tfjobs", "train")["status"]["conditions"][-1]["type"] == "Succeeded", 10)
    must(time.monotonic() - begun < 2.5, "the verdict waits as counts do: %.1f s" % (time.monotonic() - begun))
    must(len(w.written("PATCH .*/status")) >= 3, w.written("PATCH"))
    w.stop()


@check
def told_ends(w):
    """the exit code of each failed pod is an Event, once for each pod, and so is the removal of a job"""
    w.put("tfjobs", tfjob(restart="ExitCode", runPolicy={"ttlSecondsAfterFinished": 1}))
    w.start()
    w.wait_for("pods", pods_are(w, "train-worker-0", "train-worker-1"))
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    w.pod("train-worker-1", "Failed", 137)
    w.wait_for("Restarting", condition(w, "tfjobs", "train", "Restarting"))
    w.pod("train-worker-0", "Succeeded")
    w.wait_for("the end", lambda: not w.names("tfjobs"), 40)
    w.wait_for("its Event", lambda: "SuccessfulDeleteJob" in w.told("train"))
    w.settle()
    said = [o["message"] for (plural, _, _), o in list(w.objects.items()) if plural == "events" and o["reason"] == "ExitedWithCode"]
    must(said == ["Pod: default.train-worker-1 exited with code 137"], said)
    must(w.told("train").count("SuccessfulDeleteJob") == 1, w.told("train"))
    w.stop()


@check
def clean(w):
    """cleanPodPolicy: running pods are deleted, ended ones stay, and nothing is created again"""
    w.put("pytorchjobs", pytorch(runPolicy={"cleanPodPolicy": "Running"}))
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.pod("train-master-0", "Succeeded")
    w.wait_for("only the master is left", pods_are(w, "train-master-0"))
    w.settle()
    must(w.names("services") == ["train-master-0"], w.names("services"))
    must(w.names("pods") == ["train-master-0"], w.names("pods"))


@check
def role_removed(w):
    """a role that is removed from a running job is no longer needed: its pods and Services are deleted, and the job
    continues with the other roles"""
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    w.change("pytorchjobs", "train", {"spec": {"pytorchReplicaSpecs": {"Worker": None}}})
    w.wait_for("the master alone", lambda: w.names("pods") == w.names("services") == ["train-master-0"])
    must(not condition(w, "pytorchjobs", "train", "Failed")(), w.conditions("pytorchjobs", "train"))
    w.pod("train-master-0", "Succeeded")
    w.wait_for("Succeeded", condition(w, "pytorchjobs", "train", "Succeeded"))
    status = w.get("pytorchjobs", "train")["status"]["replicaStatuses"]
    must(list(status) == ["Master"] and status["Master"]["succeeded"] == 1, status)
    w.stop()


@check
def ttl(w):
    """ttlSecondsAfterFinished: the job is deleted with everything that it owns"""
    w.put("pytorchjobs", pytorch(runPolicy={"ttlSecondsAfterFinished": 1}))
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.pod("train-master-0", "Succeeded")
    w.wait_for("Succeeded", condition(w, "pytorchjobs", "train", "Succeeded"))
    w.wait_for("everything is gone", lambda: not w.names("pytorchjobs") + w.names("pods") + w.names("services"))


@check
def refused(w):
    """an invalid job gets a condition and an Event with the compiler's message, once; after it is corrected, it runs"""
    bad = pytorch()
    bad["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0].pop("image")
    w.put("pytorchjobs", bad)
    w.start()
    w.wait_for("Failed", condition(w, "pytorchjobs", "train", "Failed"))
    c = w.conditions("pytorchjobs", "train")["Failed"]
    must(c["reason"] == "PyTorchJobFailedValidation" and "image" in c["message"].lower() and "[TJ" in c["message"], c)
    w.wait_for("its Event", lambda: w.told("train"))
    w.settle()
    must(w.told("train") == ["PyTorchJobFailedValidation"], w.told("train"))
    n = len(w.written())
    w.stop()
    w.start()
    w.settle(1)
    must(len(w.written()) == n, w.written()[n:])
    w.change("pytorchjobs", "train", {"spec": pytorch()["spec"]})
    w.wait_for("pods", pods_are(w, *ALL))
    w.wait_for("no longer Failed", lambda: "Failed" not in w.conditions("pytorchjobs", "train"))


@check
def restart_policy(w):
    """a pod that fails is created again after its backoff, with Restarting; a permanent exit code fails the job"""
    job = tfjob(restart="ExitCode")
    w.put("tfjobs", job)
    w.start()
    w.wait_for("pods", pods_are(w, "train-worker-0", "train-worker-1"))
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    uid = w.get("pods", "train-worker-1")["metadata"]["uid"]
    w.pod("train-worker-1", "Failed", 137)
    w.wait_for("Restarting", condition(w, "tfjobs", "train", "Restarting"))
    w.wait_for("another pod", lambda: (w.objects.get(("pods", "default", "train-worker-1")) or {"metadata": {"uid": uid}})["metadata"]["uid"] != uid, 30)
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    w.pod("train-worker-1", "Failed", 3)
    w.wait_for("Failed", condition(w, "tfjobs", "train", "Failed"))
    w.wait_for("both Events", lambda: {"TFJobRestarting", "TFJobFailed"} <= set(w.told("train")))


@check
def suspend(w):
    """suspended: the pods are deleted and the status says so; resumed: they are created again"""
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("no pods", pods_are(w))
    w.wait_for("Suspended", condition(w, "pytorchjobs", "train", "Suspended"))
    must("Running" not in w.conditions("pytorchjobs", "train"), w.get("pytorchjobs", "train"))
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": False}}})
    w.wait_for("pods", pods_are(w, *ALL))
    w.wait_for("resumed", lambda: "Suspended" not in w.conditions("pytorchjobs", "train"))


@check
def deadline(w):
    """activeDeadlineSeconds: the job fails when the deadline is reached, without any other event"""
    w.put("pytorchjobs", pytorch(runPolicy={"activeDeadlineSeconds": 1}))
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.wait_for("Failed", condition(w, "pytorchjobs", "train", "Failed"))
    w.wait_for("what runs goes", pods_are(w))


def begun(w, name, seconds, **policy):
    """A job that another controller, whose clock was right, started SECONDS ago."""
    job = tfjob(name, runPolicy=policy)
    job["status"] = {"startTime": w.now(-seconds), "conditions": [
        {"type": what, "status": "True", "reason": "TFJob" + what, "message": "", "lastUpdateTime": w.now(-seconds),
         "lastTransitionTime": w.now(-seconds)} for what in ("Created", "Running")]}
    w.put("tfjobs", job)


def deadline_elsewhere(w, ahead):
    """Times of jobs are the API server's, whose clock differs from the controller's by AHEAD seconds."""
    w.ahead = ahead
    w.start()
    w.wait_for("that it begins", lambda: "all watches are live" in w.log())        # it may begin late where much is done
    begun(w, "late", 4, activeDeadlineSeconds=8)
    began = time.monotonic()
    w.put("tfjobs", tfjob("short", runPolicy={"ttlSecondsAfterFinished": 3}))
    w.wait_for("pods", lambda: len(w.names("pods")) == 4)
    w.run_pods(match="short")
    ended = time.monotonic()
    w.pod("short-worker-0", "Succeeded")
    w.wait_for("Succeeded", condition(w, "tfjobs", "short", "Succeeded"))
    times = [w.get("tfjobs", "short")["status"][key] for key in ("startTime", "completionTime")]
    must(w.now(-10) <= times[0] <= times[1] <= w.now(2), (times, w.now()))
    w.wait_for("the deadline", condition(w, "tfjobs", "late", "Failed"))
    took = time.monotonic() - began
    must(2 < took and "longer than its deadline" in w.conditions("tfjobs", "late")["Failed"]["message"], took)
    w.wait_for("the end of what is over", lambda: w.names("tfjobs") == ["late"])
    must(1.5 < time.monotonic() - ended, time.monotonic() - ended)
    w.settle()
    said = [o["lastTimestamp"] for (plural, _, _), o in list(w.objects.items()) if plural == "events"]
    must(min(said) >= w.now(-30) and max(said) <= w.now(2), said)
    w.stop()


@check
def behind(w):
    """the controller's clock is ten minutes behind the server's: deadlines and ttl are on time, and times are the server's"""
    deadline_elsewhere(w, 600)


@check
def before(w):
    """the controller's clock is ten minutes ahead of the server's: deadlines and ttl are on time, and times are the server's"""
    deadline_elsewhere(w, -600)


@check
def deleted_pod(w):
    """a pod that somebody deletes is created again under its name"""
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    w.take("pods", "default", "train-worker-0")
    w.wait_for("pods", pods_are(w, *ALL))
    w.settle()
    must(len(w.written("POST .*/pods")) == 4, w.written("POST .*/pods"))


@check
def late_watch(w):
    """watches that are a second late never cause a second pod, nor a request for one"""
    w.delay = 1
    w.start()
    w.put("pytorchjobs", pytorch(workers=8))
    w.wait_for("pods", lambda: len(w.names("pods")) == 9)
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    w.settle(1.5)
    must(len(w.written("POST .*/pods")) == 9 and len(w.written("POST .*/services")) == 9, w.written("POST"))


@check
def late_deletion(w):
    """a pod that is deleted for a restart is created again, even if the response comes before the watch reports the
    deletion"""
    w.delay = 1
    w.put("tfjobs", tfjob(restart="ExitCode"))
    w.start()
    w.wait_for("pods", pods_are(w, "train-worker-0", "train-worker-1"))
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    uid = w.get("pods", "train-worker-1")["metadata"]["uid"]
    w.pod("train-worker-1", "Failed", 137)
    w.wait_for("another pod", lambda: (w.objects.get(("pods", "default", "train-worker-1")) or {"metadata": {"uid": uid}})["metadata"]["uid"] != uid, 30)


@check
def late_answer(w):
    """the response to a deletion comes after the pod is gone and the watch has reported it: the controller does not
    wait for the pod any longer"""
    w.slow = {"DELETE": 0.5}
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("no pods", pods_are(w))
    w.wait_for("Suspended", condition(w, "pytorchjobs", "train", "Suspended"))
    w.settle(1)
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": False}}})
    w.wait_for("pods", pods_are(w, *ALL))


@check
def killed(w):
    """kill -9 before and after every write, then a restart: exactly the pods that should exist, none of them twice"""
    def run(kill):
        """One job, from its creation to its end; returns how many writes that took."""
        w.kill_at, w.writes, first = kill, 0, len(w.requests)
        w.put("pytorchjobs", pytorch(runPolicy={"cleanPodPolicy": "All"}))
        w.start()

        def alive():
            if w.controllers[-1].poll() is not None:
                w.start()
            return True
        w.wait_for("pods (killed at %r)" % (kill,), lambda: alive() and w.names("pods") == sorted(ALL))
        w.wait_for("Services", lambda: alive() and len(w.names("services")) == 3)
        w.run_pods()
        w.wait_for("Running", lambda: alive() and "Running" in w.conditions("pytorchjobs", "train"))
        w.pod("train-master-0", "Succeeded")
        w.wait_for("Succeeded", lambda: alive() and "Succeeded" in w.conditions("pytorchjobs", "train"))
        w.wait_for("nothing is left", lambda: alive() and not w.names("pods") + w.names("services"))
        w.settle(0.2)
        alive()
        made = [o for v, p, n, change, o, t in w.events if p == "pods" and change == "ADDED" and v > before]
        must(len(made) == 3, "killed at %r: %d pods" % (kill, len(made)))
        writes = w.writes
        w.stop()
        w.take("pytorchjobs", "default", "train")
        return writes
    before = w.version
    n = run(None)
    must(n >= 12, n)
    for at in range(1, n + 1):
        for early in (True, False):
            before = w.version
            run((at, early))


@check
def storm(w):
    """1,000 jobs created as fast as the server accepts them: each gets its pods, with four requests to create and
    few for the status"""
    w.start()
    for i in range(1000):
        w.put("tfjobs", tfjob("j%d" % i, 2))
    w.wait_for("2,000 pods", lambda: len(w.names("pods")) == 2000, 240)
    w.settle()
    must(len(w.written("POST .*/(pods|services)")) == 4000, len(w.written("POST .*/(pods|services)")))
    must(len(w.written("PATCH")) <= 2000, len(w.written("PATCH")))


def resident(p):
    """KiB of memory of a process, excluding what files back."""
    with open("/proc/%d/status" % p.pid) as f:
        return int(re.search(r"^RssAnon:\s+(\d+)", f.read(), re.M)[1])


@check
def memory(w):
    """a job takes a few KiB: neither kubectl's annotation nor whole objects, plans or blocks of memory stay"""
    if SANITIZED:
        print("memory is the sanitizer's here: not looked at")
        return

    def more(first, last):
        for i in range(first, last):
            job = tfjob("j%d" % i, 1)
            job["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "x" * 20000}
            w.put("tfjobs", job)
        w.wait_for("%d pods" % last, lambda: len(w.names("pods")) == last, 60)
        w.run_pods()
        w.wait_for("Running", lambda: all(any(c["type"] == "Running" for c in o.get("status", {}).get("conditions", []))
                                          for (p, _, _), o in list(w.objects.items()) if p == "tfjobs"), 60)
        w.settle()
        return resident(w.controllers[-1])
    w.start()
    few = more(0, 40)               # plans in progress and connections exist from now on
    many = more(40, 160)
    must((many - few) / 120 < 16, "%d KiB with 40 jobs, %d KiB with 160" % (few, many))


@check
def given_back(w):
    """memory that was needed to create a large job is returned to the system"""
    if SANITIZED:
        print("memory is the sanitizer's here: not looked at")
        return
    p = w.start()
    w.wait_for("the watches", lambda: "all watches are live" in w.log())
    before = resident(p)
    w.put("tfjobs", tfjob(workers=500))
    w.wait_for("pods", lambda: len(w.names("pods")) == 500, 60)
    w.wait_for("little memory", lambda: resident(p) - before < 5 << 10, 30)
    w.stop()


def places(value, path=()):
    """The paths of everything inside a value."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield path + (key,)
        yield from places(item, path + (key,))


@check
def mutations(w):
    """resources that are wrong in one field each, whatever the field: each is handled, and a valid one beside them
    runs"""
    full = pytorch(runPolicy={"cleanPodPolicy": "Running", "ttlSecondsAfterFinished": 100000, "backoffLimit": 3, "activeDeadlineSeconds": 100000,
                              "schedulingPolicy": {"minAvailable": 2, "queue": "q"}, "suspend": False}, nprocPerNode="2",
                   elasticPolicy={"minReplicas": 1, "maxReplicas": 3, "rdzvBackend": "c10d", "maxRestarts": 2, "rdzvConf": [{"key": "a", "value": "b"}]})
    worker = full["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    worker["containers"][0].update(env=[{"name": "A", "value": "b"}], ports=[{"name": "x", "containerPort": 1}], command=["a"],
                                   resources={"limits": {"cpu": "1", "memory": "1Gi"}})
    wrong = [None, -1, 0, 10 ** 30, 1.5, True, "", "\u00e9\n\x7f" * 50, [], [None], {}, {"x": {"x": []}}]
    n = 0
    w.start()
    for i, path in enumerate(places(full["spec"])):
        for k in range(4):
            value = wrong[(i * 5 + k * 3) % len(wrong)]
            job = json.loads(json.dumps(full))
            at = job["spec"]
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            job["metadata"]["name"] = "m%d" % n
            w.put("pytorchjobs", job)
            n += 1
    must(n >= 200, n)
    w.put("tfjobs", tfjob("sound"))
    w.wait_for("the sound one's pods", lambda: {"sound-worker-0", "sound-worker-1"} <= set(w.names("pods")), 60)
    w.wait_for("an answer for each", lambda: all(o.get("status", {}).get("conditions") for (p, _, _), o in list(w.objects.items()) if p == "pytorchjobs"), 60)
    must(w.controllers[-1].poll() is None, w.log()[-2000:])
    refused = [o for (p, _, _), o in list(w.objects.items()) if p == "pytorchjobs" and o["status"]["conditions"][-1]["reason"] == "PyTorchJobFailedValidation"]
    must(len(refused) > n / 4, len(refused))
    w.stop()


@check
def scale(w):
    """an elastic job follows its `replicas`: surplus pods are deleted with their Services, missing ones are created"""
    job = pytorch(workers=2, elasticPolicy={"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d"})
    job["spec"]["pytorchReplicaSpecs"].pop("Master")
    w.put("pytorchjobs", job)
    w.start()
    w.wait_for("two pods", pods_are(w, "train-worker-0", "train-worker-1"))
    w.run_pods()
    w.change("pytorchjobs", "train", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 4}}}})
    w.wait_for("four pods", pods_are(w, *("train-worker-%d" % i for i in range(4))))
    w.run_pods()
    w.change("pytorchjobs", "train", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 1}}}})
    w.wait_for("one pod", pods_are(w, "train-worker-0"))
    w.wait_for("one Service", lambda: w.names("services") == ["train-worker-0"])


def compiled_scaler(w, job):
    """The autoscaler that the compiler writes for the same job: its labels and its spec."""
    path = os.path.join(w.dir, "job.json")
    with open(path, "w") as f:
        json.dump(job, f)
    program = subprocess.run([TRAINC, "import", path], capture_output=True, text=True, check=True).stdout
    written = subprocess.run([TRAINC, "compile", "--target", "pods", "-o", "json", "-"], input=program, capture_output=True,
                             text=True, check=True).stdout
    found = [o for o in json.loads(written)["items"] if o["kind"] == "HorizontalPodAutoscaler"]
    must(len(found) == 1, written)
    return found[0]["metadata"]["labels"], found[0]["spec"]


def path_in(value, path):
    for key in path.strip(".").split("."):
        value = value.get(key, {})
    return value


@check
def autoscaler(w):
    """an elastic job with metrics has the autoscaler that the compiler writes, except while it is suspended, and
    follows the scale subresource"""
    def metrics(percent):
        return [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}]

    def scaler():
        found = w.names("horizontalpodautoscalers")
        return w.get("horizontalpodautoscalers", "train") if found == ["train"] else None

    job = pytorch(workers=2, elasticPolicy={"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d", "metrics": metrics(80)})
    job["spec"]["pytorchReplicaSpecs"].pop("Master")
    w.put("pytorchjobs", job)
    w.start()
    w.wait_for("two pods", pods_are(w, "train-worker-0", "train-worker-1"))
    order = [r[1].rsplit("/", 1)[1] for r in w.written("POST") if "events" not in r[1]]
    must(order[0] == "horizontalpodautoscalers", order)
    made = scaler()
    must((made["metadata"]["labels"], made["spec"]) == compiled_scaler(w, job), made)
    owner = made["metadata"]["ownerReferences"][0]
    must((owner["kind"], owner["name"], owner["controller"]) == ("PyTorchJob", "train", True), owner)
    must(made["spec"]["scaleTargetRef"] == {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "train"}, made)
    w.run_pods()

    # what the autoscaler reads and writes through the scale subresource of the definition
    crd = next(o for o in manifest() if o["metadata"]["name"] == "pytorchjobs.kubeflow.org")
    paths = crd["spec"]["versions"][0]["subresources"]["scale"]
    w.change("pytorchjobs", "train", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 3}}}})
    must(path_in(w.get("pytorchjobs", "train"), paths["specReplicasPath"]) == 3, paths)
    w.wait_for("three pods", pods_are(w, *("train-worker-%d" % i for i in range(3))))
    w.run_pods()
    w.wait_for("their number", lambda: path_in(w.get("pytorchjobs", "train"), paths["statusReplicasPath"]) == 3)
    selector = path_in(w.get("pytorchjobs", "train"), paths["labelSelectorPath"])
    must([o["metadata"]["name"] for (p, _, _), o in sorted(w.objects.items()) if p == "pods" and selected(o, selector)] == w.names("pods"),
         selector)

    # changed while it runs, and by another process
    w.change("pytorchjobs", "train", {"spec": {"elasticPolicy": {"metrics": metrics(60)}}})
    w.wait_for("the new target", lambda: scaler()["spec"]["metrics"] == metrics(60))
    must(scaler()["metadata"]["uid"] == made["metadata"]["uid"], "it was made again")
    w.stop()
    w.change("pytorchjobs", "train", {"spec": {"elasticPolicy": {"metrics": metrics(50), "maxReplicas": 5}}})
    w.start()
    w.wait_for("the newest target", lambda: (scaler()["spec"]["metrics"], scaler()["spec"]["maxReplicas"]) == (metrics(50), 5))

    # deleted by hand: it is created again with the next change
    w.take("horizontalpodautoscalers", "default", "train")
    w.change("pytorchjobs", "train", {"spec": {"elasticPolicy": {"maxReplicas": 6}}})
    w.wait_for("a new one", lambda: scaler() and scaler()["spec"]["maxReplicas"] == 6)

    # a suspended job has none, even if another process sees it first
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("no autoscaler", lambda: not w.names("horizontalpodautoscalers") and not w.names("pods"))
    w.stop()
    w.start()
    w.settle()
    must(not w.names("horizontalpodautoscalers"), "it came back")
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": False}}})
    w.wait_for("the autoscaler again", scaler)
    w.wait_for("three pods again", pods_are(w, *("train-worker-%d" % i for i in range(3))))
    w.run_pods()

    # it stays as long as the job exists, and is deleted with it
    for i in range(3):
        w.pod("train-worker-%d" % i, "Succeeded")
    w.wait_for("Succeeded", condition(w, "pytorchjobs", "train", "Succeeded"))
    w.settle()
    must(scaler(), "it is gone with the end of the job")
    w.take("pytorchjobs", "default", "train")
    w.wait_for("nothing left", lambda: not w.names("horizontalpodautoscalers"))


@check
def foreign_autoscaler(w):
    """an autoscaler of that name with another owner stays as it is, and the job reports it"""
    w.put("horizontalpodautoscalers", {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "train"},
                                       "spec": {"maxReplicas": 9}})
    job = pytorch(workers=2, elasticPolicy={"minReplicas": 1, "maxReplicas": 4, "metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]})
    w.put("pytorchjobs", job)
    w.start()
    w.wait_for("an Event", lambda: "ErrResourceExists" in w.told("train"))
    must(w.get("horizontalpodautoscalers", "train")["spec"] == {"maxReplicas": 9} and not w.names("pods"), w.names("pods"))
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("Suspended", condition(w, "pytorchjobs", "train", "Suspended"))
    must(w.names("horizontalpodautoscalers") == ["train"], "what is not ours was deleted")


def mpijob(name="train", workers=2, launcher="Never", worker="Never", **more):
    return {"apiVersion": "kubeflow.org/v1", "kind": "MPIJob", "metadata": {"name": name}, "spec": {
        "slotsPerWorker": 1, "mpiReplicaSpecs": {"Launcher": role("mpi", 1, launcher), "Worker": role("mpi", workers, worker)}, **more}}


def may_enter(w, name="train-launcher"):
    """The pods that a Role lets its launcher enter; None without a Role."""
    o = w.objects.get(("roles", "default", name))
    return o and [n for rule in o["rules"] if rule["resources"] == ["pods/exec"] for n in rule["resourceNames"]]


MPI = ("train-launcher", "train-worker-0", "train-worker-1")


@check
def mpi(w):
    """an MPIJob: what its workers need is created before them, its Role after them, its launcher last; each once, owned
    by the job"""
    w.put("mpijobs", mpijob())
    w.start()
    w.wait_for("pods", pods_are(w, *MPI))
    order = [r[1].rsplit("/", 1)[1] for r in w.written("POST") if "events" not in r[1]]
    must(sorted(order[:2]) == ["configmaps", "serviceaccounts"] and order[2:] == ["pods", "pods", "roles", "rolebindings", "pods"], order)
    must(json.loads(w.written("POST .*/pods$")[-1][2])["metadata"]["name"] == "train-launcher", "the launcher comes last")
    for plural, name in (("configmaps", "train-config"), ("roles", "train-launcher"), ("rolebindings", "train-launcher")):
        must(w.get(plural, name)["metadata"]["ownerReferences"][0]["kind"] == "MPIJob", w.get(plural, name))
    must(may_enter(w) == ["train-worker-0", "train-worker-1"], w.get("roles", "train-launcher"))
    w.run_pods()
    w.wait_for("Running", condition(w, "mpijobs", "train", "Running"))
    w.stop()
    w.start()
    w.take("pods", "default", "train-worker-1")
    w.wait_for("the pod is made again", pods_are(w, *MPI))
    w.wait_for("its place in the Role", lambda: may_enter(w) == ["train-worker-0", "train-worker-1"])
    w.pod("train-launcher", "Succeeded")
    w.wait_for("Succeeded", condition(w, "mpijobs", "train", "Succeeded"))


@check
def mpi_foreign(w):
    """a pod with the name of a worker is somebody else's: no Role, no RoleBinding and no launcher until it is gone, and
    an Event names it"""
    other = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "train-worker", "uid": "other", "controller": True}
    w.put("pods", {"metadata": {"name": "train-worker-1", "ownerReferences": [other]}, "spec": {"containers": [container("db")]}})
    w.put("mpijobs", mpijob())
    w.start()

    def told(text):
        return lambda: any(text in o.get("message", "") for (p, _, _), o in w.objects.items() if p == "events")
    w.wait_for("an Event", told('Resource "train-worker-1" of Pod already exists and is not managed by MPIJob'))
    w.settle(1.5)
    must(w.names("roles") + w.names("rolebindings") == [] and w.names("pods") == ["train-worker-0", "train-worker-1"], w.objects.keys())
    must(w.get("pods", "train-worker-1")["spec"]["containers"][0]["name"] == "db", "it was replaced")
    w.take("pods", "default", "train-worker-1")
    w.wait_for("the launcher", pods_are(w, *MPI), 60)
    must(may_enter(w) == ["train-worker-0", "train-worker-1"], w.get("roles", "train-launcher"))
    # it comes back, with the labels of the job, in the place of a worker that was deleted
    w.run_pods()
    w.wait_for("Running", condition(w, "mpijobs", "train", "Running"))
    with w.lock:
        labels = w.get("pods", "train-worker-1")["metadata"]["labels"]
        w.take("pods", "default", "train-worker-1")
        w.put("pods", {"metadata": {"name": "train-worker-1", "labels": labels, "ownerReferences": [other]}, "spec": {"containers": [container("db")]}})
    w.wait_for("the Role without it", lambda: may_enter(w) == ["train-worker-0"])
    w.take("pods", "default", "train-worker-1")
    w.wait_for("the Role with the new worker", lambda: may_enter(w) == ["train-worker-0", "train-worker-1"], 60)
    # the Role itself is somebody else's
    w.put("roles", {"metadata": {"name": "b-launcher", "ownerReferences": [other]}, "rules": []})
    w.put("mpijobs", mpijob("b", 1))
    w.wait_for("an Event about the Role", told('Resource "b-launcher" of Role already exists and is not managed by MPIJob'))
    w.settle(1)
    must(w.names("rolebindings") == ["train-launcher"] and "b-launcher" not in w.names("pods"), w.names("pods"))


def hosts(w):
    """The number of workers in the file that mpirun reads."""
    return w.get("configmaps", "train-config")["data"]["hostfile"].count("train-worker-")


@check
def mpi_replaced(w):
    """the Role of a job is deleted, and another one of its name is made by somebody else: it is not changed, and an
    Event names it; when it is gone, the job gets its own again"""
    w.put("mpijobs", mpijob(worker="OnFailure"))
    w.start()
    w.wait_for("pods", pods_are(w, *MPI))
    w.run_pods()
    w.wait_for("Running", condition(w, "mpijobs", "train", "Running"))
    rules = [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["theirs"]}]
    with w.lock:
        w.take("roles", "default", "train-launcher")
        w.put("roles", {"metadata": {"name": "train-launcher"}, "rules": rules})
        w.change("mpijobs", "train", {"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 3}}}})
    w.wait_for("an Event", lambda: any('Resource "train-launcher" of Role already exists and is not managed by MPIJob' in o.get("message", "")
                                       for (p, _, _), o in w.objects.items() if p == "events"))
    w.settle(1)
    must(w.get("roles", "train-launcher")["rules"] == rules, w.get("roles", "train-launcher"))
    w.take("roles", "default", "train-launcher")
    w.wait_for("its own Role", lambda: may_enter(w) == ["train-worker-%d" % i for i in range(3)], 60)
    w.stop()


@check
def mpi_roles(w):
    """the Role of an MPIJob follows its workers: while one is replaced, when their number changes, without workers,
    after the end, and over a restart of the controller"""
    w.put("mpijobs", mpijob(worker="OnFailure", launcher="OnFailure", runPolicy={"cleanPodPolicy": "Running", "backoffLimit": 20}))
    w.start()
    w.wait_for("pods", pods_are(w, *MPI))
    w.run_pods()
    w.change("mpijobs", "train", {"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 4}}}})
    w.wait_for("four", lambda: may_enter(w) == ["train-worker-%d" % i for i in range(4)])
    w.wait_for("four hosts", lambda: hosts(w) == 4)
    w.run_pods()
    w.change("mpijobs", "train", {"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 1}}}})
    w.wait_for("one", lambda: may_enter(w) == ["train-worker-0"] and w.names("pods") == ["train-launcher", "train-worker-0"])
    w.wait_for("one host", lambda: hosts(w) == 1)
    # the launcher begins again: its rights are there before it
    w.take("pods", "default", "train-launcher")
    w.wait_for("the launcher again", lambda: "train-launcher" in w.names("pods"))
    w.stop()
    w.change("mpijobs", "train", {"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 2}}}})
    w.start()
    w.wait_for("two, after a restart", lambda: may_enter(w) == ["train-worker-0", "train-worker-1"])
    w.wait_for("two hosts", lambda: hosts(w) == 2)
    w.run_pods()
    w.stop()
    w.take("pods", "default", "train-worker-1")         # nobody sees this
    w.start()
    w.wait_for("two again", lambda: may_enter(w) == ["train-worker-0", "train-worker-1"] and "train-worker-1" in w.names("pods"))
    w.run_pods()
    w.pod("train-launcher", "Succeeded")
    w.wait_for("Succeeded", condition(w, "mpijobs", "train", "Succeeded"))
    w.wait_for("nobody may be entered", lambda: may_enter(w) == [] and w.names("pods") == ["train-launcher"])
    w.take("mpijobs", "default", "train")
    w.put("mpijobs", mpijob("alone", 0))
    w.wait_for("the launcher alone", lambda: "alone-launcher" in w.names("pods"))
    must(may_enter(w, "alone-launcher") == [], w.get("roles", "alone-launcher"))


@check
def mpi_killed(w):
    """kill -9 at every write of an MPIJob's life, in turns before and after it: it ends as without, and no Role
    ever names a pod that is not its job's"""
    def run(kill):
        w.kill_at, w.writes = kill, 0
        w.put("mpijobs", mpijob(worker="OnFailure", runPolicy={"cleanPodPolicy": "All"}))
        w.start()

        def alive():
            if w.controllers[-1].poll() is not None:
                w.start()
            return True
        w.wait_for("pods (killed at %r)" % (kill,), lambda: alive() and w.names("pods") == list(MPI))
        w.wait_for("the Role", lambda: alive() and may_enter(w) == ["train-worker-0", "train-worker-1"])
        w.run_pods()
        w.wait_for("Running", lambda: alive() and "Running" in w.conditions("mpijobs", "train"))
        w.change("mpijobs", "train", {"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 1}}}})
        w.wait_for("one worker", lambda: alive() and may_enter(w) == ["train-worker-0"] and w.names("pods") == list(MPI[:2]))
        w.pod("train-launcher", "Succeeded")
        w.wait_for("Succeeded", lambda: alive() and "Succeeded" in w.conditions("mpijobs", "train"))
        w.wait_for("nothing is left", lambda: alive() and not w.names("pods") and may_enter(w) == [])
        alive()
        writes = w.writes
        w.stop()
        w.take("mpijobs", "default", "train")
        return writes
    n = run(None)
    must(n >= 15, n)
    for at in range(1, n + 1):
        run((at, at % 2 == 0))


@check
def images(w):
    """--init-image and --delivery-image: the images of containers that the operator adds to pods, for clusters that
    cannot pull the usual ones"""
    options = ("--init-image=here/alpine:1", "--delivery-image=here/kubectl:2")
    deployment = next(o for o in manifest(*options) if o["kind"] == "Deployment")
    arguments = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    must(set(options) <= set(arguments), arguments)
    w.put("pytorchjobs", pytorch())
    w.put("mpijobs", {"apiVersion": "kubeflow.org/v1", "kind": "MPIJob", "metadata": {"name": "ring"}, "spec": {
        "mpiReplicaSpecs": {"Launcher": role("mpi"), "Worker": role("mpi")}}})
    w.start(*options)
    w.wait_for("pods", pods_are(w, *ALL, "ring-launcher", "ring-worker-0"))
    inits = {name: [c["image"] for c in w.get("pods", name)["spec"].get("initContainers", [])]
             for name in ("train-master-0", "train-worker-0", "ring-launcher", "ring-worker-0")}
    for option in "--init-image", "--delivery-image", "--image":
        wrong = subprocess.run([TRAINC, "supervise", "--kubeflow", option, "Here/alpine:1"], capture_output=True, text=True)
        must(wrong.returncode == 2, wrong)
        must(f"{option}: 'Here/alpine:1' is not an image reference: it has upper-case letters in its path; an image is" in wrong.stderr, wrong)
    must(inits == {"train-master-0": [], "train-worker-0": ["here/alpine:1"], "ring-launcher": ["here/kubectl:2"], "ring-worker-0": []}, inits)


@check
def warnings(w):
    """what `trainc import` warns of is told as an Event, once, also after the controller has started again: the same texts"""
    o = pytorch()
    spec = o["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    spec.update(hostname="named", subdomain="sub", setHostnameAsFQDN=True)
    path = os.path.join(w.dir, "train.json")
    with open(path, "w") as f:
        json.dump(dict(o, apiVersion="kubeflow.org/v1", kind="PyTorchJob"), f)
    said = subprocess.run([TRAINC, "import", path], capture_output=True, text=True, check=True).stderr
    expected = set(re.findall(r"warning: (.*)", said))
    must(len(expected) == 3, said)

    def told():
        return [e["message"].split("; ")[0] for (p, _, _), e in sorted(w.objects.items()) if p == "events" and e["reason"] == "Converted"]
    w.put("pytorchjobs", o)
    for _ in range(2):
        w.start()
        w.wait_for("pods", pods_are(w, *ALL))
        w.wait_for("Events", lambda: set(told()) == expected)
        w.settle(1)
        must(len(told()) == 3, told())
        w.stop()


@check
def domain(w):
    """--domain and CUSTOM_CLUSTER_DOMAIN: the addresses that pods get end with the domain of the cluster; the option wins"""
    def addresses(name):
        container = w.get("pods", name)["spec"]["containers"][0]
        return json.loads(next(e["value"] for e in container["env"] if e["name"] == "TF_CONFIG"))["cluster"]["ps"]
    for number, (options, variable, end) in enumerate((((), None, ".svc"), ((), "cluster.example", ".svc.cluster.example"),
                                                       (("--domain=a.b",), "cluster.example", ".svc.a.b"), (("--domain=",), "cluster.example", ".svc"))):
        w.put("tfjobs", {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "t%d" % number}, "spec": {
            "tfReplicaSpecs": {"PS": role("tensorflow"), "Worker": role("tensorflow")}}})
        if variable:
            os.environ["CUSTOM_CLUSTER_DOMAIN"] = variable
        try:
            w.start(*options)
        finally:
            os.environ.pop("CUSTOM_CLUSTER_DOMAIN", None)
        w.wait_for("pods", lambda: "t%d-worker-0" % number in w.names("pods"))
        must(addresses("t%d-worker-0" % number) == ["t%d-ps-0.default%s:2222" % (number, end)], addresses("t%d-worker-0" % number))
        w.stop()
    for wrong in "Cluster.local", "a..b", "a.", ".a", "a_b":
        said = subprocess.run([TRAINC, "supervise", "--kubeflow", "--domain", wrong], capture_output=True, text=True)
        must(said.returncode == 2 and "--domain: '%s' is not a cluster domain" % wrong in said.stderr, said)
    said = subprocess.run([TRAINC, "supervise", "--domain", "a.b"], capture_output=True, text=True)
    must(said.returncode == 2 and "add --kubeflow" in said.stderr, said)


@check
def gang(w):
    """--gang: the PodGroup first, no pod while Volcano holds it back, and no PodGroup left when the job is suspended
    or has ended"""
    w.put("pytorchjobs", pytorch())
    w.start("--gang", "volcano")
    w.wait_for("the group", lambda: w.names("podgroups") == ["train"])
    w.settle(1)
    must(not w.names("pods"), w.names("pods"))
    group = w.get("podgroups", "train")
    must(group["spec"]["minMember"] == 3 and group["metadata"]["ownerReferences"][0]["name"] == "train", group)
    w.change("podgroups", "train", {"status": {"phase": "Inqueue"}})
    w.wait_for("pods", pods_are(w, *ALL))
    pod = w.get("pods", "train-worker-0")
    must(pod["spec"]["schedulerName"] == "volcano" and pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == "train", pod)
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("no group", lambda: not w.names("podgroups") + w.names("pods"))
    w.wait_for("its Event", lambda: "SuccessfulDeletePodGroup" in w.told("train"))
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": False}}})
    w.wait_for("the group again", lambda: w.names("podgroups") == ["train"])
    w.change("podgroups", "train", {"status": {"phase": "Running"}})
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.pod("train-master-0", "Succeeded")
    w.wait_for("Succeeded", condition(w, "pytorchjobs", "train", "Succeeded"))
    w.wait_for("no group", lambda: not w.names("podgroups"))
    w.stop()
    w.start("--gang", "coscheduling")
    w.put("tfjobs", tfjob("other"))
    w.wait_for("pods, which do not wait", pods_are(w, "other-worker-0", "other-worker-1", *ALL))
    must(w.names("podgroups") == ["other"], w.names("podgroups"))


@check
def gang_of_others(w):
    """a PodGroup with the name of a job belongs to somebody else: it is neither deleted nor changed while the job is
    suspended, and the job starts when that PodGroup is gone"""
    w.put("podgroups", {"metadata": {"name": "train"}, "spec": {"minMember": 7}})
    uid = w.get("podgroups", "train")["metadata"]["uid"]
    w.put("tfjobs", tfjob(runPolicy={"suspend": True}))
    w.start("--gang", "coscheduling")
    w.wait_for("Suspended", condition(w, "tfjobs", "train", "Suspended"))
    w.settle()
    must(w.get("podgroups", "train") and w.get("podgroups", "train")["metadata"]["uid"] == uid, "the PodGroup of somebody else was deleted")
    w.change("tfjobs", "train", {"spec": {"runPolicy": {"suspend": False}}})
    w.wait_for("its Event", lambda: "ErrResourceExists" in w.told("train"))
    must(not w.names("pods"), "pods of a gang without its PodGroup")
    w.take("podgroups", "default", "train")
    w.wait_for("pods", pods_are(w, "train-worker-0", "train-worker-1"), 30)


@check
def exchanged(w):
    """a PodGroup or an autoscaler that is exchanged between the controller's two requests is neither deleted nor
    changed: each write names the uid of the object that was read"""
    def exchange(plural):
        def now():                      # after the answer to GET was decided, before DELETE
            with w.lock:
                w.take(plural, "default", "train")
                w.put(plural, {"metadata": {"name": "train"}, "spec": {"of": "somebody else"}})
        return now
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]
    w.put("pytorchjobs", pytorch(elasticPolicy={"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d", "metrics": metrics}))
    w.start("--gang", "coscheduling")
    w.wait_for("both", lambda: w.names("podgroups") == w.names("horizontalpodautoscalers") == ["train"])
    w.fault("DELETE", "/horizontalpodautoscalers/train", exchange("horizontalpodautoscalers"))
    w.fault("DELETE", "/podgroups/train", exchange("podgroups"))
    w.change("pytorchjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("Suspended", condition(w, "pytorchjobs", "train", "Suspended"))
    w.settle(1)
    for plural in ("podgroups", "horizontalpodautoscalers"):
        must(w.get(plural, "train")["spec"] == {"of": "somebody else"}, "%s of somebody else: %s" % (plural, w.get(plural, "train")))
    w.stop()


@check
def foreign(w):
    """a pod of a needed name has another owner: that pod is not touched, and the job continues when it is gone"""
    w.put("pods", {"metadata": {"name": "train-worker-0"}, "spec": {"containers": [container("x")]}})
    w.put("tfjobs", tfjob())
    w.start()
    w.wait_for("a warning", lambda: "FailedCreatePod" in [o["reason"] for (p, _, _), o in list(w.objects.items()) if p == "events"])
    must(w.get("pods", "train-worker-0")["spec"]["containers"][0]["name"] == "x", "it was replaced")
    w.take("pods", "default", "train-worker-0")
    w.wait_for("the job's own", lambda: w.objects.get(("pods", "default", "train-worker-0"), {"metadata": {}})["metadata"].get("ownerReferences"), 30)


def cut_watches(w, plural):
    """Cuts the watches of a kind, which then stay away."""
    with w.lock:
        w.away = {plural}
        w.lock.notify_all()


@check
def unseen(w):
    """a pod that was created while the watch of pods was away, and is gone before the watch takes a new snapshot, is
    created again: only the response to our own request has told of it"""
    w.start()
    w.wait_for("the watches", lambda: "all watches are live" in w.log())

    def away():                         # the pod is created, but no watch reports it
        cut_watches(w, "pods")
        w.wait_for("the cut", lambda: "waits until all watches are live" in w.log())
    w.fault("POST", "/pods", away)
    w.put("tfjobs", tfjob(workers=1))
    w.wait_for("a pod", pods_are(w, "train-worker-0"))
    uid = w.get("pods", "train-worker-0")["metadata"]["uid"]
    w.settle()
    w.take("pods", "default", "train-worker-0")
    w.fault("GET", r"/pods\?.*resourceVersion=\d", status(410, "Expired", "too old resource version"), 2)
    w.away = set()
    w.wait_for("another pod", lambda: w.objects.get(("pods", "default", "train-worker-0"), {"metadata": {"uid": uid}})["metadata"]["uid"] != uid)
    w.stop()


@check
def refused_watch(w):
    """a watch that the server refuses for a while: jobs and pods that are deleted meanwhile are forgotten when it is
    permitted again, so nothing is created for a job that is gone"""
    for name in "train", "other":
        w.put("tfjobs", tfjob(name, workers=1))
    w.start()
    w.wait_for("pods", pods_are(w, "train-worker-0", "other-worker-0"))
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    w.wait_for("Running", condition(w, "tfjobs", "other", "Running"))
    w.settle(1)
    uid = w.get("pods", "other-worker-0")["metadata"]["uid"]
    n = len(w.written("POST .*/train-"))
    for plural, refusals in ("tfjobs", 1), ("pods", 3):         # pods have two watches
        w.fault("GET", "/%s\\?.*watch=true" % plural, status(403, "Forbidden", "no rule permits this"), 2 if plural == "pods" else 1)
        cut_watches(w, plural)
        w.wait_for("the refusals", lambda: w.log().count("no rule permits this") == refusals)
    w.away = set()
    w.take("tfjobs", "default", "train")
    w.take("pods", "default", "other-worker-0")
    w.wait_for("another pod", lambda: w.objects.get(("pods", "default", "other-worker-0"), {"metadata": {"uid": uid}})["metadata"]["uid"] != uid, 60)
    w.settle(1)
    must(w.names("pods") == ["other-worker-0"], w.names("pods"))
    must(known(w, -1, "tfjobs") == 1 and not [r for r in w.written("POST .*/(pods|services)")[4:] if "train-" in r[2]], w.written("POST")[4:])
    w.stop()


@check
def gone_midway(w):
    """a job that is deleted while its pods are created: the pass over it ends, apart from requests that are under
    way"""
    w.slow = {"POST": 0.3}
    w.start()
    w.put("tfjobs", tfjob(workers=200))
    w.wait_for("the first pods", lambda: len(w.written("POST .*/pods")) >= 10, 60)
    with w.lock:
        w.take("tfjobs", "default", "train")
        n = len(w.written("POST .*/(pods|services)"))
    w.settle(1)
    made = len(w.written("POST .*/(pods|services)")) - n
    must(made <= 48, "%d requests for a job that is gone" % made)
    w.stop()


@check
def given_back_midway(w):
    """a controller that ends releases its Lease only when its requests have been answered: another one may act at
    once"""
    w.slow = {"POST": 0.3, "PUT": 1.5}
    w.start("--lease", "trainc")
    w.put("tfjobs", tfjob(workers=200))
    w.wait_for("the first pods", lambda: len(w.written("POST .*/pods")) >= 10, 60)
    p = w.controllers[-1]
    p.send_signal(signal.SIGTERM)
    w.wait_for("the Lease is free", lambda: not w.get("leases", "trainc")["spec"]["holderIdentity"] or p.poll() is not None)
    n = len(w.written("POST .*/(pods|services)"))
    must(p.wait(timeout=20) == 0 and not w.get("leases", "trainc")["spec"]["holderIdentity"], w.log())
    must(len(w.written("POST .*/(pods|services)")) == n, "%d requests after the Lease was released" % (len(w.written("POST .*/(pods|services)")) - n))


@check
def changed_while_refused(w):
    """a job whose pods are refused again and again waits longer each time, but not when its spec changes"""
    w.fault("POST", "/services", status(403, "Forbidden", "exceeded quota: q"), 10 ** 6)
    w.put("tfjobs", tfjob(workers=1))
    w.start()
    w.wait_for("nine refusals", lambda: len(w.written("POST .*/services")) >= 9, 40)
    w.change("tfjobs", "train", {"spec": {"runPolicy": {"suspend": True}}})
    w.wait_for("Suspended", condition(w, "tfjobs", "train", "Suspended"), 7)        # the next try would come 12 s after the ninth
    w.stop()


@check
def server_away(w):
    """the API server is down for two seconds: the controller catches up"""
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.down = True
    time.sleep(2)  # how long the server is away
    w.run_pods()
    w.pod("train-master-0", "Succeeded")
    w.down = False
    w.wait_for("Succeeded", condition(w, "pytorchjobs", "train", "Succeeded"), 40)


@check
def server_back(w):
    """after an outage nothing is done until all watches are live: the watch of Services shows that those of a deleted
    job are gone before the watch of jobs shows that the job is gone"""
    w.put("tfjobs", tfjob("train"))
    w.start()
    w.wait_for("pods", lambda: len(w.names("pods")) == 2)
    w.run_pods()
    w.wait_for("Running", condition(w, "tfjobs", "train", "Running"))
    w.settle(1)
    n = len(w.written("POST"))
    w.down = True
    time.sleep(1)  # how long the server is away
    w.take("tfjobs", "default", "train")
    w.fault("GET", "/tfjobs", status(503, "ServiceUnavailable", "the storage is (re)initializing"), 4)
    w.down = False
    w.wait_for("all watches", lambda: w.log().count("all watches are live") == 2, 40)
    must("waits until all watches are live again" in w.log(), w.log())
    w.settle(1)
    must(len(w.written("POST")) == n, w.written("POST")[n:])


@check
def missing(w):
    """a job deleted while its pods are being created ends its pass without errors (S190); all kinds share one list of pods (S199)"""
    w.fault("POST", "/services", status(404, "NotFound", 'namespaces "default" not found'), 100)
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("a refused Service", lambda: w.written("POST .*/services"))
    w.take("pytorchjobs", "default", "train")
    w.settle(1)
    n = len(w.written())
    w.settle(1)
    must(len(w.written()) == n, w.written()[n:])
    lists = [r for r in w.requests if r[0] == "GET" and r[1] == "/api/v1/pods"]
    must(len(lists) == 2, lists)                # one for all kinds, one for the pods of Jobs of runs
    w.stop()


@check
def elsewhere(w):
    """managedBy names another controller: the job is ignored"""
    w.put("pytorchjobs", pytorch(runPolicy={"managedBy": "kueue.x-k8s.io/multikueue"}))
    w.start()
    w.settle(1)
    must(not w.written(), w.written())


@check
def pages(w):
    """a server without streaming lists: lists, then watches"""
    w.fault("GET", "sendInitialEvents=true", status(422, "Invalid", "sendInitialEvents is forbidden"), 1000)
    w.put("pytorchjobs", pytorch())
    w.start("--ancestors")
    w.wait_for("pods", pods_are(w, *ALL))
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))


@check
def late_kind(w):
    """a kind whose definition is created later is found without a restart, and the others do not wait for it"""
    w.served.discard("jaxjobs")
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    must("does not serve /apis/kubeflow.org/v1/jaxjobs" in w.log(), w.log())


# ---- the kinds of --ancestors ----


def old_role(key, name, word=None, replicas=None, template=True, **more):
    spec = {**({key: word} if word else {}), **({"replicas": replicas} if replicas is not None else {}), **more}
    if template:
        spec["template"] = {"spec": {"containers": [container(name)], "restartPolicy": "OnFailure"}}
    return spec


def old_tfjob(name="train", workers=1, ps=2, **more):
    def one(word, replicas, **other):
        return old_role("tfReplicaType", "tensorflow", word, replicas, **other)
    return {"apiVersion": "tensorflow.org/v1alpha1", "kind": "TfJob", "metadata": {"name": name},
            "spec": {"replicaSpecs": [one("MASTER", 1), one("WORKER", workers), one("PS", ps, template=False)], **more}}


def old_mxjob(name="train", mode="dist", **more):
    roles = ("SCHEDULER", "SERVER", "WORKER") if mode == "dist" else ("WORKER",)
    return {"apiVersion": "mxnet.mlkube.io/v1beta1", "kind": "MxJob", "metadata": {"name": name},
            "spec": {"jobMode": mode, "replicaSpecs": [old_role("mxReplicaType", "mxnet", r) for r in roles], **more}}


def job_pod(w, name, last=None, code=None, reason=None, attempt=0):
    """What the cluster's Job controller makes of a Job: a running pod, whose container has terminated before with
    LAST."""
    job = w.get("jobs", name)
    pod = {"metadata": {"name": "%s-%d" % (name, attempt), "labels": job["spec"]["template"]["metadata"]["labels"],
                        "ownerReferences": [{"kind": "Job", "name": name, "uid": job["metadata"]["uid"], "controller": True}]},
           "spec": job["spec"]["template"]["spec"],
           "status": {"phase": "Running", "startTime": w.now(), "containerStatuses": [{
               "name": job["spec"]["template"]["spec"]["containers"][0]["name"], "restartCount": int(last is not None), "state": {"running": {}},
               **({"lastState": {"terminated": {"exitCode": last, "reason": reason or "Error"}}} if last is not None else {})}]}}
    w.put("pods", pod)
    w.change("jobs", name, {"status": {"active": 1, "ready": 1, "startTime": w.now()}})


def job_done(w, name):
    w.change("jobs", name, {"status": {"active": 0, "ready": 0, "succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}})


def old_status(w, plural, name="train"):
    return w.objects[(plural, "default", name)].get("status", {})


def states(w, plural, key, name="train"):
    return {r[key]: (r["state"], r["ReplicasStates"]) for r in old_status(w, plural, name).get("replicaStatuses", [])}


@check
def old_tensorflow(w):
    """a TfJob v1alpha1: its Jobs and Services by index, the standard server, TensorBoard, its phases, states and counts, its runtime id
    (rows: S79, S83, S87 to S89, S97, S102 to S104, S107 to S111, S114, S116)"""
    w.put("old-tfjobs", old_tfjob(tensorboard={"logDir": "/logs"}))
    w.start("--ancestors")
    w.wait_for("four Jobs", lambda: len(w.names("jobs")) == 4)
    w.wait_for("Creating", lambda: old_status(w, "old-tfjobs").get("phase") == "Creating")
    job = w.get("old-tfjobs", "train")
    r = job["spec"]["RuntimeId"]
    must(re.fullmatch("[0-9a-z]{4}", r), r)
    names = ["train-%s-%s-%d" % (role, r, i) for role, n in (("master", 1), ("ps", 2), ("worker", 1)) for i in range(n)]
    must(w.names("jobs") == names and w.names("services") == sorted([*names, "train-tensorboard-" + r]), w.names("services"))
    must(w.names("deployments") == ["train-tensorboard-" + r] and w.names("configmaps") == ["cm-ps-" + r], w.names("configmaps"))
    owner = [{"apiVersion": "tensorflow.org/v1alpha1", "kind": "TfJob", "name": "train", "uid": job["metadata"]["uid"], "controller": True,
              "blockOwnerDeletion": True}]
    made = [o for (p, _, _), o in list(w.objects.items()) if p in ("jobs", "services", "deployments", "configmaps")]
    must(len(made) == 11 and all(o["metadata"]["ownerReferences"] == owner for o in made), made)
    ps = w.get("jobs", "train-ps-%s-1" % r)
    must(ps["metadata"]["labels"]["runtime_id"] == r and ps["metadata"]["labels"]["tf_job_name"] == "train", ps)
    must(ps["spec"]["template"]["spec"]["containers"][0]["image"] == "tensorflow/tensorflow:1.3.0", ps)
    must(old_status(w, "old-tfjobs") == {
        "phase": "Creating", "reason": "", "controlPaused": False, "conditions": [], "state": "", "replicaStatuses": [
            {"tf_replica_type": "MASTER", "state": "Running", "ReplicasStates": {"Running": 1}},
            {"tf_replica_type": "WORKER", "state": "Running", "ReplicasStates": {"Running": 1}},
            {"tf_replica_type": "PS", "state": "Running", "ReplicasStates": {"Running": 2}}]}, old_status(w, "old-tfjobs"))
    for name in names:
        job_pod(w, name)
    w.wait_for("Running", lambda: (old_status(w, "old-tfjobs")["phase"], old_status(w, "old-tfjobs")["state"]) == ("Running", "Running"))
    # a worker whose program failed is reported, and the job continues; the same for a retryable code, of the master too
    w.take("pods", "default", names[3] + "-0")
    job_pod(w, names[3], last=1, attempt=1)
    w.wait_for("a failed worker", lambda: states(w, "old-tfjobs", "tf_replica_type")["WORKER"] == ("Failed", {"Failed": 1}))
    w.take("pods", "default", names[0] + "-0")
    job_pod(w, names[0], last=137, attempt=1)
    w.settle(1.2)
    must(states(w, "old-tfjobs", "tf_replica_type")["MASTER"] == ("Running", {"Running": 1}), old_status(w, "old-tfjobs"))
    must(old_status(w, "old-tfjobs")["phase"] == "Running" and w.names("jobs") == names, old_status(w, "old-tfjobs"))
    w.stop()
    n = len(w.written())
    w.start("--ancestors")
    w.settle(1.2)
    must(len(w.written()) == n, w.written()[n:])
    w.take("jobs", "default", names[1])         # deleted objects are created again
    w.wait_for("the Job again", lambda: names[1] in w.names("jobs"))
    job_done(w, names[0])
    w.wait_for("Done", lambda: (old_status(w, "old-tfjobs")["phase"], old_status(w, "old-tfjobs")["state"]) == ("Done", "Succeeded"))
    must(states(w, "old-tfjobs", "tf_replica_type") == {"MASTER": ("Succeeded", {"Succeeded": 1}), "WORKER": ("Failed", {"Failed": 1}),
                                                        "PS": ("Running", {"Running": 2})}, old_status(w, "old-tfjobs"))
    w.settle()
    must(w.names("jobs") == names and w.names("deployments"), "something was deleted")
    w.wait_for("its Event", lambda: "TfJobSucceeded" in w.told("train"))
    w.stop()
    n = len(w.written())
    w.start("--ancestors")
    w.settle(1.2)
    must(len(w.written()) == n, w.written()[n:])
    w.take("old-tfjobs", "default", "train")
    w.wait_for("nothing left", lambda: not w.names("jobs") + w.names("services") + w.names("configmaps") + w.names("deployments"))


@check
def old_role_removed(w):
    """TfJob v1alpha1: the Jobs and Services of its parameter servers are deleted in the same way"""
    w.put("old-tfjobs", old_tfjob(workers=1, ps=2))
    w.start("--ancestors")
    w.wait_for("Jobs", lambda: len(w.names("jobs")) == 4)
    job = w.get("old-tfjobs", "train")
    w.change("old-tfjobs", "train", {"spec": {"replicaSpecs": [r for r in job["spec"]["replicaSpecs"] if r["tfReplicaType"] != "PS"]}})
    w.wait_for("no server", lambda: len(w.names("jobs")) == 2 and w.names("jobs") == w.names("services"))
    must(not [n for n in w.names("jobs") if "-ps-" in n], w.names("jobs"))
    w.stop()


@check
def old_failures(w):
    """a master that fails with 1 to 127, or for lack of memory, fails its TfJob; of an MxJob any replica for lack of memory (S85, S86)"""
    for i, (code, reason) in enumerate(((1, None), (127, None), (137, "OOMKilled"))):
        w.put("old-tfjobs", old_tfjob("t%d" % i, RuntimeId="abc%d" % i))
        w.put("old-mxjobs", old_mxjob("m%d" % i, RuntimeId="mxn%d" % i))
    for i in range(3):
        w.change("old-tfjobs", "t%d" % i, {"spec": {"replicaSpecs": old_tfjob()["spec"]["replicaSpecs"][:1]}})
    w.start("--ancestors")
    w.wait_for("all Jobs", lambda: len(w.names("jobs")) == 12)
    for i, (code, reason) in enumerate(((1, None), (127, None), (137, "OOMKilled"))):
        job_pod(w, "t%d-master-abc%d-0" % (i, i), last=code, reason=reason)
        job_pod(w, "m%d-server-mxn%d-0" % (i, i), last=code, reason=reason)
    for i in range(3):
        w.wait_for("t%d Failed" % i, lambda: (old_status(w, "old-tfjobs", "t%d" % i).get("phase"), old_status(w, "old-tfjobs", "t%d" % i).get("state")) == ("Done", "Failed"))
        must(states(w, "old-tfjobs", "tf_replica_type", "t%d" % i) == {"MASTER": ("Failed", {"Failed": 1})}, old_status(w, "old-tfjobs", "t%d" % i))
        w.wait_for("its Event", lambda: "TfJobFailed" in w.told("t%d" % i))
    w.wait_for("m2 Failed", lambda: old_status(w, "old-mxjobs", "m2").get("state") == "Failed")
    must(states(w, "old-mxjobs", "Mx_replica_type", "m2")["SERVER"] == ("Failed", {"Failed": 1}), old_status(w, "old-mxjobs", "m2"))
    w.settle(1.2)
    must([old_status(w, "old-mxjobs", "m%d" % i)["state"] for i in range(2)] == ["Running"] * 2, old_status(w, "old-mxjobs", "m0"))
    must(len(w.names("jobs")) == 12, "Jobs of a job that failed stay")


@check
def old_mxnet(w):
    """an MxJob v1beta1: one Service, its status without what is empty, and the scheduler's end; a local one is a worker alone
    (rows: S117, S118, S120 to S123, S150 to S155, S166)"""
    w.put("old-mxjobs", old_mxjob())
    w.put("old-mxjobs", old_mxjob("alone", "local"))
    w.start("--ancestors")
    w.wait_for("four Jobs", lambda: len(w.names("jobs")) == 4)
    r = w.get("old-mxjobs", "train")["spec"].get("RuntimeId")
    w.wait_for("its runtime id", lambda: w.objects[("old-mxjobs", "default", "train")]["spec"].get("RuntimeId"))
    r = w.get("old-mxjobs", "train")["spec"]["RuntimeId"]
    must(w.names("services") == ["train-scheduler-%s-0" % r], w.names("services"))
    env = {e["name"]: e.get("value") for e in w.get("jobs", "train-worker-%s-0" % r)["spec"]["template"]["spec"]["containers"][0]["env"]}
    must(env == {"DMLC_PS_ROOT_PORT": "9091", "DMLC_PS_ROOT_URI": "train-scheduler-%s-0" % r, "DMLC_NUM_SERVER": "1", "DMLC_NUM_WORKER": "1",
                 "DMLC_ROLE": "worker"}, env)
    w.wait_for("Creating", lambda: old_status(w, "old-mxjobs").get("phase") == "Creating")
    must(sorted(old_status(w, "old-mxjobs")) == ["controlPaused", "phase", "replicaStatuses"], old_status(w, "old-mxjobs"))
    for name in w.names("jobs"):
        job_pod(w, name)
    w.wait_for("Running", lambda: all(old_status(w, "old-mxjobs", n).get("state") == "Running" for n in ("train", "alone")))
    job_done(w, "train-scheduler-%s-0" % r)
    w.wait_for("Done", lambda: (old_status(w, "old-mxjobs")["phase"], old_status(w, "old-mxjobs")["state"]) == ("Done", "Succeeded"))
    must(states(w, "old-mxjobs", "Mx_replica_type")["SCHEDULER"] == ("Succeeded", {"Succeeded": 1}), old_status(w, "old-mxjobs"))
    job_done(w, "alone-worker-%s-0" % w.get("old-mxjobs", "alone")["spec"]["RuntimeId"])
    w.wait_for("Done", lambda: old_status(w, "old-mxjobs", "alone")["phase"] == "Done")
    # a deletion that waits for the job's dependents; the object may be gone soon after
    w.settle(1.2)

    def deletes(i):
        name = "gone-%d" % i
        w.put("old-mxjobs", old_mxjob(name, "local"))
        w.wait_for("Creating", lambda: old_status(w, "old-mxjobs", name).get("phase") == "Creating")
        begun = time.monotonic()
        w.change("old-mxjobs", name, {"metadata": {"deletionTimestamp": w.now()}})
        w.wait_for("CleanUp", lambda: old_status(w, "old-mxjobs", name)["phase"] == "CleanUp")
        return time.monotonic() - begun
    w.at_once("CleanUp, which does not wait as counts do", 0.9, deletes)


@check
def old_refused(w):
    """a TfJob that those operators refuse has phase and state Failed and the reason; corrected, it runs; keys in any case are read"""
    bad = old_tfjob()
    bad["spec"]["replicaSpecs"][1]["tfReplicaType"] = "CHIEF"
    w.put("old-tfjobs", bad)
    w.put("old-mxjobs", old_mxjob(mode="ring"))
    odd = old_tfjob("odd", ps=1)
    odd["spec"] = {"REPLICASPECS": odd["spec"]["replicaSpecs"], "runtimeid": "zzzz"}
    w.put("old-tfjobs", odd)
    w.start("--ancestors")
    w.wait_for("Failed", lambda: (old_status(w, "old-tfjobs").get("phase"), old_status(w, "old-tfjobs").get("state")) == ("Failed", "Failed"))
    must("unknown role 'CHIEF'" in old_status(w, "old-tfjobs")["reason"], old_status(w, "old-tfjobs"))
    w.wait_for("the other", lambda: "jobMode" in old_status(w, "old-mxjobs").get("reason", ""))
    w.wait_for("odd", lambda: "odd-master-zzzz-0" in w.names("jobs"))
    must("RuntimeId" not in w.get("old-tfjobs", "odd")["spec"], "a second runtime id")
    w.settle()
    n = len(w.written())
    w.stop()
    w.start("--ancestors")
    w.settle(1.2)
    must(len(w.written()) == n, w.written()[n:])
    w.change("old-tfjobs", "train", {"spec": old_tfjob()["spec"]})
    w.change("old-mxjobs", "train", {"spec": {"jobMode": "local", "replicaSpecs": old_mxjob(mode="local")["spec"]["replicaSpecs"]}})
    w.wait_for("Jobs", lambda: len(w.names("jobs")) == 3 + 4 + 1)
    w.wait_for("no longer Failed", lambda: (old_status(w, "old-tfjobs")["phase"], old_status(w, "old-tfjobs")["reason"]) == ("Creating", ""))
    w.wait_for("no reason", lambda: "reason" not in old_status(w, "old-mxjobs"))
    # fewer replicas: the surplus Job goes, in the background with its pods
    w.change("old-tfjobs", "train", {"spec": {"replicaSpecs": old_tfjob(ps=1)["spec"]["replicaSpecs"]}})
    w.wait_for("fewer", lambda: len([x for x in w.names("jobs") if x.startswith("train-ps")]) == 1)
    gone = [json.loads(r[2]) for r in w.requests if r[0] == "DELETE" and "/jobs/" in r[1]]
    must(gone and all(g["propagationPolicy"] == "Background" for g in gone), gone)


@check
def old_mutations(w):
    """resources of the kinds of --ancestors that are wrong in one field each: each gets a phase, and a valid one beside them
    runs"""
    wrong = [None, -1, 0, 10 ** 30, 1.5, True, "", "\u00e9\n\x7f" * 50, [], [None], {}, {"x": {"x": []}}]
    full = old_tfjob(tensorboard={"logDir": "/l", "serviceType": "ClusterIP", "volumes": [], "volumeMounts": []}, tfImage="tf:1", RuntimeId="abcd",
                     terminationPolicy={"chief": {"replicaName": "MASTER", "replicaIndex": 0}})
    full["spec"]["replicaSpecs"][0].update(tfPort=2222, IsDefaultPS=False)
    n = 0
    w.start("--ancestors")
    for plural, kind in (("old-tfjobs", full), ("old-mxjobs", old_mxjob(RuntimeId="abcd"))):
        kind["spec"]["replicaSpecs"][0]["replicas"] = 1
        for i, path in enumerate([(), *places(kind["spec"])]):
            job = json.loads(json.dumps(kind))
            job["spec"]["RuntimeId"] = "%04d" % n
            at = job if not path else job["spec"]
            for key in path[:-1]:
                at = at[key]
            at[path[-1] if path else "spec"] = wrong[(i * 5) % len(wrong)]
            job["metadata"]["name"] = "m%d" % n
            w.put(plural, job)
            n += 1
    w.put("old-tfjobs", old_tfjob("sound", RuntimeId="soun"))
    w.wait_for("the sound one's Jobs", lambda: "sound-master-soun-0" in w.names("jobs"), 60)
    w.wait_for("a phase for each", lambda: all(o.get("status", {}).get("phase") for (p, _, _), o in list(w.objects.items()) if p.startswith("old-")), 60)
    must(w.controllers[-1].poll() is None, w.log()[-2000:])
    refused = [o for (p, _, _), o in list(w.objects.items()) if p.startswith("old-") and o["status"]["phase"] == "Failed"]
    must(n > 60 and len(refused) > n / 4 and all(o["status"]["reason"] for o in refused), (n, len(refused)))
    w.stop()


@check
def old_killed(w):
    """kill -9 before and after every write for a TfJob: exactly its Jobs, none of them twice, under one runtime id"""
    def run(kill):
        w.kill_at, w.writes = kill, 0
        w.put("old-tfjobs", old_tfjob(ps=1, workers=0))
        w.change("old-tfjobs", "train", {"spec": {"replicaSpecs": [s for s in old_tfjob(ps=1)["spec"]["replicaSpecs"] if s["tfReplicaType"] != "WORKER"]}})
        w.start("--ancestors")

        def alive():
            if w.controllers[-1].poll() is not None:
                w.start("--ancestors")
            return True
        w.wait_for("Jobs (killed at %r)" % (kill,), lambda: alive() and len(w.names("jobs")) == 2 and len(w.names("services")) == 2)
        w.wait_for("Creating", lambda: alive() and old_status(w, "old-tfjobs").get("phase") == "Creating")
        for name in w.names("jobs"):
            job_pod(w, name)
        w.wait_for("Running", lambda: alive() and old_status(w, "old-tfjobs").get("phase") == "Running")
        job_done(w, w.names("jobs")[0])
        w.wait_for("Done", lambda: alive() and old_status(w, "old-tfjobs").get("phase") == "Done")
        w.settle(0.2)
        alive()
        made = [o for v, p, n, change, o, t in w.events if p == "jobs" and change == "ADDED" and v > before]
        must(len(made) == 2, "killed at %r: %d Jobs" % (kill, len(made)))
        writes = w.writes
        w.stop()
        w.take("old-tfjobs", "default", "train")
        return writes
    before = w.version
    n = run(None)
    must(n >= 7, n)
    for at in range(1, n + 1):
        for early in (True, False):
            before = w.version
            run((at, early))


def fetch(port, path, method="GET"):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    c.request(method, path)
    r = c.getresponse()
    return r.status, r.read().decode()


def free_port():
    """A port that is free, and that the system assigns to nobody else: those begin at 32768."""
    while True:
        port = random.randrange(20000, 30000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            continue


@check
def probes(w):
    """/healthz at once, /readyz when the watches are live, /metrics as OpenMetrics; a client that sends nothing
    delays no other"""
    port = free_port()
    w.delay = 0
    w.fault("GET", "/api/v1/pods", status(503, "ServiceUnavailable", "later"), 3)
    w.put("pytorchjobs", pytorch())
    w.start("--listen", "127.0.0.1:%d" % port)

    def answers(path):
        try:
            return fetch(port, path)[0]
        except OSError:
            return 0
    w.wait_for("/healthz", lambda: answers("/healthz") == 200)
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(10)]
    w.wait_for("/readyz", lambda: answers("/readyz") == 200)
    w.wait_for("pods", pods_are(w, *ALL))
    w.settle()
    code, text = fetch(port, "/metrics")
    must(code == 200 and text.endswith("# EOF\n"), text)
    values = dict(re.findall(r"^(\w+) ([0-9.]+)$", text, re.M))
    must(values["trainc_objects_created_total"] == "6" and values["trainc_jobs"] == "1" and values["trainc_objects"] == "6", text)
    must(int(values["trainc_requests_total"]) > 10 and values["trainc_leader"] == "1", text)
    must(fetch(port, "/x")[0] == 404 and fetch(port, "/metrics", "POST")[0] == 405, "other paths and methods")
    for s in silent:
        s.close()
    w.stop()


def half_requests(port, n, stop):
    """Keeps N connections open whose requests are incomplete, and opens all of them again every second."""
    while not stop.is_set():
        held = []
        for i in range(n):
            try:
                s = socket.create_connection(("127.0.0.1", port), timeout=5)
                s.send(b"GET /healthz HTTP/1.1\r\nHost: x"[:1 + i % 30])
                held.append(s)
            except OSError:
                pass
        stop.wait(1)
        for s in held:
            s.close()


@check
def half_open(w):
    """clients that send half requests and come back each second keep no probe from its answer, and are cut off after
    two seconds; --probes serves no metrics"""
    ports = [free_port(), free_port()]
    w.start("--listen", "127.0.0.1:%d" % ports[0], "--probes", "127.0.0.1:%d" % ports[1])
    w.wait_for("watches", lambda: "all watches are live" in w.log())
    for port in ports:
        for n in (17, 200):
            stop = threading.Event()
            attacker = threading.Thread(target=half_requests, args=(port, n, stop))
            attacker.start()
            try:
                answers = [fetch(port, ("/healthz", "/readyz")[i % 2])[0] for i in range(1000)]
            finally:
                stop.set()
                attacker.join()
            must(answers == [200] * 1000, "%d of 1,000 probes beside %d half requests" % (answers.count(200), n))
    must([fetch(port, "/metrics")[0] for port in ports] == [200, 404], "only --listen serves metrics")
    with socket.create_connection(("127.0.0.1", ports[1]), timeout=10) as s:
        begun = time.monotonic()
        for _ in range(100):                    # a byte now and then does not prolong the time of a request
            try:
                s.send(b"G")
                s.settimeout(0.2)
                if not s.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        must(1.5 < time.monotonic() - begun < 8, "a half request was kept for %.1f s" % (time.monotonic() - begun))
    w.stop()


@check
def lease(w):
    """of two controllers with one Lease one works; the other takes over at once when the Lease is released, and
    after 15 s otherwise"""
    first = w.start("--lease", "trainc")
    w.wait_for("a holder", lambda: ("leases", "default", "trainc") in w.objects)
    second = w.start("--lease", "trainc")
    w.put("pytorchjobs", pytorch())
    w.wait_for("pods", pods_are(w, *ALL))
    holder = w.get("leases", "trainc")["spec"]["holderIdentity"]
    must(holder.endswith("_%d" % first.pid), holder)
    w.settle(1)
    must(len(w.written("POST .*/(pods|services)")) == 6, w.written("POST"))
    first.send_signal(signal.SIGTERM)
    must(first.wait(timeout=20) == 0, w.log(0))
    begun = time.time()
    w.run_pods()
    w.wait_for("Running", condition(w, "pytorchjobs", "train", "Running"))
    must(time.time() - begun < 13, "the second waited although the Lease was given back")
    must(w.get("leases", "trainc")["spec"]["leaseTransitions"] >= 1, w.get("leases", "trainc"))
    third = w.start("--lease", "trainc")
    begun = time.time()
    w.change("leases", "trainc", {"spec": {"holderIdentity": "somebody-else"}})
    must(second.wait(timeout=20) == 5, w.log(1))
    w.pod("train-master-0", "Succeeded")
    w.wait_for("Succeeded, by the third", condition(w, "pytorchjobs", "train", "Succeeded"), 60)
    must(time.time() - begun > 14.9, "the third did not wait for the Lease to run out")
    must(third.poll() is None, w.log(2))
    w.stop()


def shard_of(ns, total):
    """The shard of a namespace, by the rule of docs/supervise.md."""
    h = 2166136261
    for byte in ns.encode():
        h = (h ^ byte) * 16777619 % 2 ** 32
    return h % total


def put_spread(w, spaces, name):
    for ns in spaces:
        job = tfjob(name)
        job["metadata"]["namespace"] = ns
        w.put("tfjobs", job)


def spread(w, spaces, name):
    """The namespaces in which the pods of a job exist."""
    with w.lock:
        return {ns for ns in spaces if all(("pods", ns, "%s-worker-%d" % (name, i)) in w.objects for i in range(2))}


def known(w, which, resource):
    """The number of objects that a controller remembers of a kind, from its dump."""
    before = len(w.log(which))
    w.controllers[which].send_signal(signal.SIGUSR1)
    pattern = r"watch: /apis?/\S*/%s [^\n]*?, (\d+) objects" % resource
    w.wait_for("a dump", lambda: re.search(pattern, w.log(which)[before:]))
    return int(re.search(pattern, w.log(which)[before:])[1])


SPACES = ["team-%d" % i for i in range(12)]


@check
def shards(w):
    """shards: each handles its namespaces, keeps nothing of others, and has standbys; each pod is created once"""
    mine = [{ns for ns in SPACES if shard_of(ns, 2) == k} for k in range(2)]
    must(all(len(x) > 2 for x in mine), mine)
    put_spread(w, SPACES, "a")
    w.start("--total-shards=2", "--shard=0")
    w.wait_for("pods of shard 0", lambda: spread(w, SPACES, "a") == mine[0])
    w.settle(1)
    must(spread(w, SPACES, "a") == mine[0], spread(w, SPACES, "a"))
    must(known(w, 0, "tfjobs") == len(mine[0]) and known(w, 0, "pods") == 2 * len(mine[0]), w.log())
    w.start("--total-shards=2", "--shard=trainc-supervise-1")
    w.wait_for("pods of shard 1", lambda: spread(w, SPACES, "a") == set(SPACES))
    must((known(w, 1, "tfjobs"), known(w, 0, "tfjobs")) == (len(mine[1]), len(mine[0])), w.log())
    must(sorted(w.names("leases")) == ["trainc-supervise", "trainc-supervise-0", "trainc-supervise-1"], w.names("leases"))
    must(w.get("leases", "trainc-supervise")["spec"]["holderIdentity"] == "2 shards", w.get("leases", "trainc-supervise"))
    # pod 3 of a StatefulSet stands by for shard 1
    w.start("--total-shards=2", "--shard=trainc-supervise-3")
    w.wait_for("it waits", lambda: "waits for the Lease default/trainc-supervise-1" in w.log())
    w.controllers[1].send_signal(signal.SIGTERM)
    must(w.controllers[1].wait(timeout=20) == 0, w.log(1))
    put_spread(w, SPACES, "b")
    w.wait_for("pods of both shards", lambda: spread(w, SPACES, "b") == set(SPACES))
    must(len(w.written("POST .*/pods")) == 4 * len(SPACES), len(w.written("POST .*/pods")))
    # shards renew the Lease that they share together, instead of each one every two seconds
    n = len(w.written("PUT .*/trainc-supervise$"))
    time.sleep(8)  # the writes of eight seconds are counted
    must(1 <= len(w.written("PUT .*/trainc-supervise$")) - n <= 7, w.written("PUT .*/trainc-supervise$")[n:])
    must(all(p.poll() is None for p in (w.controllers[0], w.controllers[2])), w.log())


@check
def other_shards(w):
    """with another number of shards, or without shards, a controller waits until no process of the old layout is
    left"""
    put_spread(w, SPACES, "a")
    old = [w.start("--total-shards=2", "--shard=%d" % k) for k in range(2)]
    w.wait_for("pods", lambda: spread(w, SPACES, "a") == set(SPACES))
    new = [w.start("--total-shards=3", "--shard=%d" % k) for k in range(3)]
    w.wait_for("they wait", lambda: all("waits for the Lease default/trainc-supervise, which '2 shards' holds" in w.log(k) for k in (2, 3, 4)))
    alone = w.start("--lease", "trainc-supervise")
    w.wait_for("the one without shards waits", lambda: "which '2 shards' holds" in w.log())
    old[0].send_signal(signal.SIGTERM)          # one of two is left: the others still wait
    must(old[0].wait(timeout=20) == 0, w.log(0))
    time.sleep(17)  # longer than a Lease lasts
    put_spread(w, SPACES, "b")
    w.wait_for("pods of shard 1", lambda: len(spread(w, SPACES, "b")) > 2)
    w.settle(1)
    must(spread(w, SPACES, "b") == {ns for ns in SPACES if shard_of(ns, 2) == 1}, spread(w, SPACES, "b"))
    for p in (alone, old[1]):
        p.kill()
        p.wait()
    begun = time.time()
    w.wait_for("pods of all", lambda: spread(w, SPACES, "b") == set(SPACES) or any(p.poll() is not None for p in new), 40)
    must(time.time() - begun > 8, "the new shards did not wait for the Lease to run out")
    must(w.get("leases", "trainc-supervise")["spec"]["holderIdentity"] == "3 shards", w.get("leases", "trainc-supervise"))
    w.settle(1)
    must(len(w.written("POST .*/pods")) == 4 * len(SPACES), len(w.written("POST .*/pods")))
    # the Lease of the shards is lost: none of them continues
    w.change("leases", "trainc-supervise", {"spec": {"holderIdentity": "somebody-else"}})
    must([p.wait(timeout=20) for p in new] == [5, 5, 5], w.log())


@check
def shard_options(w):
    """invalid options about shards are refused with what to write instead"""
    def refused_with(text, *options):
        done = subprocess.run([TRAINC, "supervise", "--kubeflow", *options], capture_output=True, text=True, timeout=20, env=w.environment())
        must(done.returncode == 2 and text in done.stderr and not done.stdout, done)
    refused_with("--total-shards is a number from 1 to 1000, found 'x'", "--total-shards=x")
    refused_with("--total-shards is a number from 1 to 1000, found '0'", "--total-shards=0", "--shard=0")
    refused_with("--shard needs --total-shards", "--shard=0")
    refused_with("--total-shards 4 needs --shard, the number of this process from 0 to 3", "--total-shards=4")
    refused_with("--shard 4: with --total-shards 4 the last shard is 3", "--total-shards=4", "--shard=4")
    refused_with("--shard 1: there is only shard 0", "--total-shards=1", "--shard=1")
    for text in ("-1", "0x1", "web", "9999999999", ""):
        refused_with("found '%s'" % text, "--total-shards=4", "--shard=" + text)
    refused_with("all jobs of a namespace are in one shard", "--total-shards=4", "--shard=1", "--namespace=ml")
    refused_with("leave out --shard", "--total-shards=4", "--shard=1", "--manifest")
    items = manifest("--total-shards=4")
    found = [o for o in items if o["kind"] in ("Deployment", "StatefulSet")]
    must([o["kind"] for o in found] == ["StatefulSet"] and found[0]["spec"]["replicas"] == 4, found)
    pod = found[0]["spec"]["template"]["spec"]["containers"][0]
    must("--total-shards=4" in pod["args"] and "--shard=$(POD_NAME)" in pod["args"], pod)
    must(pod["env"] == [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}], pod)
    must(found[0]["spec"]["serviceName"] in [o["metadata"]["name"] for o in items if o["kind"] == "Service"], found)
    must(permissions(items) == permissions(manifest()) and manifest("--total-shards=1") == manifest(), "one shard is as none")


@check
def dump(w):
    """SIGUSR1 logs the queue and the passes in progress, and every line of the log is JSON"""
    w.put("pytorchjobs", pytorch())
    w.start()
    w.wait_for("pods", pods_are(w, *ALL))
    w.controllers[-1].send_signal(signal.SIGUSR1)
    w.wait_for("a dump", lambda: "watch: /apis/kubeflow.org/v1/pytorchjobs" in w.log())
    for line in w.log().splitlines():
        must({"time", "level", "message"} <= set(json.loads(line)), line)
    w.stop(signal.SIGINT)


@check
def objects(w):
    """--manifest: definitions that agree with the schema tables, a Deployment with few permissions, in one namespace
    if requested"""
    old = manifest("--ancestors")
    must([o["metadata"]["name"] for o in old if o["kind"] == "CustomResourceDefinition"][7:] == ["tfjobs.tensorflow.org", "mxjobs.mxnet.mlkube.io"], old)
    version = next(o for o in old if o["metadata"]["name"] == "tfjobs.tensorflow.org")["spec"]["versions"][0]
    schema = version["schema"]["openAPIV3Schema"]
    must(version["name"] == "v1alpha1" and version["additionalPrinterColumns"][0]["jsonPath"] == ".status.state", version["additionalPrinterColumns"])

    def closed(s, path=""):
        """Places of a schema that drop unknown fields, or require one."""
        found = [path] if "required" in s or ("properties" in s and not s.get("x-kubernetes-preserve-unknown-fields")) else []
        for name, one in [*s.get("properties", {}).items(), *((k, s[k]) for k in ("items", "additionalProperties") if isinstance(s.get(k), dict))]:
            found += closed(one, path + "/" + name)
        return found
    must(not closed(schema), closed(schema)[:5])
    items = manifest("--image=registry.example.com/trainc:1", "--operator=1.7")
    kinds = [o["kind"] for o in items]
    must("--ancestors" not in json.dumps(items), "nobody asked for them")
    must(kinds.count("CustomResourceDefinition") == 7 and "Deployment" in kinds and "PodMonitor" not in kinds, kinds)
    must("PodMonitor" in [o["kind"] for o in manifest("--monitor=pod")], "no PodMonitor")
    by = {o["metadata"]["name"]: o for o in items if o["kind"] == "CustomResourceDefinition"}
    version = by["pytorchjobs.kubeflow.org"]["spec"]["versions"][0]
    must(version["subresources"]["scale"]["specReplicasPath"] == ".spec.pytorchReplicaSpecs.Worker.replicas", version["subresources"])
    must("scale" not in by["tfjobs.kubeflow.org"]["spec"]["versions"][0]["subresources"], "TFJob has no scale")
    schema = version["schema"]["openAPIV3Schema"]["properties"]
    must(schema["metadata"] == {"type": "object"} and schema["spec"]["required"] == ["pytorchReplicaSpecs"], schema["spec"]["required"])
    template = schema["spec"]["properties"]["pytorchReplicaSpecs"]["additionalProperties"]["properties"]["template"]["properties"]
    must(template["metadata"]["properties"]["labels"] == {"type": "object", "additionalProperties": {"type": "string"}}, template["metadata"])
    limits = template["spec"]["properties"]["containers"]["items"]["properties"]["resources"]["properties"]["limits"]
    must(limits["additionalProperties"]["x-kubernetes-int-or-string"] is True, limits)
    pod = next(o for o in items if o["kind"] == "Deployment")["spec"]["template"]["spec"]
    main_container = pod["containers"][0]
    must(main_container["image"] == "registry.example.com/trainc:1" and "--operator=1.7" in main_container["args"], main_container)
    must(main_container["resources"]["limits"] == {"memory": "128Mi"} and pod["securityContext"]["runAsNonRoot"], pod)
    must(main_container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                               "capabilities": {"drop": ["ALL"]}}, main_container)
    one = manifest("--namespace=ml")
    must("ClusterRoleBinding" not in [o["kind"] for o in one] and permissions(one) == permissions(manifest("--all-namespaces")), one)
    must([o["metadata"]["namespace"] for o in one if o["kind"] == "Role"] == ["ml"], one)


@check
def round_trip(w):
    """the definitions, read back by `trainc vendor crd`, give the tables that they were made from"""
    text = subprocess.run([TRAINC, "supervise", "--kubeflow", "--manifest", "--image=a/b:1"], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(w.dir, "crds.yaml"), "w") as f:
        f.write("---\n".join(x for x in text.split("---\n") if "\nkind: CustomResourceDefinition\n" in x))
    with open(os.path.join(w.dir, "project.tj"), "w") as f:
        f.write("project { name = \"x\" }\n")
    done = subprocess.run([TRAINC, "vendor", "crd", "crds.yaml"], cwd=w.dir, capture_output=True, text=True, timeout=60)
    must(done.returncode == 0, done.stderr)
    with open(os.path.join(w.dir, "crds.tbl")) as f:
        got = f.read()
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "compiler", "kube", "schema_addons.tbl")) as f:
        want = f.read()
    for kind in ("PyTorchJob", "TFJob", "MPIJob"):
        for part in ("SpecRunPolicy", "Spec"):
            block = r"^type kubeflow\.org\.v1\.%s%s\n((?:\t.*\n)+)" % (kind, part)
            must(re.search(block, got, re.M) and re.search(block, got, re.M)[1] == re.search(block, want, re.M)[1],
                 "%s%s:\n%s" % (kind, part, re.search(block, got, re.M) and re.search(block, got, re.M)[1]))


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
