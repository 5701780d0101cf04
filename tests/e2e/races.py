"""races.py [RACES] - two to four users apply differing programs as one run at the same moment, RACES times (500), for at
most E2E_RACES_SECONDS (600): the last line says how many there were.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 races.py

The programs differ in roles, in the contents of files and in replicas.  Some user wins each race: exactly what the
program of one command with exit status 0 says is in the cluster, nothing of it is being deleted, and no ConfigMap has
the contents of another program.  A command that lost exits with 5, and says that somebody else applies the run."""
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import time

import runtime
from runtime import Failure, Space, TRAINC

SECONDS = int(os.environ.get("E2E_RACES_SECONDS", "600"))
LANES = 4                       # runs that are raced for at the same time
LOST = re.compile(r"somebody else is applying (or deleting run|another program as run)|run '\w+' is being deleted|"
                  r"cannot be applied while \S+ is being deleted")


def program(run, roles):
    """A job with these roles: name -> (replicas, {file: content})."""
    text = 'job "%s" {\n  image = "busybox:1"\n  %s' % (run, runtime.HOLD)
    for role, (replicas, files) in roles.items():
        text += '  role %s {\n    replicas = %d\n    cpu = 10m\n    memory = 16Mi\n    files {\n' % (role, replicas)
        text += "".join('      "/etc/%s" = "%s"\n' % f for f in files.items()) + "    }\n  }\n"
    return text + "  success = done(worker)\n}\n"


PROGRAMS = [
    {"worker": (1, {"a": "one"})},
    {"worker": (1, {"a": "two"}), "third": (1, {"t": "two"})},
    {"worker": (2, {"a": "three"})},
    {"worker": (2, {"a": "four"}), "third": (2, {"t": "four"}), "fourth": (1, {"f": "four"})},
    {"worker": (1, {"a": "five"}), "fourth": (1, {"f": "five"})},
]


def wanted(run, roles):
    """What is to be in the cluster: (kind, name) -> contents, or the number of pods."""
    all = {("Service", run): None}
    for role, (replicas, files) in roles.items():
        all["Job", "%s-%s" % (run, role)] = replicas
        all["ConfigMap", "%s-%s-files" % (run, role)] = dict(files)
    return all


def found(s, run):
    """The same as it is in the cluster, and what is being deleted."""
    items = json.loads(s.kubectl("get", "service,configmap,job", "-l", "trainc.dev/job=" + run, "-o", "json"))["items"]
    dying = [o["metadata"]["name"] for o in items if "deletionTimestamp" in o["metadata"]]
    return {(o["kind"], o["metadata"]["name"]): o["spec"]["parallelism"] if o["kind"] == "Job" else o.get("data") for o in items}, dying


def race(s, run, dice):
    """One race; (number of commands, number of winners)."""
    racers = dice.sample(range(len(PROGRAMS)), dice.randint(2, 4))
    running = []
    for n in racers:
        words = [os.path.realpath(TRAINC), "apply", "--namespace", s.ns, "--no-wait", "--yes", "%s-%d.tj" % (run, n)]
        running.append(subprocess.Popen(words, cwd=s.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        time.sleep(dice.choice((0, 0, 0.01, 0.03, 0.1)))
    said = [p.communicate(timeout=180) for p in running]
    winners = [n for n, p in zip(racers, running) if p.returncode == 0]
    what = [(n, p.returncode, *x) for n, p, x in zip(racers, running, said)]
    for p, (_out, err) in zip(running, said):
        if p.returncode not in (0, 5) or (p.returncode == 5 and not LOST.search(err)):
            raise Failure(f"{run}: {what}")
    objects, dying = found(s, run)
    if dying or (winners and objects not in [wanted(run, PROGRAMS[n]) for n in winners]):
        raise Failure(f"{run}: {winners} won; in the cluster: {objects}; being deleted: {dying}; {what}")
    return len(racers), len(winners)


def lane(s, run, races, seed):
    dice, end = random.Random(seed), time.monotonic() + SECONDS
    for n, roles in enumerate(PROGRAMS):
        s.write("%s-%d.tj" % (run, n), program(run, roles))
    ends = []
    while len(ends) < races and (not ends or time.monotonic() < end):
        ends.append(race(s, run, dice))
    return ends


def main(races):
    s = Space("races")
    begin = time.monotonic()
    try:
        with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
            lanes = [pool.submit(lane, s, "r%d" % i, races // LANES, i) for i in range(LANES)]
            ends = [end for x in lanes for end in x.result()]
        without = sum(not won for _n, won in ends)
        print("ok   %d races of %d commands in %d s: %d commands won, %d races without a winner" % (
            len(ends), sum(n for n, _won in ends), time.monotonic() - begin, sum(won for _n, won in ends), without))
        passed, failed = 1, 0
    except Failure as e:
        print("FAIL races: %s" % e)
        passed, failed = 0, 1
    finally:
        s.close()
    if "COUNTS" in os.environ:
        with open(os.environ["COUNTS"], "a") as counts:
            print(passed, failed, 0, file=counts)
    print("%d passed, %d failed" % (passed, failed))
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
