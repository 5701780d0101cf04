"""suite.py any|kwok|operators|kueue|groups|node [PART...]: what a cluster must accept and do; called by run.sh.  With PARTs,
only checks whose names contain one of them run, TIMES times.  A check that failed beside seven others runs once more,
alone, as a test of `make test` does: its first failure is printed, the second counts.

  any    every object file is accepted and kept as it was sent
  kwok   that, and jobs reach the end that their program promises, on fake nodes
  operators  controllers of JobSets and of the training operator's kinds do what we expect with our objects
  groups  the controller of LeaderWorkerSets makes the pods that our programs promise
  kueue  a real Kueue queues, preempts and places our runs, and the commands say so
  node   real pods find each other

KUBECTL, KUBECONFIG, TRAINC: what to use.  One line per check on standard output;
the counts of passed, failed and skipped checks are added to the file COUNTS.
"""

import concurrent.futures
import copy
import glob
import itertools
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import attacks_reader
import play
import fit
import groups
import handles
import kueue
import node_jobs
import operators
import placement
import runtime
import stages
import supervise
from cluster import Cluster, Missing, Refused, documents, until
from compare import differences
import attacks_record  # after all others: it adds directories with modules of the same names

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "tests", "property"))
from pods import jobs_of  # noqa: E402
sys.path.append(os.path.join(ROOT, "tests", "raw"))
import restricted  # noqa: E402
import rows  # noqa: E402

TRAINC = os.path.abspath(os.environ.get("TRAINC", os.path.join(ROOT, "build", "trainc")))

RUN = secrets.token_hex(4)  # an existing cluster may be used by others, and by two of our runs
fresh = itertools.count()


class Failure(Exception):
    """A check failed; the text says why."""


class Skipped(Exception):
    """A check is not possible here; the text says why."""


def expect(holds, why):
    if not holds:
        raise Failure(why)


