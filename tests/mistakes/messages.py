"""What trainc reports about single mistakes, and that its advice fixes them.

    messages.py TRAINC [NAME...]

A case has the program with the mistake, words that the message must have and words that it must not have, and the
program that results from following the help.  That program must have no errors, and must contain, except for blanks,
each piece of code that the case lists. """
import os
import re
import subprocess
import sys
import tempfile

IMAGE = "r.example.com/a:1"


def role(body, before=""):
    return '%sjob "a" {\n  image = "%s"\n  role w { %s }\n}\n' % (before, IMAGE, body)


def job(body, before=""):
    return '%sjob "a" {\n  image = "%s"\n  %s\n}\n' % (before, IMAGE, body)


def torch(body, role="", after=""):
    return """import std.pytorch

job "m": pytorch.torchrun {
  image   = "ghcr.io/acme/t:1.0"
  command = ["torchrun", "t.py"]
  %s
  role worker { replicas = 2, cpu = 4, memory = 16Gi%s }
}
%s""" % (body, role, after)


def framework(body):
    return """framework acme {
  %s
}

job "x": acme {
  image = "%s"
  role worker { replicas = 2 }
}
""" % (body, IMAGE)


HELLO = role("")

# name, program, [words of the message], keywords: never = words that it must not have, right = the program that follows
# the help, code = what the help and that program share, args = the command line, files = others beside the program.
CASES = []


def case(name, wrong, says, never=(), right=None, code=(), args=("check",), files=None):
    CASES.append((name, wrong, says, never, right, code, args, files or {}))


# ---- first contact: each help leads to the program that was meant ----
TWO = 'job "a" {\n  image = "%s"\n  role ps { command = ["t"] }\n  role w { command = ["t"], %%s }\n}\n' % IMAGE
ELASTIC = 'import std.pytorch\njob "m": pytorch.elastic%s {\n  image = "r.example.com/t:1"\n  command = ["torchrun", "t.py"]\n  role worker { %s, cpu = 4, memory = 16Gi, retries = 3 }\n}\n'
TORCH = 'import std.pytorch\n\njob "x"%s\n  image = "r.example.com/t:1"\n  command = ["torchrun", "t.py"]\n  role worker { replicas = 2, cpu = 4, memory = 16Gi }\n}\n'
PORT_FREE = TORCH.replace("memory = 16Gi", 'memory = 16Gi, start_after = "ps"')
case("export in env", role('env { export FOO = "x" }'), ["remove 'export': write 'FOO = ...'"], never=["export_FOO"], right=role('env { FOO = "x" }'))
case("sizes as arguments", ELASTIC % ("(min = 2, max = 8)", ""), ["write a range: replicas = 1:8, in the role"], never=["max_restarts'?"],
     right=ELASTIC % ("", "replicas = 2:8"))
case("start_after of the role itself", PORT_FREE % ': pytorch.torchrun {', ["write 'ready(ROLE)', 'started(ROLE)' or 'done(ROLE)'"], never=["ready(worker)"])
case("start_after as text", TWO % 'start_after = "p"', ["write 'ready(ps)', 'started(ps)' or 'done(ps)'"], never=["ready(w)"], right=TWO % "start_after = done(ps)")
case("depends_on", TWO % 'depends_on = ["ps"]', ["start_after = ready(ps)"], right=TWO % "start_after = done(ps)")
PORT = TORCH.replace("memory = 16Gi", "memory = 16Gi, %s")
case("a port of a role", PORT % (": pytorch.torchrun {", "port = 8080"), ["write 'ports', each with a name: ports { http = 8000 }"], never=["argument of the framework"],
     right=PORT % (": pytorch.torchrun {", "ports { http = 8080 }"))
case("kueue as a field", role('command = ["t"]').replace("role ", 'kueue = "team-a"\n  role ', 1), ['write \'queue\': queue = "team-a"'], never=["gang ="])
case("memory of a raw block without a unit", role('raw container { resources { limits { memory = 64 } } }'), ["memory = 64 bytes: no program starts with so little"],
     right=role('raw container { resources { limits { memory = "64Mi" } } }'))
case("the environment of trainc", HELLO.replace('"%s"' % IMAGE, "env.IMAGE"), ["declare 'param IMAGE: string' at the top, write IMAGE here", "--set IMAGE=..."], never=["self.env"],
     right='param IMAGE: string = "a/b:1"\n' + HELLO.replace('"%s"' % IMAGE, "IMAGE"))
case("an image from a shell", HELLO.replace(IMAGE, "$IMAGE"), ['write "${IMAGE}"', "declare 'param IMAGE: string'"],
     right='param IMAGE: string = "a/b:1"\n' + HELLO.replace(IMAGE, "${IMAGE}"), code=["param IMAGE: string"])
case("an image from a shell that is a parameter", 'param IMAGE: string = "a/b:1"\n' + HELLO.replace(IMAGE, "$IMAGE"), ['write "${IMAGE}"'], never=["declare"])
case("an image from a shell in braces", HELLO.replace(IMAGE, "${IMAGE}"), ["such as 'param IMAGE: string'"], right='param IMAGE: string = "a/b:1"\n' + HELLO.replace(IMAGE, "${IMAGE}"))
case("http with a path alone", role('ports { web = 8000 }, ready = http("/health")'), ['write http("web", "/health")'], never=["its only port"],
     right=role('ports { web = 8000 }, ready = http("web", "/health")'), code=['http("web", "/health")'])
case("http with a path and no port", role('ready = http("/health")'), ['write http("http", "/health")', "ports { http = 8000 }"],
     right=role('ports { http = 8000 }, ready = http("http", "/health")'), code=['http("http", "/health")', "ports { http = 8000 }"])
case("a framework in parentheses", TORCH % "(pytorch.torchrun) {", ["write 'job \"x\": pytorch.torchrun {'"], never=["bodies are written"], right=TORCH % ": pytorch.torchrun {",
     code=['job "x": pytorch.torchrun {'])
case("a framework and a colon", (TORCH % ": pytorch.torchrun:").replace("\n}\n", "\n"), ["write 'job \"x\": pytorch.torchrun {', and '}' at the end"], never=["bodies are written"],
     right=TORCH % ": pytorch.torchrun {", code=['job "x": pytorch.torchrun {'])
case("the current directory", role('workdir = "."'), ['such as "/app"'], never=['"/."'], right=role('workdir = "/app"'), code=['"/app"'])
case("a directory below it", role('workdir = "./src"'), ['such as "/app/src"'], right=role('workdir = "/app/src"'), code=['"/app/src"'])
for module in ("np", "numpy"):
    case(module, 'for a in %s.logspace(-4, -1, 4) job "a-${str(a)}" { image = "%s" }\n' % (module, IMAGE), ["no modules of Python", "[0.1, 0.01]"], never=["param %s" % module],
         right='for a in [1, 2] job "a-${str(a)}" { image = "%s", role w { env { RATE = "${[0.1 * float(i) for i in range(1, 5)][a]}" } } }\n' % IMAGE, code=["[0.1 * float(i) for i in range(1, 5)]"])
case("os.environ", HELLO.replace('"%s"' % IMAGE, 'os.environ["IMAGE"]'), ["declare a 'param'"], never=["param os"])
case("typographic quotes around a version", HELLO.replace('"%s"' % IMAGE, "\u201ca/b:1.4.2\u201d"), ["use the plain quote"], never=["not a number"])
case("devices in limits", role('limits { "nvidia.com/gpu" = 8 }'), ["write 'accelerator'"], never=["its fields are cpu"])
case("a parameter as in a shell", 'param n: int = 4\n' + role('args = ["--n=$n"]'), ["TJ1001", "is inserted by ${n}"], right='param n: int = 4\n' + role('args = ["--n=${n}"]'), code=["${n}"])
for word in ("master", "chief", "launcher"):
    case("a %s of torchrun" % word, torch("role %s { }" % word), ["the first replica of 'worker' is the %s: remove this role" % word], never=["'aux"], right=torch(""))
