#!/usr/bin/env python3
"""Indexed and unrolled forms, pods and sets of Jobs agree replica by replica; so does `trainc env`.

Usage: indexed_unrolled.py TRAINC PROGRAM...     (exit 1 if one differs)
"""
import json
import re
import subprocess
import sys

import pods


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise SystemExit("%s\n%s" % (" ".join(command), done.stderr))
    return json.loads(done.stdout)


def refused(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode == 1 and "[TJ08" in done.stderr:
        return None
    return json.loads(done.stdout)


def seen(objects):
    result = {}
    for key, (host, spec, maps) in pods.replicas(objects).items():
        index = key[2]
        result[key] = {"host": host, "subdomain": spec.get("subdomain")}
        for group in ("initContainers", "containers"):
            for c in spec.get(group, []):
                result[key][(group, c["name"])] = dict(pods.view(c, index, maps), files=pods.files(spec, c, index, maps))
    return result


def printed(document):
    """The output of `trainc env`: (job, role, index, container) -> [(name, value)]."""
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


def alike(what, a, b):
    if a.keys() != b.keys():
        yield "replicas differ: %s" % sorted(a.keys() ^ b.keys())
    for key in a.keys() & b.keys():
        for part in sorted(a[key].keys() | b[key].keys(), key=str):
            if a[key].get(part) != b[key].get(part):
                yield "%s %s:\n    indexed  %s\n    %s %s" % (key, part, a[key].get(part), what, b[key].get(part))


def as_printed(replicas, env):
    for key, replica in replicas.items():
        for part, view in replica.items():
            if isinstance(part, tuple):
                shown = env.get(key + (part[1],))
                if shown is None:
                    yield "%s: `trainc env` leaves container %s out" % (key, part[1])
                elif shown != view["env"]:
                    yield "%s %s:\n    objects  %s\n    env      %s" % (key, part[1], view["env"], shown)


def without_place(replicas):
    """A standalone pod has plain containers, and is found by its Service: the rest must be the same."""
    result = {}
    for key, replica in replicas.items():
        result[key] = {("container", part[1]): view for part, view in replica.items() if isinstance(part, tuple)}
    return result


def renamed(value, names):
    """The same with the host names of another target."""
    if isinstance(value, str):
        return re.sub(r"[a-z0-9-]+\.[a-z0-9-]+", lambda m: names.get(m[0], m[0]), value)
    if isinstance(value, dict):
        return {key: renamed(one, names) for key, one in value.items()}
    return type(value)(renamed(one, names) for one in value) if isinstance(value, (list, tuple)) else value


def in_sets(trainc, program, target, indexed):
    """A set names its pods; everything else is as in Jobs."""
    document = refused(trainc, "compile", "--target", target, "-o", "json", program)
    if document is None:
        return
    found, env = seen(document["items"]), run(trainc, "env", "--target", target, "-o", "json", program)
    yield from as_printed(found, printed(env))
    names = {}
    for key, one in found.items():
        if one["subdomain"] and key in indexed:
            names["%(host)s.%(subdomain)s" % one] = "%(host)s.%(subdomain)s" % indexed[key]
    hosts = {r["host"] for job in env["jobs"] for r in job["replicas"]}
    for name in names:
        if name not in hosts:
            yield "%s: no such host in `trainc env`" % name
    found = {key: one for key, one in found.items() if key in indexed}      # what a Deployment creates does not belong to a Job
    yield from alike("%-8s" % target, without_place(indexed), without_place(renamed(found, names)))


def differences(trainc, program):
    indexed = seen(run(trainc, "compile", "-o", "json", program)["items"])
    unrolled = seen(run(trainc, "compile", "--unroll", "-o", "json", program)["items"])
    single = seen(run(trainc, "compile", "--target", "pods", "-o", "json", program)["items"])
    if not indexed:
        yield "no replicas: nothing was compared"
    yield from alike("unrolled", indexed, unrolled)
    yield from alike("pods    ", without_place(indexed), without_place(single))
    yield from as_printed(indexed, printed(run(trainc, "env", "-o", "json", program)))
    yield from as_printed(single, printed(run(trainc, "env", "--target", "pods", "-o", "json", program)))
    for target in "jobset", "trainer":
        yield from in_sets(trainc, program, target, indexed)


def main():
    trainc, programs = sys.argv[1], sys.argv[2:]
    failed = 0
    for program in programs:
        found = list(differences(trainc, program))
        print("%s indexed, unrolled, pods and sets agree: %s" % ("FAIL" if found else "ok", program))
        for line in found[:5]:
            print("  " + line)
        failed += bool(found)
    print("%d passed, %d failed" % (len(programs) - failed, failed))
    return 1 if failed or not programs else 0


sys.exit(main())
