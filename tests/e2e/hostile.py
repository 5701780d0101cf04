"""One hostile tenant against 200 jobs of another namespace, on a real control plane (tests/e2e/run.sh hostile).

The jobs run to their ends three times: without him; while he does at the same time what each of the attacks in
attacks.py does alone, with a controller that does not see his namespace; and then with one that does.  He makes jobs of
250 and of 9,000 levels, of 1.3 MB and of 40,000 variables, hundreds of jobs, forged records of runs, MPIJobs with the
names of other people's pods, objects that look like replicas, suspensions without end, and half requests to the
controller's port.  The second time shows what his requests cost the API server, which shares the machine here; the
third may be at most 1.5 times the first, or the second if the API server is the slower one.  The memory of the
controller must stay below the limit of its manifest.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 hostile.py
"""

import contextlib
import itertools
import json
import os
import signal
import sys
import threading
import time

import attacks
from attack_field import GOOD, PLURALS, Field, container_of, job_of, nested, role_of
from attacks import LOOKS, PLAIN_POD, forged, half_requests, noise, raw_job, restart_of
from supervise import NOTE, must

JOBS = int(os.environ.get("HOSTILE_JOBS", "200"))
MOST = 1.5                              # how much longer the jobs may take
PAUSE = 0.03                            # seconds between two requests of one thread of the tenant: he attacks the
#                                         controller, and the API server's own limits hold him back there


def fleet(a, tag):
    """Creates the jobs, and returns the seconds until all have succeeded."""
    o = job_of("TFJob", "NAME")
    role_of(o)["replicas"] = 2
    role_of(o)["template"]["metadata"]["annotations"] = {f"{NOTE}/run": "1s"}
    text, begun = json.dumps(o), time.monotonic()

    def create(part):
        for i in range(part, JOBS, 4):
            a.admin.create("tfjobs", text.replace('"NAME"', f'"{tag}-{i}"', 1), ns=GOOD)
    threads = [threading.Thread(target=create, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    while time.monotonic() < begun + 600:
        must(a.main.poll() is None, f"the controller has ended with {a.main.returncode}: {a.said()[-1000:]}")
        done = sum(any(c["type"] == "Succeeded" and c["status"] == "True" for c in x.get("status", {}).get("conditions", []))
                   for x in a.admin.list("tfjobs", GOOD) if x["metadata"]["name"].startswith(tag))
        if done == JOBS:
            return time.monotonic() - begun
        time.sleep(0.25)
    raise attacks.Failure(f"{done} of {JOBS} jobs have succeeded after 600 s")


def many(a, create):
    """CREATE(i) for ever, with a pause."""
    def go(stop):
        for i in itertools.count():
            if stop.is_set():
                return
            with contextlib.suppress(Exception):        # what is refused has failed; he goes on
                create(i)
            time.sleep(PAUSE)
    return go


def tenant(a):
    """Everything that he does, each in a thread of its own."""
    u = a.users
    o = job_of("TFJob", "NAME")
    container_of(o)["env"] = [{"name": "A", "value": "x" * 1_300_000}]
    big = json.dumps(o)
    container_of(o)["env"] = [{"name": f"V{i:05}", "value": ""} for i in range(40000)]
    wide = json.dumps(o)
    plain = json.dumps(job_of("TFJob", "NAME"))

    def named(text, name):
        return text.replace('"NAME"', f'"{name}"', 1)

    def large(i):
        if i < 30:
            u["TFJob"].create("tfjobs", named(wide if i % 10 == 9 else big, f"large-{i}"))
        else:
            time.sleep(0.5)             # the store of the cluster has an end, too
            u["TFJob"].change("tfjobs", f"large-{i % 30}", {"metadata": {"labels": {"at": str(i)}}})

    def record(i):
        job = {**attacks.HOSTILE_JOB, "metadata": {"name": f"pwn-{i}", "labels": {"trainc.dev/job": f"r-{i}"}}}
        u["configmaps"].create("configmaps", forged(a, f"r-{i}", jobs=[job], restarts="9", restart=restart_of((f"pwn-{i}", "", 0, "")),
                                                    **({"plan": "x" * 900_000} if i < 20 else {})))

    def look(i):
        if i < 100:
            u["pods"].create("pods", {"metadata": {"name": f"look-{i}", "labels": LOOKS, "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": "x", "uid": noise(100_000)}]}, "spec": PLAIN_POD})

    def storm(i):
        if i == 0:
            o = job_of("TFJob", "storm")
            role_of(o)["replicas"] = 20
            u["TFJob"].create("tfjobs", o)
        u["TFJob"].change("tfjobs", "storm", {"spec": {"runPolicy": {"suspend": i % 2 == 0}}})

    kinds = list(PLURALS)
    return [
        many(a, lambda i: u[kinds[i % 7]].create(PLURALS[kinds[i % 7]], raw_job(kinds[i % 7], f"deep-{i}", nested(9000 if i % 50 == 49 else 250)))),
        many(a, large),
        many(a, lambda i: i < 500 and u["TFJob"].create("tfjobs", named(plain, f"crowd-{i}"))),
        many(a, record),
        many(a, look),
        many(a, storm),
        many(a, lambda i: i < 50 and u["MPIJob"].create("mpijobs", job_of("MPIJob", f"db-{i}" if i else "db"))),
        lambda stop: half_requests(a, 40, stop),
    ]


def end(a):
    """Ends the controller, so that another one can take its place."""
    a.main.terminate()
    a.main.wait(timeout=30)


def main():
    signal.signal(signal.SIGTERM, attacks.stop)
    a = Field()
    try:
        a.prepare()
        a.start()
        attacks.genuine(a)
        alone = fleet(a, "alone")
        end(a)
        a.start("--namespace", GOOD)
        stop = threading.Event()
        threads = [threading.Thread(target=go, args=(stop,)) for go in tenant(a)]
        for t in threads:
            t.start()
        try:
            time.sleep(5)               # he is well under way
            apart = fleet(a, "apart")
            end(a)
            a.peak = 0
            a.start()
            beside = fleet(a, "beside")
        finally:
            stop.set()
            for t in threads:
                t.join()
        left = {plural: len(a.admin.list_metadata(plural)) for plural in ("tfjobs", "pods", "configmaps", "mpijobs")}
        peak = a.memory()
        print(f"# {JOBS} jobs alone: {alone:.1f} s; while a hostile tenant makes {left}: {apart:.1f} s with a controller that does not see him, "
              f"{beside:.1f} s with one that does")
        print(f"# memory of the controller: at most {peak >> 20} MiB of {a.limit >> 20} MiB")
        a.holds()
        must(not [j for j in a.admin.list("jobs") if j["metadata"]["name"].startswith("pwn")], "a forged record got a Job")
        longer = beside / max(alone, apart)
        must(longer <= MOST, f"{longer:.2f} times as long, at most {MOST}")
    except (attacks.Failure, TimeoutError) as problem:
        print(f"FAIL hostile: {problem}\n0 passed, 1 failed")
        return 1
    finally:
        a.close()
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
