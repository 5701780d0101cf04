"""nodes.py - the labels by which the nodes of each provider say which accelerator they have: every accelerator of the
library under every provider, recorded nodes of each provider, and mistakes.  The nodes in tests/language/nodes are made by
hand from the providers' documentation."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from table import TRAINC, Table

t = Table()
HERE = os.path.join(os.getcwd(), "tests/language/nodes")
LIBRARY = os.path.join(os.getcwd(), "stdlib/std")
SITES = re.findall(r"^let ([a-z_]+): list", open(os.path.join(LIBRARY, "nodes.tj")).read(), re.M)
ARGUMENTS = {"v4": "2x2x1", "v5p": "2x2x1", "v5e": "2x2", "v6e": "2x2", "v7x": "2x2x1", "mig": "\"1g.10gb\""}


def module(name):
    return open(os.path.join(LIBRARY, name + ".tj")).read()


def accelerators():
    """(module, name, source) of each accelerator of the library"""
    for path in sorted(glob.glob(LIBRARY + "/*.tj")):
        for name, source in re.findall(r"^accelerator (\w+)(\(.*?\n\})", open(path).read(), re.M | re.S):
            yield os.path.basename(path)[:-3], name, source


def program(device, more="", top=""):
    return ('import std.%s\n%sjob "a" {\n  image = "r.example.com/a:1"\n  role w { command = ["t"], cpu = 8, memory = 64Gi, shm = 8Gi, accelerator = %s%s }\n}\n'
            % (device.split(".")[0], top, device, more))


def project(nodes):
    return {"project.tj": "project { nodes = %s }\n" % nodes}


def compiled(place, text, nodes):
    for name, body in (("a.tj", text), ("project.tj", "project { %s }\n" % ("nodes = " + nodes if nodes else ""))):
        with open(os.path.join(place, name), "w") as f:
            f.write(body)
    done = subprocess.run([TRAINC, "compile", "-o", "json", "a.tj"], cwd=place, capture_output=True, text=True, timeout=60)
    if done.returncode:
        return None, done.stderr
    objects = json.loads(done.stdout)
    for o in objects["items"] if "items" in objects else objects:
        if o["kind"] == "Job":
            return o["spec"]["template"]["spec"], done.stderr
    return None, done.stderr


def required(spec):
    """The labels of a pod: {key: values}, from its node selector and its node affinity of one term."""
    labels = {k: [v] for k, v in spec.get("nodeSelector", {}).items()}
    affinity = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = affinity.get("nodeSelectorTerms", [])
    assert len(terms) < 2, terms
    for term in terms:
        for e in term["matchExpressions"]:
            assert e["operator"] == "In" and len(e["values"]) > 1, e
            labels[e["key"]] = e["values"]
    return labels


KEYS = {"product": "nvidia.com/gpu.product", "device": "amd.com/gpu.device-id", "gke": "cloud.google.com/gke-accelerator", "machines": "node.kubernetes.io/instance-type",
        "karpenter": "karpenter.k8s.aws/instance-gpu-name", "eks_auto": "eks.amazonaws.com/instance-gpu-name"}


def rows(source):
    """The rows of an accelerator's table, read from its text."""
    tpu = re.search(r'\n  nodes    = _gke\("([^"]+)", topology\)', source)
    if tpu:
        return {"gke": {"cloud.google.com/gke-tpu-accelerator": [tpu.group(1)], "cloud.google.com/gke-tpu-topology": ["${topology}"]}}
    table = re.search(r"\n  nodes \{\n(.*?)\n  \}", source, re.S)
    found = {}
    for site, call, more in re.findall(r'^ +(\w+) += (?:\{ \.\.\.)?_(\w+\(\s*"[^"]*"),?\s*\)(?:, (.*) \})?$', table.group(1) if table else "", re.M):
        helper, values = re.match(r'(\w+)\(\s*"([^"]*)"', call).groups()
        found[site] = {KEYS[helper]: values.split(" ")}
        found[site].update({k: [v] for k, v in re.findall(r'"([^"]+)" = \["([^"]*)"\]', more)})
    assert len(found) == (table.group(1).count(" = _") + table.group(1).count(" = {") if table else 0), (source, found)
    return found