def text_of(path, *options):
    """The compiler's output; options of the program are in a file beside it."""
    own = path.removesuffix(".tj") + ".args"
    if os.path.exists(own):
        options = open(own).read().split() + list(options)
    done = subprocess.run(
        [TRAINC, "compile", *options, os.path.basename(path)],
        cwd=os.path.dirname(path), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    expect(done.returncode == 0, f"trainc compile: exit {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def compile(path, *options):
    return documents(text_of(path, "-o", "json", *options))


class Space:
    """A namespace for one check."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.name = f"e2e-{RUN}-{next(fresh)}"

    def __enter__(self):
        self.cluster.make_namespace(self.name)
        return self

    def __exit__(self, *_):
        self.cluster.drop_namespace(self.name)


# What a server accepts


def named(value):
    return f"{value['kind']} {value['metadata']['name']}"


def compare(sent, kept):
    expect(len(sent) == len(kept), f"{len(sent)} objects sent, {len(kept)} came back")
    lines = [f"{named(one)} {line}" for one, other in zip(sent, kept) for line in differences(one, other)]
    expect(not lines, "\n".join(lines))


def moved(objects, namespace):
    """The same objects in another namespace, so that files do not conflict."""
    objects = copy.deepcopy(objects)
    for value in objects:
        if "namespace" in value["metadata"]:
            value["metadata"]["namespace"] = namespace
    return objects


def by_us(value):
    """The fields of an object that one of our field managers owns, and since when."""
    return [f for f in value["metadata"].get("managedFields", []) if f["manager"] == "kubectl"]


def unchanged(before, after):
    """Applying an object a second time has not changed it.  If a controller may have changed its status meanwhile, only
    the fields that were applied, and the record of who owns them since when, must be the same."""
    name = named(before)
    metadata, now = before["metadata"], after["metadata"]
    if "generation" not in metadata and before["kind"] != "PersistentVolumeClaim":      # a claim may have been bound meanwhile
        expect(metadata["resourceVersion"] == now["resourceVersion"], f"{name}: changed when it was applied again")
        return
    expect(metadata.get("generation") == now.get("generation"), f"{name}: its spec changed when it was applied again")
    expect(by_us(before) == by_us(after), f"{name}: applied again, it is ours in another way")
    for key in "labels", "annotations":         # a controller may have added some, such as a Deployment's revision
        kept = {word: now.get(key, {}).get(word) for word in metadata.get(key, {})}
        expect(metadata.get(key, {}) == kept, f"{name}: other {key} when it was applied again")
    for key in "finalizers", "ownerReferences":
        expect(metadata.get(key) == now.get(key), f"{name}: other {key} when it was applied again")


def accepted(cluster, path, own):
    """The file is applied in a namespace of the check, so that files do not conflict. A file that names another
    namespace is first tried unchanged in a dry run, and then applied in ours.  In a cluster that is not ours, no other
    namespace is created, and only namespaced objects are applied."""
    sent = cluster.as_applied(cluster.read_yaml(path))
    elsewhere = {value["metadata"]["namespace"] for value in sent if "namespace" in value["metadata"]}
    if own:
        for name in elsewhere:
            cluster.create("/api/v1/namespaces", {"metadata": {"name": name}})
    else:
        for value in sent:
            if not cluster.knows(value):
                raise Skipped(f"{value['kind']} of {value['apiVersion']} is not there")
        sent = [value for value in sent if cluster.is_namespaced(value)]
    # an account from a dry run does not exist for the pods of later dry runs
    account = any(value["kind"] == "ServiceAccount" for value in sent)
    if elsewhere and not account and all(exists(cluster, f"/api/v1/namespaces/{name}") for name in elsewhere):
        compare(sent, cluster.apply_file(path, "--dry-run=server"))
    with Space(cluster) as space:
        sent = moved(sent, space.name)
        if elsewhere or not own:
            cluster.apply(sent, space.name)
        else:
            cluster.apply_file(path, "--namespace", space.name)
        paths = [cluster.path_of(value, space.name) for value in sent]
        kept = [cluster.get(path) for path in paths]
        compare(sent, kept)
        for path, value, before in zip(paths, sent, kept):
            unchanged(before, cluster.apply_again(path, value))


def compiled(cluster, path):
    """The same for a program without a golden file; and kubectl reads from the YAML what the compiler writes as
    JSON."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text_of(path))
        file.flush()
        expect(cluster.read_yaml(file.name) == compile(path), "YAML and JSON of the compiler differ")
        accepted(cluster, file.name, True)


def children(value):
    """The Jobs that a set's controller would create, about which its own schema says little."""
    made = list(jobs_of(value))
    for job in made:
        spec, metadata = job["spec"], job["metadata"]
        job["apiVersion"] = "batch/v1"
        spec["suspend"] = value["spec"].get("suspend", False)
        host = f"{metadata['name']}-{spec['completions'] - 1}"
        expect(len(host) + len("-abcde") <= 63, f"{host}: no room for what is added to it")
    return made


def children_accepted(cluster, path):
    with Space(cluster) as space:
        sets = [value for value in cluster.read_yaml(path) if value["kind"] in ("JobSet", "TrainingRuntime")]
        made = moved([job for value in sets for job in children(value)], space.name)
        cluster.apply(made, space.name, "--dry-run=server")


def exists(cluster, path):
    try:
        cluster.get(path)
        return True
    except Missing:
        return False


# The checks above must be able to fail.


def notices(cluster, path):
    good = cluster.read_yaml(path)
    kept = copy.deepcopy(good)
    compare(good, kept)
    job = next(i for i, value in enumerate(good) if value["kind"] == "Job")

    def spoil(change):
        bad = copy.deepcopy(kept)
        change(bad[job]["spec"])
        try:
            compare(good, bad)
        except Failure:
            return
        raise Failure(f"a difference was not noticed: {change.__doc__}")

    def container(spec):
        return spec["template"]["spec"]["containers"][0]

    def number(spec):
        "a number"
        spec["completions"] += 1

    def field(spec):
        "a field that is gone"
        del spec["backoffLimit"]

    def element(spec):
        "an element that is gone"
        container(spec)["env"].pop()

    def order(spec):
        "the order of a list"
        container(spec)["env"].reverse()

    def amount(spec):
        "a quantity"
        container(spec)["resources"]["limits"]["memory"] = "256G"

    def kind(spec):
        "true instead of 1"
        spec["backoffLimit"] = False

    for change in number, field, element, order, amount, kind:
        spoil(change)
    container(kept[job]["spec"])["resources"]["limits"]["memory"] = "274877906944"
    compare(good, kept)  # 256Gi


def notices_writes(cluster):
    """A write to an object is noticed, even if the object has no generation."""
    with Space(cluster) as space:
        value = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "e2e"}, "data": {"a": "1"}}
        cluster.apply([value], space.name)
        path = cluster.path_of(value, space.name)
        before = cluster.get(path)
        unchanged(before, cluster.apply_again(path, value))
        value["data"]["a"] = "2"
        after = cluster.apply_again(path, value)
        try:
            unchanged(before, after)
        except Failure:
            return
        raise Failure("a ConfigMap that was written was taken for one that was not")


def refuses(cluster, path):
    with Space(cluster) as space:
        for key, value in (("parallelisms", 4), ("backoffLimit", "none"), ("completions", -1)):
            bad = cluster.read_yaml(path)
            next(v for v in bad if v["kind"] == "Job")["spec"][key] = value
            try:
                cluster.apply(bad, space.name, "--dry-run=server")
            except Refused:
                continue
            raise Failure(f"accepted: {key} = {value}")


