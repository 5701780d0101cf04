"""imports.py [NAME...] - `import --from-cluster` against an API server in memory."""
import os
import sys

import world
from world import main, must, status

world.KINDS.update({
    "pytorchjobs": ("kubeflow.org", "v1", "PyTorchJob"), "jobsets": ("jobset.x-k8s.io", "v1alpha2", "JobSet"),
    "trainjobs": ("trainer.kubeflow.org", "v1alpha1", "TrainJob"),
    "deployments": ("apps", "v1", "Deployment"),
    "customresourcedefinitions": ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
    "trainingruntimes": ("trainer.kubeflow.org", "v1alpha1", "TrainingRuntime")})
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def serve(w, *plurals):
    """Adds these kinds of other systems to the server."""
    for plural in plurals:
        group, version, kind = world.KINDS[plural]
        w.groups.append({"metadata": {"name": group}, "versions": [{"version": version, "resources": [
            {"resource": plural, "scope": "Namespaced", "responseKind": {"kind": kind, "group": group, "version": version}}]}]})


def template(image="registry.example.com/a:1"):
    return {"spec": {"restartPolicy": "Never", "containers": [
        {"name": "main", "image": image, "terminationMessagePath": "/dev/termination-log"}]}}


def job(w, name, ns="default", **metadata):
    """A Job as the server stores it."""
    uid = "job-" + name
    own = {"controller-uid": uid, "job-name": name}
    pods = {"metadata": {"labels": dict(own)}, **template()}
    return w.put("jobs", ns, {"metadata": {"name": name, "uid": uid, "labels": dict(own), "managedFields": [{"manager": "x"}], **metadata},
                              "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimit": 0,
                                       "selector": {"matchLabels": {"controller-uid": uid}}, "template": pods},
                              "status": {"active": 2}})


def torch(w, name):
    return w.put("pytorchjobs", "default", {"metadata": {"name": name}, "spec": {"pytorchReplicaSpecs": {
        "Worker": {"replicas": 3, "template": {"spec": {"containers": [
            {"name": "pytorch", "image": "registry.example.com/a:1", "command": ["train"]}]}}}}}})


@check
def one(w):
    """a job by its name, of any kind: its program, without anything that the server wrote"""
    serve(w, "pytorchjobs")
    job(w, "plain")
    torch(w, "bert")
    out, _ = w.want(0, "import", "--from-cluster", "plain", out=r'job "plain" \{\n  namespace = "default"')
    must("replicas = 2" in out and "uid" not in out and "termination" not in out, out)
    w.want(0, "import", "--from-cluster", "bert", out=r'job "bert": kubeflow.pytorchjob')
    w.want(0, "import", "--from-cluster", "PyTorchJobs/bert", "job/plain", out=r'(?s)job "bert".*job "plain"')
    w.want(0, "import", "--from-cluster", "pytorchjob.kubeflow.org/bert", out=r'job "bert"')
    must(not w.names("configmaps") and all(m == "GET" for m, *_ in w.requests), "something was written")


@check
def parts(w):
    """labels by which a tool finds its objects are not in the program; for an object that a controller created, the
    message says to import its owner"""
    pods = {"labels": {"applyset.kubernetes.io/part-of": "applyset-x-v1", "team": "ml"}}
    made = job(w, "a", labels={"applyset.kubernetes.io/part-of": "applyset-x-v1", "trainc.dev/job": "a", "tier": "gold"})
    made["spec"]["template"]["metadata"] = pods
    w.put("jobs", "default", made)
    out, err = w.want(0, "import", "--from-cluster", "a", out="gold")
    must("ml" in out and "applyset" not in out and "trainc.dev" not in out and not err, out + err)
    job(w, "part", ownerReferences=[{"kind": "JobSet", "name": "set", "uid": "u", "controller": True, "apiVersion": "jobset.x-k8s.io/v1alpha2"}])
    w.want(1, "import", "--from-cluster", "part", err="Job 'part' belongs to JobSet 'set'.*import JobSet 'set' instead")


@check
def compiled(w):
    """the output is a program"""
    serve(w, "pytorchjobs")
    torch(w, "bert")
    out, _ = w.want(0, "import", "--from-cluster", "bert")
    w.write("bert.tj", out)
    w.want(0, "compile", "bert.tj", out="kind: Job")
    w.want(0, "import", "--from-cluster", "bert", "--output-dir", "programs")
    must(open(w.dir + "/programs/bert.tj").read() == out, "the file is another program")


