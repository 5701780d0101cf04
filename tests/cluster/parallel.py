"""parallel.py [NAME...] - --parallel N in a cluster: at most N runs of a sweep go on at once; the others wait, suspended."""
import json
import sys

from api_memory import must, run_checks, status
from world import World

CHECKS = []
SWEEP = '''for i in range(4) job "t-${i}" {
  image = "busybox:1"
  role worker {
    command = ["train", "${i}"]
  }
}
'''


def check(f):
    CHECKS.append(f)
    return f


def going(w):
    """The numbers of the runs whose Jobs are neither suspended nor over."""
    return [i for i in range(4) if w.get("jobs", "t-%d-worker" % i) and not w.get("jobs", "t-%d-worker" % i)["spec"].get("suspend")
            and not any(c["type"] in ("Complete", "Failed") for c in w.get("jobs", "t-%d-worker" % i).get("status", {}).get("conditions", []))]


def end(w, i, phase="Succeeded", code=0):
    w.run_job("default", w.get("jobs", "t-%d-worker" % i), phase, code)


def two_begun(w, *command):
    """Starts the command for four runs, two at once, and waits until the first two go on."""
    w.write("s.tj", SWEEP)
    p = w.start(*command, "--parallel", "2", "s.tj")
    w.wait_for("two runs", lambda: going(w) == [0, 1])
    return p


def results(err):
    """The name and state of each run in the table at the end of the messages."""
    return [line.split()[:2] for line in err[err.index("RUN  "):].splitlines()[1:]]


@check
def in_turn(w):
    """each run is resumed when one has ended, in the order of the program; a failure does not stop the others"""
    p = two_begun(w, "apply", "--for=complete")
    end(w, 1, "Failed", 3)
    w.wait_for("the third", lambda: going(w) == [0, 2])
    end(w, 0)
    w.wait_for("the fourth", lambda: going(w) == [2, 3])
    end(w, 3)
    end(w, 2)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 8 and "run/t-3 created" in out, (p.returncode, out, err))
    must(results(err) == [["t-0", "Succeeded"], ["t-1", "Failed"], ["t-2", "Succeeded"], ["t-3", "Succeeded"]], err)


@check
def goes_on(w):
    """a command that was killed leaves the others suspended; the same command goes on with them, run does the same"""
    w.write("s.tj", SWEEP)
    p = w.start("run", "--parallel", "1", "s.tj")
    w.wait_for("the runs", lambda: w.get("jobs", "t-3-worker") and going(w) == [0])
    p.kill()
    p.communicate()
    end(w, 0)
    must(going(w) == [], going(w))
    p = w.start("apply", "--for=complete", "--parallel", "2", "-o", "json", "s.tj")
    w.wait_for("two runs", lambda: going(w) == [1, 2])
    for i in (1, 2):
        end(w, i)
    w.wait_for("the last", lambda: going(w) == [3])
    end(w, 3)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and len(json.loads(out)["runs"]) == 4 and "RUN  " not in err, (p.returncode, out, err))


@check
def refused(w):
    """a run that cannot be resumed is reported and stays suspended; the others go on, and the command ends with that status"""
    for command in ("apply", "--for=complete"), ("run",):
        w.fault("PATCH", "/jobs/t-2-worker\\?fieldManager=trainc-suspend", status(403, "Forbidden", "not for you"), times=9)
        p = two_begun(w, *command)
        end(w, 0)
        w.wait_for("the fourth", lambda: going(w) == [1, 3])
        end(w, 1)
        end(w, 3)
        out, err = p.communicate(timeout=60)
        must(p.returncode == 4 and err.count("not for you") == 1 and "run 't-2' stays suspended, and the others go on; 'trainc resume t-2'" in err,
             (p.returncode, out, err))
        must(results(err)[2] == ["t-2", "Suspended"], err)
        w.want(0, "delete", "--yes", "--all")
        w.faults.clear()


