"""limits.py - hostile or huge inputs are rejected early: budgets, growth, symbolic links, invisible characters."""
import os
import subprocess
import tempfile

from table import TRAINC, Table, W

t = Table()


def cost(program):
    """Returns processor seconds, MiB and standard error of one check; the memory is the maximum of all children so
    far."""
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "a.tj")
        with open(path, "w", encoding="utf-8") as f:
            f.write(program)
        err = os.path.join(place, "err")
        with open(err, "wb") as to:
            child = subprocess.Popen([TRAINC, "check", path], stdout=subprocess.DEVNULL, stderr=to)
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        with open(err, "rb") as f:
            said = f.read().decode(errors="replace")
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said, child.returncode


def bounded(subject, program, seconds, mib, says):
    """Memory that sanitizers use does not count as the program's."""
    spent, memory, said, status = cost(program)
    slow = "asan" in os.environ.get("BUILD", "") or os.environ.get("ASAN_OPTIONS") is not None
    wrong = []
    if status != 1 or says not in said:
        wrong.append("status %d, does not say %r" % (status, says))
    if not slow and spent > seconds:
        wrong.append("%.1f s of processor time, at most %.1f" % (spent, seconds))
    if not slow and memory > mib:
        wrong.append("%d MiB, at most %d" % (memory, mib))
    t.note(subject, "; ".join(wrong), said[:400] if wrong else "")


# ---- budgets ----
TEN = "${x}" * 10
bounded("a text that pods would make of texts of texts", 'fn f0(x: pod[string]) -> pod[string] = "%s"\n'
        "fn f1(x: pod[string]) -> pod[string] = %sx%s\n" % (TEN, "f0(" * 9, ")" * 9) +
        'job "a" { image = "r.example.com/a:1", role w { replicas = 3, env { A = f1("a${pod.index}") } } }\n', 3, 256,
        "1000000 parts of a text")
bounded("16,000 unknown fields with unknown values", W("\n".join("foo%d = bar%d" % (i, i) for i in range(16000))), 4, 256, "has no field 'foo0'")
bounded("32,000 unknown names in env", W("env {\n" + "\n".join("A%d = nm%d" % (i, i) for i in range(32000)) + "\n}"), 4, 256, "no value named 'nm0'")
bounded("a file of 60 MB", "let a = " + "1+" * (30 << 20) + "1\n", 2, 512, "is larger than 8 MiB")
bounded("3 MB of unknown names", "".join("let a%d = nm%d\n" % (i, i) for i in range(150000)), 30, 1536, "no value named 'nm0'")
t.case("an import of more than 8 MiB", 'import "b.tj" as b\n' + W("env { A = b.x }"), ["'b.tj' cannot be read: is larger than 8 MiB", "TJ0208"], lacks="TJ0211", status=1,
       files={"b.tj": "let x = 1\n#" + "x" * (8 << 20)})

for n, status in ((200, 0), (300, 1), (100000, 1)):
    t.case("%d times else-if of an expression" % n, "let a = " + "if 1 == 2 then 1 else " * n + "2\n" + W("replicas = a"), ["[TJ0114]"] if status else [], status=status)
    t.case("%d times else-if of an item" % n, 'job "a" { image = "r.example.com/a:1", role w { command = ["x"], cpu = 1, memory = 64Mi }\n' +
           "if 1 == 2 { ttl = 1d } else " * n + "{ ttl = 1d }\n}\n", ["[TJ0114]"] if status else [], status=status)

# ---- symbolic links ----
with tempfile.TemporaryDirectory() as outer:
    with open(os.path.join(outer, "secret.tj"), "w", encoding="utf-8") as f:
        f.write('let x = "hidden"\npolicy "p" { check true else "x" }\n')
    inner = os.path.join(outer, "project")
    os.makedirs(os.path.join(inner, "own"))
    for name, text in (("a.tj", 'import "leak.tj" as l\n' + W("env { A = l.x }")), ("b.tj", 'import "near.tj" as l\n' + W("env { A = l.x }")),
                       ("c.tj", 'import "away/secret.tj" as l\n' + W("env { A = l.x }")), ("own/x.tj", "let x = 1\n"), ("d.tj", W(""))):
        with open(os.path.join(inner, name), "w", encoding="utf-8") as f:
            f.write(text)
    os.symlink("../secret.tj", os.path.join(inner, "leak.tj"))
    os.symlink("own/x.tj", os.path.join(inner, "near.tj"))
    os.symlink("..", os.path.join(inner, "away"))
    os.symlink("project", os.path.join(outer, "same"))

    def linked(subject, name, status, says=(), lacks=(), where=inner):
        done = subprocess.run([TRAINC, "check", name], cwd=where, capture_output=True, timeout=60, check=False)
        said = (done.stdout + done.stderr).decode(errors="replace")
        wrong = ["does not say %r" % s for s in says if s not in said] + ["says %r" % s for s in lacks if s in said]
        if done.returncode != status:
            wrong.append("status %d, not %d" % (done.returncode, status))
        t.note(subject, "; ".join(wrong), said if wrong else "")

    linked("an import through a link out of the project", "a.tj", 1, ["TJ0210", "symbolic link"], ["hidden"])
    linked("an import through a linked directory", "c.tj", 1, ["TJ0210", "symbolic link"], ["hidden"])
    linked("a link within the project", "b.tj", 0)
    linked("a project that is itself reached by a link", "b.tj", 0, where=os.path.join(outer, "same"))
    with open(os.path.join(inner, "project.tj"), "w", encoding="utf-8") as f:
        f.write('project { policies = ["leak.tj"] }\n')
    linked("a policy through a link out of the project", "d.tj", 1, ["TJ0210"], ["hidden"])
    with open(os.path.join(inner, "project.tj"), "w", encoding="utf-8") as f:
        f.write('project { policies = ["../secret.tj"] }\n')
    linked("a policy outside of the project", "d.tj", 1, ["TJ0210"], ["hidden"])

