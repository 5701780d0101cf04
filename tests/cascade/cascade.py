"""One slip, one message, at the right position: what the compiler reports about damaged programs.

Every token of every example and of every program in docs/language.md is deleted, written twice, and swapped with the
next one.  Each result is judged by the output of `trainc check`: the first message points within one line of the damage
(its own place, or that of a note: a brace that is never closed is reported where it was opened, with a note where it is
missing), blank lines and comments left out, and there are at most two.  Damage that leaves the program valid proves
nothing and is not counted.

    cascade.py                  a sample, as a test
    cascade.py --all            everything
    cascade.py --show           everything, and first those that did badly, with what was said
                                (--two: also two messages)
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TRAINC = os.environ.get("TRAINC", "build/trainc")
for sanitizer in "ASAN_OPTIONS", "UBSAN_OPTIONS":       # what they report is not a refusal
    os.environ[sanitizer] = "exitcode=99"
# sanitizers look for crashes, which a smaller sample also shows; the percentages need the larger one
SANITIZED = "asan" in os.environ.get("BUILD", "")
SAMPLE = 600 if SANITIZED else 2400
# percentage of the damages: what --all reaches (99.8, 99.4, 95.6), minus the effect of a few odd ones in the sample
NEAR_LEAST, FEW_LEAST, ALONE_LEAST = 99.5, 99.3, 95.3
TOKEN = re.compile(r'^(\d+):(\d+) ([A-Z_]+) (".*")$')
FENCE = re.compile(r"^```tj\n(.*?)^```$", re.M | re.S)


def programs(folder):
    """Fills a folder and returns the names of the files in it."""
    for entry in sorted(os.listdir("examples")):
        if os.path.isdir(os.path.join("examples", entry)):
            shutil.copytree(os.path.join("examples", entry), os.path.join(folder, entry))
    with open("docs/language.md", encoding="utf-8") as f:
        for i, m in enumerate(FENCE.finditer(f.read())):
            with open(os.path.join(folder, "language-%d.tj" % i), "w", encoding="utf-8") as out:
                out.write(m.group(1))
    return sorted(os.path.relpath(os.path.join(d, name), folder)
                  for d, _, names in os.walk(folder) for name in names if name.endswith(".tj"))


def tokens(path, text):
    """(start, end, line, kind) of each token in the text."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    out = subprocess.run([TRAINC, "dump", "--tokens", path], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        m = TOKEN.match(line)
        if m:
            start = starts[int(m.group(1)) - 1] + int(m.group(2)) - 1
            word = json.loads(m.group(4))
            assert text[start:start + len(word)] == word, line
            yield start, start + len(word), int(m.group(1)), word if m.group(3) in ("WORD", "SIGN") else m.group(3)


class Damage:
    def __init__(self, name, how, kind, first, last, text):
        self.name, self.how, self.kind, self.first, self.last, self.text = name, how, kind, first, last, text
        self.said = []

    def near(self, notes=True):
        return any(self.distance(s["line"]) <= 1 for s in self.said[0]["spans"] if notes or s.get("primary"))

    def distance(self, line):
        """Lines between a position and the damage; blank lines and comments do not count."""
        low, high = sorted((line, self.first if line < self.first else self.last))
        if self.first <= line <= self.last:
            return 0
        return 1 + sum(1 for text in self.text.split("\n")[low:high - 1] if text.strip() and not text.lstrip().startswith("#"))

    def few(self):
        return len(self.said) <= 2

    def alone(self):
        return len(self.said) == 1


def damages(name, text, all_tokens):
    for i, (start, end, line, kind) in enumerate(all_tokens):
        word = text[start:end]
        last = line + word.count("\n")
        yield Damage(name, "delete", kind, line, last, text[:start] + text[end:])
        yield Damage(name, "double", kind, line, last, text[:end] + " " + word + text[end:])
        if i + 1 < len(all_tokens):
            start2, end2, line2, kind2 = all_tokens[i + 1]
            word2 = text[start2:end2]
            if word2 != word:
                yield Damage(name, "swap", kind + " " + kind2, line, line2 + word2.count("\n"),
                             text[:start] + word2 + text[end:start2] + word + text[end2:])


