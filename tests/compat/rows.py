#!/usr/bin/env python3
"""Lists which test covers which numbered behavior of the older operators.

    rows.py [FILE]     FILE: a table whose rows begin with `| S17 |`, for their titles

A test names the rows that it covers in a comment or docstring: S17, S1 to S15.  A row that trainc meets in another way,
or not at all, is listed in docs/differences.md with the reason.  Prints the rows with their files; exits with 1 if a row
has none. """
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ROWS = range(1, 201)
NAMED = re.compile(r"\bS(\d{1,3})(?: to S(\d{1,3}))?\b")


def files():
    yield os.path.join(ROOT, "docs", "differences.md")
    for folder, _, names in os.walk(os.path.join(ROOT, "tests")):
        for name in sorted(names):
            if name.endswith((".tj", ".sh", ".py", ".c")) and name != "rows.py":
                yield os.path.join(folder, name)


def rows_of(text):
    for line in text.splitlines():
        if line.lstrip().startswith(("#", "*", "/*", "//", "|", '"""')) or "rows:" in line:
            for low, high in NAMED.findall(line):
                yield from range(int(low), int(high or low) + 1)


def main():
    seen = {}
    for path in files():
        with open(path, encoding="utf-8", errors="replace") as f:
            for row in set(rows_of(f.read())):
                seen.setdefault(row, []).append(os.path.relpath(path, ROOT))
    titles = {}
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        with open(sys.argv[1], encoding="utf-8") as f:
            titles = {int(m[1]): m[2] for m in re.finditer(r"^\| S(\d+) \| ([^|]*) \|", f.read(), re.M)}
    for row in ROWS:
        print("S%-4d %-60s %s" % (row, titles.get(row, "")[:60], ", ".join(seen.get(row, ["-"]))))
    wrong = [row for row in ROWS if row not in seen] + [row for row in set(titles) | set(seen) if row not in ROWS]
    for row in wrong:
        print("FAIL S%d %s" % (row, "is named nowhere" if row in ROWS else "is no row, but %s" % ", ".join(seen.get(row, ["in the table"]))))
    print("%d passed, %d failed" % (len(ROWS) - sum(row in ROWS for row in wrong), len(wrong)))
    return 1 if wrong else 0


sys.exit(main())
