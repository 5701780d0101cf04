"""bodies.py - a field in a condition, in a loop, in an inserted record, or in several parts: no text may be ignored.

Each field is written directly into each block that has it, and then in every other way that the language has.  The plan
of the first program must differ from that of a program without the field. The other programs must have the same plan, or
be refused. So the test finds programs with text that has no effect. """
import re
import subprocess
import sys
import tempfile
import os

from vocabulary import fields_of_blocks, unheard

TRAINC = sys.argv[1]

# field: values of two entries, which extensions combine
MAPS = {
    "env": ('A = "1"', 'B = "2"'),
    "ports": ("first = 9001", "second = 9002"),
    "mounts": ('"/a" = scratch("a", 1Gi)', '"/b" = scratch("b", 1Gi)'),
    "files": ('"/etc/a" = "x"', '"/etc/b" = "y"'),
    "node": ('a = "1"', 'b = "2"'),
    "node_in": ('c = "1"', 'd = ["2", "3"]'),
    "avoid": ('e = "1"', 'f = ["2", "3"]'),
    "labels": ('a = "1"', 'b = "2"'),
    "annotations": ('a = "1"', 'b = "2"'),
    "limits": ("memory = 4Gi", "cpu = 4"),
    "layout": ('order = "tp-dp-pp"', "etp = 1"),
    "security": ("run_as = 7", "non_root = true"),
    "resources": ('"example.com/a" = 1', '"example.com/b" = 2'),
    "device_claims": ('a = "one"', 'b = "two"'),
    "shared_device_claims": ('a = "one"', 'b = "two"'),
}
REPLICA = {"replica": ('labels = { a = "1" }', 'kind = "job"')}
# field: its type where it may be declared, and a value that is not its default
CONTAINER = {
    "image": ("image", '"registry.example.com/lab/other:1"'),
    "command": ("list[pod[string]]", '["run"]'),
    "args": ("list[pod[string]]", '["a", "b"]'),
    "workdir": ("path", '"/work"'),
    "env_from": (None, 'config_env("settings")'),
    "cpu": ("cpu", "3"),
    "memory": ("memory", "3Gi"),
}
ROLE = dict(CONTAINER, **{
    "replicas": ("int(1..)", "3"),
    "container": ("name", '"other"'),
    "pull": ('enum("always", "never")', '"always"'),
    "pull_secrets": ("list[name]", '["key"]'),
    "disk": ("memory", "5Gi"),
    "shm": ("memory", "1Gi"),
    "accelerator": ("accelerator", "npu(2)"),
    "zone": (None, '"a"'),
    "tolerate": ("list[string]", '["key"]'),
    "place": (None, "pack"),
    "spread": ('enum("host", "zone")', '"zone"'),
    "restart": ('enum("on-failure", "never")', '"on-failure"'),
    "retries": ("int", "3"),
    "grace": ("duration", "10s"),
    "service": ('enum("cluster", "none")', '"cluster"'),
    "service_account": ("name", '"somebody"'),
    "host_network": ("bool", "true"),
    "host_ipc": ("bool", "true"),
    "runtime_class": ("name", '"gvisor"'),
    "automount": ("bool", "false"),
})
JOB = {
    "namespace": ("name", '"lab"'),
    "queue": ("string", '"q"'),
    "gang": (None, '"volcano"'),
    "scheduler": ("string", '"other"'),
    "priority": ("string", '"high"'),
    "timeout": ("duration", "1h"),
    "ttl": ("duration", "2h"),
    "clean": ('enum("all", "none")', '"all"'),
    "restarts": ("int", "3"),
    "suspend": ("bool", "true"),
    "success": (None, "done(task, any = true)"),
    "running": (None, "started(task)"),
}
FRAMEWORK = {
    **{name: JOB[name] for name in ("queue", "gang", "scheduler", "priority", "timeout", "ttl", "clean", "restarts", "success", "running")},
    "hosts": ('enum("name", "service")', '"name"'),
    "on_failed_pod": ('enum("ignore", "fail")', '"ignore"'),
}
ACCELERATOR = {
    "resource": ("string", '"example.com/other"'),
    "per_pod": ("int(1..)", "count + 1"),
    "pods": ("int(1..)", "2"),
    "memory": ("memory", "9Gi"),
    "tolerate": ("list[string]", '["key"]'),
    "devices": ("path", '"/dev/npu*"'),
    "visible": ("string", '"NPUS"'),
}
ACCELERATOR_MAPS = {name: MAPS[name] for name in ("env", "node", "mounts")}
SIDE_MAPS = {name: MAPS[name] for name in ("env", "ports", "mounts", "limits", "resources", "security")}

