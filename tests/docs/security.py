"""The threat model of docs/security.md: every row names tests that exist, and every attack of tests/e2e/attacks.py is
in a row.

A test is `FILE` or `FILE: TEXT`, where FILE contains TEXT; for attacks.py TEXT is the name of an attack, in which * may
stand for any letters.
"""

import fnmatch
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ATTACKS = "tests/e2e/attacks.py"
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
import attacks  # noqa: E402

NAMES = [f.__name__ for f in attacks.ATTACKS]


def rows():
    """The rows of the tables of the threat model, as lists of cells."""
    with open(os.path.join(ROOT, "docs", "security.md")) as f:
        part = f.read().split("\n## Threat model\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    found = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [cells for cells in found if not re.fullmatch("[-: |]+", cells[0]) and cells[0] != "actor"]


def faults_of(test, covered):
    """What is wrong with the name of a test; COVERED gets the attacks that it names."""
    path, _, text = test.partition(": ")
    if not os.path.isfile(os.path.join(ROOT, path)):
        return f"there is no {path}"
    if path == ATTACKS:
        named = fnmatch.filter(NAMES, text)
        covered.update(named)
        return None if named else f"no attack is named {text}"
    if not text:
        return None
    with open(os.path.join(ROOT, path), errors="replace") as f:
        return None if text in f.read() else f"{path} does not contain '{text}'"


def main():
    passed, problems, covered = 0, [], set()
    table = rows()
    for cells in table:
        tests = re.findall(r"`([^`]+)`", cells[-1])
        wrong = [fault for test in tests if (fault := faults_of(test, covered))]
        if len(cells) != 4 or not tests or wrong:
            problems.append(f"row '{cells[0]}, {cells[1][:60]}': {wrong or 'it needs four cells, of which the last names tests'}")
        else:
            passed += 1
    for name in NAMES:
        if name not in covered:
            problems.append(f"no row of the threat model names the attack {name}")
        else:
            passed += 1
    for what, least, number in (("rows", 12, len(table)), ("attacks", 60, len(NAMES)), ("different names", len(NAMES), len(set(NAMES)))):
        if number < least:
            problems.append(f"{number} {what}, at least {least} are needed")
        passed += number >= least
    undocumented = [f.__name__ for f in attacks.ATTACKS if not re.match(r"(a|an|one|two|tenants) ", f.__doc__ or "")]
    if undocumented:
        problems.append(f"attacks whose docstring does not begin with an actor: {undocumented}")
    for problem in problems:
        print(f"FAIL {problem}")
    print(f"{passed} passed, {len(problems)} failed")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
