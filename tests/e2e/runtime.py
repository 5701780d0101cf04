"""The commands of trainc against a cluster: apply, status, wait, logs, scale, suspend, resume,
delete and run, each check in a namespace of its own.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 runtime.py [NAME...]

Pods run nothing here (kwok); annotations say how they end, see stages/pod-complete.yaml.
"""

import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from cluster import until

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINC = os.environ.get("TRAINC") or os.path.join(HERE, "..", "..", "build", "trainc")
KUBECTL = os.environ.get("KUBECTL", "kubectl")
PATIENCE = 180          # seconds for a state that another process brings about; the machine may be busy

HOLD = 'annotations {\n    "e2e.trainc.dev/hold" = "yes"\n  }\n'


class Failure(Exception):
    """The result of a check differs from what it expected."""


class Space:
    """A namespace, a directory, and trainc in both."""

    used = collections.Counter()

    def __init__(self, name):
        Space.used[name] += 1                # a check that runs again has a new namespace: the first is still being deleted
        again = f"-{Space.used[name]}" if Space.used[name] > 1 else ""
        self.ns = f"e2e-run-{name}-{os.getpid()}{again}"
        self.dir = tempfile.mkdtemp(prefix="e2e-run-")
        self.kubectl("create", "namespace", self.ns, ns=False)

    def close(self):
        self.kubectl("delete", "namespace", self.ns, "--wait=false", ns=False)
        shutil.rmtree(self.dir)

    def kubectl(self, *words, ns=True, ok=True):
        where = ["-n", self.ns] if ns else []
        done = subprocess.run([KUBECTL, *where, *words], capture_output=True, text=True, timeout=180)
        if ok and done.returncode:
            raise Failure(done.stderr.strip())
        return done.stdout

    def get(self, kind, name):
        return json.loads(self.kubectl("get", kind, name, "-o", "json"))

    def names(self, kinds="service,configmap,secret,job,pod"):
        found = self.kubectl("get", kinds, "-o", "name").split()
        kept = ("configmap/kube-root-ca.crt", "configmap/trainc.history")      # the second one outlives the runs
        return sorted(x for x in found if x not in kept)

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def run(self, *words, env=None, timeout=180):
        command = [os.path.realpath(TRAINC), words[0], "--namespace", self.ns, *words[1:]]
        done = subprocess.run(command, cwd=self.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **(env or {})})
        if done.returncode < 0 or "ERROR: " in done.stderr:
            raise Failure(f"{words} died: {done.returncode}\n{done.stderr}")
        return done

    def want(self, status, *words, out=None, err=None, **more):
        """Runs trainc, and expects a status and patterns in its output."""
        done = self.run(*words, **more)
        text = f"trainc {' '.join(words)}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
        if done.returncode != status:
            raise Failure(f"expected status {status}: {text}")
        for pattern, where in ((out, done.stdout), (err, done.stderr)):
            if pattern and not re.search(pattern, where, re.S | re.M):
                raise Failure(f"expected {pattern!r}: {text}")
        return done


class Background:
    """trainc in the background, with its output in files."""

    def __init__(self, s, *words):
        self.paths = [os.path.join(s.dir, f"{words[0]}.{which}") for which in ("out", "err")]
        with open(self.paths[0], "w") as out, open(self.paths[1], "w") as err:
            self.p = subprocess.Popen([os.path.realpath(TRAINC), words[0], "--namespace", s.ns, *words[1:]], cwd=s.dir, stdin=subprocess.DEVNULL,
                                      stdout=out, stderr=err)

    def texts(self):
        """Its standard output and its standard error so far."""
        return [open(path).read() for path in self.paths]

    def sees(self, state):
        """Waits until it has reported a state of the run, so that it watches the run and handles signals."""
        until(lambda: state in self.texts()[1] or self.p.poll() is not None, PATIENCE, f"a report of '{state}'")

    def ends(self, status, words):
        """Expects this exit status, and these words on standard error."""
        code = self.p.wait(timeout=180)
        out, err = self.texts()
        if code != status or words not in err:
            raise Failure(f"expected status {status} and {words!r}: {code}\n{out}\n{err}")


def requests_of(done):
    """Method and path of each request that -v prints."""
    return re.findall(r"^trainc: (GET|POST|PATCH|PUT|DELETE) (\S+?)[:?]", done.stderr, re.M)


def job(name, body, head=""):
    return f'job "{name}" {{\n  image = "busybox:1"\n  {head}role worker {{\n{body}\n  }}\n}}\n'


CHECKS = []


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


@check
def whole(s):
    """the ten lines of the README pass through apply, Running, Succeeded, status, logs and delete"""
    text = open(os.path.join(HERE, "..", "..", "README.md")).read()
    program = re.search(r"```tj\n(.*?)```", text, re.S).group(1)
    s.write("mnist.tj", program.replace("accelerator = nvidia.h100(8)\n", "").replace("import std.nvidia\n", ""))
    s.want(0, "apply", "mnist.tj", "--for", "complete", out=r"Service/mnist created\nJob/mnist-worker created\nrun/mnist created")
    s.want(0, "status", "mnist", out=r"mnist +(Completing|Succeeded) +worker +4 +0 +0 +4")
    os.unlink(os.path.join(s.dir, "mnist.tj"))
    s.want(0, "status", "mnist", "-o", "wide", out=r"worker-3 +succeeded")
    s.want(0, "list", out=r"mnist +(Completing|Succeeded)")
    s.want(0, "logs", "mnist")
    s.want(2, "delete", "mnist", err="use --yes to delete")
    s.want(0, "delete", "mnist", "--yes", out=r"run/mnist deleted")
    if s.names():
        raise Failure(f"delete left {s.names()}")
    s.want(0, "delete", "mnist", "--yes", err="no run 'mnist'")


@check
def unchanged(s):
    """an unchanged program costs k + 2 requests, a changed one writes only what changed"""
    s.write("a.tj", job("a", "    replicas = 2", HOLD))
    s.want(0, "apply", "a.tj")
    done = s.want(0, "apply", "-v", "a.tj", out="Job/a-worker unchanged")
    if len(requests_of(done)) != 4:
        raise Failure(f"2 kinds, and not 4 requests:\n{done.stderr}")
    s.write("a.tj", job("a", '    replicas = 2\n    service = "cluster"\n    ports {\n      http = 80\n    }', HOLD))
    done = s.want(5, "apply", "-v", "a.tj", err="TJ1202")
    s.want(0, "apply", "a.tj", "--recreate", "--yes", out="Job/a-worker recreated")


@check
def ended(s):
    """a run that has ended is not restarted silently"""
    s.write("a.tj", job("a", "    replicas = 1"))
    s.want(0, "apply", "a.tj", "--for", "complete")
    uid = s.get("job", "a-worker")["metadata"]["uid"]
    s.want(0, "apply", "a.tj", err="has ended: Succeeded.*--rerun")
    if s.get("job", "a-worker")["metadata"]["uid"] != uid:
        raise Failure("the Job was made again")
    s.kubectl("delete", "job", "a-worker")
    s.want(0, "apply", "a.tj", err="has ended: Succeeded")
    s.want(0, "apply", "a.tj", "--rerun", "--for", "complete", out="Job/a-worker created")
    s.write("b.tj", job("b", "    replicas = 1", 'annotations {\n    "e2e.trainc.dev/exit" = "3"\n  }\n'))
    s.want(8, "apply", "b.tj", "--for", "complete", err="exit code 3")
    s.want(8, "apply", "b.tj", err="has ended: Failed")
    s.want(8, "wait", "b")