PROGRAM = """accelerator npu(count: int(1..4)) {
  %(accelerator)s
}
framework pair {
  %(framework)s
  role task {
    replicas: int(1..) = 1
    ports { p = 8000 }
    %(framework role)s
  }
}
job "bodies": pair {
  image = "registry.example.com/lab/app:0.1"
  %(job)s
  role task {
    %(role)s
    sidecar beside {
      image = "registry.example.com/lab/beside:0.1"
      %(sidecar)s
    }
    init before {
      image = "registry.example.com/lab/before:0.1"
      %(init)s
    }
  }
  aux watch {
    image = "registry.example.com/lab/watch:0.1"
    ports { w = 7000 }
    %(aux)s
  }
}
"""
# what must exist before a field; the program itself already has it
IMAGE = '  image = "registry.example.com/lab/app:0.1"\n'
REPLICAS = "    replicas: int(1..) = 1\n"
ROOM = {
    ("job", "image"): (IMAGE,),
    ("framework", "image"): (IMAGE,),
    ("framework role", "image"): (IMAGE,),
    ("sidecar", "image"): ('      image = "registry.example.com/lab/beside:0.1"\n',),
    ("init", "image"): ('      image = "registry.example.com/lab/before:0.1"\n',),
    ("framework", "replicas"): (REPLICAS,),
    ("framework role", "replicas"): (REPLICAS,),
    ("aux", "image"): ('    image = "registry.example.com/lab/watch:0.1"\n',),
    ("aux", "ports"): ("    ports { w = 7000 }\n",),
    ("aux", "restart"): ("    ports { w = 7000 }\n",),       # a role that serves has it by default
    ("framework role", "ports"): ("    ports { p = 8000 }\n",),
}
# reasons to refuse a form: values without a type of their own, and a job that depends on its roles
REFUSALS = ("TJ0302", "TJ0310", "TJ0529")
BLOCKS = {
    "job": (dict(ROLE, **JOB), MAPS),
    "role": (ROLE, MAPS),
    "aux": (ROLE, MAPS),
    "sidecar": (CONTAINER, SIDE_MAPS),
    "init": (CONTAINER, SIDE_MAPS),
    "framework": (dict(ROLE, **FRAMEWORK), dict(MAPS, **REPLICA)),
    "framework role": (dict(ROLE, endless=(None, "true"), on_failed_pod=FRAMEWORK["on_failed_pod"]), dict(MAPS, **REPLICA)),
    "accelerator": (ACCELERATOR, ACCELERATOR_MAPS),
}

# fields without a row above, and why
OTHERWISE = {
    "code": "takes files, and is refused in frameworks: tests/code",
    "slices": "needs an accelerator with slices: tests/eval",
    "slice": "needs roles with slices: tests/eval",
    "retry_on": "needs retries: tests/language/jobs",
    "ready": "its value is a probe with a body of its own: tests/language",
    "start_after": "its value names another role: tests/language",
    "lock": "is about fields of jobs, not of the plan: tests/language/locked",
    "reserve": "is about names in jobs, not in the plan: tests/types",
    "other_roles": "is about roles that jobs may have, not in the plan: tests/types",
    "env_order": "is visible with two values of one variable: tests/eval",
    "env_in": "is visible in sidecars alone: tests/eval",
    "nodes": "its rows are chosen by the project: tests/language/nodes",
    "processes": "is for warnings, not in the plan: tests/std",
}

passed = failed = 0