def raw_rows(cluster):
    """Raw blocks and objects: the server rejects the rows of tests/raw that we reject, and accepts the others."""
    refused, taken = list(rows.rows("refused.txt")), list(rows.rows("accepted.txt"))
    known, wrong = rows.values(TRAINC, refused + taken), []
    with Space(cluster) as space:
        until(lambda: cluster.get(f"/api/v1/namespaces/{space.name}/serviceaccounts")["items"], 180, "the account of pods")
        for place, code, fragment in refused + taken:
            value = rows.object_of(place, fragment, known)
            collection = cluster.path_of(value, space.name).rsplit("/", 1)[0]
            try:
                cluster.request("POST", collection + "?dryRun=All&fieldValidation=Strict", value)
                said = ""
            except Refused as answer:
                said = str(answer)
            if bool(said) != bool(code):
                wrong.append(f"{place} {fragment}: {said or 'taken, and refused by us'}")
    expect(not wrong, "\n".join(wrong))


def enforcing(cluster, space):
    """Lets the server keep the level "restricted" in the namespace, and waits until it makes pods there."""
    path = f"/api/v1/namespaces/{space.name}"
    cluster.patch(path, {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
    until(lambda: cluster.get(f"{path}/serviceaccounts")["items"], 180, "the account of pods")


def pod_refused(cluster, space, pod):
    """What the server says against a pod; empty if it takes the pod."""
    try:
        cluster.request("POST", f"/api/v1/namespaces/{space.name}/pods?dryRun=All", pod)
    except Refused as answer:
        return str(answer)
    return ""


def pods_of(text):
    """The pods of a program, or None and the codes of the errors."""
    done = subprocess.run([TRAINC, "compile", "-o", "json", "--target", "pods", "-"], input=text, capture_output=True, text=True, timeout=60)
    codes = set(re.findall(r": error: .*\[(TJ\d+)\]", done.stderr))
    return ([o for o in documents(done.stdout) if o["kind"] == "Pod"] if done.returncode == 0 else None), codes


def restricted_rows(cluster):
    """The server refuses the pods of the rows of tests/raw/restricted.py that we refuse, and takes the others."""
    wrong = []
    with Space(cluster) as space:
        enforcing(cluster, space)
        for refused, row in restricted.ROWS:
            pods, codes = pods_of(restricted.program(row, level=False))
            expect(pods, f"{row}: {codes}")
            said = pod_refused(cluster, space, pods[0])
            if bool(said) != refused or (said and "PodSecurity" not in said):
                wrong.append(f"{row}: {said or 'taken, and refused by us'}")
            pods, codes = pods_of(restricted.program(row))
            if pods and pod_refused(cluster, space, pods[0]):
                wrong.append(f"{row}: with the level: {pod_refused(cluster, space, pods[0])}")
    expect(not wrong, "\n".join(wrong))


def restricted_examples(cluster):
    """The pods of every example and of the library's tests keep the level when the job asks for it."""
    wrong, taken = [], 0
    with Space(cluster) as space, tempfile.TemporaryDirectory() as copies:
        enforcing(cluster, space)
        top = shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(copies, "examples"))
        shutil.copytree(os.path.join(ROOT, "tests", "std"), os.path.join(copies, "std"))
        for path in sorted(glob.glob(os.path.join(os.path.dirname(top), "*", "**", "*.tj"), recursive=True)):
            text = open(path).read()
            asked, n = re.subn(r'^(?:for .*)?job "[^\n]*\{$', lambda m: m[0] + '\n  security = "restricted"', text, flags=re.M)
            if not n or n != len(re.findall(r'^(?:for .*)?job "', text, flags=re.M)):
                continue                # a job whose first line goes on
            with open(path, "w") as f:
                f.write(asked)
            done = subprocess.run([TRAINC, "compile", "-o", "json", "--target", "pods", os.path.basename(path)],
                                  cwd=os.path.dirname(path), capture_output=True, text=True, timeout=60)
            for pod in (o for o in documents(done.stdout) if o["kind"] == "Pod") if done.returncode == 0 else ():
                taken += 1
                pod["metadata"].pop("namespace", None)
                pod["spec"].pop("serviceAccountName", None)
                pod["spec"].pop("priorityClassName", None)
                said = pod_refused(cluster, space, pod)
                if said:
                    wrong.append(f"{path} {pod['metadata']['name']}: {said}")
    expect(not wrong, "\n".join(wrong[:20]))
    expect(taken > 100, f"only {taken} pods were tried")


def notices_end(cluster):
    with Space(cluster) as space:
        job = Play(cluster, space, program("mnist-ddp"), {"worker": {"exit.1": "1"}})
        try:
            job.expect("Succeeded")
        except Failure:
            return
        raise Failure("a job that failed was taken for one that succeeded")


# How jobs behave


class Play:
    """A job on fake nodes. notes[role] tells how its pods end."""

    def __init__(self, cluster, space, source, notes):
        self.cluster, self.space, self.source = cluster, space, source
        self.objects = compile(source, "--namespace", space.name)
        if notes is None:
            notes = self.ends_by_itself()
        play.annotate(self.objects, notes)
        play.presuppose(cluster, self.objects, space.name)
        play.fake_nodes(cluster, self.objects)
        cluster.apply(self.objects, space.name)
        self.secrets = play.make_secrets(cluster, self.objects, space.name)
        self.runs = [play.Run(cluster, space.name, name) for name in play.job_names(self.objects)]
        self.run = self.runs[0]

    def ends_by_itself(self):
        """Roles in the success rule of their job succeed, the others never end."""
        notes = {}
        for owner, _ in play.templates(self.objects):
            rule = play.annotations(owner).get(play.PREFIX + "success", "")
            role = play.role_of(owner)
            ends = play.names_of(owner) & play.roles_in(rule) or notes.get(role, {}).get("run")
            notes[role] = {"run": "300ms"} if ends else {"hold": "yes"}
        return notes

    def job(self, role, n=0):
        self.run.look()
        return sorted(self.run.jobs[role], key=lambda j: j["metadata"]["name"])[n]

    def pods(self, role):
        found = self.cluster.list(self.space.name, "pods")
        return [p for p in found if play.role_of(p) == role and "deletionTimestamp" not in p["metadata"]]

    def expect(self, verdict, seconds=180):
        for run in self.runs:
            got = run.verdict(seconds)
            expect(got == verdict, f"{run.name}: {got}, not {verdict}; played: {run.did}")
            self.told(run, verdict)

    def state(self, name, *options):
        """The state and the cause that `trainc status` reports for the live objects."""
        kinds = ("jobs", "pods", "events")
        seen = {"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "batch/v1" if kind == "jobs" else "v1", "kind": kind[:-1].capitalize(), **value}
            for kind in kinds for value in self.cluster.list(self.space.name, kind)]}  # fmt: skip
        for value in seen["items"]:
            del value["metadata"]["namespace"]  # the check chooses it, whatever the program names
        done = subprocess.run(
            [TRAINC, "status", "--from", "-", os.path.basename(self.source), "-o", "json", *options],
            cwd=os.path.dirname(self.source), input=json.dumps(seen), capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        expect(done.returncode in (0, 8), f"trainc status: exit {done.returncode}\n{done.stderr.strip()}")
        run = next(r for r in json.loads(done.stdout)["runs"] if r["name"] == name)
        return run["state"], run.get("cause", "")

    def told(self, run, verdict):
        """trainc and this check agree about the job's end."""
        jobs = self.cluster.list(self.space.name, "jobs")
        if all("deletionTimestamp" in j["metadata"] for j in jobs):
            return  # the check ended the only role, so there is nothing left to decide
        state, cause = self.state(run.name)
        words = ("Failed", "Failing") if verdict.startswith("Failed") else ("Running",) if verdict == "Running" else ("Succeeded", "Completing")
        expect(state in words, f"trainc status: {run.name} is {state} ({cause}), not {verdict}")
        reason = verdict.split()[2] if verdict.startswith("Failed") else ""
        replica = verdict.startswith("Failed") and reason != "DeadlineExceeded" and re.match(verdict.split()[1] + r" \d+: ", cause)
        expect(reason in cause or replica, f"trainc status: {cause!r} says neither {reason} nor which replica failed")



def program(name):
    return os.path.join(HERE, "programs", name + ".tj")


BEHAVIOURS = []


def behaviour(name, notes):
    def register(function):
        def check(cluster):
            with Space(cluster) as space:
                function(Play(cluster, space, program(name), notes))

        BEHAVIOURS.append((f"{name}: {function.__doc__}", check))

    return register


@behaviour("mnist-ddp", {"worker": {"run": "200ms"}})
def _(job):
    "completes without any help"
    job.expect("Succeeded")
    expect(job.run.did == [], f"played: {job.run.did}")
    names = {pod["spec"]["hostname"] for pod in job.pods("worker")}
    expect(names == {f"mnist-ddp-worker-{i}" for i in range(4)}, f"host names {sorted(names)}")


@behaviour("mnist-ddp", {"worker": {"run": "200ms", "exit.2": "1"}})
def _(job):
    "fails with its first worker when nothing is retried"
    job.expect("Failed worker BackoffLimitExceeded")


@behaviour("mnist-ddp", {"worker": {"hold": "yes"}})
def _(job):
    "replaces a worker that is evicted, and does not count it"
    first = until(lambda: len(pods := job.pods("worker")) == 4 and pods, 180, "4 pods")[0]["metadata"]
    until(lambda: job.job("worker")["status"].get("ready") == 4, 180, "4 ready")
    path = f"/api/v1/namespaces/{job.space.name}/pods/{first['name']}/eviction"
    job.cluster.request(
        "POST", path, {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": first["name"]}}
    )
    until(
        lambda: first["uid"] not in (uids := {p["metadata"]["uid"] for p in job.pods("worker")}) and len(uids) == 4,
        180, "another pod",
    )  # fmt: skip
    expect(not play.over(job.job("worker")), "the Job is over")
    expect(not job.job("worker")["status"].get("failed"), "the eviction was counted as a failure")


@behaviour("retry", {"worker": {"exit.1.0": "137"}})
def _(job):
    "retries a code that may be retried"
    job.expect("Succeeded")
    expect(job.job("worker")["status"].get("failed") == 1, "no pod has failed")


@behaviour("retry", {"worker": {"run": "200ms", "exit.1": "3"}})
def _(job):
    "fails at once by a code that may not be retried"
    job.expect("Failed worker PodFailurePolicy")
    hosts = [pod["spec"]["hostname"] for pod in job.pods("worker")]
    expect(hosts.count("retry-worker-1") == 1, f"pods of {sorted(hosts)}")


@behaviour("retry", {"worker": {"exit.1": "137"}})
def _(job):
    "fails when the retries are used up, not before"
    got = job.run.verdict(180)
    expect(got in ("Failed worker MaxFailedIndexesExceeded", "Failed worker FailedIndexes"), got)
    tries = [pod for pod in job.pods("worker") if pod["spec"]["hostname"] == "retry-worker-1"]
    expect(len(tries) == 2, f"worker 1 was tried {len(tries)} times, and may be retried once")
    job.told(job.run, got)


@behaviour("wide-deep", {"chief": {"run": "1s"}, **{r: {"hold": "yes"} for r in ("worker", "ps", "evaluator")}})
def _(job):
    "ends the roles that would run for ever once the chief is done"
    until(lambda: job.run.look() or all(job.run.ready(r) for r in ("worker", "ps", "evaluator")), 180, "pods ready")
    job.expect("Succeeded")
    expect(
        sorted(job.run.did) == ["ended evaluator", "ended ps", "ended worker"], f"played: {job.run.did}"
    )  # fmt: skip
    until(lambda: not any(job.pods(r) for r in ("worker", "ps", "evaluator")), 180, "end of their pods")


@behaviour("bert-horovod", {"launcher": {"run": "200ms"}, "worker": {"hold": "yes"}})
def _(job):
    "starts the launcher after its workers, with keys that were made"
    expect(len(job.secrets) == 1, f"{len(job.secrets)} Secrets are made")
    job.expect("Succeeded")
    expect(job.run.did == ["resumed launcher (after ready(worker))", "ended worker"], f"played: {job.run.did}")


@behaviour("elastic", {"worker": {"run": "200ms", "exit.1": "9", "exit.4": "9"}})
def _(job):
    "succeeds when enough of an elastic role has"
    job.expect("Succeeded")
    status = job.run.jobs["worker"][0]["status"]  # as it was at the verdict
    expect(status.get("succeeded") == 3, f"succeeded: {status.get('succeeded')}")


@behaviour("elastic", {"worker": {"hold": "yes"}})
def _(job):
    "changes its size, in one request"
    path = job.run.path(job.job("worker"))
    least = 2
    for size in (2, 4):
        # The number of indexes that may fail must not exceed their number.
        job.cluster.patch(path, {"spec": {"completions": size, "parallelism": size, "maxFailedIndexes": size - least}})
        hosts = {f"elastic-worker-{i}" for i in range(size)}
        until(lambda: {p["spec"]["hostname"] for p in job.pods("worker")} == hosts, 180, f"pods {sorted(hosts)}")


@behaviour("ring", {"worker": {"run": "200ms"}})
def _(job):
    "has one Job per worker, with the host names that an indexed one would give"
    job.expect("Succeeded")
    hosts = sorted(p["spec"]["hostname"] for p in job.pods("worker"))
    expect(hosts == [f"ring-worker-{i}" for i in range(3)], f"host names {hosts}")
    expect(len(job.run.jobs["worker"]) == 3, "not three Jobs")


@behaviour("deadline", {"task": {"hold": "yes"}})
def _(job):
    "fails when its time is over"
    job.expect("Failed task DeadlineExceeded")


@behaviour("corners", {"worker": {"hold.1": "yes", "run": "500ms"}, "ps": {"hold": "yes"}})
def _(job):
    "is started by its queue and ended by one index"
    job.expect("Succeeded")
    did = ["ended ps", "resumed ps (queue research)", "resumed worker (queue research)"]
    expect(sorted(job.run.did) == did, f"played: {job.run.did}")
    done = until(lambda: play.condition(job.job("worker"), "Complete"), 180, "Complete")
    expect(done["reason"] == "SuccessPolicy", done["reason"])
    hosts = {p["spec"]["hostname"] for p in job.pods("tensorboard")}
    expect(hosts == {"corners-tensorboard-0"}, f"host names {sorted(hosts)}")


@behaviour("mnist-ddp", {"worker": {"hold": "yes"}})
def _(job):
    "is suspended and resumed by its Job"
    until(lambda: len(job.pods("worker")) == 4, 180, "4 pods")
    path = job.run.path(job.job("worker"))
    for suspend, pods, state in (True, 0, "Suspended"), (False, 4, "Running"):
        job.cluster.patch(path, {"spec": {"suspend": suspend}})
        until(lambda: len(job.pods("worker")) == pods, 180, f"{pods} pods")
        until(lambda: job.state("mnist-ddp")[0] == state, 180, f"{state}, not {job.state('mnist-ddp')}")


@behaviour("brief", {"task": {"run": "200ms"}})
def _(job):
    "is removed when its time to live is over"
    job.expect("Succeeded")
    path = job.run.path(job.job("task"))
    until(lambda: not exists(job.cluster, path), 180, "the end of its Job")


def bare_pods(cluster):
    """The target `pods`: its pods run and end, and the product reports it each time.  A fake node ends pods of Jobs
    only, so the test ends them."""
    with Space(cluster) as space:
        source = program("mnist-ddp")
        objects = compile(source, "--target", "pods", "--namespace", space.name)
        play.fake_nodes(cluster, [{"spec": {"template": value}} for value in objects if value["kind"] == "Pod"])
        cluster.apply(objects, space.name)
        job = Play.__new__(Play)
        job.cluster, job.space, job.source = cluster, space, source
        until(lambda: job.state("mnist-ddp")[0] == "Running", 180, f"Running, not {job.state('mnist-ddp')}")
        for pod in job.pods("worker"):
            path = f"/api/v1/namespaces/{space.name}/pods/{pod['metadata']['name']}/status"
            cluster.patch(path, {"status": {"phase": "Succeeded"}})
        until(lambda: job.state("mnist-ddp")[0] == "Succeeded", 180, f"Succeeded, not {job.state('mnist-ddp')}")


def gang_waits(cluster):
    """While there is room for only one of two replicas, none starts; then there is room for both."""
    pool = f"{RUN}-{next(fresh)}"
    label = "e2e.trainc.dev/pool"

    def node(n):
        name, room = f"e2e-gang-{pool}-{n}", {"cpu": "6", "memory": "1Ti", "pods": "20"}
        node = {"metadata": {"name": name, "labels": {label: pool}}, "status": {"capacity": room, "allocatable": room}}
        cluster.create("/api/v1/nodes", node)

    def pods():
        return cluster.list(space.name, "pods")

    def refused(pod):
        return any(c["type"] == "PodScheduled" and c["status"] == "False" for c in pod["status"].get("conditions", []))

    with Space(cluster) as space:
        objects = compile(program("gang"), "--namespace", space.name)
        play.annotate(objects, {"worker": {"run": "200ms"}})
        for _, template in play.templates(objects):
            template["spec"]["nodeSelector"][label] = pool
        node(0)
        cluster.apply(objects, space.name)
        until(lambda: len(found := pods()) == 2 and any(refused(pod) for pod in found), 180, "two pods, one of which does not fit")
        bound = [pod["metadata"]["name"] for pod in pods() if "nodeName" in pod["spec"]]
        expect(not bound, f"{bound} found a node without the other")
        node(1)
        verdict = play.Run(cluster, space.name, "gang").verdict(180)
        expect(verdict == "Succeeded", verdict)


def runs(cluster, path):
    """An example reaches the end that it promises; one that never ends serves."""
    with Space(cluster) as space:
        played = Play(cluster, space, path, None)
        ends = any(play.annotations(owner).get(play.PREFIX + "success") for owner, _ in play.templates(played.objects))
        played.expect("Succeeded" if ends else "Running")


# Real pods


def real(cluster, name):
    """The program's verdict is the result of its own test; if it failed, its pods have printed why."""
    with Space(cluster) as space:
        cluster.apply(compile(program(name), "--namespace", space.name), space.name)
        run = play.Run(cluster, space.name, name)
        try:
            verdict = run.verdict(240)
        except TimeoutError as late:
            verdict = str(late)
        pods = cluster.list(space.name, "pods")
        if verdict != "Succeeded":
            events = cluster.kubectl("get", "events", "-n", space.name, "-o", "custom-columns=:message")
            logs = [cluster.kubectl("logs", "-n", space.name, p["metadata"]["name"]) for p in pods]
            raise Failure("\n".join([verdict, *logs, events]))
        return pods, run.did


def meet(cluster, name):
    pods, did = real(cluster, name)
    expect(len(pods) == 4, "not 4 pods")
    expect(did == [], f"played: {did}")


def places(cluster):
    """Pods of a role that waits are created after the others have started, not before."""
    pods, did = real(cluster, "places")
    expect(len(pods) == 4, "not 4 pods")
    expect(did == ["resumed watcher (after started(worker))"], f"played: {did}")

    def moments(role, kind, moment):
        mine = [p for p in pods if play.role_of(p) == role]
        return [next(c[moment] for c in p["status"]["conditions"] if c["type"] == kind) for p in mine]

    began = [min(c["state"]["terminated"]["startedAt"] for c in p["status"]["containerStatuses"]) for p in pods if play.role_of(p) == "worker"]
    waited = moments("watcher", "PodScheduled", "lastTransitionTime")
    expect(max(began) <= min(waited), f"workers began at {began}, watchers were placed at {waited}")


def again(cluster):
    restarts = [c["restartCount"] for pod in real(cluster, "again")[0] for c in pod["status"]["containerStatuses"]]
    expect(restarts == [1], f"restarts: {restarts}")


# All of it


def files(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern)))


