"""families.py - hostile inputs of doubling sizes: what each costs, and whether the cost is proportional.

    families.py TRAINC            every family, the table of `make torture`
    families.py TRAINC --quick    one size of the families that once grew too fast, judged by processor time and memory
    families.py TRAINC WORD...    the families whose names contain one of the words

Each line is a family; doubling.py describes its parts, and inputs.py has the functions that make the texts.
"""
import os
import sys

import doubling
from doubling import Family as F
from inputs import (URI, asks, batch, chain, colliding, crd, deep, documents, each, editor, edits, event, inside, job, jobset, kubeflow, listing,
                    manifest, member, message, params, pod, project, role, top)

CHECK, COMPILE = "check a.tj", "compile a.tj"


def compiled(i):
    """One replica as the target jobs writes it."""
    labels = 'app.kubernetes.io/managed-by: trainc, trainc.dev/job: a, trainc.dev/role: w, trainc.dev/index: "%d"' % i
    return ("---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: a-w-%d, labels: {%s}}\nspec:\n  template:\n    metadata: {labels: {%s}}\n"
            "    spec: {restartPolicy: Never, containers: [{name: main, image: 'a:1', command: [x]}]}\n" % (i, labels, labels))


LIST, JUDGE = "import m.yaml", "status a.tj --from l.json --now 2026-01-02T00:00:00Z"
JSON, YAML = "check --params p.json a.tj", "check --params p.yaml a.tj"
KINDS = ("PyTorchJob", "TFJob", "XGBoostJob", "MPIJob")

TEXT = [
    F("text: a comment of one line", 4096, CHECK, lambda n: job(top="# " + "x" * n)),
    F("text: comments", 1000, CHECK, top("# comment %d\n")),
    F("text: documentation of a let", 1000, CHECK, top("## line %d\n", after="let a = 1\n")),
    F("text: empty lines", 4096, CHECK, lambda n: job(top="\n" * n)),
    F("text: blanks in one line", 4096, CHECK, lambda n: job(top=" " * n + "let a = 1" + " " * n)),
    F("text: lines that end with CR LF", 1000, CHECK, lambda n: job(top=each(n, "let a%d = 1\r\n"))),
    F("text: one string", 4096, CHECK, lambda n: job(top='let a = "' + "x" * n + '"')),
    F("text: one string of escapes", 4096, CHECK, lambda n: job(top='let a = "' + "\\n\\u{e9}" * n + '"')),
    F("text: one string of several lines", 1000, CHECK, lambda n: job(top='let a = """\n' + "  line\n" * n + '  """')),
    F("text: one raw string", 4096, CHECK, lambda n: job(top='let a = r"' + "\\d" * n + '"')),
    F("text: strings without an end", 500, CHECK, top('let a%d = "x\n'), "TJ01"),
    F("text: a string of several lines without an end", 500, CHECK, lambda n: job(top='let a = """\n' + "  line\n" * n), "TJ01"),
    F("text: characters that belong nowhere", 2000, CHECK, lambda n: job(top="let a = " + "@ ` $ " * n), "TJ01"),
    F("text: bytes that are not UTF-8", 2000, CHECK, lambda n: {"a.tj": b"# " + b"\xff\n# " * n}, "UTF-8"),
    F("text: bidirectional characters", 2000, CHECK, lambda n: job(top="# \u202e\n" * n)),
    F("text: letters of more than one byte in one line", 4096, CHECK, lambda n: job(more='env { A = "' + "\u00e9" * n + '", B = nmae }'),
      "TJ02", quick=100000),
    F("text: a name of n letters", 4096, CHECK, lambda n: job(top="let " + "n" * n + " = 1")),
    F("text: a number of n digits", 4096, CHECK, lambda n: job(top="let a = " + "1" * n), "TJ"),
    F("text: a fraction of n digits", 4096, CHECK, lambda n: job(top="let a = 1." + "1" * n)),
    F("text: n zero bytes", 4096, CHECK, lambda n: {"a.tj": b"\0" * n}, "TJ"),
    F("text: interpolations in one string", 1000, CHECK, lambda n: job(top='let b = 1\nlet a = "' + "${b}" * n + '"')),
    F("text: interpolations inside each other", 16, CHECK, deep('"${', "1", '}"'), "ok|TJ"),
    F("text: not a program", 1000, CHECK, lambda n: {"a.tj": "apiVersion: v1\nkind: Pod\n" * n}, "TJ"),
]

NESTING = [
    F("nesting: parentheses", 16, CHECK, deep("(", "1", ")"), "ok|TJ01"),
    F("nesting: brackets", 16, CHECK, deep("[", "1", "]"), "ok|TJ01"),
    F("nesting: brackets without an end", 16, CHECK, deep("[", "1", ""), "TJ01"),
    F("nesting: braces without a beginning", 16, CHECK, deep("", "1", "}"), "TJ01"),
    F("nesting: records", 16, CHECK, deep("{ a = ", "1", "}"), "ok|TJ"),
    F("nesting: blocks", 16, CHECK, inside("x {\n", after=""), "TJ01"),
    F("nesting: not", 16, CHECK, deep("not ", "true", ""), "ok|TJ01"),
    F("nesting: minus", 16, CHECK, deep("- ", "1", ""), "ok|TJ01"),
    F("nesting: calls", 16, CHECK, deep("abs(", "1", ")"), "ok|TJ01"),
    F("nesting: indexes", 16, CHECK, deep("a[", "1", "]"), "TJ"),
    F("nesting: types", 16, CHECK, deep("list[", "int", "]", "param p: ", " = []\n"), "ok|TJ"),
    F("nesting: optional types", 16, CHECK, deep("", "int", "?", "param p: ", " = none\n"), "TJ"),
    F("nesting: let in let", 16, CHECK, deep("let a = 1 in ", "1", "", "let b = ("), "TJ"),
    F("nesting: if in if", 16, CHECK, deep("if true then ", "1", " else 2"), "ok|TJ01"),
    F("nesting: else-if of an expression", 16, CHECK, deep("if false then 1 else ", "2", ""), "ok|TJ01"),
    F("nesting: else-if of an item", 16, CHECK, inside('if 1 == 2 { ttl = 1d } else ', after="{ ttl = 1d }"), "ok|TJ01"),
    F("nesting: loops in loops", 8, CHECK, inside("for i%d in [1] {\n", after=""), "TJ01"),
    F("nesting: comprehensions", 8, CHECK, deep("[", "1", " for i in [1]]"), "ok|TJ"),
    F("nesting: a sum of n terms", 500, CHECK, lambda n: job(top="let a = 1" + " + 1" * n), "ok|TJ0114"),
    F("nesting: a list of n terms", 500, CHECK, lambda n: job(top="let a = [1]" + " + [1]" * n), "ok|TJ0114"),
    F("nesting: ?? of n", 16, CHECK, deep("none ?? ", "1", ""), "ok|TJ"),
    F("nesting: and of n", 500, CHECK, lambda n: job(top="let a = true" + " and true" * n), "ok|TJ0114"),
    F("nesting: members of members", 500, CHECK, lambda n: job(top="let a = cluster" + ".name" * n), "TJ"),
]