@check
def gone(s):
    """a run whose Job somebody deleted while it ran has no verdict"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(0, "apply", "a.tj")
    s.kubectl("delete", "job", "a-worker")
    s.want(5, "apply", "a.tj", err="removed before anybody saw the verdict")


@check
def pruned(s):
    """an object that is no longer in the program is deleted by its uid, after --yes"""
    files = '    files {\n      "/etc/x" = "1"\n    }'
    s.write("a.tj", job("a", "    replicas = 1\n" + files, HOLD))
    s.want(0, "apply", "a.tj", out="ConfigMap/a-worker-files created")
    s.kubectl("create", "configmap", "other", "--from-literal=a=b")
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(2, "apply", "a.tj", "--recreate", err="ConfigMap/a-worker-files will be deleted.*--yes")
    s.get("configmap", "a-worker-files")
    s.want(0, "apply", "a.tj", "--recreate", "--yes", out="ConfigMap/a-worker-files deleted")
    if s.names("configmap") != ["configmap/a.trainc", "configmap/other"]:
        raise Failure(f"{s.names('configmap')}")


@check
def conflicts(s):
    """a field that somebody else changed is shown with both values, and overwritten only with --force-conflicts"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(0, "apply", "a.tj")
    s.kubectl("annotate", "job", "a-worker", "trainc.dev/clean=none", "--overwrite", "--field-manager=sre")
    s.want(5, "apply", "--refresh", "a.tj", err=r"a\.tj:1:5.*'sre' owns.*clean.*\"none\" there, \"running\" here")
    s.want(0, "apply", "--refresh", "--force-conflicts", "a.tj", out="Job/a-worker configured")


@check
def drifted(s):
    """diff, apply, status and why see what somebody has changed, removed or deleted; what is unchanged stays unchanged"""
    files = '    files {\n      "/etc/a.txt" = "hello"\n    }\n    memory = 1024Mi\n    cpu = 0.5'
    s.write("a.tj", job("a", "    replicas = 1\n" + files, HOLD))
    s.want(0, "apply", "a.tj")
    s.want(0, "apply", "a.tj", out="run/a unchanged")
    s.want(0, "why", "a", out="nothing holds it back")
    for kind, name, patch, path, found in (("configmap", "a-worker-files", '{"data":{"a.txt":"HACKED"}}', "data.a.txt", "HACKED"),
                                           ("service", "a", '{"spec":{"selector":{"trainc.dev/job":"b"}}}', "spec.selector", "trainc.dev/job")):
        s.kubectl("patch", kind, name, "--type=merge", "-p", patch, "--field-manager=kubectl-sre")
        s.want(1, "diff", "a.tj", out=found)
        s.want(0, "why", "a", out=re.escape(path) + " was changed by 'kubectl-sre' after it was applied")
        s.want(5, "apply", "a.tj", err=f"{name} was changed after it was applied.*'kubectl-sre' owns")
        s.want(0, "apply", "a.tj", "--force-conflicts", out=f"{name} configured")
        s.want(0, "diff", "a.tj", out=r"\A\Z")
        s.want(0, "why", "a", out="nothing holds it back")
    # a server leaves out false, so that nobody owns the field: diff compares values, and apply writes it again
    s.kubectl("patch", "service", "a", "--type=merge", "-p", '{"spec":{"publishNotReadyAddresses":false}}', "--field-manager=kubectl-sre")
    s.want(1, "diff", "a.tj", out="publishNotReadyAddresses")
    s.want(0, "apply", "a.tj", out="Service/a configured")
    s.want(0, "diff", "a.tj", out=r"\A\Z")
    s.kubectl("annotate", "job", "a-worker", "trainc.dev/success-")
    s.kubectl("label", "service", "a", "app.kubernetes.io/managed-by-")
    s.want(1, "diff", "a.tj", out="Service/a would be changed")
    s.want(0, "apply", "a.tj", out="Service/a configured")
    s.kubectl("delete", "service", "a")
    s.want(0, "why", "a", out="Service a was deleted after it was applied.*trainc diff a.tj")
    s.want(0, "apply", "a.tj", out="Service/a created")
    s.want(0, "apply", "a.tj", out="run/a unchanged")


@check
def foreign(s):
    """objects of other owners are not touched, and taken over only with --adopt"""
    s.kubectl("create", "service", "clusterip", "a", "--tcp=80")
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(5, "apply", "a.tj", err="Service/a exists and does not belong to this run.*--adopt")
    if s.names("job,configmap"):
        raise Failure("something was written before the refusal")
    s.kubectl("delete", "service", "a")
    s.kubectl("create", "configmap", "b.trainc")
    s.write("b.tj", job("b", "    replicas = 1", HOLD))
    s.want(5, "apply", "b.tj", err="belongs to somebody else")


@check
def without_record(s):
    """what `compile | kubectl apply` made is a run: it is listed, judged and compared; --adopt takes it over while it runs"""
    s.write("a.tj", job("a", "    replicas = 2\n    ports { p = 9000 }", HOLD))
    s.write("a.yaml", s.want(0, "compile", "a.tj").stdout)
    s.kubectl("apply", "--server-side", "-f", os.path.join(s.dir, "a.yaml"))
    until(lambda: "Running" in s.want(0, "list").stdout, PATIENCE, "a list with the run")
    s.want(0, "status", "a", out=r"a +Running +worker +2")
    s.want(0, "why", "a", out="nothing holds it back")
    s.want(0, "diff", "a.tj", out=r"\A\Z")
    s.kubectl("patch", "job", "a-worker", "--type=merge", "-p", '{"metadata":{"annotations":{"trainc.dev/success":"none"}}}')
    s.want(1, "diff", "a.tj", out="trainc.dev/success")
    s.want(5, "delete", "-y", "a", err="has no record: kubectl or another tool has applied it")
    uids = s.names("pods")
    s.want(5, "apply", "a.tj", err="Job/a-worker exists and does not belong to this run")
    s.want(0, "apply", "--adopt", "a.tj", out="Job/a-worker adopted")
    if s.names("pods") != uids:
        raise Failure("pods were replaced")
    s.want(0, "diff", "a.tj", out=r"\A\Z")
    s.want(0, "delete", "-y", "a", out="Job/a-worker deleted")


@check
def refused(s):
    """an error from the server is shown at the line that set the field"""
    local = """    replicas = 1\n    raw container {\n      env = [{ name = "N", valueFrom = { fieldRef = { fieldPath = "metadata.annotations['a b']" } } }]\n    }"""
    s.write("a.tj", job("a", local, HOLD))          # the compiler has no rule about it
    s.want(6, "apply", "a.tj", err=r"^a\.tj:9:\d+: error: the API server refuses "
           r"spec\.template\.spec\.containers\[0\]\.env\[0\]\.valueFrom\.fieldRef\S* of Job/a-worker \[TJ1201\]")
    if s.names("job"):
        raise Failure("the Job was made")


@check
def missing_namespace(s):
    """a missing namespace is refused before anything is written, --create-namespace creates it"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    other = s.ns + "-new"
    program = os.path.join(s.dir, "a.tj")
    words = [os.path.realpath(TRAINC), "apply", "--namespace", other, program]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode != 6 or "--create-namespace" not in done.stderr:
        raise Failure(f"{done.returncode} {done.stderr}")
    try:
        done = subprocess.run(words + ["--create-namespace"], capture_output=True, text=True, timeout=60)
        if done.returncode != 0 or f"Namespace/{other} created" not in done.stdout:
            raise Failure(f"{done.returncode} {done.stdout} {done.stderr}")
    finally:
        s.kubectl("delete", "namespace", other, "--wait=false", "--ignore-not-found", ns=False)


@check
def addon(s):
    """the message about a kind that the cluster does not serve names its add-on and an alternative without it"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    served = s.kubectl("api-resources", "-o", "name", ns=False).split()
    if "podgroups.scheduling.volcano.sh" not in served:
        s.want(6, "apply", "a.tj", "--gang", "volcano", err="does not serve PodGroup.*Volcano.*--gang none")


