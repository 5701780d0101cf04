#!/usr/bin/env python3
"""Indexed and unrolled forms agree replica by replica; so does `trainc env`.

Usage: indexed_unrolled.py TRAINC PROGRAM...     (exit 1 if one differs)
"""
import json
import subprocess
import sys

import pods


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise SystemExit("%s\n%s" % (" ".join(command), done.stderr))
    return json.loads(done.stdout)


def seen(objects):
    result = {}
    for key, (host, spec, maps) in pods.replicas(objects).items():
        index = key[2]
        result[key] = {"host": host, "subdomain": spec.get("subdomain")}
        for group in ("initContainers", "containers"):
            for c in spec.get(group, []):
                result[key][(group, c["name"])] = dict(pods.view(c, index), files=pods.files(spec, c, index, maps))
    return result


def printed(document):
    """What `trainc env` prints: (job, role, index, container) -> [(name, value)]."""
    result = {}
    for job in document["jobs"]:
        for r in job["replicas"]:
            env = []
            for e in r["env"]:
                if "value" in e:
                    value = e["value"]
                elif "field" in e:
                    value = "<%s>" % e["field"]
                elif "text" in e:
                    value = "".join(t if isinstance(t, str) else "<%s>" % t["field"] for t in e["text"])
                elif "secret" in e:
                    value = ("secretKeyRef", e["secret"]["name"], e["secret"]["key"])
                else:
                    value = ("configMapKeyRef", e["config"]["name"], e["config"]["key"])
                env.append((e["name"], value))
            result[(job["name"], r["role"].replace("_", "-").lower(), r["index"], r["container"])] = env
    return result


def differences(trainc, program):
    indexed = seen(run(trainc, "compile", "-o", "json", program)["items"])
    unrolled = seen(run(trainc, "compile", "--unroll", "-o", "json", program)["items"])
    env = printed(run(trainc, "env", "-o", "json", program))
    if not indexed:
        yield "no replicas: nothing was compared"
    if indexed.keys() != unrolled.keys():
        yield "replicas differ: %s" % sorted(indexed.keys() ^ unrolled.keys())
    for key in indexed.keys() & unrolled.keys():
        a, b = indexed[key], unrolled[key]
        for part in sorted(a.keys() | b.keys(), key=str):
            if a.get(part) != b.get(part):
                yield "%s %s:\n    indexed  %s\n    unrolled %s" % (key, part, a.get(part), b.get(part))
        for part, view in a.items():
            if isinstance(part, tuple):
                shown = env.get(key + (part[1],))
                if shown is None:
                    yield "%s: `trainc env` leaves container %s out" % (key, part[1])
                elif shown != view["env"]:
                    yield "%s %s:\n    objects  %s\n    env      %s" % (key, part[1], view["env"], shown)


def main():
    trainc, programs = sys.argv[1], sys.argv[2:]
    failed = 0
    for program in programs:
        found = list(differences(trainc, program))
        print("%s indexed and unrolled agree: %s" % ("FAIL" if found else "ok", program))
        for line in found[:5]:
            print("  " + line)
        failed += bool(found)
    print("%d passed, %d failed" % (len(programs) - failed, failed))
    return 1 if failed or not programs else 0


sys.exit(main())