case("a range of floats", 'for a in range(0.1, 0.5) job "a-${str(a)}" { image = "%s" }\n' % IMAGE, ["'range' counts in whole numbers", "[0.1, 0.2]"])
case("ports without names", role("ports { 8000 }"), ["each port has a name: ports { http = 8000 }"], right=role("ports { http = 8000 }"), code=["ports { http = 8000 }"])
case("a comment with dashes", "-- a comment\n" + HELLO, ["a comment begins with '#'"], never=["YAML"], right="# a comment\n" + HELLO)
case("a comment with dashes in a job", job("-- a comment\n  role w { }"), ["a comment begins with '#'"], never=["brackets"], right=job("# a comment\n  role w { }"))

# ---- plain Jobs that need the runtime: one line, and no target that is refused ----
RAY = 'import std.ray\njob "r": ray.cluster {\n  image = "rayproject/ray:2.40.0"\n  role head { args = ["python", "d.py"], cpu = 4, memory = 16Gi }\n  role worker { replicas = %s, cpu = 8, memory = 32Gi, retries = 3 }\n}\n'
for fixed, program in ((True, RAY % "4"), (False, RAY % "1:4"), (False, ELASTIC % ("", "replicas = 2:8"))):
    can = ["TJ0817", "'trainc run'", "'trainc apply --controller'"] + (["--target jobset"] if fixed else [])
    case("check says briefly what runs it (%s)" % can[-1], program, can, never=["left to you", "kubectl delete"] + ([] if fixed else ["jobset"]))
    case("compile says all of it (%s)" % can[-1], program, can + ["left to you", "kubectl delete"], never=[] if fixed else ["jobset"], args=("compile",))
case("compile says how roles start", TWO % "start_after = done(ps)", ["start role 'w' after done(ps)", "kubectl patch job a-w"], args=("compile",))
case("the target that was proposed", RAY % "4", [], never=["TJ0817"], args=("compile", "--target", "jobset"))

# ---- misplaced declarations ----
case("param in a job", torch("param n: int = 3"), ["move the parameter to the top of the file"], ["param ="],
     right="param n: int = 3\n" + HELLO)
case("param in a framework", framework("param n: int = 3\n  role worker { replicas: int(1..) }\n  success = done(worker)"),
     ["move the parameter to the top of the file", "framework acme(n: int = 3)"], ["param ="],
     right=framework("role worker { replicas: int(1..) }\n  success = done(worker)").replace("acme {", "acme(n: int = 3) {", 1),
     code=["acme(n: int = 3)"])
case("job in a job", torch('job "x" { image = "a/b:1" }'), ["help: jobs do not nest"], ["it has a name in quotes"],
     right=HELLO + HELLO.replace('"a"', '"b"'))
case("assert", framework('role worker { replicas: int(1..) }\n  assert worker.replicas > 1, "x"\n  success = done(worker)'),
     ["check worker.replicas > 1 else \"x\""], ["assert worker {"],
     right=framework('role worker { replicas: int(1..) }\n  check worker.replicas > 1 else "x"\n  success = done(worker)'),
     code=['check worker.replicas > 1 else "x"'])
case("include", 'include "x.tj"\n' + HELLO, ["import \"x.tj\" as x"], ["std.name"], files={"x.tj": "let a = 1\n"},
     right='import "x.tj" as x\n' + role("replicas = x.a"), code=['import "x.tj" as x'])
case("roles as a list", torch('roles = [{ name = "worker", replicas = 2 }]'), ["write a block for each role: role worker { ... }"],
     ["did you mean"], right=torch(""), code=["role worker {"])
case("role with a colon", job("role: worker { replicas = 2 }"), ["help: write 'role worker { ... }'"], right=job("role worker { replicas = 2 }"),
     code=["role worker {"])
case("walrus", role("replicas := 2"), ["help: write 'replicas = 2'"], right=role("replicas = 2"), code=["replicas = 2"])
case("a job without its framework", 'job "m": {\n  image = "a/b:1"\n  role w { }\n}\n',
     ["a framework follows the colon", "remove ':' for a plain job"], right='job "m" {\n  image = "a/b:1"\n  role w { }\n}\n')
case("a framework in quotes", 'import std.pytorch\n\njob "m": "pytorch.torchrun" {\n  image = "a/b:1"\n  role worker { command = ["x"] }\n}\n',
     ["write 'pytorch.torchrun', without quotes"], code=["job \"m\": pytorch.torchrun {"],
     right='import std.pytorch\n\njob "m": pytorch.torchrun {\n  image = "a/b:1"\n  role worker { command = ["x"] }\n}\n')
case("a module in quotes", 'import std.pytorch\n\njob "m": "pytorch" {\n  image = "a/b:1"\n  role worker { command = ["x"] }\n}\n',
     ["a framework follows the colon, without quotes: 'job \"m\": MODULE.FRAMEWORK { ... }'"])
case("framework before the name", 'import std.pytorch\njob pytorch.torchrun "m" { image = "a/b:1" }\n',
     ["job \"m\": pytorch.torchrun"], ['job "pytorch.torchrun"'],
     right='import std.pytorch\njob "m": pytorch.torchrun { image = "a/b:1"\n  role worker { } }\n', code=['job "m": pytorch.torchrun'])

# ---- values ----
case("a bucket as a volume", torch('mounts { "/d" = "s3://bucket/x" }'), ["an object store cannot be mounted"], ['pvc("s3:'],
     right=torch('env { DATA = "s3://bucket/x" }'), code=['env { DATA = "s3://bucket/x" }'])
case("a device with a dash", 'import std.jax\nimport std.tpu\n\njob "m": jax.distributed {\n  image   = "g.io/a:1"\n  command = ["python", "t.py"]\n'
     '  role worker { replicas = 16, accelerator = tpu.v5p-128 }\n}\n', ["write 'tpu.v5p(4x4x4)'"], ["(2x2)"],
     right='import std.jax\nimport std.tpu\n\njob "m": jax.distributed {\n  image   = "g.io/a:1"\n  command = ["python", "t.py"]\n'
     '  role worker { replicas = 16, accelerator = tpu.v5p(4x4x4) }\n}\n', code=["tpu.v5p(4x4x4)"])
case("variables as a list of YAML", torch('env:\n    - name: A\n      value: "b"\n'), ["env { A = \"b\" }"], ["[a, b]"],
     right=torch('env { A = "b" }'), code=['env { A = "b" }'])
case("a list of codes where a range is meant", "param c: range = range(1, 10)\n" + HELLO, ["1..9"], ["0..7"],
     right="param c: range = 1..9\n" + HELLO, code=["param c: range = 1..9"])
case("a method of a text", torch('env { A = "x".upper() }'), ["write 'upper(\"x\")'"], ["..."], right=torch('env { A = upper("x") }'),
     code=['upper("x")'])
for word in ("readonly", "readOnly", "ro"):
    case("a volume that is only read, by the word " + word, torch('mounts { "/d" = pvc("d", %s) }' % word), ["write 'readonly = true'"], ["path ="],
         right=torch('mounts { "/d" = pvc("d", readonly = true) }'), code=["readonly = true"])
for default, type in (('"x"', "string"), ("true", "bool"), ("0.5", "float"), ("5min", "duration"), ("5Gi", "memory"), ("-1", "int"), ('["a", "b"]', "list[string]")):
    case("a parameter without a type, default " + default, job("env { P = \"${p}\" }\n  role w { }", "param p = %s\n" % default),
         ["'param p: %s = %s'" % (type, default)], right=None if "list" in type else job("env { P = \"${p}\" }\n  role w { }", "param p: %s = %s\n" % (type, default)),
         code=["param p: "])
case("a job in an if", "param big: bool = true\nif big {\n  %s}\n" % job("role w { }"), ["for a whole job, loop over a list"],
     right="param big: bool = true\nfor name in if big then [\"train\"] else [] " + job("role w { }").replace('"a"', '"${name}"'),
     code=["else [] job \"${name}\" {"])
case("a home directory", torch('mounts { "~/data" = pvc("d", shared = true) }'), ["a container has no '~'", "an absolute path"], ["/~"],
     right=torch('mounts { "/data" = pvc("d", shared = true) }'))
case("an unknown code", torch("# allow TJ9999: x\n"), ["'trainc explain codes' lists them"], right=torch(""))
case("a role in env() of a test", torch("", after='\ntest "a" {\n  check env("wrker", 0).PET_NODE_RANK == "1" else "x"\n}\n'),
     ["job 'm' has no role 'wrker'", "did you mean 'worker'?"], args=("test",))
