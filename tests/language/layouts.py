"""layouts.py - `layout` of a role, and segments of its place: levels, values, and what contradicts them."""
from table import Table

t = Table()
NPU = 'accelerator npu(count: int(1..64)) {\n  resource = "vendor.example/npu"\n  per_pod  = count\n}\n'
C = {"command": "env", "status": 0}


def L(layout, role="replicas = 8", job="", before="", command='"train"', each=8):
    return NPU + before + ('job "a" {\n  image   = "r.example.com/a:1"\n  command = [%s]\n  %s\n  role w {\n    %s\n    accelerator = npu(%d)\n'
                           '    cpu = 8, memory = 64Gi, shm = 8Gi\n    %s\n  }\n}\n' % (command, job, role, each, layout))


def E(layout, value, **more):
    return L(layout + '\n    env { X = "<${%s}>" }' % value, **more)


# ---- values ----
t.case("nothing is written", E("", "w.layout.dp"), "<64>", **C)
t.case("what remains", E("layout { tp = 8, pp = 4 }", "w.layout.dp"), "<2>", **C)
t.case("written and right", E("layout { tp = 8, pp = 4, dp = 2 }", "w.layout.dp"), "<2>", **C)
t.case("etp is tp", E("layout { tp = 4 }", "w.layout.etp"), "<4>", **C)
t.case("copies of experts", E("layout { tp = 4, pp = 2, ep = 4, etp = 1 }", "w.layout.edp"), "<8>", **C)
t.case("all ranks", E("layout { tp = 4 }", "w.layout.size"), "<64>", **C)
t.case("the order", E("layout { tp = 4 }", "w.layout.order"), "<tp-cp-fsdp-dp-pp>", **C)
t.case("self", E("layout { tp = 4 }", "self.layout.tp"), "<4>", **C)
t.case("hosts of a group inside one", E("layout { tp = 4 }", 'w.layout.hosts("tp")'), "<1>", **C)
t.case("hosts of a stage", E("layout { tp = 8, pp = 4 }", 'w.layout.hosts("dp")'), "<2>", **C)
t.case("hosts of experts", E("layout { ep = 32 }", 'w.layout.hosts("ep")'), "<4>", **C)
t.case("groups", E("layout { tp = 2 }", 'json(w.layout.ranks("tp"))', role="replicas = 1", each=4), "<[[0,1],[2,3]]>", **C)
t.case("groups of pp", E("layout { pp = 2 }", 'json(w.layout.ranks("pp"))', role="replicas = 1", each=4), "<[[0,2],[1,3]]>", **C)
t.case("replicas from the layout", E("layout { tp = 8 }", "w.replicas", role="replicas = w.layout.tp"), "<8>", **C)
t.case("replicas without devices are ranks", 'job "a" { image = "a/b:1"\n  role w { replicas = 4, layout { tp = 2 }, env { X = "<${w.layout.dp}>" } } }\n', "<2>", **C)
t.case("processes are ranks", 'framework f { role w { replicas: int(1..) = 1, processes = 4 }\n  success = done(w) }\njob "a": f { image = "a/b:1"\n'
       '  role w { replicas = 2, layout { tp = 4 }, env { X = "<${w.layout.dp}>" } } }\n', "<2>", **C)
t.case("the processes of torchrun are ranks", 'import std.pytorch\njob "a": pytorch.torchrun(nproc = 4) { image = "a/b:1", command = ["torchrun", "t.py"]\n'
       '  role worker { replicas = 2, cpu = 8, memory = 64Gi, layout { tp = 4 }, env { X = "<${worker.layout.dp}>" } } }\n', "<2>", **C)
t.case("the largest size of an elastic role", E("layout { tp = 8 }", "w.layout.dp", role="replicas = 2:6"), "<6>", **C)

# ---- levels ----
t.case("of the job, extended by the role", E("layout { pp = 4 }", "w.layout.dp", job="layout { tp = 8 }"), "<2>", **C)
t.case("of a bundle", E("...here", "w.layout.tp", before="let here: Role = { layout { tp = 2 } }\n"), "<2>", **C)
t.case("of a parameter", E("layout = shape", "w.layout.tp", before="param shape: Layout = { tp = 2 }\n"), "<2>", **C)
t.case("of a parameter that the command line sets", E("layout = shape", "w.layout.dp", before="param shape: Layout = { tp = 2 }\n"), "<16>",
       args=("--set", "shape.pp=2"), **C)
