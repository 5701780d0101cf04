"""first.py - writes first.txt: the objects whose functions commands run, those of the most commands first.

    make CFLAGS='...' LDFLAGS='... -Wl,-Map=half.map'           where each function of trainc-cluster is
    valgrind --tool=callgrind --dump-instr=yes --trace-children=yes trainc status JOB          and other commands
    python3 runtime/cluster/first.py half.map callgrind.out.* >runtime/cluster/first.txt

The program is linked in that order, so that what runs lies together: the system maps pages of a program 16 at a time, and
otherwise nearly all of trainc-cluster is in memory a moment after its start.  A list that is old makes more of it resident, no more.
"""
import bisect
import collections
import re
import sys

TEXT = re.compile(r"^ \.text[\w.]*\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (?:\S*/)?([^/\n]+\.a)\((.+)\)$", re.M)


def objects(path):
    """The parts of the program's text that come from libraries: (address, size, library:object), sorted."""
    with open(path) as f:
        return sorted((int(m[1], 16), int(m[2], 16), m[3] + ":" + m[4]) for m in TEXT.finditer(f.read()) if int(m[2], 16))


def executed(path):
    """The addresses of trainc-cluster's instructions that a run has executed."""
    names, ours, at, found = {}, False, 0, set()
    with open(path) as f:
        for line in f:
            if m := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line):
                names.setdefault(m[2], m[3])
                ours = ours if m[1] else names[m[2]].endswith("trainc-cluster")
            elif m := re.match(r"(0x[0-9a-f]+|[+-]\d+|\*) ", line):
                at = int(m[1], 16) if m[1][0] == "0" else at if m[1] == "*" else at + int(m[1])
                if ours:
                    found.add(at)
    return found


def main(link_map, *runs):
    parts = objects(link_map)
    starts, uses, first = [p[0] for p in parts], collections.Counter(), {}
    for run in runs:
        used = set()
        for address in executed(run):
            i = bisect.bisect_right(starts, address) - 1
            if i >= 0 and address < parts[i][0] + parts[i][1]:
                used.add(parts[i][2])
                first.setdefault(parts[i][2], i)
        uses.update(used)
    for name in sorted(uses, key=lambda n: (-uses[n], first[n])):
        print(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
