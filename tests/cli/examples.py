"""Every field, function, unit and framework that `trainc explain` knows shows an example, and every example
compiles."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRAINC = os.environ["TRAINC"]
DECLARATION = re.compile(r"^(import|param|let|fn|type|profile|test|framework|accelerator|job)\b", re.M)
JOB = 'job "x" {\n  image = "registry.example.com/x:1"\n%s  role main { replicas = 2, cpu = 1, memory = 4Gi }\n}\n'
FILES = {"policies/images.tj": 'policy "images" {\n  check true else "never"\n}\n'}
counts = {"passed": 0, "failed": 0}


def check(what, problem):
    counts["failed" if problem else "passed"] += 1
    if problem:
        print("FAIL %s\n%s" % (what, str(problem)[:1500]))


def explain(topic):
    return subprocess.run([TRAINC, "explain", topic], capture_output=True, text=True, timeout=60).stdout


def indented(text, heading, width):
    """The indented blocks below lines that equal the heading."""
    for m in re.finditer(r"^%s\n\n((?:(?: {%d}.*)?\n)+)" % (heading, width), text, re.M):
        yield "\n".join(line[width:] for line in m[1].rstrip("\n").split("\n")) + "\n"


def program(code):
    """(text of job.tj, text of project.tj or None)"""
    if code.startswith("project"):
        return JOB % "", code
    if DECLARATION.match(code):
        return code if re.search(r"^job ", code, re.M) else code + JOB % "", None
    if re.search(r"^role ", code, re.M):
        return 'job "x" {\n  image = "registry.example.com/x:1"\n%s}\n' % code, None
    return JOB % code, None


def compiles(code):
    job, project = program(code)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"job.tj": job, "project.tj": project, **(FILES if project else {})}.items():
            if text:
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text)
        command = "test" if re.search(r"^test ", job, re.M) else "check"
        target = re.search(r"^# trainc compile (--target \w+)$", job, re.M)     # only some targets can express it
        done = subprocess.run([TRAINC, command] + (target[1].split() if target else []) + ["job.tj"], cwd=folder, capture_output=True, text=True, timeout=60)
    if project and "packages" in project and "TJ0214" in done.stderr:
        return None             # a package has to be locked, by its hash
    return done.returncode and job + done.stdout + done.stderr


def topics(table, macro, group):
    with open(os.path.join(ROOT, "grammar", table), encoding="utf-8") as f:
        return sorted({m[group] for m in re.finditer(macro, f.read(), re.M)})


def words():
    for topic in topics("vocabulary.def", r'^(?:FIELD|FUNCTION)\([A-Z_0-9]+, "(\w+)"', 1) + topics("vocabulary.def", r'^UNIT\("(\w+)"', 1):
        text = explain(topic)
        parts = re.split(r"^(?=\w+: (?:field of|function|unit))", text, flags=re.M)
        mine = [p for p in parts if re.match(r"%s: (field of|function|unit)" % topic, p)]
        check("explain %s answers" % topic, not mine)
        for part in mine:
            examples = list(indented(part, "Example", 2))
            check("%s has an example" % part.split("\n")[0], not examples)
            for code in examples:
                check("the example of %s" % part.split("\n")[0], compiles(code))


def frameworks():
    folder = os.path.join(ROOT, "stdlib", "std")
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding="utf-8") as f:
            names = re.findall(r"^framework ([a-z]\w*)", f.read(), re.M)
        for name in names:
            full = "%s.%s" % (file[:-3], name)
            examples = list(indented(explain(full), "Example:", 4))
            check("%s has one example" % full, len(examples) != 1)
            for code in examples:
                check("the example of " + full, compiles("import std.%s\n\n%s" % (file[:-3], code)))


words()
frameworks()
print("%(passed)d passed, %(failed)d failed" % counts)
sys.exit(bool(counts["failed"]))