NAMES = [
    F("names: lets", 1000, CHECK, top("let a%d = 1\n")),
    F("names: lets, each of the one before", 500, CHECK, chain("let a0 = 1\n", "let a%d = a%d + 1\n"), "ok|TJ"),
    F("names: lets, each of the one behind", 500, CHECK, lambda n: job(top=each(n, "let a%d = 1 + a%d0\n")), "TJ02"),
    F("names: lets that need each other", 500, CHECK, chain("", "let a%d = a%d + 1\n", "let a0 = a1\n"), "TJ0405|TJ"),
    F("names: lets that are used, the last one first", 200, COMPILE, chain("let a0 = 1\n", "let a%d = a%d + 1\n", "let b = 1 / 1\n"), "ok|TJ"),
    F("names: functions, each of the one before", 200, CHECK, chain("fn f0(x: int) -> int = x\n", "fn f%d(x: int) -> int = f%d(x)\n"), "ok|TJ"),
    F("names: functions, each twice the one before", 8, COMPILE,
      lambda n: chain("fn f0(x: int) -> int = x\n", "fn f%d(x: int) -> int = f%d(x) + f%d(x)\n", "let a = f%d(1)\ncheck a > 0 else \"\"\n" % (n - 1))(n), "ok|TJ"),
    F("names: texts, each twice the one before", 8, COMPILE, lambda n: chain('let a0 = "x"\n', 'let a%d = "${a%d}${a%d}"\n', 'check a%d != "" else ""\n' % (n - 1))(n), "ok|TJ"),
    F("names: lists, each twice the one before", 8, COMPILE, lambda n: chain("let a0 = [1]\n", "let a%d = a%d + a%d\n", 'check len(a%d) > 0 else ""\n' % (n - 1))(n), "ok|TJ"),
    F("names: lists of lists, each twice the one before", 8, COMPILE,
      lambda n: chain("let a0 = [1]\n", "let a%d = [a%d, a%d]\n", 'check json(a%d) != "" else ""\n' % (n - 1))(n), "ok|TJ"),
    F("names: types, each of the one before", 200, CHECK, chain("type T0 { x: int }\n", "type T%d { x: T%d }\n"), "ok|TJ"),
    F("names: types, each twice the one before", 8, CHECK, chain("type T0 { x: int }\n", "type T%d { x: T%d, y: T%d }\n"), "ok|TJ"),
    F("names: one name n times", 500, CHECK, top("let a = %d\n"), "TJ0204"),
    F("names: n unknown names", 500, CHECK, top("let a%d = nmae%d\n"), "TJ02"),
    F("names: one unknown name in n places", 500, CHECK, top("let a%d = clustre.name\n"), "TJ02", quick=16000),
    # 8,192 of them took 2 s, 32,768 took 54
    F("names: names that collide under a hash without a seed", 1024, CHECK, lambda n: job(top="".join("let %s = 1\n" % c for c in colliding(n))),
      quick=8192, cpu=1),
    F("names: parameters", 500, CHECK, top("param p%d: int = 1\n")),
    F("names: parameters without a value", 500, CHECK, top("param p%d: int\n"), "TJ"),
    F("names: profiles", 500, CHECK, top("profile p%d { s = 1 }\n", before="param s: int = 1\n")),
    F("names: profiles, each of the one before", 100, CHECK, chain("param s: int = 1\nprofile p0 { s = 1 }\n", "profile p%d: p%d { s = 1 }\n"), "ok|TJ"),
    F("names: fields of a record type", 1000, CHECK, top("f%d: string\n", before="type t {\n", after="}\n"), quick=40000),
    F("names: fields of a record", 1000, CHECK, top('f%d = "x"\n', before="let r = {\n", after="}\n"), quick=40000),
    F("names: one field n times", 500, CHECK, inside("ttl = 1d\n"), "TJ"),
    F("names: unknown fields", 500, CHECK, role("foo%d = bar%d\n"), "TJ"),
    F("names: unknown blocks", 500, CHECK, inside("foo%d { a = 1 }\n"), "TJ"),
    F("names: values of an enumeration", 500, CHECK, lambda n: job(top="param p: enum(" + each(n, '"v%d", ') + '"x") = "x"\n')),
    F("names: unknown imports", 500, CHECK, top("import std.nothing%d\n"), "TJ02"),
    F("names: files that import each other in a row", 8, CHECK,
      lambda n: {"a.tj": job(top='import "f0.tj" as f'), **{"f%d.tj" % i: 'import "f%d.tj" as f\n' % (i + 1) if i < n else "let a = 1\n" for i in range(n + 1)}},
      "ok|TJ"),
    F("names: files that import the next two", 4, CHECK,
      lambda n: {"a.tj": job(top='import "f0.tj" as f'), **{"f%d.tj" % i: 'import "f%d.tj" as f\nimport "f%d.tj" as g\n' % (i + 1, i + 2) if i < n else "let a = 1\n"
                                                            for i in range(n + 2)}}, "ok|TJ"),
    F("names: files that one file imports", 50, CHECK, lambda n: {"a.tj": job(top=each(n, 'import "f%d.tj" as f%d\n')), **{"f%d.tj" % i: "let a = 1\n" for i in range(n)}}, "ok|TJ"),
]

