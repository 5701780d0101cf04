#!/usr/bin/env python3
"""Compares speed, memory and growth with their targets.  Prints a table; exits with 0 whatever the figures are,
unless --strict is given: a busy machine is not a defect.  BUILD is the build directory."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
os.chdir(ROOT)
BUILD = os.environ.get("BUILD", "build")
TRAINC = os.path.join(BUILD, "trainc")
HERE = os.path.join(BUILD, "bench")
MEASURE = os.path.join(HERE, "measure")
# Truncating and writing a file takes 0.15 ms on some file systems, a fifth of the time of a small program; that is not
# a cost of trainc.
NOWHERE = os.devnull
# A file system without a journal looks for an inode number that was not used recently, which gets slower with each file
# that a run replaces: it costs a quarter of the time of a run of 1,000 isolated replicas.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# The system caches a copied file in larger pieces than one that a linker wrote, and starts it faster.  Users have
# copies.
INSTALLED = os.path.join(HERE, "trainc")
strict = "--strict" in sys.argv
missed = []
start_up = 0.0                          # milliseconds of processor time that every run costs


def program(name, text):
    path = os.path.join(HERE, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def measure(runs, *arguments):
    """(milliseconds, milliseconds of processor time, MiB) of `trainc ARGUMENTS`, or None when it fails."""
    status = "1" if arguments[-1].endswith("mistakes.tj") else "0"
    done = subprocess.run([MEASURE, str(runs), status, NOWHERE, INSTALLED, *arguments],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    took, cpu, peak = done.stdout.split()
    return int(took) / 1000, int(cpu) / 1000, int(peak) / 1024


def process_start():
    """Prints and returns the milliseconds of a static program that does nothing: the cost of any process."""
    source, empty = os.path.join(HERE, "empty.c"), os.path.join(HERE, "empty")
    with open(source, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-O2", "-static", "-o", empty + ".linked", source], check=True)
    shutil.copy(empty + ".linked", empty)
    done = subprocess.run([MEASURE, "200", "0", NOWHERE, empty], capture_output=True, text=True,
                          check=True)
    ms = int(done.stdout.split()[0]) / 1000
    print(f"{'a static program that does nothing':<44} {ms:8.2f} ms")
    return ms


def row(what, target_ms, target_mib, runs, *arguments):
    got = measure(runs, *arguments)
    if got is None:
        print(f"{what:<44} failed: trainc {' '.join(arguments)}")
        missed.append(what)
        return None
    ms, cpu, mib = got
    ok = ms <= target_ms and (target_mib is None or mib <= target_mib)
    memory = f"{mib:6.1f} MiB of {target_mib:>3}" if target_mib else f"{mib:6.1f} MiB       "
    print(f"{what:<44} {ms:8.2f} ms of {target_ms:>5} (cpu {cpu:7.2f})   {memory}   {'' if ok else 'MISSED'}")
    if not ok:
        missed.append(what)
    return ms


def torch_job(name, loop=""):
    return f"""{loop}job "{name}": pytorch.torchrun {{
  image   = "registry.example.com/ml/mnist:1.4.2"
  command = ["torchrun", "train.py", "--epochs=10"]

  role worker {{
    replicas    = 4
    accelerator = nvidia.a100_40g(8)
    cpu         = 32
    memory      = 256Gi
  }}
}}
"""


IMPORTS = "import std.nvidia\nimport std.pytorch\n\n"


def parameter_servers(workers, ps=20):
    return f"""import std.tensorflow

