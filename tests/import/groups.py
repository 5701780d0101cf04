"""groups.py: groups.txt lists public manifests with groups of pods; for each the case of the same shape is imported.

* It becomes a cell or a role, and all that is told of it is in the table; each word of the table is told.
* No value is lost untold: what stands in the manifest is in the objects of the program, or a message names it or what it is in.
"""
import glob
import json
import os
import re
import subprocess
import sys

TRAINC = os.environ["TRAINC"]
CASES = "tests/import/cases/group_%s.yaml"
# What an object says in another way, or what is a default there and here.
OTHERWISE = {"apiVersion", "kind", "name", "replicas", "size", "restartPolicy", "parallelism", "completions", "startupPolicy", "type", "groupName",
             "numOfHosts", "whenDeleted", "whenScaled", "backoffLimit", "maxRestarts", "fieldPath", "entrypoint", "periodSeconds"}
passed = failed = 0

def check(what, right, why=""):
    global passed, failed
    passed += bool(right)
    failed += not right
    if not right:
        print("FAIL %s: %s" % (what, why))

def trainc(*words):
    return subprocess.run([TRAINC, *words], capture_output=True, text=True, timeout=60)

def rows():
    with open("tests/import/groups.txt") as f:
        for line in f:
            if not line.startswith("#"):
                repository, path, case, becomes, *told = re.split(r"\s{2,}", line.strip(), maxsplit=4)
                yield repository, path, case, becomes, told[0].split("; ") if told else []

def documents(path):
    """The manifests as trees."""
    import yaml
    with open(path) as f:
        return [d for d in yaml.safe_load_all(f) if d]

def leaves(value, above=()):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(v, above + (str(k),))
    elif isinstance(value, list):
        for v in value:
            yield from leaves(v, above)
    else:
        yield above, value

def texts(value):
    return {("true" if v is True else "false" if v is False else str(v)) for _, v in leaves(value)} | {k for path, _ in leaves(value) for k in path}

def untold(case, said, made):
    """Values of the manifest that are neither in the objects nor in a message."""
    have = texts(made)
    whole = "\n".join(have)
    for document in documents(CASES % case):
        for path, value in leaves(document):
            text = "true" if value is True else "false" if value is False else str(value)
            if path[-1] in OTHERWISE or text in have or any(p in said for p in path if len(p) > 3 and p not in ("metadata", "spec", "template")):
                continue
            # a variable may have another name, or be a value; pods have other hosts
            pattern = re.sub(r"\\\$\\\([A-Z_]+\\\)|[a-z]+(\\-[a-z]+)*(\\-[0-9]+)+\\\.[a-z]+", ".*", re.escape(text))
            if not re.search(pattern, whole) and text not in said:
                yield ".".join(path) + " = " + text

def main():
    found = list(rows())
    check("there are 30 manifests", len({(r, p) for r, p, *_ in found}) >= 30, len(found))
    cases = {}
    for repository, path, case, becomes, told in found:
        check("%s of %s" % (path, repository), cases.setdefault(case, (becomes, told))[0] == becomes and os.path.exists(CASES % case), case)
        cases[case][1].extend(t for t in told if t not in cases[case][1])
    here = {os.path.basename(p)[len("group_"):-len(".yaml")] for p in glob.glob(CASES % "*")}
    for case in sorted(here):
        becomes, told = cases.get(case, (None, None))
        done = trainc("import", CASES % case)
        said = [m for m in re.findall(r"(?:warning|error): (.*)", done.stderr)]
        check("%s is imported" % case, done.returncode == 0, done.stderr)
        with open("/dev/null" if done.returncode else os.path.join(os.environ.get("TMPDIR", "/tmp"), "trainc-groups-%d.tj" % os.getpid()), "w") as f:
            f.write(done.stdout)
        if becomes:
            check("%s becomes a %s" % (case, becomes), ("\n  cell " in done.stdout) == (becomes == "cell"), done.stdout)
            check("%s: the table says what is told" % case, all(any(t in m for t in told) for m in said), said)
            check("%s: all of it is told" % case, all(any(t in m for m in said) for t in told), said)
        target = "lws" if "lws.group" in done.stdout else "jobs"
        made = trainc("compile", "--target", target, "-o", "json", f.name)
        check("%s is compiled for %s" % (case, target), made.returncode == 0, made.stderr)
        if made.returncode == 0:
            lost = list(untold(case, done.stderr, json.loads(made.stdout)))
            check("%s: nothing is lost untold" % case, not lost, lost)
        if not done.returncode:
            os.unlink(f.name)

main()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