VALUES = [
    F("values: a list of n", 1000, COMPILE, lambda n: job(top="let a = [" + "1, " * n + '1]\ncheck sum(a) > 0 else ""'), "ok|TJ"),
    F("values: sum(range(n))", 1000, COMPILE, lambda n: job(top='check sum(range(%d)) > 0 else ""' % n), "ok|TJ04"),
    F("values: a comprehension", 1000, COMPILE, lambda n: job(top='check len([str(i) for i in range(%d)]) > 0 else ""' % n), "ok|TJ04"),
    F("values: a product of two lists", 16, COMPILE, lambda n: job(top='check len([x for x in range(%d), y in range(%d)]) > 0 else ""' % (n, n)), "ok|TJ04"),
    F("values: a product that chooses nothing", 16, COMPILE, lambda n: job(top='check len([x for x in range(%d), y in range(%d) if x < 0]) == 0 else ""' % (n, n)), "ok|TJ04"),
    F("values: n in n", 100, COMPILE, lambda n: job(top='let a = range(%d)\ncheck len([x for x in a if x in a]) > 0 else ""' % n), "ok|TJ04"),
    F("values: find in a list for each", 100, COMPILE, lambda n: job(top='let a = [str(i) for i in range(%d)]\ncheck len(unique(a)) + len(sorted(a)) > 0 else ""' % n), "ok|TJ04"),
    F("values: keys of a map", 100, COMPILE, lambda n: job(top='let a = { ' + each(n, '"k%d" = 1, ') + '}\ncheck sum([a[k] for k in keys(a)]) > 0 else ""'), "ok|TJ"),
    F("values: lists that grow by one", 100, COMPILE, lambda n: job(top="let a0 = [0]\n" + "".join("let a%d = a%d + [%d]\n" % (i + 1, i, i) for i in range(n)) +
                                                            'check len(a%d) > 0 else ""' % n), "ok|TJ04"),
    F("values: replace, split and join in a long text", 1000, COMPILE,
      lambda n: job(top='let a = "%s"\ncheck join(split(replace(a, "a", "bb"), "b"), "a") != "" else ""' % ("a" * n)), "ok|TJ04"),
    F("values: a replacement that makes a text long", 100, COMPILE, lambda n: job(top='let a = "%s"\ncheck replace(a, "a", a) != "" else ""' % ("a" * n)), "ok|TJ04"),
    F("values: pad", 1000, COMPILE, lambda n: job(top='check pad(1, %d) != "" else ""' % n), "ok|TJ"),
    F("values: a pattern (a|b)*a(a|b){n}", 8, COMPILE, lambda n: job(top='check matches("%s", "(a|b)*a(a|b){%d}") or true else ""' % ("ab" * n, n)), "ok|TJ"),
    F("values: a pattern ((a{n}){n}){n}", 4, COMPILE, lambda n: job(top='check matches("a", "((a{%d}){%d}){%d}") or true else ""' % (n, n, n)), "ok|TJ"),
    F("values: a pattern (a*)*b against n letters", 64, COMPILE, lambda n: job(top='check matches("%s", "(a*)*b") or true else ""' % ("a" * n)), "ok|TJ"),
    F("values: a pattern of n alternatives", 64, COMPILE, lambda n: job(top='check matches("x", "%sx") or true else ""' % each(n, "a%d|")), "ok|TJ"),
    F("values: a pattern of n brackets", 64, COMPILE, lambda n: job(top='check matches("x", "%s") or true else ""' % ("[a-z]*" * n)), "ok|TJ"),
    F("values: a pattern of n parentheses", 64, COMPILE, lambda n: job(top='check matches("x", "%sx%s") or true else ""' % ("(" * n, ")" * n)), "ok|TJ"),
    F("values: a pattern of a type against n values", 64, COMPILE,
      lambda n: job(top='param p: list[string(pattern = r"(a|b)*a(a|b)*")] = [' + '"aabb", ' * n + "]"), "ok|TJ04"),
    F("values: json in json", 4, COMPILE, lambda n: chain('let a0 = "\\"\\\\"\n', "let a%d = json([a%d])\n", 'check a%d != "" else ""\n' % (n - 1))(n), "ok|TJ"),
    F("values: eval of n expressions", 500, "eval", lambda n: {"-": "1 + 1\n" * n}, "ok|at most 10000 lines", growth=5),
    F("values: eval of one long expression", 500, "eval", lambda n: {"-": "1" + " + 1" * n + "\n"}, "ok|TJ0114|larger than 64 KiB"),
]

