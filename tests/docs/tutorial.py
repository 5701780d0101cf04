"""tutorial.py TRAINC - does what docs/tutorial.md says, in its order, in an empty directory, and then the first run of
docs/local.md.

A ```tj block is written to job.tj.  A ```sh block is run by a shell; what the block without a language after it shows must
be printed, line by line and in this order, except for lines that are "…"; TIME stands for a time. A line may end with "…".
A block "sh cluster" runs against the stand-in for an API server in tests/cluster.  A command that fails must have a name
below FAILS."""
import os
import re
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cluster"))
from world import World  # noqa: E402

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
FAILS = {"trainc check job.tj": 1, "trainc run --local job.tj": 8}


def pattern(line):
    text = re.escape(line.rstrip("…")).replace("TIME", r"\S+( \S+)?")
    return re.compile(text + ("" if line.endswith("…") else r"\s*$"))


def shown(wanted, printed):
    """The first wanted line that was not printed in its place, or None."""
    lines, at = printed.splitlines(), 0
    for line in wanted.splitlines():
        if line.strip() == "…":
            continue
        form = pattern(line)
        while at < len(lines) and not form.match(lines[at]):
            at += 1
        if at == len(lines):
            return line
        at += 1
    return None


def run(w, words, env, out):
    done = subprocess.run(["sh", "-c", words], cwd=w.dir, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    out.append(done.stdout)
    return done.returncode


def finish(w):
    """What the cluster does while `wait` waits: the Job succeeds."""
    w.run_job("default", w.get("jobs", "hello-worker"), "Succeeded")


def main(trainc):
    w, passed, bad, out = World(), 0, [], []
    try:
        w.put("nodes", "", {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                                                                  "conditions": [{"type": "Ready", "status": "True"}]}})
        os.mkdir(os.path.join(w.dir, "bin"))
        os.symlink(trainc, os.path.join(w.dir, "bin/trainc"))
        local = dict(os.environ, HOME=w.dir, TRAINC_STATE_DIR=os.path.join(w.dir, "state"), PATH=os.path.join(w.dir, "bin") + ":" + os.environ["PATH"])
        cluster = dict(w.environment(), PATH=local["PATH"])
        with open("docs/tutorial.md", encoding="utf-8") as f:
            blocks = FENCE.findall(f.read())
        with open("docs/local.md", encoding="utf-8") as f:
            blocks += FENCE.findall(f.read())[:3]       # the first run
        for kind, text in blocks:
            if kind == "tj":
                w.write("job.tj", text)
            elif kind.startswith("sh"):
                out = []
                for words in text.splitlines():
                    timer = threading.Timer(0.5, finish, [w]) if words == "trainc wait hello" else None
                    if timer:
                        timer.start()
                    code = run(w, words, cluster if kind == "sh cluster" else local, out)
                    if code not in (0, FAILS.get(words, 0)):
                        bad.append("'%s' exits with %d\n%s" % (words, code, out[-1]))
                    passed += 1
            else:
                missing = shown(text, "".join(out))
                passed += missing is None
                if missing is not None:
                    bad.append("not printed: %s\nbut\n%s" % (missing, "".join(out)))
    finally:
        w.close()
    for what in bad:
        print("FAIL docs/tutorial.md: " + what)
    print("%d passed, %d failed" % (passed, len(bad)))
    return 1 if bad or passed < 20 else 0


sys.exit(main(sys.argv[1]))