case("a scheme before an image", role("").replace(IMAGE, "https://ghcr.io/a/b:1"), ["an image has no scheme: write \"ghcr.io/a/b:1\""],
     ["its registry is not complete"], right=role("").replace(IMAGE, "ghcr.io/a/b:1"), code=['"ghcr.io/a/b:1"'])
case("a file that is missing", 'import "common.tj" as c\n' + HELLO, ["files in this directory: other.tj"], ["a.tj, ", "there are"],
     files={"other.tj": ""})
case("running() as a condition", job("role learner { }\n  role w { start_after = running(learner) }"),
     ["unknown condition 'running'", "'done', 'ready' and 'started'", "write 'started(learner)'"], ["'running' is a field"],
     right=job("role learner { }\n  role w { start_after = started(learner) }"), code=["started(learner)"])
case("finished() behind and", job("success = done(v) and finished(w)\n  role v { }\n  role w { }"), ["unknown condition 'finished'", "write 'done(w)'"],
     right=job("success = done(v) and done(w)\n  role v { }\n  role w { }"), code=["done(w)"])
case("contains", role("") + 'check "abc" contains ":" else "x"\n', ["find(\"abc\", \":\") != none"], ["a check ends with"],
     right=role("") + 'check find("abc", "b") != none else "x"\n')
case("contains in a policy", role("") + 'check cluster.name contains ":" else "x"\n', ["find(cluster.name, \":\") != none"],
     ["a check ends with"])
case("a number in a job's name", 'let lr = 0.1\njob "sweep-lr${lr}-b1" {\n  image = "a/b:1"\n  role w { }\n}\n',
     ['${replace(str(lr), ".", "-")}'], ["did you mean"], code=['job "sweep-lr${replace(str(lr), ".", "-")}-b1"'],
     right='let lr = 0.1\njob "sweep-lr${replace(str(lr), ".", "-")}-b1" {\n  image = "a/b:1"\n  role w { }\n}\n')
case("a number in a sweep's name", 'for lr in [0.1, 0.2] job "lr-${lr}" {\n  image = "a/b:1"\n  role w { }\n}\n',
     ['${replace(str(lr), ".", "-")}'], ["did you mean"])
case("a framework that the module lacks", 'import std.mpi\njob "h": mpi.mpirun {\n  image = "a/b:1"\n  role launcher { }\n}\n',
     ["its frameworks are openmpi, mpich, intel"], ["sshd"])
case("a profile that is missing", "profile prod { }\nprofile dev { }\n" + HELLO, ["did you mean 'prod'?", "the profiles are prod, dev"],
     args=("check", "--profile", "prd"))
case("a port of each replica", role("ports { grid = pod.index + 1 }"), ["port 'grid' must be known at compile time"])
case("a fraction without its zero", role("memory = .5Gi"), ["write '0.5Gi'"], ["quotes"], right=role("memory = 0.5Gi"), code=["memory = 0.5Gi"])
case("a toleration as an object", role('tolerate = [{ key = "gpu", operator = "Exists" }]'), ['write "gpu"'],
     right=role('tolerate = ["gpu"]'), code=['["gpu"]'])
case("a toleration with an effect", role('tolerate = [{ key = "gpu", value = "a", effect = "NoSchedule" }]'), ['write "gpu=a:NoSchedule"'],
     right=role('tolerate = ["gpu=a:NoSchedule"]'), code=['"gpu=a:NoSchedule"'])
case("scratch without a name", role('mounts { "/d" = scratch(8Gi) }'), ['scratch("data", 8Gi)', "shm = 8Gi"],
     right=role('mounts { "/d" = scratch("data", 8Gi) }'), code=['scratch("data", 8Gi)'])
case("a shell's variable in an image", role("", "param version: string = \"1\"\n").replace(IMAGE, "a/b:$version"), ['"a/b:${version}"'],
     right=role("", "param version: string = \"1\"\n").replace(IMAGE, "a/b:${version}"), code=['"a/b:${version}"'])
case("a template in an image", role("").replace(IMAGE, "a/b:{{ .Values.tag }}"), ['"a/b:${tag}"', "param tag: string"], ["a space"],
     right=role("", 'param tag: string = "1"\n').replace(IMAGE, "a/b:${tag}"), code=['"a/b:${tag}"', "param tag: string"])
case("only a template in an image", role("").replace(IMAGE, "{{ .Values.image }}"), ["param image: string", "image = image"], ["a space"])
case("percent", 'let version = "x"\n' + role("").replace('"%s"' % IMAGE, '"a/b:%s" % version'), ['"a/b:${version}"'],
     right='let version = "x"\n' + role("").replace(IMAGE, "a/b:${version}"), code=['"a/b:${version}"'])
case("format", 'let version = "x"\n' + role("").replace('"%s"' % IMAGE, '"a/b:{}".format(version)'), ['"a/b:${version}"'],
     right='let version = "x"\n' + role("").replace(IMAGE, "a/b:${version}"), code=['"a/b:${version}"'])
case("startswith", 'check "abc".startswith("x") else "no"\n' + HELLO, ['starts_with("abc", "x")'], ["has no fields"],
     right='check starts_with("abc", "a") else "no"\n' + HELLO)
case("lambda", "let f = lambda x: x\n" + HELLO, ["'fn f(x: int) -> int = x'"], right="fn f(x: int) -> int = x\n" + HELLO,
     code=["fn f(x: int) -> int = x"])
case("a power", role("memory = 2 ** 10"), ["trainc has no '**'", "1024"], right=role("memory = 1024Mi"))
case("an exponent", role("replicas = 1e3"), ["write 1000"], right=role("replicas = 1000"), code=["replicas = 1000"])

PAIRS = 'let a = [1, 2]\nlet b = [3]\n'
TWO_LOOPS = PAIRS + 'for x in a, y in b job "m-${x}-${y}" {\n  image = "a/b:1"\n  role w { }\n}\n'
case("two loops before a job", TWO_LOOPS.replace(", y in b", " for y in b"), ["a comma joins loops: 'for x in a, y in ...'"],
     ["flatten"], right=TWO_LOOPS, code=["for x in a, y in"])
case("two loops over lists", 'for x in [1, 2] for y in ["p"] job "m-${x}-${y}" {\n  image = "a/b:1"\n  role w { }\n}\n',
     ["a comma joins loops: 'for x in [1, 2], y in ...'"], ["[]"], code=["for x in [1, 2], y in"],
     right='for x in [1, 2], y in ["p"] job "m-${x}-${y}" {\n  image = "a/b:1"\n  role w { }\n}\n')
case("two loops in a list", PAIRS + "let z = [[x, y] for x in a for y in b]\n" + HELLO, ["a comma joins loops: 'for x in a, y in ...'"],
     right=PAIRS + "let z = [[x, y] for x in a, y in b]\n" + HELLO, code=["for x in a, y in"])
case("a claim for each replica", role('replicas = 2, mounts { "/d" = pvc("d-${pod.index}", shared = true) }'),
     ["pvc(\"CLAIM\", path = \"${pod.index}\")"], right=role('replicas = 2, mounts { "/d" = pvc("d", path = "${pod.index}", shared = true) }'),
     code=['path = "${pod.index}"'])
CLAIMED = role('replicas = 2, mounts { "/d" = own_claim("d", 10Gi, keep = true) }')
case("a kept claim by index", role('replicas = 2, mounts { "/d" = pvc("d-${pod.index}", shared = true) }'),
     ["'own_claim(\"NAME\", 10Gi, keep = true)' for a claim that each replica gets"], right=CLAIMED)
case("an index in the name of a claim", role('replicas = 2, mounts { "/d" = own_claim("d-${pod.index}", 10Gi, keep = true) }'),
     ["each replica has a volume of its own under the same name"], right=CLAIMED)
case("a claim without a size", role('mounts { "/d" = own_claim("d") }'), ["'own_claim' needs 'size'", "pvc(\"NAME\") mounts a claim that exists"],
     right=role('mounts { "/d" = pvc("d") }'))
case("a new claim under its usual name", role('mounts { "/d" = claim("d", 10Gi) }'), ["write pvc(\"claim\"), or own_claim(\"name\", 10Gi) for a new one"],
     right=role('mounts { "/d" = own_claim("d", 10Gi) }'))