JOBS = [
    F("jobs: jobs", 100, COMPILE, lambda n: each(n, 'job "j%d" {\n  image = "a/b:1"\n  command = ["run"]\n  role task { memory = 64Mi }\n}\n'), "ok|TJ0407"),
    F("jobs: jobs of one name", 100, COMPILE, lambda n: 'job "j" {\n  image = "a/b:1"\n  command = ["run"]\n  role task { memory = 64Mi }\n}\n' * n, "TJ"),
    F("jobs: a sweep", 100, COMPILE, lambda n: 'for i in range(%d) job "j${i}" {\n  image = "a/b:1"\n  command = ["run"]\n  role task { memory = 64Mi }\n}\n' % n, "ok|TJ"),
    F("jobs: roles", 50, COMPILE, lambda n: 'job "j" {\n  image = "a/b:1"\n  command = ["run"]\n  success = done(r0)\n  clean = "all"\n%s}\n' % each(n, "  role r%d { memory = 64Mi }\n"), "ok|TJ"),
    F("jobs: roles that start after each other", 50, COMPILE,
      lambda n: 'job "j" {\n  image = "a/b:1"\n  command = ["run"]\n  success = done(r0)\n  role r0 { memory = 64Mi }\n' +
      "".join("  role r%d { memory = 64Mi, start_after = done(r%d) }\n" % (i + 1, i) for i in range(n)) + "}\n", "ok|TJ"),
    F("jobs: success of n conditions", 50, COMPILE,
      lambda n: 'job "j" {\n  image = "a/b:1"\n  command = ["run"]\n  success = done(r)%s\n  role r { memory = 64Mi }\n}\n' % (" or done(r)" * n), "ok|TJ"),
    F("jobs: replicas, unrolled", 64, "compile --unroll a.tj", lambda n: job(role="replicas = %d" % n).replace("single.task", "single.task"), "ok|TJ"),
    F("jobs: n aux roles", 50, COMPILE, inside('aux x%d { memory = 64Mi }\n'), "ok|TJ"),
    F("jobs: sidecars of a role", 100, COMPILE, role('sidecar s%d { image = "a/b:1", command = ["x"] }\n'), "ok|TJ", quick=8000),
    F("jobs: init containers of a role", 100, COMPILE, role('init s%d { image = "a/b:1", command = ["x"] }\n'), "ok|TJ", quick=8000),
    F("jobs: scratch volumes of sidecars", 100, COMPILE, role('sidecar s%d { image = "a/b:1", command = ["x"], mounts { "/m" = scratch("s%d", 1Gi) } }\n'), "ok|TJ"),
    F("jobs: env", 500, COMPILE, inside('N%d = "x"\n', "env {\n", "}\n"), "ok|TJ"),
    F("jobs: env of one name", 500, COMPILE, inside('N = "x"\n', "env {\n", "}\n"), "TJ"),
    F("jobs: env of env", 100, COMPILE, lambda n: job(more='env {\nN0 = "x"\n' + "".join('N%d = pod.env("N%d")\n' % (i + 1, i) for i in range(n)) + "}\n"), "ok|TJ"),
    F("jobs: env with one long value", 4096, COMPILE, lambda n: job(more='env { A = "%s" }' % ("x" * n)), "ok|TJ"),
    F("jobs: env against n reserved patterns", 100, COMPILE,
      lambda n: 'framework f {\n  role w {}\n  success = done(w)\n  reserve = [%s]\n}\njob "a": f {\n  image = "a/b:1"\n  command = ["run"]\n  env {\n%s  }\n  role w { memory = 64Mi }\n}\n'
      % (each(n, '"R%d_*", '), each(n, '    N%d = "x"\n')), "ok|TJ"),
    F("jobs: labels", 500, COMPILE, inside('"example.com/l%d" = "v"\n', "labels {\n", "}\n"), "ok|TJ"),
    F("jobs: annotations", 500, COMPILE, inside('"example.com/l%d" = "v"\n', "annotations {\n", "}\n"), "ok|TJ"),
    F("jobs: mounts", 500, COMPILE, inside('"/mnt/%d" = pvc("c%d", readonly = true)\n', "mounts {\n", "}\n"), "ok|TJ", quick=16000),
    F("jobs: mounts of one name", 500, COMPILE, inside('"/mnt/%d" = host_path("/disks/%d/data")\n', "mounts {\n", "}\n"), "ok|TJ"),
    F("jobs: mounts below each other", 20, COMPILE, lambda n: job(more="mounts {\n" + "".join('"%s" = pvc("c%d", readonly = true)\n' % ("/m" * (i + 1), i) for i in range(n)) + "}\n"), "ok|TJ"),
    F("jobs: a mount of n directories", 100, COMPILE, lambda n: job(more='mounts { "%s" = pvc("c", readonly = true) }\n' % ("/m" * n)), "ok|TJ"),
    F("jobs: files", 500, COMPILE, inside('"/etc/app/%d.conf" = "x"\n', "files {\n", "}\n"), "ok|TJ", quick=16000),
    F("jobs: one long file", 4096, COMPILE, lambda n: job(more='files { "/etc/a" = "%s" }' % ("x" * n)), "ok|TJ"),
    F("jobs: files of n lines", 500, COMPILE, lambda n: job(more='files { "/etc/a" = """\n%s    """ }' % ("    x\n" * n)), "ok|TJ"),
    F("jobs: ports", 500, COMPILE, lambda n: job(more="ports {\n" + "".join("p%d = %d\n" % (i, 1000 + i % 60000) for i in range(n)) + "}\n"), "ok|TJ"),
    F("jobs: args", 500, COMPILE, lambda n: job(more="args = [" + '"--x", ' * n + "]"), "ok|TJ"),
    F("jobs: args of one word", 4096, COMPILE, lambda n: job(more='args = ["%s"]' % ("x" * n)), "ok|TJ"),
    F("jobs: words of torchrun", 500, COMPILE, lambda n: job(top="import std.pytorch").replace("single.task", "pytorch.torchrun").replace('"run"', '"torchrun", ' + '"--x=1", ' * n + '"a.py"')
      .replace("role task", "role worker"), "ok|TJ"),
    F("jobs: tolerations", 500, COMPILE, lambda n: job(more="tolerate = [" + each(n, '"t%d", ') + "]"), "ok|TJ"),
    F("jobs: codes that are tried again", 100, COMPILE, lambda n: job(role='retries = 1, retry_on = [' + each(n, "%d, ") + "]"), "ok|TJ"),
    F("jobs: resources", 500, COMPILE, role('"example.com/d%d" = 1\n', "resources {\n", "}\n"), "ok|TJ"),
    F("jobs: a raw list", 500, COMPILE, role('{ name = "v%d", emptyDir {} },\n', "raw pod { volumes = [", "] }\n"), "ok|TJ"),
    F("jobs: a raw value in itself", 8, COMPILE, lambda n: job(role="raw pod { x = " + "{ a = " * n + "1" + " }" * n + " }"), "ok|TJ"),
    F("jobs: unknown raw fields", 500, COMPILE, role("foo%d = 1\n", "raw pod {\n", "}\n"), "TJ"),
    F("jobs: objects", 100, COMPILE, inside('object o%d {\n  apiVersion = "v1"\n  kind = "ConfigMap"\n  data { a = "b" }\n}\n'), "ok|TJ"),
    F("jobs: labels of an object", 500, COMPILE, inside('l%d = "v"\n', 'object o {\n  apiVersion = "v1"\n  kind = "ConfigMap"\n  metadata { labels {\n', "} }\n}\n"), "ok|TJ"),
    F("jobs: entries of an object", 500, COMPILE, inside('l%d = "v"\n', 'object o {\n  apiVersion = "v1"\n  kind = "ConfigMap"\n  data {\n', "}\n}\n"), "ok|TJ"),
    F("jobs: a value of an enumeration", 500, COMPILE, lambda n: job(top="param p: enum(" + each(n, '"v%d", ') + '"x") = "x"\nparam q: list[enum(' + each(n, '"v%d", ')
                                                                     + '"x")] = [' + each(n, '"v%d", ') + "]"), "ok|TJ"),
    F("jobs: checks", 500, COMPILE, top('check 1 == 1 else "%d"\n')),
    F("jobs: checks that fail", 500, COMPILE, top('check 1 == 2 else "%d"\n'), "TJ"),
    F("jobs: warnings", 500, COMPILE, top('warn 1 == 2 else "%d"\n')),
    F("jobs: spreads", 200, COMPILE, inside("...x\n", "env {\n", "}\n", top='let x = { A = "b" }'), "ok|TJ"),
    F("jobs: loops of items", 500, COMPILE, lambda n: job(more='env {\nfor i in range(%d) { ("N${i}") = "x" }\n}' % n), "ok|TJ"),
    F("jobs: frameworks", 200, COMPILE, top("framework f%d {\n  role w {}\n  success = done(w)\n}\n")),
    F("jobs: frameworks, each around the one before", 4, CHECK, chain("framework f0 {\n  role w {}\n  success = done(w)\n}\n", "framework f%d: f%d {}\n"), "ok|TJ"),
    F("jobs: accelerators", 200, COMPILE, top('accelerator x%d(count: int) {\n  resource = "example.com/x"\n  per_pod = count\n}\n')),
    F("jobs: a name of n letters", 64, COMPILE, lambda n: job().replace('"a"', '"%s"' % ("a" * n)), "ok|TJ"),
    F("jobs: plan of roles", 50, "plan a.tj", lambda n: 'job "j" {\n  image = "a/b:1"\n  command = ["run"]\n  success = done(r0)\n%s}\n' % each(n, "  role r%d { memory = 64Mi }\n"), "ok|TJ"),
    F("jobs: a drawing of roles", 50, "plan -o svg a.tj", lambda n: 'job "j" {\n  image = "a/b:1"\n  command = ["run"]\n  success = done(r0)\n%s}\n' % each(n, "  role r%d { memory = 64Mi }\n"), "ok|TJ"),
    F("jobs: env of replicas", 64, "env a.tj", lambda n: job(top="import std.pytorch", role="replicas = %d" % n).replace("single.task", "pytorch.torchrun").replace("role task", "role worker"), "ok|TJ"),
]

