"""api.py TRAINC - the Python API: its results are those of the commands for every example and golden, its errors are
exceptions, and it survives threads, forks, interrupts and ten thousand compilations.

TRAINC_LIBRARY names the library unless `trainc` is an installed wheel. --quick leaves out the long loops."""
import glob
import json
import os
import pathlib
import pickle
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import trainc

TRAINC = sys.argv[1]
QUICK = "--quick" in sys.argv
Path = pathlib.Path
passed = failed = 0


def check(what, ok, more=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL", what, str(more)[:600])


def raises(what, kind, act, *words):
    try:
        value = act()
    except kind as e:
        check(what, all(word in str(e) for word in words), repr(e))
        return e
    except BaseException as e:
        check(what, False, repr(e))
        return None
    check(what, False, f"returned {value!r}")
    return None


def command(*arguments, **more):
    return subprocess.run([TRAINC, *arguments], capture_output=True, text=True, **more)


TASK = """import std.single

param message: string = "hello"
param n: int = 1
param names: list[string] = []

job "%s": single.task {
  image   = "registry.example.com/a:1"
  command = ["sh", "-c", "%s", message]

  role task { cpu = 1, memory = 64Mi }
}
"""
PROGRAM = TASK % ("a", "true")


# ---- the same as the commands ----
def same_as_commands():
    differ = []
    count = 0
    for path in sorted(glob.glob("examples/*/*.tj") + glob.glob("tests/emit/*.tj") + glob.glob("tests/types/*.tj")
                       + glob.glob("tests/eval/*.tj") + glob.glob("tests/frameworks/cases/*.tj"))[:: 5 if QUICK else 1]:
        found, said = trainc.check(Path(path)), command("check", "--color=never", path)
        if found.text.rstrip("\n") not in said.stderr or bool(found.errors) != (said.returncode == 1):
            differ.append((path, "check", said.stderr[:200], found.text[:200]))
        count += 1
        for name, act in (("compile", lambda: list(trainc.compile(Path(path)))), ("plan", lambda: trainc.plan(Path(path)).to_dict()),
                          ("env", lambda: trainc.env(Path(path)).to_dict())):
            said = command(name, "-o", "json", path)
            try:
                ours = act()
            except trainc.Error:
                ours = None
            theirs = None if said.returncode else json.loads(said.stdout)
            if name == "compile" and theirs is not None:
                theirs = theirs["items"]
            if ours != theirs:
                differ.append((path, name))
    check(f"{count} programs: check, compile, plan and env are those of the commands", count > 20 and not differ, differ[:5])
    several = [f"examples/{one}" for one in ("01-torch-data-parallel/mnist.tj", "06-jax-tpu/gemma.tj")]
    if all(map(os.path.exists, several)):
        both = command("compile", "-o", "json", *several)
        check("several programs, in their order", list(trainc.compile(*map(Path, several))) == json.loads(both.stdout)["items"])
    path = "examples/01-torch-data-parallel/mnist.tj"
    objects = trainc.compile(Path(path), target="jobset", namespace="ml")
    said = command("compile", "--target", "jobset", "--namespace", "ml", path)
    check("options", objects.yaml == said.stdout, objects)
    plan = trainc.plan(Path(path))
    check("the plan as text and drawing", str(plan) == command("plan", path).stdout and plan.svg == command("plan", "-o", "svg", path).stdout)
    check("jobs of the plan", [job["name"] for job in plan.jobs] == ["mnist-ddp"])
    three = trainc.env(Path(path), role="worker", index=3)
    check("one replica", len(three) == 1 and three[0].env["PET_NODE_RANK"] == "3" and three[0].ports == {"rdzv": 29500})
    raises("a replica that does not exist", trainc.Error, lambda: trainc.env(Path(path), role="worker", index=33), "33", "worker")
    text = "import  std.nvidia\n"
    check("format", trainc.format(text) == "import std.nvidia\n")
    e = raises("format of a syntax error", trainc.Error, lambda: trainc.format("job {"), "<text>:1")
    check("... has diagnostics", e is not None and len(e.diagnostics) > 0)


# ---- sources and options ----
def sources():
    check("text", trainc.compile(PROGRAM)[-1]["kind"] == "Job")
    library = {"lib.tj": "fn twice(n: int) -> int = n * 2\n", "job.tj": "import \"lib.tj\" as lib\n" + PROGRAM}
    check("modules in memory", trainc.check(Path("job.tj"), files=library).errors == [], trainc.check(Path("job.tj"), files=library).text)
    check("with files, nothing is read from the disk",
          "no such file" in trainc.check(Path("examples/01-torch-data-parallel/mnist.tj"), files={}).text)
    check("a file that cannot be read is a diagnostic", len(trainc.check(Path("/nonexistent.tj")).errors) == 1)
    for what, path in (("a directory", "examples"), ("a device", "/dev/zero")):
        check(f"{what} is a diagnostic", len(trainc.check(Path(path)).errors) == 1)
    raises("not a program", TypeError, lambda: trainc.compile(7), "int")
    raises("no program", TypeError, trainc.compile)
    raises("an unknown option", TypeError, lambda: trainc.compile(PROGRAM, tagret="jobs"), "tagret", "target")
    check("an unknown target is a diagnostic", len(trainc.check(PROGRAM, target="nothing").errors) == 1)
    check("what is not UTF-8", "UTF-8" in trainc.check("# \udc80\n" + PROGRAM).text)
    check("a NUL character", len(trainc.check("\0").errors) > 0)
    for value in ('"', "${message}", "a\\b", "é😀\n\t", "3", "", "#", "'", "$", "x" * 5000):
        found = trainc.compile(PROGRAM, params={"message": value})[-1]["spec"]["template"]["spec"]["containers"][0]["command"][-1]
        check(f"the parameter {value[:10]!r} arrives as it is", found == value, found[:50])
    for params, good in (({"n": 3}, True), ({"n": 3.5}, False), ({"n": True}, False), ({"n": None}, False), ({"names": ["a", '"']}, True),
                         ({"names": "a"}, False), ({"other": 1}, False), ({}, True), ({"n": 2 ** 70}, False)):
        errors = trainc.check(PROGRAM, params=params).errors
        check(f"params={params}", (not errors) == good, errors)
    raises("a parameter that is not a number", ValueError, lambda: trainc.check(PROGRAM, params={"n": float("nan")}))
    raises("a parameter of another type", TypeError, lambda: trainc.check(PROGRAM, params={"n": object()}))


# ---- errors and results ----
def results():
    bad = PROGRAM.replace("memory", "memori")
    e = raises("an error", trainc.Error, lambda: trainc.compile(bad), "memori", "^", "help:", "<text>:")
    check("Error is a ValueError with diagnostics", isinstance(e, ValueError) and e.diagnostics[0].code.startswith("TJ"))
    d = e.diagnostics[0]
    check("fields of a diagnostic", (d.severity, d.file, d.line, d.column) == ("error", "<text>", 11, 24) and d.end_column > d.column and
          "memory" in d.help, d)
    raises("a diagnostic is frozen", AttributeError, lambda: setattr(d, "line", 1))
    again = pickle.loads(pickle.dumps(e))
    check("errors can be pickled", str(again) == str(e) and list(again.diagnostics) == list(e.diagnostics))
    warned = trainc.compile(Path("examples/02-torch-elastic/resnet.tj"))
    check("warnings of a good program", [w.severity for w in warned.diagnostics][:1] == ["warning"])
    raises("deny_warnings", trainc.Error, lambda: trainc.compile(Path("examples/02-torch-elastic/resnet.tj"), deny_warnings=True))
    evil = trainc.check("job \"<script>alert(1)</script>\": x {}")
    shown = [evil, trainc.plan(PROGRAM), trainc.env(Path("examples/01-torch-data-parallel/mnist.tj")), trainc.compile(PROGRAM), e]
    for one in shown:
        page = one._repr_html_()
        check(f"{type(one).__name__} in a notebook", page and "<script" not in page and "src=" not in page, page[:200])
        if hasattr(one, "_repr_mimebundle_"):
            check(f"{type(one).__name__}: repr is one line", "\n" not in repr(one) and "text/html" in one._repr_mimebundle_())
    check("colors", "<span style=" in evil._repr_html_() and "\x1b" not in evil._repr_html_() and "\x1b" not in evil.text)


# ---- threads, forks, interrupts, memory ----
def endurance():
    expected = {i: trainc.compile(TASK % (f"job-{i}", "true")).yaml for i in range(8)}
    wrong = []

    def work(i):
        for _ in range(10 if QUICK else 100):
            if trainc.compile(TASK % (f"job-{i}", "true")).yaml != expected[i]:
                wrong.append(i)
            if not trainc.check("job").errors:
                wrong.append(-i)
    threads = [threading.Thread(target=work, args=(i,)) for i in expected]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("eight threads at once", not wrong, wrong)

    pid = os.fork()
    if pid == 0:
        os._exit(0 if trainc.compile(TASK % ("job-1", "true")).yaml == expected[1] else 1)
    check("a fork", os.waitpid(pid, 0)[1] == 0)

    interrupted = 0
    for i in range(100):
        timer = threading.Timer(0.0003 * i, lambda: os.kill(os.getpid(), signal.SIGINT))
        try:
            timer.start()
            end = time.monotonic() + 20
            while time.monotonic() < end:
                trainc.check(PROGRAM)
        except KeyboardInterrupt:
            interrupted += 1
        timer.join()
    check("control-C during a call", interrupted == 100, interrupted)
    check("... and the next call works", trainc.compile(TASK % ("job-1", "true")).yaml == expected[1])

    def memory():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize()
    many, before = (500, 200) if QUICK else (10000, 1000)
    began = time.process_time()
    for i in range(many):
        trainc.compile(PROGRAM)
        trainc.check("job {")
        if i == before:
            first = memory()
    check(f"{many} compilations leak nothing", memory() - first < 3 << 20, (first, memory()))
    print(f"{many} compilations with objects, and {many} checks: {(time.process_time() - began) * 1000 / many:.2f} ms of processor time each")


def starts():
    code = ("import sys, os, resource, time\n"
            "def rss(): return int(open('/proc/self/statm').read().split()[1]) * resource.getpagesize()\n"
            "a, t = rss(), time.process_time()\nimport trainc\n%s\n"
            "print((time.process_time() - t) * 1000, (rss() - a) / 1e6)\n")
    # `cluster` also loads dataclasses and json, which training processes have anyway
    for then, ms, mb in ("", 30, 3), ("trainc.cluster", 60, 5):
        runs = [list(map(float, subprocess.run([sys.executable, "-c", code % then], capture_output=True, text=True).stdout.split()))
                for _ in range(5)]
        best = [min(column) for column in zip(*runs)]
        check(f"import{then and ' and ' + then}: at most {ms} ms and {mb} MB", best[0] <= ms and best[1] <= mb, best)
    loaded = subprocess.run([sys.executable, "-c", "import trainc, sys; print('ctypes' in sys.modules)"], capture_output=True, text=True)
    check("the import does not load the library", loaded.stdout.strip() == "False", loaded)


# ---- runs ----
def runs():
    os.environ["TRAINC"] = TRAINC
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TRAINC_STATE_DIR"] = scratch
        started = trainc.apply(TASK % ("py", "echo one; echo two; exec sleep 60"), local=True)
        check("apply", started.states == {"py": "Running"}, started)
        check("status", trainc.status(started).states == {"py": "Running"} and trainc.status("py", local=True).names == ["py"])
        check("in a notebook it is a table", "<table>" in started._repr_html_() and "Running" in started._repr_html_())
        raises("wait with a time", trainc.RunTimeout, lambda: trainc.wait(started, timeout="1s"))
        lines = []
        for line in trainc.logs(started, follow=True):
            lines.append(line)
            if len(lines) == 2:
                break
        check("logs is a generator that can be left", [str(line) for line in lines] == ["one", "two"] and lines[0].role == "task", lines)
        raises("the same run again", trainc.Conflict, lambda: trainc.apply(TASK % ("py", "true"), local=True))
        trainc.delete(started)
        raises("a run that does not exist", trainc.RunError, lambda: trainc.status("py", local=True))
        ended = trainc.run(TASK % ("good", "echo $0"), local=True, params={"message": '"${x}'})
        check("run", ended.states == {"good": "Succeeded"}, ended)
        check("quotes in a parameter arrive", [str(line) for line in trainc.logs("good", local=True)] == ['"${x}'])
        named = trainc.run(TASK % ("good", "echo $0"), local=True, name="tuned-{n}")
        check("a run of another name", named.states == {"tuned-1": "Succeeded"}, named)
        mark = os.path.join(scratch, "busy")
        alone = f"mkdir {mark} && sleep 0.2 && rmdir {mark}"
        part = 'job "part-%d" {\n  image = "registry.example.com/a:1"\n  role a { command = ["sh", "-c", "%s"] }\n}\n'
        sweep = "".join(part % (i, alone) for i in range(3))
        swept = trainc.run(sweep, local=True, parallel=1, on_end=f'echo "$TRAINC_RUN" >>"{scratch}/ends"')
        with open(os.path.join(scratch, "ends")) as f:
            check("a sweep with one run at once", set(swept.states.values()) == {"Succeeded"} and len(swept) == 3 == len(f.readlines()), swept)
        trainc.delete("tuned-1", *swept.names, local=True)
        e = raises("a run that fails", trainc.RunFailed, lambda: trainc.run(TASK % ("bad", "exit 3"), local=True, backoff="1ms"))
        check("... has the status of the command", e is not None and e.status == 8 and isinstance(e, trainc.RunError))
        e = raises("a program with errors", trainc.RunError, lambda: trainc.apply("job", local=True), "TJ0102")
        check("... status 1", e is not None and e.status == 1)
        raises("an unknown option", TypeError, lambda: trainc.wait("x", timeuot="1s"), "timeuot", "timeout")
        config = os.path.join(scratch, "kubeconfig")
        with open(config, "w") as f:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a"}}],
                       "clusters": [{"name": "a", "cluster": {"server": "http://127.0.0.1:1"}}]}, f)
        raises("no server", trainc.Unreachable, lambda: trainc.status("x", kubeconfig=config, retry_timeout="1ms"), "127.0.0.1")
        for name in ("good", "bad"):
            trainc.delete(name, local=True)
        check("nothing is left", not trainc.status(local=True))
    # each keyword of a function is an option of its command
    from trainc import _runs
    wrong = []
    for name, allowed in _runs._ALLOWED.items():
        words = set(re.findall(r"--([a-z-]+)", command("help", name).stdout))
        for word in allowed - {"params_files"}:
            if _runs._NAMES.get(word, word).replace("_", "-") not in words:
                wrong.append((name, word))
    check("keywords are the options of the commands", not wrong, wrong)
    # and each option of a start is a keyword, but for those about what the command prints, and `detach`, which is apply()
    printed = set("output color help verbose progress format role rank max-streams timestamps no-prefix raw dry-run yes detach set".split())
    for name in ("run", "apply"):
        words = {_runs._NAMES.get(word, word).replace("_", "-") for word in _runs._ALLOWED[name]}
        said = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", command("help", name).stdout, re.M))
        check(f"{name}() has all options of its command", not said - words - printed, sorted(said - words - printed))
    options = set(re.findall(r"--([a-z-]+)", command("help", "compile").stdout))
    wrong = [o for o in trainc.Options.__annotations__ if o not in ("files", "params_files") and o.replace("_", "-") not in options]
    check("options of programs, too", not wrong, wrong)


def program_of_the_module():
    os.environ["TRAINC"] = TRAINC
    done = subprocess.run([sys.executable, "-m", "trainc", "version"], capture_output=True, text=True)
    check("python -m trainc", done.returncode == 0 and trainc.version() in done.stdout and trainc.__version__ == trainc.version(), done)


for part in (same_as_commands, sources, results, endurance, starts, runs, program_of_the_module):
    part()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