# Goldens that show how values are written and are not objects for this server.
NO_OBJECTS = {
    "tests/emit/gang_native.yaml",  # of Kubernetes 1.37
    "tests/emit/gang_native_136.yaml",
    "tests/place/native.yaml",  # of Kubernetes 1.36
    "tests/place/native_137.yaml",
    "tests/emit/workloads.yaml",  # raw amounts in every form, also of devices, which a server counts in whole numbers
    "tests/emit/values.yaml",  # a definition whose schema contains values of every kind
}


def goldens(*directories):
    """The golden output of the compiler: X.yaml beside X.tj."""
    found = files(*[f"{directory}/*/*.yaml" for directory in directories or ("examples", "tests")])
    return [path for path in found if os.path.exists(path.removesuffix(".yaml") + ".tj") and os.path.relpath(path, ROOT) not in NO_OBJECTS]


def is_set(path):
    """Is it a set of Jobs? Their controllers do not run here, so nothing would create the Jobs of an applied set."""
    return re.search(r"^kind: (JobSet|TrainingRuntime)$", open(path).read(), re.M)


def checks(mode):
    if mode == "node":
        return [
            ("trio: three roles of real pods find each other by their environment", lambda c: meet(c, "trio")),
            ("places: so they do with a Service each, one role after the other", places),
            ("whole: a pod gets texts, files, volumes and helpers as they were written", lambda c: real(c, "whole")),
            ("again: a container that failed is started again in its pod", again),
            *[(f"{f.__name__}: {name}", lambda c, f=f: commands(f)) for name, f in runtime.NODE_CHECKS + handles.NODE + stages.NODE + placement.NODE],
            *[(f"supervise, {f.__name__}: {name}", lambda c, f=f: controls(f)) for name, f in node_jobs.CHECKS],
        ]
    if mode == "operators":
        return [(f"{f.__name__}: {name}", lambda c, f=f: commands(f)) for name, f in operators.CHECKS]
    if mode == "groups":
        return [(f"{f.__name__}: {name}", lambda c, f=f: commands(f)) for name, f in groups.CHECKS]
    if mode == "kueue":
        return [(f"{f.__name__}: {name}", lambda c, f=f: commands(f)) for name, f in kueue.CHECKS]
    found = []
    sample = os.path.join(HERE, "objects", "mnist-ddp.yaml")
    found.append(("the comparison notices what a server changed", lambda c: notices(c, sample)))
    found.append(("the server refuses what is wrong", lambda c: refuses(c, sample)))
    found.append(("an object that was written again is noticed", notices_writes))
    for path in goldens() + files("tests/e2e/objects/*.yaml"):
        check = lambda c, path=path: accepted(c, path, mode != "any")  # noqa: E731
        found.append((f"{os.path.relpath(path, ROOT)}: accepted and kept", check))
    for path in goldens():
        if is_set(path):
            check = lambda c, path=path: children_accepted(c, path)  # noqa: E731
            found.append((f"{os.path.relpath(path, ROOT)}: the Jobs of its set are accepted", check))
    if mode == "kwok":
        for path in files("tests/e2e/programs/*.tj"):
            found.append((f"{os.path.relpath(path, ROOT)}: accepted and kept", lambda c, path=path: compiled(c, path)))
        found.append(("tests/raw: the server refuses and takes the same rows", raw_rows))
        found.append(("Pod Security: the server refuses and takes the same pods", restricted_rows))
        found.append(("Pod Security: the pods of examples keep the level that the job asks for", restricted_examples))
        found.append(("the player notices a job that fails", notices_end))
        found += BEHAVIOURS
        found.append(("mnist-ddp: bare pods reach their end", bare_pods))
        found.append(("gang: no replica starts without the others", gang_waits))
        found += [(f"{f.__name__}: {name}", lambda c, f=f: commands(f)) for name, f in runtime.CHECKS + handles.KWOK + stages.KWOK + placement.KWOK + fit.CHECKS]
        found += [(f"supervise, {f.__name__}: {name}", lambda c, f=f: controls(f)) for name, f in supervise.CHECKS + attacks_record.CHECKS + attacks_reader.CHECKS]
        for path in goldens("examples"):
            if is_set(path):
                continue
            source = path.removesuffix(".yaml") + ".tj"
            check = lambda c, source=source: runs(c, source)  # noqa: E731
            found.append((f"{os.path.relpath(source, ROOT)}: succeeds", check))
    return found


