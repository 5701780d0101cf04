#!/usr/bin/env python3
"""Checks every object of a program, for every version of Kubernetes, against that version's schemas.

    schemas.py TRAINC PROGRAM...

Reads the tables (compiler/kube/schema_*.tbl) with an independent parser, so that it also tests the compiler's.  A
program that is refused for a version is not a failure here: the goldens have those.  A kind that a version no longer
has is one.  (rows: S51) """
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUANTITY = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?")


def tables():
    """{version: ({(apiVersion, kind): type}, {type: {field: words}})}, each complete."""
    kinds, types, versions = {}, {}, {}
    files = glob.glob(os.path.join(ROOT, "compiler", "kube", "schema_1.*.tbl"))
    for path in [os.path.join(ROOT, "compiler", "kube", "schema_addons.tbl")] + sorted(files):
        current = version = None
        with open(path, encoding="utf-8") as f:
            for line in f.read().splitlines():
                words = line.split()
                if line.startswith("#"):
                    continue
                if line.startswith("\t-"):
                    del types[current][words[0][1:]]
                elif line.startswith("\t"):
                    types[current][words[0]] = words[1:]
                elif words[0] == "version":
                    version = words[1]
                elif words[0] == "kind":
                    kinds[(words[1], words[2])] = words[4]
                elif words[0] == "-kind":
                    del kinds[(words[1], words[2])]
                elif words[0] == "-type":
                    del types[words[1]]
                else:
                    current = words[1]
                    types.setdefault(current, {})
        if version:             # the add-ons apply to all versions
            versions[version] = (dict(kinds), {name: dict(fields) for name, fields in types.items()})
    return versions


class Wrong(Exception):
    pass


def scalar(word, value, where):
    text = isinstance(value, str)
    whole = isinstance(value, int) and not isinstance(value, bool)
    fits = {"any": True, "string": text, "bytes": text, "time": text, "int": whole, "bool": isinstance(value, bool),
            "number": whole or isinstance(value, float), "int-or-string": whole or text,
            "quantity": whole or (text and QUANTITY.fullmatch(value) is not None)}
    if not fits[word]:
        raise Wrong("%s: %r is no %s" % (where, value, word))


def judge(types, word, value, where):
    if value is None:
        return
    if word.startswith("[]"):
        if not isinstance(value, list):
            raise Wrong("%s is no list" % where)
        for i, element in enumerate(value):
            judge(types, word[2:], element, "%s[%d]" % (where, i))
    elif word.startswith("{}"):
        if not isinstance(value, dict):
            raise Wrong("%s is no map" % where)
        for key, element in value.items():
            judge(types, word[2:], element, where + "." + key)
    elif word in types:
        if not isinstance(value, dict):
            raise Wrong("%s is no map" % where)
        for key, element in value.items():
            if key not in types[word]:
                raise Wrong("%s: %s has no field %s" % (where, word, key))
            judge(types, types[word][key][0], element, where + "." + key)
            keys = next((w[4:].split(",") for w in types[word][key] if w.startswith("map=")), None)
            if keys and isinstance(element, list):
                seen = [tuple(e.get(k) for k in keys) for e in element]
                if len(seen) != len(set(seen)):
                    raise Wrong("%s.%s has an element twice" % (where, key))
        for key, words in types[word].items():
            if "required" in words and key not in value:
                raise Wrong("%s: %s needs %s" % (where, word, key))
    else:
        scalar(word, value, where)


def options(program):
    path = program[:-3] + ".args"
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return f.read().split()


def objects(trainc, program, version, more):
    """The objects of the program, or nothing when the version or the target refuses it."""
    p = subprocess.run([trainc, "compile", *more, "--kubernetes", version, "-o", "json", program], capture_output=True, text=True)
    if p.returncode not in (0, 1):
        raise Wrong("compile: status %d" % p.returncode)
    return json.loads(p.stdout)["items"] if p.returncode == 0 else []


def cases(programs):
    """(program, options): as for its golden, and for other targets unless the options name one."""
    for program in programs:
        own = options(program)
        yield program, own
        if "--target" not in own:
            for target in "jobset", "trainer":
                yield program, own + ["--target", target]


def main():
    trainc, passed, failed = sys.argv[1], 0, 0
    seen = set()
    for version, (kinds, types) in tables().items():
        for program, more in cases(sys.argv[2:]):
            try:
                for o in objects(trainc, program, version, more):
                    key = (o["apiVersion"], o["kind"])
                    if key not in kinds:
                        raise Wrong("no kind %s %s" % key)
                    judge(types, kinds[key], o, "%s/%s" % (o["kind"], o["metadata"]["name"]))
                    seen.add((version, o["kind"]))
                    passed += 1
            except Wrong as e:
                failed += 1
                print("FAIL %s, Kubernetes %s, %s: %s" % (program, version, " ".join(more), e))
        for kind in "Job", "Pod", "JobSet", "TrainJob":
            if (version, kind) not in seen:
                failed += 1
                print("FAIL no %s for Kubernetes %s" % (kind, version))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0 or not passed


sys.exit(main())
