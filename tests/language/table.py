"""table.py - rows of programs and of what the compiler must report about them.  A row has a name, a program and the
expected result: the status, texts that standard output and standard error contain or do not contain, and whether
`check --fix` leaves the program unchanged."""
import os
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]


def W(body):
    return 'job "a" { image = "r.example.com/a:1"\n  role w { %s } }\n' % body


def JOB(body):
    return 'job "a" { image = "r.example.com/a:1"\n%s\n}\n' % body


def PT(body, role="replicas = 2, cpu = 4, memory = 16Gi"):
    return ('import std.pytorch\njob "m": pytorch.torchrun {\n  image = "ghcr.io/acme/t:1.0"\n'
            '  command = ["torchrun", "t.py"]\n  %s\n  role worker { %s }\n}\n' % (body, role))


class Table:
    def __init__(self):
        self.passed = self.failed = 0

    def note(self, subject, wrong, shown=""):
        if wrong:
            self.failed += 1
            print("FAIL %s: %s" % (subject, wrong))
            if shown:
                print("    " + shown.strip().replace("\n", "\n    "))
        else:
            self.passed += 1

    def write(self, place, program, files):
        for name, text in [("a.tj", program)] + sorted((files or {}).items()):
            path = os.path.join(place, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(text if isinstance(text, bytes) else text.encode())

    def case(self, subject, program, says=(), lacks=(), status=None, args=(), files=None, command="check", kept=False, becomes=None,
             operands=("a.tj",), stdout=None):
        """One program.  KEPT: `check --fix` does not change it; BECOMES: its result."""
        says = (says,) if isinstance(says, str) else says
        lacks = (lacks,) if isinstance(lacks, str) else lacks
        with tempfile.TemporaryDirectory() as place:
            self.write(place, program, files)
            argv = [os.fsencode(a) if isinstance(a, str) else a for a in (TRAINC, command) + tuple(args) + tuple(operands)]
            done = subprocess.run(argv, cwd=place, capture_output=True, timeout=60)
            both = (done.stdout + done.stderr).decode(errors="replace")
            wrong = ["does not say %r" % s for s in says if s not in both] + ["says %r" % s for s in lacks if s in both]
            if status is not None and done.returncode != status:
                wrong.append("status %d, not %d" % (done.returncode, status))
            if done.returncode not in (0, 1, 2, status):
                wrong.append("status %d" % done.returncode)
            if stdout is not None and stdout not in done.stdout.decode(errors="replace"):
                wrong.append("standard output does not hold %r" % stdout)
            if kept or becomes is not None:
                subprocess.run([TRAINC, "check", "--fix=warnings", "a.tj"], cwd=place, capture_output=True, timeout=60)
                with open(os.path.join(place, "a.tj"), encoding="utf-8", errors="replace") as f:
                    after = f.read()
                if after != (program if kept else becomes):
                    wrong.append("--fix makes of it:\n" + after)
            self.note(subject, "; ".join(wrong), both if wrong else "")
            return both

    def end(self):
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(self.failed != 0)