def plan(where, block, text, field="", types=""):
    """The plan without source positions, and the program; None and the output when it is refused."""
    holes = {b: "" for b in BLOCKS}
    holes["accelerator"] = "\n  ".join(line for line in ('resource = "example.com/npu"', "per_pod = count") if not line.startswith(f"{field} "))
    holes["role"] = "accelerator = npu(2)" if block == "accelerator" else ""
    holes[block] += "\n" + text
    program = PROGRAM % holes + types
    for lines in ROOM.get((block, field), ()):
        program = program.replace(lines, "", 1)
    path = os.path.join(where, "bodies.tj")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program)
    run = subprocess.run([TRAINC, "dump", "--plan", "--target", "pods", path], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"status {run.returncode}:\n{program}")
    if run.returncode:
        return None, run.stderr
    lines = [re.sub(r"  @\S+$", "", line) for line in run.stdout.split("\n")]
    return sorted(lines), program       # parts of an extension may come in another order


def verdict(ok, words, program):
    global passed, failed
    if ok:
        passed += 1
        return
    failed += 1
    print(f"FAIL {words}")
    if failed < 4:
        print(program)


def scalar_forms(name, kind, value, block):
    yield "in a condition", f"if true {{ {name} = {value} }}"
    yield "in an else", f"if false {{ }} else {{ {name} = {value} }}"
    yield "in a loop", f"for x in [1] {{ {name} = {value} }}"
    yield "inserted", f"...{{ {name} = {value} }}"
    if kind:
        yield "inserted with a type", f"...one({value})", f"type One {{ {name}: {kind} }}\nfn one(x: {kind}) -> One = {{ {name} = x }}"
    yield "inserted in a condition", f"if true {{ ...{{ {name} = {value} }} }}"
    if kind and block in ("framework", "framework role", "accelerator"):
        yield "with a type", f"{name}: {kind} = {value}"
        yield "with a type in a condition", f"if true {{ {name}: {kind} = {value} }}"


def map_forms(name, a, b):
    yield "set", f"{name} = {{ {a}, {b} }}"
    yield "extended twice", f"{name} {{ {a} }}\n{name} {{ {b} }}"
    yield "extended in a condition", f"{name} {{ {a} }}\nif true {{ {name} {{ {b} }} }}"
    yield "extended in loops", f"for x in [1] {{ {name} {{ {a} }} }}\nfor x in [1] {{ {name} {{ {b} }} }}"
    yield "with a condition inside", f"{name} {{ {a}\nif true {{ {b} }} }}"
    yield "with a loop inside", f"{name} {{ for x in [1] {{ {a} }}\n{b} }}"
    yield "with an insertion inside", f"{name} {{ ...{{ {a} }}\n{b} }}"
    yield "inserted", f"...{{ {name} = {{ {a}, {b} }} }}"
    yield "inserted and extended", f"...{{ {name} = {{ {a} }} }}\n{name} {{ {b} }}"
    yield "extended and inserted", f"{name} {{ {b} }}\n...{{ {name} = {{ {a} }} }}"
    yield "inserted in a condition and extended", f"if true {{ ...{{ {name} = {{ {a} }} }} }}\n{name} {{ {b} }}"


def cases_of(block):
    scalars, maps = BLOCKS[block]
    for name, (kind, value) in scalars.items():
        yield name, f"{name} = {value}", scalar_forms(name, kind, value, block)
    for name, (a, b) in maps.items():
        yield name, f"{name} {{ {a}, {b} }}", map_forms(name, a, b)


def try_forms(where, block, name, meant, forms):
    for form in forms:
        got, program = plan(where, block, form[1], name, *form[2:])
        if got is None:
            errors = re.findall(r"error: .*\[(TJ\d+)\]", program)
            verdict(errors and all(code in REFUSALS for code in errors), f"{block}: {name} {form[0]} is refused", program)
        else:
            verdict(got == meant, f"{block}: {name} {form[0]}\n" + "\n".join(sorted(set(got) ^ set(meant))), program)


def main():
    used = {b: {*scalars, *maps} for b, (scalars, maps) in BLOCKS.items()}
    for block, names in used.items():
        left = {n: why for n, why in OTHERWISE.items() if n in fields_of_blocks()[block]}
        for said in unheard(names, (block,), left):
            verdict(False, f"{block}: {said}", "")
    with tempfile.TemporaryDirectory() as where:
        for block in BLOCKS:
            for name, straight, forms in cases_of(block):
                without, _ = plan(where, block, "", name)
                meant, program = plan(where, block, straight, name)
                verdict(meant is not None and meant != without, f"{block}: {straight} says nothing", program)
                if meant is not None:
                    try_forms(where, block, name, meant, forms)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
