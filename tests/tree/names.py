#!/usr/bin/env python3
"""names.py: checks that names of functions and structs can be found with grep.

A function that other files call has a prefix (or, where it is the one entry of its module, the module's name). A struct
of a header has a name of its own. Function names that several files define are counted, and the counts may only fall.
"""
import collections
import glob
import os
import re
import sys

os.chdir(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
MODULES = {"ask", "attend", "decide", "judge", "supervise"}    # each is the only function of the header of its name
NOUNS = {"member"}                                      # a member of a map; the import calls it on every second line
MOST_SHARED = 9                                         # names of functions in more than two files
MOST_FILES = 3                                          # base names of C files that occur in several folders
MOST_LOCAL = 28                                         # names of structs that several .c files define for themselves
passed = failed = 0


def check(what, found):
    global passed, failed
    if not found:
        passed += 1
        return
    failed += 1
    print("FAIL %s: %s" % (what, ", ".join(found)))


def without_comments(path):
    with open(path, encoding="utf-8") as f:
        return re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)


def after_parameters(text, at):
    """What follows the parenthesis that closes the one before AT."""
    depth = 1
    while at < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[at:at + 40].lstrip()


files = collections.Counter(os.path.basename(p) for p in glob.glob("compiler/**/*.[ch]", recursive=True) +
                            glob.glob("runtime/**/*.[ch]", recursive=True))
same = sorted(n for n, times in files.items() if times > 1)
check("more than %d base names of files in several folders" % MOST_FILES, same if len(same) > MOST_FILES else [])

functions, exported, structs = (collections.defaultdict(set) for _ in range(3))
FUNCTION = re.compile(r"^(?!\s)((?:static |inline |extern )*)"
                      r"(?:(?:const |unsigned |struct |enum )*\w+[ *]+(?:const \*?)?)(\w+)\(", re.M)
for path in sorted(glob.glob("compiler/**/*.[ch]", recursive=True) + glob.glob("runtime/**/*.[ch]", recursive=True)):
    source = without_comments(path)
    for m in FUNCTION.finditer(source):
        if not after_parameters(source, m.end()).startswith("{"):
            continue
        functions[m.group(2)].add(path)
        if "static" not in m.group(1):
            exported[m.group(2)].add(path)
    for m in re.finditer(r"^(?:static )?(?:const )?struct (\w+) \{", source, re.M):
        structs[m.group(1)].add(path)

check("exported functions of one word",
      sorted(n for n in exported if "_" not in n and n not in MODULES | NOUNS | {"main"}))
check("structs of a header that another file defines, too",
      ["%s (%s)" % (n, " ".join(sorted(at))) for n, at in sorted(structs.items())
      if len(at) > 1 and any(p.endswith(".h") for p in at)])
shared = sorted(n for n, at in functions.items() if len(at) > 2 and n != "main")
local = sorted(n for n, at in structs.items() if len(at) > 1 and all(p.endswith(".c") for p in at))
print("# %d names of functions in more than two files, %d names of local structs in several" % (len(shared), len(local)))
check("more than %d names of functions in more than two files" % MOST_SHARED, shared if len(shared) > MOST_SHARED else [])
check("more than %d names of local structs in several files" % MOST_LOCAL, local if len(local) > MOST_LOCAL else [])
check("fewer shared names than this test allows: lower its numbers", ["%d and %d" % (len(shared), len(local))]
      if (len(shared), len(local)) < (MOST_SHARED - 10, MOST_LOCAL - 5) else [])
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
