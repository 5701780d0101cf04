"""jobs.py - programs that compile are correct: typed fields, jobs that end, values that reach the pod, objects that
a server accepts."""
import os

from table import JOB, PT, Table, W

t = Table()

# ---- typed fields of frameworks ----
FRAME = '''framework f {
  role w { %s }
  success = done(w) }
job "a": f { image = "r.example.com/a:1"
  role w { %s } }
'''
for field, kind, good, bad, code in (
        ("command", "list[string](1..)", 'command = ["x"]', "command = []", "TJ0311"),
        ("args", "list[string](2..)", 'args = ["a", "b"]', 'args = ["a"]', "TJ0311"),
        ("env", "map[int]", "env { A = 1 }", 'env { A = "text" }', "TJ0302"),
        ("labels", 'map[enum("gold", "silver")]', 'labels { tier = "gold" }', 'labels { tier = "bronze" }', "TJ0312"),
        ("annotations", 'map[string(1..3)]', 'annotations { a = "abc" }', 'annotations { a = "abcd" }', "TJ0311"),
        ("ports", "map[int(1000..2000)]", "ports { http = 1500 }", "ports { http = 80 }", "TJ0311"),
        ("files", 'map[string(1..3)]', 'files { "/etc/a" = "abc" }', 'files { "/etc/a" = "abcd" }', "TJ0311"),
        ("resources", "map[int(1..8)]", 'resources { "rdma/hca" = 8 }', 'resources { "rdma/hca" = 9 }', "TJ0311"),
        ("mounts", "map[volume]", 'mounts { "/d" = pvc("a") }', None, None)):
    typed = "%s: %s" % (field, kind)
    t.case("typed %s, met" % field, FRAME % (typed, good), status=0)
    t.case("typed %s, missing" % field, FRAME % (typed, ""), ["TJ0512", "requires '%s' of role 'w'" % field], status=1)
    if bad:
        t.case("typed %s, of another kind" % field, FRAME % (typed, bad), code, status=1)
        t.case("typed %s, in the job" % field, FRAME.replace('image = "r', bad + '\n  image = "r') % (typed, ""), code, status=1)
t.case("the framework's own entries are its own", FRAME % ("env: map[int]", 'env { B = 2 }'), status=0)
t.case("what the pod decides has no value to judge", FRAME % ("env: map[string]", "env { I = pod.index }"), status=0)
t.case("all typed fields at once", '''framework f {
  role w { command: list[string](1..), env: map[int], labels: map[enum("gold", "silver")] }
  success = done(w) }
job "a": f { image = "r.example.com/a:1"
  role w { env { A = "text" }, labels { tier = "bronze" } } }
''', ["'f' requires 'command'", "TJ0312", "a.tj:5:22: error"], status=1)

BOTH = FRAME.replace("role w { %s } }", "command = [\"x\"]\n  %s\n  role w { %s } }")
t.case("entries of a typed map are counted", FRAME % ("env: map[string](2..)", 'env { A = "1" }'), ["TJ0311", "'env' has 1 entry, outside 2.."], status=1)
t.case("entries of both levels of a job are counted", BOTH % ("env: map[string](2..)", 'env { B = "1" }', 'env { A = "1" }'), status=0)
t.case("an empty map where one entry is wanted", FRAME % ("mounts: map[volume](1..)", "mounts = {}"), ["TJ0311", "'mounts' has 0 entries"], status=1)
t.case("a default of the framework is its own", FRAME % ('labels: map[string](1..) = { a = "b" }', ""), status=0)
t.case("entries of a parameter are counted", "param m: map[string](2..) = { a = \"1\" }\n" + W('command = keys(m)'), ["TJ0311", "m has 1 entry"], status=1)
t.case("words beside one that the pod knows", FRAME % ("args: list[string(1..3)](1..2)", 'args = ["abcd", "x${pod.index}yyyy", "c"]'),
       ["'args' has 3 elements, outside 1..2", '"abcd" has 4 characters'], status=1)
t.case("a type that a field cannot have", FRAME % ("env: list[string]", ""), ["cannot be declared list[string]"], lacks="TJ0512", status=1)
CPU = "param c: cpu = 2\nparam d: cpu? = none\n" + W("cpu = if c > 1 then c else 1, memory = 1Gi")
t.case("a number beside CPUs", CPU + 'check (if c == 2 then c else 3) == 2 else "x"\ncheck (if c == 3 then 3 else if c == 4 then 0.5 else c) == 2 else "x"\n'
       'check (d ?? 1) == 1 else "x"\ncheck (d ?? 0.5) < 1 else "x"\n', lacks="TJ0320", status=0)
t.case("a number that is no amount of CPU", CPU + 'check (d ?? 0.0001) < 1 else "x"\n', "TJ0308", status=1)

# ---- jobs that are written alike ----
LONG = "a-name-that-is-so-long-that-the-names-of-its-replicas-cannot-hold"
ALIKE = """job "%s" {
  image   = "r.example.com/a:1"
  command = ["run"]
  role w { replicas = 2 }%s
}
"""
t.case("jobs with one text, one name too long", ALIKE % ("one", "") + ALIKE % (LONG, "") + ALIKE % ("two", ""),
       ["a.tj:6:5: error", "TJ0801", "a.tj:9:8: note: role 'w' makes it longer"], status=1)
FALSE = "\n  raw pod { securityContext = { runAsUserr = 1 } }"
t.case("jobs with one text, a mistake in all", ALIKE.replace("2 }%s", "2 %s }") % ("one", FALSE) + ALIKE.replace("2 }%s", "2 %s }") % ("two", FALSE),
       ["a.tj:5:33: error", "a.tj:11:33: error"], status=1)
MOUNT = '\n  mounts { "/a" = pvc("c") }'
t.case("jobs with one text and a warning", ALIKE % ("one", MOUNT) + ALIKE % ("two", MOUNT),
       ["a.tj:5:19: warning", "a.tj:11:19: warning", "TJ0621"], status=0)
t.case("jobs with one text and one name", ALIKE % ("one", "") * 2, ["TJ0812", "a.tj:6:5: error", "a.tj:1:5: note: the other one"], status=1)

# ---- jobs that run nothing, or cannot end ----
t.case("all roles 0", JOB("role w { replicas = 0 }"), ["TJ0503", "runs nothing"], status=1)
t.case("all roles 0:0", JOB("role w { replicas = 0:0 }"), ["TJ0503", "runs nothing"], status=1)
t.case("only an auxiliary role", JOB("aux b { }"), ["TJ0503", "runs nothing"], status=1)
t.case("one role of two is 0", JOB("role w { replicas = 0 }\nrole v { }"), lacks="TJ0503", status=0)
t.case("success of nothing", JOB("role w { replicas = 0:3, retries = 1 }"), ["TJ0502", "replicas = 1:3"], status=1)
t.case("success of nothing beside a role that works", JOB("role w { replicas = 0:3, retries = 1 }\nrole v { }"), status=0)
t.case("an aux that restarts is never done", JOB('role w { }\naux c { restart = "always" }\nsuccess = done(c)'), ["TJ0518", "never done"], status=1)
t.case("a start after what never ends", 'framework f { role s { endless = true }\n role w { start_after = done(s) }\n success = done(w) }\n'
       'job "a": f { image = "a/b:1" }\n', ["TJ0518", "ready(s)"], status=1)
