#!/usr/bin/env python3
"""run.py [CASE...] - real frameworks form their clusters from what trainc writes.

Each cases/NAME.tj runs with `trainc run --local --isolate replica`: every replica has a network and a name of its own,
and exactly the environment that `trainc env` prints. A case passes when the job succeeds and its replicas have printed
the expected lines. What cannot be installed here is skipped by name. Frameworks are kept in TRAINC_FRAMEWORKS_CACHE,
outside the tree. """
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CACHE = os.environ.get("TRAINC_FRAMEWORKS_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trainc-frameworks")
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Skip(Exception):
    """The case cannot run here; the text says why."""


# ---- installing the frameworks ----

def interpreter(version):
    """A Python of that version, or any Python when no version is given."""
    places = [shutil.which("python" + version) or "", *sorted(glob.glob(
        os.path.expanduser("~/.pyenv/versions/%s*/bin/python" % version)))] if version else [sys.executable]
    wanted = "import ensurepip, sys, venv; sys.exit(%r not in ('', '%%d.%%d' %% sys.version_info[:2]))" % version
    for place in places:
        if place and subprocess.run([place, "-c", wanted], capture_output=True).returncode == 0:
            return place
    raise Skip("no Python %s with venv here" % (version or "3"))


def pinned(name):
    """The requirements, and the folder for exactly these."""
    pins = os.path.join(HERE, "requirements-%s.txt" % name)
    with open(pins, "rb") as f:
        return pins, os.path.join(CACHE, "%s-%s" % (name, hashlib.sha256(f.read()).hexdigest()[:8]))


def complete(name):
    return os.path.exists(pinned(name)[1] + "/.complete")


def install(folder, *args, **settings):
    env = {**os.environ, "PATH": folder + "/bin:" + SYSTEM, **settings}
    done = subprocess.run([folder + "/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *args],
                          capture_output=True, text=True, env=env)
    if done.returncode:
        raise Skip("pip: " + (done.stderr.strip().splitlines() or ["failed"])[-1])


def venv(name, version="", *options, built={}):
    """The path with a virtual environment of requirements-NAME.txt, created if it does not exist."""
    pins, folder = pinned(name)
    if not complete(name):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(CACHE, exist_ok=True)
        subprocess.run([interpreter(version), "-m", "venv", folder], check=True)
        install(folder, *options, "-r", pins)
        for package, settings in built.items():
            install(folder, "--no-build-isolation", package, **settings)
        open(folder + "/.complete", "w").close()
    return folder + "/bin:" + SYSTEM, {}


def debian(present, *packages):
    """PATH, if a command of the packages works."""
    def works():
        return subprocess.run(present, shell=True, capture_output=True, env={"PATH": SYSTEM}).returncode == 0
    if not works():
        if os.geteuid() == 0 and shutil.which("apt-get"):
            for args in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *packages]):
                subprocess.run(["apt-get", *args], capture_output=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if not works():
            raise Skip("needs the Debian packages " + " ".join(packages))
    return SYSTEM, {}


def ssh():
    """PATH, with an ssh server."""
    if os.geteuid():
        raise Skip("its workers are ssh servers, which need root")
    os.makedirs("/run/sshd", exist_ok=True)
    return debian("test -x /usr/sbin/sshd && which ssh-keygen", "openssh-server", "openssh-client")


def openmpi():
    """PATH, and the volume with the C program."""
    ssh()
    path, _ = debian("mpirun.openmpi --version && mpicc.openmpi --version", "openmpi-bin", "libopenmpi-dev")
    folder = os.path.join(CACHE, "built-openmpi")
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["mpicc.openmpi", "-O1", "-o", folder + "/mpi_ring", os.path.join(HERE, "programs", "mpi_ring.c")], check=True)
    return path, {"programs": folder}


def mpich():
    """Debian's MPICH (4.0) reaches other machines through UCX, with which half of its runs never end; this one does
    not use UCX."""
    ssh()
    return venv("mpich")


def horovod():
    """Horovod is built from source, which takes ten minutes and is done only on request."""
    if os.environ.get("TRAINC_FRAMEWORKS_ALL") != "1" and not complete("horovod"):
        raise Skip("takes ten minutes to build; TRAINC_FRAMEWORKS_ALL=1 does it")
    parts = {"HOROVOD_WITH_" + part: "1" for part in ("TENSORFLOW", "GLOO")}
    parts.update({"HOROVOD_WITHOUT_" + part: "1" for part in ("MPI", "PYTORCH", "MXNET")})
    return venv("horovod", "3.10", built={"horovod==0.28.1": parts})


def intel():
    ssh()
    return venv("intel")


def spark():
    path, _ = venv("spark")
    debian("java -version", "openjdk-17-jre-headless")
    home = subprocess.run(["python", "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"], check=True,
                          capture_output=True, text=True, env={"PATH": path}).stdout.strip()
    return path, {"spark": home}