@check
def dry(s):
    """a dry run changes nothing; with --dry-run=server the server validates it"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(0, "apply", "a.tj", "--dry-run", "server", out=r"Job/a-worker created \(dry run\)")
    s.want(0, "apply", "a.tj", "--dry-run", "client", out=r"Job/a-worker would be applied \(dry run\)")
    if s.names():
        raise Failure(f"a dry run left {s.names()}")


@check
def sizes(s):
    """scale, suspend and resume change only their own fields; sizes stay within the range"""
    s.write("a.tj", job("a", "    replicas = 2:4\n    retries = 2", HOLD))
    s.want(0, "apply", "a.tj")
    s.want(0, "scale", "a", "worker=3", out="worker from 4 to 3")
    spec = s.get("job", "a-worker")["spec"]
    if (spec["parallelism"], spec["completions"], spec["maxFailedIndexes"]) != (3, 3, 1):
        raise Failure(str(spec))
    s.want(6, "scale", "a", "worker=9", err="between 2 and 4")
    s.want(6, "scale", "a", "worker=1")
    s.want(2, "scale", "a", "wrker=3", err="worker")
    s.want(0, "suspend", "a", out="run/a suspended")
    s.want(0, "status", "a", out="a +Suspended")
    s.want(0, "resume", "a", out="run/a resumed")
    s.want(0, "wait", "a", "--for", "running")


@check
def json_forms(s):
    """-o json has a schemaVersion everywhere"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    for words in (["apply", "a.tj", "-o", "json"], ["status", "a", "-o", "json"], ["list", "-o", "json"]):
        document = json.loads(s.want(0, *words).stdout)
        if document["schemaVersion"] != 1 or document["runs"][0]["name"] != "a" or document["runs"][0]["namespace"] != s.ns:
            raise Failure(str(document))
    if s.want(0, "status", "a", "-o", "name").stdout != "run/a\n":
        raise Failure("status -o name")


@check
def timeout(s):
    """--timeout exits with 124 and leaves the run unchanged"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(0, "apply", "a.tj")
    s.want(124, "wait", "a", "--timeout", "1s", err="time is up")
    s.want(0, "status", "a", out="a +Running")


@check
def interrupted(s):
    """Ctrl-C ends `wait` and `run` with 130, and leaves the job running"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    for words in (["run", "a.tj"], ["wait", "a"]):
        background = Background(s, *words)
        background.sees("a Running")
        background.p.send_signal(signal.SIGINT)
        background.ends(130, "goes on")
    s.want(0, "status", "a", out="a +Running")


@check
def run(s):
    """run exits with the verdict: 0 or 8"""
    s.write("a.tj", job("a", "    replicas = 2"))
    s.want(0, "run", "a.tj", err="Succeeded")
    s.write("b.tj", job("b", "    replicas = 2", 'annotations {\n    "e2e.trainc.dev/exit" = "3"\n  }\n'))
    s.want(8, "run", "b.tj", err="Failed")


CELLS = """job "c" {
  image = "busybox:1"
  cell trial {
    copies = 2
    role lead { }
    role rest { replicas = 2, start_after = started(lead), %s }
  }
  role report { start_after = done(trial) }
}
"""


@check
def cells(s):
    """copies of a cell have Jobs of their own; a role waits for all of them, and a copy that fails fails the run"""
    s.write("c.tj", CELLS % "")
    s.want(0, "run", "c.tj", err="Succeeded")
    jobs = [x.split("/")[1] for x in s.names("job")]
    if jobs != ["c-report", "c-trial-lead-0", "c-trial-lead-1", "c-trial-rest-0", "c-trial-rest-1"]:
        raise Failure(f"the Jobs are {jobs}")
    s.want(0, "status", "c", out=r"trial +6 +0 +0 +6 .*2/2 copies done")
    s.want(0, "delete", "c", "--yes")
    s.write("c.tj", CELLS % 'annotations { "e2e.trainc.dev/exit" = "3" }')
    s.want(8, "run", "c.tj", err="trial-rest-[01].*exit code 3")
    if "pod/c-report" in " ".join(s.names("pod")):
        raise Failure("'report' did not wait for the copies")


def fail_replica(s, job_name, index, code=3):
    """Lets a replica that a program holds end with CODE."""
    s.kubectl("annotate", "pods", "-l", f"job-name={job_name},batch.kubernetes.io/job-completion-index={index}", "e2e.trainc.dev/hold-",
              f"e2e.trainc.dev/exit={code}", "--overwrite")


@check
def cell_restarts(s):
    """a copy that fails restarts by itself after 10 s: its Jobs are others then, those of the other copies stay; when
    its restarts are used up, the run fails"""
    s.write("c.tj", 'job "c" {\n  image = "busybox:1"\n  %srole learner { }\n  cell trial {\n    copies = 2\n    restarts = 1\n'
                    '    role lead { }\n    role rest { replicas = 2 }\n    success = none\n  }\n}\n' % HOLD)
    s.want(0, "apply", "--for=running", "c.tj")
    before = {n: s.get("job", n)["metadata"]["uid"] for n in (x.split("/")[1] for x in s.names("job"))}
    waiting = Background(s, "wait", "c")
    waiting.sees("c Running")
    fail_replica(s, "c-trial-rest-1", 0)
    waiting.sees("copy 1 of 'trial' restarts (1 of 1)")

    def is_new(name):
        o = s.get("job", name)
        return o["metadata"]["uid"] != before[name] and o.get("status", {}).get("ready", 0) == o["spec"]["completions"]
    until(lambda: all(x in s.names("job") for x in ("job.batch/c-trial-lead-1", "job.batch/c-trial-rest-1")) and is_new("c-trial-lead-1")
          and is_new("c-trial-rest-1"), PATIENCE, "the copy runs again")
    after = {n: s.get("job", n)["metadata"]["uid"] for n in before}
    if {n for n in before if before[n] != after[n]} != {"c-trial-lead-1", "c-trial-rest-1"}:
        raise Failure(f"replaced: {before} {after}")
    fail_replica(s, "c-trial-rest-1", 1)
    waiting.ends(8, "trial-rest-1 1")


@check
def cell_grows(s):
    """another number of copies is an ordinary apply: it adds or removes their Jobs, and leaves the others alone"""
    def program(n):
        return 'job "g" {\n  image = "busybox:1"\n  %scell trial { copies = %d, role w { } }\n}\n' % (HOLD, n)
    s.write("g.tj", program(2))
    s.want(0, "apply", "g.tj", out="Job/g-trial-w-1 created")
    uid = s.get("job", "g-trial-w-0")["metadata"]["uid"]
    s.write("g.tj", program(3))
    s.want(0, "apply", "g.tj", out="Job/g-trial-w-2 created")
    s.write("g.tj", program(1))
    s.want(0, "apply", "g.tj", "--yes", out="Job/g-trial-w-1 deleted")
    if [x for x in s.names("job")] != ["job.batch/g-trial-w-0"] or s.get("job", "g-trial-w-0")["metadata"]["uid"] != uid:
        raise Failure(f"the Jobs are {s.names('job')}")