case("a claim without a name", role('mounts { "/d" = own_claim(10Gi) }'), ["write 'own_claim(\"data\", 10Gi)'"], ["/dev/shm"],
     right=role('mounts { "/d" = own_claim("data", 10Gi) }'), code=['own_claim("data", 10Gi)'])
case("a claim of a size", role('mounts { "/d" = pvc("d", size = 10Gi) }'), ["pvc mounts a claim that exists; own_claim(\"NAME\", 10Gi) makes one"],
     ["its arguments are"], right=role('mounts { "/d" = own_claim("d", 10Gi) }'))
case("a storage class", role('mounts { "/d" = own_claim("d", 10Gi, storageClassName = "fast") }'), ["the argument is 'class'"],
     right=role('mounts { "/d" = own_claim("d", 10Gi, class = "fast") }'))
case("an access mode", role('mounts { "/d" = own_claim("d", 10Gi, mode = "ReadWriteMany") }'), ["pvc(\"NAME\", shared = true)"],
     right=role('mounts { "/d" = pvc("d", shared = true) }'))
case("an ephemeral volume", role('mounts { "/d" = ephemeral("d", 10Gi) }'), ["write own_claim(\"name\", 10Gi)"],
     right=role('mounts { "/d" = own_claim("d", 10Gi) }'))
case("claim templates", role('volumeClaimTemplates = [{ name = "d" }]'), ["mounts { \"/data\" = own_claim(\"name\", 10Gi, keep = true) }"],
     right=role('mounts { "/data" = own_claim("name", 10Gi, keep = true) }'), code=['mounts { "/data" = own_claim("name", 10Gi, keep = true) }'])
case("an exit code that is none", role("retry_on = [300], retries = 1"), ["exit codes are 1 to 255"], ["300..300"],
     right=role("retry_on = [42], retries = 1"))
case("zone", role('zones = ["b"]'), ['zone = ["b"]'], right=role('zone = ["b"]'), code=['zone = ["b"]'])
case("spot", role("spot = true"), ["'import std.spot' and '...spot.gke'", "'node'", "'tolerate'"], right="import std.spot\n" + role("...spot.gke"))

# ---- types ----
case("the fields of a record behind a colon", role("limits: { cpu = 3 }"), ["write 'limits { ... }', without ':'"],
     right=role("limits { cpu = 3 }"), code=["limits {"])
case("a record type with values", "param a: { name = string }\n" + HELLO, ["write 'NAME: TYPE', or 'NAME: TYPE = DEFAULT'"],
     right='param a: { name: string } = { name = "x" }\n' + HELLO)
case("string[]", 'param n: string[] = ["a"]\n' + role("args = n"), ["'list[string]'"], right='param n: list[string] = ["a"]\n' + role("args = n"),
     code=["list[string]"], never=["no value named"])
case("alternatives", 'param n: "a" | "b" = "a"\n' + role("args = [n]"), ["'enum(\"a\", \"b\")'"],
     right='param n: enum("a", "b") = "a"\n' + role("args = [n]"), code=['enum("a", "b")'], never=["no value named"])
case("a text as a type", 'param n: "a" = "a"\n' + role("args = [n]"), ["'enum(\"a\")'"], never=["no value named"])
case("int(>=1)", "param n: int(>=1) = 2\n" + role("replicas = n"), ["'int(1..)'"], right="param n: int(1..) = 2\n" + role("replicas = n"),
     code=["int(1..)"], never=["no value named"])
case("int(<=8)", "param n: int(<=8) = 2\n" + role("replicas = n"), ["'int(..8)'"], right="param n: int(..8) = 2\n" + role("replicas = n"),
     code=["int(..8)"])
case("int(min = 1)", "param n: int(min = 1) = 2\n" + role("replicas = n"), ["'int(1..)'"], never=["no value named"])
case("int[1..8]", "param n: int[1..8] = 2\n" + role("replicas = n"), ["'int(1..8)'"], right="param n: int(1..8) = 2\n" + role("replicas = n"),
     code=["int(1..8)"], never=["no value named"])
case("a type behind '='", framework("role worker { replicas = int(1..) }\n  success = done(worker)"), ["'replicas: int(1..)'"],
     right=framework("role worker { replicas: int(1..) }\n  success = done(worker)"), code=["replicas: int(1..)"])
case("a parameter whose type did not parse", "param n: foo.bar( = 1\n" + role("replicas = n"), [], never=["no value named 'n'"])

# ---- names ----
case("a condition on an unknown role", job("role db { }\n  role w { start_after = ready(dbs) }"), ["no role named 'dbs'", "did you mean 'db'?"])
case("a condition on a far role", job("role w { start_after = ready(learner) }\n  role trainer { }"),
     ["no role named 'learner'", "the roles are w, trainer"])
case("all()", job("success = all(w)\n  role w { }"), ["write 'done(w)'"], right=job("success = done(w)\n  role w { }"), code=["done(w)"])
case("now()", 'job "m-${now()}" {\n  image = "a/b:1"\n  role w { }\n}\n', ["the compiler reads no clock", "param"])
case("an undeclared value", 'job "m-${user}" {\n  image = "a/b:1"\n  role w { }\n}\n', ["'param user: string'"],
     right='param user: string = "me"\njob "m-${user}" {\n  image = "a/b:1"\n  role w { }\n}\n', code=["param user: string"])
case("an undeclared flag", role("if fast { cpu = 1 }"), ["'param fast: bool'"], right="param fast: bool = true\n" + role("if fast { cpu = 1 }"),
     code=["param fast: bool"])
case("a far name", 'param nodes: int = 1\n' + role("replicas = zzyzzyxxx"), ["the only name in this file is nodes"])
case("setup", role('setup = "pip install x"'), ["init", "image"], right=role("") + "")
case("run", role('run = "python t.py"'), ["command = [\"python\", \"train.py\"]"])
case("gpu_memory", role("gpu_memory = 40Gi"), ["accelerator"])
case("rdma", role("rdma = 1"), ["resources {"])
case("apiVersion in a job", job('apiVersion = "v1"\n  role w { }'), ["the compiler writes 'apiVersion' and 'kind'"])

# ---- parameters of the command line ----
case("--set with a list of numbers", "param t: list[int] = []\n" + role("replicas = len(t) + 1"), ["--set 't=[1,2,3]'"],
     args=("check", "--set", "t=1,2,3"))
case("--set with a list of texts", "param t: list[string] = []\n" + role("args = t"), ["--set 't=[\"a\",\"b\"]'"], args=("check", "--set", "t=a,b"))
case("--set with text for a number", "param n: int = 1\n" + role("replicas = n"), ["'n' is an int", "--set n=4"], ["no value named"],
     args=("check", "--set", "n=abc"))

# ---- files of other kinds ----
case("an import of values", 'import "x.yaml" as x\n' + HELLO, ["pass values with '--params x.yaml'"], files={"x.yaml": "lr: 1\n"})
case("an import of a manifest", 'import "x.yaml" as x\n' + HELLO, ["'trainc import x.yaml'"],
     files={"x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"})
case("an import of values without a name", 'import "x.yaml"\n' + HELLO, ["pass values with '--params x.yaml'"], ["x.yaml.tj"],
     files={"x.yaml": "lr: 1\n"})
case("a program for import", HELLO, ["'a.tj' is a trainc program", "trainc compile a.tj"], args=("import",))

# ---- what people first write about readiness, sweeps and bundles ----
case("two lists in product", PAIRS + 'for x, y in product(a, b) job "m-${x}" {\n  image = "a/b:1"\n  role w { }\n}\n',
     ["for all pairs of two lists write two loops: 'for x in a, y in b'"], ["takes fewer"], right=TWO_LOOPS, code=["for x in a, y in b"])
case("contains on a list", 'let xs = ["a"]\ncheck xs.contains("a") else "no"\n' + HELLO, ['write \'"a" in xs\''], ["has no fields", "find"],
     right='let xs = ["a"]\ncheck "a" in xs else "no"\n' + HELLO, code=['"a" in xs'])
case("contains between a list and an element", 'let xs = ["a"]\ncheck xs contains "a" else "no"\n' + HELLO, ['in a list \'"a" in xs\''],
     right='let xs = ["a"]\ncheck "a" in xs else "no"\n' + HELLO, code=['"a" in xs'])
