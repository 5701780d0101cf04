"""useless.py [NAME...] - commands that list or watch, and one object among good ones that they cannot use: it is named
once, and everything else works."""
import sys
import threading
import time

from api_memory import RAW
from commands import JOB
from world import main, must

FAULTS = {"deep%d" % n: b'{"a":' * n + b"1" + b"}" * n for n in (250, 1000, 10000, 20000)}
FAULTS.update(number=b"1e400", text=b'"a\xff"', twice=b'{"a":1,"a":2}', escape=b'"\\ud8"', wrong=b"5")
RAW.update(FAULTS)
SKIPPED = " is skipped, because it cannot be used: "


def spoil(w, plural, name, fault):
    """Makes an object useless, or with None good again."""
    o = w.get(plural, name)
    if fault:
        o["metadata"]["labels"]["z"] = "RAW:" + fault
    else:
        del o["metadata"]["labels"]["z"]
    w.put(plural, "default", o)


def two(w):
    """The runs a and b, whose pods run."""
    for name in "a", "b":
        w.write(name + ".tj", JOB % (name, 2))
        w.want(0, "apply", name + ".tj", "--no-wait")


def named(err, name, times=1):
    must(err.count(name + SKIPPED) == times and err.count(SKIPPED) == times, err)


def listed(w):
    """each fault x (Pod, Job, record): status, list and logs of the other run, and of all, show what can be used"""
    two(w)
    for plural, kind, name in ("pods", "Pod", "a-worker-1-x"), ("jobs", "Job", "a-worker"), ("configmaps", "ConfigMap", "a.trainc"):
        for i, fault in enumerate(sorted(FAULTS)):
            spoil(w, plural, name, fault)
            out, err = w.want(0, "list")
            must("b " in out and (plural == "configmaps") != ("a " in out), out)
            if plural == "configmaps":
                named(err, "ConfigMap default/a.trainc")
            out, err = w.want(0, "status", "b")
            must("Running" in out and SKIPPED not in err, (out, err))
            if plural != "configmaps" and i < 3:
                out, err = w.want(0, "status", "a")
                named(err, "%s default/%s" % (kind, name))
        spoil(w, plural, name, None)
        must("a " in w.want(0, "list")[0], "a is listed again")


def deleted(w):
    """delete removes an object that it cannot use by its name and uid, and waits for it"""
    two(w)
    spoil(w, "jobs", "a-worker", "deep10000")
    _out, err = w.want(0, "delete", "a", "--yes")
    named(err, "Job default/a-worker")
    must(w.names("jobs") == ["b-worker"], w.names("jobs"))
    must("a.trainc" not in w.names("configmaps"), "the record")


def waited(w):
    """wait goes on past an object that becomes useless, names it once, and ends with the run"""
    two(w)

    def later():
        for fault in ("deep250", "number", "twice", "text"):
            time.sleep(0.3)  # one after the other
            spoil(w, "pods", "a-worker-1-x", fault)
        time.sleep(0.3)  # after the others
        spoil(w, "pods", "a-worker-1-x", None)
        w.run_job("default", w.get("jobs", "a-worker"), "Succeeded")
    thread = threading.Thread(target=later)
    thread.start()
    _out, err = w.want(0, "wait", "a", "--timeout", "60s")
    thread.join()
    named(err, "Pod default/a-worker-1-x")


if __name__ == "__main__":
    sys.exit(main([listed, deleted, waited], sys.argv[1:]))