@check
def cell_scaled(s):
    """copies that are scaled away lose their pods and keep their Jobs; the run keeps its size when it is applied again"""
    s.write("g.tj", 'job "g" {\n  image = "busybox:1"\n  success = none\n  %scell server {\n    copies = 1:3, success = none, restarts = 0\n'
            '    role w { replicas = 2 }\n  }\n}\n' % HOLD)
    s.want(0, "apply", "g.tj")
    s.want(0, "wait", "g", "--for", "running")
    s.want(0, "scale", "g", "server=1", out="server from 3 to 1")
    until(lambda: len(s.names("pod")) == 2, 60, "the pods of one copy are left")
    s.want(0, "status", "g", out=r"g +Running +server +2 .*1/1 copies ready")
    s.want(0, "apply", "g.tj", out="run/g unchanged")
    s.want(0, "scale", "g", "server=2", out="server from 1 to 2")
    until(lambda: "2/2 copies ready" in s.run("status", "g").stdout, 60, "the second copy is ready again")
    s.want(6, "scale", "g", "server=4", err="between 1 and 3 copies")


@check
def cell_loses(s):
    """a run goes on without a copy that has failed while the least number is left, and its other Job ends"""
    s.write("c.tj", CELLS.replace("copies = 2", "copies = 1:2\n    " + HOLD) % "")
    background = Background(s, "run", "c.tj")
    until(lambda: len(s.names("pod")) == 6, PATIENCE, "both copies run")
    s.kubectl("annotate", "pods", "-l", "trainc.dev/role=trial-rest-1", "e2e.trainc.dev/exit=3", "e2e.trainc.dev/hold-")
    until(lambda: "job.batch/c-trial-lead-1" not in s.names("job"), PATIENCE, "the other Job of the lost copy is deleted")
    s.want(0, "status", "c", out=r"trial +6 .*1/2 copies ready, 1 lost; trial 1: .*exit code 3")
    s.kubectl("annotate", "pods", "-l", "trainc.dev/copy=0", "e2e.trainc.dev/hold-")
    background.ends(0, "Succeeded")
    s.want(0, "status", "c", out=r"1/2 copies done, 1 lost")


@check
def replaced(s):
    """`wait` exits with 5 when somebody re-creates the run"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(0, "apply", "a.tj")
    body = s.get("job", "a-worker")
    waiting = Background(s, "wait", "a")
    waiting.sees("a Running")
    for key in ("uid", "resourceVersion", "managedFields", "creationTimestamp"):
        body["metadata"].pop(key, None)
    body["spec"].pop("selector", None)
    body["spec"]["template"]["metadata"]["labels"] = {k: v for k, v in body["spec"]["template"]["metadata"]["labels"].items() if "controller-uid" not in k}
    body["metadata"]["labels"] = {k: v for k, v in body["metadata"]["labels"].items() if "controller-uid" not in k}
    body.pop("status")
    s.write("job.json", json.dumps(body))
    s.kubectl("replace", "--force", "-f", os.path.join(s.dir, "job.json"))
    waiting.ends(5, "")


@check
def generated(s):
    """a key pair is generated once, kept on re-apply, and never printed"""
    s.write("a.tj", 'import std.mpi\n\njob "a": mpi.openmpi {\n  image = "busybox:1"\n  ' + HOLD +
            '  role launcher {\n    command = ["mpirun", "x"]\n  }\n  role worker {\n    replicas = 2\n  }\n}\n')
    done = s.want(0, "apply", "a.tj", "--no-wait", "-v", out="Secret/a-ssh-keypair created")
    before = s.get("secret", "a-ssh-keypair")
    if sorted(before["data"]) != ["authorized_keys", "config", "id_ed25519", "id_ed25519.pub"]:
        raise Failure(str(sorted(before["data"])))
    if "OPENSSH" in done.stderr + done.stdout:
        raise Failure("a key was printed")
    s.want(0, "apply", "a.tj", "--no-wait", "--refresh", out="Secret/a-ssh-keypair unchanged")
    if s.get("secret", "a-ssh-keypair")["data"] != before["data"]:
        raise Failure("the keys were made again")
    s.want(0, "delete", "a", "--yes")
    if s.names():
        raise Failure(f"delete left {s.names()}")


def granted(s, role, verb, resource, account):
    """Waits until the API server grants it to the account: a role takes effect a moment after its creation."""
    words = [KUBECTL, "auth", "can-i", verb, resource, "--namespace", s.ns, "--as", account]
    until(lambda: subprocess.run(words, capture_output=True, text=True, timeout=60).stdout.strip() == "yes", PATIENCE,
          f"role '{role}' permits {account} to {verb} {resource}")


@check
def denied(s):
    """one message lists all missing verbs, before anything is written"""
    s.kubectl("create", "serviceaccount", "dev")
    s.kubectl("create", "role", "reader", "--verb=get,list,watch", "--resource=pods,jobs.batch,services,configmaps,events")
    s.kubectl("create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={s.ns}:dev")
    granted(s, "reader", "get", "configmaps", f"system:serviceaccount:{s.ns}:dev")
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    done = s.want(4, "apply", "a.tj", "--as", f"system:serviceaccount:{s.ns}:dev")
    for what in ("patch, create configmaps", "create, patch jobs.batch", "create, patch services"):
        if what not in done.stderr:
            raise Failure(f"'{what}' is not in:\n{done.stderr}")
    if s.names("job,service,configmap"):
        raise Failure("something was written")


@check
def role_suffices(s):
    """the Role in docs/runtime.md is enough for everything"""
    text = open(os.path.join(HERE, "..", "..", "docs", "runtime.md")).read()
    s.write("role.yaml", re.search(r"```yaml\n(apiVersion: rbac.*?)```", text, re.S).group(1))
    s.kubectl("apply", "-f", os.path.join(s.dir, "role.yaml"))
    s.kubectl("create", "serviceaccount", "dev")
    s.kubectl("create", "rolebinding", "trainc", "--role=trainc-user", f"--serviceaccount={s.ns}:dev")
    who = ["--as", f"system:serviceaccount:{s.ns}:dev"]
    granted(s, "trainc-user", "create", "jobs.batch", who[1])
    s.write("a.tj", job("a", '    replicas = 1:2\n    retries = 1\n    files {\n      "/etc/x" = "1"\n    }', HOLD))
    s.want(0, "apply", "a.tj", *who)
    for words in (["status", "a"], ["list"], ["scale", "a", "worker=1"], ["suspend", "a"], ["resume", "a"], ["logs", "a"], ["delete", "a", "--yes"]):
        s.want(0, *words, *who)


@check
def killed(s):
    """kill -9 of apply at many moments; the next apply converges"""
    s.write("a.tj", job("a", '    replicas = 1\n    files {\n      "/etc/x" = "1"\n    }', HOLD))
    for delay in (0.02, 0.05, 0.08, 0.11, 0.15, 0.2):
        p = subprocess.Popen([os.path.realpath(TRAINC), "apply", "--no-wait", "--namespace", s.ns, "a.tj"], cwd=s.dir, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        time.sleep(delay)
        p.kill()
        p.wait()
        s.want(0, "apply", "a.tj")
        if not {"configmap/a-worker-files", "configmap/a.trainc", "service/a", "job.batch/a-worker"} <= set(s.names()):
            raise Failure(f"after {delay} s: {s.names()}")
        s.want(0, "delete", "a", "--yes")
        if s.names("service,configmap,job"):
            raise Failure(f"after {delay} s delete left {s.names()}")


@check
def logs(s):
    """logs are merged by time, selected by rank, followed, and stamped only if asked"""
    s.write("a.tj", job("a", "    replicas = 2", HOLD))
    s.want(0, "apply", "a.tj")
    if s.want(0, "logs", "a").stdout != "".join(f"worker/0 \u2502 line {i} of a pod\n" for i in (1, 2, 3)):
        raise Failure("logs shows something else than rank 0")
    want = "".join(f"worker/{rank} \u2502 line {i} of a pod\n" for i in (1, 2, 3) for rank in (0, 1))
    if s.want(0, "logs", "a", "--all").stdout != want:
        raise Failure("logs --all is not in the order of time and rank")
    s.want(0, "logs", "a", "--rank", "1", "--tail", "1", "--timestamps", "--no-prefix", out=r"\A2026-01-01T00:00:03\.000000000Z line 3 of a pod\n\Z")
    lines = [json.loads(line) for line in s.want(0, "logs", "a", "-o", "json").stdout.splitlines()]
    if [x["text"] for x in lines] != [f"line {i} of a pod" for i in (1, 2, 3)] or not lines[0]["pod"].startswith("a-worker-0-"):
        raise Failure(str(lines))
    s.want(2, "logs", "a", "--rank", "9", err="rank")
    following = Background(s, "logs", "a", "-f")
    until(lambda: following.texts()[0].count("line") >= 3 or following.p.poll() is not None, PATIENCE, "three lines")
    time.sleep(1)                       # no line comes twice
    following.p.send_signal(signal.SIGINT)
    following.ends(130, "")
    if following.texts()[0].count("line") != 3:
        raise Failure(f"{following.texts()}")


@check
def damaged(s):
    """a record that somebody changed is reported, and apply finds the objects again when the record is gone"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(0, "apply", "a.tj")
    s.kubectl("patch", "configmap", "a.trainc", "--type=merge", "-p", '{"data":{"applied":"garbage"}}')
    for words in (["status", "a"], ["apply", "a.tj"], ["delete", "a", "--yes"]):
        s.want(5, *words, err="somebody has changed it; delete it")
    s.kubectl("delete", "configmap", "a.trainc")
    s.want(0, "apply", "a.tj", out="Job/a-worker configured|Job/a-worker unchanged")
    s.want(0, "delete", "a", "--yes")
    if s.names():
        raise Failure(f"delete left {s.names()}")