# ---- every accelerator under every provider ----
known = 0
with tempfile.TemporaryDirectory() as place:
    for where, name, source in accelerators():
        device = "%s.%s(%s)" % (where, name, ARGUMENTS.get(name, "1"))
        table, computed = rows(source), "_type(" in source
        t.note(device, [s for s in table if s not in SITES])
        for site in [""] + SITES:
            spec, err = compiled(place, program(device), site and '"%s"' % site)
            subject = "%s on %s" % (device, site or "the default")
            row = table.get(site) if site else next(iter(table.values()), None)
            if computed:                        # the type of the instance follows from the number of devices
                row = None if site and site not in ("eks", "eks_auto", "karpenter") else {"node.kubernetes.io/instance-type": None}
            if row is None and (table or computed):
                t.note(subject, "" if spec is None and "TJ0629" in err else "is not refused", err)
                continue
            want = {k: [v.replace("${topology}", ARGUMENTS.get(name, "")) for v in vs] if vs else vs for k, vs in (row or {}).items()}
            have = required(spec) if spec else None
            if computed and have:
                have = {k: None for k in have}
            t.note(subject, "" if have == want else "asks for %s, not %s" % (have, want), err)
            known += bool(row)
        spec, err = compiled(place, program(device), "none")
        slices = "  slice    = " in source      # the hosts of a slice are found by its labels alone
        t.note(device + " on none", "" if spec and bool(required(spec)) == slices else "chooses a product, or no slice", err)
t.note("rows of the tables", "" if known > 150 else "only %d" % known)

# ---- recorded nodes: the first program of README.md finds its place on each ----
readme = re.search(r"```tj\n(import std.nvidia.*?)```", open("README.md").read(), re.S).group(1)
for site in SITES:
    recorded = os.path.join(HERE, site + ".json")
    t.case("README.md on " + site, readme, "now", command="fit", args=("--nodes", recorded), status=0, files=project('"%s"' % site))
    own = site in ("discovery", "openshift")
    t.case("README.md on %s without 'nodes'" % site, readme, "now" if own else ("no node has nvidia.com/gpu.product = NVIDIA-H100-80GB-HBM3; nodes have ",
           "'nodes = \"%s\"' in project.tj" % site), command="fit", args=("--nodes", recorded), status=0 if own else 8)
    t.case("README.md on %s, any product" % site, readme, "now", command="fit", args=("--nodes", recorded), status=0, files=project("none"))
    t.case("README.md on %s, of several" % site, readme, "now", command="fit", args=("--nodes", recorded), status=0,
           files=project("[%s]" % ", ".join('"%s"' % s for s in SITES)))
GKE = {"command": "fit", "args": ("--nodes", os.path.join(HERE, "gke.json"))}
t.case("a product that the nodes do not have", program("nvidia.b200(8)"), "; no node has cloud.google.com/gke-accelerator = nvidia-b200; "
       "nodes have cloud.google.com/gke-accelerator: nvidia-h100-80gb (4), nvidia-l4 (1)", status=8, files=project('"gke"'), **GKE)
t.case("a label of the role", program("nvidia.h100(8)", ', node { pool = "x" }'), "no node has pool = x", lacks="nodes have", status=8, files=project('"gke"'), **GKE)

# ---- objects ----
C = {"command": "compile", "status": 0}
ONE = "      nodeSelector:\n        cloud.google.com/gke-accelerator: nvidia-l4\n"
SEVERAL = """                  nodeSelectorTerms:
                  - matchExpressions:
                    - key: cloud.google.com/gke-accelerator
                      operator: In
                      values:
                      - nvidia-h100-80gb
                      - nvidia-h100-mega-80gb
""".replace("\n      ", "\n").replace("                  node", "            node", 1)
t.case("one label", program("nvidia.l4(1)"), ONE, lacks="affinity", files=project('"gke"'), **C)
t.case("one of two values", program("nvidia.h100(8)"), SEVERAL, lacks="nodeSelector:", files=project('"gke"'), **C)
t.case("one of two values, chosen by the role", program("nvidia.h100(8)", ', node { "cloud.google.com/gke-accelerator" = "nvidia-h100-mega-80gb" }'),
       "nodeSelector:\n        cloud.google.com/gke-accelerator: nvidia-h100-mega-80gb\n", lacks="affinity", files=project('"gke"'), **C)
t.case("several providers", program("nvidia.l4(1)"), ["            - matchExpressions:\n              - key: cloud.google.com/gke-accelerator",
       "            - matchExpressions:\n              - key: nvidia.com/gpu.product"], files=project('["gke", "discovery"]'), **C)
