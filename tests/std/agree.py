"""agree.py FILE.tj... - for every replica the output of `trainc env`, a kubelet's result for the indexed object and
its result for the replica's own object are identical, and so are the commands and the files."""
import sys

sys.dont_write_bytecode = True
import pods                                                             # noqa: E402

SHELLS = 2              # replicas of a program of one job whose environment is also evaluated in a shell


def disagreement(program):
    try:
        indexed, differing = pods.load(program)
        unrolled, also = pods.load(program, "--unroll")
    except pods.Refused as reason:
        return str(reason)
    if differing or also:
        return "trainc env and the objects differ for " + ", ".join(differing + also)
    alone = len({p.job for p in indexed}) == 1
    differing = [p.name for p in indexed[:SHELLS] if alone and pods.shell_differs(p, program)]
    if differing:
        return "trainc env -o shell and -o json differ for " + ", ".join(differing)
    if [p.name for p in indexed] != [p.name for p in unrolled]:
        return "other replicas when unrolled"
    if not all(p.unrolled or p.elastic for p in unrolled):
        return "not every replica has an object of its own when unrolled"
    for a, b in zip(indexed, unrolled):
        for what in ("env", "command", "files", "secrets"):
            if getattr(a, what) != getattr(b, what):
                return "%s of %s: %r indexed, %r unrolled" % (what, a.name, getattr(a, what), getattr(b, what))
    return ""


def main(programs):
    failed = 0
    for program in programs:
        why = disagreement(program)
        failed += bool(why)
        print("FAIL %s: %s" % (program, why) if why else "ok   " + program)
    print("%d passed, %d failed" % (len(programs) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