t.case("of a framework", NPU + 'framework f { role w { replicas: int(1..) = 4, layout { tp = 8 } }\n  success = done(w) }\njob "a": f {\n  image = "a/b:1"\n'
       '  role w { accelerator = npu(8), cpu = 8, memory = 64Gi, layout { pp = 2 }, env { X = "<${w.layout.dp}>" } } }\n', "<2>", **C)
t.case("not of what runs beside the job", L("", job='layout { tp = 8 }\n  aux b { env { X = "<${b.layout.tp}>" } }'), "<1>", **C)

# ---- what shows it ----
t.case("the plan", L("layout { tp = 8, pp = 4 }"), "role 'w' divides its 64 ranks into tp 8, pp 4, dp 2\n", command="plan", status=0)
t.case("the plan for programs", L("layout { tp = 8, pp = 4 }"), '"layout": { "tp": 8, "cp": 1, "fsdp": 1, "dp": 2, "pp": 4, "ep": 1, "etp": 8, "edp": 2, "size": 64, "order": "tp-cp-fsdp-dp-pp" }',
       command="plan", args=("-o", "json"), status=0)
t.case("no layout, no member", L(""), lacks="layout", command="plan", args=("-o", "json"), status=0)
t.case("a check", L("layout { tp = 8, pp = 4 }", job='check 3 % w.layout.dp == 0 else "the batch does not divide"'), ["TJ0408", "w.layout.dp is 2"], status=1)
t.case("a policy", L("layout { tp = 4 }"), ["TJ0901", "tp is 4"], status=1, files={
    "project.tj": 'project { policies = ["p.tj"] }\n', "p.tj": 'policy "p" { for r in cluster.roles { check r.layout.tp == 8 else "tp is ${r.layout.tp}" } }\n'})
t.case("a test", L("layout { tp = 4 }") + 'test "t" { check roles.w.layout.dp == 16 else "no" }\n', "1 passed", command="test", status=0)

# ---- what is refused ----
for subject, layout, says, more in (
        ("not a whole number of models", "tp = 8, pp = 4", ["TJ0640", "48 devices are not a whole number of models of tp 8 * pp 4 = 32", "write replicas = 4 or replicas = 8"], {"role": "replicas = 6"}),
        ("dp is written and wrong", "tp = 8, pp = 4, dp = 2", ["TJ0640", "tp 8 * pp 4 * dp 2 = 64, but there are 48 devices: 8 in each of 6 replicas", "write replicas = 8,"], {"role": "replicas = 6"}),
        ("a single degree", "tp = 16", ["TJ0640", "24 devices are not a whole number of models of tp 16", "write replicas = 2 or replicas = 4"], {"role": "replicas = 3"}),
        ("larger than all", "pp = 1000000000, tp = 1000000000", ["TJ0640", "choose degrees whose product divides 64"], {}),
        ("larger than numbers", "pp = 9000000000000000000, tp = 9000000000000000000", ["TJ0640"], {}),
        ("between hosts", "tp = 6", ["TJ0641", "a tp group of 6 does not divide among hosts of 8", "write tp = 4 or tp = 8"], {"role": "replicas = 3"}),
        ("between hosts, by the order", 'cp = 3, tp = 2, order = "cp-tp-dp"', ["TJ0641", "tp groups reach over 6 ranks"], {"role": "replicas = 3"}),
        ("experts and a stage", "pp = 2, ep = 32, etp = 1", ["TJ0642", "etp 1 * ep 32 = 32 does not divide the 48 ranks of a stage", "write ep = 24"], {"role": "replicas = 12"}),
        ("experts and a shard group", "fsdp = 2, tp = 8, ep = 3", ["TJ0642", "the 16 ranks of a group that shares parameters", "write ep = 2"], {"role": "replicas = 12"}),
        ("stages that differ", 'tp = 4, pp = 2, ep = 8, etp = 1, order = "tp-cp-pp-dp"', ["TJ0642", "with order tp-cp-pp-dp the stages of experts and of the rest differ", 'write order = "tp-cp-dp-pp"'], {}),
        ("one by one", "tp = 8, pp = 4", ["TJ0643", "one model takes 4 of them", "replicas = 8"], {"role": "replicas = 2:8"}),
        ("an unknown dimension", 'tp = 8, order = "tp-xp"', ["TJ0644", "'xp' is not a dimension", 'write order = "tp-dp"'], {}),
        ("a dimension twice", 'tp = 8, order = "tp-dp-tp"', ["TJ0644", "'tp' is twice in"], {}),
        ("a dimension is missing", 'tp = 8, pp = 2, order = "tp-dp"', ["TJ0644", "'pp' is missing in", 'write order = "tp-dp-pp"'], {}),
        ("experts after dp", 'tp = 8, ep = 2, etp = 1, order = "tp-dp-ep"', ["TJ0644", "'ep' does not follow"], {}),
        ("dp inside of experts", 'tp = 4, ep = 2, etp = 1, order = "dp-tp"', ["TJ0644", 'write order = "tp-dp-pp"'], {"role": "replicas = 2"}),
        ("zero", "tp = 0", "TJ0311", {}),
        ("another word", "tensor = 8", ["TJ0202", "write 'tp'"], {}),
        ("a word of nobody", "shards = 8", ["TJ0202", "its fields are tp, cp, fsdp, dp, pp, ep, etp, order"], {}),
        ("by the index", "tp = pod.index + 1", "TJ0708", {})):
    t.case(subject, L("layout { %s }" % layout, **more), says, status=1)
