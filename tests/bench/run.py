#!/usr/bin/env python3
"""Speed and memory beside their targets (language brief, section 19), and growth.

Prints a table; exits 0 whatever the figures are, unless --strict is given: a
busy machine is not a defect.  BUILD is the build directory.
"""
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
os.chdir(ROOT)
BUILD = os.environ.get("BUILD", "build")
TRAINC = os.path.join(BUILD, "trainc")
HERE = os.path.join(BUILD, "bench")
MEASURE = os.path.join(HERE, "measure")
strict = "--strict" in sys.argv
missed = []


def program(name, text):
    path = os.path.join(HERE, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def measure(runs, *arguments):
    """(milliseconds, of processor, MiB) of `trainc ARGUMENTS`, or None when it fails."""
    done = subprocess.run([MEASURE, str(runs), os.path.join(HERE, "out"), TRAINC, *arguments],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    took, cpu, peak = done.stdout.split()
    return int(took) / 1000, int(cpu) / 1000, int(peak) / 1024


def row(what, target_ms, target_mib, runs, *arguments):
    got = measure(runs, *arguments)
    if got is None:
        print(f"{what:<44} failed: trainc {' '.join(arguments)}")
        missed.append(what)
        return
    ms, cpu, mib = got
    ok = ms <= target_ms and (target_mib is None or mib <= target_mib)
    memory = f"{mib:6.1f} MiB of {target_mib:>3}" if target_mib else f"{mib:6.1f} MiB       "
    print(f"{what:<44} {ms:8.2f} ms of {target_ms:>5} (cpu {cpu:7.2f})   {memory}   {'' if ok else 'MISSED'}")
    if not ok:
        missed.append(what)


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


def many_replicas(n):
    return (IMPORTS + torch_job("wide")).replace("replicas    = 4", f"replicas    = {n}")


def many_variables(n):
    lines = "\n".join(f'    NAME_{i} = "value {i}"' for i in range(n))
    return IMPORTS + torch_job("wide").replace("  role worker", "  env {\n" + lines + "\n  }\n\n  role worker")


def deep(n):
    """Nesting, n times as deep as a person would."""
    nest = "(" * 50 + "1" + ")" * 50
    lets = "\n".join(f"let a{i} = {nest}" for i in range(n))
    uses = "let total = sum([" + ", ".join(f"a{i}" for i in range(n)) + "])"
    return IMPORTS + lets + "\n" + uses + "\n" + torch_job("deep-${total}")


def growth(what, make, n, *arguments):
    """Twice the work must cost at most 2.2 times as much."""
    times = []
    for size in (n, 2 * n):
        got = measure(7, *arguments, program(f"growth-{size}.tj", make(size)))
        if got is None:
            print(f"{what:<44} failed")
            missed.append(what)
            return
        times.append(got[1])
    ratio = times[1] / times[0]
    print(f"{what:<44} {times[0]:8.2f} ms of cpu, twice {times[1]:8.2f}, {ratio:.2f} times   {'' if ratio <= 2.2 else 'MISSED'}")
    if ratio > 2.2:
        missed.append(what)


def main():
    os.makedirs(HERE, exist_ok=True)
    subprocess.run(["cc", "-O2", "-static", "-o", MEASURE, "tests/bench/measure.c"], check=True)

    mnist = program("mnist.tj", IMPORTS + torch_job("mnist-ddp"))
    wide = program("wide.tj", parameter_servers(1000))
    fleet = program("fleet.tj", IMPORTS + torch_job("mnist-${i}", "for i in range(1000) "))
    jobs = program("jobs.tj", many_jobs(1000))
    with open("examples/10-volumes-and-raw/vit.tj", encoding="utf-8") as file:
        vit = file.read()
    vits = program("vits.tj", vit.replace('job "vit-l"', 'for i in range(1000) job "vit-${i}"'))

    row("start-up: version", 0.7, 2, 200, "version")
    row("W1: program 4.1", 1.5, 6, 200, "compile", mnist)
    row("W2: 1,021 replicas, unrolled", 60, 16, 10, "compile", "--unroll", wide)
    row("W2: 1,021 replicas, indexed", 4, None, 50, "compile", wide)
    row("W3: 1,000 jobs, a fleet", 30, 32, 10, "compile", fleet)
    row("W3: 1,000 jobs, each written out", 30, 32, 10, "compile", jobs)
    row("check of 1,000 jobs of program 4.10", 100, None, 5, "check", vits)

    print()
    growth("growth: jobs in a file", many_jobs, 1000, "compile")
    growth("growth: addresses of an indexed role", parameter_servers, 1000, "compile")
    growth("growth: replicas, unrolled", many_replicas, 500, "compile", "--unroll")
    growth("growth: environment entries", many_variables, 4000, "compile")
    growth("growth: nesting", deep, 1000, "compile")

    size = os.path.getsize(TRAINC) / 2**20
    stripped = os.path.join(HERE, "stripped")
    if subprocess.run(["strip", "-o", stripped, TRAINC], check=False).returncode == 0:
        size = os.path.getsize(stripped) / 2**20
    print(f"\n{'binary, stripped':<44} {size:8.2f} MiB of 8")
    print(f"{len(missed)} missed" + (": " + "; ".join(missed) if missed else ""))
    return 1 if strict and missed else 0


sys.exit(main())