# ---- invisible characters ----
for code in (0x80, 0x85, 0x9F, 0x202A, 0x202E, 0x2066, 0x2069):
    t.case("U+%04X in a string" % code, W('env { A = "x%cy" }' % code), ["TJ1011", "U+%04X" % code, "\\u{%x}" % code], status=0)
t.case("one in a comment", W("# x\u202ey\n"), ["TJ1011", "this comment contains"], status=0)
t.case("one beside an interpolation", 'let n = 1\n' + W('env { A = "${n}\u202e" }'), "TJ1011", status=0)
t.case("one in a text of several lines", 'let n = """\n  a\n  \u2067b\n  """\n' + W("env { A = n }"), "a.tj:3:3: warning", status=0)
t.case("one in a name", W('env { "A\u202e" = "x" }'), "TJ0701", status=1)
t.case("one as an escape", W('env { A = "x\\u{202e}y" }'), lacks="TJ1011", status=0)
t.case("other letters", W('env { A = "\u05d0\u00e9\u4e2d\u200d\U0001f600" }'), lacks="TJ1011", status=0)
t.case("one that is silenced", 'job "a" { image = "r.example.com/a:1"\n  # allow TJ1011: a name of the customer\n  role w { env { A = "x\u202ey" } } }\n', lacks="warning", status=0)

# ---- more elements than anybody writes by hand: quadratic cost is refused (make torture) ----
ROLE = 'job "a" { image = "r.example.com/a:1", command = ["x"], success = done(r0), clean = "all"\n%s}\n'
t.case("2,001 roles", ROLE % "".join("  role r%d {}\n" % i for i in range(2001)), ["TJ0407", "job 'a' has 2001 roles; at most 2000"], status=1)
t.case("roles of a framework", "framework f {\n%s  success = done(r0)\n}\njob \"a\": f { image = \"r.example.com/a:1\" }\n" %
       "".join("  role r%d {}\n" % i for i in range(2001)), ["TJ0407", "2001 roles"], status=1)
RESERVE = 'framework f {\n  role w {}\n  success = done(w)\n  reserve = [%s]\n}\njob "a": f { image = "r.example.com/a:1", command = ["x"], role w { replicas = 2 } }\n'
t.case("256 reserved names", RESERVE % ", ".join('"R%d"' % i for i in range(256)), status=0)
t.case("257 reserved names", RESERVE % ", ".join('"R%d"' % i for i in range(257)), ["a.tj:4:", "TJ0407", "lists 257 names; at most 256"], status=1)
ROW = "param s: int = 1\nprofile p0 { s = 2 }\n%s" + W('args = ["${s}"]')
t.case("64 profiles in a row", ROW % "".join("profile p%d: p%d {}\n" % (i + 1, i) for i in range(64)), status=0, args=("--profile", "p64"), command="env")
t.case("66 profiles in a row", ROW % "".join("profile p%d: p%d {}\n" % (i + 1, i) for i in range(65)),
       ["TJ0407", "profile 'p65' extends more than 64 others in a row"], lacks="'p64' extends", status=1)
t.case("profiles in a circle", ROW % "profile a: b {}\nprofile b: c {}\nprofile c: b {}\n", ["'b' extends itself", "'c' extends itself"], lacks=["'a' extends", "in a row"], status=1)
TESTS = 'param n: int = 1\n' + W('args = ["${n}"]') + "%s"
t.case("10,001 tests", TESTS % "".join('test "%d" { check true else "x" }\n' % i for i in range(10001)), ["TJ0407", "more than 10,000 tests"], command="test", status=1)
t.case("tests that read a long file again and again", TESTS % ("# %s\n" % ("x" * (1 << 20)) + "".join('test "%d" { set { n = 2 }, check n == 2 else "x" }\n' % i for i in range(140))),
       ["TJ0407", "140 tests with a profile or 'set' of their own would read 14"], command="test", status=1)
ENUM = "param p: enum(%s) = \"v0\"\n" + W('args = ["${p}"]')
t.case("1,000 texts of an enum", ENUM % ", ".join('"v%d"' % i for i in range(1000)), status=0)
t.case("1,002 texts of an enum", ENUM % ", ".join('"v%d"' % i for i in range(1002)), ["TJ0407", "an enum has at most 1000 texts"], status=1)
t.case("%TAG in parameters", "param s: string\n" + W('args = ["${s}"]'), ["p.yaml:66:1", "more than 64 %TAG directives"], status=1,
       args=("--params", "p.yaml"), files={"p.yaml": "# x\n" + "".join("%%TAG !t%d! tag:x,1:\n" % i for i in range(65)) + "---\ns: x\n"})

# ---- quantities ----
for text, said in ((".5Gi", "write '0.5Gi'"), ("5.", "this is not a memory amount"), ("+5", "this is not a memory amount")):
    t.case("--set m=%s" % text, "param m: memory\n" + W("memory = m"), ["TJ0403", said], lacks="choice", args=("--set", "m=" + text), status=1)
t.case("a raw quantity is Kubernetes' own", W('raw container { resources { requests { cpu = ".5" } } }'), status=0)
t.end()
