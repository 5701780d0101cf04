"""policies.py - the facts that a policy sees, and how policies are tested."""
from table import Table

t = Table()
PROJECT = 'project { policies = ["pol.tj"] }\n'
PINNED = '''policy "images are pinned" {
  for c in cluster.containers {
    check matches(c.image, ".*(:[^/]+|@sha256:.*)") else "image ${c.image} of ${c.kind} ${c.name} has no tag"
  }
}
'''


def job(role="", rest=""):
    return ('job "x" { image = "registry:5000/acme/train:1"\n  role task { cpu = 1, memory = 1Gi\n    %s\n  }\n  %s\n}\n' % (role, rest))


def refused(subject, program, policy=PINNED, says=("policy", "TJ0901", "evil/evil"), **more):
    t.case(subject, program, says, status=1, files={"project.tj": PROJECT, "pol.tj": policy}, **more)


t.case("a program that keeps the policy", job(), status=0, lacks="TJ0901", files={"project.tj": PROJECT, "pol.tj": PINNED})
refused("the image of an init container", job('init evil { image = "evil/evil", command = ["x"] }'), says=("TJ0901", "init evil", "a.tj:3:"))
refused("the image of a sidecar", job('sidecar evil { image = "evil/evil", cpu = 1, memory = 1Gi }'), says=("TJ0901", "sidecar evil"))
refused("the image of an auxiliary role", job("", 'aux a { image = "evil/evil", command = ["x"], cpu = 1, memory = 1Gi }'), says=("TJ0901", "main main"))
refused("a container of raw pod", job('raw pod { containers = [{ name = "extra", image = "evil/evil" }] }'), says=("TJ0901", "raw extra"))
refused("an init container of raw pod", job('raw pod { initContainers = [{ name = "extra", image = "evil/evil" }] }'))
refused("a Pod of one's own",
        job("", 'object p { apiVersion = "v1", kind = "Pod", spec { containers = [{ name = "x", image = "evil/evil" }] } }'),
        says=("TJ0901", "object x"))
refused("a Deployment of one's own", job("", '''object p { apiVersion = "apps/v1", kind = "Deployment", spec {
    selector { matchLabels { a = "b" } }
    template { metadata { labels { a = "b" } }, spec { containers = [{ name = "x", image = "evil/evil" }] } } } }'''))
refused("a CronJob of one's own", job("", '''object p { apiVersion = "batch/v1", kind = "CronJob", spec { schedule = "0 * * * *"
    jobTemplate { spec { template { spec { restartPolicy = "Never", containers = [{ name = "x", image = "evil/evil" }] } } } } } }'''))