t.case("several providers, one of which has it", program("nvidia.a40(1)"), "nodeSelector:\n        nvidia.com/gpu.product: NVIDIA-A40\n",
       files=project('["gke", "discovery"]'), **C)
t.case("two names of the same labels", program("nvidia.l4(1)"), "nodeSelector:\n        nvidia.com/gpu.product: NVIDIA-L4\n", lacks="affinity",
       files=project('["discovery", "openshift"]'), **C)
t.case("beside zones", program("nvidia.h100(8)", ', zone = ["a", "b"]'), ["- nvidia-h100-mega-80gb\n              - key: topology.kubernetes.io/zone"],
       files=project('"gke"'), **C)
t.case("several providers beside zones", program("nvidia.l4(1)", ', zone = ["a", "b"]'), ["- nvidia-l4\n              - key: topology.kubernetes.io/zone",
       "- NVIDIA-L4\n              - key: topology.kubernetes.io/zone"], files=project('["gke", "discovery"]'), **C)
for target in ("pods", "jobset", "trainer"):
    t.case("one of two values: " + target, program("nvidia.h100(8)"), "- nvidia-h100-mega-80gb", args=("--target", target), files=project('"gke"'), **C)
OWN = ('accelerator npu(n: int(1..4)) { resource = "example.com/npu", per_pod = n, nodes { discovery = { "example.com/m" = ["n1", "n2"] }, '
       'aks = { "node.kubernetes.io/instance-type" = ["N1"] } } }\n')
t.case("an accelerator of the program", program("nvidia.l4(1)").replace("nvidia.l4(1)", "npu(2)").replace("import std.nvidia\n", OWN),
       ["key: example.com/m", "- n2"], **C)
t.case("an accelerator of the program on other nodes", program("nvidia.l4(1)").replace("nvidia.l4(1)", "npu(2)").replace("import std.nvidia\n", OWN),
       "node.kubernetes.io/instance-type: N1", files=project('"aks"'), **C)

# ---- what shows them ----
H100 = "cloud.google.com/gke-accelerator = nvidia-h100-80gb or nvidia-h100-mega-80gb"
t.case("the plan", program("nvidia.h100(8)"), "role 'w' runs on nodes with %s\n" % H100, command="plan", status=0, files=project('"gke"'))
t.case("the plan of several providers", program("nvidia.h100(8)"), H100 + ", or nvidia.com/gpu.product = NVIDIA-H100-80GB-HBM3\n", command="plan", status=0,
       files=project('["gke", "discovery"]'))
t.case("the plan of a choice by the role", program("nvidia.h100(8)", ', node { "cloud.google.com/gke-accelerator" = "nvidia-h100-80gb" }'),
       "with cloud.google.com/gke-accelerator = nvidia-h100-80gb\n", command="plan", status=0, files=project('"gke"'))
t.case("the plan for programs", program("nvidia.h100(8)"),
       '"nodes": [ { "cloud.google.com/gke-accelerator": [ "nvidia-h100-80gb", "nvidia-h100-mega-80gb" ] }, { "nvidia.com/gpu.product": [ "NVIDIA-H100-80GB-HBM3" ] } ]',
       command="plan", args=("-o", "json"), status=0, files=project('["gke", "discovery"]'))
t.case("the plan for programs, any product", program("nvidia.h100(8)"), '"count": 8 }', command="plan", args=("-o", "json"), status=0, files=project("none"))
t.case("the dump", program("nvidia.h100(8)"), 'node cloud.google.com/gke-accelerator in "nvidia-h100-80gb", "nvidia-h100-mega-80gb"', command="dump", args=("--plan",), status=0,
       files=project('"gke"'))


def policy(check):
    return {"project.tj": 'project {\n  nodes    = "gke"\n  policies = ["p.tj"]\n}\n', "p.tj": 'policy "p" { for r in cluster.roles { check %s } }\n' % check}


MEGA = '"nvidia-h100-mega-80gb" not in r.node_labels["cloud.google.com/gke-accelerator"] else "slow network"'
t.case("a policy about the labels", program("nvidia.h100(8)"), ["TJ0901", "slow network"], status=1, files=policy(MEGA))
t.case("a policy about the labels of the role", program("nvidia.h100(8)", ', node { "cloud.google.com/gke-accelerator" = "nvidia-h100-80gb" }'), status=0, files=policy(MEGA))
t.case("a policy about zones", program("nvidia.h100(8)", ', zone = ["a", "b"]'), ["TJ0901", "not in b"], status=1,
       files=policy('"b" not in r.node_labels["topology.kubernetes.io/zone"] else "not in b"'))
