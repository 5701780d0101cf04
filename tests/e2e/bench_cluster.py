"""Compares the commands of trainc with kubectl 1.35 on one control plane: time, processor time, memory, requests.

    E2E_KUBECTL=... KUBECTL=... TRAINC=... python3 bench_cluster.py DIR [SCENARIO...]

DIR is that of a cluster (up.sh kwok with E2E_AUDIT=1 and nodes for BENCH_PODS, 2,000 on each).  Every measurement is a
pair, one after the other, BENCH_ROUNDS times (3), and the medians are shown: on a machine that does other things, too,
both have the same share of it, and processor time and requests do not depend on it.  BENCH_PODS (10,000), BENCH_FLEET
(1,000 jobs), BENCH_IDLE (120 s) and BENCH_LOG (4 MB for each of 50 pods) make it smaller.
"""

import asyncio
import json
import os
import re
import signal
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from cluster import Cluster, Missing, until

HERE = os.path.dirname(os.path.abspath(__file__))
TICK = os.sysconf("SC_CLK_TCK")
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
PODS = int(os.environ.get("BENCH_PODS", "10000"))
FLEET = int(os.environ.get("BENCH_FLEET", "1000"))
IDLE = float(os.environ.get("BENCH_IDLE", "120"))
LOG_MB = float(os.environ.get("BENCH_LOG", "4"))
LONGEST = 1800
SIDES = ("trainc", "kubectl")
HOLD = 'annotations {\n    "e2e.trainc.dev/hold" = "yes"\n  }\n'


def job(name, replicas=1, more=""):
    return f'job "{name}" {{\n  image = "busybox:1"\n  {more}role worker {{\n    replicas = {replicas}\n  }}\n}}\n'