@check
def differs(s):
    """diff shows only our fields, masks Secrets, and exits with 0, 1, or 2 and more"""
    s.write("a.tj", job("a", "    replicas = 1:3\n    retries = 1", HOLD))
    s.want(1, "diff", "a.tj", out="Service/a would be created\nJob/a-worker would be created")
    s.want(0, "apply", "a.tj")
    s.want(0, "diff", "a.tj", out=r"\A\Z")
    s.write("a.tj", job("a", "    replicas = 1:2\n    retries = 1", HOLD))
    s.want(1, "diff", "a.tj", out=r"Job/a-worker would be changed.*spec\.completions\n-     3\n\+     2")
    if s.get("job", "a-worker")["spec"]["completions"] != 3:
        raise Failure("diff changed the Job")
    s.write("a.tj", job("a", "    replicas = 1:3\n    retries = 1", HOLD).replace("busybox:1", "busybox:2"))
    s.want(1, "diff", "a.tj", out=r'Job/a-worker would be recreated.*image\n-     "busybox:1"\n\+     "busybox:2"')
    document = json.loads(s.want(1, "diff", "a.tj", "-o", "json").stdout)
    if document["schemaVersion"] != 1 or document["objects"][0]["change"] != "recreated":
        raise Failure(str(document))
    s.write("a.tj", "job {")
    s.want(2, "diff", "a.tj")


def broken(s, name, program, words, what, **more):
    """Applies a program that cannot run, and waits for its cause and the advice of `why`."""
    s.write(name + ".tj", program)
    s.want(0, "apply", name + ".tj", "--for", "created", **more)
    end = time.monotonic() + 120
    while True:
        done = s.run("why", name)
        if done.returncode == 0 and words in done.stdout and what in done.stdout:
            return
        if time.monotonic() > end:
            raise Failure(f"expected {words!r} and {what!r}:\n{done.stdout}{done.stderr}")
        time.sleep(0.5)


def refuses_pods(s, words, cpu="1m"):
    """Waits until admission refuses pods with these words: quotas, ranges and labels take effect a moment after they
    were written."""
    s.write("probe.json", json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe"}, "spec": {
        "containers": [{"name": "main", "image": "busybox:1", "resources": {"limits": {"cpu": cpu}}}]}}))
    command = [KUBECTL, "-n", s.ns, "create", "--dry-run=server", "-f", os.path.join(s.dir, "probe.json")]
    until(lambda: words in subprocess.run(command, capture_output=True, text=True, timeout=60).stderr, PATIENCE,
          f"admission refuses pods: {words}")


@check
def explained(s):
    """why names the cause and what to do: selector, devices, quota, LimitRange, account, priority, pod security,
    claims"""
    broken(s, "a", job("a", "    replicas = 1", 'node {\n    zone = "mars"\n  }\n  '), "didn't match Pod's node affinity/selector", "no node has zone = mars")
    broken(s, "b", job("b", "    replicas = 1\n    cpu = 100000"), "Insufficient cpu", "ask for less")
    broken(s, "c", job("c", "    replicas = 1\n    service_account = \"robot\""), "robot", "service account does not exist")
    s.kubectl("create", "quota", "few", "--hard=pods=0")
    refuses_pods(s, "exceeded quota")
    broken(s, "d", job("d", "    replicas = 1"), "exceeded quota", "the quota of the namespace is used up")
    s.want(8, "wait", "d", "--fail-on-stall", err="is stalled.*exceeded quota")
    s.kubectl("delete", "quota", "few")
    s.write("range.yaml", "apiVersion: v1\nkind: LimitRange\nmetadata: {name: small}\nspec: {limits: [{type: Container, max: {cpu: 100m}}]}\n")
    s.kubectl("apply", "-f", os.path.join(s.dir, "range.yaml"))
    refuses_pods(s, "maximum cpu usage per Container is 100m", cpu="4")
    broken(s, "e", job("e", "    replicas = 1\n    cpu = 4"), "cpu limit of 100m", "a LimitRange of the namespace sets a limit")
    s.kubectl("delete", "limitrange", "small")
    broken(s, "f", job("f", "    replicas = 1", 'priority = "urgent"\n  '), "urgent", "priority class does not exist")
    s.kubectl("label", "namespace", s.ns, "pod-security.kubernetes.io/enforce=restricted", ns=False)
    refuses_pods(s, "violates PodSecurity")
    broken(s, "g", job("g", "    replicas = 1"), "violates PodSecurity", "the namespace forbids")
    s.kubectl("label", "namespace", s.ns, "pod-security.kubernetes.io/enforce-", ns=False)
    lost, gold = 'storageclass.storage.k8s.io "gold" not found', "the storage class of a claim does not exist"
    mounts = '    replicas = 2\n    mounts {\n      "/c" = %s\n    }'
    broken(s, "h", job("h", mounts % 'own_claim("c", 1Gi, class = "gold")'), "2 of 2 pods: Unschedulable: " + lost, gold)
    broken(s, "i", job("i", mounts % 'own_claim("c", 1Gi, class = "gold", keep = true)'), ": ProvisioningFailed: " + lost, gold)
    for name in "hi":
        if len(json.loads(s.want(0, "why", name, "-o", "json").stdout)["advice"]) != 1:
            raise Failure(f"more than one hint for a wrong storage class: {s.run('why', name).stdout}")
    broken(s, "j", job("j", mounts % 'pvc("nowhere")'), 'persistentvolumeclaim "nowhere" not found', "the claim does not exist in this namespace")
    s.want(8, "why", "nobody", err="no run 'nobody'")
    document = json.loads(s.want(0, "why", "a", "-o", "json").stdout)
    if document["schemaVersion"] != 1 or not document["advice"] or document["run"]["name"] != "a":
        raise Failure(str(document))


