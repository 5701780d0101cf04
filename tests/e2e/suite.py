"""suite.py any|kwok|node: what a cluster must accept and do; called by run.sh.

  any    every object file is accepted and kept as it was sent
  kwok   that, and jobs reach the end that their program promises, on fake nodes
  node   real pods find each other

KUBECTL, KUBECONFIG, TRAINC: what to use.  One line per check on standard output;
the counts of passed, failed and skipped checks are added to the file COUNTS.
"""

import concurrent.futures
import copy
import glob
import itertools
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time

import play
from cluster import Cluster, Missing, Refused, documents, until
from compare import differences

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "tests", "property"))
from pods import jobs_of  # noqa: E402

TRAINC = os.path.abspath(os.environ.get("TRAINC", os.path.join(ROOT, "build", "trainc")))

RUN = secrets.token_hex(4)  # a cluster that is there may be used by others, and by us twice
fresh = itertools.count()


class Failure(Exception):
    """A check does not hold; the text says why."""


class Skipped(Exception):
    """A check cannot be made here; the text says why."""


def expect(holds, why):
    if not holds:
        raise Failure(why)


def text_of(path, *options):
    """What the compiler writes; options of the program are in a file beside it."""
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
    """The same objects in another namespace, so that files do not meet."""
    objects = copy.deepcopy(objects)
    for value in objects:
        if "namespace" in value["metadata"]:
            value["metadata"]["namespace"] = namespace
    return objects


def accepted(cluster, path, own):
    """The file is applied in a namespace of the check, so that files do not meet; one
    that names another namespace is tried as it is, and then applied in ours.  A
    cluster of others gets no other namespace, and nothing that is not in one."""
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
    if elsewhere and all(exists(cluster, f"/api/v1/namespaces/{name}") for name in elsewhere):
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
            after = cluster.apply_again(path, value)
            same = before["metadata"].get("generation") == after["metadata"].get("generation")
            expect(same, f"{named(value)}: changed when it was applied again")


