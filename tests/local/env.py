"""Compares the environment that processes saw with the one that a cluster would give them.

    env.py LOGS OBJECTS ENV [cluster]

LOGS is the directory of a run of env.tj, OBJECTS and ENV the output of `trainc compile -o json` and `trainc env -o
json`.  The references in OBJECTS are expanded here by an independent implementation of the kubelet's rules.  Without
`cluster` hosts and ports are this machine's, so only variables without either are compared.
"""
import json
import os
import sys

logs, objects, env, cluster = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3])), sys.argv[4:] == ["cluster"]
passed = failed = 0
SECRETS = {"TOKEN": "s3cr3t", "MODE": "fast"}


def check(what, got, want):
    global passed, failed
    if got == want:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {what}: got {got!r}, not {want!r}")


def seen(name):
    """The arguments and the environment that a container printed first."""
    with open(os.path.join(logs, name + ".log"), "rb") as f:
        argv, rest = f.read().decode().split("\n===\n", 1)
        block = rest.split("\n===\n", 1)[0]
    return argv.split("\0")[:-1], dict(e.split("=", 1) for e in block.split("\0")[:-1])


def expand(text, known):
    """$(NAME) for a known variable, $$ for $; everything else is unchanged."""
    out, i = "", 0
    while i < len(text):
        if text[i] != "$" or i + 1 == len(text):
            out += text[i]
            i += 1
        elif text[i + 1] == "$":
            out += "$"
            i += 2
        elif text[i + 1] == "(" and ")" in text[i:]:
            end = text.index(")", i)
            name = text[i + 2:end]
            out += known.get(name, text[i:end + 1])
            i = end + 1
        else:
            out += "$"
            i += 1
    return out


def pod_env(container, index, own):
    """The variables of a container as the kubelet sets them; `own` is what the process saw, for values that are only
    known in a run."""
    known = {}
    for e in container.get("env", []):
        source = e.get("valueFrom", {})
        if "fieldRef" in source:
            path = source["fieldRef"]["fieldPath"]
            facts = {"metadata.name": "RAW_NAME", "status.podIP": "RAW_IP", "spec.nodeName": "RAW_NODE", "metadata.uid": "RAW_UID"}
            known[e["name"]] = own.get(facts[path], "?") if path in facts else str(index)
        elif source:
            known[e["name"]] = SECRETS[e["name"]]
        else:
            known[e["name"]] = expand(e.get("value", ""), known)
    return known


def templates():
    """(role, index, pod template, whether the Job counts its pods) of every replica."""
    for o in objects["items"]:
        role = o["metadata"].get("labels", {}).get("trainc.dev/role")
        if o["kind"] == "Deployment":
            yield role, 0, o["spec"]["template"], False
        elif o["kind"] == "Job":
            indexed = o["spec"].get("completionMode") == "Indexed"
            pod = o["spec"]["template"]
            for i in range(o["spec"]["completions"] if indexed else 1):
                yield role, i if indexed else int(pod["metadata"]["labels"].get("trainc.dev/index", 0)), pod, indexed


def is_elsewhere(name):
    """Does the value contain the address of replicas?"""
    return not cluster and name in ("TF_CONFIG", "ME", "LATER", "URL", "PREVIOUS", "PORT")


def compare(log, container, index, indexed, sidecar_of):
    argv, own = seen(log)
    facts = dict(sidecar_of, **own)
    want = pod_env(container, index, facts)
    for name, value in want.items():
        if not name.startswith("TRAINC_") and not is_elsewhere(name):
            check(f"{log} {name}", own.get(name), value)
    check(f"{log}: JOB_COMPLETION_INDEX", own.get("JOB_COMPLETION_INDEX"), str(index) if indexed else None)
    check(f"{log}: nothing of ours", [n for n in own if n.startswith("TRAINC_")], [])
    known = dict(want, **({} if cluster else own))
    if cluster or not container.get("args"):
        check(f"{log} words", argv, [expand(w, known) for w in container["command"] + container.get("args", [])])
    return own


def main():
    for role, index, pod, indexed in templates():
        spec = pod["spec"]
        log = f"{role}-{index}"
        own = compare(log, spec["containers"][0], index, indexed, {})
        for c in spec.get("initContainers", []):
            compare(f"{log}.{c['name']}", c, index, indexed, own)
    for job in env["jobs"]:
        for r in job["replicas"]:
            if not cluster or r["container"] != "main":
                continue
            _, own = seen(f"{r['role']}-{r['index']}")
            for e in r["env"]:
                if "value" in e:
                    check(f"{r['name']} {e['name']}", own.get(e["name"]), e["value"])
                elif "secret" in e or "config" in e:
                    check(f"{r['name']} {e['name']}", own.get(e["name"]), SECRETS[e["name"]])
                else:
                    check(f"{r['name']} has {e['name']}", e["name"] in own, True)
    print(f"{passed} passed, {failed} failed")


main()
