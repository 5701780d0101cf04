#!/usr/bin/env python3
"""tables.py: checks that lists which several tables have are the same in all of them, so that a row cannot be forgotten
silently.

Targets, kinds of gangs, versions of Kubernetes, and the fields that an import writes, compared with
grammar/vocabulary.def. """
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
passed = failed = 0


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def check(what, got, want):
    global passed, failed
    if got == want:
        passed += 1
        return
    failed += 1
    print("FAIL %s: %s, but %s" % (what, got, want))


FIELDS = {}                             # id -> (name, blocks, type, fallback)
for id_, name, blocks, type_, fallback in re.findall(
        r'^FIELD\((\w+), "([^"]*)", ([^"]*), "((?:[^"\\]|\\.)*)", "([^"]*)"', read("grammar/vocabulary.def"), re.M):
    FIELDS[id_] = (name, blocks, type_, fallback)


def choices(id_):
    return re.findall(r'\\"([^"\\]*)\\"', FIELDS[id_][2])


def table(path, start):
    """First strings of the rows of a static table."""
    body = re.search(re.escape(start) + r".*?\n\};", read(path), re.S).group(0)
    return re.findall(r'^\t(?:\[\w+\] = )?\{ "([^"]*)"', body, re.M)


def option(id_):
    return re.search(r'^OPTION\(%s, [^"]*"[^"]*", "[^"]*", "([^"]*)", "([^"]*)"' % id_, read("compiler/command/options.def"), re.M).groups()


def number(path, name):
    return int(re.search(r"\b%s = (\d+)" % name, read(path)).group(1))


# ---- targets ----
commands = re.findall(r"^COMMAND\((\w+),", read("compiler/command/options.def"), re.M)
check("the commands in program.c", sorted(re.findall(r"\[COMMAND_(\w+)\] = cmd_", read("compiler/command/program.c"))), sorted(commands))
sources = "".join(read(p) for p in glob.glob("compiler/**/*.c", recursive=True) + glob.glob("runtime/**/*.c", recursive=True))
options = set(re.findall(r"^OPTION\((\w+),", read("compiler/command/options.def"), re.M))
check("options that no function reads", sorted(options - set(re.findall(r"\bOPTION_(\w+)", sources))), [])
check("the targets in target.c", table("compiler/emit/target/target.c", "targets[] = {"), choices("TARGET"))
check("the targets in the help of --target", option("TARGET")[1].split(": ")[1].split(", "), choices("TARGET"))
check("the targets in the editor's setting", json.loads(read("grammar/editors/vscode/package.json"))["contributes"]["configuration"]["properties"]["trainc.target"]["enum"], [""] + choices("TARGET"))
check("the default target is its first row", FIELDS["TARGET"][3], choices("TARGET")[0])

rows = re.findall(r'^\t\{ "(\w+)", [^}]*?, (WORKLOAD_\w+), (\w+),\s+each_of_\w+ \},$', read("compiler/emit/target/target.c"), re.M)
check("the rows that are read from target.c", [name for name, _, _ in rows], choices("TARGET"))
ends = {id_ for id_, row in re.findall(r"^\t\[(WORKLOAD_\w+)\] = (\{.*?\}),$", read("compiler/kube/workload.c"), re.M | re.S) if "WORKLOAD_ENDS" in row}
check("targets whose pods never end, and that have no function which refuses roles that have to", [n for n, id_, c in rows if id_ not in ends and c == "NULL"], [])

# ---- gangs ----
check("the gangs in gang.c", table("compiler/emit/gang.c", "gangs[] = {"), choices("GANG"))
check("the choices of --gang", option("GANG")[0].split("|"), choices("GANG"))

