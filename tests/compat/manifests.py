#!/usr/bin/env python3
"""Manifests of the training operator's kinds, and the results.

    manifests.py TRAINC SCRATCH [NAME...]

Each manifests/NAME.yaml has a NAME.golden: what `trainc import` refuses, or the pods with their variables, the Services
and other objects of the target pods, and the resource of the target kubeflow with its defaults, for both versions of
the operator. NAME.states has verdicts of `trainc status --from`: the conditions, an exit code of failed pods, phases of
each role's pods. BLESS=1 writes the goldens.  Last line: N passed, N failed. """
import json
import os
import re
import sys

from ancestors import ours
from legacy_status import Status
from tool import Refused, Tool

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "manifests")
PREFIX = "training.kubeflow.org/"


def flat(value):
    return json.dumps(value, separators=(", ", ": "), ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)


def labels(of):
    return ", ".join("%s=%s" % (k.replace(PREFIX, ""), v) for k, v in (of or {}).items() if k.startswith(PREFIX) or not ours(k))


def container(c, kind):
    known = ("name", "image", "command", "args", "ports", "resources")
    yield "  %s %s %s" % (kind, c["name"], " ".join("%s=%s" % (k, flat(c[k])) for k in known[1:] if k in c))
    for v in c.get("env") or []:
        yield "    %s=%s" % (v["name"], v["value"] if "value" in v else flat(v["valueFrom"]))
    for m in c.get("volumeMounts") or []:
        yield "    mount %s %s" % (m["name"], m["mountPath"])


def pod(o):
    spec = o["spec"]
    rest = " ".join("%s=%s" % (k, flat(spec[k])) for k in ("schedulingGates", "schedulerName", "serviceAccountName", "priorityClassName") if k in spec)
    yield "pod %s %s %s" % (o["metadata"]["name"], spec["restartPolicy"], rest)
    yield "  labels %s" % labels(o["metadata"]["labels"])
    for c in spec.get("initContainers") or []:
        yield from container(c, "init")
    for c in spec["containers"]:
        yield from container(c, "container")


def other(o):
    spec = o.get("spec") or {}
    if o["kind"] == "Service":
        yield "service %s clusterIP=%s %s" % (o["metadata"]["name"], spec.get("clusterIP"), flat(spec.get("ports")))
        yield "  selects %s" % labels(spec.get("selector"))
    elif o["kind"] == "ConfigMap":
        yield "ConfigMap %s" % o["metadata"]["name"]
        for k, v in o["data"].items():
            yield "  %s: %s" % (k, flat(v.splitlines()))
    else:
        yield "%s %s %s" % (o["kind"], o["metadata"]["name"], flat({k: v for k, v in o.items() if k not in ("apiVersion", "kind", "metadata")}))


def resource(o):
    yield "%s %s" % (o["kind"], o["apiVersion"])
    for key, value in o["spec"].items():
        if not key.endswith("ReplicaSpecs"):
            yield "  %s: %s" % (key, flat(value))
            continue
        for role, entry in value.items():
            ports = [[c["name"], c.get("ports")] for c in entry["template"]["spec"]["containers"]]
            yield "  %s: replicas %s, %s, %s" % (role, entry.get("replicas"), entry.get("restartPolicy"), flat(ports))


class Case:
    """The facts of a case that Status needs."""

    def __init__(self, tool, scratch):
        self.tool, self.scratch = tool, scratch


def program(tool, name, version):
    done = tool.run(["import", "--operator", version, os.path.join(HERE, name + ".yaml")])
    said = [re.sub(r"^.*\.yaml:", "", line) for line in done.stderr.splitlines() if re.search(r"\[TJ\d+\]", line)]
    return (done.stdout if done.returncode == 0 else None), said


def summary(tool, text, said):
    yield from said
    if text is None:
        return
    items = tool.compiled(text, "--target", "pods")
    for o in items:
        yield from pod(o) if o["kind"] == "Pod" else other(o)
    for o in tool.compiled(text, "--target", "kubeflow"):
        yield from resource(o)


def environment(tool, text):
    """The output of `trainc env` is what the pods get."""
    if text is None:
        return
    shown = tool.environment(text)
    for o in tool.compiled(text, "--target", "pods"):
        if o["kind"] == "Pod":
            got, want = shown.get(o["metadata"]["name"]), o["spec"]["containers"][0].get("env") or []
            if got is None or [v["name"] for v in got] != [v["name"] for v in want]:
                yield "trainc env of %s\n    is  %s\n    not %s" % (o["metadata"]["name"], got, want)
            for g, w in zip(got or [], want):
                if "value" in w and "value" in g and g["value"] != w["value"]:
                    yield "%s of %s: %s, not %s" % (w["name"], o["metadata"]["name"], g, w)


def states(case, name, text):
    path = os.path.join(HERE, name + ".states")
    if text is None or not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    status = Status(case, program=text.replace("suspend = true\n", "\n"))
    for line in lines:
        verdict, code, phases = re.match(r"(\w+) ?(\d*): (.*)", line).groups()
        of = {role: words.split(",") for role, words in (p.split("=") for p in phases.split())}
        got = status.with_phases(lambda role, i: of[role][i], code=int(code or 1)).last()
        yield None if got == verdict else "%s: it is %s" % (line, got)


def golden(name, text):
    path = os.path.join(HERE, name + ".golden")
    if os.environ.get("BLESS"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    if not os.path.exists(path):
        return name + ".golden is missing"
    with open(path, encoding="utf-8") as f:
        want = f.read()
    if text == want:
        return None
    both = zip(text.splitlines() + ["(end)"], want.splitlines() + ["(end)"])
    return "%s.golden\n    is  %s\n    not %s" % ((name,) + next((a, b) for a, b in both if a != b))


def main():
    tool, scratch, only = Tool(sys.argv[1]), sys.argv[2], sys.argv[3:]
    passed = failed = 0
    for name in sorted(f[:-5] for f in os.listdir(HERE) if f.endswith(".yaml")):
        if only and name not in only:
            continue
        text, results, before = "", [], None
        for version in ("1.7", "1.9"):
            made, said = program(tool, name, version)
            try:
                lines = list(summary(tool, made, said))
                results += list(environment(tool, made)) or [None]
                results += states(Case(tool, scratch), name, made)
            except (Refused, KeyError) as e:
                lines = []
                results.append("%s (%s): %s" % (name, version, e))
            text += "operator %s\n" % version + ("as 1.7\n" if lines == before else "".join(line.rstrip() + "\n" for line in lines))
            before = lines
        results.append(golden(name, text))
        passed, failed = passed + sum(r is None for r in results), failed + sum(r is not None for r in results)
        for r in results:
            if r:
                print("FAIL %s: %s" % (name, r))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