@check
def raced(s):
    """of two concurrent applies one may lose with 5, and nothing is half-written"""
    for i in range(4):
        s.write("a.tj", job("a", "    replicas = 1", HOLD))
        s.write("b.tj", job("a", "    replicas = 1", HOLD + "  ttl = 1h\n"))
        both = [subprocess.Popen([os.path.realpath(TRAINC), "apply", "--no-wait", "--namespace", s.ns, f], cwd=s.dir, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True) for f in ("a.tj", "b.tj")]
        ends = [(p.communicate(timeout=60), p.returncode) for p in both]
        if any(code not in (0, 5, 6) for _, code in ends) or all(code for _, code in ends):
            raise Failure(str(ends))
        s.want(0, "apply", "a.tj", "--recreate", "--yes")
        s.want(0, "delete", "a", "--yes")
        if s.names("service,configmap,job"):
            raise Failure(str(s.names()))


@check
def attended(s):
    """`wait` starts roles that wait for another role, and ends roles that would continue after success"""
    s.write("a.tj", """job "a" {
  image = "busybox:1"
  role ps {
    replicas = 1
    annotations {
      "e2e.trainc.dev/hold" = "yes"
    }
  }
  role worker {
    replicas = 2
    start_after = ready(ps)
  }
  success = done(worker)
}
""")
    done = s.run("apply", "a.tj", "--for", "created")
    if done.returncode or "start role 'worker' after ready(ps)" not in done.stderr:
        raise Failure(f"{done.returncode}\n{done.stderr}")
    time.sleep(2)  # it stays suspended meanwhile
    if not s.get("job", "a-worker")["spec"]["suspend"]:
        raise Failure("the workers began by themselves")
    s.want(0, "wait", "a", err="Succeeded")
    until(lambda: "job.batch/a-ps" not in s.names("job"), PATIENCE, "the end of the parameter server")
    s.want(0, "apply", "a.tj", err="has ended: Succeeded")
    s.want(0, "delete", "a", "--yes")


