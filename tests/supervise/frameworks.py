"""frameworks.py [FRAMEWORK...] - every framework of the library, as plain Jobs that `trainc apply --controller` leaves to
the controller: the example of its page runs to its success and, once more, to a failure; the verdict is recorded, and
`status` shows it when the Jobs are gone.  Whatever labels a framework gives its Jobs, the controller sees them."""
import concurrent.futures
import os
import re
import subprocess
import sys
import time

from runs_world import TRAINC, Failure, World, manifest, must, permissions

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "..", "..", "stdlib", "std")
# What has no verdict: groups that serve until they are stopped do not succeed, and copies that restart for ever do not fail.
NO_VERDICT = {("lws.groups", False), ("lws.group", False), ("lws.group", True)}
SECONDS = 60


def frameworks():
    """module.framework of the whole library"""
    for name in sorted(os.listdir(LIBRARY)):
        with open(os.path.join(LIBRARY, name)) as f:
            for found in re.findall(r"^framework (\w+)", f.read(), re.M):
                yield name[:-3] + "." + found


def example(framework):
    """The program on the framework's page, with a short name."""
    page = subprocess.run([TRAINC, "explain", framework], capture_output=True, text=True, check=True).stdout
    lines = re.search(r"^Example:\n\n((?:    .*\n|\n)+)", page, re.M)[1].splitlines()
    text = "\n".join(line[4:] for line in lines) + "\n"
    return text if text.startswith("import") else "import std.%s\n\n%s" % (framework.split(".")[0], text)


World.allowed = permissions(manifest("--ancestors"))


class Cluster(World):
    def __init__(self):
        super().__init__()
        rules = "rbac.authorization.k8s.io"
        self.kinds = {**self.kinds, "roles": (rules, "v1", "Role"), "rolebindings": (rules, "v1", "RoleBinding"),
                      "serviceaccounts": ("", "v1", "ServiceAccount"), "tfjobs": ("tensorflow.org", "v1alpha1", "TfJob"),
                      "mxjobs": ("mxnet.mlkube.io", "v1beta1", "MxJob")}
        self.groups = [{"metadata": {"name": rules}, "versions": [{"version": "v1", "resources": [
            {"resource": plural, "responseKind": {"group": "", "version": "", "kind": kind}, "scope": "Namespaced", "verbs": ["get"]}
            for plural, kind in (("roles", "Role"), ("rolebindings", "RoleBinding"))]}]}]

    def play(self, name, fails):
        """Lets the Jobs of a run start as the controller releases them, and then end, until there is a verdict."""
        end = time.time() + SECONDS
        ended = set()
        while time.time() < end and not self.record(name)["verdict"]:
            with self.lock:
                jobs = [k[2] for k in self.objects if k[0] == "jobs"]
            for job in jobs:
                o = self.get("jobs", job)
                if not o or o["spec"].get("suspend") or job in ended:
                    continue
                if not any(p.startswith(job + "-") for p in self.names("pods")):
                    self.job(job, "Running")
                elif not any(self.is_suspended(x) for x in jobs):
                    ended.add(job)
                    self.job(job, "Failed" if fails else "Succeeded", 3 if fails else None)
                elif len(jobs) > 1 and all(any(p.startswith(x + "-") for p in self.names("pods")) for x in jobs if not self.is_suspended(x)):
                    ended.add(job)              # others wait for its end
                    self.job(job, "Failed" if fails else "Succeeded", 3 if fails else None)
            time.sleep(0.02)

    def runs(self, framework, fails, *options):
        """None, or why the framework is not left to a controller."""
        self.supervise(*options)
        self.jobs_run = False
        self.see("the controller is ready", lambda: "all watches are live" in self.said())
        text = example(framework)
        name = re.search(r'^job "([^"]+)"', text, re.M)[1]
        self.write("x.tj", text)
        code, out, err = self.run("apply", "--no-wait", "--controller", "--target", "jobs", "x.tj")
        if code:
            return err
        must("the controller does" in err or "plain Jobs" not in err, err)
        self.play(name, fails)
        word = "Failed" if fails else "Succeeded"
        must(self.record(name)["verdict"] == word, (framework, word, self.record(name), self.names("jobs"), out, err, self.said()[-1500:]))
        self.settle()
        for job in self.names("jobs"):
            self.take("jobs", "default", job)
        self.want(0, "status", name, out=r"\b%s\b" % word)
        return None


def attempt(framework, fails, *options):
    """(passed, failed, the line to print) of one run."""
    w = Cluster()
    try:
        why = w.runs(framework, fails, *options)
        must(not w.refused, "the permissions of the manifest lack %s" % w.refused)
        return (0, 0, "not Jobs: %s: %s" % (framework, why.strip().split("\n")[0])) if why else (1, 0, "")
    except (Failure, subprocess.TimeoutExpired, KeyError, TypeError) as e:
        return 0, 1, "FAIL %s: %s" % (framework, e)
    finally:
        w.close()


def main(wanted):
    rows = [(f, fails) for f in frameworks() if not wanted or f in wanted for fails in (False, True) if (f, fails) not in NO_VERDICT]
    # labels of an operator must not matter, whatever else the controller watches
    rows += [("mpi.operator", False, "--ancestors")] if not wanted else []
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(lambda row: attempt(*row), rows))
    for _passed, _failed, line in ends:
        if line:
            print(line)
    passed, failed = (sum(end[i] for end in ends) for i in (0, 1))
    if passed + failed < len(rows):
        failed += 1
        print("FAIL not every framework was tried")
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