job "wide": tensorflow.cluster_spec {{
  image   = "registry.example.com/ads/wide-deep:7.1.0"
  command = ["python", "-m", "ads.train"]
  cpu     = 8
  memory  = 32Gi

  role chief  {{ replicas = 1 }}
  role ps     {{ replicas = {ps} }}
  role worker {{ replicas = {workers} }}
}}
"""


def many_jobs(n):
    return IMPORTS + "\n".join(torch_job(f"mnist-{i}") for i in range(n))


def fleet(n):
    return IMPORTS + torch_job("mnist-${i}", f"for i in range({n}) ")


def sweep(n):
    """Jobs that differ in a value, so each has a plan of its own."""
    text = fleet(n).replace('"--epochs=10"]', '"--epochs=10", "--seed=${i}"]\n  env { SEED = "${i}" }')
    assert "SEED" in text
    return text


def many_replicas(n):
    return (IMPORTS + torch_job("wide")).replace("replicas    = 4", f"replicas    = {n}")


def many_roles(n):
    """Without a success rule that names each of them in each object, because that output would grow quadratically."""
    roles = "\n".join(f"  role r{i} {{ replicas = 2 }}" for i in range(n))
    return ('job "roles" {\n  image = "registry.example.com/ml/a:1"\n  command = ["run"]\n  success = done(r0)\n'
            f"  clean = \"all\"\n{roles}\n}}\n")


def in_job(word, lines):
    block = f"  {word} {{\n" + "\n".join("    " + line for line in lines) + "\n  }\n\n  role worker"
    return IMPORTS + torch_job("wide").replace("  role worker", block)


def many_variables(n):
    return in_job("env", (f'NAME_{i} = "value {i}"' for i in range(n)))


def many_references(n):
    return in_job("env", ['NAME_0 = "x"'] + [f'NAME_{i} = pod.env("NAME_{i - 1}")' for i in range(1, n)])


def many_labels(n):
    return in_job("labels", (f'"example.com/l{i}" = "v{i}"' for i in range(n)))


def many_mounts(n):
    return in_job("mounts", (f'"/mnt/{i}" = pvc("claim-{i}", readonly = true)' for i in range(n)))


def many_paths(n):
    """Volumes that would all have the same name."""
    return in_job("mounts", (f'"/mnt/{i}" = host_path("/disks/{i}/data")' for i in range(n)))


def many_ports(n):
    return in_job("ports", (f'"p-{i}" = {1000 + i}' for i in range(n)))


def many_raw(n):
    container = f'raw container {{ env = [{{ name = "v${{i}}", value = "x" }} for i in range({n})] }}'
    pod = f'raw pod {{ volumes = [{{ name = "v${{i}}", emptyDir {{}} }} for i in range({n})] }}'
    return (IMPORTS + torch_job("wide")).replace("    cpu ", f"    {container}\n    {pod}\n    cpu ")


def many_files(n):
    return in_job("files", (f'"/etc/app/{i}.conf" = "x = {i}"' for i in range(n)))


def nested(n):
    """Parentheses and lists nested deeper than a person would ever write, n times."""
    nest = "(" * 50 + "1" + ")" * 50
    deep = "[" * 40 + "1" + "]" * 40
    lets = "\n".join(f"let a{i} = {nest}\nlet b{i} = {deep}" for i in range(n))
    uses = "let total = sum([" + ", ".join(f"a{i} + len(b{i})" for i in range(n)) + "])"
    return IMPORTS + lets + "\n" + uses + "\n" + torch_job("deep-${total}")


def mistakes(n):
    """Every other line is wrong, each with an error of its own."""
    return IMPORTS + "\n".join(f"let a{i} = {i}\nlet b{i} = unknown_{i} + a{i}" for i in range(n // 2)) + "\n"


MANIFEST = """---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: bert-{i}
  namespace: nlp
  labels:
    team: nlp
spec:
  runPolicy:
    cleanPodPolicy: None   # logs are read afterwards
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/nlp/bert:{i}
            command: ["torchrun", "train.py", "--run=$(RUN)", "--master=$(PET_RDZV_ENDPOINT)"]
            env:
            - name: RUN
              value: bert-{i}
            - name: HUB_TOKEN
              valueFrom: {{secretKeyRef: {{name: hub, key: token}}}}
            resources:
              limits: {{example.com/npu: 8, cpu: "32", memory: 256Gi}}
              requests: {{example.com/npu: 8, cpu: "32", memory: 256Gi}}
            volumeMounts:
            - {{name: data, mountPath: /data}}
          volumes:
          - name: data
            persistentVolumeClaim: {{claimName: corpus}}
"""


def manifests(n):
    return "".join(MANIFEST.format(i=i) for i in range(n))


def jobsets(n):
    """One set of many roles that refer to each other by the names of another system, and objects next to them."""
    jobs = "".join(f"""  - name: r{i}
    template: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: "registry.example.com/a:1",
      args: ["all-r{(i + 1) % n}-0-0.all"]}}]}}}}}}}}