case("a list of a type", "param n: [string] = []\n" + role("args = n"), ["write 'list[string]'"],
     right="param n: list[string] = []\n" + role("args = n"), code=["list[string]"])
case("an enum in brackets", 'param n: enum["a", "b"] = "a"\n' + role("args = [n]"), ["write 'enum(\"a\", \"b\")'"],
     right='param n: enum("a", "b") = "a"\n' + role("args = [n]"), code=['enum("a", "b")'])
case("int(<8)", "param n: int(<8) = 2\n" + role("replicas = n"), ["write 'int(..7)'"],
     right="param n: int(..7) = 2\n" + role("replicas = n"), code=["int(..7)"])
case("int(>0)", "param n: int(>0) = 2\n" + role("replicas = n"), ["write 'int(1..)'"],
     right="param n: int(1..) = 2\n" + role("replicas = n"), code=["int(1..)"])
NAMED = 'for m in ["Llama_3.1", "b"] job "a-${%s}" {\n  image = "a/b:1"\n  role w { }\n}\n'
FIXED = 'lower(replace(replace(str(m), "_", "-"), ".", "-"))'
case("letters of a sweep's names", NAMED % "m", ["write '${%s}' in place of '${m}'" % FIXED], right=NAMED % FIXED, code=[FIXED])
case("a port by its number", role("ready = tcp(8080)"), ["ports { http = 8080 }", "write \"http\""], ['write "8080"'],
     right=role('ports { http = 8080 }, ready = tcp("http")'), code=["ports { http = 8080 }"])
case("a port by its number in quotes", role('ready = tcp("8080")'), ["ports { http = 8080 }", "write \"http\""], ["8080 = 8000"],
     right=role('ports { http = 8080 }, ready = tcp("http")'), code=["ports { http = 8080 }"])
for word in ("readinessProbe", "startupProbe", "readiness", "healthcheck"):
    case("%s of a role" % word, role('%s = "x"' % word), ['ports { http = 8000 }, ready = http("http", "/health")'], ["raw container"],
         right=role('ports { http = 8000 }, ready = http("http", "/health")'), code=['ready = http("http", "/health")'])
case("ready() of one replica", job("role s { replicas = 2 }\n  role w { start_after = ready(s, 0) or ready(s, any = true) }"),
     ["'ready' covers all replicas, or any one of them", "'ready(R, any = true)'"], ["any = 0", "needs a bool"],
     right=job("role s { replicas = 2 }\n  role w { start_after = ready(s, any = true) }"))
case("a JobSet and any of a role", job('role s { replicas = 2, ready = exec(["true"]) }\n  role w { start_after = ready(s, any = true) }'),
     ["wait for the whole role with 'ready(s)'"], ["'done(s)'"], args=("check", "--target", "jobset"), code=["ready(s)"],
     right=job('role s { replicas = 2, ready = exec(["true"]) }\n  role w { start_after = ready(s) }'))
case("a role that the framework does not have", torch("", after="").replace("role worker", "role actor { command = [\"a\"] }\n  role worker"),
     ["'aux actor'", "set 'other_roles = true' in the job"], code=["other_roles = true"],
     right=torch("other_roles = true").replace("role worker", "role actor { command = [\"a\"] }\n  role worker"))
case("a role's bundle in a sidecar", role('sidecar s { ...x }', 'let x: Role = { image = "a/b:1", replicas = 3 }\n'),
     ["'replicas' of a Role has no place in a sidecar", "declare what is inserted as 'Sidecar'"], ["'pull'", "move it"],
     right=role('sidecar s { ...x }', 'let x: Sidecar = { image = "a/b:1" }\n'))
case("a sidecar's bundle in an init container", role('init s { ...x }', 'let x: Sidecar = { image = "a/b:1", ready = exec(["x"]) }\n'),
     ["'ready' of a Sidecar has no place in an init container"], right=role('init s { ...x }', 'let x: Sidecar = { image = "a/b:1" }\n'))
case("a list of refused codes", HELLO + 'test "x" { refuses = ["TJ0311"] }\n', ["without brackets"], ["needs the code"], args=("test",))

# ---- a wrap that sets what its framework reserves ----
WRAPPED = """import std.pytorch
framework f(): pytorch.torchrun {
  %s
}
job "a": f {
  image   = "a/b:1"
  command = ["torchrun", "t.py"]
  role worker { replicas = 2, cpu = 1, memory = 1Gi }
}
"""
for body in ('env { RANK = "1" }', 'role worker { env { RANK = "1" } }', 'if true { env { RANK = "1" } }'):
    case("a reserved name in a wrap: " + body, WRAPPED % body, ["TJ0702", "a.tj:3:"], ["would set it here", "note:"],
         right=WRAPPED % 'env { OTHER = "1" }')
case("a set name in a wrap", WRAPPED % 'env { PET_NNODES = "1" }', ["TJ0702", "std/pytorch.tj", "change 'replicas' instead"],
     right=WRAPPED % "role worker { replicas = 1 }")

# ---- constructs of other languages ----
ONE = 'let n = 1\n'
case("taking from a list", role('tolerate -= ["a"]'), ["nothing is taken from a list", "write 'tolerate = [ ... ]' with all that is left"],
     ["a key with a character"], right=role('tolerate = ["b"]'))
case("taking from a map", role('env -= { A = "b" }'), ["nothing is taken from a map", "write 'env = { ... }' with all that is left"],
     ["a key with a character"], right=role('env = { A = "b" }'))
case("append", role('tolerate.append("a")'), ["write 'tolerate += [\"a\"]'"], ["in braces"], right=role('tolerate += ["a"]'),
     code=['tolerate += ["a"]'])
case("extend", role('args.extend(["a", "b"])'), ["write 'args += [\"a\", \"b\"]'"], ["in braces"], right=role('args += ["a", "b"]'),
     code=['args += ["a", "b"]'])
case("update", role('env.update({ A = "b" })'), ["write 'env { A = \"b\" }'"], ["in braces"], right=role('env { A = "b" }'),
     code=['env { A = "b" }'])
case("a call of a field", role('labels.clear()'), ["a field is set with '='"], ["in braces"])
MAPS = 'let a = { A = "1" }\nlet b = { B = "2" }\n'
case("two records added", MAPS + "let c = a + b\n" + role("env { ...c }"), ["write '{ ...a, ...b }'"],
     right=MAPS + "let c = { ...a, ...b }\n" + role("env { ...c }"), code=["{ ...a, ...b }"])
case("two records joined", role("env = a | b", MAPS), ["write '{ ...a, ...b }'"], right=role("env = { ...a, ...b }", MAPS),
     code=["{ ...a, ...b }"])
case("two maps added", 'param a: map[string] = { A = "1" }\nparam b: map[string] = { B = "2" }\nlet c = a + b\n' + role("env { ...c }"),
     ["write '{ ...a, ...b }'"], code=["{ ...a, ...b }"],
     right='param a: map[string] = { A = "1" }\nparam b: map[string] = { B = "2" }\nlet c = { ...a, ...b }\n' + role("env { ...c }"))
case("a record and its own entries", role('env = a + { B = "2" }', MAPS.split("\n")[0] + "\n"), ["write '{ ...a, B = \"2\" }'"],
     right=role('env = { ...a, B = "2" }', MAPS.split("\n")[0] + "\n"), code=['{ ...a, B = "2" }'])
MAYBE = "param n: int? = none\n" + role("replicas = n ?? 1")
for word in ("int | none", "int | null", "int|None", "none | int", "int or none", "Optional[int]", "Maybe[int]", "Option<int>", "optional int"):
    case("%s as a type" % word, MAYBE.replace("int?", word), ["write 'int?'"], ["rename it", "no value named"], right=MAYBE, code=["int?"])
case("Optional", MAYBE.replace("int?", "Optional"), ["write 'string?'"])
case("none in a list's type", "param n: list[int | none] = []\n" + HELLO, ["write 'int?'"], right="param n: list[int?] = []\n" + HELLO)
case("none in a result's type", "fn f(n: int) -> int | none = n\n" + HELLO, ["write 'int?'"], right="fn f(n: int) -> int? = n\n" + HELLO)
case("an arrow function", "let f = x => x + 1\n" + HELLO, ["'fn f(x: int) -> int = x + 1'"], ["compares"],
     right="fn f(x: int) -> int = x + 1\n" + HELLO, code=["fn f(x: int) -> int = x + 1"])