t.case("hosts of what reaches over parts", E("layout { tp = 2, cp = 3 }", 'w.layout.hosts("cp")', role="replicas = 3"),
       ["TJ0641", "cp groups reach over 6 ranks"], status=1)
t.case("hosts of what is no dimension", E("layout { tp = 2 }", 'w.layout.hosts("xp")'), ["TJ0644", "a layout has no dimension 'xp'"], status=1)
t.case("no call", E("layout { tp = 2 }", "w.layout.hosts"), ["TJ0202", "write 'w.layout.hosts(\"tp\")'"], status=1)
t.case("no such member", E("layout { tp = 2 }", "w.layout.tpp"), ["TJ0202", "did you mean 'tp' or 'pp'?"], status=1)
t.case("no text", L("layout { tp = 2 }\n    env { X = w.layout }"), ["TJ0704", "write 'w.layout.tp'"], status=1)
t.case("replicas from what remains", L("layout { tp = 8 }", role="replicas = w.layout.dp"), "TJ0405", status=1)

# ---- groups over hosts ----
t.case("hosts that nothing keeps together", L("layout { tp = 16 }"), ["TJ0645", "tp groups of 16 span 2 hosts", 'topology = ["example.com/rack"]', 'place = near("rack")'], status=0)
t.case("the level of the project", L("layout { tp = 16 }"), ["TJ0645", 'place = near("clique")'], lacks="topology =", status=0,
       files={"project.tj": 'project { topology = ["example.com/block", "example.com/clique"] }\n'})
t.case("the level of the project, and Kueue", L("layout { tp = 16 }", job='queue = "q"'), ["TJ0645", 'place = near("clique", each = "tp")'], status=0,
       files={"project.tj": 'project { topology = ["example.com/block", "example.com/clique"] }\n'})
t.case("a place", L('layout { tp = 16 }\n    place = near("zone")'), lacks="TJ0645", status=0)
t.case("one host", L("layout { tp = 8 }"), lacks="TJ0645", status=0)
TPU = 'import std.jax\nimport std.tpu\njob "a": jax.distributed { image = "a/b:1"\n  role worker { accelerator = tpu.v5e(4x4), slices = 2, cpu = 100, memory = 180Gi, shm = 16Gi, layout { tp = %d } } }\n'
t.case("a slice", TPU % 16, lacks=("TJ0645", "TJ0646"), status=0, args=("--target", "jobset"))
t.case("two slices", TPU % 32, ["TJ0646", "a tp group of 32 crosses slices of 4 replicas"], status=1, args=("--target", "jobset"))