t.case("a role without labels", program("nvidia.gpu(8)"), status=0, files=policy('len(r.node_labels) == 0 else "labels"'))

BOTH = {"project.tj": 'project {\n  nodes    = ["eks", "coreweave"]\n  policies = ["p.tj"]\n}\n',
        "p.tj": 'policy "p" { for r in cluster.roles { check false else "${json(r.node_labels)}" } }\n'}
t.case("a policy about the labels of several providers", program("nvidia.b200(8)"), '"node.kubernetes.io/instance-type":["p6-b200.48xlarge","b200-8x"]', status=1, files=BOTH)
t.case("a policy about the labels that the role leaves", program("nvidia.b200(8)", ', node { "node.kubernetes.io/instance-type" = "b200-8x" }'),
       '"node.kubernetes.io/instance-type":["b200-8x"]', status=1, files=BOTH)

# ---- `node` of the role and several providers ----
TWO = project('["gke", "discovery"]')
MINE = ', node { "cloud.google.com/gke-accelerator" = "%s" }'
t.case("one value of one provider", program("nvidia.h100(8)", MINE % "nvidia-h100-80gb"), ["gke-accelerator: nvidia-h100-80gb", "NVIDIA-H100-80GB-HBM3"], files=TWO, **C)
t.case("a value of no provider", program("nvidia.h100(8)", MINE % "nvidia-l4"), ["TJ0616", "needs nvidia-h100-80gb or nvidia-h100-mega-80gb"], status=1, files=TWO)
t.case("a machine of one of two providers", program("nvidia.b200(8)", ', node { "node.kubernetes.io/instance-type" = "b200-8x" }'),
       "nodeSelector:\n        node.kubernetes.io/instance-type: b200-8x\n", lacks=("affinity", "p6-b200"), files=project('["eks", "coreweave"]'), **C)
t.case("a machine of neither", program("nvidia.b200(8)", ', node { "node.kubernetes.io/instance-type" = "m5" }'), ["TJ0616", "needs p6-b200.48xlarge or b200-8x"], status=1,
       files=project('["eks", "coreweave"]'))
t.case("the plan of one of two", program("nvidia.b200(8)", ', node { "node.kubernetes.io/instance-type" = "b200-8x" }'),
       "role 'w' runs on nodes with node.kubernetes.io/instance-type = b200-8x\n", command="plan", status=0, files=project('["eks", "coreweave"]'))

# ---- mistakes, and the helps followed ----
for word, name in (("gcp", "gke"), ("Google", "gke"), ("azure", "aks"), ("oracle", "oke"), ("oci", "oke"), ("gfd", "discovery")):
    t.case("another name: " + word, program("nvidia.l4(1)"), ["TJ0312", 'write "%s"' % name], status=1, files=project('"%s"' % word))
t.case("another name with several meanings", program("nvidia.l4(1)"), ["TJ0312", '"eks" for node groups, "karpenter" or "eks_auto"'], status=1, files=project('"aws"'))
for word in ("provider", "cloud", "platform"):
    t.case("another field: " + word, program("nvidia.l4(1)"), ["TJ0202", "nodes = \"gke\""], status=1, files={"project.tj": 'project { %s = "gke" }\n' % word})
t.case("the provider in a role", program("nvidia.l4(1)", ', provider = "gke"'), ["TJ0202", "write 'nodes': nodes = \"gke\", in project.tj"], status=1)
ROWS = ('accelerator npu(n: int(1..4)) { resource = "example.com/npu", per_pod = n, nodes { gkee = { "example.com/m" = ["n1"] }, EKS = { "a/b" = ["N1"] } } }\n'
        + program("npu(1)").replace("import std.npu(1)\n", ""))
