"""same.py [SEED] - the server shows what `trainc check` shows: over all examples, recipes and programs of the goldens,
and 500 of them damaged at random.  Compared are code, severity, place and message."""
import glob
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case  # noqa: E402
import client  # noqa: E402

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SEVERITY = {"error": 1, "warning": 2}
DAMAGED = 500
WORDS = ["{", "}", "(", ")", "\"", "=", ":", ",", "role ", "job ", "env { A = b }\n", "replicas = 0\n", "nvidia.h100(8)", "64GB", "import std.ray\n", "\n"]


def as_checked(folder, name):
    done = subprocess.run([client.TRAINC, "check", "--format=json", name], cwd=folder, capture_output=True, text=True, timeout=60)
    return sorted((d["code"], SEVERITY[d["severity"]], d["spans"][0]["line"] - 1 if d["spans"] else 0, d["message"])
                  for d in map(json.loads, done.stdout.splitlines()) if not d["spans"] or d["spans"][0]["file"] == name)


def as_shown(p, name, text, versions=itertools.count(1)):
    version = next(versions)                    # one of its own each time: a file may be opened again with another text
    p.server.open(p.uri(name), text, version)
    found = p.server.wait_diagnostics(p.uri(name), version)
    p.server.notify("textDocument/didClose", {"textDocument": {"uri": p.uri(name)}})
    return sorted((d["code"], d["severity"], d["range"]["start"]["line"], d["message"]) for d in found)


def differs(p, name, text):
    """What one of the two shows alone; None if they agree. The server puts notes and helps below the message."""
    wanted, found = as_checked(p.root, name), as_shown(p, name, text)
    if not re.search(r"^job\b", text, re.M):    # in an editor, it may be what other programs import
        wanted, found = ([d for d in some if d[0] not in ("TJ1001", "TJ1002")] for some in (wanted, found))
    if len(wanted) == len(found) and all(a[:3] == b[:3] and b[3].startswith(a[3]) for a, b in zip(wanted, found)):
        return None
    return "check: %s\nserver: %s" % (wanted, [(f[0], f[1], f[2], f[3].split("\n")[0]) for f in found])


def damaged(chance, text):
    for _ in range(chance.randint(1, 3)):
        at, n = chance.randrange(len(text) + 1), chance.randint(1, 12)
        what = chance.randrange(3)
        text = text[:at] + (text[at + n:] if what == 0 else chance.choice(WORDS) + text[at:] if what == 1 else chance.choice(WORDS) + text[at + n:])
    return text


def main():
    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    paths = sorted(glob.glob(TOP + "/examples/**/*.tj", recursive=True) +
                   [f for d in ("emit", "eval", "std", "targets", "mistakes", "place", "types", "names", "parse") for f in glob.glob("%s/tests/%s/*.tj" % (TOP, d))])
    passed, failed, p = 0, 0, case.Place()
    try:
        for folder in {os.path.dirname(f) for f in paths}:
            shutil.copytree(folder, os.path.join(p.root, os.path.relpath(folder, TOP)), dirs_exist_ok=True)
        texts = []
        for path in paths:
            with open(path, "rb") as f:
                raw = f.read()
            try:
                texts.append((os.path.relpath(path, TOP), raw.decode()))
            except UnicodeDecodeError:          # an editor does not send such a text
                continue
        wild = [(name, damaged(chance, text)) for name, text in chance.choices(texts, k=DAMAGED)]
        for i, (name, text) in enumerate(texts + wild):
            if "\r" in text or name.endswith("project.tj"):
                continue
            before, path = None, os.path.join(p.root, name)
            if i >= len(texts):
                with open(path, encoding="utf-8") as f:
                    before = f.read()
                p.write(name, text)
            wrong = differs(p, name, text)
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong and failed <= 12:
                print("FAIL %s%s\n%s" % (name, " (damaged)" if before is not None else "", wrong))
            if before is not None:
                p.write(name, before)
    finally:
        p.close()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