# ---- options ----
for option, says in (
        ('"--tensor-model-parallel-size=4"', ["--tensor-model-parallel-size=4 contradicts layout.tp = 8", "--tensor-model-parallel-size=${w.layout.tp}"]),
        ('"--tensor-model-parallel-size", "4"', ["--tensor-model-parallel-size=4 contradicts layout.tp = 8", '"${w.layout.tp}"']),
        ('"--tensor_model_parallel_size=4"', ["contradicts layout.tp = 8"]),
        ('"--pipeline-model-parallel-size=4"', ["contradicts layout.pp = 2"]),
        ('"--context-parallel-size=2"', ["contradicts layout.cp = 1"]),
        ('"--expert-model-parallel-size=4"', ["contradicts layout.ep = 1"]),
        ('"--expert-tensor-parallel-size=1"', ["contradicts layout.etp = 8"]),
        ('"--parallelism.tensor_parallel_degree=4"', ["contradicts layout.tp = 8"]),
        ('"--parallelism.data_parallel_shard_degree=4"', ["contradicts layout.fsdp = 1"]),
        ('"--parallelism.data_parallel_replicate_degree", "8"', ["contradicts layout.dp = 4"]),
        ('"-tp", "4"', ["-tp=4 contradicts layout.tp = 8"]), ('"--tp", "4"', ["--tp=4 contradicts"]),
        ('"--pipeline-parallel-size=4"', ["contradicts layout.pp = 2"]), ('"--tp-size", "4"', ["contradicts layout.tp"]),
        ('"model.tensor_model_parallel_size=4"', ["model.tensor_model_parallel_size=4 contradicts"]),
        ('"sh", "-c", "exec serve --tensor-parallel-size 4 --x"', ["--tensor-parallel-size=4 contradicts"])):
    t.case("an option: " + option, L("layout { tp = 8, pp = 2 }", command='"train", ' + option), ["TJ0647"] + says, status=0)
for option in ('"--tensor-model-parallel-size=8"', '"--tensor-model-parallel-size", "8"', '"--tensor-model-parallel-size=${w.layout.tp}"', '"--tp-comm-overlap", "4"',
               '"--parallelism.data_parallel_shard_degree=-1"', '"--tensor-model-parallel-size=$TP"', '"tp=4"', '"/data/tp", "4"', '"--my-tensor-parallel-size=4"'):
    t.case("no contradiction: " + option, L("layout { tp = 8, pp = 2 }", command='"train", ' + option), lacks="TJ0647", status=0)
t.case("no layout", L("", command='"train", "--tensor-model-parallel-size=4"'), lacks="TJ0647", status=0)

# ---- segments of a place ----
TOPOLOGY = {"project.tj": 'project { topology = ["example.com/block", "example.com/rack", "example.com/clique"] }\n'}
QUEUE = 'queue = "q"'
UNCONSTRAINED = 'kueue.x-k8s.io/podset-unconstrained-topology: "true"'


def P(place, replicas="64", more="", job=QUEUE, layout="", after=""):
    return L("%s\n    %s\n    %s" % (layout, place, more), role="replicas = %s" % replicas, job=job).rstrip("}\n") + "\n    }\n  %s\n}\n" % after


def slices(level, size):
    return ["podset-slice-required-topology: example.com/" + level, 'podset-slice-size: "%d"' % size]