@check
def everything(w):
    """--all: no programs of ours, nothing that a controller created; --all-namespaces: other namespaces, too"""
    serve(w, "jobsets")
    job(w, "b")
    job(w, "a")
    job(w, "elsewhere", "team")
    job(w, "part", ownerReferences=[{"kind": "JobSet", "name": "set", "uid": "u", "controller": True, "apiVersion": "jobset.x-k8s.io/v1alpha2"}])
    job(w, "ours", labels={"app.kubernetes.io/managed-by": "trainc"})
    out, _ = w.want(0, "import", "--from-cluster", "--all", err="1 object is left out: trainc apply made it from programs")
    must([line for line in out.splitlines() if line.startswith("job")] == ['job "a" {', 'job "b" {'], out)
    out, _ = w.want(0, "import", "--from-cluster", "--all", "-A")
    must('job "elsewhere"' in out, out)
    w.want(0, "import", "--from-cluster", "--namespace", "team", "elsewhere", out='namespace = "team"')
    w.want(1, "import", "--from-cluster", "--all", "--namespace", "empty", err="found no job to import in namespace 'empty'")


@check
def runtime(w):
    """a TrainJob is imported with its runtime, once"""
    serve(w, "trainjobs", "trainingruntimes")
    w.put("trainingruntimes", "default", {"metadata": {"name": "torch"}, "spec": {"mlPolicy": {"numNodes": 2}, "template": {"spec": {"replicatedJobs": [
        {"name": "node", "template": {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                                      "spec": {"backoffLimit": 0, "template": {"spec": {"containers": [{"name": "node", "image": "registry.example.com/a:1"}]}}}}}]}}}})
    for name in "a", "b":
        w.put("trainjobs", "default", {"metadata": {"name": name}, "spec": {"runtimeRef": {"kind": "TrainingRuntime", "name": "torch"}}})
    out, _ = w.want(0, "import", "--from-cluster", "a", "b")
    must('job "a"' in out and 'job "b"' in out, out)
    asked = [path for method, path, *_ in w.requests if "trainingruntimes" in path]
    must(len(asked) == 1, asked)
    w.take("trainingruntimes", "default", "torch")
    w.want(1, "import", "--from-cluster", "a", err="trainjob/a:[0-9]+:[0-9]+: error: the TrainingRuntime 'torch'")


@check
def missing(w):
    """wrong names, kinds and servers: the message lists what exists"""
    serve(w, "pytorchjobs")
    job(w, "plain")
    job(w, "bert")
    torch(w, "bert")
    w.want(1, "import", "--from-cluster", "plan", err="no job 'plan' in namespace 'default'; did you mean 'plain'")
    w.want(1, "import", "--from-cluster", "pytorchjob/plain", err="no pytorchjob 'plain'")
    w.want(2, "import", "--from-cluster", "bert", err="'bert' may be .*pytorchjob/bert or job/bert|'bert' may be job/bert or pytorchjob/bert")
    w.want(2, "import", "--from-cluster", "jobset/x", err="does not have the kind JobSet")
    w.want(2, "import", "--from-cluster", "jbo/x", err="not a kind that can be imported; did you mean 'job'")
    w.want(2, "import", "--from-cluster", "deployment/x", err="not a kind that can be imported; the cluster has pytorchjob, pod, job")
    w.want(2, "import", "--from-cluster", "/x", err="'/x' is not KIND/NAME or NAME")
    w.want(2, "import", "--from-cluster", "job/", err="'job/' is not KIND/NAME or NAME")
    w.want(1, "import", "--from-cluster", "--all", err="two jobs are named 'bert'")
    w.take("pytorchjobs", "default", "bert")
    w.fault("GET", "/jobs", status(403, "Forbidden", 'jobs.batch is forbidden: User "eve" cannot list resource "jobs"'))
    out, _ = w.want(4, "import", "--from-cluster", "--all", err="cannot list resource")
    must(not out, "some jobs would be missing, and nobody would notice")


