"""first.py - writes first.txt: what common commands run, the functions and objects of the most commands first.

    make LDFLAGS='... -Wl,-Map=trainc.map' build            where each function of a program is
    valgrind --tool=callgrind --dump-instr=yes --trace-children=yes trainc compile FILE          and other commands
    python3 compiler/first.py trainc trainc.map callgrind.out.* >compiler/first.txt
    python3 compiler/first.py trainc-cluster half.map callgrind.out.* >runtime/cluster/first.txt

The program is linked in that order, so that what runs lies together. The system maps the pages of a program 16 at a
time, and each of these steps takes as long as some thousand instructions; without the order, nearly all of the program
would be mapped a moment after its start. A line is the name of a function of trainc, or LIBRARY:OBJECT. For
trainc-cluster, which is several times as large, all lines are objects. A list that is out of date only makes a program
a little slower.
"""
import bisect
import collections
import re
import sys

TEXT = re.compile(r"^ \.text\.?([\w.]*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (?:\S*/)?([^/\n]+?)(?:\.a\((.+)\))?$", re.M)


def parts_of(program, link_map):
    """The parts of the program's text that a list can name: (address, size, name in the list), sorted."""
    parts = []
    with open(link_map, encoding="utf-8") as f:
        for section, address, size, file, member in TEXT.findall(f.read()):
            own = file == "libtrainc" or not member
            name = section.split(".")[0] if own and program == "trainc" else f"{file}.a:{member}" if member else ""
            if name and int(size, 16):
                parts.append((int(address, 16), int(size, 16), name))
    return sorted(parts)


def executed(program, path):
    """The addresses of the program's instructions that a run has executed. The profiler does not know the section of
    the functions that are linked first, and calls their program '???'."""
    names, ours, at, found = {}, False, 0, set()
    with open(path, encoding="utf-8") as f:
        for line in f:
            if m := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line):
                names.setdefault(m[2], m[3])
                ours = ours if m[1] else names[m[2]].endswith(("/" + program, "???"))
            elif m := re.match(r"(0x[0-9a-f]+|[+-]\d+|\*) ", line):
                at = int(m[1], 16) if m[1][0] == "0" else at if m[1] == "*" else at + int(m[1])
                if ours:
                    found.add(at)
    return found


def main(program, link_map, *runs):
    parts = parts_of(program, link_map)
    starts, uses, first = [p[0] for p in parts], collections.Counter(), {}
    for run in runs:
        used = set()
        for address in executed(program, run):
            i = bisect.bisect_right(starts, address) - 1
            if i >= 0 and address < parts[i][0] + parts[i][1]:
                used.add(parts[i][2])
                first.setdefault(parts[i][2], i)
        uses.update(used)
    for name in sorted(uses, key=lambda n: (-uses[n], ":" not in n, first[n])):
        print(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