case("an arrow function of two", "let f = (x, y) => x + y\n" + HELLO, ["'fn f(x: int, y: int) -> int = x + y'"], ["compares"],
     right="fn f(x: int, y: int) -> int = x + y\n" + HELLO, code=["fn f(x: int, y: int) -> int = x + y"])
case("an arrow function in map", "let xs = [1]\nlet f = map(xs, x => x + 1)\n" + HELLO, ["write '[x + 1 for x in xs]'"],
     right="let xs = [1]\nlet f = [x + 1 for x in xs]\n" + HELLO, code=["[x + 1 for x in xs]"])
case("an arrow function in an argument", "let f = g(x => x + 1)\n" + HELLO, ["'fn f(x: int) -> int = x + 1'"], ["compares"])
case("pow()", role("replicas = pow(2, 3)"), ["trainc has no 'pow'; 2 to the power of 3 is 8"], ["2:3", "range of replicas"],
     right=role("replicas = 8"))
case("pow() of names", ONE + "let m = pow(n, 3)\n" + HELLO, ["trainc has no 'pow'; multiply with '*'"],
     right=ONE + "let m = n * n * n\n" + HELLO)
for cut in ("[0:2]", "[:2]"):
    case("a part of a text: " + cut, role('env { A = "abc"%s }' % cut), ["write 'cut(\"abc\", 2)'"], right=role('env { A = cut("abc", 2) }'),
         code=['cut("abc", 2)'])
    case("a part of a named text: " + cut, role("env { A = s%s }" % cut, 'let s = "abc"\n'), ["write 'cut(s, 2)'"],
         right=role("env { A = cut(s, 2) }", 'let s = "abc"\n'), code=["cut(s, 2)"])
case("the end of a text", role("env { A = s[1:] }", 'let s = "abc"\n'), ["'cut(text, n)'", "the first n characters"],
     right=role("env { A = cut(s, 1) }", 'let s = "abc"\n'))
case("a letter of a text", role("env { A = s[0] }", 'let s = "abc"\n'), ["'cut(text, n)'"])
case("a part of a list", "let xs = [1, 2]\nlet y = xs[0:1]\n" + HELLO, ["write '[xs[i] for i in range(0, 1)]'"],
     right="let xs = [1, 2]\nlet y = [xs[i] for i in range(0, 1)]\n" + HELLO, code=["[xs[i] for i in range(0, 1)]"])
case("braces of a template", role("replicas = {{ n }}", ONE), ["write 'n'"], right=role("replicas = n", ONE))
case("braces of a template in env", role("env { A = {{ n }} }", ONE), ["write 'n'"], right=role("env { A = n }", ONE))
case("a value of a chart", role("replicas = {{ .Values.nodes }}"), ["write 'nodes'", "'param nodes: int'"],
     right=role("replicas = nodes", "param nodes: int = 2\n"))
case("percent with a tuple", role('env { A = "%s-%d" % (n, n) }', ONE), ['write "${n}-${n}"'], right=role('env { A = "${n}-${n}" }', ONE),
     code=['"${n}-${n}"'])
LISTS = "let a = [1]\nlet b = [2]\n"
case("zip", LISTS + "let z = zip(a, b)\n" + HELLO, ["write '[[x, b[i]] for i, x in a]'"],
     right=LISTS + "let z = [[x, b[i]] for i, x in a]\n" + HELLO, code=["[[x, b[i]] for i, x in a]"])
ZIPPED = LISTS + 'for %s job "m-${x}-${y}" {\n  image = "a/b:1"\n  role w { }\n}\n'
case("zip in a loop", ZIPPED % "x, y in zip(a, b)", ["'for i, x in a'", "b[i]"], ["[[x"],
     right=(ZIPPED % "i, x in a").replace("${y}", "${b[i]}"), code=["for i, x in a"])
case("enumerate", LISTS + "let z = [i for i, x in enumerate(a)]\n" + HELLO, ["'for i, x in a'"],
     right=LISTS + "let z = [i for i, x in a]\n" + HELLO, code=["for i, x in a"])
WRAP = "import std.pytorch\nframework f%s\n" + HELLO
RIGHT = WRAP % "(): pytorch.torchrun { }"
for head in (" extends pytorch.torchrun { }", " = pytorch.torchrun", "() = pytorch.torchrun { }", "() extends pytorch.torchrun { }",
             " from pytorch.torchrun { }", " wraps pytorch.torchrun { }", "(pytorch.torchrun) { }", " extends pytorch.torchrun"):
    case("a wrap as f%s" % head, WRAP % head, ["write 'framework f(): pytorch.torchrun { ... }'"], ["has a type"], right=RIGHT,
         code=["framework f(): pytorch.torchrun {"])
case("a wrap without a body", WRAP % "(): pytorch.torchrun", ["'framework f(): pytorch.torchrun { ... }'"], ["'framework f {"], right=RIGHT)
RETRIED = role("retries = 2, retry_on = %s")
for value in ('["OOMKilled"]', '"OOMKilled"', '["OOMKilled", 42]', "OOMKilled", "[oom]"):
    case("a reason in retry_on: " + value, RETRIED % value, ["exit codes, not reasons", "'retry_on = [137]'"], right=RETRIED % "[137]",
         code=["retry_on = [137]"])
case("another reason in retry_on", RETRIED % '["Error"]', ["exit codes, not reasons", "'retry_on = [1..255]'"],
     right=RETRIED % "[1..255]", code=["retry_on = [1..255]"])
case("a bucket before its path", role('mounts { "s3://bucket/x" = "/d" }'), ["an object store cannot be mounted"], ["path comes first"],
     right=role('env { DATA = "s3://bucket/x" }'), code=['env { DATA = "s3://bucket/x" }'])
case("a bucket as a path", role('mounts { "s3://bucket/x" = pvc("d", shared = true) }'), ["an object store cannot be mounted"],
     ['"/s3:'], right=role('mounts { "/data" = pvc("d", shared = true) }'))
case("an address in env as Kubernetes writes it", job("env = [{name: A, value: 10.0.0.1}]\n  role w { }"), ["write 'env { A = \"10.0.0.1\" }'"],
     ["is not a number"], right=job('env { A = "10.0.0.1" }\n  role w { }'), code=['env { A = "10.0.0.1" }'])
LOOPED = """import std.pytorch

%s {
  image   = "ghcr.io/acme/t:1.0"
  command = ["torchrun", "t.py"]
  role worker { cpu = 4, memory = 16Gi }
}
"""
LOOP_RIGHT = LOOPED % 'for lr in [1, 2] job "m-${lr}": pytorch.torchrun'
LOOP_CODE = ['for lr in [1, 2] job "m-${lr}": pytorch.torchrun {']
DEVICE = 'import std.nvidia\n'

case("a loop before the framework", LOOPED % 'job "m-${lr}" for lr in [1, 2]: pytorch.torchrun', ["the loop comes before the job", *[x + " ... }" for x in LOOP_CODE]],
     ["open the body"], right=LOOP_RIGHT, code=LOOP_CODE)
case("a loop after the framework", LOOPED % 'job "m-${lr}": pytorch.torchrun for lr in [1, 2]', ["the loop comes before the job", *[x + " ... }" for x in LOOP_CODE]],
     ["open the body"], right=LOOP_RIGHT, code=LOOP_CODE)
case("a loop after a plain job", 'job "a-${n}" for n in [1, 2] {\n  image = "%s"\n  role w { }\n}\n' % IMAGE, ["write 'for n in [1, 2] job \"a-${n}\" { ... }'"],
     right='for n in [1, 2] job "a-${n}" {\n  image = "%s"\n  role w { }\n}\n' % IMAGE)
case("a loop after a colon", LOOPED % 'job "m-${lr}": for lr in [1, 2]', ["write 'for lr in [1, 2] job \"m-${lr}\" { ... }'"],
     right='for n in [1, 2] job "a-${n}" {\n  image = "%s"\n  role w { }\n}\n' % IMAGE)
case("a loop before a brace on the next line", 'job "a-${n}" for n in [1, 2]\n{\n  image = "%s"\n  role w { }\n}\n' % IMAGE, ["write 'for n in [1, 2] job \"a-${n}\" { ... }'"],
     ["'job { ... }'"], right='for n in [1, 2] job "a-${n}" {\n  image = "%s"\n  role w { }\n}\n' % IMAGE)