def commands(check):
    """A check of trainc's own commands (runtime.py)."""
    error, _ = runtime.outcome(check.__name__, check)
    if error:
        raise Failure(error)


def controls(check):
    """A check of the controller (supervise.py)."""
    error, _ = supervise.outcome(check.__name__, check)
    if error:
        raise Failure(error)


def install(cluster, paths):
    """Installs definitions of the kinds of add-ons; a server takes a moment to serve them."""
    made = [value for path in paths for value in cluster.apply_file(path)]
    kinds = [
        {"apiVersion": f"{value['spec']['group']}/{version['name']}", "kind": value["spec"]["names"]["kind"]}
        for value in made
        for version in value["spec"]["versions"]
        if version["served"]
    ]
    until(lambda: all(cluster.knows(kind) for kind in kinds), 180, "kinds of add-ons")


def outcome(check, cluster):
    start = time.monotonic()
    try:
        check(cluster)
        error = None
    except Skipped as reason:
        error = reason
    except Exception as problem:  # whatever it is, the other checks still count
        error = str(problem) if isinstance(problem, (Failure, Refused, TimeoutError)) else repr(problem)
    return error, time.monotonic() - start


def tell(line, error):
    print("\n    ".join([line, *(str(error).splitlines() if error else [])]), flush=True)


