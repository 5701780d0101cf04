"""families.py - hostile inputs of doubling sizes: what each costs, and whether that is in proportion.

    families.py TRAINC            every family, the table of `make torture`
    families.py TRAINC --quick    one size of those that were worse once, judged by processor time and memory

A family is a function of n that gives the files of a program.  A run has at most CPU seconds and MIB of memory; where it
takes long enough to be measured, doubling n may not cost more than GROWTH times as much.  Sizes double until that is so.
"""
import math
import os
import resource
import subprocess
import sys
import tempfile

CPU, MIB, GROWTH, MEASURED = 20, 768, 3.2, 0.6
FAMILIES = []


def family(title, first, *args, quick=0, status=(0, 1), cpu=CPU):
    """`quick`: the size that the short run takes; 0 leaves the family to the long one.  `cpu`: its seconds at most."""
    def add(make):
        FAMILIES.append((title, first, args, quick, status, make, cpu))
        return make
    return add


def each(n, text):
    """TEXT for 0 to n-1: '%d' is the number, as often as it stands there."""
    times = text.count("%d")
    return "".join(text % ((i,) * times) for i in range(n))


def job(role="", more="", top=""):
    return ('import std.single\n%s\njob "a": single.task {\n  image = "a/b:1"\n  command = ["run"]\n%s\n  role task { memory = 64Mi\n%s\n  }\n}\n'
            % (top, more, role))


def simple(title, first, text, *args, at="top", before="", after="", quick=0):
    """One text for each i, in one place of a job."""
    @family(title, first, *(args or ("check", "a.tj")), quick=quick)
    def make(n):
        return {"a.tj": job(**{at: before + each(n, text) + after})}
    return make


# ---- what was worse once: COST-3, COST-8 to COST-11 of the table of defects ----
@family("tests that change nothing", 2000, "test", "a.tj", quick=8000)
def _(n):
    return {"a.tj": job() + each(n, 'test "t%d" { check 1 == 1 else "x" }\n')}


@family("tests that fail", 500, "test", "a.tj", quick=2000)
def _(n):
    return {"a.tj": job() + each(n, 'test "t%d" { check 1 == 2 else "x" }\n')}


@family("tests with a profile of their own", 100, "test", "a.tj", quick=500)
def _(n):
    return {"a.tj": job(top="param s: int = 1", more="env { S = s }") + each(n, 'test "t%d" { set { s = %d }, check s == %d else "x" }\n')}


simple("check --fix of one unknown name in n places", 1000, "let a%d = clustre.name\n", "check", "--fix", "a.tj", quick=6000)
simple("check --fix of n misspelt names", 250, "let name%d = 1\nlet b%d = nmae%d + 1\n", "check", "--fix", "a.tj", quick=1500)
simple("one unknown name in n places", 4000, "let a%d = clustre.name\n", quick=16000)
simple("sidecars of a role", 500, 'sidecar s%d { image = "a/b:1", command = ["x"] }\n', "compile", "a.tj", at="role", quick=8000)
simple("init containers of a role", 500, 'init s%d { image = "a/b:1", command = ["x"] }\n', "compile", "a.tj", at="role", quick=8000)
simple("fields of a record type", 5000, "f%d: string\n", before="type t {\n", after="}\n", quick=40000)
simple("fields of a record", 5000, 'f%d = "x"\n', before="let r = {\n", after="}\n", quick=40000)


@family("a parameter of n escapes", 20000, "check", "--params", "p.json", "a.tj", quick=200000)
def _(n):
    return {"a.tj": job(top="param s: string", more="env { S = s }"), "p.json": '{"s": "' + "\\u00e9\\n" * n + '"}'}


@family("letters of more than one byte in one line", 20000, "check", "a.tj", quick=100000)
def _(n):
    return {"a.tj": job(more='env { A = "' + "\u00e9" * n + '", B = nmae }')}


def colliding(n):
    """N names with one value of FNV-1a, which tables of names once used: pairs of blocks that collide, one behind the other."""
    state, names = (2166136261 ^ ord("n")) * 16777619 & 0xFFFFFFFF, [""]       # behind an n, as names begin with a letter
    while len(names) < n:
        seen = {}
        for i in range(1 << 20):
            block, at = "%05x" % i, state
            for c in block.encode():
                at = (at ^ c) * 16777619 & 0xFFFFFFFF
            if at in seen:
                break
            seen[at] = block
        names = [name + b for name in names for b in (seen[at], block)]
        state = at
    return names[:n]