RUNTIME = "TJ0817"      # diagnostics about what needs the runtime concern the whole program, damaged or not


def check(path):
    done = subprocess.run([TRAINC, "check", "--format", "json", path], capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1):
        raise SystemExit("FAIL status %d for %s\n%s" % (done.returncode, path, done.stderr))
    return [m for m in map(json.loads, done.stdout.splitlines()) if m["code"] != RUNTIME]


def judge(some):
    """Returns the diagnostics for each; runs in one of several threads, with its own copy of the programs."""
    with tempfile.TemporaryDirectory() as folder:
        programs(folder)
        known = {}
        for d in some:
            path = os.path.join(folder, d.name)
            with open(path, encoding="utf-8") as f:
                whole = f.read()
            if d.name not in known:
                known[d.name] = {m["code"] + m["message"] for m in check(path)}
            with open(path, "w", encoding="utf-8") as f:
                f.write(d.text)
            d.said = [m for m in check(path) if m["code"] + m["message"] not in known[d.name]]
            with open(path, "w", encoding="utf-8") as f:
                f.write(whole)


def per_cent(some, test):
    return 100.0 * sum(map(test, some)) / max(1, len(some))


def show(d):
    print("==== %s %s in %s:%d" % (d.how, d.kind, d.name, d.first))
    lines = d.text.split("\n")
    for n in range(max(1, d.first - 2), min(len(lines), d.last + 2) + 1):
        print("%4d | %s" % (n, lines[n - 1]))
    for m in d.said:
        span = m["spans"][0]
        print("  -> %d:%d %s %s (%s)" % (span["line"], span["column"], m["code"], m["message"], m.get("help", "")))


def report(counted, total, how_many):
    kinds = {}
    for d in counted:
        kinds.setdefault((d.how, d.kind), []).append(d)
    near, few, alone = per_cent(counted, Damage.near), per_cent(counted, Damage.few), per_cent(counted, Damage.alone)
    print("%d damages, %d of them leave the program valid" % (total, total - len(counted)))
    print("the first message points within one line in %.1f %% (stands there in %.1f %%); at most two messages in %.1f %%, one alone in %.1f %%"
          % (near, per_cent(counted, lambda d: d.near(False)), few, alone))
    worst = sorted(kinds.items(), key=lambda kv: (-sum(not (d.near() and d.few()) for d in kv[1]), kv[0]))
    for (how, kind), some in worst[:how_many]:
        far, many = sum(not d.near() for d in some), sum(not d.few() for d in some)
        if far or many:
            print("  %-6s %-24s %4d damages, %3d far, %3d with more than two" % (how, kind, len(some), far, many))
    return near, few, alone


def main():
    everything = []
    with tempfile.TemporaryDirectory() as folder:
        for name in programs(folder):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            everything += damages(name, text, list(tokens(path, text)))
    full = "--all" in sys.argv or "--show" in sys.argv
    chosen = everything if full else everything[::len(everything) // SAMPLE]
    workers = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(judge, [chosen[i::workers] for i in range(workers)]))
    counted = [d for d in chosen if d.said]
    if "--show" in sys.argv:
        bad = [d for d in counted if not (d.near() and len(d.said) <= (1 if "--two" in sys.argv else 2))]
        for d in bad:
            show(d)
    near, few, alone = report(counted, len(chosen), 20 if full else 5)
    shares = [near >= NEAR_LEAST, few >= FEW_LEAST, alone >= ALONE_LEAST]
    results = [len(counted) >= 300] + ([] if SANITIZED else shares)
    print("%d passed, %d failed" % (sum(results), len(results) - sum(results)))
    return 0 if all(results) else 1


sys.exit(main())
