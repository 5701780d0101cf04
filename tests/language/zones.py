"""zones.py - the zones that replicas run in."""
from table import JOB, Table, W

t = Table()
ONE = 'nodeSelector:\n        topology.kubernetes.io/zone: a-1\n'
SEVERAL = '''affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions:
              - key: topology.kubernetes.io/zone
                operator: In
                values:
                - a-1
                - a-2
'''
BOTH = 'zone = ["a-1", "a-2"]'
C = {"command": "compile", "status": 0}

t.case("one zone", W('zone = "a-1"'), ONE, lacks="affinity", **C)
t.case("a list of one", W('zone = ["a-1"]'), ONE, **C)
t.case("beside other labels of nodes", W('zone = "a-1", node { pool = "big" }'), "nodeSelector:\n        pool: big\n        topology.kubernetes.io/zone: a-1\n", **C)
t.case("several zones", W(BOTH), SEVERAL, lacks="nodeSelector:", **C)
t.case("no zone", W("zone = []"), lacks=("topology.kubernetes.io", "affinity"), **C)
t.case("a parameter", 'param where: string = "a-1"\n' + W("zone = where"), ONE, **C)
t.case("one of two", 'param far: bool = false\n' + W('zone = if far then ["b-1", "b-2"] else "a-1"'), ONE, **C)
t.case("one more", JOB('zone = "a-1"\nrole w { zone += ["a-2"] }'), SEVERAL, **C)
t.case("the job's, for its roles but not for what runs beside them", JOB('zone = "a-1"\nrole w { }\naux b { }'), ONE, **C)
t.case("several zones, and one host for each", W('replicas = 2, spread = "host", ' + BOTH), ["podAntiAffinity", "nodeAffinity"], **C)
t.case("several zones, spread over them", W('replicas = 2, spread = "zone", ' + BOTH), ["topologySpreadConstraints", "nodeAffinity"], **C)
t.case("all in one of several zones", W('replicas = 2, place = near("zone"), ' + BOTH), ["podAffinity", "nodeAffinity"], **C)
t.case("a bundle", 'let here: Role = { zone = ["a-1"] }\n' + W("...here"), ONE, **C)
t.case("the project's defaults", W(""), ONE, files={"project.tj": 'project { defaults { zone = "a-1" } }\n'}, **C)
for target in ("pods", "jobset", "trainer"):
    t.case("several zones: " + target, W(BOTH), "operator: In", args=("--target", target), **C)
t.case("several zones: kubeflow", 'import std.kubeflow\njob "a": kubeflow.pytorchjob { image = "a/b:1"\n  role worker { %s } }\n' % BOTH, "operator: In",
       args=("--target", "kubeflow"), **C)
t.case("the plan", W(BOTH), "role 'w' runs in zone a-1 or a-2", command="plan", status=0)
t.case("the plan for programs", W(BOTH), '"zones": [ "a-1", "a-2" ]', command="plan", args=("-o", "json"), status=0)
t.case("a policy", W(BOTH), ["TJ0901", "not in a-2"], status=1, files={
    "project.tj": 'project { policies = ["p.tj"] }\n', "p.tj": 'policy "p" { for r in cluster.roles { check "a-2" not in r.zone else "not in a-2" } }\n'})
t.case("a typed field of a framework", 'framework f {\n  role w { zone: list[string](1..) }\n  success = done(w) }\njob "a": f { image = "a/b:1"\n  role w { } }\n', "TJ0512", status=1)
t.case("a typed field of a framework, met", 'framework f {\n  role w { zone: list[string](1..) }\n  success = done(w) }\njob "a": f { image = "a/b:1"\n  role w { zone = "a-1" } }\n', status=0)

# ---- what is refused ----
t.case("no label's value", W('zone = "eu west"'), ["zone 'eu west'"], status=1)
t.case("an empty zone", W('zone = ""'), "it is empty", status=1)
t.case("a number", W("zone = 3"), "TJ0302", status=1)
t.case("without quotes", W("zone = eu-west-1a"), status=1)
t.case("also in node", W('zone = "a-1", node { "topology.kubernetes.io/zone" = "a-2" }'), ["TJ0206", "'zone' and 'node' both set the zone of role 'w'"], status=1)
t.case("also by the accelerator", 'accelerator npu() { resource = "example.com/npu", per_pod = 1, node = { "topology.kubernetes.io/zone" = "a-2" } }\n'
       + W('zone = "a-1", accelerator = npu(), cpu = 1, memory = 4Gi'), ["TJ0206", "'zone' and 'accelerator' both"], status=1)
t.case("one zone, and spread over zones", W('replicas = 2, zone = "a-1", spread = "zone"'), ["TJ0627", "name several zones"], status=1)
t.case("another affinity to nodes", W(BOTH + ', raw pod { affinity { nodeAffinity { requiredDuringSchedulingIgnoredDuringExecution { nodeSelectorTerms = '
       '[{ matchExpressions = [{ key = "x", operator = "Exists" }] }] } } } }'), "TJ0902", status=1)
t.case("by the index", W('replicas = 2, zone = if pod.index == 0 then "a-1" else "a-2"'), "TJ0708", status=1)
t.case("a region", W('region = "eu"'), ["TJ0202", 'node { "topology.kubernetes.io/region" = "eu" }'], status=1)
t.case("a zone twice", W('zone = ["a-1", "a-2", "a-1"]'), ["TJ0206", "'a-1' is listed twice in 'zone'", "first here"], status=1)
t.end()
