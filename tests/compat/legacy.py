#!/usr/bin/env python3
"""The ancestors of the operators, against what is known of them.

    legacy.py TRAINC DIRECTORY      one folder per case: manifest.yaml, expected.json, derived.json

A manifest becomes a program on the surface of std.legacy or std.kubeflow; the objects of the target pods are compared with the
names, Services, variables and commands that the case lists.  Last line: N passed, N failed, N skipped.
"""
import json
import os
import re
import subprocess
import sys

import yaml


def text(value):
    return json.dumps(str(value), ensure_ascii=False).replace("${", "\\${")


def texts(values):
    return "[%s]" % ", ".join(text(v) for v in values)


def container(spec):
    lines = []
    if spec.get("image"):
        lines.append("image = %s" % text(spec["image"]))
    for key in ("command", "args"):
        if spec.get(key):
            lines.append("%s = %s" % (key, texts(spec[key])))
    env = {e["name"]: e.get("value", "") for e in spec.get("env") or []}
    if env:
        lines.append("env { %s }" % ", ".join("%s = %s" % (text(k), text(v)) for k, v in env.items()))
    return lines


def find(containers, name):
    return next(c for c in containers if c["name"] == name)


def role(name, entry, main, ports):
    lines = ["replicas = %d" % entry["replicas"]] if entry.get("replicas") is not None else []
    if ports:
        lines.append("ports { %s }" % ", ".join("%s = %d" % (text(k), v) for k, v in ports.items()))
    template = entry.get("template") or {}
    annotations = (template.get("metadata") or {}).get("annotations") or {}
    if annotations:
        lines.append("annotations { %s }" % ", ".join("%s = %s" % (text(k), text(v)) for k, v in annotations.items()))
    if template:
        lines += container(find(template["spec"]["containers"], main))
        policy = entry.get("restartPolicy") or template["spec"].get("restartPolicy")
        lines.append('restart = "%s"' % {"OnFailure": "on-failure", "Always": "always"}.get(policy, "never"))
    return "  role %s {\n    %s\n  }\n" % (name, "\n    ".join(lines))


def ancestor(doc, run_id):
    spec, arguments, roles = doc["spec"], ["runtime_id = %s" % text(run_id)], ""
    tf = doc["kind"].lower() == "tfjob"
    for entry in spec.get("replicaSpecs") or []:
        name = entry.get("tfReplicaType", "MASTER") if tf else entry.get("mxReplicaType", "WORKER")
        port = entry.get("tfPort") if tf else entry.get("PsRootPort")
        if tf and not entry.get("template"):
            arguments.append("default_ps = true")
        roles += role(name.lower(), entry, "tensorflow" if tf else "mxnet", {"tf-port" if tf else "ps-root-port": port} if port else {})
    board = spec.get("tensorboard")
    if board:
        arguments.append("tensorboard = { log_dir = %s%s }" % (text(board["logDir"]),
            ", service_type = %s" % text(board["serviceType"]) if board.get("serviceType") else ""))
    if not tf:
        arguments.insert(0, text(spec["jobMode"]))
    return "import std.legacy\njob %s: legacy.%sjob(%s) {\n%s}\n" % (text(doc["metadata"]["name"]), "tf" if tf else "mx", ", ".join(arguments), roles)


def operator(doc):
    roles = ""
    for name, entry in doc["spec"]["mxReplicaSpecs"].items():
        main = find(entry["template"]["spec"]["containers"], "mxnet")
        if entry.get("label") and doc["apiVersion"].endswith("v1beta1"):        # later versions have it in an annotation
            entry["template"].setdefault("metadata", {}).setdefault("annotations", {})["tuner-server-key"] = entry["label"]
        roles += role(name.lower(), entry, "mxnet", {p["name"]: p["containerPort"] for p in main.get("ports") or []})
    return "import std.kubeflow\njob %s: kubeflow.mxjob(operator = \"1.7\") {\n%s}\n" % (text(doc["metadata"]["name"]), roles)


def variables(o):
    spec = o["spec"]["template"]["spec"] if o["kind"] == "Job" else o["spec"]
    return {e["name"]: e.get("value") for e in spec["containers"][0].get("env", [])}


def expect(problems, what, got, want):
    if got != want:
        problems.append("%s\n    is   %s\n    not  %s" % (what, got, want))


def compare(items, want):
    problems = []
    named = lambda kind: {o["metadata"]["name"]: o for o in items if o["kind"] == kind}
    jobs, services, pods = named("Job"), named("Service"), named("Pod")
    board = want.get("tensorboard")
    if "batchJobs" in want:
        expect(problems, "Jobs", sorted(jobs), sorted(want["batchJobs"]))
    if "services" in want:
        expect(problems, "Services", sorted(s for s in services if not board or s != board["name"]), sorted(want["services"]))
    if "podsAndServices" in want:
        expect(problems, "pods", sorted(pods), sorted(want["podsAndServices"]))
        expect(problems, "Services", sorted(services), sorted(want["podsAndServices"]))
    if "servicePort" in want:
        for s in services.values():
            expect(problems, "ports", s["spec"]["ports"], [want["servicePort"]])
    for name, env in want.get("env", {}).items():
        o = jobs.get(name) or pods.get(name)
        got = variables(o) if o else None
        expect(problems, "variables of " + name, {k: v for k, v in (got or {}).items() if k in env}, env)
        if "envOrder" in want and got:
            expect(problems, "their order", [k for k in got if k in want["envOrder"]], want["envOrder"])
    if board:
        s, d = services.get(board["name"]), named("Deployment").get(board["name"])
        if not s or not d:
            problems.append("no TensorBoard " + board["name"])
        else:
            c = d["spec"]["template"]["spec"]["containers"][0]
            w = board["service"]
            expect(problems, "type", s["spec"]["type"], w["type"])
            expect(problems, "ports", s["spec"]["ports"], [{"name": w["portName"], "port": w["port"], "targetPort": w["targetPort"]}])
            expect(problems, "command", (c["command"], c["image"]), (board["command"], board["image"]))
    servers = want.get("defaultPS")
    if servers:
        expect(problems, "ConfigMap", servers["configMap"] in named("ConfigMap"), True)
        for name, command in servers["command"].items():
            expect(problems, "command of " + name, jobs[name]["spec"]["template"]["spec"]["containers"][0]["command"], command)
    return problems


def cases(folder):
    for name in ("derived.json", "expected.json"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path) as f:
                want = json.load(f)
            yield from [w for w in (want, want.get("currentNaming")) if w and ("batchJobs" in w and "env" in w or "podsAndServices" in w)]


def main():
    trainc, root = sys.argv[1:3]
    passed = failed = skipped = 0
    for case in sorted(os.listdir(root)):
        folder = os.path.join(root, case)
        wants = list(cases(folder)) if os.path.isdir(folder) else []
        if not wants:
            skipped += os.path.isdir(folder)
            continue
        with open(os.path.join(folder, "manifest.yaml")) as f:
            doc = yaml.safe_load(f)
        for want in wants:
            program = operator(doc) if "mxReplicaSpecs" in doc["spec"] else ancestor(doc, want.get("runtimeId", "ab12"))
            done = subprocess.run([trainc, "compile", "-", "--target", "pods", "-o", "json"], input=program, capture_output=True, text=True, timeout=60)
            problems = [done.stderr] if done.returncode else compare(json.loads(done.stdout)["items"], want)
            passed, failed = passed + (not problems), failed + bool(problems)
            for p in problems[:3]:
                print("FAIL %s: %s" % (case, p))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


sys.exit(main())
