"""Compares `layout` with two models, written from the documentation of what they model:

- torch's `init_device_mesh(shape, mesh_dim_names)`: the ranks 0, 1, 2, ... in an array of that shape, whose last
  dimension varies fastest. torchtitan makes (pp, dp_replicate, dp_shard, cp, tp), and for experts
  (pp, edp, ep, etp) over the same ranks;
- Megatron's RankGenerator: `order` names dimensions from the fastest to the slowest; a group of one varies that and
  fixes the others; experts have a generator of their own, with cp = 1, tp = etp and dp = edp.

Half of the layouts are of each kind. Also tests which layouts are refused: one that a model cannot make is, and no other.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

TRAINC = sys.argv[1]
DENSE = ["tp", "cp", "fsdp", "dp", "pp"]
PROGRAM = """
accelerator npu(count: int(1..64)) {{
  resource = "vendor.example/npu"
  per_pod  = count
}}
job "m" {{
  image = "registry.example.com/m:1"
  role w {{
    replicas    = {replicas}
    accelerator = npu({each})
    cpu         = 1
    memory      = 1Gi
    shm         = 64Mi
    layout {{ {layout} }}
    env {{
      DP = w.layout.dp, EDP = w.layout.edp, SIZE = w.layout.size, ETP = w.layout.etp
{env}
    }}
  }}
}}
"""


def mesh(names, sizes):
    """Groups of each dimension of an array with these sizes, whose last dimension varies fastest."""
    groups = {}
    cells = list(itertools.product(*[range(n) for n in sizes]))         # in the order of ranks
    for i, name in enumerate(names):
        lines = {}
        for rank, cell in enumerate(cells):
            lines.setdefault(cell[:i] + cell[i + 1:], []).append(rank)
        groups[name] = sorted(lines.values())
    return groups


def model(l):
    """The groups of every dimension, or None if there is no such mesh."""
    world, d = l["replicas"] * l["each"], dict(l["degrees"])
    rest = d["tp"] * d["cp"] * d["fsdp"] * d["pp"]
    if world % rest:
        return None
    d["dp"] = world // rest
    stage = world // d["pp"]
    if stage % (d["etp"] * d["ep"]):
        return None
    if d["fsdp"] > 1 and (d["tp"] * d["cp"] * d["fsdp"]) % (d["etp"] * d["ep"]):
        return None                                                     # experts stay inside of a shard group
    d["edp"] = stage // (d["etp"] * d["ep"])
    order = (l["order"] or "tp-cp-fsdp-dp-pp").split("-")
    outermost = [n for n in reversed(order) if n != "ep"]
    groups = mesh(outermost, [d[n] for n in outermost])
    expert_order = order if "ep" in order else ["ep" if n == "cp" else n for n in order]
    names = {"tp": "etp", "ep": "ep", "dp": "edp", "pp": "pp"}
    outer = [names[n] for n in reversed(expert_order) if n in names]
    experts = mesh(outer, [d[n] for n in outer])
    if experts["pp"] != groups["pp"] and (d["ep"] > 1 or d["etp"] != d["tp"]):
        return None                                                     # Megatron: both have the same stages
    if experts["pp"] != groups["pp"]:                                   # dense, so experts are not used
        experts = {n: None for n in names.values()}
    experts.pop("pp")
    groups.update(experts)
    extent = 1
    for n in [n for n in order if n != "ep"]:
        extent *= d[n]
        if n == "tp" and d["tp"] > 1 and extent % l["each"] and l["each"] % extent:
            return None
    return d, groups


def random_layout(r):
    each = r.choice([1, 2, 4, 8, 6])
    megatron = r.random() < 0.5
    few = [1, 1, 2, 2, 3, 4]
    degrees = {"tp": r.choice([1, 2, 4, 8]), "cp": r.choice(few), "fsdp": 1 if megatron else r.choice(few),
               "pp": r.choice([1, 2, 4]), "ep": r.choice([1, 1, 2, 4, 8])}
    degrees["etp"] = r.choice([degrees["tp"], 1, 2])
    model_size = degrees["tp"] * degrees["cp"] * degrees["fsdp"] * degrees["pp"]
    world = model_size * r.choice([1, 2, 3, 4]) if r.random() < 0.9 else r.randrange(1, 64)
    replicas = max(1, world // each)
    order = None
    if megatron:
        names = ["tp", "cp", "dp", "pp"]
        r.shuffle(names)
        if names.index("dp") < names.index("tp"):                       # experts are inside of dp
            a, b = names.index("dp"), names.index("tp")
            names[a], names[b] = names[b], names[a]
        if degrees["ep"] > 1:                                           # as Megatron wants it, after tp or tp-cp
            at = names.index("tp")
            names.insert(at + 2 if names[at + 1] == "cp" else at + 1, "ep")
        order = "-".join(names)
    return {"replicas": replicas, "each": each, "degrees": degrees, "order": order}


def run(l, dimensions, work):
    written = ["%s = %d" % p for p in l["degrees"].items() if p[1] > 1 or p[0] == "etp"]
    if l["order"]:
        written.append('order = "%s"' % l["order"])
    env = "\n".join('      G_%s = json(w.layout.ranks("%s"))' % (n.upper(), n) for n in dimensions)
    path = os.path.join(work, "m.tj")
    with open(path, "w") as f:
        f.write(PROGRAM.format(layout=", ".join(written), env=env, **{k: l[k] for k in ("replicas", "each")}))
    done = subprocess.run([TRAINC, "env", path, "--role", "w", "--index", "0", "-o", "json"], capture_output=True,
                          text=True)
    if done.returncode:
        return None, done.stderr
    replica = json.loads(done.stdout)["jobs"][0]["replicas"][0]
    return {v["name"]: v["value"] for v in replica["env"]}, ""


def compare(l, work):
    """What is wrong with this layout; None if nothing is, and whether it was accepted."""
    want = model(l)
    env, said = run(l, DENSE + ["ep", "etp", "edp"], work)
    if want is None or env is None:
        agree = want is None and env is None and "[TJ064" in said
        return (None if agree else "%s: model %s, trainc %s" % (l, want and want[0], said or "accepts it")), False
    d, groups = want
    for name, value in (("DP", d["dp"]), ("EDP", d["edp"]), ("ETP", d["etp"]), ("SIZE", l["replicas"] * l["each"])):
        if env[name] != str(value):
            return "%s: %s is %s, not %d" % (l, name, env[name], value), True
    for name in DENSE + ["ep", "etp", "edp"]:
        groups_of = json.loads(env["G_" + name.upper()])
        expected = groups[name] if name in groups else [[i] for i in range(l["replicas"] * l["each"])]
        if expected is not None and groups_of != expected:
            return "%s: ranks(%s) is %s, not %s" % (l, name, groups_of, expected), True
    return None, True


# The example in the documentation of Megatron's initialize_model_parallel(): 16 ranks, 2 of tensor, 4 of pipeline.
DOCUMENTED = {"tp": [[i, i + 1] for i in range(0, 16, 2)],
              "dp": [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9, 11], [12, 14], [13, 15]],
              "pp": [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]}


def main():
    passed, failed, accepted = 0, 0, 0
    with tempfile.TemporaryDirectory() as work:
        one = {"replicas": 2, "each": 8, "order": None,
               "degrees": {"tp": 2, "cp": 1, "fsdp": 1, "pp": 4, "ep": 1, "etp": 2}}
        env, _ = run(one, list(DOCUMENTED), work)
        if {n: json.loads(env["G_" + n.upper()]) for n in DOCUMENTED} == DOCUMENTED:
            passed += 1
        else:
            failed += 1
            print("the documented example differs")
        r = random.Random(32)
        for _ in range(600):
            wrong, ok = compare(random_layout(r), work)
            accepted += ok
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong and failed <= 5:
                print(wrong)
    if accepted < 300:                                                  # otherwise the test tests refusals only
        failed += 1
        print("only %d of 600 layouts were accepted" % accepted)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
