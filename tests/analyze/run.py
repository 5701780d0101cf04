"""run.py - compares what analyzers report about our C with the accepted findings.

    run.py BUILD            every analyzer (`make analyze`)
    run.py BUILD TOOL...    some of: clang (our warnings), tidy (clang-tidy), gcc (-fanalyzer), cppcheck

A line of accepted.txt is a false positive: the tool, the file, the check, and why. A finding without a line fails, and
so does a line without a finding. A tool that is not installed is skipped, and fails where CI=true. """
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ACCEPTED = os.path.join(HERE, "accepted.txt")
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wwrite-strings".split()
# The checks of clang-tidy, without those that report correct code here:
NOT_TIDY = (
    "easily-swappable-parameters",              # a matter of taste
    "branch-clone",                             # rows of a table of cases
    "macro-parentheses",                        # parameters of tables are names, types and initializers
    "reserved-identifier",                      # _GNU_SOURCE
    "sizeof-expression",                        # ARENA_PUSH of a list of pointers
    "not-null-terminated-result",               # a `struct str` has a length
    "narrowing-conversions", "implicit-widening-of-multiplication-result", "misplaced-widening-cast",   # reported by -Wconversion in many places, all harmless
)
TIDY = "-*,bugprone-*," + ",".join("-bugprone-" + check for check in NOT_TIDY)
PROGRAMS, TESTS = ("compiler", "runtime"), ("tests/unit", "tests/torture", "tests/cluster", "tests/fuzz")


def sources(*places):
    """The C files of these directories, without those for WebAssembly, which need another compiler."""
    found = [p for place in places for p in glob.glob(place + "/**/*.c", recursive=True)]
    return sorted(p for p in found if not p.startswith("compiler/web/"))


def said(command, form):
    """(file, check, line) of each finding; a run that fails for another reason is an error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = set()
    for line in (done.stdout + done.stderr).split("\n"):
        m = re.match(form, line)
        if m:
            path = os.path.relpath(m.group(1), ROOT)
            rows.add((path, m.group(2), line.replace(ROOT + "/", "")))
    if done.returncode and not rows:
        rows.add((command[-1], "status", "%s: status %d: %s" % (command[0], done.returncode, (done.stdout + done.stderr)[-600:])))
    return rows


# A compiler gives the check in brackets at the end of the line.
WORDED = r"([^\s:]+):\d+:\d+: (?:warning|error): .*\[-?([\w.=+,-]+)\]$"
SAID_OF_ALL = r"([^\s:]+):\d+: \w+: .* \[(\w+)\]$"


def chunks(paths, n):
    return [paths[i:i + n] for i in range(0, len(paths), n)]


def commands(tool, flags):
    """The runs of a tool: each has a command and the format of its lines."""
    if tool == "cppcheck":
        yield ["cppcheck", "-q", "--std=c11", "--language=c", "--enable=warning,performance,portability",
               "--template={file}:{line}: {severity}: {message} [{id}]", *flags, *sources(*PROGRAMS)], SAID_OF_ALL
    elif tool == "gcc":
        for path in sources(*PROGRAMS):
            yield ["gcc", "-std=c11", *flags, "-O1", "-fanalyzer", "-c", "-o", "/dev/null", path], WORDED
    elif tool == "clang":
        for some in chunks(sources(*PROGRAMS, "tests/unit", "tests/torture"), 40):
            yield ["clang", "-std=c11", *flags, *WARNINGS, "-fsyntax-only", *some], WORDED
    else:
        for some in chunks(sources(*PROGRAMS, *TESTS), 40):
            yield ["clang-tidy", "--quiet", "--checks=" + TIDY, *some, "--", "-std=c11", *flags], WORDED


PROGRAM_OF = {"cppcheck": "cppcheck", "gcc": "gcc", "clang": "clang", "tidy": "clang-tidy"}        # the slowest first


def accepted(tools):
    """False positives: (tool, file, check) -> why."""
    with open(ACCEPTED, encoding="utf-8") as f:
        rows = [line.split(None, 3) for line in f if line.strip() and not line.startswith("#")]
    short = [row for row in rows if len(row) < 4 or len(row[3]) < 20]
    if short:
        sys.exit("accepted.txt: without a reason: %s" % short)
    return {tuple(row[:3]) for row in rows if row[0] in tools}


def main():
    os.chdir(ROOT)
    flags = ["-D_GNU_SOURCE", "-Icompiler", "-Igrammar", "-I.", "-I%s/gen" % sys.argv[1]]
    wanted = sys.argv[2:] or list(PROGRAM_OF)
    tools = [t for t in wanted if shutil.which(PROGRAM_OF[t])]
    absent = [t for t in wanted if t not in tools]
    for tool in absent:
        print("%s %s is not installed" % ("FAIL" if os.environ.get("CI") == "true" else "skip", PROGRAM_OF[tool]))
    failed = len(absent) if os.environ.get("CI") == "true" else 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {tool: [pool.submit(said, *c) for c in commands(tool, flags)] for tool in tools}
        found = {tool: {row for run in runs[tool] for row in run.result()} for tool in tools}
    known, met, passed = accepted(tools), set(), 0
    for tool in tools:
        met |= {(tool, path, check) for path, check, _ in found[tool]}
        new = sorted(row for row in found[tool] if (tool, *row[:2]) not in known)
        print("%s: %d findings in %d runs, %d of them not accepted" % (tool, len(found[tool]), len(runs[tool]), len(new)))
        for row in new:
            print("FAIL %s %s %s: %s" % (tool, *row))
        passed, failed = passed + (not new), failed + len(new)
    for row in sorted(known - met):
        failed += 1
        print("FAIL accepted.txt names what is no longer found:", *row)
    print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % len(absent) if absent and not failed else ""))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
