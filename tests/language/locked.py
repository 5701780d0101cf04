"""locked.py - a command or arguments of the job in a role that the framework starts itself (TJ0537): every such role of the library, set in each
place from which a value can come.  Each help is followed: the program that results starts what was meant, in the role that the help names."""
import glob
import json
import os
import re
import subprocess
import tempfile

from table import TRAINC, Table

t = Table()
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORDS = '["python", "t.py"]'
# Framework, its roles, those that it starts, and where the program belongs.
LIBRARY = [
    ("ray.cluster", "head worker", {"head": "command", "worker": "command args"}, ("head", "args")),
    ("ray.groups", "head small large", {"head": "command", "small": "command args", "large": "command args"}, ("head", "args")),
    ("dask.cluster", "scheduler worker", {"scheduler": "command", "worker": "command args"}, ("scheduler", "args")),
    ("mpi.openmpi", "launcher worker", {"worker": "command args"}, ("launcher", "command")),
    ("mpi.mpich", "launcher worker", {"worker": "command args"}, ("launcher", "command")),
    ("mpi.intel", "launcher worker", {"worker": "command args"}, ("launcher", "command")),
    ("horovod.mpi", "launcher worker", {"worker": "command args"}, ("launcher", "command")),
    ("horovod.gloo", "launcher worker", {"launcher": "command args"}, ("worker", "command")),
    ("spark.standalone", "master worker driver", {"master": "command args", "worker": "command args"}, ("driver", "command")),
]
# The workers of these run what the manifest says, as with the operator; the launcher's command there is a warning (TJ0538).
OWN_SERVER = {"mpi.operator", "kubeflow.mpijob"}


def program(framework, roles, job="", at=None, inside="", head=""):
    lines = ["import std." + framework.split(".")[0], head, 'job "j": %s {' % framework, '  image = "r.example.com/a:1"']
    lines += ["  " + job] if job else []
    for r in roles.split():
        lines.append("  role %s { cpu = 1, memory = 1Gi%s }" % (r, ", " + inside if r == at else ""))
    return "\n".join(lines + ["}", ""])


def started(text, role):
    """The words with which the main container of the role starts."""
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "a.tj"), "w") as f:
            f.write(text)
        done = subprocess.run([TRAINC, "compile", "-o", "json", "a.tj"], cwd=place, capture_output=True, timeout=60)
        for o in json.loads(done.stdout or b'{"items": []}')["items"]:
            if o["kind"] == "Job" and o["metadata"]["name"].startswith("j-" + role):
                main = o["spec"]["template"]["spec"]["containers"][0]
                return main.get("command", []) + main.get("args", [])
    return None


for framework, roles, locked, (target, field) in LIBRARY:
    for name in ("command", "args"):
        hit = [r for r in roles.split() if name in locked.get(r, "").split()]
        if not hit:
            continue
        value = "%s = %s" % (name, WORDS)
        subject = "%s: %s of the job" % (framework, name)
        moved = "role %s { %s = %s }" % (target, field, WORDS)
        t.case(subject, program(framework, roles, value), ["TJ0537", "a.tj:5:3", moved], lacks="internal", status=1)
        # The help, followed.
        fixed = program(framework, roles, "", target, "%s = %s" % (field, WORDS))
        words = started(fixed, target)
        t.note(subject + ", as the help says", "" if words and words[-2:] == ["python", "t.py"] else "starts %r" % words)
        for r in hit:
            if field == "args" and r == target:
                others = ["write 'args' in place of 'command'"]
            else:
                others = ["remove it"]
            t.case("%s: %s of role %s" % (framework, name, r), program(framework, roles, "", r, value), ["TJ0537"] + others, status=1)
            words = started(program(framework, roles, "", target, "%s = %s" % (field, WORDS)), r)
            t.note("%s: role %s keeps its own command" % (framework, r),
                   "" if words and (r == target or "t.py" not in words) else "starts %r" % words)
        t.case(subject + ", in a bundle", program(framework, roles, "...b", head="let b: Role = { %s }" % value), "TJ0537", status=1)
        t.case(subject + ", in the project's defaults", program(framework, roles), "TJ0537", status=1,
               files={"project.tj": "project { defaults { %s } }\n" % value})
        wrapper = "framework w: %s { %s }" % (framework, value)
        t.case(subject + ", in a framework around it", program(framework, roles, head=wrapper).replace("job \"j\": " + framework, "job \"j\": w"),
               "TJ0537", status=1)
    t.case("%s: a role that is free" % framework, program(framework, roles, "", target, "%s = %s" % (field, WORDS)), lacks="TJ0537", status=0)
    t.case("%s: an auxiliary role" % framework,
           program(framework, roles, 'aux board { command = ["b"], cpu = 1, memory = 1Gi }', target, "%s = %s" % (field, WORDS)), lacks="TJ0537")

