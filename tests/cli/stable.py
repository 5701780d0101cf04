"""stable.py - docs/stability.md is kept: stable.txt lists what programs of users rely on, and each row must still be true.

A row is "code CODE SEVERITY NAME", "command NAME", "option COMMAND OPTION" with "=" after an option that takes a value,
"label KEY" for labels and annotations of objects in clusters, or "word PLACE NAME" for fields and blocks of the language.
BLESS=1 adds rows for what is new; only a person removes rows, two minor releases after the removal was announced."""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counter import Counter             # noqa: E402

TRAINC = os.environ["TRAINC"]
ROWS = "tests/cli/stable.txt"
OPTION = re.compile(r"^  (?:-\w, |    )(--[a-z-]+)(?:( |\[?=)\S)?", re.M)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def printed(*words):
    return subprocess.run([TRAINC, *words], capture_output=True, text=True, check=False, timeout=20).stdout


def codes():
    for code, severity, name in re.findall(r'^DIAG\((TJ\d{4}), (\w+), "([^"]+)"', read("compiler/diag/codes.def"), re.M):
        yield "code %s %s %s" % (code, severity.lower(), name)


def commands():
    for word in re.findall(r'^COMMAND\(\w+, \w+, "([a-z-]+)"', read("compiler/command/options.def"), re.M):
        yield "command " + word
        for option, value in OPTION.findall(printed("help", word)):
            yield "option %s %s%s" % (word, option, "=" if value else "")


def labels():
    for path in glob.glob("compiler/**/*.[ch]", recursive=True) + glob.glob("runtime/**/*.[ch]", recursive=True):
        for key in re.findall(r'"(trainc\.dev/[a-z][a-z-]*)"', read(path)):
            yield "label " + key


def words():
    for place in ("job", "role", "cell", "framework", "project", "defaults", "accelerator"):
        for name in re.findall(r"^  ([a-z_]+)(?:, [a-z_, ]+)?  ", printed("explain", place), re.M):
            yield "word %s %s" % (place, name)


counter = Counter()
now = set(codes()) | set(commands()) | set(labels()) | set(words())
promised = read(ROWS).splitlines() if os.path.exists(ROWS) else []
if os.environ.get("BLESS"):
    promised = sorted(set(promised) | now)
    with open(ROWS, "w", encoding="utf-8") as f:
        f.write("\n".join(promised) + "\n")
for row in promised:
    counter.holds("is no longer so: " + row, row in now)
counter.holds("what is new is promised, too: BLESS=1 sh tests/run.sh tests/cli/stable.sh", not now - set(promised), sorted(now - set(promised)))
counter.holds("the rows are read: codes, options, labels, words", all(sum(r.startswith(k) for r in promised) > n for k, n in
                                                                    (("code", 100), ("option", 200), ("label", 20), ("word", 60))))
counter.end()
