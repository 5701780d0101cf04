"""counter.py - counts what a test holds, and prints what does not."""
import sys


class Counter:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def holds(self, what, good, detail=""):
        """WHAT is true if GOOD is; otherwise it is printed, with the beginning of DETAIL."""
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("FAIL", what, str(detail)[:800])

    def end(self):
        """Prints the sums, and exits with 1 if something failed."""
        print("%d passed, %d failed%s" % (self.passed, self.failed, ", %d skipped" % self.skipped if self.skipped else ""))
        sys.exit(self.failed > 0)
