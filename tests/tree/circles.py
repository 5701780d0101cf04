#!/usr/bin/env python3
"""circles.py BUILD: files of one folder that call each other in a circle, from the symbols of the built objects.

Each folder may hold the circles that ALLOWED lists and no larger one: the interpreter and the checker of expressions
are recursive by nature (docs/architecture.md names them).  A pair is two files of one subject.  Prints every circle
with its size. """
import collections
import os
import subprocess
import sys

ALLOWED = {                              # folder: sizes of its circles, largest first
    "compiler/eval": [31],               # the interpreter, including a file for each group of built-in functions
    "compiler/check": [17, 2],           # the checker of expressions; a module and its project
    "compiler/diag": [2],                # `# allow` comments apply to the collection, and are reported by it
    "compiler/explain": [2],
    "compiler/syntax": [2],
    "compiler/verify": [3],
    "runtime/local": [3, 2, 2],
    "runtime/run": [],
}


def symbols(objects):
    """Object file -> (defined, undefined) names."""
    found = {o: ([], []) for o in objects}
    for line in subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, rest = line.partition(":")
        words = rest.split()
        if words[-2] == "U":
            found[path][1].append(words[-1])
        elif words[-2] in "TDBRVWC":
            found[path][0].append(words[-1])
    return found


def calls(build):
    """File -> files that it calls."""
    where, needs = {}, {}
    top = os.path.join(build, "obj")
    objects = [os.path.join(folder, name) for folder, _, files in os.walk(top) for name in files if name.endswith(".o")]
    source_of = {o: os.path.relpath(o, top)[:-2] for o in objects}
    for o, (defined, undefined) in symbols([o for o in objects if os.path.exists(source_of[o] + ".c")]).items():
        needs[source_of[o]] = undefined
        where.update((symbol, source_of[o]) for symbol in defined)
    return {f: {where[s] for s in symbols_ if s in where and where[s] != f} for f, symbols_ in needs.items()}


def circles(nodes, edges):
    """Sets of nodes that reach one another (Tarjan), largest first."""
    index, low, stack, found = {}, {}, [], []

    def visit(n):
        index[n] = low[n] = len(index)
        stack.append(n)
        for m in edges[n] & nodes:
            if m not in index:
                visit(m)
                low[n] = min(low[n], low[m])
            elif m in stack:
                low[n] = min(low[n], index[m])
        if low[n] == index[n]:
            at = stack.index(n)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for n in sorted(nodes):
        if n not in index:
            visit(n)
    return sorted(found, key=len, reverse=True)


def main():
    sys.setrecursionlimit(10000)
    edges = calls(sys.argv[1])
    folders = collections.defaultdict(set)
    for f in edges:
        folders[os.path.dirname(f)].add(f)
    passed = failed = 0
    for folder, nodes in sorted(folders.items()):
        found = circles(nodes, edges)
        allowed = ALLOWED.get(folder, [])
        for i, circle in enumerate(found):
            print(f"{folder}: a circle of {len(circle)} of {len(nodes)} files")
            if i < len(allowed) and len(circle) <= allowed[i]:
                continue
            failed += 1
            print("FAIL it may have", allowed[i] if i < len(allowed) else "none here", "files, and has",
                  " ".join(os.path.basename(f) for f in circle))
        passed += len(found) <= len(allowed)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
