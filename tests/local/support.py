"""Shared by the Python tests of local runs: a scratch directory, programs, trainc as a process, and what is left of
it."""
import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

TRAINC = os.environ["TRAINC"]
passed = failed = skipped = 0
work = tempfile.mkdtemp()
os.chdir(work)
os.environ["TRAINC_STATE_DIR"] = work + "/state"
for name in ("NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "CI"):
    os.environ.pop(name, None)


def clean():
    subprocess.run([TRAINC, "delete", "--local", "--all", "--yes", "--force"], capture_output=True, timeout=60)
    shutil.rmtree(work, ignore_errors=True)


atexit.register(clean)


def check(ok, what):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL", what)
    return ok


def skip(what):
    global skipped
    skipped += 1
    print("skip", what)


def end():
    print("%d passed, %d failed" % (passed, failed) + (", %d skipped" % skipped if skipped else ""))
    raise SystemExit(failed != 0)


def program(name, roles):
    with open(name + ".tj", "w") as f:
        f.write('job "%s" {\n  image = "registry.example.com/test:1"\n%s\n}\n' % (name, roles))
    return name + ".tj"


def shell(script, more=""):
    return 'role main { command = ["sh", "-c", %s]%s }' % (json.dumps(script).replace("${", "\\${"), more)


def trainc(*arguments, **how):
    how.setdefault("timeout", 60)
    return subprocess.run((TRAINC,) + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace", **how)


def start(*arguments, **how):
    how.setdefault("stdout", subprocess.PIPE)
    how.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen((TRAINC,) + arguments, stdin=subprocess.DEVNULL, **how)


def finish(process, seconds=20):
    """Its exit status and output; it is killed when it takes too long."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        check(False, "it did not end within %d s" % seconds)
    return process.returncode, (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace")


def replicas(job):
    """Processes that were started as replicas of the job, or by them."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = open("/proc/%s/environ" % pid, "rb").read().split(b"\0")
            alive = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            continue
        if alive and any(v.startswith(b"HOSTNAME=%s-" % job.encode()) for v in environment):
            found.append(int(pid))
    return found


def keeper(job):
    return json.load(open("%s/state/runs/%s/state" % (work, job)))["keeper"][0]


def state(job):
    return json.loads(trainc("status", "--local", "-o", "json", job).stdout)["runs"][0]


def within(seconds, condition, what):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return check(False, "not within %g s: %s" % (seconds, what))
        time.sleep(0.02)
    return check(True, what)


def nothing_left(job):
    within(10, lambda: not replicas(job), "no process of %s is left" % job)
