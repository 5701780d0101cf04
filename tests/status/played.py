"""played.py - how the end-to-end suite judges a job, without a cluster: each job of a namespace by its own success
rule."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import play

passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL " + what)


class Cluster:
    """A cluster that has these Jobs, and records the requests."""

    def __init__(self, jobs):
        self.jobs = jobs
        self.deleted = []

    def list(self, _, kind):
        return self.jobs if kind == "jobs" else []

    def delete(self, path):
        self.deleted.append(path.rpartition("/")[2])


def batch(job, role, rule, done):
    return {"kind": "Job", "metadata": {"name": "%s-%s" % (job, role), "labels": {play.PREFIX + "job": job, play.PREFIX + "role": role},
                                        "annotations": {play.PREFIX + "success": rule}},
            "spec": {"parallelism": 1, "template": {"spec": {"containers": []}}},
            "status": {"conditions": [{"type": "Complete", "status": "True"}] if done else []}}


def verdict(cluster, name):
    try:
        return play.Run(cluster, "n", name).step()
    except ValueError as why:
        return str(why)


# The first object's rule differs from that of the others.
two = Cluster([batch("a", "worker", "done(worker)", False), batch("b", "worker", "done(ps)", False), batch("b", "ps", "done(ps)", True)])
check(play.job_names(two.jobs) == ["a", "b"], "each job of a program is judged")
check(verdict(two, "a") is None, "a job whose role goes on has no verdict")
check(verdict(two, "b") == "Succeeded", "a job is judged by its own rule, not by that of the first object")
check(two.deleted == ["b-worker"], "what goes on after success is ended, of this job only: %s" % two.deleted)
check("2 success rules" in verdict(Cluster([batch("a", "w", "done(w)", True), batch("a", "v", "done(v)", True)]), "a"), "one job has one rule")

# The roles that a rule mentions, and no other words of it.
check(play.roles_in("done(worker) and not (ready(ps) or done(worker, 0))") == {"worker", "ps"}, "roles of a rule")
check(play.roles_in("done(done)") == {"done"}, "a role with the name of a function")
check(play.roles_in("done(ready) and done(work)") == {"ready", "work"}, "names that hold one another")
check(play.roles_in("") == set(), "no rule")
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
