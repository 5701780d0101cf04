"""large.py - large files, whatever they contain: a command refuses them within a second and 512 MiB.  The time limit
here is generous, since other programs run at the same time; without a limit, files of 50 MB took 3 to 30 seconds
and up to 2.8 GB.  Under the sanitizers fewer are read, and only the messages are checked."""
import os
import resource
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
SANITIZED = "asan" in TRAINC or "asan" in os.environ.get("BUILD", "")
BYTES = 50_000_000
SECONDS, MIB = 4, 512

PROGRAM = b'job "a" { image = "r.example.com/i:1", role w { replicas = 1, command = ["x"] } }\n'
JOB = b"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      template:
        spec:
          containers:
          - name: pytorch
            image: i:1
"""
DEFINITION = b"""apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
"""
CONFIG_MAP = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n"


def many(piece):
    return piece * (BYTES // len(piece) + 1)


IMPORT, JUDGE = "import m.yaml", "status a.tj --from l.json"
YAML, JSON = "check a.tj --params p.yaml", "check a.tj --params p.json"
DENSE = "too many values"
ROWS = [
    # the case, the command, the file and its content (None: 50 MB that can be created instantly), the message; True:
    # also under the sanitizers
    ("a program", "check b.tj", "b.tj", None, "is larger than 8 MiB", True),
    ("a program to format", "fmt --check b.tj", "b.tj", None, "is larger than 8 MiB", True),
    ("a program to dump", "dump --tokens b.tj", "b.tj", None, "is larger than 8 MiB", True),
    ("a project", "check a.tj", "project.tj", None, "is larger than 1 MiB", True),
    ("parameters of YAML", YAML, "p.yaml", None, "is larger than 4 MiB", True),
    ("parameters of JSON", JSON, "p.json", None, "is larger than 4 MiB", True),
    ("a kubeconfig", "list --kubeconfig k", "k", None, "is larger than 8 MiB", True),
    ("manifests", IMPORT, "m.yaml", None, "is larger than 32 MiB", False),
    ("definitions", "vendor crd m.yaml", "m.yaml", None, "is larger than 32 MiB",
     False),
]
# below the limit of bytes: 16 MB are enough to reach each of the other limits
BELOW = [
    ("saved objects of YAML", JUDGE, "l.json", lambda: many(b"- a\n"), DENSE, True),
    ("saved objects of JSON", JUDGE, "l.json", lambda: b'{"kind":"List","items":[' + many(b"{},") + b"{}]}", DENSE, False),
    ("manifests of other kinds", IMPORT, "m.yaml", lambda: many(CONFIG_MAP), "more than 50000 objects", True),
    ("an object without an end", IMPORT, "m.yaml", lambda: JOB + b"            command: [sh, -c, '" + many(b"x") + b"']\n",
     "this object is larger than 8 MiB", True),
    ("comments", IMPORT, "m.yaml", lambda: JOB + many(b"# c\n") + b"            command: [x]\n", "more than 500000 comments", True),
    ("arguments", IMPORT, "m.yaml", lambda: JOB + b"            args:\n" + many(b"            - x\n"), "", False),
    ("properties", "vendor crd m.yaml", "m.yaml", lambda: DEFINITION + many(b"          p: {type: string}\n"), DENSE, False),
]


def cost(command, name, content):
    """Status, output, processor seconds and MiB of one command that reads a file NAME with CONTENT."""
    with tempfile.TemporaryDirectory() as place:
        for path, text in (("a.tj", PROGRAM), ("project.tj", b"project { }\n"), (name, content)):
            with open(os.path.join(place, path), "wb") as f:
                f.write(text or b"")
                f.truncate(BYTES if text is None else len(text))
        with open(os.path.join(place, "said"), "wb") as said:
            child = subprocess.Popen([TRAINC, *command.split()], cwd=place, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                     env={"PATH": os.environ["PATH"], "HOME": place, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")},
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)))
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        with open(os.path.join(place, "said"), "rb") as said:
            return child.returncode, said.read(1 << 20).decode(errors="replace"), used.ru_utime + used.ru_stime, used.ru_maxrss >> 10


def judge(rows):
    failed = passed = 0
    for title, command, name, make, says, always in rows:
        if SANITIZED and not always:
            continue
        status, said, seconds, mib = cost(command, name, make and make())
        wrong = [] if status in (1, 3) else ["status %d" % status]
        if says not in said:
            wrong.append("does not say %r but %s" % (says, said[:300]))
        if not SANITIZED and (seconds > SECONDS or mib > MIB):
            wrong.append("%.1f s of processor time and %d MiB; at most %d and %d" % (seconds, mib, SECONDS, MIB))
        for w in wrong:
            print("FAIL %s (%s): %s" % (title, command, w))
        failed += bool(wrong)
        passed += not wrong
        if os.environ.get("VERBOSE"):
            print("%-28s %5.2f s %5d MiB" % (title, seconds, mib))
    return passed, failed


first = judge(ROWS)
BYTES = 16_000_000
second = judge(BELOW)
print("%d passed, %d failed" % (first[0] + second[0], first[1] + second[1]))
sys.exit(first[1] + second[1] > 0)