def rack(s, name, hosts):
    """Nodes of a rack, for this check's pods only; each has room for two."""
    room = {"cpu": "2", "memory": "1Ti", "ephemeral-storage": "1Ti", "pods": "100"}
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"{s.ns}-{name}-{i}", "labels": {
        "kubernetes.io/hostname": f"{s.ns}-{name}-{i}", "e2e.trainc.dev/rack": name, "e2e": s.ns}},
        "spec": {"taints": [{"key": "e2e", "value": s.ns, "effect": "NoSchedule"}]},
        "status": {"capacity": room, "allocatable": room}} for i in range(hosts)]
    s.write("nodes.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
    s.kubectl("create", "-f", os.path.join(s.dir, "nodes.json"), ns=False)


@check
def racked(s):
    """replicas with place = near("rack") are all in one rack"""
    s.write("project.tj", 'project {\n  topology = ["e2e.trainc.dev/rack"]\n}\n')
    s.write("a.tj", job("a", f'    replicas = 4\n    cpu = 1\n    tolerate = ["e2e={s.ns}"]\n    ' + HOLD, 'place = near("rack")\n  '))
    try:
        rack(s, "left", 2)
        rack(s, "right", 2)
        s.want(0, "apply", "a.tj", "--for", "running")
        pods = json.loads(s.kubectl("get", "pods", "-o", "json"))["items"]
        nodes = {p["spec"]["nodeName"] for p in pods}
        racks = {n.removeprefix(s.ns).split("-")[1] for n in nodes}
        if len(pods) != 4 or len(nodes) != 2 or len(racks) != 1:
            raise Failure(f"{len(pods)} pods on {sorted(nodes)}")
        s.want(0, "delete", "a", "--yes")
    finally:
        s.kubectl("delete", "nodes", "-l", f"e2e={s.ns}", "--wait=false", ns=False, ok=False)


# ---- on a real node ----

NODE_CHECKS = []


def node_check(f):
    NODE_CHECKS.append((f.__doc__.strip(), f))
    return f


@node_check
def last_words(s):
    """std.pytorch with report = true: status and why show the exception, line and rank of the first failing rank"""
    s.write("a.tj", '''import std.pytorch

job "a": pytorch.env(report = true) {
  image = "localhost/python:1"
  pull  = "never"

  role worker {
    replicas = 4
    command  = ["python3", "/app/train.py"]

    files {
      "/app/train.py" = """
        import os, time
        def step(rank):
            if rank == 2:
                raise ValueError("bad batch 17")
            time.sleep(20)
            raise ConnectionError("Connection closed by peer")
        step(int(os.environ["RANK"]))
        """
    }
  }
}
''')
    said = r"ValueError: bad batch 17 \(train\.py:4, rank 2\)"
    done = s.want(8, "run", "a.tj", err="Failed: worker 2 exited with code 1: " + said, timeout=240)
    if "warning" in done.stderr:
        raise Failure(done.stderr)
    first = json.loads(s.want(0, "status", "a", "-o", "json").stdout)["runs"][0]["first_failure"]
    if (first["role"], first["index"], first["exit_code"]) != ("worker", 2, 1) or not re.search(said, first["reason"]):
        raise Failure(str(first))
    s.want(0, "status", "a", out=r"Failed[^\n]*: worker 2: exit code 1: " + said + r"\n  first failure: worker 2, ")
    s.want(0, "why", "a", out=r"Failed[^\n]*: worker 2: exit code 1: " + said + r"\n  first failure: worker 2, ")
    message = next(p for p in json.loads(s.kubectl("get", "pods", "-o", "json"))["items"]
                   if p["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == "2")["status"]["containerStatuses"][0]["state"]["terminated"]["message"]
    if len(message) > 4096 or '"error"' not in message:
        raise Failure(f"the termination message of rank 2: {message!r}")


@node_check
def no_image(s):
    """an image that a node cannot pull is reported with the node's message and what to do"""
    broken(s, "a", job("a", '    replicas = 1\n    pull = "never"').replace("busybox:1", "localhost/nothing:1"), "ErrImageNeverPull", "localhost/nothing:1")
    s.want(8, "wait", "a", "--fail-on-stall", err="is stalled.*ErrImageNeverPull")
    broken(s, "b", job("b", "    replicas = 1").replace("busybox:1", "127.0.0.1:9/nothing:1"), "127.0.0.1:9/nothing:1", "the node cannot reach the registry")


@node_check
def node_logs(s):
    """a real container's output is followed across a restart, each line once and in order"""
    s.write("a.tj", job("a", """    replicas = 2
    restart  = "on-failure"
    pull     = "never"
    command  = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.2; done; test -e /k/m || { touch /k/m; exit 7; }"]
    mounts {
      "/k" = scratch("k", 1Mi)
    }""").replace("busybox:1", "localhost/busybox:1"))
    s.want(0, "apply", "a.tj", "--no-wait")
    out = s.want(0, "logs", "a", "-f", "--all", timeout=180).stdout.splitlines()
    for rank in (0, 1):
        got = [line.split(" \u2502 ", 1)[1] for line in out if line.startswith(f"worker/{rank} ") and "line " in line]
        if got != [f"line {i}" for i in range(1, 10)] * 2:
            raise Failure(f"worker/{rank}: {got}\n{out}")


CODE = """job "a" {
  image   = "localhost/busybox:1"
  pull    = "never"
  code    = "src"
  command = ["sh", "train.sh"]

  role worker { replicas = 2 }
}
"""


@node_check
def node_code(s):
    """the files of a directory run in real pods; after a change the new ones do; nothing is left after delete"""
    def parts():
        return s.kubectl("get", "configmap", "-l", "trainc.dev/code", "-o", "name").split()
    os.mkdir(os.path.join(s.dir, "src"))
    s.write("src/train.sh", "echo one; pwd; test ! -e big.pt || echo too much; echo here >out; cat out\n")
    s.write("src/big.pt", "x" * 100000)
    s.write("src/.gitignore", "*.pt\n")
    s.write("a.tj", CODE)
    out = s.want(0, "run", "a.tj", timeout=240).stdout
    if [line.split(" \u2502 ", 1)[1] for line in out.splitlines() if line.startswith("worker/1 ")] != ["one", "/code", "here"]:
        raise Failure(out)
    s.write("src/train.sh", "echo two\n")
    s.want(0, "apply", "a.tj", out="unchanged", err="program has changed.*--rerun")
    s.want(0, "apply", "--rerun", "--for", "complete", "a.tj", timeout=240)
    out = s.want(0, "logs", "a", "--all").stdout
    if "worker/0 \u2502 two" not in out or "one" in out:
        raise Failure(out)
    if len(parts()) != 1:                   # the code of the run before is gone
        raise Failure(f"ConfigMaps of code: {parts()}")
    s.want(0, "delete", "a", "--yes")
    until(lambda: not parts(), 60, "the code is deleted with the last run that has it")


SYNCED = """job "a" {
  pull  = "never"
  grace = 3s
  code { dir = "src", sync = true }

  role small { replicas = 2, image = "localhost/busybox:1", command = ["sh", "train.sh"] }
  role large { image = "localhost/python:1", command = ["python3", "train.py"] }
}
"""


@node_check
def node_sync(s):
    """sync gives running replicas of busybox and Debian new code in the same containers; a replica that cannot take it leaves all
    as they are; a deleted pod ends at once, and with a status that no Job takes for success"""
    def pods():
        return {p["metadata"]["name"]: (p["metadata"]["uid"], [c["restartCount"] for c in p["status"]["containerStatuses"]], p["metadata"]["labels"]["trainc.dev/code"])
                for p in json.loads(s.kubectl("get", "pods", "-o", "json"))["items"]}

    def source(word, **more):
        shutil.rmtree(os.path.join(s.dir, "src"), ignore_errors=True)
        os.mkdir(os.path.join(s.dir, "src"))
        s.write("src/train.sh", f"trap 'exit 0' TERM\necho {word}; while :; do sleep 0.1; done\n")
        s.write("src/train.py", f"import time\nprint('{word}', flush=True)\nwhile True: time.sleep(1)\n")
        for name, text in more.items():
            s.write("src/" + name, text)
    source("one", gone="1")
    s.write("a.tj", SYNCED)
    s.want(0, "apply", "a.tj", timeout=240)
    before = pods()
    source("two", more="2")
    begin = time.monotonic()
    s.want(0, "sync", "a", out=r"run/a synced small: 2 of 2 replicas run ([0-9a-f]{12}) .*, 4 files changed, .*\nrun/a synced large: 1 of 1 replicas run \1 ")
    took = time.monotonic() - begin
    after = pods()
    if {n: x[:2] for n, x in before.items()} != {n: x[:2] for n, x in after.items()} or any(sum(x[1]) for x in after.values()):
        raise Failure(f"other containers: {before} {after}")
    if len({x[2] for x in after.values()}) != 1 or took > 10:
        raise Failure(f"{after}, {took:.1f} s")
    for replica in "small/0", "small/1", "large/0":
        if s.want(0, "exec", "a", replica, "--", "ls", "/code").stdout.split() != ["more", "train.py", "train.sh"]:
            raise Failure(f"{replica}: other files")
    until(lambda: s.want(0, "logs", "a", "--all").stdout.count("two") == 3, 30, "all run the new code")
    s.want(0, "sync", "a", out="unchanged small: 2 of 2")
    s.want(0, "exec", "a", "small/1", "--", "mkdir", "/code/three")
    s.want(0, "exec", "a", "small/1", "--", "touch", "/code/three/mine")
    source("three", three="3")
    s.want(8, "sync", "a", err="small/1: .*three is a directory in which the program has written.*\n.*nothing was changed in any replica")
    if pods() != after or "three" in s.want(0, "exec", "a", "large/0", "--", "cat", "/code/train.sh").stdout:
        raise Failure("something was changed")
    begin = time.monotonic()
    s.kubectl("delete", "pod", next(n for n in after if "small-0" in n))
    if time.monotonic() - begin > 2.9:
        raise Failure(f"a deleted pod took {time.monotonic() - begin:.1f} s")
    s.want(0, "delete", "a", "--yes")


CLAIMED = """job "a" {
  image   = "localhost/busybox:1"
  pull    = "never"
  code {
    dir = "src"
    via = pvc("team-code", path = "nlp", shared = true)
  }
  command = ["sh", "train.sh"]

  role worker { replicas = 2 }
}
"""


TWO_PLACES = """param storage: string

job "b" {
  image   = "localhost/busybox:1"
  pull    = "never"
  command = ["sh", "train.sh"]

  object store {
    apiVersion = "v1"
    kind       = "PersistentVolumeClaim"
    spec { accessModes = ["ReadWriteMany"], storageClassName = storage, resources { requests { storage = 1Gi } } }
  }

  role x { code { dir = "src", via = pvc("b-store", path = "x") } }
  role y { code { dir = "src", via = pvc("b-store", path = "y") } }
}
"""


def uploaders(s):
    return s.kubectl("get", "pods", "-l", "trainc.dev/code-upload", "-o", "name").split()


@node_check
def node_code_claim(s):
    """code that ConfigMaps cannot carry travels by a file on a claim, which is written once; another content of the file runs nowhere,
    and is replaced by the next apply; the pods that write are gone, also after an interrupt"""
    disk = os.path.join(s.dir, "disk")
    os.mkdir(disk)
    os.mkdir(os.path.join(s.dir, "src"))
    name = "claim-" + s.ns
    volume = {"accessModes": ["ReadWriteMany"], "storageClassName": name}
    s.write("claim.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        *[{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": n},
           "spec": {**volume, "capacity": {"storage": "1Gi"}, "hostPath": {"path": disk, "type": "DirectoryOrCreate"}}} for n in (name, name + "-b")],
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "team-code", "namespace": s.ns},
         "spec": {**volume, "resources": {"requests": {"storage": "1Gi"}}}}]}))
    s.kubectl("apply", "-f", os.path.join(s.dir, "claim.json"))
    try:
        s.write("src/train.sh", "wc -c <model.bin\n")
        with open(os.path.join(s.dir, "src/model.bin"), "wb") as f:
            f.write(os.urandom(3 << 20))
        s.write("a.tj", CLAIMED)
        out = s.want(0, "run", "a.tj", out="claim/team-code got the code", timeout=240).stdout
        if [line.split(" \u2502 ", 1)[1].strip() for line in out.splitlines() if line.startswith("worker/1 ")] != [str(3 << 20)]:
            raise Failure(out)
        files = glob.glob(os.path.join(disk, "nlp/trainc-code/*"))
        if len(files) != 1 or not re.fullmatch("[0-9a-f]{64}.tar.gz", os.path.basename(files[0])):
            raise Failure(f"files on the claim: {files}")
        s.want(0, "apply", "--rerun", "--for", "complete", "a.tj", out="claim/team-code has the code", timeout=240)
        with open(files[0], "r+b") as f:        # somebody who may write to the claim
            f.seek(1000)
            f.write(b"other")
        s.want(0, "apply", "--rerun", "--for", "complete", "a.tj", out="claim/team-code got the code", timeout=240)
        os.remove(files[0])
        s.want(0, "code", "--upload", "a.tj", out="claim/team-code got the code", timeout=240)
        until(lambda: not uploaders(s), 30, "the pods that write are deleted")
        s.write("b.tj", TWO_PLACES)             # the same code in two directories, of a claim that the program brings itself
        s.want(0, "run", "b.tj", "--set", "storage=" + name, out="claim/b-store got the code\nclaim/b-store got the code", timeout=240)
        places = sorted(os.path.relpath(f, disk) for f in glob.glob(os.path.join(disk, "[xy]/trainc-code/*.tar.gz")))
        if len(places) != 2 or [os.path.dirname(f) for f in places] != ["x/trainc-code", "y/trainc-code"]:
            raise Failure(f"files on the claim: {places}")
        s.want(0, "delete", "b", "--yes")
        s.write("src/train.sh", "echo other\n")
        child = subprocess.Popen([os.path.realpath(TRAINC), "apply", "--rerun", "--namespace", s.ns, "a.tj"], cwd=s.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        until(lambda: uploaders(s), 60, "a pod writes the code")
        child.send_signal(signal.SIGINT)
        if child.wait(60) != 130 or child.stderr.read().count(b"Traceback"):
            raise Failure(f"status {child.returncode}")
        until(lambda: not uploaders(s), 30, "the pod that writes is deleted after an interrupt")
        s.want(0, "delete", "a", "--yes")
    finally:
        s.kubectl("delete", "pvc", "team-code", "--ignore-not-found", "--wait=false")
        s.kubectl("delete", "pv", name, name + "-b", "--ignore-not-found", "--wait=false")


def answers(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
            return answer.status == 200
    except OSError:
        return False


@node_check
def node_streams(s):
    """exec and port-forward against a real kubelet: output, input, exit statuses, a connection; restart starts a replica again
    without using up an attempt"""
    s.write("a.tj", job("a", """    replicas = 2
    pull     = "never"
    ports { http = 8000 }
    command  = ["python3", "-c", "import http.server as h; h.ThreadingHTTPServer(('', 8000), h.SimpleHTTPRequestHandler).serve_forever()"]
    grace    = 1s""").replace("busybox:1", "localhost/python:1"))
    s.want(0, "apply", "a.tj", timeout=240)
    host = s.want(0, "exec", "a", "worker/1", "--", "python3", "-c", "import socket; print(socket.gethostname())").stdout
    if host != "a-worker-1\n":
        raise Failure(repr(host))
    for code in (0, 3, 255):
        s.want(code, "exec", "a", "worker/0", "--", "python3", "-c", f"raise SystemExit({code})")
    s.want(127, "exec", "a", "worker/0", "--", "nothing-of-this-name")
    done = subprocess.run([os.path.realpath(TRAINC), "exec", "--namespace", s.ns, "a", "worker/0", "--", "python3", "-c",
                           "import sys; data = sys.stdin.buffer.read(); print(len(data), sum(data))"],
                          cwd=s.dir, input=b"\x01" * 300000, capture_output=True, timeout=60)
    if (done.returncode, done.stdout) != (0, b"300000 300000\n"):
        raise Failure(repr(done))
    forward = subprocess.Popen([os.path.realpath(TRAINC), "port-forward", "--namespace", s.ns, "a", "worker/0:8000"], cwd=s.dir, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    try:
        line = forward.stdout.readline()
        port = int(re.match(r"127\.0\.0\.1:(\d+) -> worker/0:8000", line).group(1))
        until(lambda: answers(port), 60, "the program listens")
        for _ in range(3):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
                if answer.status != 200:
                    raise Failure(str(answer.status))
    finally:
        forward.terminate()
        forward.wait(30)
    before = {p["metadata"]["uid"] for p in json.loads(s.kubectl("get", "pods", "-o", "json"))["items"]}
    s.want(0, "restart", "a", "worker/1", timeout=120)
    until(lambda: sum(p["metadata"]["uid"] not in before and p["status"]["phase"] == "Running"
                      for p in json.loads(s.kubectl("get", "pods", "-o", "json"))["items"]) == 1, 120, "worker/1 runs again")
    failed = json.loads(s.kubectl("get", "job", "a-worker", "-o", "json"))["status"].get("failed", 0)
    if failed:
        raise Failure(f"{failed} attempts are used up")
    s.want(0, "delete", "a", "--yes")


@node_check
def node_files(s):
    """cp with a real kubelet: trees and files of busybox and Debian containers, both ways; attach shows what a program prints from
    then on; events tells of its pods and of their node"""
    s.write("a.tj", """job "a" {
  pull  = "never"
  grace = 1s

  role small { image = "localhost/busybox:1", command = ["sh", "-c", "while sleep 1; do echo tick; done"] }
  role large { image = "localhost/python:1", command = ["sleep", "600"] }
}
""")
    s.want(0, "apply", "a.tj", timeout=240)
    os.makedirs(os.path.join(s.dir, "mine/deep"))
    s.write("mine/a b", "text")
    with open(os.path.join(s.dir, "mine/deep/big"), "wb") as f:
        f.write(os.urandom(20 << 20))
    os.chmod(os.path.join(s.dir, "mine/deep/big"), 0o750)
    os.symlink("deep/big", os.path.join(s.dir, "mine/link"))
    for role in "small", "large":
        s.want(0, "cp", "mine", f"a:{role}/0:/tmp", out=f"{role}/0:/tmp/mine: 3 files, 20Mi")
        s.want(5, "cp", "mine", f"a:{role}/0:/tmp", err="exists")
        s.want(0, "cp", "--force", "mine", f"a:{role}/0:/tmp/mine/../mine/other")
        s.want(0, "cp", f"a:{role}/0:/tmp/mine", f"back-{role}")
        if subprocess.run(["diff", "-r", "mine", f"back-{role}", "--exclude=other"], cwd=s.dir).returncode or \
                subprocess.run(["diff", "-r", "mine", f"back-{role}/other"], cwd=s.dir).returncode:
            raise Failure(f"{role}: another tree")
        back = os.path.join(s.dir, f"back-{role}")
        if os.readlink(back + "/link") != "deep/big" or os.stat(back + "/deep/big").st_mode & 0o777 != 0o750:
            raise Failure(f"{role}: a link or permissions")
        s.want(8, "cp", f"a:{role}/0:/none", "none", err="none")
        s.want(8, "cp", "mine/a b", f"a:{role}/0:/none/x", err="'/none' is not a directory")
        left = s.want(0, "exec", "a", f"{role}/0", "--", "sh", "-c", "ls -a /tmp").stdout
        if "trainc-cp" in left:
            raise Failure(left)
    joined = subprocess.Popen([os.path.realpath(TRAINC), "attach", "--namespace", s.ns, "a", "small/0"], cwd=s.dir, stdout=subprocess.PIPE, text=True)
    try:
        if [joined.stdout.readline() for _ in range(2)] != ["tick\n"] * 2:
            raise Failure("attach")
        s.want(0, "events", "a", out="Normal +Scheduled +small/0 .*\n(.*\n)*.*Normal +Started +small/0 ")
        s.want(0, "delete", "a", "--yes")
        joined.communicate(timeout=60)
    finally:
        joined.kill()
    if joined.returncode != 0:
        raise Failure(f"attach ended with {joined.returncode}")


def outcome(name, f):
    start = time.monotonic()
    try:
        s = Space(f.__name__.replace("_", "-"))
        try:
            f(s)
        finally:
            s.close()
        error = None
    except Exception as problem:
        error = str(problem) if isinstance(problem, Failure) else repr(problem)
    return error, time.monotonic() - start


def main(wanted, checks=None, outcome=outcome):
    chosen = [(name, f) for name, f in checks or CHECKS + [c for c in NODE_CHECKS if c[1].__name__ in wanted] if not wanted or f.__name__ in wanted]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = [(name, pool.submit(outcome, name, f)) for name, f in chosen]
        for name, future in running:
            error, seconds = future.result()
            failed += error is not None
            print(f"{'FAIL' if error else 'ok'} {name} ({seconds:.1f} s)", flush=True)
            if error:
                print("    " + error.replace("\n", "\n    "), flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    if "COUNTS" in os.environ:
        with open(os.environ["COUNTS"], "a") as counts:
            print(len(chosen) - failed, failed, 0, file=counts)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
