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


@check
def in_turn(w):
    """each run is resumed when one has ended, in the order of the program; a failure does not stop the others"""
    w.write("s.tj", SWEEP)
    p = w.start("apply", "--for=complete", "--parallel", "2", "s.tj")
    w.wait_for("two runs", lambda: going(w) == [0, 1])
    end(w, 1, "Failed", 3)
    w.wait_for("the third", lambda: going(w) == [0, 2])
    end(w, 0)
    w.wait_for("the fourth", lambda: going(w) == [2, 3])
    end(w, 3)
    end(w, 2)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 8 and "run/t-3 created" in out, (p.returncode, out, err))
    table = [line.split() for line in err[err.index("RUN  "):].splitlines()]
    must([r[:2] for r in table[1:]] == [["t-0", "Succeeded"], ["t-1", "Failed"], ["t-2", "Succeeded"], ["t-3", "Succeeded"]], err)


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
    """a run that cannot be resumed is reported, and the command ends with that status when it is interrupted"""
    w.write("s.tj", SWEEP)
    w.fault("PATCH", "/jobs/t-2-worker\\?fieldManager=trainc-suspend", status(403, "Forbidden", "not for you"), times=9)
    p = w.start("apply", "--for=complete", "--parallel", "2", "s.tj")
    w.wait_for("two runs", lambda: going(w) == [0, 1])
    end(w, 0)
    w.wait_for("the fourth", lambda: going(w) == [1, 3])
    w.shown(p, "not for you")
    w.interrupt(p)
    out, err = p.communicate(timeout=60)
    must(p.returncode == 130, (p.returncode, out, err))


@check
def queued(w):
    """a queue decides itself when its jobs start"""
    w.write("s.tj", SWEEP.replace("  role", '  queue = "q"\n  role', 1))
    w.want(2, "run", "--parallel", "2", "s.tj", err="--parallel cannot hold job 't-0' back: its queue decides when it starts")
    must(not w.names("configmaps"), "nothing is written")


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