class Bench:
    """The cluster, a directory for programs, and the two commands that are measured."""

    def __init__(self, directory):
        self.directory = directory
        self.audit = os.path.join(directory, "audit.log")
        self.config = os.path.join(directory, "kubeconfig.controller")      # whose requests are recorded
        self.cluster = Cluster(os.environ["KUBECTL"], os.path.join(directory, "kubeconfig"))
        self.files = tempfile.TemporaryDirectory(prefix="bench-")
        self.measure = os.path.join(self.files.name, "measure")
        subprocess.run(["cc", "-O2", "-static", "-o", self.measure, os.path.join(HERE, "..", "bench", "measure.c")], check=True)
        self.programs = {"trainc": os.path.realpath(os.environ["TRAINC"]), "kubectl": os.path.join(os.environ["E2E_KUBECTL"], "kubectl")}
        self.spaces = 0

    def close(self):
        self.cluster.close()
        self.files.cleanup()

    def path(self, name):
        return os.path.join(self.files.name, name)

    def write(self, name, text):
        """A program, and its objects in files for kubectl, each with about a thousand, as a person would have them."""
        with open(self.path(name + ".tj"), "w") as f:
            f.write(text)
        done = subprocess.run([self.programs["trainc"], "compile", self.path(name + ".tj")], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        with open(self.path(name + ".yaml"), "w") as f:
            f.write(done.stdout)
        return self.path(name + ".tj"), self.path(name + ".yaml")

    def space(self):
        """A namespace, ready for pods."""
        self.spaces += 1
        ns = f"bench-{os.getpid()}-{self.spaces}"
        self.cluster.make_namespace(ns)
        until(lambda: any(a["metadata"]["name"] == "default" for a in self.cluster.list(ns, "serviceaccounts")), 120, "the account")
        return ns

    def drop(self, ns):
        """Deletes everything in the namespace and waits until the control plane is idle for the next measurement."""
        self.cluster.drop_namespace(ns)

        def gone():
            try:
                self.cluster.get(f"/api/v1/namespaces/{ns}")
            except Missing:
                return True
            return False
        until(gone, LONGEST, f"the end of {ns}")

    def environment(self, config=None):
        return {**os.environ, "KUBECONFIG": config or self.config, "HOME": self.files.name, "CI": "1"}

    def command(self, side, ns, *words):
        return [self.programs[side], words[0], "--namespace", ns, *words[1:]]

    def run(self, side, ns, *words, config=None, status=0, output="/dev/null"):
        """The cost of one command: seconds, seconds of processor time, peak memory in MB, requests."""
        command = self.command(side, ns, *words)
        before = os.path.getsize(self.audit)
        done = subprocess.run([self.measure, "1", str(status), output, *command], env=self.environment(config),
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            again = subprocess.run(command, env=self.environment(config), capture_output=True, text=True, stdin=subprocess.DEVNULL)
            raise RuntimeError(f"{command}: not status {status}; run again it ends with {again.returncode}\n{again.stderr[-2000:]}")
        wall, cpu, peak = (float(x) for x in done.stdout.split())
        return {"time": wall / 1e6, "processor time": cpu / 1e6, "peak memory": peak / 1024, "requests": self.requests(before)}

    def requests(self, since, verb=None):
        """How many requests were recorded since then; a watch counts once."""
        seen = set()
        with open(self.audit) as f:
            f.seek(since)
            for line in f:
                event = json.loads(line)
                if verb is None or event["verb"] == verb:
                    seen.add(event["auditID"])
        return len(seen)


# ---- tables ----

UNITS = {"time": "s", "processor time": "s", "peak memory": "MB", "requests": "", "latency": "ms", "speed": "MB/s"}


def number(what, value):
    if value is None:
        return "-"
    return f"{value:.0f}" if not UNITS.get(what, "") else f"{value:.3f} s" if UNITS[what] == "s" else f"{value:.1f} {UNITS[what]}"


def table(title, found, target=None):
    """FOUND: side -> list of measurements.  Prints a line for each quantity: the medians, and how many times higher
    kubectl's is."""
    print(f"\n{title}\n{'':20}" + "".join(f"{side:>14}" for side in SIDES) + f"{'kubectl/trainc':>16}   target", flush=True)
    for what in found["trainc"][0]:
        values = [statistics.median(m[what] for m in found[side]) if found.get(side) else None for side in SIDES]
        ratio = f"{values[1] / values[0]:.1f}" if values[0] and values[1] is not None else ""
        wanted = (target or {}).get(what)
        verdict = "" if wanted is None else f"{'holds' if wanted[0](values[0]) else 'MISSED'}: {wanted[1]}"
        print(f"{what:20}" + "".join(f"{number(what, v):>14}" for v in values) + f"{ratio:>16}   {verdict}", flush=True)


def below(limit, words):
    return lambda value: value <= limit, words


# ---- scenarios ----

SCENARIOS = []


def scenario(f):
    SCENARIOS.append(f)
    return f


def maps(n):
    """A program with that many ConfigMaps; its Job is suspended, so that no controller has work."""
    objects = "".join(f'  object c{i} {{\n    apiVersion = "v1"\n    kind = "ConfigMap"\n    data = {{ a = "{i}" }}\n  }}\n' for i in range(n))
    return job("maps", 1, "suspend = true\n  ").rstrip("}\n") + "\n  }\n" + objects + "}\n"


def applied(bench, name, text, config=None, rounds=ROUNDS):
    """A program is applied twice: measurements of both times."""
    program, objects = bench.write(name, text)
    first, second = {s: [] for s in SIDES}, {s: [] for s in SIDES}
    for _ in range(rounds):
        for side in SIDES:
            words = ("apply", "--no-wait", program) if side == "trainc" else ("apply", "--server-side", "-f", objects)
            ns = bench.space()
            first[side].append(bench.run(side, ns, *words, config=config))
            second[side].append(bench.run(side, ns, *words, config=config))
            bench.drop(ns)
    return first, second


@scenario
def many(bench):
    """1,000 ConfigMaps"""
    first, second = applied(bench, "maps", maps(1000))
    table("apply of 1,000 ConfigMaps, a Service and a suspended Job", first, {"processor time": below(0.6, "0.6 s (elapsed time if the server answers at once)")})
    table("... again, unchanged: 3 kinds", second, {"requests": below(7, "k + 2 = 5, and two more pages of 500")})


class Far:
    """A relay to the API server: each piece of data arrives DELAY seconds later, in both directions."""

    def __init__(self, bench, delay):
        self.delay, self.loop, self.port = delay, asyncio.new_event_loop(), None
        with open(bench.config) as f:
            text = f.read()
        self.there = int(re.search(r"server: https://127\.0\.0\.1:(\d+)", text)[1])
        ready = threading.Event()
        threading.Thread(target=self.serve, args=(ready,), daemon=True).start()
        ready.wait()
        with open(bench.path("far"), "w") as f:
            f.write(text.replace(f"127.0.0.1:{self.there}", f"127.0.0.1:{self.port}"))
        self.config = bench.path("far")

    def serve(self, ready):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.accept, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        self.loop.run_forever()

    async def accept(self, reader, writer):
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.there)
        await asyncio.gather(self.copy(reader, there_writer), self.copy(there_reader, writer), return_exceptions=True)

    async def copy(self, reader, writer):
        pieces = asyncio.Queue()

        async def late():
            while (piece := await pieces.get()) is not None:
                await asyncio.sleep(max(0, piece[0] - self.loop.time()))
                writer.write(piece[1])
            writer.close()
        task = asyncio.ensure_future(late())
        while data := await reader.read(65536):
            pieces.put_nowait((self.loop.time() + self.delay, data))
        pieces.put_nowait(None)
        await task

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


@scenario
def far(bench):
    """100 objects, 10 ms away"""
    relay = Far(bench, 0.005)
    try:
        first, _ = applied(bench, "far", maps(100), relay.config)
    finally:
        relay.close()
    table("apply of 100 ConfigMaps behind a network of 10 ms", first,
          {"processor time": below(0.15, "0.15 s (elapsed time if the server only waits)")})


@scenario
def one(bench):
    """one job"""
    program, objects = bench.write("one", job("one", 1, "suspend = true\n  "))
    found = {s: [] for s in SIDES}
    looked = {s: [] for s in SIDES}
    ns = bench.space()
    for _ in range(3 * ROUNDS):
        for side in SIDES:
            words = ("apply", "--no-wait", program) if side == "trainc" else ("apply", "--server-side", "-f", objects)
            found[side].append(bench.run(side, ns, *words))
            words = ("status", "one") if side == "trainc" else ("get", "job,pod", "-l", "trainc.dev/job=one")
            looked[side].append(bench.run(side, ns, *words))
            bench.cluster.kubectl("-n", ns, "delete", "all,configmap", "-l", "trainc.dev/job=one")
            bench.cluster.kubectl("-n", ns, "delete", "configmap", "one.trainc", "--ignore-not-found")
            if side == "kubectl":
                continue
            bench.run(side, ns, "apply", "--no-wait", program)      # so that kubectl reads the same objects
            bench.cluster.kubectl("-n", ns, "delete", "all,configmap", "-l", "trainc.dev/job=one")
            bench.cluster.kubectl("-n", ns, "delete", "configmap", "one.trainc", "--ignore-not-found")
    bench.drop(ns)
    table("apply of one job: a Service and a Job", found, {"processor time": below(0.015, "15 ms"), "peak memory": below(8, "8 MiB")})
    table("status of one job, kubectl get job,pod", looked, {"processor time": below(0.015, "15 ms"), "peak memory": below(8, "8 MiB")})


@scenario
def fleet(bench):
    """a fleet of 1,000 jobs"""
    # After kube-root-ca.crt in the order of names: behind the last record it would make the server offer an empty page.
    first, second = applied(bench, "fleet", "\n".join(job(f"r{i}", 1, "suspend = true\n  ") for i in range(FLEET)))
    pages = 3 * ((FLEET - 1) // 500)        # of the records, the Services and the Jobs
    table(f"apply of {FLEET:,} jobs (a record of each is written twice by trainc)", first)
    table("... again, unchanged: 2 kinds", second, {"requests": below(4 + pages, f"k + 2 = 4, and {pages} more pages of 500")})


def usage(process):
    """Peak memory and current memory in MB, seconds of processor time."""
    with open(f"/proc/{process.pid}/status") as f:
        lines = dict(line.split(":", 1) for line in f)
    with open(f"/proc/{process.pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    peak, now = (int(lines[key].split()[0]) / 1024 for key in ("VmHWM", "VmRSS"))
    return peak, now, (int(fields[11]) + int(fields[12])) / TICK


def start(bench, side, ns, *words):
    return subprocess.Popen(bench.command(side, ns, *words), env=bench.environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def end(process):
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)


@scenario
def pods(bench):
    """a run of 10,000 pods"""
    program, _ = bench.write("big", job("big", PODS, HOLD))
    ns = bench.space()
    bench.run("trainc", ns, "apply", "--no-wait", program)

    def ready():
        return bench.cluster.get(f"/apis/batch/v1/namespaces/{ns}/jobs/big-worker").get("status", {}).get("ready") == PODS
    until(ready, LONGEST, f"{PODS} pods")
    looked, written = {s: [] for s in SIDES}, {s: [] for s in SIDES}
    for _ in range(ROUNDS):
        for side in SIDES:
            words = ("status", "big") if side == "trainc" else ("get", "pods", "-l", "trainc.dev/job=big")
            looked[side].append(bench.run(side, ns, *words))
            words = ("status", "big", "-o", "json") if side == "trainc" else ("get", "pods", "-l", "trainc.dev/job=big", "-o", "json")
            written[side].append(bench.run(side, ns, *words))
    targets = {"processor time": below(1.5, "1.5 s"), "peak memory": below(32, "32 MiB")}
    table(f"status of {PODS:,} pods, kubectl get pods", looked, targets)
    table("status -o json, kubectl get pods -o json", written, targets)
    idle(bench, ns)
    bench.drop(ns)


def sampled(process, seconds):
    """The current memory in MB, once a second.  Each report of a state takes memory and gives it back."""
    found = []
    for _ in range(max(2, round(seconds))):
        time.sleep(1)  # what is measured each second
        found.append(usage(process)[1])
    return found


def idle(bench, ns):
    """`wait` for a run in which nothing happens; two reports of its state are in each half of the time."""
    found = {}
    for side in SIDES:
        words = ("wait", "big") if side == "trainc" else ("wait", "--for=condition=complete", "job/big-worker", "--timeout", f"{4 * IDLE + 60}s")
        before = os.path.getsize(bench.audit)
        process = start(bench, side, ns, *words)
        time.sleep(15)  # what is measured for so long
        listed, (_, _, seconds) = bench.requests(before, "list"), usage(process)
        resident = sampled(process, IDLE)
        peak, _, used = usage(process)
        more = bench.requests(before, "list") - listed
        end(process)
        half = len(resident) // 2
        found[side] = [{"peak memory": peak, "% of a processor": 100 * (used - seconds) / IDLE,
                        "MB more at the end": max(resident[half:]) - max(resident[:half]), "lists after the first": more}]
    UNITS.update({"% of a processor": "%", "MB more at the end": "MB"})
    table(f"wait for that run, idle for {IDLE:.0f} s", found, {"% of a processor": below(0.5, "0.5 %"), "lists after the first": below(0, "none"),
                                                              "MB more at the end": below(1, "flat")})  # fmt: skip


class Witness(threading.Thread):
    """The time at which a plain watch receives the deciding event from the API server: WHEN(object) is true."""

    def __init__(self, bench, collection, decides):
        super().__init__(daemon=True)
        pki = os.path.join(bench.directory, "pki")
        context = ssl.create_default_context(cafile=pki + "/ca.crt")
        context.load_cert_chain(pki + "/admin.crt", pki + "/admin.key")
        with open(bench.config) as f:
            server = re.search(r"server: (\S+)", f.read())[1]
        self.answer = urllib.request.urlopen(f"{server}{collection}?watch=true&timeoutSeconds=600", context=context)
        self.decides, self.when = decides, None
        self.start()

    def run(self):
        while line := self.answer.readline():
            now = time.monotonic()
            if self.decides(json.loads(line)["object"]):
                self.when = now
                return


def complete(job):
    return any(c["type"] == "Complete" and c["status"] == "True" for c in job.get("status", {}).get("conditions", []))


@scenario
def wait(bench):
    """how long after the deciding event `wait` ends"""
    program, _ = bench.write("w", job("w", 1, HOLD))
    found = {s: [] for s in SIDES}
    for _ in range(4 * ROUNDS):
        ns = bench.space()
        bench.run("trainc", ns, "apply", "--for", "running", program)
        waiting = {"trainc": start(bench, "trainc", ns, "wait", "w"),
                   "kubectl": start(bench, "kubectl", ns, "wait", "--for=condition=complete", "job/w-worker", "--timeout=300s")}
        # the only pod has succeeded, which ends `trainc wait`; the Job says so a second later, which ends `kubectl wait`
        witness = {"trainc": Witness(bench, f"/api/v1/namespaces/{ns}/pods", lambda pod: pod["status"].get("phase") == "Succeeded"),
                   "kubectl": Witness(bench, f"/apis/batch/v1/namespaces/{ns}/jobs", complete)}
        ends = {}

        def follow(side, ends=ends, waiting=waiting):
            waiting[side].wait()
            ends[side] = time.monotonic()
        threads = [threading.Thread(target=follow, args=(side,)) for side in SIDES]
        for t in threads:
            t.start()
        time.sleep(3)  # the commands are quiet then
        begun = time.monotonic()
        bench.cluster.kubectl("-n", ns, "annotate", "pods", "--all", "e2e.trainc.dev/hold-")
        for t in threads:
            t.join()
        for w in witness.values():
            w.join(60)
        for side in SIDES:
            if waiting[side].returncode:
                raise RuntimeError(f"{side} wait ended with {waiting[side].returncode}")
            found[side].append({"latency": 1000 * (ends[side] - witness[side].when), "time": ends[side] - begun})
        bench.drop(ns)
    table("wait: from the event that decides, as another watch sees it, to the end of the process (time: since the pod was let go)",
          found, {"latency": below(10, "10 ms")})  # fmt: skip


@scenario
def logs(bench):
    """logs of 50 pods"""
    program, _ = bench.write("logs", job("logs", 50, HOLD))
    served = os.path.join(bench.directory, "pod.log")
    with open(served) as f:
        before = f.read()
    lines = int(LOG_MB * 1e6 / 100)
    text = "x" * 80
    ns = bench.space()
    try:
        with open(served, "w") as f:
            for i in range(lines):
                f.write(f"2026-01-01T00:{i // 60000:02}:{i // 1000 % 60:02}.{i % 1000:03}000000Z stdout F step {i:09} {text}\n")
        bench.run("trainc", ns, "apply", "--for", "running", program)
        found, followed = {s: [] for s in SIDES}, {s: [] for s in SIDES}
        for _ in range(ROUNDS):
            for side in SIDES:
                words = ("logs", "logs", "--all") if side == "trainc" else ("logs", "-l", "trainc.dev/job=logs", "--tail=-1", "--prefix", "--max-log-requests=50")
                got = bench.run(side, ns, *words, output=bench.path("out"))
                check_lines(bench.path("out"), 50 * lines)
                found[side].append({**got, "speed": 50 * lines * 96 / 1e6 / got["time"]})
                followed[side].append(follow_logs(bench, side, ns, (words[0], "-f", *words[1:]), 50 * lines))
    finally:
        with open(served, "w") as f:
            f.write(before)
    bench.drop(ns)
    table(f"logs of 50 pods, {50 * lines * 96 / 1e6:.0f} MB (trainc's are in the order of their times, kubectl's are not)", found)
    table("... followed until all is there (kubectl: as it comes, trainc: in order)", followed)


def count_lines(path):
    with open(path, "rb") as f:
        return sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))


def check_lines(path, wanted):
    if count_lines(path) != wanted:
        raise RuntimeError(f"{count_lines(path)} lines, not {wanted}")


def follow_logs(bench, side, ns, words, wanted):
    """The same with -f, which does not end on its own: until the last line arrives."""
    before, begin = os.path.getsize(bench.audit), time.monotonic()
    with open(bench.path("out"), "wb") as out, open(bench.path("out"), "rb") as again:
        process = subprocess.Popen(bench.command(side, ns, *words), env=bench.environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
        seen = 0
        while seen < wanted:
            block = again.read(1 << 20)
            seen += block.count(b"\n")
            if not block:
                if process.poll() is not None or time.monotonic() > begin + LONGEST:
                    raise RuntimeError(f"{side} logs -f: {seen} of {wanted} lines")
                time.sleep(0.02)
        took = time.monotonic() - begin
        peak, _, used = usage(process)
        end(process)
    return {"time": took, "processor time": used, "peak memory": peak, "requests": bench.requests(before), "speed": wanted * 96 / 1e6 / took}


def main(directory, *words):
    unknown = set(words) - {s.__name__ for s in SCENARIOS}
    if unknown:
        sys.exit(f"bench_cluster.py: no scenario is called {', '.join(sorted(unknown))}; there are {', '.join(s.__name__ for s in SCENARIOS)}")
    bench = Bench(directory)
    try:
        for s in SCENARIOS:
            if not words or s.__name__ in words:
                s(bench)
    finally:
        bench.close()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main(*sys.argv[1:])