S = {"files": TOPOLOGY, "command": "compile", "status": 0}
t.case("each 16 in a rack", P('place = near("rack", each = 16)'), [UNCONSTRAINED] + slices("rack", 16), **S)
t.case("within a block", P('place = [near("block"), near("rack", each = 16)]'), ["podset-required-topology: example.com/block"] + slices("rack", 16), **S)
t.case("within a block if possible", P('place = [prefer("block"), near("rack", each = 16)]'), ["podset-preferred-topology: example.com/block"] + slices("rack", 16), **S)
t.case("close together", P('place = [pack, near("rack", each = 16)]'), [UNCONSTRAINED] + slices("rack", 16), **S)
t.case("a list of one", P('place = [near("rack", each = 16)]'), slices("rack", 16), **S)
t.case("a list of one place", P('place = [near("rack")]'), "podset-required-topology: example.com/rack", lacks="slice", **S)
t.case("an empty list", P("place = []"), lacks="podset", **S)
t.case("none", P("place = none"), lacks="podset", **S)
t.case("one of two", P('place = if w.devices > 4 then near("rack", each = 16) else none'), slices("rack", 16), **S)
t.case("a bundle", "let near_racks: Role = { place = near(\"rack\", each = 16) }\n" + P("...near_racks"), slices("rack", 16), **S)
t.case("a dimension", P('place = near("rack", each = "tp")', layout="layout { tp = 32 }"), slices("rack", 4), **S)
t.case("experts", P('place = near("rack", each = "ep")', layout="layout { tp = 8, ep = 64, etp = 1 }"), slices("rack", 8), **S)
t.case("a number of the layout", P('place = near("rack", each = w.layout.hosts("tp"))', layout="layout { tp = 32 }"), slices("rack", 4), **S)
t.case("groups without a layout", P('place = near("rack", each = "tp")'), ["TJ0644", "role 'w' has no layout, so it has no groups of 'tp'"], status=1, files=TOPOLOGY)
t.case("segments of one host", P('place = near("rack", each = "tp")', layout="layout { tp = 8 }"), lacks="podset", **S)
t.case("of the job with a single role", P("", job=QUEUE + '\n  place = near("rack", each = 16)'), slices("rack", 16), **S)
t.case("two levels", P('place = [near("block", each = 32), near("rack", each = 16)]'),
       ['[{"topology":"example.com/block","size":32},{"topology":"example.com/rack","size":16}]', "TJ0824", "TASMultiLayerTopology"], **S)
t.case("two levels, Kueue 0.19", P('place = [near("block", each = 32), near("rack", each = 16)]'), lacks="TJ0824", status=0,
       files={"project.tj": 'project { topology = ["example.com/block", "example.com/rack"], addons { kueue = "0.19" } }\n'})
for kueue, says, status in (("0.16", ["TJ0809", "Kueue 0.16 keeps segments of one level only"], 1), ("0.17", ["TJ0824"], 0)):
    t.case("two levels, Kueue " + kueue, P('place = [near("block", each = 32), near("rack", each = 16)]'), says, status=status,
           files={"project.tj": 'project { topology = ["example.com/block", "example.com/rack"], addons { kueue = "%s" } }\n' % kueue})
t.case("elastic", P('place = near("rack", each = 4)', replicas="8:64", more="retries = 1"), slices("rack", 4), **S)
for target in ("jobset", "trainer"):
    t.case("target " + target, P('place = [near("block"), near("rack", each = 16)]'), ["podset-required-topology: example.com/block"] + slices("rack", 16),
           args=("--target", target), **S)
t.case("the plan says it", P('place = [near("block"), near("rack", each = 16)]'),
       """role 'w' runs [near("block"), near("rack", each = 16)], by the label example.com/block and example.com/rack\n""", command="plan", status=0, files=TOPOLOGY)