""" for i in range(n))
    objects = "".join(f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\ndata: {{a: b}}\n" for i in range(4 * n))
    return f"apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: all}}\nspec:\n  replicatedJobs:\n{jobs}{objects}"


def listing(n):
    """What a cluster lists: events about one pod, Services with their endpoints, claims."""
    items = []
    for i in range(n):
        name = f"mnist-ddp-{i}"
        at = f"2026-01-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}Z"
        labels = {"trainc.dev/job": "mnist-ddp"}
        items += [
            {"kind": "Event", "metadata": {"name": f"e{i}"}, "involvedObject": {"kind": "Pod", "name": "mnist-ddp-worker-0"}, "reason": "BackOff",
             "message": f"m{i % 7}", "type": "Warning", "lastTimestamp": at},
            {"kind": "Service", "metadata": {"name": name, "labels": labels}},
            {"kind": "EndpointSlice", "metadata": {"name": name, "labels": {"kubernetes.io/service-name": name}}, "endpoints": []},
            {"kind": "PersistentVolumeClaim", "metadata": {"name": name, "labels": labels}, "spec": {"storageClassName": "fast"}, "status": {"phase": "Bound"}},
        ]
    return json.dumps({"kind": "List", "items": items})


SUFFIXES = {"import": "yaml", "status": "json"}


def growth(what, make, n, *arguments):
    """Twice the work must cost at most 2.2 times as much.  The fixed cost of a run is subtracted, and the two sizes
    alternate, so that a busy moment affects both."""
    suffix = SUFFIXES.get(arguments[0], "tj")
    files = [program(f"growth-{size}-{make.__name__}.{suffix}", make(size)) for size in (n, 2 * n)]
    least = [None, None]
    for _ in range(4):
        for i, file in enumerate(files):
            got = measure(4, *arguments, file)
            if got is None:
                print(f"{what:<44} failed")
                missed.append(what)
                return
            least[i] = got[1] if least[i] is None else min(least[i], got[1])
    ratio = (least[1] - start_up) / max(0.01, least[0] - start_up)
    print(f"{what:<44} {least[0]:8.2f} ms of cpu, twice {least[1]:8.2f}, {ratio:.2f} times   {'' if ratio <= 2.2 else 'MISSED'}")
    if ratio > 2.2:
        missed.append(what)


def replicas(n):
    return f'job "replicas" {{\n  image = "registry.example.com/a:1"\n  role w {{ replicas = {n}, command = ["/bin/true"] }}\n}}\n'


def starts(n, isolate, seconds, most):
    """Runs that many replicas locally, from start to end, within that many seconds; on a busy or slow machine,
    within that many times the duration of a loop that only forks and executes the same program."""
    what = f"run --local of {n:,} replicas, --isolate {isolate}"
    program(f"replicas-{n}.tj", replicas(n))
    loop, run = [], []
    with tempfile.TemporaryDirectory(prefix="trainc-bench-", dir=MEMORY) as state:
        for _ in range(3):              # alternately, so that a busy moment affects both
            done = subprocess.run([os.path.join(HERE, "forks"), str(n), "/bin/true"], capture_output=True, text=True,
                                  check=True, preexec_fn=many_descriptors)
            loop.append(int(done.stdout) / 1e6)
            began = time.monotonic()
            done = subprocess.run([TRAINC, "run", "--local", "--progress=quiet", "--isolate", isolate,
                                   os.path.join(HERE, f"replicas-{n}.tj")], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=False, preexec_fn=many_descriptors,
                                  env={**os.environ, "TRAINC_STATE_DIR": state})
            run.append(time.monotonic() - began)
            if done.returncode:
                print(f"{what:<44} failed: {done.stderr.strip().splitlines()[-1:]}")
                missed.append(what)
                return
    ratio = min(run) / min(loop)
    ok = min(run) <= seconds or ratio <= most
    print(f"{what:<44} {min(run):8.2f} s of {seconds}, a loop of fork and exec {min(loop):.2f} s, {ratio:.1f} times of {most}   "
          f"{'' if ok else 'MISSED'}")
    if not ok:
        missed.append(what)


def logs(replicas, mib, least):
    """`logs --all` of that many replicas, each of which has printed that many MiB of short lines."""
    what = f"logs --all of {replicas * mib} MiB"
    text = """import sys; [sys.stdout.write(("x" * 99 + "\\n") * 10486) for _ in range(%d)]""" % mib
    program("logs.tj", f'job "logs" {{\n  image = "registry.example.com/a:1"\n  role w {{ replicas = {replicas}, '
            f'command = ["python3", "-c", {json.dumps(text)}] }}\n}}\n')
    rates = []
    with tempfile.TemporaryDirectory(prefix="trainc-bench-") as state:
        environment = {**os.environ, "TRAINC_STATE_DIR": state}
        subprocess.run([TRAINC, "run", "--local", "--progress=quiet", os.path.join(HERE, "logs.tj")], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, env=environment)
        size = sum(os.path.getsize(os.path.join(state, "runs/logs/logs", f"w-{i}.log")) for i in range(replicas))
        for _ in range(3):
            began = time.monotonic()
            subprocess.run([TRAINC, "logs", "--local", "--all", "logs"], stdout=subprocess.DEVNULL, check=True, env=environment)
            rates.append(size / 1e6 / (time.monotonic() - began))
    print(f"{what:<44} {max(rates):8.0f} MB/s of {least}   {'' if max(rates) >= least else 'MISSED'}")
    if max(rates) < least:
        missed.append(what)


def many_descriptors():
    """The loop keeps a pipe for each process."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main():
    global start_up
    os.makedirs(HERE, exist_ok=True)
    subprocess.run(["cc", "-O2", "-static", "-o", MEASURE, "tests/bench/measure.c"], check=True)
    shutil.copy(TRAINC, INSTALLED)

    mnist = program("mnist.tj", IMPORTS + torch_job("mnist-ddp"))
    wide = program("wide.tj", parameter_servers(1000))
    one_fleet = program("fleet.tj", fleet(1000))
    jobs = program("jobs.tj", many_jobs(1000))
    wrong = program("mistakes.tj", mistakes(1000))
    with open("examples/10-volumes-and-raw/vit.tj", encoding="utf-8") as file:
        vit = file.read()
    vits = program("vits.tj", vit.replace('job "vit-l"', 'for i in range(1000) job "vit-${i}"'))
    one_sweep = program("sweep.tj", sweep(1000))

    empty = process_start()
    row("start-up: version", 0.7, 2, 200, "version")
    start_up = measure(50, "version")[1]
    w1 = row("W1: program 4.1", 0.9, 6, 200, "compile", mnist)
    print(f"{'W1 beside a program that does nothing':<44} {w1 / empty:8.2f} times, 1.6 wanted")
    row("W2: 1,021 replicas, unrolled", 20, 16, 10, "compile", "--unroll", wide)
    row("W2: 1,021 replicas, indexed", 4, None, 50, "compile", wide)
    row("W3: 1,000 jobs, a fleet", 15, 32, 40, "compile", one_fleet)
    row("W3: 1,000 jobs, each written out", 22, 32, 40, "compile", jobs)
    row("a sweep of 1,000 jobs, value in args and env", 60, 32, 20, "compile", one_sweep)
    row("check of 1,000 jobs of program 4.10", 60, None, 20, "check", vits)
    row("import of a manifest of 1,000 documents", 1000, None, 10, "import", program("documents.yaml", manifests(1000)))
    row("diagnostics of 1,000 lines, 500 of them wrong", 20, None, 40, "check", "--format", "json", wrong)

    print()
    growth("growth: jobs in a file", many_jobs, 1000, "compile")
    growth("growth: jobs of a fleet", fleet, 1000, "compile")
    growth("growth: jobs of a sweep", sweep, 1000, "compile")
    growth("growth: roles of a job", many_roles, 200, "compile")
    growth("growth: addresses of an indexed role", parameter_servers, 1000, "compile")
    growth("growth: replicas, unrolled", many_replicas, 1000, "compile", "--unroll")
    growth("growth: environment entries", many_variables, 4000, "compile")
    growth("growth: references to variables", many_references, 2000, "compile")
    growth("growth: labels", many_labels, 2000, "compile")
    growth("growth: mounts", many_mounts, 2000, "compile")
    growth("growth: mounts of one name", many_paths, 2000, "compile")
    growth("growth: ports", many_ports, 4000, "compile")
    growth("growth: elements of raw lists", many_raw, 4000, "compile")
    growth("growth: files", many_files, 2000, "compile")
    growth("growth: nesting", nested, 1000, "compile")
    growth("growth: documents of a manifest", manifests, 500, "import")
    growth("growth: roles and objects of a JobSet", jobsets, 400, "import")
    growth("growth: what a cluster lists", listing, 1000, "status", mnist, "--from")

    print()
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-o", os.path.join(HERE, "forks"), "tests/bench/forks.c"], check=True)
    starts(256, "none", 0.2, 3)
    starts(1000, "none", 1.2, 3)
    starts(1000, "replica", 2, 5)

    logs(4, 50, 200)

    size = os.path.getsize(TRAINC) / 2**20
    stripped = os.path.join(HERE, "stripped")
    if subprocess.run(["strip", "-o", stripped, TRAINC], check=False).returncode == 0:
        size = os.path.getsize(stripped) / 2**20
    print(f"\n{'binary, stripped':<44} {size:8.2f} MiB of 8")
    print(f"{len(missed)} missed" + (": " + "; ".join(missed) if missed else ""))
    return 1 if strict and missed else 0


sys.exit(main())