t.case("rows that no project chooses", ROWS, ["TJ0312", "'gkee'", "did you mean 'gke'?", "'EKS'", "did you mean 'eks'?"], status=1)
t.case("rows that a project chooses", ROWS.replace("gkee", "gke").replace("EKS", "eks"), lacks="TJ0312", status=0, files=project('"eks"'))
t.case("a slice on nodes that no slice has", program("tpu.v5e(4x4)"), ["TJ0629", 'nodes = ["discovery", "gke"]'], lacks="nvidia.com", status=1, files=project('"discovery"'))
t.case("a slice, its nodes added", program("tpu.v5e(4x4)"), ["gke-tpu-accelerator: tpu-v5-lite-podslice", 'gke-tpu-topology: "4x4"'], files=project('["discovery", "gke"]'), **C)
t.case("a slice on any nodes", program("tpu.v5e(4x4)"), ["gke-tpu-accelerator: tpu-v5-lite-podslice", 'gke-tpu-topology: "4x4"'], files=project("none"), **C)
RAW = 'import std.nvidia\njob "a" {\n  image = "r.example.com/a:1"\n  role w {\n    command = ["t"]\n    shm = 8Gi\n    accelerator = nvidia.h100(8)\n    raw container { resources = { %s } }\n  }\n}\n'
t.case("amounts in a raw block", RAW % 'requests = { cpu = "64", memory = "512Gi" }', lacks=("TJ0618", "TJ0619"), status=0)
t.case("amounts as raw limits", RAW % 'limits = { cpu = "64", memory = "512Gi" }', lacks=("TJ0618", "TJ0619"), status=0)
t.case("one amount in a raw block", RAW % 'requests = { cpu = "64" }', "TJ0619", lacks="TJ0618", status=0)
t.case("a wrong name", program("nvidia.l4(1)"), ["TJ0312", "project.tj:1:19", "no nodes are known as 'gk'", "did you mean 'gke'?", 'or "openshift"'], status=1,
       files=project('"gk"'))
t.case("a wrong name, corrected", program("nvidia.l4(1)"), status=0, files=project('"gke"'))
t.case("one wrong name of two", program("nvidia.l4(1)"), ["TJ0312", "'azure'"], lacks="TJ0629", status=1, files=project('["gke", "azure"]'))
t.case("a name twice", program("nvidia.l4(1)"), ["TJ0206", "listed twice"], status=1, files=project('["gke", "gke"]'))
t.case("no name", program("nvidia.l4(1)"), ["TJ0302"], status=1, files=project("4"))
t.case("in another letter case", program("nvidia.l4(1)"), ["TJ0312", "did you mean 'gke'?"], status=1, files=project('"GKE"'))
for title, more in (("a spot node is no product", "\n  ...spot.gke"), ("a processor is no product", '\n  node { "kubernetes.io/arch" = "amd64" }'),
                    ("a zone is no product", '\n  zone = "a"')):
    t.case(title, program("nvidia.a40(1)", more, top="import std.spot\n" if "spot" in more else ""), ["TJ0629"], status=1, files=project('"gke"'))
t.case("the user's own label may be one", program("nvidia.a40(1)", '\n  node { "example.com/pool" = "a40" }'), lacks="TJ0629", status=0, files=project('"gke"'))
t.case("a product without a row", program("nvidia.a40(1)"), ["TJ0629", "a.tj:4:", 'nodes of "gke"', "'nvidia.a40'", 'node { "cloud.google.com/gke-accelerator" = "..." }',
       "'nodes = none'"], status=1, files=project('"gke"'))
t.case("a product without a row, its label written", program("nvidia.a40(1)", ', node { "cloud.google.com/gke-accelerator" = "nvidia-a40" }'), status=0, files=project('"gke"'))
t.case("a product without a row, any product", program("nvidia.a40(1)"), status=0, files=project("none"))
t.case("another value than the accelerator's", program("nvidia.h100(1)", ', node { "cloud.google.com/gke-accelerator" = "nvidia-l4" }'),
       ["TJ0616", "needs nvidia-h100-80gb or nvidia-h100-mega-80gb"], status=1, files=project('"gke"'))
t.case("another value than the only one", program("nvidia.l4(1)", ', node { "cloud.google.com/gke-accelerator" = "nvidia-b200" }'), ["TJ0616"], status=1,
       files=project('"gke"'))
t.case("the provider without a project", program("nvidia.l4(1)"), ["TJ0102", "write 'project { nodes = \"gke\" }'"], status=1,
       files={"project.tj": 'nodes = "gke"\n'})
t.case("a label in node and in nodes", 'accelerator npu(n: int(1..)) {\n  resource = "example.com/npu"\n  per_pod = n\n  node { m = "n3" }\n  nodes { gke = { m = ["n2"] } }\n}\n'
       + program("npu(1)").replace("import std.npu(1)\n", ""), ["TJ0206", "the label 'm' is in 'node', too"], status=1, files=project('"gke"'))
