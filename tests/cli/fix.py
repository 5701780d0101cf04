"""fix.py TRAINC SOURCE WORK: properties of check --fix for every program in WORK, a copy of SOURCE.

The number of mistakes falls. Syntax errors count first, then errors in names, in values, and warnings, because mistakes
of each phase hide those of the later ones. No fixed mistake is left, and a second run changes nothing.  If NAME.fixed
exists beside NAME.tj, it is the expected result; BLESS=1 rewrites it in SOURCE. """
import difflib
import json
import os
import subprocess
import sys

trainc, source, directory = sys.argv[1:]
failed = 0


def mistakes(path):
    """The phase of each mistake: text, names, values, or a warning."""
    out = subprocess.run([trainc, "check", "--format", "json", path], capture_output=True, text=True).stdout
    found = [json.loads(line) for line in out.splitlines()]
    depth = lambda code: 0 if code < "TJ02" else 1 if code < "TJ04" else 2
    return [(depth(d["code"]) if d["severity"] == "error" else 3) for d in found]


def counted(found):
    return [found.count(i) for i in range(4)]


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def fix(path):
    done = subprocess.run([trainc, "check", "--fix", path], capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1):
        return "status %d" % done.returncode
    return None


def as_expected(path, text):
    """Compares the text with NAME.fixed."""
    want = path[:-3] + ".fixed"
    if not os.path.exists(want) or read(want) == text:
        return None
    if os.environ.get("BLESS"):
        with open(os.path.join(source, os.path.basename(want)), "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(text)
        return None
    return "not as in %s:\n%s" % (os.path.basename(want), "\n".join(
        difflib.unified_diff(read(want).splitlines(), text.splitlines(), lineterm="")))


def wrong(path):
    before, text = mistakes(path), read(path)
    why = fix(path)
    if why:
        return why
    once = read(path)
    if once == text:
        return as_expected(path, once)
    after = mistakes(path)
    if counted(after) >= counted(before):
        return "mistakes %s became %s" % (counted(before), counted(after))
    why = fix(path)
    if why or read(path) != once:
        return why or "a second run changes it again"
    return as_expected(path, once)


for name in sorted(os.listdir(directory)):
    if name.endswith(".tj"):
        why = wrong(os.path.join(directory, name))
        if why:
            print("%s: %s" % (name, why))
            failed += 1
sys.exit(failed != 0)