COMMANDS = [
    F("tests: that change nothing", 500, "test a.tj", lambda n: job() + each(n, 'test "t%d" { check 1 == 1 else "x" }\n'), "ok|TJ0407", quick=8000),
    F("tests: that fail", 200, "test a.tj", lambda n: job() + each(n, 'test "t%d" { check 1 == 2 else "x" }\n'), "x", quick=2000),
    F("tests: with a profile of their own", 100, "test a.tj",
      lambda n: job(top="param s: int = 1", more="env { S = s }") + each(n, 'test "t%d" { set { s = %d }, check s == %d else "x" }\n'), "ok|TJ0407", quick=500, growth=5),
    F("tests: checks in one", 500, "test a.tj", lambda n: job() + 'test "t" {\n' + each(n, 'check %d >= 0 else "x"\n') + "}\n", "ok|TJ"),
    F("fix: one unknown name in n places", 500, "check --fix a.tj", top("let a%d = clustre.name\n"), "ok|TJ", quick=6000),
    F("fix: n misspelt names", 250, "check --fix a.tj", top("let name%d = 1\nlet b%d = nmae%d + 1\n"), "ok|TJ", quick=6000),
    F("fix: n misspelt fields", 250, "check --fix a.tj", role('sidecar s%d { imgae = "a/b:1", command = ["x"] }\n'), "ok|TJ", quick=32000),
    F("fmt: declarations", 1000, "fmt a.tj", top("let   a%d=1\n")),
    F("fmt: one long list", 1000, "fmt a.tj", lambda n: job(top="let a = [" + "1," * n + "1]")),
    F("fmt: a sum of n terms", 500, "fmt a.tj", lambda n: job(top="let a = 1" + "+1" * n), "ok|TJ0114"),
    F("fmt: lists in lists", 16, "fmt a.tj", deep("[[1],", "1", "]"), "ok|TJ01"),
    F("fmt: comments", 1000, "fmt a.tj", inside("ttl=1d # %d\n#  x\n").__call__),
    F("fmt: items of one block", 1000, "fmt a.tj", inside('N%d="x" # c\n', "env {\n", "}\n")),
    F("fmt: what would change", 500, "fmt --diff a.tj", top("let   a%d=1\nlet b%d = 1\n"), "|ok"),
    F("said: 500 of n errors, as JSON", 500, "check --format json a.tj", top("let a%d = nmae%d\n"), "|ok"),
    F("said: 500 of n errors, as SARIF", 500, "check --format sarif a.tj", top("let a%d = nmae%d\n"), "|ok"),
    F("said: an error in a long line", 4096, CHECK, lambda n: job(top="let a = [" + "1, " * n + "nmae]"), "TJ"),
    F("said: n errors in one line", 200, CHECK, lambda n: job(top="let a = [" + "nmae, " * n + "1]"), "TJ"),
    F("said: warnings", 500, CHECK, top("import std.pytorch as p%d\n"), "ok|TJ"),
    F("dump: tokens", 1000, "dump --tokens a.tj", top("let a%d = 1\n")),
    F("dump: the tree", 1000, "dump --ast a.tj", top("let a%d = 1\n")),
    F("dump: types", 1000, "dump --types a.tj", top("let a%d = 1\n")),
    F("doc: declarations", 500, "doc a.tj", lambda n: each(n, "## What it is.\nlet a%d = 1\n")),
    F("explain: a long topic", 4096, "explain", lambda n: {"args": ["x" * min(n, 120000)] * (1 + n // 120000)}, "|ok"),
    F("annotate: lines", 500, "compile --annotate a.tj", inside('N%d = "x"\n', "env {\n", "}\n"), "ok|TJ"),
    F("depfile: imports", 50, "compile --depfile d a.tj", lambda n: {"a.tj": job(top=each(n, 'import "f%d.tj" as f%d\n')), **{"f%d.tj" % i: "let a = 1\n" for i in range(n)}}, "ok|TJ"),
    F("options: --set", 200, CHECK, lambda n: {"a.tj": job(top=each(n, "param p%d: int = 1\n")), "args": [w for i in range(n) for w in ("--set", "p%d=2" % i)]}),
    F("options: --set of unknown names", 200, CHECK, lambda n: {"a.tj": job(), "args": [w for i in range(n) for w in ("--set", "p%d=2" % i)]}, "|TJ"),
    F("options: --set of one name", 200, CHECK, lambda n: {"a.tj": job(top="param p: int = 1\n"), "args": ["--set", "p=2"] * n}),
    F("options: --set of members", 100, CHECK, lambda n: {"a.tj": job(top="type T {\n%s}\nparam p: T = { %s }" % (each(n, "f%d: int\n"), each(n, "f%d = 1, "))),
                                                          "args": [w for i in range(n) for w in ("--set", "p.f%d=2" % i)]}, growth=5),
    F("options: files", 100, "check", lambda n: {**{"f%d.tj" % i: job().replace('"a"', '"a%d"' % i) for i in range(n)}, "args": ["f%d.tj" % i for i in range(n)]}),
]

PARAMETERS = [
    F("params: JSON inside of JSON", 16, JSON, params(lambda n: '{"s": ' + "[" * n + "]" * n + "}", "p.json"), "p.json"),
    F("params: YAML inside of YAML", 16, YAML, params(lambda n: "s: " + "[" * n + "]" * n + "\n"), "p.yaml"),
    F("params: YAML blocks inside of each other", 16, YAML, params(lambda n: "".join(" " * i + "s:\n" for i in range(n))), "p.yaml"),
    F("params: YAML dashes in one line", 16, YAML, params(lambda n: "s:\n  " + "- " * n + "x\n"), "p.yaml"),
    F("params: aliases of ten", 2, YAML, params(lambda n: "a0: &a0 [x]\n" + "".join("a%d: &a%d [%s]\n" % (i + 1, i + 1, ", ".join(["*a%d" % i] * 10)) for i in range(n)) + "s: *a%d\n" % n), "p.yaml"),
    F("params: an alias of itself", 1, YAML, params(lambda n: "s: &x [" + "*x, " * n + "]\n"), "p.yaml"),
    F("params: anchors", 500, YAML, params(lambda n: each(n, "a%d: &a%d x\n") + "s: x\n"), "p.yaml"),
    F("params: JSON escapes", 2000, JSON, params(lambda n: '{"s": "' + "\\u00e9\\n" * n + '"}', "p.json"), quick=200000),
    F("params: a JSON list", 1000, JSON, params(lambda n: '{"s": [' + '"x", ' * n + '"x"]}', "p.json", "list[string]"), "ok|TJ"),
    F("params: a YAML list", 1000, YAML, params(lambda n: "s:\n" + "- x\n" * n, type="list[string]"), "ok|TJ"),
    F("params: a list of wrong values", 500, JSON, params(lambda n: '{"s": [' + "1, " * n + "1]}", "p.json", "list[string]"), "p.json"),
    F("params: a map", 500, JSON, params(lambda n: '{"s": {' + each(n, '"k%d": "x", ') + '"z": "x"}}', "p.json", "map[string]"), "ok|TJ"),
    F("params: one key n times", 500, JSON, params(lambda n: "{" + '"s": "x", ' * n + '"s": "x"}', "p.json"), "p.json"),
    F("params: unknown names in JSON", 500, JSON, params(lambda n: "{" + each(n, '"k%d": "x", ') + '"s": "x"}', "p.json"), "p.json"),
    F("params: unknown names in YAML", 500, YAML, params(lambda n: each(n, "k%d: x\n") + "s: x\n"), "p.yaml"),
    F("params: unknown names in .tj", 500, "check --params p.tj a.tj", params(lambda n: each(n, "k%d = x\n") + "s = x\n", "p.tj"), "p.tj"),
    F("params: names in .tj", 500, "check --params p.tj a.tj", lambda n: {"a.tj": job(top=each(n, "param k%d: int\n")), "p.tj": each(n, "k%d = 1\n")}),
    F("params: names in YAML", 500, YAML, lambda n: {"a.tj": job(top=each(n, "param k%d: int\n")), "p.yaml": each(n, "k%d: 1\n")}),
    F("params: a number of n digits", 500, JSON, params(lambda n: '{"s": %s}' % ("1" * n), "p.json", "list[int]"), "p.json"),
    F("params: a YAML block of n lines", 1000, YAML, params(lambda n: "s: |\n" + "  x\n" * n)),
    F("params: YAML comments", 1000, YAML, params(lambda n: "# x\n" * n + "s: x\n")),
    F("params: a long YAML line", 4096, YAML, params(lambda n: "s: " + "x " * n + "\n")),
    F("params: YAML quoted lines", 1000, YAML, params(lambda n: 's: "' + "x\n  " * n + '"\n')),
    F("params: YAML keys that are lists", 100, YAML, params(lambda n: "? [a]\n: b\n" * n + "s: x\n"), "p.yaml"),
    F("params: a long YAML key", 4096, YAML, params(lambda n: "x" * n + ": y\n"), "p.yaml"),
    F("params: YAML tags", 500, YAML, params(lambda n: "".join("%%TAG !t%d! tag:x,2000:\n" % i for i in range(n)) + "---\ns: x\n"), "ok|p.yaml"),
    F("params: YAML documents", 500, YAML, params(lambda n: "---\ns: x\n" * n), "ok|p.yaml"),
]

POLICY = 'policy "p%d" {\n  for r in cluster.roles { check r.devices >= 0 else "x" }\n}\n'
PROJECTS = [
    F("project: policies of one file", 200, CHECK, project(lambda n: 'policies = ["p.tj"]', lambda n: {"p.tj": each(n, POLICY)})),
    F("project: checks of one policy", 500, CHECK, project(lambda n: 'policies = ["p.tj"]', lambda n: {"p.tj": 'policy "p" {\n' + each(n, 'check %d >= 0 else "x"\n') + "}\n"})),
    F("project: checks that fail", 500, CHECK, project(lambda n: 'policies = ["p.tj"]', lambda n: {"p.tj": 'policy "p" {\n' + each(n, 'check %d < 0 else "x"\n') + "}\n"}), "TJ09"),
    F("project: files of policies", 50, CHECK, project(lambda n: "policies = [" + each(n, '"p%d.tj", ') + "]", lambda n: {"p%d.tj" % i: POLICY % i for i in range(n)}), "ok|TJ"),
    F("project: policies over jobs", 20, CHECK, lambda n: {"project.tj": 'project { policies = ["p.tj"] }\n', "p.tj": each(20, POLICY),
                                                            "a.tj": each(n, 'job "j%d" {\n  image = "a/b:1"\n  command = ["run"]\n  role task { memory = 64Mi }\n}\n')}),
    F("project: a policy over env", 100, CHECK, lambda n: {"project.tj": 'project { policies = ["p.tj"] }\n', "a.tj": inside('N%d = "x"\n', "env {\n", "}\n")(n),
                                                            "p.tj": 'policy "p" {\n  for c in cluster.containers { for k in keys(c.env) { check k in c.env else "x" } }\n}\n'}, "ok|TJ"),
    F("project: unknown fields", 500, CHECK, project(lambda n: each(n, "x%d = 1\n")), "TJ"),
    F("project: defaults", 500, CHECK, project(lambda n: "defaults { env {\n" + each(n, 'N%d = "x"\n') + "} }"), "ok|TJ"),
    F("project: packages", 50, CHECK, project(lambda n: "packages {\n" + each(n, 'k%d = "k%d"\n') + "}", lambda n: {"k%d/top.tj" % i: "let a = 1\n" for i in range(n)}), "ok|TJ|trainc"),
    F("project: vendor of packages", 50, "vendor", project(lambda n: "packages {\n" + each(n, 'k%d = "k%d"\n') + "}", lambda n: {"k%d/top.tj" % i: "let a = 1\n" for i in range(n)}), "ok|TJ|trainc"),
    F("project: vendor of files of a package", 50, "vendor", project(lambda n: 'packages { k = "k" }', lambda n: {"k/f%d.tj" % i: "let a = 1\n" for i in range(n)}), "ok|TJ|trainc"),
    F("project: vendor of directories in each other", 8, "vendor", project(lambda n: 'packages { k = "k" }', lambda n: {"k/" + "d/" * min(n, 450) + "f.tj": "let a = 1\n" * n}), "ok|trainc"),
    F("project: lines of a lock file", 500, CHECK, project(lambda n: 'packages { k = "k" }', lambda n: {"k/top.tj": "let a = 1\n", "trainc.lock": each(n, "p%d sha256:" + "0" * 64 + "\n")}), "ok|TJ"),
    F("project: a lock file of one line", 4096, CHECK, project(lambda n: 'packages { k = "k" }', lambda n: {"k/top.tj": "let a = 1\n", "trainc.lock": "x" * n}), "ok|TJ"),
    F("project: a project file of a long line", 4096, CHECK, project(lambda n: "# " + "x" * n), "ok|TJ0001"),
    F("crd: fields", 200, "vendor crd c.yaml", lambda n: {"project.tj": "project {}\n", "c.yaml": crd(each(n, "          f%d: {type: string}\n"))}, "ok|trainc|crd"),
    F("crd: types", 200, "vendor crd c.yaml", lambda n: {"project.tj": "project {}\n", "c.yaml": crd(each(n, "          f%d: {type: object, properties: {a: {type: string}}}\n"))}, "ok|c.yaml|types"),
    F("crd: types inside of each other", 8, "vendor crd c.yaml", lambda n: {"project.tj": "project {}\n", "c.yaml": crd("          f: " + "{type: object, properties: {a: " * n + "{type: string}" + "}}" * n + "\n")}, "ok|c.yaml"),
    F("crd: definitions", 50, "vendor crd c.yaml", lambda n: {"project.tj": "project {}\n", "c.yaml": "".join("---\n" + crd("          f: {type: string}\n", "W%d" % i) for i in range(n))}, "ok|c.yaml"),
    F("crd: a value of n fields against its kind", 200, CHECK, lambda n: {"project.tj": "project {}\n", "a.tj": inside("f%d = 1\n", 'object o {\n  apiVersion = "acme.io/v1"\n  kind = "Widget"\n', "}\n")(n)}, "TJ"),
    F("crd: lines of a table", 500, CHECK, lambda n: {"project.tj": "project {}\n", "a.tj": job(), "crds.tbl": each(n, "kind acme.io/v1 W%d\n")}, "ok|TJ|project"),
]

MANIFESTS = [F("import: %ss" % kind, 50, LIST, documents(lambda i, kind=kind: kubeflow(kind, i)), "ok|TJ|error") for kind in KINDS] + [
    F("import: Jobs", 50, LIST, documents(batch), "ok|TJ|error"),
    F("import: ConfigMaps", 50, LIST, documents(lambda i: "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata: {a: b}\n" % i), "m.yaml|ok"),
    F("import: a Job that trainc compiled, again and again", 50, LIST, documents(lambda i: compiled(0)), "ok|TJ", quick=6400),
    F("import: replicas that trainc compiled", 50, LIST, documents(compiled), "ok|TJ", quick=6400),
    F("import: roles of a JobSet", 50, LIST, manifest(jobset), "ok|error"),
    F("import: items of a List", 50, LIST, manifest(lambda n: "apiVersion: v1\nkind: List\nitems:\n" + each(n, '- {apiVersion: batch/v1, kind: Job, metadata: {name: j%d}, spec: {template: {spec: ' + pod() + "}}}\n")), "ok|m.yaml"),
    F("import: env", 200, LIST, manifest(lambda n: batch(0, pod(container=", env: [" + each(n, "{name: N%d, value: x}, ") + "]"))), "ok|m.yaml"),
    F("import: env of env", 200, LIST, manifest(lambda n: batch(0, pod(container=", env: [" + "".join('{name: N%d, value: "$(N%d)"}, ' % (i + 1, i) for i in range(n)) + "]"))), "ok|m.yaml"),
    F("import: references in one word", 200, LIST, manifest(lambda n: batch(0, pod(container=", env: [{name: A, value: x}], args: ['" + "$(A)" * n + "']"))), "ok|m.yaml"),
    F("import: dollars in one word", 500, LIST, manifest(lambda n: batch(0, pod(container=", args: ['" + "$(" * n + "']"))), "ok|m.yaml"),
    F("import: args", 500, LIST, manifest(lambda n: batch(0, pod(container=", args: [" + '"x", ' * n + "]"))), "ok|m.yaml"),
    F("import: containers", 100, LIST, manifest(lambda n: batch(0, pod().replace("containers: [", "containers: [" + each(n, '{name: c%d, image: "a/b:1"}, ')))), "ok|m.yaml"),
    F("import: init containers", 100, LIST, manifest(lambda n: batch(0, pod(", initContainers: [" + each(n, '{name: c%d, image: "a/b:1"}, ') + "]"))), "ok|m.yaml"),
    F("import: volumes and mounts", 100, LIST, manifest(lambda n: batch(0, pod(", volumes: [" + each(n, "{name: v%d, emptyDir: {}}, ") + "]", ", volumeMounts: [" + each(n, "{name: v%d, mountPath: /m%d}, ") + "]"))), "ok|m.yaml"),
    F("import: labels", 200, LIST, manifest(lambda n: batch(0, None, ", labels: {" + each(n, "l%d: v, ") + "}")), "ok|m.yaml"),
    F("import: unknown fields", 200, LIST, manifest(lambda n: batch(0, pod(", " + each(n, "foo%d: 1, ") + "zoo: 1"))), "ok|m.yaml"),
    F("import: fields like those for roles", 200, LIST, manifest(lambda n: kubeflow("PyTorchJob").replace("  pytorchReplicaSpecs:", each(n, "  x%dReplicaSpecs: {a: 1}\n") + "  pytorchReplicaSpecs:")), "ok|m.yaml"),
    F("import: tolerations", 200, LIST, manifest(lambda n: batch(0, pod(", tolerations: [" + each(n, "{key: k%d, operator: Exists}, ") + "]"))), "ok|m.yaml"),
    F("import: YAML inside of YAML", 16, LIST, manifest(lambda n: batch(0, pod(", affinity: " + "{a: " * n + "1" + "}" * n))), "ok|m.yaml"),
    F("import: aliases of ten", 2, LIST, manifest(lambda n: "a0: &a0 [x]\n" + "".join("a%d: &a%d [%s]\n" % (i + 1, i + 1, ", ".join(["*a%d" % i] * 10)) for i in range(n))), "m.yaml"),
    F("import: comments", 500, LIST, manifest(lambda n: "# x\n" * n + batch()), "ok|m.yaml", quick=128000),
    F("import: comments between fields", 200, LIST, documents(lambda i: batch(i).replace("metadata", "# x\nmetadata")), "ok|m.yaml"),
    F("import: documents that are nothing", 500, LIST, manifest(lambda n: "---\n" * n + batch()), "ok|m.yaml"),
    F("import: names that are no names", 100, LIST, documents(lambda i: batch(i).replace("name: j", "name: A_")), "ok|m.yaml"),
    F("import: one name n times", 100, LIST, documents(lambda i: batch(0)), "ok|m.yaml"),
    F("import: a script of n lines", 500, "import --image a/b:1 m.sbatch", lambda n: {"m.sbatch": "#!/bin/sh\n#SBATCH --nodes=2\n" + "srun true\n" * n}, "ok|m.sbatch"),
    F("import: a script of n directives", 200, "import --image a/b:1 m.sbatch", lambda n: {"m.sbatch": "#!/bin/sh\n" + "#SBATCH --nodes=2\n" * n + "srun true\n"}, "ok|m.sbatch"),
    F("import: manifests", 50, "import", lambda n: {**{"m%d.yaml" % i: batch(i) for i in range(n)}, "args": ["m%d.yaml" % i for i in range(n)]}, "ok|yaml"),
]

STATUS = [
    F("status: events of one pod", 200, JUDGE, listing(event)),
    F("status: events of n pods", 200, JUDGE, listing(lambda i: event(i, "a-task-%d" % i))),
    F("status: pods", 200, JUDGE, listing(lambda i: member("Pod", i, status={"phase": "Running"}))),
    F("status: pods of one name", 200, JUDGE, listing(lambda i: member("Pod", 0, status={"phase": "Running"}))),
    F("status: pods of others", 200, JUDGE, listing(lambda i: {"kind": "Pod", "metadata": {"name": "x%d" % i}})),
    F("status: Jobs", 200, JUDGE, listing(lambda i: member("Job", i, spec={}, status={}))),
    F("status: objects of unknown kinds", 200, JUDGE, listing(lambda i: member("Widget%d" % i, i, status={"conditions": []}))),
    F("status: conditions", 200, JUDGE, lambda n: {"a.tj": job(), "l.json": '{"kind": "List", "items": [{"kind": "Job", "metadata": {"name": "a-task", "labels": {"trainc.dev/job": "a"}}, "status": {"conditions": ['
                                                   + '{"type": "X", "status": "True"}, ' * n + '{"type": "Y", "status": "True"}]}}]}'}),
    F("status: JSON inside of JSON", 16, JUDGE, lambda n: {"a.tj": job(), "l.json": "[" * n + "]" * n}, "l.json"),
    F("status: names that collide", 1024, JUDGE, lambda n: {"a.tj": job(), "l.json": '{"kind": "List", ' + "".join('"%s": 1, ' % c for c in colliding(n)) + '"items": []}'}),
    F("status: a long text", 4096, JUDGE, listing(lambda i: event(0, message="m" * i) if i < 2 else event(i))),
    F("status: what is not JSON", 4096, JUDGE, lambda n: {"a.tj": job(), "l.json": '{"kind": "List", "items": [' + "{}, " * n}, "l.json"),
    F("status: a time line", 100, JUDGE + " -o svg", listing(lambda i: member("Pod", i, status={"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}))),
    F("status: one line for each replica", 100, JUDGE + " -o wide", listing(lambda i: member("Pod", i, status={"phase": "Running"}))),
]

EDITOR = [
    F("lsp: letters that are typed", 50, "lsp", editor(lambda n: job(), edits)),
    F("lsp: one large text", 1000, "lsp", editor(top("let a%d = 1\n"), asks("textDocument/hover", 1))),
    F("lsp: one text of errors", 500, "lsp", editor(top("let a%d = nmae%d\n"), asks("textDocument/hover", 1))),
    F("lsp: letters in a large text", 500, "lsp", editor(top("let a%d = 1\n"), lambda n: edits(20))),
    F("lsp: hovers", 100, "lsp", editor(lambda n: job(), asks("textDocument/hover"))),
    F("lsp: completions in a large text", 500, "lsp", editor(top("let a%d = 1\n"), asks("textDocument/completion", 5))),
    F("lsp: symbols of a large text", 500, "lsp", editor(top("let a%d = 1\n"), asks("textDocument/documentSymbol", 2))),
    F("lsp: tokens of a large text", 500, "lsp", editor(top("let a%d = 1\n"), asks("textDocument/semanticTokens/full", 2))),
    F("lsp: folds of a large text", 500, "lsp", editor(inside("env {\n}\n"), asks("textDocument/foldingRange", 2))),
    F("lsp: uses of one name", 500, "lsp", editor(lambda n: job(top="\nlet nnnnnnnn = 1\n" + each(n, "let b%d = nnnnnnnn\n")), asks("textDocument/references", 2, context={"includeDeclaration": True}))),
    F("lsp: rename of a name", 500, "lsp", editor(lambda n: job(top="\nlet nnnnnnnn = 1\n" + each(n, "let b%d = nnnnnnnn\n")), asks("textDocument/rename", 1, newName="other"))),
    F("lsp: quick fixes of n errors", 200, "lsp", editor(top("let a%d = clustre.name\n"), lambda n: message("textDocument/codeAction", {
        "textDocument": URI, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 10, "character": 0}}, "context": {"diagnostics": []}}, 9))),
    F("lsp: unknown methods", 200, "lsp", editor(lambda n: job(), asks("x/y"))),
    F("lsp: JSON inside of JSON", 16, "lsp", lambda n: {"-": "Content-Length: %d\r\n\r\n%s" % (2 * n, "[" * n + "]" * n)}, "|ok"),
    F("lsp: headers", 500, "lsp", lambda n: {"-": "X-A: b\r\n" * n + "\r\n"}, "|ok"),
    F("lsp: a header without an end", 4096, "lsp", lambda n: {"-": "x" * n}, "|ok"),
    F("lsp: texts", 50, "lsp", lambda n: {"-": message("initialize", {"capabilities": {}}, 1) + message("initialized") + "".join(message("textDocument/didOpen", {
        "textDocument": {"uri": "file:///tmp/a%d.tj" % i, "languageId": "trainc", "version": 1, "text": job()}}) for i in range(n)) + message("shutdown", None, 2) + message("exit")},
      quick=12800),
]

FAMILIES = TEXT + NESTING + NAMES + VALUES + JOBS + COMMANDS + PARAMETERS + PROJECTS + MANIFESTS + STATUS + EDITOR


def main():
    trainc, words = os.path.abspath(sys.argv[1]), [w for w in sys.argv[2:] if w != "--quick"]
    families = [f for f in FAMILIES if not words or any(w in f.title for w in words)]
    if "--quick" in sys.argv:
        sanitized = "asan" in os.environ.get("BUILD", "") or os.environ.get("ASAN_OPTIONS") is not None
        sys.exit(0 if doubling.quick(trainc, families, sanitized) else 1)
    sys.exit(0 if doubling.table(trainc, families) else 1)


main()