@check
def words(w):
    """options that exclude each other"""
    w.want(2, "import", err="needs at least one manifest.*--from-cluster NAME")
    w.want(2, "import", "--all", err="--all is about a cluster; add --from-cluster")
    w.want(2, "import", "--namespace", "x", "a.yaml", err="--namespace is about a cluster")
    w.want(2, "import", "--from-cluster", err="names of jobs, as NAME or KIND/NAME, or --all")
    w.want(2, "import", "--from-cluster", "--all", "a", err="leave out 'a', or --all")
    w.want(2, "import", "--from-cluster", "-A", "a", err="--all-namespaces needs --all")


@check
def definitions(w):
    """vendor crd --from-cluster: by kind, plural, name or group; the result is the same as from a file"""
    serve(w, "customresourcedefinitions", "jobsets")
    w.groups.append({"metadata": {"name": "acme.io"}, "versions": [{"version": "v1", "resources": [
        {"resource": r, "scope": "Namespaced", "responseKind": {"kind": k, "group": "acme.io", "version": "v1"}}
        for r, k in (("widgets", "Widget"), ("gadgets", "Gadget"))]}]})
    for plural, kind in ("widgets", "Widget"), ("gadgets", "Gadget"):
        w.put("customresourcedefinitions", "", {"metadata": {"name": plural + ".acme.io"}, "spec": {
            "group": "acme.io", "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
            "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"caBundle": "eA=="}}},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}}}}}]}})
    for word in "Widget", "widgets", "widgets.acme.io":
        w.want(0, "vendor", "crd", "--from-cluster", word, out="^acme.io/v1 Widget$")
    first = open(w.dir + "/crds.tbl").read()
    w.put("customresourcedefinitions", "", w.get("customresourcedefinitions", "widgets.acme.io", ""))
    w.want(0, "vendor", "crd", "--from-cluster", "Widget")
    must(open(w.dir + "/crds.tbl").read() == first, "another resourceVersion is another definition")
    w.want(0, "vendor", "crd", "--from-cluster", "acme.io", out="(?s)Gadget.*Widget")
    w.write("a.tj", 'job "a" {\n  image = "busybox:1"\n  role r {\n    cpu = 1\n    memory = 1Gi\n  }\n  object w {\n    apiVersion = "acme.io/v1"\n'
            '    kind = "Widget"\n    spec { sice = 3 }\n  }\n}\n')
    w.want(1, "check", "a.tj", err="sice")
    before = open(w.dir + "/crds.tbl").read()
    w.want(1, "vendor", "crd", "--from-cluster", "Wigdet", err="no kind, definition or group 'Wigdet'; did you mean 'Widget'")
    w.want(1, "vendor", "crd", "--from-cluster", "jobset", err="jobsets.jobset.x-k8s.io has no definition")
    w.want(2, "vendor", "crd", "--from-cluster", err="vendor crd --from-cluster KIND")
    w.want(2, "vendor", "--context", "x", err="--context is about a cluster; add --from-cluster")
    must(open(w.dir + "/crds.tbl").read() == before, "a refusal changes nothing")


def fields(*paths):
    """The schema of an object with these fields; `=` precedes a word of an enumeration, [] precedes an element."""
    top = {"type": "object", "properties": {}}
    for path in paths:
        at, (keys, _, word) = top, path.partition("=")
        for key in keys.split("."):
            at = at["items"] if "items" in at else at
            at = at.setdefault("properties", {}).setdefault(key.rstrip("[]"), {})
            if key.endswith("[]"):
                at.setdefault("items", {"type": "object"})
        if word:
            at.setdefault("enum", []).append(word)
    return top


def define(w, plural, kind, version, *paths):
    """Adds a kind to the server, whose definition has these fields."""
    name, _, group = plural.partition(".")
    w.groups.append({"metadata": {"name": group}, "versions": [{"version": version, "resources": [
        {"resource": name, "scope": "Namespaced", "responseKind": {"kind": kind, "group": group, "version": version}}]}]})
    w.put("customresourcedefinitions", "", {"metadata": {"name": plural}, "spec": {"versions": [
        {"name": "v0", "schema": {"openAPIV3Schema": fields("spec.old")}}, {"name": version, "schema": {"openAPIV3Schema": fields(*paths)}}]}})


def deploy(w, name, image, **labels):
    w.put("deployments", "system", {"metadata": {"name": name, "labels": labels}, "spec": {"template": {"spec": {"containers": [
        {"name": "sidecar", "image": "registry.example.com/proxy:v9.9.9"}, {"name": "manager", "image": image}]}}}})


@check
def addons(w):
    """vendor addons --from-cluster: versions found by definitions and images, written to project.tj"""
    project = w.dir + "/project.tj"
    serve(w, "customresourcedefinitions", "deployments")
    w.want(1, "vendor", "addons", "--from-cluster", err="no add-on whose version 'addons' could name")
    must(not os.path.exists(project), "nothing found, nothing written")
    w.want(2, "vendor", "addons", err="'trainc vendor addons --from-cluster' the versions")
    # definitions alone
    rules, replicated = "spec.failurePolicy.rules[].name", "spec.replicatedJobs[].dependsOn[].name"
    define(w, "jobsets.jobset.x-k8s.io", "JobSet", "v1alpha2", rules, "spec.failurePolicy.restartStrategy=Recreate", replicated)
    w.want(0, "vendor", "--from-cluster", out=r"^jobset 0.8 \(its definitions\)$")
    must(open(project).read() == 'project {\n  addons { jobset = "0.8" }\n}\n', open(project).read())
    # with controllers, in a project with other settings
    define(w, "trainjobs.trainer.kubeflow.org", "TrainJob", "v1alpha1", "spec.podTemplateOverrides[].x", "spec.labels", "spec.annotations")
    deploy(w, "queue", "registry.example.com:5000/kueue/kueue:v0.18.2@sha256:12")
    deploy(w, "other", "registry.example.com/kueue/kueue-viz:v0.1.0")
    deploy(w, "train", "registry.example.com/kubeflow/trainer/trainer-controller-manager:latest", **{"app.kubernetes.io/version": "2.1.0"})
    w.write("project.tj", '# ours\nproject { kubernetes = "1.33", addons = { kueue = "0.17" } }   # last\n')
    w.want(0, "vendor", "addons", "--from-cluster", out=r"(?s)^kueue 0.18 \(Deployment system/queue\)$.*^trainer 2.1 \(Deployment system/train\)$")
    must(open(project).read() == '# ours\nproject { kubernetes = "1.33", addons { kueue = "0.18", jobset = "0.8", trainer = "2.1" } }   # last\n', open(project).read())
    w.write("a.tj", 'job "a" {\n  image = "busybox:1"\n  queue = "q"\n  role r {\n    cpu = 1\n    memory = 1Gi\n  }\n}\n')
    w.want(1, "check", "--target", "trainer", "a.tj", err=r"Kueue 0.18 never starts a TrainJob of Trainer 2.1.*\[TJ0829\]")
    # definitions that an upgrade left behind decide
    deploy(w, "train", "registry.example.com/trainer/trainer-controller-manager:v2.2.1")
    w.want(0, "vendor", "addons", "--from-cluster", out="^trainer 2.1 ", err="the definitions of Trainer in the cluster are those of 2.1, its controller is 2.2")
    # unknown versions
    deploy(w, "queue", "registry.example.com/kueue/kueue:v0.99.0")
    w.want(0, "vendor", "addons", "--from-cluster", out="^kueue 0.19 ", err="Kueue 0.99 of the cluster is newer than 0.19")
    deploy(w, "queue", "registry.example.com/kueue/kueue:v0.4.0")
    w.want(0, "vendor", "addons", "--from-cluster", err="Kueue 0.4 of the cluster is older than 0.13")
    must("kueue" not in open(project).read(), open(project).read())
    deploy(w, "queue", "registry.example.com/kueue/kueue:main")
    w.want(0, "vendor", "addons", "--from-cluster", err="Kueue is in the cluster, but its version is unknown")
    # an unreadable file is not changed
    before = open(project).read()
    w.fault("GET", "/deployments", world.status(403, "Forbidden", "deployments is forbidden"))
    w.want(4, "vendor", "addons", "--from-cluster", err="deployments is forbidden")
    must(open(project).read() == before, "a refusal changes nothing")
    w.write("project.tj", "project { addons {\n")
    w.want(1, "vendor", "addons", "--from-cluster", err="project.tj:")
    must(open(project).read() == "project { addons {\n", "a file that does not parse stays")


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