t.case("the plan for programs says it", P('place = near("rack", each = 16)'), '"place": "near(\\"rack\\", each = 16)"', command="plan", args=("-o", "json"), status=0, files=TOPOLOGY)
for subject, program, says in (
        ("not divided", P('place = near("rack", each = 16)', replicas="60"), ["TJ0630", "segments of 16 do not divide the 60 replicas of 'w'", 'write near("rack", each = 15)', "or write replicas = 48"]),
        ("an end of the range", P('place = near("rack", each = 16)', replicas="8:64", more="retries = 1"), ["TJ0630", "both ends of replicas = 8:64", 'write near("rack", each = 8)']),
        ("the second without each", P('place = [near("rack", each = 16), near("block")]'), ["TJ0631", "only the first of several places may be without 'each'", 'near("block", each = 8)']),
        ("inside out", P('place = [near("rack"), near("block", each = 16)]'), ["TJ0631", "the level 'block' is not inside of 'rack'"]),
        ("a level twice", P('place = [near("rack", each = 16), near("rack", each = 4)]'), ["TJ0631", "is not inside of"]),
        ("sizes that do not divide", P('place = [near("block", each = 16), near("rack", each = 12)]', replicas="48"), ["TJ0631", "segments of 12 do not divide those of 16", 'write near("rack", each = 8)']),
        ("four", P('place = [near("zone"), near("block", each = 32), near("rack", each = 16), near("clique", each = 8)]'), ["TJ0631", "4 places, and at most 3"]),
        ("two roles", P("", job=QUEUE + '\n  place = near("rack", each = 16)', after="role v { replicas = 16, cpu = 1, memory = 1Gi }"),
         ["TJ0627", "2 roles would inherit it", "write it in 'role w'"]),
        ("spread", P('place = near("host", each = 16)', more='spread = "host"'), ["TJ0627"]),
        ("an unknown level", P('place = near("rock", each = 16)'), ["TJ0626", "did you mean 'rack'?"]),
        ("zero", P('place = near("rack", each = 0)'), ["TJ0311", "each = 0"]),
        ("a bool", P('place = near("rack", each = true)'), ["TJ0302", "'each' is a number of replicas"]),
        ("an unknown dimension", P('place = near("rack", each = "xp")'), "TJ0644"),
        ("a dimension over parts of hosts", P('place = near("rack", each = "cp")', layout="layout { tp = 2, cp = 3 }", replicas="3"), "TJ0641"),
        ("prefer", P('place = prefer("rack", each = 16)'), ["TJ0318", "'prefer' has no argument 'each'"]),
        ("by position", P('place = near("rack", 16)'), ["TJ0318", "write 'each = 16'"]),
        ("tp crosses", P('place = near("rack", each = 2)', layout="layout { tp = 32 }"), ["TJ0646", "a tp group of 32 crosses segments of 2 replicas", 'write each = "tp"']),
        ("nobody", P('place = near("rack", each = 16)', job=""), ["TJ0828", "a part of their index", 'queue = "NAME"']),
        ("coscheduling", P('place = near("rack", each = 16)', job='gang = "coscheduling"'), ["TJ0828", 'gang = "kueue"']),
        ("a role that is unrolled", P('place = near("rack", each = 16)', more="env { N = str(pod.index * 2) }"), ["TJ0828", "each replica has its own"]),
        ("an annotation of its own", P('place = near("rack", each = 16)', more='annotations { "kueue.x-k8s.io/podset-slice-size" = "4" }'), "TJ0803")):
    t.case("segments: " + subject, program, says, status=1, files=TOPOLOGY)
t.case("ep crosses", P('place = near("rack", each = 4)', layout="layout { tp = 8, ep = 64 }"), ["TJ0645", "ep groups of 64 cross segments of 4 replicas", 'write each = "ep"'],
       status=0, files=TOPOLOGY)
t.case("tp in segments", P('place = near("rack", each = 4)', layout="layout { tp = 32 }"), lacks=("TJ0645", "TJ0646"), status=0, files=TOPOLOGY)
t.case("target pods", P('place = near("rack", each = 16)'), ["TJ0828", "use the target 'jobs' or 'jobset'"], args=("--target", "pods"), status=1, files=TOPOLOGY)
V = 'gang = "volcano"'
t.case("volcano, jobs", P('place = near("rack", each = 16)', job=V), ["TJ0828", "have equal labels", "--target pods"], status=1, files=TOPOLOGY)
t.case("volcano, pods", P('place = near("rack", each = 16)', job=V), ["subGroupSize: 16", "highestTierAllowed: 2", 'trainc.dev/segment: "3"'],
       args=("--target", "pods"), **S)
t.case("volcano, two sizes", P('place = [near("block", each = 32), near("rack", each = 16)]', job=V), ["TJ0828", "of one size"], args=("--target", "pods"), status=1, files=TOPOLOGY)
t.case("volcano, hosts", P('place = near("host", each = 16)', job=V), ["TJ0828", "a level that 'topology'"], args=("--target", "pods"), status=1, files=TOPOLOGY)
t.case("volcano, a block for one of two roles", P('place = [near("block"), near("rack", each = 16)]', job=V, after="role v { cpu = 1, memory = 1Gi }"),
       ["TJ0828", "the gang is one group"], args=("--target", "pods"), status=1, files=TOPOLOGY)
