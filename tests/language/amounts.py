"""amounts.py - replicas of one role that request different amounts: objects, totals, policies, and targets that refuse
it."""
import json

from table import JOB, Table, W

t = Table()
LEAD = "memory = if pod.index == 0 then 8Gi else 4Gi"


def asked(program, *args, target="jobs"):
    """What the containers of each object request: (object, container, requests, limits)."""
    both = t.case("compiles for %s: %s" % (target, program.splitlines()[1].strip()), program, command="compile", status=0,
                  args=("-o", "json", "--target", target) + args)
    found = []

    def walk(name, value):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if key in ("containers", "initContainers"):
                found.extend((name, c["name"], c.get("resources", {})) for c in inner)
            elif isinstance(inner, (dict, list)):
                walk(inner.get("name", name) if isinstance(inner, dict) else name, inner)

    for o in json.JSONDecoder().raw_decode(both)[0]["items"]:
        walk(o["metadata"]["name"], o.get("spec", {}))
    return found


def equal(subject, is_, wanted):
    t.note(subject, "" if is_ == wanted else "%r\n    wanted %r" % (is_, wanted))


def memory(program, **more):
    return [(o, r["requests"]["memory"], r["limits"]["memory"]) for o, c, r in asked(program, **more) if c == "main"]


# ---- objects ----
TWO = W("replicas = 3, " + LEAD)
WANTED = ["8Gi", "4Gi", "4Gi"]
equal("a Job of each", memory(TWO), [("a-w-%d" % i, m, m) for i, m in enumerate(WANTED)])
equal("a pod of each", memory(TWO, target="pods"), [("a-w-%d" % i, m, m) for i, m in enumerate(WANTED)])
equal("a replicated Job of each", [m for _, m, _ in memory(TWO, target="jobset")], WANTED)
equal("an elastic role of pods", [m for _, m, _ in memory(W("replicas = 1:3, retries = 1, " + LEAD), target="pods")], WANTED)
equal("one replica is no reason for an object of its own", memory(W("replicas = 1, " + LEAD)), [("a-w", "8Gi", "8Gi")])
equal("what the job says for its roles", memory(JOB("%s\nrole w { replicas = 2 }" % LEAD)), [("a-w-0", "8Gi", "8Gi"), ("a-w-1", "4Gi", "4Gi")])
equal("a let of the role", memory(W("let lead = pod.index == 0, replicas = 2, memory = if lead then 8Gi else 4Gi")),
      [("a-w-0", "8Gi", "8Gi"), ("a-w-1", "4Gi", "4Gi")])
ALL = asked(W('''replicas = 2, cpu = if pod.index == 0 then 8 else 2, disk = 1Gi * (pod.index + 1)
    limits { cpu = if pod.index == 1 then 16 else 9 }, resources { "rdma/hca" = pod.index + 1 }
    sidecar s { image = "a/b:1", cpu = if pod.index == 0 then 2 else 1 }
    init i { image = "a/b:1", command = ["x"], memory = 64Mi * (pod.index + 1) }'''))
equal("all amounts of all containers", ALL, [
    ("a-w-0", "i", {"requests": {"memory": "64Mi"}, "limits": {"memory": "64Mi"}}),
    ("a-w-0", "s", {"requests": {"cpu": "2"}}),
    ("a-w-0", "main", {"requests": {"cpu": "8", "ephemeral-storage": "1Gi", "rdma/hca": "1"},
                       "limits": {"cpu": "9", "ephemeral-storage": "1Gi", "rdma/hca": "1"}}),
    ("a-w-1", "i", {"requests": {"memory": "128Mi"}, "limits": {"memory": "128Mi"}}),
    ("a-w-1", "s", {"requests": {"cpu": "1"}}),
    ("a-w-1", "main", {"requests": {"cpu": "2", "ephemeral-storage": "2Gi", "rdma/hca": "2"},
                       "limits": {"cpu": "16", "ephemeral-storage": "2Gi", "rdma/hca": "2"}})])
equal("a replica that asks for nothing", [r.get("requests") for _, _, r in asked(W("replicas = 2, memory = if pod.index == 0 then 8Gi else none"))],
      [{"memory": "8Gi"}, None])
t.case("its environment is that of an unrolled role", W("replicas = 2, env { I = pod.index }, " + LEAD), 'value: "1"', command="compile", status=0)

# ---- totals ----
t.case("the plan", W("replicas = 3, cpu = if pod.index == 0 then 8 else 2, " + LEAD), ["8 or 2", "8Gi or 4Gi", "in all 3 pods, cpu 12, memory 16Gi; 4 objects",
       "because of 'pod.index == 0'"], command="plan", status=0)
