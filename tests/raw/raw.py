#!/usr/bin/env python3
"""raw.py - raw blocks and objects: the compiler refuses what the API server refuses, and accepts what it accepts.

The rows of refused.txt and accepted.txt become one program each. `make e2e` sends their objects to a
real API server of 1.35 (suite.py, raw_rows), which must refuse and accept the same.
"""
import os
import subprocess
import sys
import tempfile

from rows import rows

TRAINC = os.environ.get("TRAINC") or os.path.join(os.environ.get("BUILD", "build"), "trainc")


def program(place, fragment):
    """The program of a row: one role, and the fragment where it belongs."""
    role = {"P": "raw pod { %s }", "C": "raw container { %s }", "J": "raw job { %s }"}
    head = 'job "a" {\n  image   = "r.example.com/a:1"\n  command = ["run"]\n'
    if place == "O":
        return head + "  role w { cpu = 1, memory = 1Gi }\n  object p { %s }\n}\n" % fragment
    if place == "S":
        return head + "  raw service { %s }\n  role w { cpu = 1, memory = 1Gi, ports { http = 80 } }\n}\n" % fragment
    if place == "PC":
        pod, container = fragment.split(" %% ")
        inner = role["P"] % pod + "\n    " + role["C"] % container
    else:
        inner = role[place] % fragment
    size = "" if "resources" in fragment else "cpu = 1, memory = 1Gi\n    "
    return head + "  role w {\n    %s%s\n  }\n}\n" % (size, inner)


def compile_row(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return subprocess.run([TRAINC, "compile", "--kubernetes", "1.35", path], capture_output=True, text=True, check=False)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.tj")
        for place, code, fragment in rows("refused.txt"):
            done = compile_row(path, program(place, fragment))
            good = done.returncode == 1 and "[%s]" % code in done.stderr and not done.stdout
            passed, failed = passed + good, failed + (not good)
            if not good:
                print("FAIL not refused with %s (status %d): %s %s\n%s" % (code, done.returncode, place, fragment, done.stderr[:400]))
        for place, _, fragment in rows("accepted.txt"):
            done = compile_row(path, program(place, fragment))
            good = done.returncode == 0
            passed, failed = passed + good, failed + (not good)
            if not good:
                print("FAIL refused: %s %s\n%s" % (place, fragment, done.stderr[:600]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