# Members of a role and of the cluster, and their values.
MEMBERS = {
    'for r in cluster.all_roles { check len(r.containers) == 1 else "n = ${len(r.containers)}" }':
        ('init i { image = "a/b:1", command = ["x"] }', "n = 2"),
    'for r in cluster.roles { for v in r.volumes { check v.kind != "host_path" else "host ${v.source} at ${v.path}" } }':
        ('mounts { "/h" = host_path("/etc") }', "host /etc at /h"),
    'for r in cluster.roles { for v in r.volumes { check v.kind != "hostPath" else "raw ${v.source}" } }':
        ('raw pod { volumes = [{ name = "h", hostPath { path = "/etc" } }] }', "raw /etc"),
    'for r in cluster.roles { for v in r.volumes { check v.kind != "image" else "image ${v.source}" } }':
        ('raw pod { volumes = [{ name = "m", image { reference = "evil/evil" } }] }', "image evil/evil"),
    'for r in cluster.roles { for v in r.volumes { check v.source != "theirs" else "claim ${v.source}" } }':
        ('raw pod { volumes = [{ name = "m", persistentVolumeClaim { claimName = "theirs" } }] }', "claim theirs"),
    'for r in cluster.roles { check "gpu:NoSchedule" not in r.tolerations else "it tolerates gpu" }':
        ('raw pod { tolerations = [{ key = "gpu", operator = "Exists", effect = "NoSchedule" }] }', "it tolerates gpu"),
    'for r in cluster.roles { check not has(r.raw.pod, "hostNetwork") else "host network" }':
        ('raw pod { hostNetwork = true, dnsPolicy = "ClusterFirstWithHostNet" }', "host network"),
    'for c in cluster.containers { check not has(c.raw, "securityContext") else "context of ${c.name}" }':
        ('raw container { securityContext { privileged = true } }', "context of main"),
    'for r in cluster.roles { check not r.host_network else "network of ${r.name}" }':
        ("host_network = true", "network of task"),
    'for r in cluster.roles { check (r.runtime_class ?? "") == "gvisor" else "runtime of ${r.name}: ${r.runtime_class ?? "none"}" }':
        ('runtime_class = "nvidia"', "runtime of task: nvidia"),
    'for r in cluster.roles { check not (r.automount ?? true) else "token in ${r.name}" }': ("automount = true", "token in task"),
    'for c in cluster.containers { check "secret/aws" not in c.env_from else "all of aws in ${c.name}" }':
        ('sidecar s { image = "a/b:1", env_from = secret_env("aws") }', "all of aws in s"),
    'for r in cluster.roles { check "a" in (r.avoid["pool"] ?? []) else "pool a for ${r.name}" }': ('avoid { pool = ["b", "c"] }', "pool a for task"),
    'for r in cluster.roles { check not has(r.node_labels, "pool") or r.node_labels["pool"] == ["a"] else "pools ${join(r.node_labels["pool"], "+")}" }':
        ('node_in { pool = ["b", "c"] }', "pools b+c"),
    'for c in cluster.containers { check c.env_from == [] else "more of ${c.name}: ${c.env_from[0]}" }':
        ('raw container { envFrom = [{ configMapRef = { name = "x" } }] }', "more of main: config/x"),
    'for r in cluster.roles { check len([s for s in r.env_from if s.secret != none]) == 0 else "all of a secret in ${r.name}" }':
        ('env_from = secret_env("aws", optional = true)', "all of a secret in task"),
    'for c in cluster.containers { check not c.security.privileged else "privileged ${c.name}" }':
        ('raw container { securityContext { privileged = true } }', "privileged main"),
    'for c in cluster.containers { check c.security.restricted else "free ${c.name}" }':
        ('security = "restricted", sidecar s { image = "a/b:1", security = none }', "free s"),
    'for c in cluster.containers { check (c.security.run_as ?? 0) >= 1000 else "user ${c.security.run_as ?? 0} of ${c.name}" }':
        ('security { run_as = 1000 }, init i { image = "a/b:1", security { run_as = 7 } }', "user 7 of i"),
    'for c in cluster.containers { check (c.security.run_as ?? 0) != 3 else "three" }':
        ('raw pod { securityContext { runAsUser = 3 } }', "three"),
    'for c in cluster.containers { check "SYS_ADMIN" not in c.security.capabilities else "admin ${c.name}" }':
        ('security { capabilities = ["SYS_ADMIN"] }', "admin main"),
    'for c in cluster.containers { check c.security.seccomp == "runtime-default" and "ALL" in c.security.drop else "open ${c.name}" }':
        ('security { drop = ["ALL"] }', "open main"),
    'for c in cluster.containers { check not c.security.escalation and c.security.non_root else "gains ${c.name}" }':
        ('security { escalation = false }', "gains main"),
    'for r in cluster.roles { check (r.limits.memory ?? 3Gi) != 3Gi else "limit of ${r.name}" }':
        ('limits { cpu = 2 }', "limit of task"),
    'for r in cluster.roles { check r.security != none and (r.security.level ?? "") == "restricted" else "level of ${r.name}" }':
        ('security { run_as = 1 }', "level of task"),
    'for c in cluster.containers { check "TOKEN" not in c.env else "variable in ${c.name}" }':
        ('sidecar s { image = "a/b:1", cpu = 1, memory = 1Gi, env { TOKEN = "x" } }', "variable in s"),
    'for c in cluster.containers { check "/h" not in c.mounts else "mount in ${c.name}" }':
        ('mounts { "/h" = pvc("d") }', "mount in main"),
    'for c in cluster.containers { check (c.memory ?? 0Gi) <= 1Gi else "memory of ${c.name} in ${c.role}" }':
        ('sidecar s { image = "a/b:1", cpu = 1, memory = 2Gi }', "memory of s in task"),
    'for c in cluster.containers { check not has(c.resources, "rdma/hca") or c.resources["rdma/hca"] <= 4 else "adapters of ${c.name}" }':
        ('sidecar s { image = "a/b:1", resources { "rdma/hca" = 5 } }', "adapters of s"),
    'for c in cluster.containers { for r, n in c.resources { check r != "hugepages-2Mi" or n <= 1Gi else "pages of ${c.name}" } }':
        ('resources { "hugepages-2Mi" = 2Gi }', "pages of main"),
    'for c in cluster.containers { check "nvidia.com/gpu" not in keys(c.resources) else "${c.resources["nvidia.com/gpu"]} devices of ${c.name}" }':
        ('init i { image = "a/b:1", command = ["x"], raw container { resources { limits { "nvidia.com/gpu" = 2 } } } }', "2 devices of i"),
    'for r in cluster.all_roles { for c, template in r.device_claims { check template != "any-gpu" else "claim ${c} of ${r.name}" } }':
        ('device_claims { gpu = "any-gpu" }', "claim gpu of task"),
    'for r in cluster.roles { check r.place == none or (r.place.near ?? "") != "host" else "place of ${r.name}" }':
        ('place = near("host")', "place of task"),
    'for c in cluster.containers { check "evil" not in c.words else "word of ${c.name}" }':
        ('init i { image = "a/b:1", command = ["sh", "evil"] }', "word of i"),
}
for policy, (role, said) in MEMBERS.items():
    refused(policy[:60], job(role), 'policy "p" { %s }\n' % policy, ("TJ0901", said))
