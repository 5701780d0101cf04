"""waits.py - a test does not wait for a length of time: it polls until something has happened, within a bound.

In Python, time.sleep() is in a loop that ends when something holds; in a shell script, `sleep` at the beginning of a line
is in a loop. Another one with a fixed length needs a reason, as a comment on its line: what lasts so long, or what does not
happen meanwhile. Programs that a test starts may sleep, since their life is what is tested."""
import ast
import glob
import re
import sys


def polls(loop):
    """Whether a loop ends when something holds: `while`, or `for` with `break` or `return`."""
    return isinstance(loop, ast.While) or (isinstance(loop, ast.For) and any(isinstance(n, (ast.Break, ast.Return)) for n in ast.walk(loop)))


def python_waits(text):
    """Lines of calls of sleep() for a fixed length, outside of such loops."""
    found = []

    def walk(node, loop):
        if isinstance(node, ast.Call) and not loop and node.args and isinstance(node.args[0], ast.Constant):
            f = node.func
            if (isinstance(f, ast.Attribute) and f.attr == "sleep") or (isinstance(f, ast.Name) and f.id == "sleep"):
                found.append(node.lineno)
        for child in ast.iter_child_nodes(node):
            walk(child, loop or polls(node))
    walk(ast.parse(text), False)
    return found


def shell_waits(text):
    """Lines that begin with `sleep` and are not in a loop that tests something.  Documents within a script are programs
    that it starts."""
    found, depth, end, quoted = [], 0, None, False
    for number, line in enumerate(text.split("\n"), 1):
        if end:
            end = None if line.strip() == end else end
            continue
        begins = re.search(r"<<-?\s*['\"]?(\w+)", line)
        if begins:
            end = begins[1]
        words = line.strip()
        if not quoted and re.match(r"(while|until|for) ", words) or re.search(r"(;|\||&&) *(while|until|for) .*; do$", words):
            depth += not re.search(r"\bdone\b", words)
        elif not quoted and re.match(r"done\b", words):
            depth = max(depth - 1, 0)
        if not depth and not quoted and re.match(r"sleep\b", words):
            found.append(number)
    return found


def bad(path, text):
    lines = text.split("\n")
    for number in (python_waits if path.endswith(".py") else shell_waits)(text):
        if not re.search(r"#\s*\S+ \S+", lines[number - 1]):
            yield "%s:%d: %s" % (path, number, lines[number - 1].strip()[:100])


SLIPS = (("a.py", "import time\ntime.sleep(1)\n", 1), ("a.py", "def f():\n    for x in y:\n        time.sleep(1)\n", 1),
         ("a.py", "for i in r:\n    if done():\n        break\n    time.sleep(1)\n", 0),
         ("a.py", "while not done():\n    time.sleep(.1)\n", 0), ("a.py", "time.sleep(1)  # a second of the log\n", 0),
         ("a.sh", "sleep 1\n", 1), ("a.sh", "until test -e x; do\n\tsleep 0.1\ndone\nsleep 1\n", 1),
         ("a.sh", "cat <<END\nsleep 1\nEND\n", 0), ("a.sh", "sleep 2.5 # what is kept for 2 s\n", 0))


def main():
    failed = 0
    for path, text, n in SLIPS:
        if len(list(bad(path, text))) != n:
            failed += 1
            print("FAIL this test does not judge", repr(text))
    paths = sorted(glob.glob("tests/**/*.py", recursive=True) + glob.glob("tests/**/*.sh", recursive=True))
    for path in paths:
        with open(path, encoding="utf-8") as f:
            wrong = list(bad(path, f.read()))
        failed += bool(wrong)
        for line in wrong:
            print("FAIL a wait of a fixed length, without a reason:", line)
    print("%d passed, %d failed" % (len(SLIPS) + len(paths) - failed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