for framework in sorted(OWN_SERVER):
    t.case("%s: command of the job" % framework, program(framework, "launcher worker", "command = " + WORDS, "worker", "replicas = 2"), ["TJ0538", "role launcher"], status=0)
    t.case("%s: command of the workers" % framework,
           program(framework, "launcher worker", "", "worker", 'command = ["/usr/sbin/sshd", "-De"]').replace("role launcher {", 'role launcher { command = ["mpirun", "x"],'),
           lacks="TJ0538", status=0)

OWN = """framework f {
  role server { replicas: int(1..1) = 1, command = ["serve"], lock = ["command"], endless = true }
  role client { replicas: int(1..) = 1 }
  success = done(client)
}
"""
own = OWN + 'job "j": f {\n  image = "r.example.com/a:1"\n  %s\n  role server { cpu = 1, memory = 1Gi }\n  role client { cpu = 1, memory = 1Gi }\n}\n'
t.case("a framework of the program", own % ("command = " + WORDS), ["TJ0537", "'server'", "role client { command"], status=1)
t.case("arguments are not locked with the command", own % 'args = ["--x"]', lacks="TJ0537", status=0)
t.case("two lines of one mistake are reported once", own.replace("role client", "role other { replicas: int(1..1) = 1, command = [\"o\"], lock = [\"command\"] }\n  role client", 1)
       % ("command = " + WORDS), ["TJ0537"], status=1)
t.case("a field that cannot be locked", (own % "").replace('lock = ["command"]', 'lock = ["image"]'), ["TJ0312", '"command"'], status=1)
t.case("only a framework locks", 'job "j" { image = "r.example.com/a:1"\n  role w { lock = ["command"] } }\n', ["lock"], status=1)

# Every command that the library gives to a role is in the table above, or in the manifest of an operator.
known = {(f, r) for f, _, locked, _ in LIBRARY for r in locked} | {(f, "worker") for f in OWN_SERVER} | {("ray.groups", "")}
for path in sorted(glob.glob(os.path.join(ROOT, "stdlib/std/*.tj"))):
    framework = role = ""
    for line in open(path, encoding="utf-8"):
        m = re.match(r"framework (\w+)", line)
        if m:
            framework, role = os.path.basename(path)[:-3] + "." + m.group(1), ""
        m = re.match(r"  role (\w+)", line)
        role = m.group(1) if m else "" if re.match(r"  [}\w]", line) else role
        if re.match(r"  (  )?command +=", line) and not framework.startswith("legacy."):
            t.note("%s %s" % (framework, role), "" if (framework, role) in known else "its command is not locked")
# Both are set in the role whose args are the program: the help leads to all words, in their order.
for framework, roles, locked, (target, field) in LIBRARY:
    if field != "args" or "command" not in locked.get(target, ""):
        continue
    subject = "%s: command and args of the role of the program" % framework
    both = program(framework, roles, at=target, inside='command = %s, args = ["--x=1"]' % WORDS)
    t.case(subject, both, ["TJ0537", "put these words before those of 'args'"], lacks="remove it", status=1)
    followed = program(framework, roles, at=target, inside='args = ["python", "t.py", "--x=1"]')
    words = started(followed, target) or []
    t.note(subject + ": the help is followed", "" if words[-3:] == ["python", "t.py", "--x=1"] else str(words))

t.end()