@check
def resumed_by_others(w):
    """a run that was given up and is resumed by somebody counts again"""
    w.fault("PATCH", "/jobs/t-2-worker\\?fieldManager=trainc-suspend", status(403, "Forbidden", "not for you"), times=1)
    p = two_begun(w, "apply", "--for=complete")
    end(w, 0)
    w.wait_for("the fourth", lambda: going(w) == [1, 3])
    w.want(0, "resume", "t-2")
    end(w, 1)
    end(w, 3)
    w.shown(p, lambda text: "t-3" in text and "not for you" in text)
    must(p.poll() is None, "the command waits for t-2")
    end(w, 2)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 4 and "stays" not in err.split("RUN  ")[-1], (p.returncode, out, err))


@check
def again(w):
    """a run that is not resumed because of a conflict is tried again, and the next one runs meanwhile"""
    w.write("s.tj", SWEEP)
    w.fault("PATCH", "/jobs/t-1-worker\\?fieldManager=trainc-suspend", status(409, "Conflict", "changed meanwhile"), times=2)
    p = w.start("apply", "--for=complete", "--parallel", "1", "s.tj")
    w.wait_for("the first", lambda: going(w) == [0])
    end(w, 0)
    w.wait_for("the third", lambda: going(w) == [2])
    end(w, 2)
    for _ in range(2):
        w.wait_for("another", lambda: going(w) in ([1], [3]))
        end(w, going(w)[0])
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and "run 't-1' was not resumed; this is tried again in 1 s" in err, (p.returncode, out, err))


@check
def always_in_conflict(w):
    """alone, a run is tried again without any other change; after six tries it is given up"""
    w.write("s.tj", SWEEP.replace("range(4)", "range(2)"))
    w.fault("PATCH", "/jobs/t-1-worker\\?fieldManager=trainc-suspend", status(409, "Conflict", "changed meanwhile"), times=99)
    p = w.start("apply", "--for=complete", "--parallel", "1", "s.tj")
    w.wait_for("the first", lambda: going(w) == [0])
    end(w, 0)
    out, err = p.communicate(timeout=90)
    must(p.returncode == 5 and err.count("was not resumed") == 5 and "run 't-1' stays suspended" in err, (p.returncode, out, err))


RESTARTS = """for i in range(2) job "t-${i}" {
  image = "busybox:1"
  restarts = 1
  role worker { command = ["train"] }
  role judge { start_after = done(worker), command = ["check"] }
}
"""


@check
def restarted(w):
    """a restart creates the Jobs of a run that was held back so that they run; a role with start_after waits again"""
    w.write("s.tj", RESTARTS)
    p = w.start("apply", "--for=complete", "--parallel", "1", "s.tj")
    w.wait_for("the first", lambda: going(w) == [0])
    stored = [json.loads(w.get("configmaps", "t-%d.trainc" % i)["data"]["jobs"]) for i in range(2)]
    must([[(o["metadata"]["name"][4:], o["spec"]["suspend"]) for o in jobs] for jobs in stored] == [[("worker", False), ("judge", True)]] * 2, stored)
    end(w, 0)
    w.wait_for("the check", lambda: not w.get("jobs", "t-0-judge")["spec"]["suspend"])
    w.run_job("default", w.get("jobs", "t-0-judge"), "Succeeded", 0)
    w.wait_for("the second", lambda: going(w) == [1])
    first = w.get("jobs", "t-1-worker")["metadata"]["uid"]
    end(w, 1, "Failed", 3)
    w.wait_for("its restart", lambda: (w.get("jobs", "t-1-worker") or w.get("jobs", "t-0-worker"))["metadata"]["uid"] != first and going(w) == [1])
    must(w.get("jobs", "t-1-judge")["spec"]["suspend"], "the check waits")
    end(w, 1)
    w.wait_for("its check", lambda: not w.get("jobs", "t-1-judge")["spec"]["suspend"])
    w.run_job("default", w.get("jobs", "t-1-judge"), "Succeeded", 0)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0, (p.returncode, out, err))


@check
def queued(w):
    """a queue decides itself when its jobs start"""
    w.write("s.tj", SWEEP.replace("  role", '  queue = "q"\n  role', 1))
    w.want(2, "run", "--parallel", "2", "s.tj", err="--parallel cannot hold job 't-0' back: its queue decides when it starts")
    must(not w.names("configmaps"), "nothing is written")


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