# ---- versions of Kubernetes ----
oldest, newest = (number("compiler/kube/kube_version.h", "KUBE_" + w) for w in ("OLDEST", "NEWEST"))
tables = sorted(int(m.group(1)) for m in (re.search(r"schema_1\.(\d+)\.tbl$", p) for p in glob.glob(os.path.join(ROOT, "compiler/kube/*.tbl"))) if m)
check("the schemas in compiler/kube", tables, list(range(oldest, newest + 1)))
for minor in tables:
    check("the version in schema_1.%d.tbl" % minor, re.findall(r"^version 1\.(\d+)$", read("compiler/kube/schema_1.%d.tbl" % minor), re.M), [str(minor)])
check("the versions that schema/make.py reads", re.findall(r'"1\.(\d+)\.\d+"', re.search(r"VERSIONS = \[.*?\]", read("compiler/kube/schema/make.py"), re.S).group(0)),
      [str(minor) for minor in tables])
check("the version of bit 0 of schemas", number("compiler/kube/schema.h", "SCHEMA_OLDEST"), oldest)
check("the default version of the field 'kubernetes'", FIELDS["KUBERNETES"][3], "1.%d" % number("compiler/kube/kube_version.h", "KUBE_DEFAULT"))
check("versions fit into 16 bits", newest - oldest < 16, True)
check("the versions that TJ0814 names", re.findall(r"1\.\d+ to 1\.\d+", read("compiler/diag/pages/TJ0814.md").replace("\n", " ")), ["1.%d to 1.%d" % (oldest, newest)])
# Messages say what the newest version does.  If you add a version, read those that name the one before, and list here
# those that name the new one.
NEWEST_NAMED = {"compiler/diag/pages/TJ0814.md": 1, "compiler/diag/pages/TJ0824.md": 4, "docs/language.md": 2, "grammar/vocabulary.def": 1}
texts = [os.path.relpath(p, ROOT)
         for pattern in ("README.md", "compiler/diag/pages/*.md", "docs/*.md", "examples/*/*.md", "grammar/vocabulary.def", "stdlib/std/*.tj")
         for p in glob.glob(os.path.join(ROOT, pattern))]
texts = [p for p in texts if p not in ("docs/diagnostics.md", "docs/frameworks.md")]    # derived from others
named = {p: read(p).count("1.%d" % newest) for p in sorted(texts)}
check("the texts that name 1.%d, the newest version" % newest, {p: n for p, n in named.items() if n}, NEWEST_NAMED)
for name, since in re.findall(r"^FEATURE\((\w+), (\d+),", read("compiler/kube/features.def"), re.M):
    check("the version of feature %s is known" % name, oldest < int(since) <= newest, True)

# ---- the fields that an import writes ----
order = re.findall(r'"([^"]+)"', re.search(r"order\[\] = \{.*?\};", read("compiler/import/order.c"), re.S).group(0))
slugs = re.findall(r'^DIAG\(TJ\d+, \w+, "([^"]+)"', read("compiler/diag/codes.def"), re.M)
known = re.findall(r'^(?:FIELD|FUNCTION)\(\w+, "([^"]+)"', read("grammar/vocabulary.def"), re.M)
check("short names of diagnostics that 'explain' knows as a word of the language", sorted(set(slugs) & set(known)), [])
check("no field twice in order.c", sorted(set(order)), sorted(order))
wanted = {name for name, blocks, _, _ in FIELDS.values() if re.search(r"BLOCK_(JOB|DEFAULTS|AUX)\b", blocks)}
check("fields of jobs and roles that order.c does not place", sorted(wanted - set(order)), [])

# ---- the members of cluster ----
def members(of):
    return re.findall(r'^\t\{ "(\w+)"', re.search(of + r"\[\] = \{.*?^\};", read("compiler/check/check_member.c"), re.M | re.S).group(0), re.M)


helped = re.search(r"is_of_cluster\(.*?\};", read("compiler/syntax/help/complain_item.c"), re.S).group(0)
check("the members of cluster that complain_item.c knows", sorted(re.findall(r'"(\w+)"', helped)),
      sorted(members("cluster_members") + members("planned_of_cluster")))

print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
