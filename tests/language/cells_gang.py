"""cells_gang.py - copies of cells that start together or by themselves, and where they run: each gang with each target.
What can be kept is in the objects, what cannot is refused at its line."""
import json
import os
import subprocess
import tempfile

from table import TRAINC, Table

t = Table()
PROJECT = {"project.tj": 'project { topology = ["example.com/block", "example.com/rack"] }\n'}
GANGS = ("kueue", "volcano", "coscheduling", "native")
TARGETS = ("jobs", "pods", "jobset")


def program(gang, cell, own="", role="replicas = 2", more=""):
    queue = '\n  queue = "q"' if gang in ("kueue", "volcano") else ""
    return ('job "j" {\n  image = "r.example.com/a:1"\n  cpu = 1\n  memory = 1Gi\n  gang = "%s"%s\n  success = none\n  %s\n'
            '  cell c {\n    success = none\n    restarts = 0\n    %s\n    role w { command = ["w"], %s }\n    %s\n  }\n}\n'
            % (gang, queue, own, cell, role, more))


def compiled(text, *args):
    """The objects by kind and name, and the messages."""
    with tempfile.TemporaryDirectory() as d:
        for name, content in dict(PROJECT, **{"a.tj": text}).items():
            open(os.path.join(d, name), "w").write(content)
        p = subprocess.run([TRAINC, "compile", "-o", "json", "--kubernetes", "1.37", *args, os.path.join(d, "a.tj")], capture_output=True, text=True, timeout=60)
    tree = json.loads(p.stdout) if p.returncode == 0 else {"items": []}
    return {(o["kind"], o["metadata"]["name"]): o for o in tree.get("items", [tree])}, p.stderr


def templates(objects):
    """Name of the role -> the template of its pods, or the first pod itself."""
    found = {}
    for (kind, name), o in objects.items():
        if kind == "Pod":
            found.setdefault(o["metadata"]["labels"]["trainc.dev/role"], o)
        elif kind == "Job":
            found[o["metadata"]["labels"]["trainc.dev/role"]] = o["spec"]["template"]
        elif kind == "JobSet":
            for r in o["spec"]["replicatedJobs"]:
                found[r["name"]] = r["template"]["spec"]["template"]
    return found


def group_of(pod):
    meta = pod["metadata"]
    return (meta.get("annotations", {}).get("scheduling.k8s.io/group-name") or meta["labels"].get("scheduling.x-k8s.io/pod-group") or
            meta["labels"].get("kueue.x-k8s.io/pod-group-name") or pod["spec"].get("schedulingGroup", {}).get("podGroupName"))


def same(name, got, want):
    t.note(name, "" if got == want else "got %s, want %s" % (got, want))


# ---- which pods start together ----
TWO = 'role v { command = ["v"] }'
OWN = 'role r { command = ["r"], replicas = 3 }'
for gang in GANGS:
    for target in TARGETS:
        name = "%s, %s: " % (gang, target)
        if gang == "native" and target == "jobset":
            t.case(name + "refused", program(gang, "copies = 2", OWN), ["TJ0809", "not supported by the target"], command="compile", status=1,
                   args=("--target", target, "--kubernetes", "1.37"), files=PROJECT)
            continue
        by_object = gang == "kueue" and target != "pods"           # Kueue admits Jobs and JobSets, not groups of pods
        for starts, groups in (("each", {"r": "j", "c-w-0": "j-c-0", "c-v-0": "j-c-0", "c-w-1": "j-c-1", "c-v-1": "j-c-1"}),
                               ("together", {"r": "j", "c-w-0": "j", "c-v-0": "j", "c-w-1": "j", "c-v-1": "j"})):
            objects, said = compiled(program(gang, 'copies = 2, starts = "%s"' % starts, OWN, more=TWO), "--target", target)
            got = {role: group_of(pod) for role, pod in templates(objects).items()}
            same(name + starts + ", groups", got, dict.fromkeys(groups) if by_object else groups)
            sizes = {n: o["spec"].get("minMember") or o["spec"]["schedulingPolicy"]["gang"]["minCount"] for (k, n), o in objects.items() if k == "PodGroup"}
            want = {"j": 3, "j-c-0": 3, "j-c-1": 3} if starts == "each" else {"j": 9}
            same(name + starts + ", sizes", sizes, {} if gang == "kueue" else want)
            counts = {p["metadata"].get("annotations", {}).get("kueue.x-k8s.io/pod-group-total-count") for p in templates(objects).values()}
            same(name + starts + ", counts", counts, {"3"} if gang == "kueue" and target == "pods" and starts == "each" else
                 {"9"} if gang == "kueue" and target == "pods" else {None})
            parts = gang == "kueue" and target == "jobs"
            t.note(name + starts + ", told", "" if ("TJ0823" in said) == parts else said)
            t.note(name + starts + ", read", "" if ("TJ0826" in said) == (gang == "kueue" and target == "jobset" and starts == "each") else said)