t.case("more than three kinds", W("replicas = 5, memory = 1Gi * (pod.index + 1)"), ["1Gi ... 5Gi", "memory 15Gi"], command="plan", status=0)
t.case("devices", W('replicas = 2, resources { "rdma/hca" = pod.index + 1 }'), ["1 rdma/hca or 2 rdma/hca", "in all 2 pods, 3 rdma/hca"], command="plan", status=0)
t.case("kinds of replicas for programs", TWO, ['"memory": "8Gi"', '"kinds": [ { "replicas": 1, "cpu": null, "memory": "8Gi", "resources": {} }, '
       '{ "replicas": 2, "cpu": null, "memory": "4Gi", "resources": {} } ]'], command="plan", args=("-o", "json"), status=0)
t.case("the drawing", TWO, "memory 8Gi or memory 4Gi", command="plan", args=("-o", "svg"), status=0)
for gang in ("volcano", "coscheduling"):
    for target in ("jobs", "pods", "jobset"):
        t.case("the pods of a gang: %s, %s" % (gang, target), JOB('gang = "%s"\nrole w { replicas = 3, %s, sidecar s { image = "a/b:1", cpu = pod.index * 1000m + 1 } }'
               % (gang, LEAD)), ["minMember: 3", 'minResources:\n    memory: 16Gi\n    cpu: "6"'], command="compile", args=("--target", target), status=0)
t.case("the least pods of an elastic gang", JOB('gang = "volcano"\nrole w { replicas = 2:4, retries = 1, %s }' % LEAD), ["minMember: 2", "memory: 12Gi"],
       command="compile", args=("--target", "pods"), status=0)

# ---- each replica is checked ----
t.case("one replica asks for nothing", W("replicas = 3, memory = if pod.index == 1 then 0Gi else 1Gi"), ["TJ0610", "a.tj:2:58: error"], status=1)
t.case("one limit is below its request", W("replicas = 3, cpu = 2, limits { cpu = if pod.index == 1 then 1 else 3 }"), ["TJ0607", "limits.cpu = 1 is below cpu = 2"], status=1)
t.case("shm above the least memory", W("replicas = 3, shm = 2Gi, memory = if pod.index == 1 then 1Gi else 4Gi"), ["TJ0611", "exceeds memory = 1Gi"], status=1)
t.case("a volume in memory above the least", W('replicas = 2, mounts { "/m" = scratch("m", 6Gi, medium = "memory") }, ' + LEAD), ["TJ0611", "the container has only 4Gi"], status=1)
FRAME = 'framework f {\n  shm = 3Gi\n  role w { memory: memory(2Gi..), replicas = 2 }\n  success = done(w) }\njob "a": f { image = "a/b:1"\n  role w { %s } }\n'
t.case("a typed field of a framework", FRAME % "memory = if pod.index == 0 then 8Gi else 1Gi", ["TJ0311", "outside 2Gi.."], status=1)
t.case("a framework's shm is half of the least memory", FRAME % LEAD, "sizeLimit: 2Gi", command="compile", status=0)
t.case("a default of a framework", (FRAME % "").replace("memory(2Gi..)", "memory(2Gi..) = if pod.index == 0 then 8Gi else 4Gi"), ["memory: 8Gi", "memory: 4Gi"],
       command="compile", status=0)
t.case("a slip in one branch", W('replicas = 2, memory = if pod.index == 0 then 8Gi else "x"'), "TJ0302", status=1)
t.case("a device counted in text", W('replicas = 2, resources { "rdma/hca" = if pod.index == 0 then 1 else 0 }'), "TJ0610", status=1)

# ---- what is refused ----
t.case("an elastic role", W("replicas = 1:3, retries = 1, " + LEAD), ["TJ0709", "a role of their own"], lacks="TJ0619", status=1)
t.case("too many objects", W("replicas = 2000, " + LEAD), ["TJ0717", "a role of their own"], status=1)
t.case("too many pods that differ", W("replicas = 100000, memory = 1Mi * (pod.index + 1)"), ["TJ0717", "100000 replicas may ask for different amounts"],
       args=("--target", "pods"), status=1)
t.case("many pods that differ", W("replicas = 1000, memory = 4Mi * (pod.index + 1)"), "4Mi ... 4000Mi", command="plan", args=("--target", "pods"), status=0)
t.case("by the node, in a map", W('replicas = 2, resources { "rdma/hca" = pod.node }'), ["TJ0716", "only 'pod.index' may be used here"], status=1)
t.case("by the slice", 'accelerator far() { resource = "example.com/tpu", per_pod = 4, pods = 2, slice = "example.com/slice" }\n'
       + W("slices = 2, accelerator = far(), cpu = 8, memory = if pod.slice_index == 0 then 8Gi else 4Gi"), ["TJ0709", "a sliced role"], args=("--target", "jobset"), status=1)