# 8,192 of them took 2 s, 32,768 took 54
@family("names that collide under a hash without a seed", 1024, "check", "a.tj", quick=8192, cpu=1)
def _(n):
    names = ["n" + name for name in colliding(n)]
    return {"a.tj": job() + "".join("let %s = 1\n" % name for name in names)}


# ---- the runs ----
def run(trainc, args, files):
    """Seconds of processor, MiB, status, standard error."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in files.items():
            with open(os.path.join(place, name), "w", encoding="utf-8") as f:
                f.write(text)

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (20 * CPU, 20 * CPU))

        with open(os.path.join(place, "err"), "wb") as err:
            child = subprocess.Popen([trainc, *args], cwd=place, stdout=subprocess.DEVNULL, stderr=err, preexec_fn=limits)
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        with open(os.path.join(place, "err"), "rb") as f:
            said = f.read(400).decode(errors="replace")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode, said


def judged(title, n, measured, status, sanitized, cpu):
    """What is wrong with one run; sanitizers' time and memory are not the program's."""
    seconds, mib, ended, said = measured
    wrong = []
    if ended not in status:
        wrong.append("status %d: %s" % (ended, said))
    if not sanitized and seconds > cpu:
        wrong.append("%.1f s of processor time, at most %d" % (seconds, cpu))
    if not sanitized and mib > MIB:
        wrong.append("%d MiB, at most %d" % (mib, MIB))
    return ["%s, n = %d: %s" % (title, n, w) for w in wrong]


def quick(trainc, sanitized):
    failed = []
    count = 0
    for title, _, args, n, status, make, cpu in FAMILIES:
        if n:
            count += 1
            n = n // 8 if sanitized else n
            failed += judged(title, n, run(trainc, args, make(n)), status, sanitized, cpu)
    for f in failed:
        print("FAIL", f)
    print("%d passed, %d failed" % (count - len(failed), len(failed)))
    return not failed


def doubled(trainc, one):
    """Rows of (n, seconds, MiB) and what is wrong."""
    title, n, args, _, status, make, cpu = one
    rows, wrong = [], []
    while len(rows) < 12 and not wrong:
        files = make(n)
        measured = run(trainc, args, files)
        rows.append((n, *measured[:2]))
        wrong = judged(title, n, measured, status, False, cpu)
        if len(rows) > 1 and (measured[0] > MEASURED or sum(map(len, files.values())) > 4 << 20):
            break
        n *= 2
    growth = rows[-1][1] / max(rows[-2][1], 0.01) if len(rows) > 1 else 1
    if rows[-1][1] > MEASURED and growth > GROWTH:
        wrong.append("%s: twice the size costs %.1f times as much" % (title, growth))
    return rows, growth, wrong


def table(trainc):
    failed, all_rows = [], []
    print("%-48s %10s %8s %6s %9s" % ("family", "n", "CPU s", "MiB", "exponent"))
    for one in FAMILIES:
        rows, growth, wrong = doubled(trainc, one)
        exponent = math.log2(growth) if rows[-1][1] > MEASURED / 2 and growth > 0 else None
        n, seconds, mib = rows[-1]
        print("%-48s %10d %8.2f %6d %9s" % (one[0], n, seconds, mib, "-" if exponent is None else "%.2f" % exponent), flush=True)
        all_rows.append((exponent or 0, one[0]))
        failed += wrong
    print("%d families, the worst: %s, exponent %.2f" % (len(FAMILIES), max(all_rows)[1], max(all_rows)[0]))
    for f in failed:
        print("FAIL", f)
    return not failed


def main():
    trainc = os.path.abspath(sys.argv[1])
    sanitized = "asan" in os.environ.get("BUILD", "") or os.environ.get("ASAN_OPTIONS") is not None
    sys.exit(0 if (quick(trainc, sanitized) if "--quick" in sys.argv else table(trainc)) else 1)


main()
