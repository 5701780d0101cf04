"""Every program in docs/language.md compiles, or is refused with the code that it names.

A fence ```tj is a whole program; ```tj error TJ0303 one that must be refused.
"""
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```tj(?: error (TJ\d{4}))?\n(.*?)^```$", re.M | re.S)


def verdict(trainc, program, code):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.tj")
        with open(path, "w", encoding="utf-8") as f:
            f.write(program)
        done = subprocess.run([trainc, "test" if "\ntest " in program else "compile", path], capture_output=True, text=True, timeout=60)
    codes = re.findall(r"error: .*\[(TJ\d{4})\]$", done.stderr, re.M)
    if code:
        return None if done.returncode == 1 and codes == [code] else "expected %s alone, got %s\n%s" % (code, codes, done.stderr)
    return None if done.returncode == 0 else done.stderr + done.stdout


def main():
    trainc, passed, failed = os.environ["TRAINC"], 0, 0
    for document in sys.argv[1:]:
        text = open(document, encoding="utf-8").read()
        for m in FENCE.finditer(text):
            line = text.count("\n", 0, m.start()) + 1
            problem = verdict(trainc, m.group(2), m.group(1))
            print("%s %s:%d" % ("FAIL" if problem else "ok", document, line))
            if problem:
                print(problem)
            passed, failed = passed + (not problem), failed + bool(problem)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