t.case("many objects", W("replicas = 100, " + LEAD), ["TJ0710", "a role of their own"], status=0)
t.case("by the node", W('replicas = 2, memory = if pod.node == "x" then 8Gi else 4Gi'), "TJ0716", status=1)
t.case("an index is no amount", W("replicas = 2, memory = pod.index"), ["TJ0302", "'memory' expects a memory amount"], status=1)
t.case("a name is no amount", W("replicas = 2, memory = pod.name"), ["TJ0302", "'memory' expects a memory amount"], status=1)
t.case("CPUs without a unit", W("replicas = 2, cpu = pod.index + 1"), ["TJ0302", "'1000m * (pod.index + 1)'"], status=1)
t.case("what that help says", W("replicas = 2, cpu = 1000m * (pod.index + 1)"), 'cpu: "2"', command="compile", status=0)
t.case("devices of an accelerator", "import std.nvidia\n" + W("replicas = 2, accelerator = if pod.index == 0 then nvidia.h100(8) else nvidia.h100(4)"),
       ["TJ0708", "give them a role of their own"], status=1)
t.case("another field", W("replicas = 2, shm = if pod.index == 0 then 1Gi else 2Gi"), ["TJ0708", "'cpu', 'memory', 'disk', 'limits'"], status=1)
t.case("a bundle is the same for all", "let n: Role = { memory = if pod.index == 0 then 1Gi else 2Gi }\n" + W("replicas = 2, ...n"), "error", status=1)
for reader in ("command = [\"${w.memory ?? 1Gi}\"]", "check (self.memory ?? 1Gi) > 1Gi else \"x\"", "disk = self.memory"):
    t.case("who reads it: " + reader, W("replicas = 2, %s\n %s" % (LEAD, reader)), ["TJ0708", "replicas of role 'w' differ in 'memory'"], status=1)
t.case("a trainer has one template", TWO, ["TJ0819", "let all replicas request the same"], args=("--target", "trainer"), status=1)
OPERATED = 'import std.kubeflow\njob "a": kubeflow.pytorchjob { image = "a/b:1"\n  role worker { replicas = 2, %s } }\n'
t.case("an operator has one template", OPERATED % LEAD, ["TJ0818", "amounts that differ between replicas", "a.tj:3:43: error"], args=("--target", "kubeflow"), status=1)
t.case("an operator, and a sidecar", OPERATED % 'sidecar s { image = "a/b:1", cpu = if pod.index == 0 then 1 else 2 }', ["TJ0818", "amounts that differ"],
       args=("--target", "kubeflow"), status=1)
t.case("an operator, and amounts that are equal after all", OPERATED % "memory = if pod.index < 9 then 8Gi else 4Gi", "memory: 8Gi", command="compile",
       args=("--target", "kubeflow"), status=0)

# ---- policies and tests ----
def policy(subject, check, says=(), status=1, role=LEAD):
    t.case("a policy and " + subject, W("replicas = 3, " + role), says, status=status,
           files={"project.tj": 'project { policies = ["pol.tj"] }\n', "pol.tj": 'policy "p" {\n  for r in cluster.all_roles {\n    %s\n  }\n}\n' % check})


policy("the most memory", 'check (r.memory ?? 0Gi) <= 6Gi else "too much: ${str(r.memory ?? 0Gi)}"', ["TJ0901", "too much: 8Gi"])
policy("the least memory", 'check (r.memory ?? 0Gi) >= 6Gi else "too little: ${str(r.memory ?? 0Gi)}"', ["TJ0901", "too little: 4Gi"])
policy("both", 'check (r.memory ?? 0Gi) == 4Gi or (r.memory ?? 0Gi) == 8Gi else "other"', status=0)
policy("a replica without", 'check r.memory != none else "some replica has no memory"', ["TJ0901", "some replica has no memory"],
       role="memory = if pod.index == 2 then none else 4Gi")
policy("containers", 'for c in r.containers { check (c.memory ?? 0Gi) >= 6Gi else "${c.name}: too little" }', ["TJ0901", "main: too little"])
policy("one container for each kind at a time", 'check len(r.containers) == 1 else "n = ${len(r.containers)}"', status=0)
policy("devices", 'for c in r.containers { check c.resources["rdma/hca"] != 3 else "three" }', ["TJ0901", "three"], role='resources { "rdma/hca" = pod.index + 1 }')
policy("a field of devices", 'check r.resources["rdma/hca"] < 3 else "three"', ["TJ0901", "three"], role='resources { "rdma/hca" = pod.index + 1 }')
policy("limits", 'check (r.limits.memory ?? 1Gi) < 9Gi else "limit"', ["TJ0901", "limit"], role="limits { memory = 4Gi * (pod.index + 1) }")
t.case("a test sees the containers of each kind", TWO + 'test "kinds" {\n  check [str(c.memory ?? 0Gi) for c in roles.w.containers] == ["8Gi", "4Gi"] else "other"\n}\n', "1 passed", command="test", status=0)
t.case("a test has no one value to read", TWO + 'test "one" {\n  check (roles.w.memory ?? 1Gi) == 8Gi else "other"\n}\n', ["TJ0708", "differ in 'memory'"], command="test", status=1)
t.end()
