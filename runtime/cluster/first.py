"""first.py - writes first.txt: the objects whose functions commands use, beginning with those that most commands use.

    make CFLAGS='...' LDFLAGS='... -Wl,-Map=half.map'           writes the address of each function of trainc-cluster
    valgrind --tool=callgrind --dump-instr=yes --trace-children=yes trainc status JOB          (and other commands)
    python3 runtime/cluster/first.py half.map callgrind.out.* >runtime/cluster/first.txt

The program is linked in that order, so that the functions that are used are next to each other. The system maps pages of
a program 16 at a time; otherwise nearly all of trainc-cluster would be in memory a moment after its start.  If the list
is outdated, more of the program is in memory; nothing else depends on it.
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