refused("kinds of extra objects", job("", 'object p { apiVersion = "v1", kind = "Secret", stringData { a = "b" } }'),
        'policy "p" { for o in cluster.objects { check o.kind != "Secret" else "${o.name} is a ${o.kind} of ${o.api}" } }\n',
        ("TJ0901", "p is a Secret of v1"))
refused("data of extra objects", job("", 'object p { apiVersion = "v1", kind = "ConfigMap", data { a = "b" } }'),
        'policy "p" { for o in cluster.objects { check o.data.data.a != "b" else "a is b" } }\n', ("TJ0901", "a is b"))
t.case("members that are known late, in a framework", 'framework f { role a { }, check len(cluster.containers) > 0 else "x" }\n'
       'job "x": f { image = "a/b:1", role a { cpu = 1, memory = 1Gi } }\n', ["TJ0202", "use it in a policy or a test"], status=1)
t.case("members that are known late, in a test", job() + 'test "one" { check len(roles.task.containers) == 1 else "x" }\n', "1 passed", command="test",
       status=0)

# raw = false
for what, program in (("raw pod", job("raw pod { hostIPC = true }")), ("an object", job("", 'object o { apiVersion = "v1", kind = "ConfigMap" }'))):
    t.case("raw = false refuses " + what, program, ["TJ0901", "refused by the project: 'raw = false'"], lacks="--no-raw", status=1, files={"project.tj": "project { raw = false }\n"})
t.case("raw = true", job("raw pod { hostIPC = true }"), lacks="TJ0901", status=0, files={"project.tj": "project { raw = true }\n"})

# A file without a policy.
t.case("a file without a policy", job(), ["project.tj:1:", "'pol.tj' has no policy"], status=1,
       files={"project.tj": PROJECT, "pol.tj": "let a = 1\n"})

t.case("a policy without a check", job(), ["pol.tj:1:8: error: this policy checks nothing"], status=1, files={"project.tj": PROJECT, "pol.tj": 'policy "p" { }\n'})
t.case("a name near a member of policies", job(), ["no field 'container'", "did you mean 'containers'?"], status=1,
       files={"project.tj": PROJECT, "pol.tj": 'policy "p" { for c in cluster.container { check c.name != "" else "x" } }\n'})
t.case("a name near a role's member of policies", job(), ["no field 'volume'", "did you mean 'volumes'?"], status=1,
       files={"project.tj": PROJECT, "pol.tj": 'policy "p" { for r in cluster.roles { check len(r.volume) == 0 else "x" } }\n'})

# An error inside a policy names the job and the role; severity.
t.case("a policy that asks for what a job lacks", job(), ["pol.tj:", "in job 'x'", "of role 'task'"], status=1,
       files={"project.tj": PROJECT, "pol.tj": 'policy "p" { for r in cluster.roles { check r.labels.team == "a" else "x" } }\n'})
t.case("a policy that only warns", job(), ["warning", 'policy "p": it has one role'], status=0,
       files={"project.tj": PROJECT, "pol.tj": 'policy "p" { warn len(cluster.roles) > 1 else "it has one role" }\n'})
t.case("the job that breaks a policy is named", job(), ["job 'x'"], status=1,
       files={"project.tj": PROJECT, "pol.tj": 'policy "p" { for r in cluster.roles { check (r.cpu ?? 500m) > 1000m else "too small" } }\n'})
t.end()