t.case("slices", TPU.replace("layout { tp = %d }", 'place = near("rack", each = 2)'), ["TJ0627", "'slices' divides already"], args=("--target", "jobset"), status=1, files=TOPOLOGY)

# ---- helps that are followed ----
def G(body, job="", roles=""):
    return ('import std.nvidia\njob "a" {\n  image = "r.example.com/a:1"\n  %s\n  %s\n  role w {\n    command = ["t"]\n    cpu = 8\n    memory = 64Gi\n    shm = 8Gi\n'
            '    accelerator = nvidia.h100(8)\n    %s\n  }\n}\n' % (job, roles, body))


CPU = 'role c { command = ["t"], cpu = 8, memory = 8Gi }'
for subject, program, says, right in (
        ("a tp that no number of hosts takes", G("replicas = 2\n    layout { tp = 6 }"), ["TJ0640", "write tp = 4: groups of 6 do not divide among hosts of 8"],
         G("replicas = 2\n    layout { tp = 4 }")),
        ("the same with stages", G("replicas = 2\n    layout { tp = 3, pp = 2 }"), ["TJ0640", "write tp = 2:"], G("replicas = 2\n    layout { tp = 2, pp = 2 }")),
        ("too few replicas", G("replicas = 3\n    layout { tp = 8, pp = 2 }"), ["TJ0640", "write replicas = 2 or replicas = 4"], G("replicas = 2\n    layout { tp = 8, pp = 2 }")),
        ("a layout of the job and a role without devices", G("replicas = 1", "layout { tp = 8 }", CPU), ["TJ0640", "1 replica is not", "'c' has no devices: write the layout into the roles"],
         G("replicas = 1\n    layout { tp = 8 }", "", CPU)),
        ("degrees in the role", G("replicas = 2\n    tp = 8"), ["TJ0202", "write layout { tp = 8 }"], G("replicas = 2\n    layout { tp = 8 }")),
        ("degrees in the job", G("replicas = 2", "tensor_parallel_size = 8"), ["TJ0202", "write layout { tp = 8 }"], G("replicas = 2", "layout { tp = 8 }")),
        ("a framework's word", G("replicas = 2\n    layout { tensor_parallel_size = 8 }"), ["TJ0202", "write 'tp'"], G("replicas = 2\n    layout { tp = 8 }")),
        ("another word", G("replicas = 2\n    layout { dp_shard = 16 }"), ["TJ0202", "write 'fsdp'"], G("replicas = 2\n    layout { fsdp = 16 }")),
        ("a word in the order", G('replicas = 2\n    layout { tp = 8, pp = 2, order = "tensor-pipeline" }'), ["TJ0644", "'tensor'", 'write order = "tp-pp"'],
         G('replicas = 2\n    layout { tp = 8, pp = 2, order = "tp-pp" }')),
        ("a slip in the order", G('replicas = 4\n    layout { tp = 8, pp = 2, order = "tp-ppp-dp" }'), ["TJ0644", "'ppp'", 'write order = "tp-pp-dp"'],
         G('replicas = 4\n    layout { tp = 8, pp = 2, order = "tp-pp-dp" }')),
        ("commas in the order", G('replicas = 2\n    layout { tp = 8, pp = 2, order = "tp,pp" }'), ["TJ0644", 'write order = "tp-pp"'],
         G('replicas = 2\n    layout { tp = 8, pp = 2, order = "tp-pp" }')),
        ("a list as the order", G('replicas = 2\n    layout { tp = 8, pp = 2, order = ["tp", "pp"] }'), ["TJ0302", "join([\"tp\", \"pp\"], \"-\")"],
         G('replicas = 2\n    layout { tp = 8, pp = 2, order = join(["tp", "pp"], "-") }')),
        ("a call in place of a block", G("replicas = 2\n    layout = layout(tp = 8)"), ["TJ0215", "write layout { tp = 8 }"], G("replicas = 2\n    layout { tp = 8 }"))):
    t.case(subject, program, says, status=1)
    t.case(subject + ", followed", right, lacks="error", status=0)
t.end()