t.case("a start after an aux that restarts", JOB('role w { start_after = done(c) }\naux c { restart = "always" }'), ["TJ0518", "ready(c)"], status=1)

# ---- values that reach the pod ----
t.case("a reference to a name with brackets", W('env { "A)B" = "a", C = "x-${pod.env("A)B")}" }'), ["TJ0701", "cannot be referred to"], status=1,
       args=("--kubernetes", "1.34"))
t.case("seconds of a fraction", "let d: duration = 1500ms\n" + W("env { S = seconds(d) }"), ["TJ0314", "1500ms is not a whole number of seconds"], status=1)
t.case("seconds of whole ones", "let d: duration = 2000ms\n" + W("env { S = seconds(d), M = millis(1500ms) }"), status=0)
t.case("a key that a replica has too", W('replicas = 2, env { A = json({ ("${pod.index}") = 1, "0" = 2 }) }'), ["TJ0206", 'the key "0" is also that of a replica'],
       status=1)
t.case("a key that no replica has", W('replicas = 2, env { A = json({ ("w${pod.index}") = 1, "0" = 2, "wx" = 3 }) }'), status=0)

# ---- objects that a server refuses ----
t.case("a role whose label begins with -", JOB("role _w { }"), ["TJ0802", "begin with '-'"], status=1)
t.case("a role whose label ends with -", JOB("role w_ { }"), ["TJ0802", "end with '-'"], status=1)
t.case("a resource without a domain", 'accelerator x(count: int(1..4)) { resource = "gpu", per_pod = count }\n' + W("accelerator = x(2)"),
       ["TJ0803", "example.com/gpu"], status=1)
for key in ("batch.kubernetes.io/job-name", "job-name", "controller-uid", "batch.kubernetes.io/controller-uid"):
    t.case("the label " + key, W('labels { "%s" = "y" }' % key), ["TJ0803", "set by the Job controller"], status=1)
t.case("a file at /", W('files { "/" = "x" }'), "TJ0613", status=1)
t.case("a mount at /", PT('mounts { "/" = pvc("a", shared = true) }'), "TJ0613", status=1)
t.case("a mount with a colon", PT('mounts { "/d:x" = pvc("a", shared = true) }'), ["TJ0613", "':'"], status=1)
t.case("an NFS volume without a server", W('mounts { "/d" = nfs("", "/x") }'), ["TJ0311", "server"], status=1)
for name in ("..", ".", "..a"):
    t.case("the variable %s before 1.32" % name, W('env { "%s" = "a" }' % name), "TJ0701", status=1, args=("--kubernetes", "1.28"))
    t.case("the variable %s from 1.34 on" % name, W('env { "%s" = "a" }' % name), status=0, args=("--kubernetes", "1.34"))
t.case("a load balancer without an address", JOB('raw service { type = "LoadBalancer" }\nrole w { ports { http = 80 } }'), ["TJ0904", "headless"], status=1)
t.case("a Service of the type that it has", JOB('raw service { type = "ClusterIP" }\nrole w { ports { http = 80 } }'), lacks="TJ0904")
t.case("timeout = 0s", JOB("timeout = 0s\nrole w { }"), ["TJ0311", "at once"], status=1)
t.case("a scratch volume of size 0", W('mounts { "/s" = scratch("x", 0Gi) }'), "TJ0610", status=1)
t.case("the name of a scratch volume", W('mounts { "/s" = scratch("My_Scratch", 1Gi) }'), "TJ0802", status=1)
t.case("MPI without a launcher's command", 'import std.mpi\njob "h": mpi.openmpi { image = "a/b:1"\n  role worker { replicas = 4, cpu = 1, memory = 1Gi } }\n',
       "nothing says what the launcher starts", status=1)
t.case("devices of a launcher", 'import std.mpi\nimport std.nvidia\njob "h": mpi.openmpi { image = "a/b:1", accelerator = nvidia.h100(8), cpu = 8, memory = 64Gi\n'
       '  role launcher { command = ["mpirun", "x"] }\n  role worker { replicas = 4 } }\n', "the launcher asks for 8 devices and runs no rank", status=0)
t.case("devices of the workers alone", 'import std.mpi\nimport std.nvidia\njob "h": mpi.openmpi { image = "a/b:1", cpu = 8, memory = 64Gi\n'
       '  role launcher { command = ["mpirun", "x"] }\n  role worker { replicas = 4, accelerator = nvidia.h100(8) } }\n', lacks="runs no rank", status=0)
t.case("a file below a file", W('files { "/etc/grid" = "a", "/etc/grid/peers" = "b" }'), "TJ0615", status=1)
t.case("a mount below a mount", W('mounts { "/etc/grid" = pvc("a"), "/etc/grid/p" = pvc("b") }'), "TJ0623", status=0)
t.case("a mount below two mounts", W('mounts { "/a" = pvc("a"), "/a.b" = pvc("x"), "/a/b" = pvc("b"), "/a/b/c" = pvc("c"), "/ab" = pvc("d") }'),
       ["'/a/b' is mounted inside of the volume at /a", "'/a/b/c' is mounted inside of the volume at /a/b"], lacks=["'/ab'", "'/a.b'"], status=0)
t.case("a file below a mount below a mount", W('mounts { "/a" = pvc("a"), "/a/b" = pvc("b") }\nfiles { "/a/b/f" = "x", "/a-b" = "y" }'),
       ["'/a/b' hides the generated file /a/b/f"], lacks="'/a' hides", status=1)
t.case("two sizes of a scratch volume of two sidecars", W("".join('sidecar s%d { image = "r.example.com/a:1", mounts { "/d" = scratch("x", %dGi) } }\n' % (i, i) for i in (1, 2))),
       ["TJ0614", "scratch 'x' is 2Gi here and 1Gi in 's1'"], status=1)
t.case("a mount over /usr", PT('mounts { "/usr" = pvc("a", shared = true) }'), "TJ0623", status=0)
t.case("memory on a disk of memory", W('memory = 4Gi, mounts { "/s" = scratch("x", 10Gi, medium = "memory") }'), "TJ0611", status=1)