case("a loop of Python", LOOPED % 'for lr in [1, 2]:\n  job "m-${lr}": pytorch.torchrun', ["a loop of jobs has no ':'", "write 'for lr in [1, 2] job"],
     ["reserved word"], right=LOOP_RIGHT)
case("a matrix", job("matrix { seed = [1, 2] }\n  role w { }"), ['for seed in [1, 2] job "train-${seed}" { ... }'],
     right='for seed in [1, 2] job "train-${seed}" {\n  image = "%s"\n  role w { }\n}\n' % IMAGE)
case("a text in backticks", role("env { A = `x` }"), ["strings are written in double quotes"], right=role('env { A = "x" }'))
case("an arrow of two signs for '='", job("timeout => 1h\n  role w { }"), ["write 'timeout = 1h'"], ["a function"], right=job("timeout = 1h\n  role w { }"),
     code=["timeout = 1h"])
case("an arrow for '='", role('env { A -> "1" }'), ["write 'A = \"1\"'"], right=role('env { A = "1" }'), code=['A = "1"'])
case("an arrow without a value", job("timeout =>\n  role w { }"), ["write 'timeout = ...'"], ["= role"], right=job("timeout = 1h\n  role w { }"))
case("a variable by its index without a value", job('env["A"] =\n  role w { }'), ["write 'env { A = ... }'"], ["= role"], right=job('env { A = "1" }\n  role w { }'))
case("lists joined with two signs", role('args = ["a"] ++ ["b"]'), ["lists are joined with '+'"], right=role('args = ["a"] + ["b"]'))
case("a list in a list", role("args = [*xs, \"b\"]", 'let xs = ["a"]\n'), ["'xs + [...]'"], right=role('args = xs + ["b"]', 'let xs = ["a"]\n'))
case("a map in a map", role('env { **common, B = "1" }', 'let common = { A = "1" }\n'), ["are written '...common'"],
     right=role('env { ...common, B = "1" }', 'let common = { A = "1" }\n'), code=["...common"])
case("a comma in a number", role("env { A = 1,000 }"), ["a comma separates items: write '1_000'"], right=role("env { A = 1_000 }"), code=["1_000"])
case("two commas in a number", role("env { A = 1,000,000 }"), ["a comma separates items: write '1_000_000'"], ["1_000'", "2 errors"], right=role("env { A = 1_000_000 }"), code=["1_000_000"])
case("the size of a claim that exists", role('mounts { "/d" = pvc("d", 100Gi) }'), ["'pvc' takes no size", 'own_claim("NAME", 10Gi)'], ["path"],
     right=role('mounts { "/d" = own_claim("d", 10Gi) }'))
case("a device with its number", role("accelerator = H100:8", DEVICE), ["write 'nvidia.h100(8)'"], ["param"], right=role("accelerator = nvidia.h100(8)", DEVICE),
     code=["nvidia.h100(8)"])
case("a module of all devices", role("accelerator = gpu.h100(8)", "import std.gpu\n"), ["has no module 'gpu'", "a device of a module, such as MODULE.DEVICE(8)"],
     ["tpu"])
case("the maker of a device", role("", "import std.google\n"), ["did you mean 'std.tpu'? It mentions 'google'"], right=role("", "import std.tpu\n"), code=[])
for word in ("http", "storage", "core"):
    case("a module of another language: " + word, role("", "import std.%s\n" % word), ["has no module '%s'" % word, "'trainc explain' lists its modules"], ["did you mean"])
for value in ("1:4", "4 == 4", '"a" == "b"'):
    case("a parameter without a type, with an expression: " + value, "param n = %s\n" % value + HELLO, ["'param n: int = 4'"], ["= " + value + "'"], right="param n: int = 4\n" + HELLO)
TAGGED = 'param version: string = "3"\n\njob "a" {\n  image = "r.example.com/a:%s"\n  role w { }\n}\n'
PUT = ['write "r.example.com/a:${version}"']
case("a variable by its index", role('env["A"] = "1"'), ["write 'env { A = \"1\" }'"], right=role('env { A = "1" }'), code=['env { A = "1" }'])
case("a pair in one text", role('env { "A=1" }'), ["write 'A = \"1\"'"], right=role('env { A = "1" }'), code=['A = "1"'])
for head in ("w[2]", "w(2)", "w x 2", "w * 2"):
    case("the number of a role in its head: " + head, HELLO.replace("role w {", "role %s {" % head), ["the number is a field: write 'role w { replicas = 2 }'"],
         right=role("replicas = 2"), code=["role w { replicas = 2 }"])
case("a secret as files", role('mounts { "/s" = secret("a") }'), ['for files in \'mounts\' secret_files("a")'], ["-> secret"],
     right=role('mounts { "/s" = secret_files("a") }'), code=['secret_files("a")'])
case("a config without a key", role('env { A = config("a") }'), ['for a variable write config("a", "KEY")'], right=role('env { A = config("a", "KEY") }'),
     code=['config("a", "KEY")'])
case("a bucket as a volume", role('mounts { "/d" = s3("b") }'), ['env { DATA = "s3://bucket/path" }'], right=role('env { DATA = "s3://bucket/path" }'))
case("the image in parts", 'job "a" {\n  image { repository = "r/a", tag = "3" }\n  role w { }\n}\n', ["it is one text: write '= \"...\"'"], right=HELLO)
case("a tag in braces", TAGGED % "{version}", PUT, ["TJ1010"], right=TAGGED % "${version}")
case("a tag in parentheses", TAGGED % "$(version)", PUT, right=TAGGED % "${version}")
case("two values in braces", TAGGED.replace("/a:", "/{version}:") % "{version}-x", ['write "r.example.com/${version}:${version}-x"'], ["TJ1010"],
     right=TAGGED.replace("/a:", "/${version}:") % "${version}-x")
case("the success policy of an operator", torch('successPolicy = "AllWorkers"'), ["success = done(worker)"], ['success = "All'], right=torch("success = done(worker)"),
     code=["success = done(worker)"])
case("the registry by itself", job('registry = "r.example.com"\n  role w { }'), ["the registry is a part of 'image'"], right=HELLO)
for word in ("unlimited", "infinite", "never"):
    case("no limit, by the word " + word, job("timeout = %s\n  role w { }" % word), ["leave a limit out where there is none"], right=HELLO)
for clock, ours in (("12:00:00", "12h"), ("1:30:00", "90min"), ("0:00:45", "45s")):
    case("a time as Slurm writes it: " + clock, job("timeout = %s\n  role w { }" % clock), ["write '%s'" % ours], right=job("timeout = %s\n  role w { }" % ours),
         code=["timeout = " + ours])


# ---- the words of Pod Security, of the node's network, of cells: each help leads to what was meant ----
def sources_of(body):
    return SECURITY % body


SECURITY = 'job "a" {\n  image = "%s"\n  %%s\n  role w { command = ["t"] }\n}\n' % IMAGE
RESTRICTED = SECURITY % 'security = "restricted"'
case("restricted without quotes", SECURITY % "security = restricted", ['if the text is meant, write "restricted"'], right=RESTRICTED)
for wrong in "true", "1000":
    case("security = " + wrong, SECURITY % ("security = " + wrong), ['write security = "restricted", or settings in a block, such as security { run_as = 1000 }'], right=RESTRICTED)
case("the level baseline", SECURITY % 'security = "baseline"', ['the only choice is "restricted"', "leave the level out"], never=["one of"], right=SECURITY % "")
case("the level privileged", SECURITY % 'security = "privileged"', ["write security { privileged = true }"], right=SECURITY % "security { privileged = true }")
case("the level none", SECURITY % 'security = "none"', ["write security = none"], right=SECURITY % "security = none")
for wrong, ours, value in (("runAsUser", "run_as", "1000"), ("runas", "run_as", "1000"), ("uid", "run_as", "1000"), ("fsGroup", "fs_group", "7"), ("runAsNonRoot", "non_root", "true"),
                           ("allowPrivilegeEscalation", "escalation", "false"), ("readOnlyRootFilesystem", "read_only_root", "true"), ("cap_add", "capabilities", '["IPC_LOCK"]')):
    case("a member of security: " + wrong, SECURITY % ("security { %s = %s }" % (wrong, value)), ["help: write '%s'\n" % ours], never=["in a block"],
         right=SECURITY % ("security { %s = %s }" % (ours, value)))
