"""needed.py - the tests that tests/findings.md names for a request fail when the server does not have it.

For each row with a request, the tests of tests/lsp run with WITHOUT=REQUEST: client.py then requests an unknown method
instead, or drops the notifications that the server publishes.  A test that still passes does not test the feature.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r"^\| (ED-\d\d) \|[^|]*\| `([^`]+)` \| (.*) \|$")
TEST = re.compile(r"`tests/lsp/(\w+)\.py:def test_(\w+)`")


def rows():
    with open(os.path.join(HERE, "..", "findings.md"), encoding="utf-8") as f:
        for line in f:
            m = ROW.match(line)
            if m:
                yield m.group(1), m.group(2), TEST.findall(m.group(3))


def main():
    passed = failed = 0
    for row, method, tests in rows():
        for name in sorted({f for f, _ in tests}):
            wanted = [t for f, t in tests if f == name]
            out = subprocess.run([sys.executable, os.path.join(HERE, name + ".py")] + wanted, capture_output=True, text=True,
                                 env=dict(os.environ, WITHOUT=method)).stdout
            fails = set(re.findall(r"^FAIL (\w+)$", out, re.M))
            for test in wanted:
                good = test in fails
                passed, failed = passed + good, failed + (not good)
                if not good:
                    print("FAIL %s: %s.py %s passes without %s" % (row, name, test, method))
        if not tests:
            failed += 1
            print("FAIL %s names no test of tests/lsp for %s" % (row, method))
    print("%d passed, %d failed" % (passed, failed + (passed < 40)))
    return failed or passed < 40


sys.exit(main())
