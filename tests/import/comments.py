"""comments.py TRAINC MANIFEST...: a comment after every line of a manifest is carried into the program, and its objects
are the same.

Comments of a part that is reported as left out (TJ1110) are left out, too.  Refused manifests are skipped.
Last line: N passed, N failed.
"""
import json
import re
import subprocess
import sys

import yaml


def trainc(*argv, text=None):
    return subprocess.run([sys.argv[1], *argv], input=text, capture_output=True, text=True, timeout=60)


def remarked(text):
    """The text with '# mark-N' after each line, except in scalars of several lines."""
    inside = set()
    for event in yaml.parse(text):
        if isinstance(event, yaml.ScalarEvent) and event.end_mark.line > event.start_mark.line:
            inside.update(range(event.start_mark.line, event.end_mark.line + 1))
    lines = text.split("\n")
    for n, line in enumerate(lines):
        if n not in inside and line.strip() and not line.startswith(("---", "...", "%")):
            lines[n] = "%s # mark-%d-" % (line, n + 1)
    return "\n".join(lines)


def left_out(said, lines):
    """Numbers of the lines that the program omits: all lines of a document whose kind is omitted."""
    gone = set()
    for entry in map(json.loads, said.splitlines()):
        for span in entry["spans"] if "left out" in entry["message"] or entry["code"] == "TJ1118" else []:
            first, last = span["line"], span["end_line"]
            if re.search(r"\bkind:", lines[first - 1]):
                first = max((n for n, line in enumerate(lines[:first], 1) if line.startswith("---")), default=1)
                last = next((n for n, line in enumerate(lines, 1) if n > last and line.startswith("---")), len(lines))
            gone.update(range(first, last + 1))
    for n in range(len(lines), 1, -1):          # a line with only a comment belongs to the line below
        if n in gone and lines[n - 2].strip().startswith("#"):
            gone.add(n - 1)
    return gone


def objects(program):
    return trainc("compile", "-o", "json", "-", text=program).stdout


def lost(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    plain = trainc("import", path)
    if plain.returncode:
        return None
    done = trainc("import", "--format", "json", "-", text=remarked(text))
    if done.returncode:
        return ["is refused: " + done.stderr[:300]]
    wanted = {int(n) for n in re.findall(r"# mark-(\d+)-", remarked(text))}
    found = {int(n) for n in re.findall(r"mark-(\d+)-", done.stdout)}
    if objects(plain.stdout) != objects(done.stdout):
        return ["with comments the objects are others"]
    lines = text.split("\n")
    return ["line %d: %s" % (n, lines[n - 1]) for n in sorted(wanted - found - left_out(done.stderr, lines))]


def main():
    passed = failed = 0
    for path in sys.argv[2:]:
        gone = lost(path)
        if gone is None:
            continue
        passed, failed = passed + (not gone), failed + bool(gone)
        for line in gone[:8]:
            print("FAIL %s: %s" % (path, line))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