# ---- amounts ----
t.case("cpu = 4Gi", PT("", "replicas = 2, cpu = 4Gi, memory = 16Gi"), ["TJ0302", "CPUs are written"], status=1)
t.case("cpu = 96000", PT("", "replicas = 2, cpu = 96000, memory = 16Gi"), ["TJ0622", "thousandths"], status=0)
t.case("memory = 1Ki", PT("", "replicas = 2, cpu = 4, memory = 1Ki"), ["TJ0622"], status=0)
NV = "import std.nvidia\n"
t.case("64Mi for eight devices", NV + PT("", "replicas = 2, cpu = 8, memory = 64Mi, shm = 16Mi, accelerator = nvidia.h100(8)"), "TJ0622", status=0)
t.case("usual amounts", NV + PT("", "replicas = 2, cpu = 96, memory = 1Ti, accelerator = nvidia.h100(8)"), lacks="TJ0622", status=0)

# ---- false alarms ----
t.case("one node with several devices", NV + PT("", "replicas = 1, cpu = 8, memory = 64Gi, accelerator = nvidia.h100(8)"), lacks="TJ0520", status=0)
t.case("one node with one device", NV + PT("", "replicas = 1, cpu = 8, memory = 64Gi, accelerator = nvidia.h100(1)"), "TJ0520", status=0)
t.case("a native gang names the version that has it", JOB('gang = "native"\nrole w { replicas = 2 }'), ["TJ0809", "1.35"], status=1, args=("--kubernetes", "1.34"))

# ---- commands that the kubelet runs ----
PROBE = 'ready = exec(%s)'
for where, form in (("ready", PROBE), ("a probe", "raw container { livenessProbe { exec { command = %s } } }"),
                    ("a hook", "raw container { lifecycle { preStop { exec { command = %s } } } }"),
                    ("ready of a sidecar", 'sidecar s { image = "a/b:1", ready = exec(%s) }')):
    for text, right in (('["cat", "$HOME/x"]', '["sh", "-c", "cat $HOME/x"]'), ('["cat", "$(HOME)/x"]', '["sh", "-c", "cat $HOME/x"]')):
        t.case("a variable in %s: %s" % (where, text), W(form % text), ["TJ0714", "no shell reads this command", "write " + right], status=0)
        t.case("a shell in %s" % where, W(form % right), lacks="TJ0714", status=0)
    t.case("a lone sign in %s" % where, W(form % '["grep", "-q", "^ok$", "/x"]'), lacks="TJ0714", status=0)
t.case("a variable of the container in ready", W('env { a = "1" }, ready = exec(["test", "$a"])'), ["TJ0714", '["sh", "-c", "test $a"]'], status=0)
t.case("a variable in ready of an aux", JOB('role w { }\n aux x { ready = exec(["cat", "$HOME/x"]) }'), "TJ0714", status=0)

# ---- an empty program ----
for what, program in (("empty", ""), ("comments alone", "# nothing\n")):
    for command in ("check", "compile"):
        t.case("%s, %s" % (what, command), program, ["TJ0822"], status=0, command=command)
        t.case("%s, %s --deny-warnings" % (what, command), program, ["TJ0822"], status=1, command=command, args=("--deny-warnings",))
t.case("a module", "let a = 1\n", lacks="TJ0822", status=0)
SWEEP = 'for x in %s job "a-${x}" { image = "a/b:1", role w { } }\n'
for what, program in (("an empty list", "let xs: list[int] = []\n" + SWEEP % "xs"), ("a condition", SWEEP % "[1] if x > 1"),
                      ("a parameter", "param xs: list[int] = []\n" + SWEEP % "xs"), ("two loops", SWEEP % "[1], y in range(0) if x > y")):
    for command in ("check", "compile", "plan"):
        t.case("a sweep without a pass, %s, %s" % (what, command), program, ["TJ0822", "this sweep makes no job"], status=0, command=command)
    t.case("a sweep without a pass, %s, refused" % what, program, ["error", "TJ0822"], status=1, args=("--deny-warnings",))
t.case("a sweep without a pass beside a job", SWEEP % "[1] if x > 1" + 'job "b" { image = "a/b:1", role w { } }\n', lacks="TJ0822", status=0)
t.case("a sweep whose list has no value", "param xs: list[int]\n" + SWEEP % "xs", "TJ0401", lacks="TJ0822", status=1)
t.case("a sweep without a pass, in a test", "param xs: list[int] = [1]\n" + SWEEP % "xs" + 'test "t" { set { xs = [] }\n check len(xs) == 0 else "x" }\n',
       "1 passed", command="test", status=0)

# ---- check is the gate ----
MPI = """import std.mpi
job "h": mpi.openmpi { image = "a/b:1"
  role launcher { command = ["mpirun", "-np", "4", "x"], cpu = 1, memory = 1Gi }
  role worker { replicas = 4, cpu = 1, memory = 1Gi } }
"""
GATE = {"a job that needs a runtime": (MPI, ()), "an indexed job": (W("replicas = 2"), ()), "pods": (JOB("timeout = 90s\nrole w { replicas = 2, retries = 3 }"), ("--target", "pods")),
        "a set": (MPI, ("--target", "jobset")), "what a set cannot": (JOB("role w { replicas = 1:3, retries = 1 }"), ("--target", "jobset")),
        "the older operator": (JOB("role w { }"), ("--target", "kubeflow"))}

# ---- what is shown, kept and reported ----
t.case("raw variables in trainc env", W('env { A = "one" }, raw container { env = [{ name = "B", value = "two" }, { name = "T", valueFrom { secretKeyRef { name = "s", key = "k" } } }] }'),
       ["A", "one", "B", "two", "T"], command="env", status=0)
for text in ('job "a" {\n  image = "a/b:1"\n\n  role w {\n    command = [\n      # "torchrun", "x.py"\n    ]\n  }\n}\n',
             'framework f(\n  # q\n) {\n  role w { }\n}\n'):
    out = t.case("comments in empty brackets", text, lacks=["-      #", "-  #"], command="fmt", args=("--diff",))
t.case("a field that is a block elsewhere", 'framework f { role cell { replicas: int(1..)\n env { N = cell.replica } }\n success = done(cell) }\n'
       'job "a": f { image = "a/b:1", role cell { replicas = 2 } }\n', ["TJ0202", "replicas"], lacks="TJ0704", status=1)
t.case("a name in a profile and in an expression", 'param width: int = 1\nprofile p { widht = 2 }\n' + W('args = ["${widht}"]'), ["a.tj:2:13", "a.tj:4:23"], status=1)
t.case("a string without its end", W('args = ["--x", "y]\n  cpu = nope'), ["TJ0106", "no value named 'nope'"], status=1)
t.case("a string without its end in a list of lines", W('args = [\n    "--x",\n    "y,\n    z,\n  ]\n  cpu = nope'), ["TJ0106", "no value named 'nope'"],
       status=1)