def compiled(cluster, path):
    """The same for a program without a golden file; and what kubectl makes of the
    YAML is what the compiler writes as JSON."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text_of(path))
        file.flush()
        expect(cluster.read_yaml(file.name) == compile(path), "YAML and JSON of the compiler differ")
        accepted(cluster, file.name, True)


def children(value):
    """The Jobs that the controller of a set would make of it, which its own schema says little about."""
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


def notices_end(cluster):
    with Space(cluster) as space:
        job = Play(cluster, space, program("mnist-ddp"), {"worker": {"exit.1": "1"}})
        try:
            job.expect("Succeeded")
        except Failure:
            return
        raise Failure("a job that failed was taken for one that succeeded")


# What jobs do


class Play:
    """A job on fake nodes.  notes[role] says how its pods end."""

    def __init__(self, cluster, space, source, notes):
        self.cluster, self.space = cluster, space
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
        """Roles of the success rule end well, the others never."""
        rule = next(filter(None, (play.annotations(o).get(play.PREFIX + "success") for o in self.objects)), "")
        roles = {play.role_of(o) for o, _ in play.templates(self.objects)}
        decides = {role for role in roles if re.search(rf"\({role}\b", rule)}
        return {role: {"run": "300ms"} if role in decides else {"hold": "yes"} for role in roles}

    def job(self, role, n=0):
        self.run.look()
        return sorted(self.run.jobs[role], key=lambda j: j["metadata"]["name"])[n]

    def pods(self, role):
        found = self.cluster.list(self.space.name, "pods")
        return [p for p in found if play.role_of(p) == role and "deletionTimestamp" not in p["metadata"]]

    def expect(self, verdict, seconds=90):
        for run in self.runs:
            got = run.verdict(seconds)
            expect(got == verdict, f"{run.name}: {got}, not {verdict}; played: {run.did}")


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
    first = until(lambda: len(pods := job.pods("worker")) == 4 and pods, 60, "4 pods")[0]["metadata"]
    until(lambda: job.job("worker")["status"].get("ready") == 4, 60, "4 ready")
    path = f"/api/v1/namespaces/{job.space.name}/pods/{first['name']}/eviction"
    job.cluster.request(
        "POST", path, {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": first["name"]}}
    )
    until(
        lambda: first["uid"] not in (uids := {p["metadata"]["uid"] for p in job.pods("worker")}) and len(uids) == 4,
        60, "another pod",
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
    "fails when the retries are used up"
    got = job.run.verdict(60)
    expect(got in ("Failed worker MaxFailedIndexesExceeded", "Failed worker FailedIndexes"), got)


@behaviour("wide-deep", {"chief": {"run": "1s"}, **{r: {"hold": "yes"} for r in ("worker", "ps", "evaluator")}})
def _(job):
    "ends the roles that would run for ever once the chief is done"
    until(lambda: job.run.look() or all(job.run.ready(r) for r in ("worker", "ps", "evaluator")), 60, "pods ready")
    job.expect("Succeeded")
    expect(
        sorted(job.run.did) == ["ended evaluator", "ended ps", "ended worker"], f"played: {job.run.did}"
    )  # fmt: skip
    until(lambda: not any(job.pods(r) for r in ("worker", "ps", "evaluator")), 60, "end of their pods")


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
    status = job.run.jobs["worker"][0]["status"]  # as it was when the verdict fell
    expect(status.get("succeeded") == 3, f"succeeded: {status.get('succeeded')}")


@behaviour("elastic", {"worker": {"hold": "yes"}})
def _(job):
    "changes its size, in one request"
    path = job.run.path(job.job("worker"))
    least = 2
    for size in (2, 4):
        # More indexes may not be allowed to fail than there are.
        job.cluster.patch(path, {"spec": {"completions": size, "parallelism": size, "maxFailedIndexes": size - least}})
        hosts = {f"elastic-worker-{i}" for i in range(size)}
        until(lambda: {p["spec"]["hostname"] for p in job.pods("worker")} == hosts, 60, f"pods {sorted(hosts)}")


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
    done = until(lambda: play.condition(job.job("worker"), "Complete"), 60, "Complete")
    expect(done["reason"] == "SuccessPolicy", done["reason"])
    hosts = {p["spec"]["hostname"] for p in job.pods("tensorboard")}
    expect(hosts == {"corners-tensorboard-0"}, f"host names {sorted(hosts)}")


def gang_waits(cluster):
    """Room for one of two replicas is room for none; then there is room for both."""
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
        until(lambda: len(found := pods()) == 2 and any(refused(pod) for pod in found), 60, "two pods, one of which does not fit")
        bound = [pod["metadata"]["name"] for pod in pods() if "nodeName" in pod["spec"]]
        expect(not bound, f"{bound} found a node without the other")
        node(1)
        verdict = play.Run(cluster, space.name, "gang").verdict(90)
        expect(verdict == "Succeeded", verdict)


def runs(cluster, path):
    """An example reaches the end that it promises."""
    with Space(cluster) as space:
        Play(cluster, space, path, None).expect("Succeeded")


# Real pods


def real(cluster, name):
    """What the program itself tests is said by its verdict; if that is not good, its
    pods have said why."""
    with Space(cluster) as space:
        cluster.apply(compile(program(name), "--namespace", space.name), space.name)
        run = play.Run(cluster, space.name, name)
        try:
            verdict = run.verdict(120)
        except TimeoutError as late:
            verdict = str(late)
        pods = cluster.list(space.name, "pods")
        if verdict != "Succeeded":
            events = cluster.kubectl("get", "events", "-n", space.name, "-o", "custom-columns=:message")
            logs = [cluster.kubectl("logs", "-n", space.name, p["metadata"]["name"]) for p in pods]
            raise Failure("\n".join([verdict, *logs, events]))
        return pods


def meet(cluster, name):
    expect(len(real(cluster, name)) == 4, "not 4 pods")


def again(cluster):
    restarts = [c["restartCount"] for pod in real(cluster, "again") for c in pod["status"]["containerStatuses"]]
    expect(restarts == [1], f"restarts: {restarts}")


# All of it


def files(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern)))


# Goldens that show how values are written and are no objects for this server.
NO_OBJECTS = {
    "tests/emit/gang_native.yaml",  # of Kubernetes 1.37
    "tests/emit/gang_native_136.yaml",
    "tests/emit/workloads.yaml",  # raw amounts in every form, also of devices, which a server counts in whole numbers
    "tests/emit/values.yaml",  # a definition whose schema holds values of every kind
}


def goldens(*directories):
    """What the compiler is known to write: X.yaml beside X.tj."""
    found = files(*[f"{directory}/*/*.yaml" for directory in directories or ("examples", "tests")])
    return [path for path in found if os.path.exists(path.removesuffix(".yaml") + ".tj") and os.path.relpath(path, ROOT) not in NO_OBJECTS]


def checks(mode):
    if mode == "node":
        return [
            ("trio: three roles of real pods find each other by their environment", lambda c: meet(c, "trio")),
            ("places: so they do with a Service each, one role after the other", lambda c: meet(c, "places")),
            ("whole: a pod gets texts, files, volumes and helpers as they were written", lambda c: real(c, "whole")),
            ("again: a container that failed is started again in its pod", again),
        ]
    found = []
    sample = os.path.join(HERE, "objects", "mnist-ddp.yaml")
    found.append(("the comparison notices what a server changed", lambda c: notices(c, sample)))
    found.append(("the server refuses what is wrong", lambda c: refuses(c, sample)))
    for path in goldens() + files("tests/e2e/objects/*.yaml"):
        check = lambda c, path=path: accepted(c, path, mode != "any")  # noqa: E731
        found.append((f"{os.path.relpath(path, ROOT)}: accepted and kept", check))
    for path in goldens():
        if re.search(r"^kind: (JobSet|TrainingRuntime)$", open(path).read(), re.M):
            check = lambda c, path=path: children_accepted(c, path)  # noqa: E731
            found.append((f"{os.path.relpath(path, ROOT)}: the Jobs of its set are accepted", check))
    if mode == "kwok":
        for path in files("tests/e2e/programs/*.tj"):
            found.append((f"{os.path.relpath(path, ROOT)}: accepted and kept", lambda c, path=path: compiled(c, path)))
        found.append(("the player notices a job that fails", notices_end))
        found += BEHAVIOURS
        found.append(("gang: no replica starts without the others", gang_waits))
        for path in goldens("examples"):
            source = path.removesuffix(".yaml") + ".tj"
            check = lambda c, source=source: runs(c, source)  # noqa: E731
            found.append((f"{os.path.relpath(source, ROOT)}: succeeds", check))
    return found


def install(cluster, paths):
    """Definitions of the kinds that add-ons bring; a server takes a moment to serve them."""
    made = [value for path in paths for value in cluster.apply_file(path)]
    kinds = [
        {"apiVersion": f"{value['spec']['group']}/{version['name']}", "kind": value["spec"]["names"]["kind"]}
        for value in made
        for version in value["spec"]["versions"]
        if version["served"]
    ]
    until(lambda: all(cluster.knows(kind) for kind in kinds), 60, "kinds of add-ons")


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


def main(mode):
    cluster = Cluster(os.environ["KUBECTL"], os.environ.get("KUBECONFIG"))

    def stop(*_):
        cluster.close()
        os._exit(1)  # the threads would go on for minutes

    signal.signal(signal.SIGTERM, stop)
    if mode == "kwok":
        install(cluster, files("tests/e2e/kinds/*.yaml") + sorted(glob.glob(os.path.join(os.environ["E2E_ADDONS"], "*.yaml"))))
    failed, skipped, wanted = 0, 0, checks(mode)
    # Most of the time is the Job controller's, which waits before it retries.
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        running = [(name, pool.submit(outcome, check, cluster)) for name, check in wanted]
        for name, future in running:
            error, seconds = future.result()
            if isinstance(error, Skipped):
                skipped += 1
                print(f"skip {name}: {error}", flush=True)
                continue
            failed += error is not None
            print(f"{'FAIL' if error else 'ok'} {name} ({seconds:.1f} s)", flush=True)
            if error:
                print("    " + error.replace("\n", "\n    "), flush=True)
    cluster.close()
    with open(os.environ["COUNTS"], "a") as counts:
        print(len(wanted) - failed - skipped, failed, skipped, file=counts)


main(sys.argv[1])
