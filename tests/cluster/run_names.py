"""run_names.py [NAME...] - --name of apply, run and diff: another run of the same program beside the first, with a digest or
with the smallest number that is free."""
import sys
import threading

from api_memory import must, run_checks
from commands import JOB
from world import World

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def runs(w):
    return sorted(n[:-len(".trainc")] for n in w.names("configmaps"))


@check
def named(w):
    """a run beside the first: all objects have the name, every command finds it, and diff compares with it"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "a.tj")
    w.want(0, "apply", "--name", "b", "a.tj", out="Service/b created\nJob/b-worker created\nrun/b created")
    must(runs(w) == ["a", "b"] and w.names("jobs") == ["a-worker", "b-worker"], runs(w))
    w.want(0, "status", "b", out="Running")
    w.want(0, "apply", "--name", "b", "a.tj", out="run/b unchanged")
    w.want(0, "diff", "--name", "b", "a.tj")
    w.want(1, "diff", "--name", "c", "a.tj", out="c-worker")
    w.want(2, "diff", "--name", "c-{n}", "a.tj", err="only 'run' and 'apply' know it")
    w.want(0, "delete", "--yes", "b", out="run/b deleted")
    must(runs(w) == ["a"], runs(w))


@check
def hashed(w):
    """a digest of the objects: the same program is the same run, a changed one another"""
    w.write("a.tj", JOB % ("a", 1))
    first = w.want(0, "apply", "--name", "a-{hash}", "-o", "name", "a.tj")[0].splitlines()[-1]
    must(w.want(0, "apply", "--name", "a-{hash}", "-o", "name", "a.tj")[0].splitlines()[-1] == first, first)
    w.write("a.tj", JOB % ("a", 2))
    must(w.want(0, "apply", "--name", "a-{hash}", "-o", "name", "a.tj")[0].splitlines()[-1] != first and len(runs(w)) == 2, runs(w))


@check
def numbered(w):
    """the smallest number that is free in the namespace of the program"""
    w.put("namespaces", "", {"metadata": {"name": "team"}, "status": {"phase": "Active"}})
    w.write("a.tj", JOB % ("a", 1))
    w.write("team.tj", (JOB % ("a", 1)).replace("{\n", '{\n  namespace = "team"\n', 1))
    for want in ("a-1", "a-2", "a-3"):
        w.want(0, "apply", "--name", "a-{n}", "a.tj", out="run/%s created" % want)
    w.want(0, "delete", "--yes", "a-2")
    w.want(0, "apply", "--name", "a-{n}", "a.tj", out="run/a-2 created")
    w.want(0, "apply", "--name", "a-{n}", "team.tj", out="run/a-1 created")
    w.want(0, "apply", "--name", "a-{n}", "--dry-run=server", "a.tj")
    must(runs(w) == ["a-1", "a-1", "a-2", "a-3"], runs(w))
    w.want(0, "apply", "--name", "{hash}-a-{n}".replace("{hash}", "x{hash}"), "a.tj", out="run/x[0-9a-f]{6}-a-1 created")


@check
def taken(w):
    """somebody else takes the number between the look and the write, or before the look: the next one is taken, and the
    other run is not touched"""
    w.write("a.tj", JOB % ("a", 1))
    w.write("other.tj", JOB % ("a-1", 3))

    def first(_handler, _body):
        w.put("configmaps", "default", {"metadata": {"name": "a-1.trainc", "labels": {"trainc.dev/run": "a-1"}}, "data": {}})
    w.fault("POST", "/namespaces/default/configmaps", first)
    out, _ = w.want(0, "apply", "--name", "a-{n}", "a.tj", out="run/a-2 created", err="^(?!.*somebody)")
    must("a-1" not in out and w.names("jobs") == ["a-2-worker"], out)
    w.take("configmaps", "default", "a-1.trainc")

    def second(_handler, _body):
        w.want(0, "apply", "--no-wait", "other.tj")
    w.fault("GET", "/configmaps/a-1.trainc", second)
    out, _ = w.want(0, "apply", "--name", "a-{n}", "a.tj", out="run/a-3 created")
    must(w.get("jobs", "a-1-worker")["spec"]["completions"] == 3, w.get("jobs", "a-1-worker"))


@check
def at_once(w):
    """eight at once have eight numbers"""
    w.write("a.tj", JOB % ("a", 1))
    got = []
    threads = [threading.Thread(target=lambda: got.append(w.run("apply", "--no-wait", "--name", "a-{n}", "a.tj"))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    must([code for code, _, _ in got] == [0] * 8, got)
    must(runs(w) == ["a-%d" % i for i in range(1, 9)], runs(w))


@check
def run_too(w):
    """run takes a number, too, and follows that run"""
    w.write("a.tj", JOB % ("a", 1))
    w.want(0, "apply", "--name", "a-1", "a.tj")
    p = w.start("run", "--name", "a-{n}", "a.tj")
    w.wait_for("the Job", lambda: w.get("jobs", "a-2-worker"))
    w.run_job("default", w.get("jobs", "a-2-worker"), "Succeeded")
    out, err = p.communicate(timeout=60)
    must(p.returncode == 0 and "a-2" in err, (out, err))


if __name__ == "__main__":
    sys.exit(run_checks(World, CHECKS, sys.argv[1:]))
