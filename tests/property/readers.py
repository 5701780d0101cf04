"""readers.py TRAINC - our YAML with another parser: from each golden and each example, PyYAML reads what `compile -o
json` prints.  PyYAML follows YAML 1.1, where `no`, `1:30` and `0o7` mean something else than in 1.2: if both
agree, so does every parser that Kubernetes tools use."""
import glob
import json
import os
import subprocess
import sys

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def compiled(trainc, path, form):
    options = []
    if os.path.exists(path[:-3] + ".args"):
        with open(path[:-3] + ".args", encoding="utf-8") as f:
            options = f.read().split()
    return subprocess.run([trainc, "compile", "-o", form, *options, path], capture_output=True, text=True, check=False, timeout=60)


def differs(trainc, path):
    """What is wrong with one program, or None."""
    ours, other = compiled(trainc, path, "yaml"), compiled(trainc, path, "json")
    if ours.returncode or other.returncode:
        return "status %d and %d: %s" % (ours.returncode, other.returncode, (ours.stderr + other.stderr)[:300])
    items = json.loads(other.stdout)
    items = items["items"] if items.get("kind") == "List" else [items]
    read = list(yaml.load_all(ours.stdout, Loader=LOADER))
    if len(read) != len(items):
        return "%d documents, %d objects" % (len(read), len(items))
    for one, two in zip(read, items):
        if one != two or json.dumps(one, sort_keys=True) != json.dumps(two, sort_keys=True):       # 1 differs from 1.0 and from true
            return "%s %s is not the same" % (two["kind"], two["metadata"].get("name"))
    return None


def main():
    paths = [p for p in sorted(glob.glob("tests/*/*.tj")) if os.path.exists(p[:-3] + ".yaml")]
    paths += [p for p in sorted(glob.glob("examples/*/*.tj")) if os.path.exists(p[:-3] + ".yaml")]
    failed = 0
    for path in paths:
        wrong = differs(sys.argv[1], path)
        failed += wrong is not None
        if wrong:
            print("FAIL %s: %s" % (path, wrong))
    if len(paths) < 50:
        failed += 1
        print("FAIL %d programs: where are the others?" % len(paths))
    print("%d passed, %d failed" % (len(paths) - failed if len(paths) >= 50 else 0, failed))
    return failed != 0


sys.exit(main())
