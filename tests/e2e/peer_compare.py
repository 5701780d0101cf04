"""The objects that two controllers made for the same job, field by field, and which differences are permitted
(peer_rules.py)."""

import json
import os
import re

import peer_rules

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENT = os.path.join(HERE, "..", "..", "docs", "differences.md")
MANY = 12                               # how many differences of one row are shown
FORGOTTEN = ("uid", "resourceVersion", "generation", "managedFields", "selfLink", "creationTimestamp")


# Recording


def snapshot(found, made, ns):
    """The objects of a namespace without what differs in every run: ids, times, random names."""
    objects, events = {}, []
    for (kind, name), o in found.items():
        if name in ("kube-root-ca.crt", "default") and kind in ("configmaps", "serviceaccounts"):
            continue
        o = json.loads(json.dumps(o).replace(ns, "NS"))
        if kind == "events":
            events.append(o)
        else:
            objects[f"{kind}/{name}"] = cleaned(kind, o)
    return {"objects": objects, "events": gathered(events), "made": made}


def cleaned(kind, o):
    o.pop("apiVersion", None)
    for field in FORGOTTEN:
        o["metadata"].pop(field, None)
    for owner in o["metadata"].get("ownerReferences", []):
        owner["uid"] = "UID"
    if kind == "pods":
        o["status"] = {"phase": o.get("status", {}).get("phase")}
        o["spec"].pop("nodeName", None)
        account = next((v["name"] for v in o["spec"].get("volumes", []) if v["name"].startswith("kube-api-access-")), None)
        o = json.loads(json.dumps(o).replace(account, "TOKEN")) if account else o
    return times(o)


def times(value):
    """Replaces every time with a word: only whether it is set counts."""
    if isinstance(value, dict):
        return {key: times(item) for key, item in value.items()}
    if isinstance(value, list):
        return [times(item) for item in value]
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value):
        return "TIME"
    return value


def gathered(events):
    """The Events about jobs, by object, type and reason: their messages."""
    found = {}
    for e in events:
        about = e.get("involvedObject", {})
        if about.get("apiVersion") != "kubeflow.org/v1":        # events about pods are those of the scheduler and the node
            continue
        key = f"{about.get('kind')}/{about.get('name')} {e.get('type')} {e.get('reason')}"
        found.setdefault(key, {})[e.get("message", "")] = "said"
    return found


# Comparing


def flat(value, path=""):
    """(path, value) of everything in a tree.  Entries of a list are identified by their names if they have any."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from flat(item, f"{path}/{key}")
    elif isinstance(value, list) and value:
        names = [v.get("name") or v.get("type") if isinstance(v, dict) else None for v in value]
        if all(names) and (len(set(names)) == len(names) or path.endswith("/env")):
            yield f"{path}/order", names
            for name, item in dict(zip(names, value)).items():      # of two variables with the same name the last counts
                yield from flat(item, f"{path}/[{name}]")
        else:
            for i, item in enumerate(value):
                yield from flat(item, f"{path}/{i}")
    else:
        yield path, value


def differences(theirs, ours):
    """(path, their value, our value), None if it is missing; an object that only one side has is a single entry, an
    Event its messages."""
    for part in ("objects", "events"):
        left, right = theirs[part], ours[part]
        for name in sorted(left.keys() | right.keys()):
            if name not in left or name not in right:
                yield f"{part}/{name}", *(side.get(name) and (sorted(side[name]) if part == "events" else "there") for side in (left, right))
                continue
            a, b = dict(flat(left[name])), dict(flat(right[name]))
            for path in sorted(a.keys() | b.keys()):
                if a.get(path) != b.get(path):
                    yield f"{part}/{name}{path}", a.get(path), b.get(path)
    for pod in sorted(theirs["made"].keys() | ours["made"].keys()):
        if theirs["made"].get(pod) != ours["made"].get(pod):
            yield f"made/{pod}", theirs["made"].get(pod), ours["made"].get(pod)


# Judging


def documented():
    """The rules in docs/differences.md: the first column of the table under their heading."""
    text = open(DOCUMENT).read().partition(peer_rules.HEADING)[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([a-z-]+)` \|", text, re.M))


def judge(row, step, difference, used):
    """Is the difference permitted? Records the rule that permits it."""
    for rule in peer_rules.RULES:
        if rule.permits(row, step, *difference):
            used.add(rule.name)
            return True
    return False


def report(rows, theirs, ours, whole):
    """Prints a line for each row; returns the exit status."""
    used, failed = set(), 0
    for row in rows:
        wrong = []
        for step, (left, right) in enumerate(zip(theirs[row.name], ours[row.name])):
            wrong += [(step, d) for d in differences(left, right) if not judge(row, step, d, used)]
        failed += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok'} {row.name}")
        for step, (path, left, right) in wrong[: None if "PEER_ALL" in os.environ else MANY]:
            print(f"    step {step}: {path}\n        operator {json.dumps(left)}\n        ours     {json.dumps(right)}")
    wanted, words = {rule.name for rule in peer_rules.RULES}, documented()
    idle = sorted({rule.name for rule in peer_rules.RULES if not rule.race} - used) if whole else []
    for name, why in [(n, "permits nothing that occurred") for n in idle] + [(n, "is not in docs/differences.md") for n in sorted(wanted - words)] + \
            [(n, "is in docs/differences.md, and no rule") for n in sorted(words - wanted)]:  # fmt: skip
        failed += 1
        print(f"FAIL the rule {name} {why}")
    print(f"{len(rows)} jobs, {len(wanted)} permitted differences, {failed} failed")
    return 1 if failed else 0