case("restricted as a member", SECURITY % "security { restricted = true, run_as = 5 }", ["write 'level = \"restricted\"'"], right=SECURITY % 'security { level = "restricted", run_as = 5 }')
case("a root that is only read", SECURITY % "security { read_only = true }", ["did you mean 'read_only_root'?"], never=["pvc("], right=SECURITY % "security { read_only_root = true }")
case("capabilities as Kubernetes writes them", SECURITY % 'security { capabilities { add = ["NET_ADMIN"], drop = ["ALL"] } }', ["write 'capabilities = [\"NET_ADMIN\"]'", "write 'drop = [\"ALL\"]'"],
     right=SECURITY % 'security { capabilities = ["NET_ADMIN"], drop = ["ALL"] }')
case("the name of a user", SECURITY % 'security { run_as = "nobody" }', ["in the image, 'id -u nobody' prints it"], right=SECURITY % "security { run_as = 65534 }")
case("the name of a group", SECURITY % 'security { fs_group = "users" }', ["in the image, 'id -g users' prints it"], right=SECURITY % "security { fs_group = 100 }")
for wrong in "host_net = true", 'network = "host"', "hostPort = 80", "host_ports = [80]":
    case("the node's network: " + wrong, role(wrong + ', command = ["t"]'), ["host_network = true"], right=role('host_network = true, command = ["t"]'))
for wrong in "automount = \"no\"", "service_account_token = false", "automount = off":
    case("no token: " + wrong, SECURITY % wrong, ["false"], never=["'service'"], right=SECURITY % "automount = false")
CELL = 'job "a" {\n  image = "%s"\n  %%s\n  cell s {\n    copies = 4\n    %%s\n    role w { command = ["t"] }\n  }\n}\n' % IMAGE
APART = CELL % ("", 'apart = "host"')
case("apart = true", CELL % ("", "apart = true"), ['apart = "host"'], never=['write "true"'], right=APART)
for wrong in "node", "machine", "server":
    case("apart, by the word " + wrong, CELL % ("", 'apart = "%s"' % wrong), ['help: write "host"'], right=APART)
case("apart, misspelled", CELL % ("", 'apart = "hosts"'), ["did you mean 'host'?"], right=APART)
case("apart as a place", CELL % ("", 'place = apart("host")'), ["it is a field of a cell: write 'apart = \"host\"' there"], never=["'let'"], right=APART)
case("start of copies", CELL % ('gang = "volcano"', 'start = "together"'), ["did you mean 'starts'"], right=CELL % ('gang = "volcano"', 'starts = "together"'))
LWS = 'import std.%s\njob "a" {\n  image = "%s"\n  success = none\n  cell s: lws.group(size = 2) {\n    %%s = 3\n    command = ["t"]\n    role leader { cpu = 1 }\n    role worker { cpu = 1 }\n  }\n}\n'
case("replicas of a group", LWS % ("lws", IMAGE) % "replicas", ["A group has one leader; for more groups set 'copies' of the cell; remove 'replicas = 3'"], right=LWS % ("lws", IMAGE) % "copies")
case("the module of LeaderWorkerSet", LWS % ("leaderworkerset", IMAGE) % "copies", ["write 'import std.lws'"], right=LWS % ("lws", IMAGE) % "copies")


# ---- a merge of git that was not finished: its marks have a label (merge.tj has those without) ----
case("an unfinished merge", SECURITY % ("retries = 1\n<<<<<<< HEAD\n  cpu = 4\n=======\n  cpu = 8\n>>>>>>> feature\n"), ["this is an unresolved merge conflict", "keep one of the two sides"],
     right=SECURITY % "retries = 1\n  cpu = 4")

# ---- labels that nodes may have, or must not have ----
for wrong in 'avoid = ["n7"]', 'exclude_nodes = ["n7"]', 'exclude = ["n7"]', 'avoid_nodes = ["n7"]', 'anti_node = ["n7"]':
    case("nodes to leave out: " + wrong, sources_of(wrong), ['avoid { "kubernetes.io/hostname" = ["n'], right=sources_of('avoid { "kubernetes.io/hostname" = ["n7"] }'))
for wrong in 'node_in = ["n7"]', 'nodelist = ["n7"]', 'target_nodes = ["n7"]', 'nodeAffinity { a = "b" }':
    case("nodes to choose from: " + wrong, sources_of(wrong), ["node_in {"], right=sources_of('node_in { "kubernetes.io/hostname" = ["n7"] }'))
case("several values of a label", sources_of('node { pool = ["a", "b"] }'), ['node_in { pool = ["a", "b"] }'], never=["join("], right=sources_of('node_in { pool = ["a", "b"] }'))
case("no value of a label", sources_of('avoid { pool = [] }'), ['"*" is any value'], right=sources_of('avoid { pool = "*" }'))

# ---- volumes of CSI drivers ----
for wrong, says in ('csi("data")', "it is csi(name: string, driver: string"), ('csi("data", "gcs fuse")', "'kubectl get csidrivers'"), ('csi("data", "d.example.com", bucketName = "x")', "its arguments are name, driver, attributes"):
    case("a CSI driver: " + wrong, sources_of('mounts { "/data" = %s }' % wrong), [says], right=sources_of('mounts { "/data" = csi("data", "d.example.com", { bucketName = "x" }) }'))

# ---- variables of whole objects ----
for wrong in ('envFrom = [{ secretRef = { name = "aws" } }]', 'envfrom = secret_env("aws")', 'env_from = [{ secretRef = { name = "aws" } }]', 'env_from = "aws"', 'env_from = ["aws"]',
              'env_from = secret("aws")', 'env_from = secret("aws", "KEY")', 'env_from = secret_files("aws")'):
    case("all keys of a secret: " + wrong, sources_of(wrong), ['secret_env("aws")'], never=["cannot be put in a string", "did you mean"], right=sources_of('env_from = secret_env("aws")'))
for wrong in ('env { X = secret_env("aws") }', 'env = secret_env("aws")', 'env { ...secret_env("aws") }', 'env { X = secret("aws") }'):
    case("all keys in env: " + wrong, sources_of(wrong), ['env_from = [secret_env("aws")]', 'secret("aws", "KEY")'], never=["json("], right=sources_of('env_from = [secret_env("aws")]'))
case("a mount of variables", sources_of('mounts { "/keys" = secret_env("aws") }'), ['for files write secret_files("aws")'], right=sources_of('mounts { "/keys" = secret_files("aws") }'))
case("a prefix without its name", sources_of('env_from = secret_env("aws", "AWS_")'), ["write 'prefix = \"AWS_\"'"], right=sources_of('env_from = secret_env("aws", prefix = "AWS_")'))
case("optional as a word", sources_of('env_from = secret_env("aws", optional)'), ["write 'optional = true'"], right=sources_of('env_from = secret_env("aws", optional = true)'))
case("no objects", sources_of('env_from = none'), ["write config_env("], right=sources_of("env_from = []"))


def squeezed(text):
    return re.sub(r"\s+", "", text)


def run(trainc, program, args, files):
    with tempfile.TemporaryDirectory() as directory:
        for name, text in [("a.tj", program), *files.items()]:
            with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([trainc, *args, "a.tj"], cwd=directory, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def faults(trainc, wrong, says, never, right, code, args, files):
    status, text = run(trainc, wrong, args, files)
    if status not in (0, 1):
        yield "status %d" % status
    for words in says:
        if words not in text:
            yield "it does not say: " + words
    for words in never:
        if words in text:
            yield "it says: " + words
    if right is None:
        return
    status, after = run(trainc, right, ("check",), files)
    if status or ": error:" in after:
        yield "the program that follows the help is wrong:\n" + after
    for piece in code:
        if squeezed(piece) not in squeezed(right):
            yield "the program that follows the help does not have: " + piece


def main():
    trainc, only = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    for name, wrong, *rest in CASES:
        if only and name not in only:
            continue
        found = list(faults(trainc, wrong, *rest))
        if found:
            failed += 1
            print("FAIL %s: %s" % (name, "\n  ".join(found)))
            print(run(trainc, wrong, rest[4], rest[5])[1])
        else:
            passed += 1
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
