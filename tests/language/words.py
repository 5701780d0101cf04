"""words.py - words that people know from other tools.  Each row: what they write in a role, a part of the help, what the help makes of it, and what
the objects contain then: the program that results is the one that was meant."""
from table import Table, W

t = Table()
ROWS = [
    ('for_each = "x"', "write a loop before the job", None, ""),
    ("use_spot = true", "import std.spot", "...spot.gke", "cloud.google.com/gke-spot"),
    ('instance_type = "p5"', "node.kubernetes.io/instance-type", 'node { "node.kubernetes.io/instance-type" = "p5" }', "instance-type: p5"),
    ("gpus_per_node = 8", "accelerator = MODULE.DEVICE(8)", "accelerator = nvidia.h100(8), memory = 8Gi, cpu = 8, shm = 1Gi", "nvidia.com/gpu"),
    ('dataset = "s"', "readonly = true", 'mounts { "/data" = pvc("claim", readonly = true) }', "claimName: claim"),
    ('checkpoint = "c"', "/checkpoints", 'mounts { "/checkpoints" = pvc("claim") }', "claimName: claim"),
    ('output = "o"', "/output", 'mounts { "/output" = pvc("claim") }', "claimName: claim"),
    ('log_dir = "l"', "trainc logs", 'mounts { "/logs" = pvc("claim") }', "claimName: claim"),
    ('wandb = "w"', "WANDB_API_KEY = secret", 'env { WANDB_API_KEY = secret("wandb", "api-key") }', "secretKeyRef"),
    ('notify = "n"', "trainc run --on-end", None, ""),
    ("backoff = 3", "retries = 3", "retries = 3", "backoffLimit"),
    ("ssh = true", "trainc exec RUN ROLE/0", None, ""),
    ('ingress = "i"', "service = ", 'ports { http = 8000 }, service = "cluster"', "kind: Service"),
    ("efa = 4", "vpc.amazonaws.com/efa", 'resources { "vpc.amazonaws.com/efa" = 4 }', "vpc.amazonaws.com/efa"),
    ("tmp = 3Gi", "scratch(", 'mounts { "/tmp" = scratch("tmp", 16Gi) }', "mountPath: /tmp"),
    ("max_time = 2h", "timeout", None, ""),
    ("env { A = dict(1) }", "a map in braces", None, ""),
    ('mounts { "/etc/x" = configmap("x") }', "config_files", 'mounts { "/etc/x" = config_files("x") }', "configMap:"),
]
for wrong, says, right, made in ROWS:
    t.case(wrong, W(wrong), ["help: ", says], status=1)
    if right:
        imports = "".join("import std.%s\n" % m for m in ("spot", "nvidia") if m + "." in right)
        t.case(right, imports + W(right), made, lacks="error", status=0, command="compile")
t.case("img", 'job "a" { img = "a/b:1"\n  role w {} }\n', ["help: ", "image"], status=1)
# A list in a text: the help is inserted, and the list of every element that has a text becomes what was meant.
for kind, values, made in (("ints", "[1, 2]", "1,2"), ("strings", '["a", "b"]', "a,b"), ("bools", "[true, false]", "true,false"), ("floats", "[0.5, 1.5]", "0.5,1.5")):
    for where in ('args = ["--x=${xs}"]', 'env { A = "${xs}" }', "env { A = xs }"):
        head = "let xs = %s\n" % values
        both = t.case("%s in %s" % (kind, where), head + W(where), "help: write '", status=1)
        told = both.split("help: write '", 1)[-1].split("'", 1)[0]
        t.case("%s in %s, followed" % (kind, where), head + W(where.replace("xs", told)), made, lacks="error", status=0, command="compile")
t.case("a list of lists in a text", "let xs = [[1], [2]]\n" + W('args = ["${xs}"]'), "json(xs)", lacks="join(", status=1)
t.end()