t.case("a list without its end", W('args = ["--x", "y"\n  cpu = nope'), ["TJ0109", "no value named 'nope'"], status=1)
t.case("a name that a broken let declares", W('let n = [1\n  args = ["${n}", "${m}"]'), ["TJ0109"], lacks="'n'", status=1)
t.case("a file that imports itself", 'import "a.tj" as me\nlet n = 1\n' + W('args = ["${me.n}"]'), ["TJ0209"], lacks="TJ1002", status=1)
t.case("a parameter whose type did not parse", "param models: list[{\n" + W(""), lacks="unknown parameter 'models'", args=("--params", "p.yaml"),
       files={"p.yaml": "models: []\n"}, status=1)
import re
codes = lambda text: sorted(re.findall(r"\[(TJ\d{4})\]", text))
for what, (program, args) in GATE.items():
    a = t.case("check: " + what, program, args=args)
    b = t.case("compile: " + what, program, args=args, command="compile")
    t.note("check and compile say the same: " + what, "" if codes(a) == codes(b) else "%s, %s" % (codes(a), codes(b)))
t.case("check is the gate for the runtime", MPI, "TJ0817", status=1, args=("--deny-warnings",))

# ---- lists that differ between replicas ----
t.case("args by the index", W('replicas = 2, args = if pod.index == 0 then ["--first"] else ["--other", "2"]'), ["- --first", "- --other\n"], command="compile", status=0)
t.case("one of several lists", "let l = [[\"one\"], [\"two\"]]\n" + W("replicas = 2, command = l[pod.index]"), ["- one\n", "- two\n"], command="compile", status=0)
t.case("args by the node", W('args = if pod.node == "gpu-01" then ["--first"] else ["--other"]'), "TJ0716", lacks="TJ0708", status=1)
t.case("a list of ports does not differ", W("replicas = 2, tolerate = if pod.index == 0 then [\"a\"] else [\"b\"]"), "TJ0708", status=1)
t.case("an elastic role has one list", W('replicas = 1:4, retries = 1, args = if pod.index == 0 then ["a"] else ["b"]'), "TJ0709", status=1)
t.case("a list that is made of itself", W('tolerate = self.tolerate + ["b"]'), ["TJ0405", "'tolerate += [...]'"], status=1)
t.case("what that help says", 'job "a" { image = "r.example.com/a:1", tolerate = ["a"]\n  role w { tolerate += ["b"] } }\n', ["key: a", "key: b"], command="compile",
       status=0)

# ---- processes and devices ----
def device(framework, accelerator, more=""):
    return ('import std.%s\nimport std.%s\njob "j": %s { image = "a/b:1"\n  command = ["python", "t.py"]\n'
            '  role worker { replicas = 2, accelerator = %s, cpu = 64, memory = 64Gi%s } }\n' % (
                framework.split(".")[0], accelerator.split(".")[0], framework, accelerator, more))


t.case("JAX starts one process on a host", device("jax.distributed", "nvidia.h100(8)"), lacks="TJ0617", status=0)
t.case("JAX on a slice of TPUs", device("jax.distributed", "tpu.v5p(2x2x2)"), lacks="TJ0617", status=0)
t.case("processes that share /dev/shm, and whose", device("single.task", "nvidia.h100(8)").replace("role worker { replicas = 2,", "role task {"),
       "8 processes of each 'task' share", status=0)
t.case("a framework of ours with one process", "import std.nvidia\nframework f {\n  role w { replicas: int(1..) = 1, processes = 1 }\n  success = done(w) }\n"
       'job "j": f { image = "a/b:1"\n  role w { accelerator = nvidia.h100(8), cpu = 8, memory = 64Gi } }\n', lacks="TJ0617", status=0)
t.case("a job has no 'processes'", W("processes = 2"), "TJ0203", status=1)

# ---- auxiliary roles that serve ----
BOARD = 'role w { }\naux board { command = ["serve"], %s }'
t.case("an aux with a port restarts", JOB(BOARD % "ports { http = 6006 }"), "restartPolicy: OnFailure", command="compile", status=0)
t.case("an aux with a service restarts", JOB(BOARD % 'ports { http = 6006 }, service = "cluster"'), "restartPolicy: OnFailure", command="compile", status=0)
t.case("an aux that says what it does", JOB(BOARD % 'ports { http = 6006 }, restart = "never"'), lacks="restartPolicy: OnFailure", command="compile", status=0)
t.case("an aux with retries", JOB(BOARD % "ports { http = 6006 }, retries = 2"), lacks="restartPolicy: OnFailure", command="compile", status=0)
t.case("an aux that serves nobody", JOB(BOARD % "cpu = 1"), lacks="restartPolicy: OnFailure", command="compile", status=0)

# ---- words of enumerations in the objects of add-ons ----
def KUEUE(version, kind, spec):
    return JOB('role w { }\nobject o {\n  apiVersion = "kueue.x-k8s.io/%s"\n  kind = "%s"\n  metadata = { name = "q" }\n  spec = { %s } }' % (version, kind, spec))


for version in ("v1beta1", "v1beta2"):
    t.case("the case of a word, " + version, KUEUE(version, "LocalQueue", 'clusterQueue = "c", stopPolicy = "hold"'),
           ["TJ0904", "'stopPolicy' cannot be 'hold'", "did you mean 'Hold'?"], status=1)
    t.case("another word, " + version, KUEUE(version, "ClusterQueue", 'stopPolicy = "Drain"'), ["TJ0904", "it is one of None, Hold, HoldAndDrain"], status=1)
    t.case("every word, " + version, KUEUE(version, "ClusterQueue", 'stopPolicy = "HoldAndDrain", queueingStrategy = "BestEffortFIFO"'), status=0)
t.case("a word that a version has no longer", KUEUE("v1beta2", "ClusterQueue", 'flavorFungibility = { whenCanBorrow = "Borrow" }'),
       ["TJ0904", "MayStopSearch, TryNextFlavor"], status=1)
t.case("a word that an older version has", KUEUE("v1beta1", "ClusterQueue", 'flavorFungibility = { whenCanBorrow = "Borrow" }'), status=0)

def OBJECT(version, kind, spec):
    return JOB('role w { }\nobject o {\n  apiVersion = "%s"\n  kind = "%s"\n  metadata = { name = "o" }\n  spec = { %s } }' % (version, kind, spec))


