#!/usr/bin/env python3
"""Random jobs: how many pods their group needs and which resources, computed here independently from the text.

    gang.py TRAINC
"""
import json
import random
import subprocess
import sys
from fractions import Fraction

UNITS = {"": 1, "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
HEAD = """
type Wishes {
  ## Pods that must fit.
  min_available: int? = none
}
framework pool(scheduling: Wishes? = none) {
  other_roles = true
  role first { replicas: elastic(0..) = 1 }
}
"""


def value(text):
    text = str(text)
    digits = text.rstrip("mkMGTKi")
    return Fraction(digits) * UNITS[text[len(digits):]]


def amounts(chance, which):
    """Fields of a container as they are written, and the same by the name of the resource."""
    written, named = [], {}
    for field, name, choices in (
        ("cpu", "cpu", ["1", "250m", "1.5", "3", "100m", "12"]),
        ("memory", "memory", ["1G", "1Gi", "1536Mi", "100M", "0.5Gi", "3T"]),
        ("disk", "ephemeral-storage", ["10Gi", "1G", "512Ki"]),
    ):
        if field in which and chance.random() < 0.6:
            text = chance.choice(choices)
            written.append(f"{field} = {text}")
            named[name] = value(text)
    return written, named


def container(chance, which=("cpu", "memory")):
    """A body, and what it contributes: of each resource the request, or the limit if there is no request."""
    body, counts = amounts(chance, which)
    if chance.random() < 0.4:
        limits, named = amounts(chance, ("cpu",))
        if limits and "cpu" not in counts:
            body.append(f"limits {{ {', '.join(limits)} }}")
            counts = {**named, **counts}
    if chance.random() < 0.4:
        count, pages = chance.randint(1, 8), chance.choice(["64Mi", "1Gi"])
        further = f'"rdma/hca" = {count}'
        counts = {**counts, "rdma/hca": value(str(count))}
        if "memory" in counts or "cpu" in counts:
            further += f', "hugepages-2Mi" = {pages}'
            counts["hugepages-2Mi"] = value(pages)
        body.append(f"resources {{ {further} }}")
    return body, counts


def role(chance, name, aux):
    low = chance.randint(1 if name == "first" and not aux else 0, 4)        # a job in which all are 0 is refused
    high = low + chance.randint(1, 3) if low and not aux and chance.random() < 0.3 else low
    body, counts = container(chance, ("cpu", "memory", "disk"))
    body.append(f"replicas = {low}" if low == high else f"replicas = {low}:{high}")
    parts = [counts]
    if chance.random() < 0.4:
        side, more = container(chance)
        body.append("sidecar side { image = \"registry.example.com/s:1\", %s }" % ", ".join(side))
        parts.append(more)
    if chance.random() < 0.3:
        body.append("init before { image = \"registry.example.com/i:1\", %s }" % ", ".join(container(chance)[0]))
    return f"  {'aux' if aux else 'role'} {name} {{ {', '.join(body)} }}\n", low, high, parts


def program(chance):
    roles = [role(chance, name, False) for name in ["first", "second", "third", "fourth"][: chance.randint(1, 4)]]
    aux = role(chance, "beside", True)[0] if chance.random() < 0.3 else ""
    pods = sum(high for _, _, high, _ in roles)
    least = chance.randint(1, pods) if pods and chance.random() < 0.4 else None
    wishes = "" if least is None else f"(scheduling = {{ min_available = {least} }})"
    text = HEAD + f'job "a": pool{wishes} {{\n  image = "registry.example.com/a:1"\n' + "".join(r[0] for r in roles) + aux + "}\n"
    return text, roles, pods, least


def expected(roles, least):
    left, total, sums = least, 0, {}
    for _, low, high, parts in roles:
        n = low if least is None else min(high, left)
        if least is not None:
            left -= n
        total += n
        for name, amount in ((name, amount) for part in parts for name, amount in part.items()) if n else ():
            sums[name] = sums.get(name, 0) + n * amount
    return total, sums


def check(trainc, seed):
    chance = random.Random(seed)
    text, roles, pods, least = program(chance)
    gang, target = chance.choice(["volcano", "coscheduling"]), chance.choice(["jobs", "pods"])
    version = chance.choice(["1.28", "1.34"])
    argv = [trainc, "compile", "-", "--gang", gang, "--target", target, "--kubernetes", version, "-o", "json"]
    p = subprocess.run(argv, input=text, capture_output=True, text=True)
    if not pods:                            # a job that runs nothing is refused
        return None if p.returncode == 1 and "[TJ0503]" in p.stderr else p.stderr + text
    if p.returncode:
        return p.stderr + text
    groups = [o for o in json.loads(p.stdout)["items"] if o["kind"] == "PodGroup"]
    total, sums = expected(roles, least)
    spec = groups[0]["spec"]
    found = {name: value(amount) for name, amount in spec.get("minResources", {}).items()}
    if spec["minMember"] == total and found == sums:
        return None
    return f"{spec}, not {total} pods with {({k: str(v) for k, v in sums.items()})}\n{text}"


def main():
    passed = failed = 0
    for seed in range(150):
        wrong = check(sys.argv[1], seed)
        failed += wrong is not None
        passed += wrong is None
        if wrong is not None:
            print(f"FAIL seed {seed}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
