"""Hostile manifests: each run ends quickly, with little memory, and with the status and the message that are listed
here."""
import os
import resource
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
MEMORY = 3072 * 2**20 if "asan" not in TRAINC else resource.RLIM_INFINITY
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: a
        image: registry.example.com/a:1
"""
SET = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\nspec:\n  replicatedJobs:\n"
ROLE = '  - {name: r%d, template: {spec: {template: {spec: {containers: [{name: a, image: "registry.example.com/b:1"}]}}}}}\n'


def aliases():
    """Ten billion elements in half a page."""
    return "x0: &x0 [" + ",".join("a" * 10) + "]\n" + "".join(f"x{i}: &x{i} [{','.join([f'*x{i - 1}'] * 10)}]\n" for i in range(1, 10))


def field(text):
    return JOB + f"        {text}\n"


RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: a}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "registry.example.com/a:1"}]}}}
"""
POD = """---
apiVersion: v1
kind: Pod
metadata: {name: p%d, namespace: %s}
spec: {restartPolicy: Never, containers: [{name: a, image: "registry.example.com/a:1"}]}
"""
PYTORCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: p%d}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {restartPolicy: Never, containers: [{name: pytorch, image: "registry.example.com/a:1"}]}}
---
"""


# what, bytes or text, status, expected words; megabytes that are enough, options
CASES = [
    ("aliases that explode", "apiVersion: batch/v1\nkind: Job\n" + aliases() + "metadata: {name: a}\nspec: *x9\n", 1, "too large"),
    ("an alias within itself", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &d\n  c: *d\n", 1, "contains it"),
    ("a long list", field("args: [" + ",".join(["a"] * 300000) + "]"), 1, "100000 elements"),
    ("many variables", JOB + "        env:\n" + "".join(f"        - {{name: V{i}, value: x}}\n" for i in range(30000)), 0, ""),
    ("many documents of nothing", "---\n" * 30000, 1, "no manifest"),
    ("many objects of no kind", "".join(f"---\napiVersion: a/v1\nkind: B{i}\n" for i in range(3000)), 1, "is not a kind"),
    ("many objects", JOB + "".join(f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\n" for i in range(3000)), 0, ""),
    ("many roles", SET + "".join(ROLE % i for i in range(1000)), 0, ""),
    ("roles that differ in case and signs", SET + "".join(ROLE.replace("r%d", name) for name in ("a-b", "a.b", "a_b")), 1, "DNS|name"),
    ("a key twice", field("image: b"), 1, "appears twice"),
    ("a tab", JOB.replace("  template", "\ttemplate"), 1, "tab"),
    ("NUL in a text", JOB.replace("name: a", 'name: "a\0b"', 1), 1, "control characters"),
    ("NUL behind", JOB + "\0\n", 1, "control characters"),
    ("deep brackets", "apiVersion: batch/v1\nkind: Job\nmetadata: " + "[" * 100000 + "]" * 100000, 1, "nested too deeply"),
    ("deep blocks", "apiVersion: v1\nkind: Job\nmetadata:\n" + "".join(" " * (i + 1) + "a:\n" for i in range(2000)), 1, "nested too deeply"),
    ("deep JSON", '{"a":' * 100000 + "1" + "}" * 100000, 1, "nested too deeply"),
    ("deep lists of objects", "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"{'  ' * i}- apiVersion: v1\n{'  ' * i}  kind: List\n{'  ' * i}  items:\n" for i in range(500)), 1, "nested too deeply"),
    ("a line of 5 MB", field('command: ["' + "x" * 5 * 10**6 + '"]'), 1, "Linux allows"),
    ("a comment of 5 MB", "#" + "x" * 5 * 10**6 + "\n" + JOB, 0, ""),
    ("a key of 5 MB", "x" * 5 * 10**6 + ": 1\n", 1, "apiVersion"),
    ("many comments", JOB + "".join(f"# c{i}\n" for i in range(30000)), 0, ""),
    ("bytes that are no UTF-8", field('command: ["').encode() + b'\xff\xfe"]\n', 1, "UTF-8"),
    ("UTF-16", JOB.encode("utf-16"), 1, "UTF-8"),
    ("a byte order mark", "\ufeff" + JOB, 0, ""),
    ("a byte order mark before JSON", '\ufeff{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"restartPolicy": "Never", '
     '"containers": [{"name": "a", "image": "registry.example.com/a:1"}]}}', 0, ""),
    ("CRLF", JOB.replace("\n", "\r\n"), 0, ""),
    ("CR", JOB.replace("\n", "\r"), 0, ""),
    ("marks of documents", "---\n---\n# nothing\n--- # here\n" + JOB + "...\n---\n...\n", 0, ""),
    ("a document on the line of its mark", "--- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {restartPolicy: Never, "
     "containers: [{name: a, image: b}]}}\n---\n", 0, ""),
    ("no line end at the end", JOB.rstrip("\n"), 0, ""),
    ("a directive", "%YAML 1.1\n---\n" + JOB, 0, ""),
    ("a directive of the future", "%YAML 2.0\n---\n" + JOB, 1, "incompatible"),
    ("nothing", "", 1, "is empty"),
    ("only a comment", "# only\n", 1, "no manifest"),
    ("a word", "hello\n", 1, "an object is a map"),
    ("a list", "- a\n", 1, "an object is a map"),
    ("a list as a key", "? [a, b]\n: c\n", 1, "a key is a word"),
    ("merged keys", "a: &a {x: 1}\n" + field("<<: *a"), 0, "no field 'x'"),
    ("yes", JOB.replace("spec:\n", "spec:\n  suspend: yes\n", 1), 0, ""),
    ("an octal number", JOB.replace("spec:\n", "spec:\n  backoffLimit: 010\n", 1), 0, ""),
    ("a sexagesimal number", JOB.replace("spec:\n", "spec:\n  backoffLimit: 1:30\n", 1), 1, "found a text"),
    ("a number that is none", JOB.replace("spec:\n", "spec:\n  backoffLimit: .nan\n", 1), 1, "not finite"),
    ("a number that is too large", JOB.replace("spec:\n", "spec:\n  backoffLimit: 9223372036854775808\n", 1), 1, "whole number"),
    ("no as a text", field("env: [{name: A, value: no}]"), 1, "found false"),
    ("a date as a text", field("env: [{name: A, value: 2001-01-01}]"), 0, ""),
    ("a tag", field("env: [{name: A, value: !!binary aGk=}]"), 1, "tag"),
    ("null everywhere", "apiVersion: batch/v1\nkind: Job\nmetadata: null\nspec: null\nstatus: null\n", 1, "name"),
    ("nothing in a JobSet", "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\nspec:\n  replicatedJobs: [{}, null, {name: a}]\n", 1, ""),
    ("nothing in a Volcano job", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec: {tasks: [{}, {name: a}], plugins: {svc: null, mpi: []}}\n", 1, ""),
    ("a TrainJob of nothing", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec: {}\n", 1, "runtimeRef"),
    ("many variables of a trainer", RUNTIME + "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n"
     "  runtimeRef: {name: a}\n  trainer:\n    env:\n" + "".join(f"    - {{name: V{i}, value: x}}\n" for i in range(10000)), 0, "", 200, []),
    ("more jobs than a program has, a warning each", "".join(PYTORCH % i for i in range(40000)), 1, "more than 10000 jobs", 256, []),
    ("many brackets that stay open", field('command: ["' + "$(" * 50000 + '"]'), 0, "", 500, []),
    ("many programs, two of one name", "".join(POD % (i, "a") for i in range(1500)) + POD % (0, "b"), 3, "cannot make", 200, ["--output-dir", "/dev/null/a"]),
]


def limits(megabytes):
    """Called in the child process."""
    most = min(MEMORY, megabytes * 2**20) if MEMORY != resource.RLIM_INFINITY else MEMORY
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        for what, text, status, words, *more in CASES:
            megabytes, options = more or (3072, [])
            with open(f"{work}/a.yaml", "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
            try:
                done = subprocess.run([TRAINC, "import", *options, f"{work}/a.yaml"], capture_output=True, check=False, timeout=60, preexec_fn=limits(megabytes))
            except subprocess.TimeoutExpired:
                done = None
            said = done.stderr.decode(errors="replace") if done else "it does not end"
            ok = done and done.returncode == status and any(word in said for word in words.split("|")) and (status != 1 or ": error: " in said)
            passed += bool(ok)
            failed += not ok
            if not ok:
                print(f"FAIL {what}: status {done.returncode if done else None}, not {status}; said: {said[:400]}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
