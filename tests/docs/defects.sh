#!/bin/sh
# defects.sh - the table of defects in tests/findings.md: each entry has one row, and everything that a row names exists:
# a test's file and, after a colon, a text in it.  An open row says what is missing.
cd "$(dirname "$0")/../.." || exit 1
exec python3 - <<'END'
import os
import re

AREAS = {"FIX": 12, "POLICY": 4, "LANG": 36, "RAW": 5, "MSG": 99, "CLI": 11, "DESIGN": 8,
         "IMPORT": 18, "CLUSTER": 10, "LOCAL": 12, "HOSTILE": 16, "COST": 14, "FAULT": 4, "FUZZ": 4, "SUITE": 9,
         "USERS": 6, "CONTROL": 6, "CONTACT": 14}
UNUSED = {"MSG-2", "MSG-82", "MSG-84", "HOSTILE-3"}
MOST_OPEN = 0
passed = failed = 0
rows = {}
with open("tests/findings.md", encoding="utf-8") as f:
    for line in f:
        row = re.match(r"\| ((?:%s)-\d+) \| (.*) \|$" % "|".join(AREAS), line)
        if row:
            rows.setdefault(row.group(1), []).append(row.group(2))


def wrong(entry):
    if len(rows.get(entry, ())) != 1:
        return "%d rows" % len(rows.get(entry, ()))
    text = rows[entry][0]
    if text.startswith("open: "):
        return None if len(text) > 20 else "does not say what is missing"
    tests = re.findall(r"`([^`]+)`", text)
    if not tests:
        return "names no test"
    for test in tests:
        path, _, word = test.partition(":")
        if not path.startswith("tests/") or not os.path.isfile(path):
            return "%s is not there" % path
        with open(path, encoding="utf-8", errors="replace") as file:
            if word not in file.read():
                return "%s does not say '%s'" % (path, word)
    return None


entries = [e for area, n in AREAS.items() for e in ("%s-%d" % (area, i + 1) for i in range(n)) if e not in UNUSED]
for entry in entries + ["open entries"]:
    what = wrong(entry) if entry in entries else None
    if entry not in entries and sum(r[0].startswith("open: ") for r in rows.values()) > MOST_OPEN:
        what = "more than %d: fewer may be open, not more" % MOST_OPEN
    if what:
        failed += 1
        print("FAIL %s: %s" % (entry, what))
    else:
        passed += 1
print("%d passed, %d failed" % (passed, failed))
raise SystemExit(failed != 0)
END
