"""removal.py [WORD...] - takes each permission of `trainc supervise --manifest` away in turn, and lets a controller do what
needs it: the server refuses that, and the log or an Event says what the controller may not do, in the server's words.
Words select permissions by their text, such as "delete pods". The situations are those of rights.py."""
import queue
import sys
import threading
import time

import rights
from world import Failure, World, wording

OPTIONS = (("--kubeflow",), ("--kubeflow", "--gang=volcano"), ("--kubeflow", "--gang=coscheduling"), ("--ancestors",))
SITUATIONS = [f for f in rights.CHECKS if f.__name__ != "removed"]
LANES = 4


class Named(Exception):
    """The log or an Event has named the permission."""


class Lacking(World):
    """A server that refuses what needs one permission; the situation ends when that has been named."""

    def __init__(self, withheld=None):
        super().__init__()
        self.withheld = {withheld} if withheld else set()

    def look(self):
        said = "".join(self.log(i) for i in range(len(self.controllers))).replace('\\"', '"')
        for what in self.withheld & set(self.refused):
            if wording(what) in said or any(wording(what) in o.get("message", "") for (p, _, _), o in list(self.objects.items()) if p == "events"):
                raise Named

    def wait_for(self, what, predicate, seconds=20):
        def either():
            if self.withheld:
                self.look()
            return predicate()
        super().wait_for(what, either, seconds)


def play(situation, withheld=None):
    """(seconds, permissions that were used, what is wrong) of a situation."""
    w, began, wrong = Lacking(withheld), time.monotonic(), ""
    try:
        situation(w)
        w.look()
        wrong = "nothing failed" if withheld and withheld not in w.refused else "it is not named: " + w.log()[-600:] if withheld else ""
    except Named:
        pass
    except (Failure, AssertionError, KeyError, StopIteration) as e:
        try:
            w.look()
            wrong = "%s:\n%s" % (e, w.log()[-600:])
        except Named:
            pass
    finally:
        w.close()
    return time.monotonic() - began, set(w.needed), wrong


def beside(cases, act):
    """Calls ACT for each of CASES, several at a time."""
    todo = queue.Queue()
    for c in cases:
        todo.put(c)

    def work():
        while True:
            try:
                c = todo.get_nowait()
            except queue.Empty:
                return
            act(c)
    lanes = [threading.Thread(target=work) for _ in range(LANES)]
    for t in lanes:
        t.start()
    for t in lanes:
        t.join()


def main(words):
    every = sorted(set().union(*(rights.rights(o) for o in OPTIONS)) - rights.rights(()))
    every = [x for x in every if all(word in "%s %s %s" % (x[0], x[2], x[1]) for word in words)]
    played, failed, passed = {}, [], []

    def record(f):
        played[f] = play(f)
    beside(SITUATIONS, record)
    failed += ["%s with all permissions: %s" % (f.__name__, wrong) for f, (_, _, wrong) in played.items() if wrong]

    def remove(what):
        fit = sorted((f for f in SITUATIONS if what in played[f][1]), key=lambda f: played[f][0])
        wrong = play(fit[0], what)[2] if fit else "no situation needs it"
        (failed if wrong else passed).append("%s: %s" % (wording(what), wrong))
        print("%s %s" % ("FAIL" if wrong else "ok  ", wording(what)), flush=True)
    beside(every, remove)
    for line in failed:
        print("FAIL", line)
    print("%d passed, %d failed" % (len(passed), len(failed)))
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