VOLCANO = 'tasks = [{ name = "t", replicas = 1, policies = [{ event = "%s", action = "RestartJob" }] }]'
LWS = 'leaderWorkerTemplate = { restartPolicy = "%s", workerTemplate = { spec = { containers = [{ name = "c", image = "i:1" }] } } }'
RAY = 'autoscalerOptions = { upscalingMode = "%s" }, headGroupSpec = { template = { spec = { containers = [{ name = "c", image = "i:1" }] } } }'
RUNTIME = 'template = { spec = { failurePolicy = { restartStrategy = "%s" } } }'
for version, kind, spec, word, wrong, says in (
        ("batch.volcano.sh/v1alpha1", "Job", VOLCANO, "PodFailed", "podFailed", "did you mean 'PodFailed'?"),
        ("batch.volcano.sh/v1alpha1", "Job", VOLCANO, "*", "Pod", "'event' cannot be 'Pod'"),
        ("scheduling.volcano.sh/v1beta1", "Queue", 'dequeueStrategy = "%s"', "fifo", "FIFO", "did you mean 'fifo'?"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", LWS, "RecreateGroupAfterStart", "Always", "Default, RecreateGroupOnPodRestart, None, RecreateGroupAfterStart"),
        ("ray.io/v1", "RayCluster", RAY, "Conservative", "conservative", "did you mean 'Conservative'?"),
        ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", RUNTIME, "InPlaceRestart", "Recreated", "did you mean 'Recreate'?")):
    t.case("a word of %s: %s" % (kind, word), OBJECT(version, kind, spec % word), lacks="cannot be", status=0)
    t.case("another word of %s: %s" % (kind, wrong), OBJECT(version, kind, spec % wrong), ["TJ0904", "cannot be '%s'" % wrong, says], status=1)

# ---- what no object and no process can have ----
t.case("a raw resource without a domain", W("raw container { resources { limits { gpu = 1 } } }"), ["TJ0904", "resource 'gpu' has no domain"], status=1)
t.case("raw resources of Kubernetes", W('cpu = 1, raw container { resources { limits { "hugepages-2Mi" = "64Mi", "example.com/x" = 1 } } }'), status=0)
t.case("raw huge pages that are not whole", W('cpu = 1, raw container { resources { limits { "hugepages-2Mi" = "3Mi" } } }'), ["TJ0904", "whole pages"], status=1)

# ---- devices beside the accelerator, and huge pages ----
R = lambda text, more="": W("%s resources { %s }" % (more, text))
t.case("a device", R('"rdma/hca" = 8'), ['rdma/hca: "8"'], command="compile", status=0)
t.case("a device that has no domain", R("gpu = 8"), ["TJ0624", "'gpu' has no domain", '"example.com/gpu"'], status=1)
t.case("what no name of a resource has", R('"rdma/ hca" = 1'), ["TJ0624", "contains a space"], status=1)
t.case("a key with a slash", R("rdma/hca = 1"), ["TJ0102", 'must be quoted: "rdma/hca"'], status=1)
t.case("resources of Kubernetes' own form", R("requests { cpu = 4 }, limits { cpu = 4 }"), ["TJ0624", "cpu = 8, memory = 64Gi", "limits { cpu = 16 }"], status=1)
t.case("cpu has its field", R("cpu = 8"), ["TJ0624", "cpu = 8"], status=1)
for wrong in ('"8"', "0.5", "8Gi", "none", "[1]", "true"):
    t.case("devices are counted: %s" % wrong, R('"rdma/hca" = %s' % wrong), ["TJ0624", "counted in whole numbers, found %s" % wrong], status=1)
t.case("no device", R('"rdma/hca" = 0'), ["TJ0610", "must be positive"], status=1)
t.case("another number in each pod, and none in the first", R('"rdma/hca" = pod.index'), "TJ0610", status=1)
t.case("a condition is no number", R('"rdma/hca" = done(w)'), "TJ0302", status=1)
t.case("huge pages", R('"hugepages-2Mi" = 1Gi', "memory = 1Gi,"), "hugepages-2Mi: 1Gi", command="compile", status=0)
t.case("huge pages by their number", R('"hugepages-2Mi" = 512', "memory = 1Gi,"), ["TJ0624", "an amount of memory, found 512"], status=1)
t.case("huge pages without memory", R('"hugepages-2Mi" = 1Gi'), ["TJ0624", "needs 'cpu' or 'memory' beside it"], status=1)
t.case("huge pages of a sidecar without memory", W('memory = 1Gi, sidecar s { image = "a/b:1", resources { "hugepages-2Mi" = 1Gi } }'),
       ["TJ0624", "needs 'cpu' or 'memory' beside it"], status=1)
t.case("half a page", R('"hugepages-2Mi" = 3Mi', "memory = 1Gi,"), ["TJ0624", "3Mi is not made of whole pages of 2Mi"], status=1)
t.case("pages of no size", R('"hugepages-big" = 4Mi', "memory = 1Gi,"), ["TJ0624", "names no size of pages"], status=1)
t.case("what the accelerator asks for", "import std.nvidia\n" + R('"nvidia.com/gpu" = 8', "accelerator = nvidia.h100(8), memory = 64Gi, cpu = 8, shm = 1Gi,"),
       ["TJ0608", "'accelerator' already requests 'nvidia.com/gpu'", "8 by the accelerator"], status=1)
for key, says in (("nvidia.com/gpu", "accelerator = nvidia.gpu(8)"), ("amd.com/gpu", "accelerator = amd.gpu(8)"), ("google.com/tpu", "trainc explain std.tpu"),
                  ("aws.amazon.com/neuron", "std.aws"), ("habana.ai/gaudi", "std.intel")):
    t.case("devices of the library's accelerators: " + key, R('"%s" = 8' % key), ["TJ0624", "is an accelerator", says], status=1)
t.case("the accelerator that the help names", "import std.nvidia\n" + W("accelerator = nvidia.gpu(8), memory = 64Gi, cpu = 8, shm = 1Gi"),
       ['nvidia.com/gpu: "8"'], lacks="nodeSelector", command="compile", status=0)
t.case("a sidecar's devices", W('sidecar s { image = "a/b:1", resources { "nvidia.com/gpu" = 1 } }'), lacks="TJ0624", status=0)
t.case("devices chosen by hand", "import std.nvidia\n" + W('accelerator = nvidia.h100(8), memory = 64Gi, cpu = 8, shm = 1Gi, env { CUDA_VISIBLE_DEVICES = "0,1" }'),
       ["TJ0628", "hides devices", "8 devices"], status=0)
t.case("shared memory on disk", W('memory = 64Gi, mounts { "/dev/shm" = scratch("shm", 16Gi) }'), ["TJ0617", "on the node's disk", "write shm = 16Gi"], status=0)
t.case("a resource twice", R('"rdma/hca" = 1', 'raw container { resources { limits { "rdma/hca" = 2 } } },'), ["TJ0902", "'accelerator' or 'resources'"], status=1)
t.case("an auxiliary role has no share of the job's devices", JOB('resources { "rdma/hca" = 8 }\nrole w { replicas = 0 }\nrole v { resources = {} }\n'
       'aux b { command = ["x"] }'), lacks="rdma/hca", command="compile", status=0)

t.case("a record that needs itself", "type T { a: T }\n" + W(""), ["TJ0405", "'T' contains itself endlessly"], status=1)
t.case("two records that need each other", "type T { a: U }\ntype U { t: T }\n" + W(""), ["'T' contains itself endlessly", "'U' contains itself endlessly"], status=1)
t.case("records that end", "type T { a: T? = none, b: list[T], c: map[T] }\n" + W(""), lacks="TJ0405", status=0)
t.case("torchrun behind a shell", PT("").replace('["torchrun", "t.py"]', '["bash", "-c", "torchrun --nnodes=4 t.py"]'), ["TJ0538", "--nnodes"], status=0)
t.case("torchrun behind exec", PT("").replace('["torchrun", "t.py"]', '["sh", "-c", "exec torchrun --nnodes=4 t.py"]'), ["TJ0538", "--nnodes"], status=0)
t.case("torchrun behind a shell, as it should be", PT("").replace('["torchrun", "t.py"]', '["bash", "-c", "torchrun t.py"]'), lacks="TJ0538", status=0)
SPARK = ('import std.spark\njob "s": spark.standalone(worker_memory = %s) { image = "a/b:1"\n  role driver { cpu = 1, memory = 2Gi, command = ["x"] }\n'
         "  role worker { cpu = 1%s } }\n")
t.case("Spark's memory above the role's", SPARK % ("8Gi", ", memory = 2Gi"), "worker_memory", status=1)
t.case("Spark's memory below the role's", SPARK % ("8Gi", ", memory = 10Gi"), status=0)
t.case("Spark's memory alone", SPARK % ("8Gi", ""), status=0)
t.case("the selector of a Job", W("raw job { manualSelector = true }"), ["TJ0902", "Kubernetes makes the selector itself"], status=1)

# ---- devices without processors ----
GPUS = 'import std.nvidia\njob "a" { image = "r.example.com/a:1"\n  role w { accelerator = nvidia.l4(2), memory = 8Gi, shm = 1Gi%s } }\n'
t.case("devices without processors", GPUS % "", ["TJ0618", "no processor is reserved for its 2 processes", "cpu = 16"], status=0)
t.case("devices with processors", GPUS % ", cpu = 16", lacks="TJ0618", status=0)
t.case("devices with a limit of processors", GPUS % ", limits { cpu = 16 }", lacks="TJ0618", status=0)

# ---- queues by their labels ----
QUEUE = 'labels { "kueue.x-k8s.io/queue-name" = "ml" }'
VOLCANO = 'annotations { "scheduling.volcano.sh/queue-name" = "ml" }'
t.case("Kueue's label in a job", JOB(QUEUE + "\n  role w { }"), ["TJ0803", "names a queue, which is a field", 'write it in the job: queue = "ml"'], status=1)
t.case("Kueue's label in a job, followed", JOB('queue = "ml"\n  role w { }'), "kueue.x-k8s.io/queue-name: ml", command="compile", status=0)
t.case("Kueue's label in a role", W(QUEUE), ["TJ0803", 'queue = "ml"'], status=1)
t.case("Kueue's label in a gang of Kueue", JOB('gang = "kueue"\n  ' + QUEUE + "\n  role w { }"), lacks="TJ0803", status=0)
t.case("Volcano's queue", JOB(VOLCANO + "\n  role w { }"), ["TJ0803", 'queue = "ml", gang = "volcano"'], status=1)
t.case("Volcano's queue, followed", JOB('queue = "ml", gang = "volcano"\n  role w { }'), "queue: ml", command="compile", status=0)

# ---- Kueue counts pod sets: each replicated Job of a set is one ----
OWN = 'job "c" {\n  image = "a/b:1"\n  command = ["t"]\n  %s\n  role w { replicas = %d, cpu = 1, memory = 1Gi, mounts { "/c" = own_claim("c", 1Gi, keep = true) } }\n}\n'

# an elastic role in a queue: Kueue starts it with what fits, or keeps it resizable, and refuses both at once
ELASTIC = 'job "e" {\n  image = "a/b:1"\n  command = ["t"]\n%s  role w { replicas = %s, cpu = 1, memory = 1Gi, %s }\n}\n'
LEAST, EQUAL, RESIZE = "kueue.x-k8s.io/job-min-parallelism", "kueue.x-k8s.io/job-completions-equal-parallelism", "kueue.x-k8s.io/elastic-job"
BY_HAND = 'annotations { "%s" = "%s" }'
IN_QUEUE = '  queue = "ml"\n'
for what, top, sizes, more, says, lacks, target in (
        ("", IN_QUEUE, "2:8", "", [LEAST + ': "2"', EQUAL + ': "true"'], (), "jobs"),
        (", from 0", IN_QUEUE + '  success = done(s)\n  role s { cpu = 1, memory = 1Gi }\n', "0:8", "", LEAST + ': "1"', (), "jobs"),
        (", a limit that does not follow", IN_QUEUE, "2:8", "retries = 3", "backoffLimitPerIndex: 3", "maxFailedIndexes", "jobs"),
        (", of a fixed size", IN_QUEUE, "8", "", "queue-name: ml", LEAST, "jobs"),
        (", of a range that is one size", IN_QUEUE, "8:8", "", "queue-name: ml", LEAST, "jobs"),
        (", without a queue", "", "2:8", "retries = 3", "maxFailedIndexes: 6", LEAST, "jobs"),
        (", as pods", IN_QUEUE, "2:8", "", 'pod-group-total-count: "8"', LEAST, "pods"),
        (", resizable", IN_QUEUE, "2:8", "retries = 3, " + BY_HAND % (RESIZE, "true"), [RESIZE + ': "true"', "maxFailedIndexes: 6"], LEAST, "jobs"),
        (", not resizable", IN_QUEUE, "2:8", BY_HAND % (RESIZE, "false"), LEAST, (), "jobs"),
        (", in segments", IN_QUEUE, "4:8", 'place = near("zone", each = 4)', "podset-slice-size", LEAST, "jobs"),
        (", of another queue", IN_QUEUE + '  gang = "volcano"\n', "2:8", "", "queue: ml", LEAST, "jobs")):
    t.case("an elastic role in a queue" + what, ELASTIC % (top, sizes, more), says, lacks, command="compile", args=("--target", target))
t.case("Kueue's minimum by hand", ELASTIC % (IN_QUEUE, "2:8", BY_HAND % (LEAST, "3")), "is written by trainc", status=1)
t.case("Kueue's minimum by hand, of a fixed size", ELASTIC % (IN_QUEUE, "8", BY_HAND % (LEAST, "3")), LEAST + ': "3"', command="compile", status=0)
for version, off in (("0.17", True), ("0.18", False), ("0.19", False)):
    t.case("resizable in Kueue " + version, ELASTIC % (IN_QUEUE, "2:8", BY_HAND % (RESIZE, "true")), ["TJ0824", "alpha feature of Kueue before 0.18"] if off else (),
           () if off else "TJ0824", files={"project.tj": 'project { addons { kueue = "%s" } }\n' % version}, status=0)
for place, refused in (('near("rack")', True), ('prefer("rack")', True), ("pack", False)):
    t.case("resizable with place = " + place, ELASTIC % (IN_QUEUE, "2:8", "place = %s, " % place + BY_HAND % (RESIZE, "true")),
           ["TJ0828", "Kueue refuses a Job that can be resized"] if refused else (), () if refused else "TJ0828",
           files={"project.tj": 'project { topology = ["example.com/rack"] }\n'}, status=1 if refused else 0)
for what, mount, says, status in (
        ("without a size", 'scratch("d")', "emptyDir: {}", 0), ("in memory without a size", 'scratch("d", medium = "memory")', "medium: Memory", 0),
        ("of size 0", 'scratch("d", 0Gi)', ["TJ0610", "for no limit leave the size out"], 1),
        ("by its size alone", "scratch(8Gi)", ["TJ0318", 'scratch("data", 8Gi)'], 1)):
    t.case("scratch " + what, W('mounts { "/d" = %s }' % mount), says, lacks="sizeLimit" if not status else (), command="compile", status=status)
t.case("scratch of two sizes", W('mounts { "/d" = scratch("d"), "/e" = scratch("d", 1Gi) }'), ["TJ0614", "without a limit"], status=1)
t.case("/dev/shm on disk without a size", W('mounts { "/dev/shm" = scratch("d") }'), ["TJ0617", "write shm = 8Gi"], status=0)
ROLES = 'job "c" {\n  image = "a/b:1"\n  command = ["t"]\n  queue = "ml"\n%s}\n'
for version, most in ((None, 18), ("0.19", 18), ("0.18", 10), ("0.17", 8), ("0.13", 8)):
    files = {"project.tj": 'project { addons { kueue = "%s" } }\n' % version} if version else None
    for target in ("jobset",):
        what = "pod sets of Kueue %s, %s" % (version, target)
        t.case(what + ", too many", OWN % ('queue = "ml"', most + 1), ["TJ0829", "at most %d pod sets, and this one has %d" % (most, most + 1), "makes the replicas of 'w' differ"],
               args=("--target", target), status=1, files=files)
        t.case(what + ", the most", OWN % ('queue = "ml"', most), lacks="pod sets", args=("--target", target), files=files)
    t.case("pod sets of Kueue %s, no queue" % version, OWN % ("", most + 1), lacks="pod sets", args=("--target", "jobset"), status=0, files=files)
t.case("pod sets of many roles", ROLES % "".join("  role w%d { cpu = 1, memory = 1Gi }\n" % i for i in range(19)), ["TJ0829", "put roles that are alike into one role"], args=("--target", "jobset"), status=1)
t.case("pod sets of many roles, followed", ROLES % "  role w { replicas = 19, cpu = 1, memory = 1Gi }\n", lacks="TJ0829", args=("--target", "jobset"), status=0)
t.case("fit of too many pod sets", OWN % ('queue = "ml"', 20), "TJ0829", lacks="now", command="fit", args=("--target", "jobset", "--nodes", os.path.join(os.getcwd(), "tests/language/nodes/gke.json")), status=1)

# ---- torchrun: the time to save, and exit codes that it hides ----
for framework, size in (("pytorch.torchrun", "2"), ("pytorch.elastic", "1:2"), ("deepspeed.torchrun", "2")):
    def T(role, words='"torchrun", "t.py"'):
        return ('import std.%s\njob "m": %s {\n  image = "r.example.com/t:1"\n  command = [%s]\n  role worker { replicas = %s, cpu = 4, memory = 16Gi, retries = 3, %s }\n}\n'
                % (framework.split(".")[0], framework, words, size, role))
    t.case(framework + ": a long grace reaches the processes", T("grace = 10min"), ["TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "  595\n"], command="env", status=0)
    t.case(framework + ": the usual grace", T("grace = 30s"), lacks="SHUTDOWN_TIMEOUT", command="env", status=0)
    t.case(framework + ": codes that torchrun hides", T("retry_on = [42, 128..255]"), ["torchrun exits with 1", "add 1 to 'retry_on'"], status=0)
    t.case(framework + ": that help", T("retry_on = [1, 42]"), lacks="torchrun exits with 1", status=0)
    t.case(framework + ": a range with 1", T("retry_on = 1..20"), lacks="torchrun exits with 1", status=0)
    t.case(framework + ": a program of its own", T("retry_on = [42]", '"/entry"'), lacks="torchrun exits with 1", status=0)

# ---- limits that are none ----
for name in ("memory", "disk"):
    for form in ("limits { %s = none }", "limits = { %s = none }"):
        t.case(form % name, W('command = ["x"], cpu = 1, %s = 1Gi, %s' % (name, form % name)),
               ["TJ0302", "without a limit of '%s' here, the request is the limit, too" % name, "write limits { unbounded = true }"], status=1)
t.case("limits of a job that are none", JOB('memory = 1Gi, limits { memory = none }\nrole w { command = ["x"] }'), "TJ0302", status=1)
t.case("and with the help", W('command = ["x"], cpu = 1, memory = 1Gi, limits { unbounded = true }'), lacks="limits:", status=0, command="compile")
t.case("no limit of cpu", W('command = ["x"], cpu = 1, memory = 1Gi, limits { cpu = none }'), status=0)
t.case("a limit that a parameter may leave out", "param m: memory? = none\n" + W('command = ["x"], cpu = 1, memory = 1Gi, limits { memory = m }'), status=0)

# ---- variables of whole objects, for all programs of a project ----
FROM = {"project.tj": 'project { defaults { env_from = [config_env("settings"), secret_env("aws", prefix = "AWS_")] } }\n'}
for subject, body, has, hasnot in (("of the defaults", 'role w { command = ["x"] }', ["name: settings", "prefix: AWS_"], ()),
                                   ("that a job replaces", 'env_from = [config_env("mine")]\nrole w { command = ["x"] }', ["name: mine"], ["name: settings"]),
                                   ("that a role replaces", 'role w { command = ["x"], env_from = [] }', (), ["name: settings"]),
                                   ("that a role adds to", 'role w { command = ["x"]\nenv_from += [config_env("mine")] }', ["name: settings", "name: mine"], ()),
                                   ("in an auxiliary role", 'role w { command = ["x"], env_from = [] }\naux v { command = ["x"] }', ["name: settings"], ())):
    t.case("env_from " + subject, JOB(body), has, hasnot, status=0, files=FROM, command="compile")
t.case("env_from of the defaults with a name that a framework reserves", PT(""), "TJ0702", status=1, files={
    "project.tj": 'project { defaults { env_from = secret_env("s") } }\n',
    "a.tj": PT("object s { apiVersion = \"v1\", kind = \"Secret\", metadata { name = \"s\" }, stringData { PET_NNODES = \"1\" } }")})

# ---- programs that start again without end ----
for subject, body, job, said in (("alone", 'restart = "on-failure"', "", True), ("with a timeout", 'restart = "on-failure"', "timeout = 1h", False),
                                 ("with retries", "retries = 10", "", False), ("allowed", 'restart = "on-failure"    # allow TJ0545: meant', "", False),
                                 ("that never end", 'restart = "on-failure", ports { http = 80 }', "success = none", False)):
    t.case("restarts in place, " + subject, JOB('%s\nrole w { command = ["x"]\n %s\n}' % (job, body)), ["TJ0545", "write retries = 10"] if said else (),
           () if said else "TJ0545", status=0)
t.case("restarts in place of the job's field", JOB('restart = "on-failure"\nrole w { command = ["x"] }\nrole v { command = ["x"] }'), "TJ0545", status=0)
t.case("an auxiliary role restarts", JOB('role w { command = ["x"] }\naux v { command = ["x"], restart = "on-failure" }'), lacks="TJ0545", status=0)
t.case("restarts that count for the whole job", '''import std.kubeflow
job "t": kubeflow.tfjob(backoff_limit = 3) { image = "r.example.com/a:1", command = ["x"]
  role worker { replicas = 2, restart = "on-failure" } }
''', lacks="TJ0545", status=0)

# ---- what is lost with one replica ----
LOST = "one lost replica of 'worker' stops the others: 'restarts = 3' in the job would start all of them again"
for subject, body, role, said in (("static", "", "replicas = 4", True), ("one replica", "", "replicas = 1", False), ("with restarts", "restarts = 3", "replicas = 4", False),
                                  ("with retries", "", "replicas = 4, retries = 2", False)):
    t.case("plan of a framework, " + subject, PT(body, role + ", cpu = 4, memory = 16Gi"), LOST if said else (), () if said else "lost replica", status=0, command="plan")
t.case("plan of an elastic framework", PT("", "replicas = 1:4, retries = 3, cpu = 4, memory = 16Gi").replace("torchrun {", "elastic {"), lacks="lost replica", status=0, command="plan")
t.case("plan of replicas without a framework", W('command = ["x"], replicas = 4'), lacks="lost replica", status=0, command="plan")

# ---- rules of older servers ----
for minor, refused in (("1.34", True), ("1.35", False)):        # a server of 1.35 may have UserNamespacesHostNetworkSupport
    t.case("users of its own on the network of the node, Kubernetes " + minor,
           W('command = ["x"], host_network = true\nraw pod { hostUsers = false }'), ["'hostUsers = false' excludes 'hostNetwork'"] if refused else (),
           status=1 if refused else 0, args=("--kubernetes", minor))

# ---- raw blocks that hold for all roles ----
RAW = 'raw pod { shareProcessNamespace = %s }'
HOLDS = '''import std.pytorch
framework ours: pytorch.torchrun { %s }
job "a": ours { image = "r.example.com/a:1", command = ["torchrun", "t.py"], memory = 4Gi, cpu = 1
  %s
  role worker { replicas = 2, %s }
  aux board { command = ["board"], %s }
}
'''


def holds(framework="", job="", role="", aux=""):
    return HOLDS % (framework, job, role, aux)


ON = "shareProcessNamespace: true"
for subject, program, files, count in (
        ("a job", holds(job=RAW % "true"), None, 2), ("a role", holds(role=RAW % "true"), None, 1),
        ("a framework", holds(framework=RAW % "true"), None, 1),
        ("the project's defaults", holds(), {"project.tj": "project { defaults { %s } }\n" % (RAW % "true")}, 2),
        ("defaults, and a job against them", holds(job=RAW % "false"), {"project.tj": "project { defaults { %s } }\n" % (RAW % "true")}, 0),
        ("a job, and a role against it", holds(job=RAW % "true", role=RAW % "false"), None, 1),
        ("a framework, and a job against it", holds(framework=RAW % "true", job=RAW % "false"), None, 0),
        ("a job at times", holds(job="if len([1]) > 1 { %s }" % (RAW % "true")), None, 0)):
    both = t.case("raw pod of " + subject, program, status=0, files=files, command="compile")
    t.note("raw pod of %s, in %d roles" % (subject, count), both.count(ON) != count and "%d roles" % both.count(ON), both)
t.case("raw container of a job, and a sidecar", W("command = [\"x\"]\nsidecar s { image = \"a:1\" }").replace("role w", "raw container { stdin = true }\nrole w"),
       status=0, command="compile", stdout="stdin: true")
t.case("what a role sets is not set again by the job", holds(job="raw pod { hostNetwork = true }", role="host_network = true"),
       ["TJ0902", "'raw pod' sets 'hostNetwork', which the role sets too", "a.tj:4:"], status=1)
t.case("a wrong key of the job's block is reported once", holds(job="raw pod { nonsense = 1 }"), ["TJ0903", "a.tj:4:13"], status=1)
t.case("a reserved variable in the job's block", holds(job='raw container { env = [{ name = "MASTER_ADDR", value = "x" }] }'), "TJ0702", status=1)
t.case("--no-raw and the job's block", holds(job=RAW % "true"), ["TJ0901", "'raw pod' is refused", "a.tj:4:11"], status=1, args=("--no-raw",))
t.case("a policy sees the job's block", holds(job=RAW % "true"), "no shared processes of worker", status=1,
       files={"project.tj": 'project { policies = ["p.tj"] }\n',
              "p.tj": 'policy "p" { for r in cluster.roles { check not has(r.raw.pod, "shareProcessNamespace") else "no shared processes of ${r.name}" } }\n'})
for body in (RAW % "true", ""):
    t.case("the plan has the job's block" if body else "and nothing without it", holds(job=body), ["raw pod keys"] if body else (),
           () if body else "raw pod keys", status=0, command="dump", args=("--plan",))
for what, inside, help in (("raw job", "raw job { backoffLimit = 1 }", "move it into a role"), ("raw pods", "raw pods { }", "did you mean 'pod'?")):
    t.case(what + " of a job", holds(job=inside), help, status=1)
    t.case(what + " of the defaults", holds(), ["the project's defaults", help], status=1, files={"project.tj": "project { defaults { %s } }\n" % inside})
for inside in ("role w { }", 'object o { }', "raw service { type = \"NodePort\" }"):
    t.case("defaults have no " + inside, holds(), ["TJ0203", "the project's defaults"], status=1, files={"project.tj": "project { defaults { %s } }\n" % inside})
t.case("two raw pods of a job", holds(job="%s\n%s" % (RAW % "true", RAW % "true")), "TJ0204", status=1)

t.end()