def torch():
    return debian("/usr/bin/python3 -c 'import torch.distributed'", "python3-torch")


# Case, where its programs are found, what they print when the cluster is complete and how often, and the time limit in
# seconds.
CASES = [
    ("jax", lambda: venv("jax"), "process of 2: OK", 2, 60),
    ("jax_bare", lambda: venv("jax"), "process of 2: OK", 2, 60),
    ("openmpi", openmpi, "rank of 4: OK", 4, 60),
    ("mpich", mpich, "rank of 4: OK", 4, 60),
    ("intel", intel, "rank of 4: OK", 4, 90),
    ("lightgbm", lambda: venv("lightgbm"), "machine of 3: OK", 3, 60),
    ("lightgbm_list", lambda: venv("lightgbm"), "machine of 3: OK", 3, 60),
    ("mxnet", lambda: venv("mxnet", "3.8"), "worker of 2: OK", 2, 60),
    ("tensorflow_mirrored", lambda: venv("tensorflow"), "worker of 2: OK", 2, 300),
    ("tensorflow_servers", lambda: venv("tensorflow"), "cluster chief ps worker: OK", 2, 300),
    ("tensorflow_dynamic", lambda: venv("tensorflow"), "sparse cluster: OK", 3, 300),
    ("torch_env", torch, "rank of 3: OK", 3, 120),
    ("torchrun", torch, "rank of 4: OK", 4, 120),
    ("torch_elastic", torch, "rank of 2: OK", 2, 120),
    ("xgboost", lambda: venv("xgboost", "", "--no-deps"), "task of 2: OK", 2, 90),
    ("paddle", lambda: venv("paddle"), "trainer of 2: OK", 2, 90),
    ("paddle_ps", lambda: venv("paddle"), "trainer of 2, 2 servers: OK", 2, 90),
    ("dask", lambda: venv("dask"), "2 workers: OK", 1, 90),
    ("horovod", horovod, "horovod of 2: OK", 2, 120),
    ("spark", spark, "2 executors: OK", 1, 400),
    ("ray", lambda: venv("ray"), "2 nodes: OK", 1, 300),
]


# ---- one case ----

def run(program, path, volumes, seconds, folder):
    """Runs a program to completion; returns its exit status (None: time limit) and its whole output."""
    env = {"PATH": path, "HOME": os.path.expanduser("~"), "LANG": "C.UTF-8", "TRAINC_STATE_DIR": folder + "/state"}
    mounts = [word for name, there in volumes.items() for word in ("--mount", "%s=%s" % (name, there))]
    argv = [os.environ["TRAINC"], "run", "--local", "--isolate", "replica", *mounts, program]
    with open(folder + "/log", "w") as log:
        child = subprocess.Popen(argv, cwd=os.path.join(HERE, "programs"), env=env, stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=subprocess.STDOUT)
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
            child.terminate()
            try:
                child.wait(60)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
    with open(folder + "/log", errors="replace") as log:
        return status, log.readlines()


def attempt(name, place, said, times, seconds, folder):
    """Runs a case; returns the reason for a failure, or an empty text."""
    path, volumes = place()
    status, lines = run(os.path.join(HERE, "cases", name + ".tj"), path, volumes, seconds, folder)
    refused = [line.strip() for line in lines if "cannot isolate" in line]
    if status == 3 and refused:
        raise Skip(refused[0])
    if status is None:
        return "not finished in %d s" % seconds
    if status:
        return "exit status %d" % status
    heard = sum(said in line for line in lines)
    return "" if heard == times else "'%s' was said %d times, not %d" % (said, heard, times)


def main(wanted):
    os.environ.setdefault("TRAINC", os.path.join(ROOT, os.environ.get("BUILD", "build"), "trainc"))
    if not os.access(os.environ["TRAINC"], os.X_OK):
        sys.exit("no program at %s: run make first" % os.environ["TRAINC"])
    passed = failed = skipped = 0
    for name, *rest in CASES:
        if wanted and name not in wanted:
            continue
        began = time.time()
        with tempfile.TemporaryDirectory(prefix="trainc-", ignore_cleanup_errors=True) as folder:
            try:
                why = attempt(name, *rest, folder)
            except Skip as reason:
                skipped += 1
                print("skip %s: %s" % (name, reason), flush=True)
                continue
            if why:
                failed += 1
                print("FAIL %s: %s" % (name, why))
                if os.path.exists(folder + "/log"):
                    with open(folder + "/log") as log:
                        print("".join("     " + line for line in log.readlines()[-60:]), end="", flush=True)
            else:
                passed += 1
                print("ok   %s (%.1f s)" % (name, time.time() - began), flush=True)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