def main(mode, *parts):
    cluster = Cluster(os.environ["KUBECTL"], os.environ.get("KUBECONFIG"))

    def stop(*_):
        cluster.close()
        os._exit(1)  # the threads would continue for minutes

    signal.signal(signal.SIGTERM, stop)
    if mode == "kwok":
        install(cluster, files("tests/e2e/kinds/*.yaml") + sorted(glob.glob(os.path.join(os.environ["E2E_ADDONS"], "*.yaml"))))
    failed, skipped = 0, 0
    wanted = [check for check in checks(mode) if not parts or any(part in check[0] for part in parts)]
    wanted *= int(os.environ.get("TIMES", "1"))
    late = []
    # Most of the time is spent in the Job controller, which waits before it retries.
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        running = [(name, pool.submit(outcome, check, cluster)) for name, check in wanted]
        for name, future in running:
            error, seconds = future.result()
            if isinstance(error, Skipped):
                skipped += 1
                print(f"skip {name}: {error}", flush=True)
            elif error:
                late.append((name, error, seconds))
            else:
                print(f"ok {name} ({seconds:.1f} s)", flush=True)
    for name, error, seconds in late:
        tell(f"{name} failed ({seconds:.1f} s), and runs again, alone", error)
        error, seconds = outcome(dict(wanted)[name], cluster)
        failed += error is not None
        tell(f"{'FAIL' if error else 'ok'} {name} ({seconds:.1f} s)", error)
    cluster.close()
    with open(os.environ["COUNTS"], "a") as counts:
        print(len(wanted) - failed - skipped, failed, skipped, file=counts)


main(*sys.argv[1:])
