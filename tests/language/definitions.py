"""definitions.py - values of objects against the definition of their kind: bounds, lengths, numbers of elements and patterns,
of add-ons that trainc knows, and of kinds that `trainc vendor crd` has read."""
import os
import subprocess
import tempfile

from table import TRAINC, Table, W

t = Table()


def of(api, kind, body):
    return W('command = ["x"]').replace("  role w", '  object o { apiVersion = "%s", kind = "%s", %s }\n  role w' % (api, kind, body))


# ---- add-ons: what a server with their definitions refuses, and the same object with a right value ----
JOBSET, LWS, KUEUE, TRAINER = "jobset.x-k8s.io/v1alpha2", "leaderworkerset.x-k8s.io/v1", "kueue.x-k8s.io/v1beta1", "trainer.kubeflow.org/v1alpha1"
POD = '{ spec { containers = [{ name = "x", image = "y:1" }] } }'
FLAVORS = "spec { resourceGroups = [{ coveredResources = [\"cpu\"], flavors = %s }] }"
FLAVOR = '{ name = "a", resources = [{ name = "cpu", nominalQuota = 1 }] }'
for api, kind, body, wrong, right, says in (
        (JOBSET, "JobSet", "spec { ttlSecondsAfterFinished = %s }", "-5", "0", "'ttlSecondsAfterFinished' cannot be -5"),
        (LWS, "LeaderWorkerSet", "spec { replicas = %s, leaderWorkerTemplate { workerTemplate " + POD + " } }", "-1", "1", "'replicas' cannot be -1"),
        (KUEUE, "LocalQueue", "spec { clusterQueue = %s }", '"UPPER_case"', '"lower-case"', "'clusterQueue' cannot be 'UPPER_case'"),
        (KUEUE, "LocalQueue", "spec { clusterQueue = %s }", '"%s"' % ("a" * 254), '"%s"' % ("a" * 253), "'clusterQueue' has 254 characters"),
        (KUEUE, "ClusterQueue", FLAVORS, "[]", "[%s]" % FLAVOR, "'flavors' has 0 elements"),
        (KUEUE, "ClusterQueue", FLAVORS, "[%s]" % FLAVOR.replace('"a"', '"A"'), "[%s]" % FLAVOR, "'name' cannot be 'A'"),
        (TRAINER, "TrainJob", "spec { runtimeRef { name = %s } }", '""', '"torch"', "'name' has 0 characters")):
    t.case("%s: %s" % (kind, says), of(api, kind, body % wrong), ["TJ0904", says, "a.tj:2:", "the definition of the kind allows"], status=1)
    t.case("%s without that: %s" % (kind, right[:20]), of(api, kind, body % right), status=0)

# ---- kinds of the project: every sort of limit, at its edges ----
CRD = '''apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: farms.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: farms, singular: farm, kind: Farm}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              count: {type: integer, minimum: 1, maximum: 8}
              least: {type: integer, minimum: -2}
              most: {type: integer, maximum: 5}
              above: {type: integer, minimum: 0, exclusiveMinimum: true}
              share: {type: number, minimum: 1}
              word: {type: string, minLength: 2, maxLength: 3}
              exact: {type: string, minLength: 2, maxLength: 2}
              name: {type: string, pattern: "^[a-z]+$"}
              part: {type: string, pattern: "b{2}"}
              either: {type: string, pattern: "^a|b$"}
              quoted: {type: string, pattern: '^"\\\\?$'}
              perl: {type: string, pattern: "^(?:a|b)$"}
              spaced: {type: string, pattern: "^a b$"}
              list: {type: array, minItems: 1, maxItems: 2, items: {type: string, maxLength: 2, pattern: "^x"}}
              map: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: integer, minimum: 3}}
              amount: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: "^[0-9]+$"}
              deep: {type: array, items: {type: object, properties: {size: {type: integer, maximum: 1}}}}
'''
with tempfile.TemporaryDirectory() as place:
    with open(os.path.join(place, "crd.yaml"), "w", encoding="utf-8") as f:
        f.write(CRD)
    with open(os.path.join(place, "project.tj"), "w", encoding="utf-8") as f:
        f.write("project { }\n")
    done = subprocess.run([TRAINC, "vendor", "crd", "crd.yaml"], cwd=place, capture_output=True, text=True, timeout=60)
    t.note("the definition is read", done.returncode and done.stderr)
    with open(os.path.join(place, "crds.tbl"), encoding="utf-8") as f:
        FILES = {"project.tj": "project { }\n", "crds.tbl": f.read()}
for value, says in (
        ("count = 1", ""), ("count = 8", ""), ("count = 0", "'count' cannot be 0"), ("count = 9", "1 to 8"), ("least = -2", ""), ("least = -3", "at least -2"),
        ("most = 5", ""), ("most = 6", "at most 5"), ("above = 0", ""), ("share = 1", ""), ("share = 0", "at least 1"),
        ('word = "ab"', ""), ('word = "äöü"', ""), ('word = "a"', "'word' has 1 characters"), ('word = "abcd"', "2 to 3 characters"),
        ('exact = "abc"', "allows 2 characters"), ('name = "abc"', ""), ('name = "aBc"', "'name' cannot be 'aBc'"), ('name = "abc1"', "matches ^[a-z]+$"),
        ('name = ""', "'name' cannot be ''"), ('part = "abba"', ""), ('part = "abab"', "cannot be 'abab'"), ('either = "ax"', ""), ('either = "xb"', ""),
        ('either = "xx"', "cannot be 'xx'"), ("quoted = \"\\\"\\\\\"", ""), ('quoted = "x"', "cannot be 'x'"), ('perl = "c"', ""), ('spaced = "c"', ""),
        ('list = ["xa", "xb"]', ""), ("list = []", "'list' has 0 elements"), ('list = ["x", "x", "x"]', "1 to 2 elements"), ('list = ["xab"]', "'list' has 3 characters"),
        ('list = ["a"]', "'list' cannot be 'a'"), ("map { a = 3 }", ""), ("map { }", "'map' has 0 members"), ("map { a = 3, b = 3, c = 3 }", "1 to 2 members"),
        ("map { a = 2 }", "at least 3"), ('amount = "x"', ""), ("deep = [{ size = 1 }]", ""), ("deep = [{ size = 2 }]", "'size' cannot be 2"), ('word = 3', "found a number")):
    t.case("Farm: " + value, of("example.com/v1", "Farm", "spec { %s }" % value), ["TJ0904", says] if says else (), lacks="TJ0904" if not says else (),
           status=1 if says else 0, files=FILES)
t.end()