t.case("the provider in a job", program("nvidia.l4(1)").replace("  role", '  nodes = "gke"\n  role'), ["TJ0203", "move it to project.tj"], status=1)
t.case("a number in the project", program("nvidia.l4(1)"), ["TJ0302"], status=1, files=project("8"))
t.case("an empty list", program("nvidia.l4(1)"), status=0, files=project("[]"))
t.case("a product that the library does not have", program("nvidia.rtx4090(1)"), ["TJ0601", 'accelerator rtx4090(count: int(1..8)) { resource = "nvidia.com/gpu", per_pod = count }',
       "write 'rtx4090' without 'nvidia.'"], status=1)
t.case("a product that the library does not have, declared", program("nvidia.rtx4090(1)").replace("import std.nvidia\n",
       'accelerator rtx4090(count: int(1..8)) { resource = "nvidia.com/gpu", per_pod = count }\n').replace("nvidia.rtx", "rtx"), 'nvidia.com/gpu: "1"', **C)
t.case("part of a device", program("nvidia.h100(0.5)"), ["TJ0609", "'trainc explain nvidia.mig'"], status=1)
t.case("part of a device, by its profile", program('nvidia.mig("1g.10gb")'), 'nvidia.com/mig-1g.10gb: "1"', lacks=("nodeSelector", "nvidia.com/gpu:"), **C)
t.case("two parts of a device", program('nvidia.mig("1g.10gb.me", count = 2)'), 'nvidia.com/mig-1g.10gb.me: "2"', **C)
t.case("part of a device as a resource", program("nvidia.gpu(1)").replace("accelerator = nvidia.gpu(1)", 'resources { "nvidia.com/mig-1g.10gb" = 1 }').replace("import std.nvidia\n", ""),
       ["TJ0624", "accelerator = nvidia.mig("], status=1)
t.case("another resource of that maker", program("nvidia.gpu(1)").replace("accelerator = nvidia.gpu(1)", 'resources { "nvidia.com/hostdev" = 1 }').replace("import std.nvidia\n", ""),
       lacks="TJ0624", status=0)
t.case("no profile", program('nvidia.mig("10gb")'), "TJ0313", status=1)
t.case("'nodes' in a job, as a number", program("nvidia.l4(1)").replace("  role", "  nodes = 4\n  role"), ["TJ0202", "replicas = 4"], status=1)
# ---- labels of a program's own: fit names the label, and the values that nodes do have ----
POOLS = {"pools.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": dict(labels, **{"kubernetes.io/hostname": name})},
     "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}, "conditions": [{"type": "Ready", "status": "True"}]}}
    for name, labels in (("n1", {"pool": "a", "spot": "yes"}), ("n2", {"pool": "b"}), ("n3", {"pool": "b"}))]})}
HAVE = "pool: b (2), a (1)"
for fields, says in (('node { pool = "c" }', "no node has pool = c; nodes have " + HAVE), ('node_in { pool = ["c", "d"] }', "no node has pool = c or d; nodes have " + HAVE),
                     ('node_in { rack = "*" }', "no node has the label rack"), ('avoid { pool = ["a", "b"] }', "every node has the label pool = a or b: b (2), a (1)"),
                     ('avoid { pool = "*" }', "every node has the label " + HAVE), ('avoid { "kubernetes.io/hostname" = ["n1", "n2", "n3"] }', "kubernetes.io/hostname = n1 or n2 or n3: n1 (1), n2 (1), n3 (1)"),
                     ('node_in { pool = "a" }, avoid { spot = "*" }', "no node is all of this: pool = a (1 node), without spot (2 nodes)"),
                     ('node { pool = "b" }, node_in { spot = "*" }', "no node is all of this: pool = b (2 nodes), spot (1 node)"),
                     ('avoid { "kubernetes.io/hostname" = "n1" }', None), ('node_in { pool = ["a", "c"] }', None), ('cpu = 9, avoid { spot = "*" }', "")):
    t.case("fit of " + fields, 'job "a" { image = "a/b:1", role w { command = ["x"], memory = 1Gi, %s%s } }\n' % ("" if "cpu" in fields else "cpu = 1, ", fields),
           [says] if says else ["now"] if says is None else ["never"], ("no node is", "no node has", "every node") if not says else (), command="fit",
           args=("--nodes", "pools.json"), files=POOLS, status=0 if says is None else 8)

t.end()
