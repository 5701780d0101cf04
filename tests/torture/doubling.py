"""doubling.py - runs families of inputs at doubling sizes, and reports those whose cost grows faster than their size.

A family has a name, a first size, the words of a command, a function that gives the files for a size, and the expected
end of a run.  The files are a dictionary of names and texts, or one text, which is a.tj; "-" is standard input, and
"args" is a list of words to append to the command.  The end is "ok" for status 0, or a part of the message, such as a
code. "a|b" permits both, because large inputs may exceed a budget that small ones do not. TJ0407, the code of budgets,
is permitted for every family.

A run may take at most CPU seconds and MIB of memory.  Sizes double until a run takes MEASURED seconds, or its files
have LARGE bytes. This run may cost at most GROWTH times as much as one of half the size, in time and in memory.  If it
costs more than DOUBT times as much, both sizes run again, and the cheapest run of each counts; then twice the size is
tried as well, unless its files would have more than 2 * LARGE bytes. This distinguishes quadratic cost from a moment in
which the machine was busy. """
import math
import os
import resource
import subprocess
import tempfile

CPU, MIB, GROWTH, DOUBT, MEASURED, LARGE = 5, 768, 2.7, 2.35, 0.3, 2 << 20


class Family:
    def __init__(self, title, first, command, make, end="ok", quick=0, cpu=CPU, growth=GROWTH):
        """`quick`: the size in the short test; 0: the family is only in the long one. `cpu`: limit in seconds.
        `growth`: limit for a cost that grows quadratically until a budget ends the run."""
        self.title, self.first, self.command, self.make = title, first, command.split(), make
        self.ends, self.quick, self.cpu = end.split("|"), quick, cpu
        self.growth = growth

    def files(self, n):
        files = self.make(n)
        return files if isinstance(files, dict) else {"a.tj": files}


class Run:
    """The cost of one run, and how it ended."""

    def __init__(self, trainc, family, n):
        files = {"-": "", **family.files(n)}
        words = files.pop("args", [])
        self.n, self.bytes = n, sum(map(len, files.values())) + sum(map(len, words))
        self.large = self.bytes > LARGE or sum(len(w) + 9 for w in words) > 700000 \
            or len(files) > 1500        # Linux refuses more arguments; the cost of more files is the disk's
        with tempfile.TemporaryDirectory() as place:
            write(place, files)
            self.start(place, [trainc, *family.command, *words])

    def start(self, place, command):
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open(os.path.join(place, "-"), "rb") as given, open(os.path.join(place, "err"), "wb") as err:
            child = subprocess.Popen(command, cwd=place, stdin=given, stdout=subprocess.DEVNULL, stderr=err, preexec_fn=limits,
                                     env={"PATH": os.environ["PATH"], "HOME": place, **sanitizers()})
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.status = child.returncode
        with open(os.path.join(place, "err"), "rb") as f:
            said = f.read(1 << 22)
            f.seek(max(f.tell(), os.fstat(f.fileno()).st_size - (1 << 16)))         # a message may quote more than that; its code is at the end
            self.said = (said + f.read()).decode(errors="replace")
        self.seconds, self.mib = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def end(self, ends):
        """The end that occurred, or None."""
        for end in ends:
            if end == "ok" and self.status == 0 or end != "ok" and self.status in (1, 2) and end in self.said:
                return end
        return "TJ0407" if self.status == 1 and "TJ0407" in self.said else None        # a budget


def sanitizers():
    return {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}


def write(place, files):
    for name, text in files.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())


def judged(family, run, sanitized):
    """What is wrong with one run; time and memory of a sanitizer build are not the program's."""
    wrong = []
    if run.end(family.ends) is None:
        wrong.append("status %d, not %s: %s" % (run.status, " or ".join(family.ends), run.said[:300]))
    if not sanitized and run.seconds > family.cpu:
        wrong.append("%.1f s of processor time, at most %d" % (run.seconds, family.cpu))
    if not sanitized and run.mib > MIB:
        wrong.append("%d MiB, at most %d" % (run.mib, MIB))
    return ["%s, n = %d: %s" % (family.title, run.n, w) for w in wrong]


def quick(trainc, families, sanitized):
    """Runs one size of each family that has a quick one."""
    failed, chosen = [], [f for f in families if f.quick]
    for f in chosen:
        failed += judged(f, Run(trainc, f, f.quick // 8 if sanitized else f.quick), sanitized)
    for f in failed:
        print("FAIL", f)
    print("%d passed, %d failed" % (len(chosen) - len(failed), len(failed)))
    return not failed


def growth(less, more):
    """How many times as much the second run costs, counting only quantities that are large enough to compare."""
    time = more.seconds / max(less.seconds, 0.02) if more.seconds > MEASURED else 0
    memory = more.mib / less.mib if more.mib > 64 else 0
    return max(time, memory)


def again(trainc, family, run):
    """Takes the lesser cost of RUN and of one more run of the same size."""
    more = Run(trainc, family, run.n)
    run.seconds, run.mib = min(run.seconds, more.seconds), min(run.mib, more.mib)


def doubled(trainc, family):
    """Returns the last run, its growth (0 when there was nothing to measure), and what is wrong."""
    last, n, times, doubts = None, family.first, 0, 0
    while True:
        run = Run(trainc, family, n)
        wrong = judged(family, run, False)
        # When a budget ends the run, the cost is that of the budget, even if the input was only a little larger.
        comparable = last and last.end(family.ends) == run.end(family.ends)
        times = growth(last, run) if comparable and run.n == 2 * last.n else 0
        for _ in range(3):
            if times <= DOUBT:
                break
            again(trainc, family, last)
            again(trainc, family, run)
            times = growth(last, run)
        doubts += times > DOUBT
        large = run.large or n > 1 << 26
        if wrong or large and times <= DOUBT or doubts > 2 or comparable and run.seconds > MEASURED and 0 < times <= DOUBT:
            break
        if run.bytes > 2 * LARGE or run.large and run.bytes < LARGE or n > 1 << 26:
            break
        last, n = run, n * 2 if run.seconds > 0.05 or run.mib > 48 or 4 * run.bytes > LARGE else n * 4
    if times > family.growth:
        wrong.append("%s: twice the size, n = %d, costs %.1f times as much" % (family.title, n, times))
    return run, times, wrong


def table(trainc, families):
    """Every family, the worst at the end."""
    failed, rows = [], []
    print("%-52s %9s %9s %6s %5s %8s  %s" % ("family", "n", "bytes", "CPU s", "MiB", "exponent", "end"))
    for f in families:
        run, times, wrong = doubled(trainc, f)
        exponent = math.log2(times) if times > 0 else 0
        print("%-52s %9d %9d %6.2f %5d %8s  %s" % (f.title, run.n, run.bytes, run.seconds, run.mib,
                                                   "%.2f" % exponent if exponent else "-", run.end(f.ends)), flush=True)
        rows.append((exponent, f.title))
        failed += wrong
    print("%d families; the worst:" % len(families))
    for exponent, title in sorted(rows, reverse=True)[:5]:
        print("    %.2f  %s" % (exponent, title))
    for f in failed:
        print("FAIL", f)
    return not failed