objects, said = compiled(program("kueue", "copies = 3"))
t.note("kueue: a copy of one role is one Job, admitted by itself", "" if "TJ0823" not in said else said)
same("kueue: each Job is queued", [o["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] + str(o["spec"]["suspend"]) for (k, _), o in objects.items() if k == "Job"], ["qTrue"] * 3)
t.case("kueue: several roles", program("kueue", "copies = 3", more=TWO), ["TJ0823", "each of the 2 Jobs of a copy of 'c'", "the target 'pods'"], command="compile", status=0, files=PROJECT)
t.case("kueue, jobset: more copies than pod sets", program("kueue", "copies = 19"), ["TJ0829", "19 copies of 'c' make 19", "the target 'jobs'"], command="compile", status=1,
       args=("--target", "jobset"), files=PROJECT)
t.case("no gang", program("none", 'copies = 2, starts = "each"'), ["TJ0826", "'starts' means nothing without a gang"], command="compile", status=0, files=PROJECT)
t.case("starts: another word", program("volcano", 'copies = 2, starts = "all"'), ["TJ0312", "together"], status=1, files=PROJECT)

# ---- elastic copies ----
objects, said = compiled(program("volcano", 'copies = 2:5, starts = "together", place = near("rack")', OWN, more=TWO))
group = objects["PodGroup", "j"]["spec"]
policy = group["subGroupPolicy"][0]
same("volcano, elastic: the least number", (group["minMember"], group["minResources"]["cpu"]), (9, "9"))
same("volcano, elastic: subgroups", (policy["subGroupSize"], policy["minSubGroups"], policy["matchLabelKeys"], policy["labelSelector"]["matchLabels"]["trainc.dev/cell"]),
     (3, 2, ["trainc.dev/copy"], "c"))
for gang in ("coscheduling", "native"):
    t.case(gang + ", elastic copies together", program(gang, 'copies = 2:5, starts = "together"'), ["TJ0809", "2 of 5 copies of 'c' cannot start together", "copies = 5"],
           command="compile", status=1, args=("--kubernetes", "1.37"), files=PROJECT)
    objects, said = compiled(program(gang, "copies = 2:5"))
    same(gang + ", elastic copies, each", sorted(n for k, n in objects if k == "PodGroup"), ["j-c-%d" % n for n in range(5)])
objects, said = compiled(program("native", "copies = 3", OWN))
same("native: copies share a template", [g["name"] for g in objects["Workload", "j"]["spec"]["podGroupTemplates"]], ["gang", "c"])
objects, said = compiled(program("native", "copies = 3", OWN), "--kubernetes", "1.35")
same("native 1.35: copies are told apart by a key", {r: p["spec"]["workloadRef"].get("podGroupReplicaKey") for r, p in templates(objects).items()},
     {"r": None, "c-w-0": "0", "c-w-1": "1", "c-w-2": "2"})
many = "\n".join('cell c%d { success = none, restarts = 0, role w { command = ["w"] } }' % i for i in range(8))
t.case("native: more cells than templates", program("native", "copies = 2", many), ["TJ0809", "at most 8 templates", "cell 'c' needs"], command="compile", status=1,
       args=("--kubernetes", "1.37"), files=PROJECT)

# ---- start order: a gang waits for another one, never for itself ----
for gang in ("volcano", "coscheduling", "native"):
    late = program(gang, "copies = 2, start_after = ready(r)", OWN)
    objects, said = compiled(late)
    t.note(gang + ": a copy waits for the job's own roles", "" if objects and "TJ0526" not in said else said)
    for what, text in (("of its own copy", program(gang, "copies = 2", more='role v { command = ["v"], start_after = ready(w) }')),
                       ("that starts with it", program(gang, 'copies = 2, starts = "together", start_after = ready(r)', OWN)),
                       ("that waits for its copy", program(gang, "copies = 2", OWN + '\n  role s { command = ["s"], start_after = ready(c) }',
                                                          more='role v { command = ["v"], start_after = ready(r) }'))):
        t.case("%s: a role %s" % (gang, what), text, "TJ0526", status=1, args=("--kubernetes", "1.37"), files=PROJECT)
t.case("a framework's start order in a cell", 'import std.mpi\njob "j" { image = "r.example.com/a:1", cpu = 1, memory = 1Gi, gang = "volcano"\n  cell c: mpi.openmpi { copies = 2, role launcher { command = ["x"] } } }\n',
       ["TJ0526", "write 'start_after = none' in 'role launcher' of cell 'c'"], status=1, files=PROJECT)
t.case("kueue starts Jobs in no order", program("kueue", "copies = 2, start_after = ready(r)", OWN), "TJ0526", status=1, files=PROJECT)

# ---- places of copies ----
for target in TARGETS:
    objects, said = compiled(program("none", 'copies = 2, place = near("rack"), apart = "block"', more=TWO), "--target", target)
    pods = templates(objects)
    near = {r: p["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0] for r, p in pods.items()}
    same(target + ": near", {r: sorted(n["labelSelector"]["matchExpressions"][0]["values"]) for r, n in near.items()},
         {r: ["c-v-" + r[-1], "c-w-" + r[-1]] for r in ("c-w-0", "c-w-1", "c-v-0", "c-v-1")})
    away = {r: p["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0] for r, p in pods.items()}
    same(target + ": apart", {r: (a["topologyKey"], a["labelSelector"]["matchLabels"]["trainc.dev/cell"], a["labelSelector"]["matchExpressions"]) for r, a in away.items()},
         {r: ("example.com/block", "c", [{"key": "trainc.dev/copy", "operator": "NotIn", "values": [r[-1]]}]) for r in away})
    for gang in GANGS[:2]:
        t.case("%s, %s: apart" % (gang, target), program(gang, 'copies = 2, apart = "rack"'), ["TJ0828", "'apart = \"rack\"' cannot be kept"], command="compile", status=1,
               args=("--target", target), files=PROJECT)
        objects, said = compiled(program(gang, 'copies = 2, place = near("rack")'), "--target", target)
        placed = [p["metadata"].get("annotations", {}).get("kueue.x-k8s.io/podset-required-topology") for p in templates(objects).values()]
        tiers = [o["spec"].get("networkTopology", {}).get("highestTierAllowed") for (k, _), o in objects.items() if k == "PodGroup"]
        same("%s, %s: near" % (gang, target), (placed, tiers), (["example.com/rack"] * 2, []) if gang == "kueue" else ([None] * 2, [1, 1]))
objects, said = compiled(program("none", 'copies = 2, apart = "host"', role='replicas = 2, spread = "host"'))
same("apart and spread", len(templates(objects)["c-w-0"]["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]), 2)
objects, said = compiled(program("native", 'copies = 2, place = near("rack")'))
same("native: near", [o["spec"]["schedulingConstraints"]["topology"] for (k, _), o in objects.items() if k == "PodGroup"], [[{"key": "example.com/rack"}]] * 2)
t.case("native: a copy in a flat group", program("native", 'copies = 2, starts = "together", place = near("rack")'), ["TJ0828", 'starts = "each"'], command="compile", status=1,
       args=("--kubernetes", "1.37"), files=PROJECT)
t.case("volcano: a place of the job's own role in a group with copies", program("volcano", 'copies = 2, starts = "together"', 'role r { command = ["r"], place = near("rack") }'),
       ["TJ0828", "role 'c-w-0' is in that group too"], command="compile", status=1, files=PROJECT)
t.case("kueue: several roles of a copy in one place", program("kueue", 'copies = 2, place = near("rack")', more=TWO), ["TJ0828"], command="compile", status=1, files=PROJECT)
objects, said = compiled(program("kueue", 'copies = 2, place = near("rack")', more=TWO), "--target", "jobset")
same("kueue, jobset: a single pod beside one role", {r: p["metadata"]["annotations"]["kueue.x-k8s.io/podset-group-name"] for r, p in templates(objects).items()},
     {"c-w-0": "j-c-0", "c-v-0": "j-c-0", "c-w-1": "j-c-1", "c-v-1": "j-c-1"})
BESIDE = 'job "j-c-0" { image = "r.example.com/a:1", cpu = 1, memory = 1Gi, gang = "%s", queue = "q", role r { command = ["x"], replicas = 3 } }\n'
for gang in GANGS[:2]:  # as the name of its group, or as that of its object
    t.case(gang + ": another job with the name of a copy's group", program(gang, "copies = 2") + BESIDE % gang, ["TJ0811", "'j-c-0' is emitted twice"], command="compile", status=1,
           args=("--target", "pods"), files=PROJECT)
t.case("kueue: another job with the name of a copy", program("kueue", "copies = 2") + BESIDE % "kueue", lacks="TJ0811", command="compile", status=0, files=PROJECT)
t.case("a level that is not known", program("none", 'copies = 2, apart = "rak"'), ["TJ0626", "no level 'rak'", "did you mean 'rack'"], status=1, files=PROJECT)
t.case("a level without a topology", program("none", 'copies = 2, apart = "rack"'), ["TJ0626", 'apart = "rack" names a level that is not known'], status=1)
t.case("the plan", program("volcano", 'copies = 2, starts = "together"'), "cell 'c' has 2 copies; copy 0 is shown; they start together\n", command="plan", status=0, files=PROJECT)
t.case("the plan: apart", program("none", 'copies = 2, apart = "rack"'), "no two in one domain of example.com/rack\n", command="plan", status=0, files=PROJECT)
for field in ("starts", "apart"):
    t.case(field + " of a job", 'job "a" { %s = "each", role w { command = ["x"] } }' % field, ["TJ0203"], status=1)
t.end()
