"""manifest.py [NAME...] - the objects of `trainc supervise --manifest`: goldens without the definitions of kinds (with
BLESS=1 they are written), and rules that every set of options must keep."""
import copy
import difflib
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINC = os.environ["TRAINC"]
IMAGE = "--image=registry.example.com/trainc:1"
# the name of a golden, and the options
GOLDENS = {
    "runs": [],
    "all": ["--kubeflow", "--ancestors"],
    "local": ["--kubeflow", "--namespace=ml", "--gang=volcano"],
    "shards": ["--kubeflow", "--total-shards=4", "--gang=coscheduling", "--monitor=pod"],
    "images": ["--kubeflow", "--operator=1.7", "--init-image=here/a:1", "--delivery-image=here/b:2"],
    "ancestors": ["--ancestors"],
    "chosen": ["--kubeflow", "--kinds=TFJob,PyTorchJob", "--name=trainc-two", "--lease=other", "--listen=:9999", "--probes=:9998", "--replicas=3",
               "--priority-class=system-cluster-critical", "--metrics-from=monitoring", "--metrics-from=prometheus", "--monitor=service"],
}
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def must(condition, what):
    if not condition:
        raise AssertionError(what)


def supervise(*options):
    return subprocess.run([TRAINC, "supervise", *options], capture_output=True, text=True, timeout=60)


def written(*options):
    """The standard output of --manifest."""
    done = supervise("--manifest", IMAGE, *options)
    must(done.returncode == 0 and not done.stderr, done)
    return done.stdout


def objects(*options):
    return json.loads(written("-o", "json", *options))["items"]


@check
def goldens():
    """the objects of each set of options are those of its golden"""
    wrong = []
    for name, options in GOLDENS.items():
        documents = written(*options).split("---\n")
        text = "---\n".join(d for d in documents if "\nkind: CustomResourceDefinition\n" not in d)
        path = os.path.join(HERE, "manifest", name + ".yaml")
        if os.environ.get("BLESS"):
            with open(path, "w") as f:
                f.write(text)
        with open(path) as f:
            wrong += difflib.unified_diff(f.read().splitlines(), text.splitlines(), path, "now", lineterm="")
    must(not wrong, "\n".join(wrong))


# ---- options ----

def refused(text, *options):
    done = supervise(*options)
    must(done.returncode == 2 and text in done.stderr and not done.stdout, (options, text, done))


@check
def image():
    """the image must be given, and must name a version"""
    refused("--manifest needs --image", "--manifest")
    for name in ("a/b", "a/b:latest", "registry.example.com:5000/trainc"):
        refused("does not name a version", "--manifest", "--image=" + name)
    for name in ("a/b:1", "registry.example.com:5000/trainc:1.0", "a/b@sha256:" + "0" * 64):
        must(supervise("--manifest", "--image=" + name).returncode == 0, name)


# What each option of the command does with --manifest: becomes an argument of the container, changes the objects, or is
# refused with a text. An option that is not in this table fails the test.
USES = {
    "--kubeflow": "argument", "--ancestors": "argument", "--kinds=TFJob": "argument", "--operator=1.7": "argument", "--gang=volcano": "argument",
    "--domain=cluster.example": "argument", "--init-image=here/a:1": "argument", "--delivery-image=here/b:2": "argument", "--listen=:9999": "argument", "--probes=:9998": "argument",
    "--lease=other": "argument", "--namespace=ml": "argument", "--total-shards=3": "argument", "--retry-timeout=5s": "argument", "--all-namespaces": "argument",
    "--namespace-selector=a=b": "argument", "--memory=256Mi": "argument", "--verbose": "argument",
    "--name=two": "changes", "--replicas=1": "changes", "--priority-class=high": "changes", "--metrics-from=monitoring": "changes",
    "--monitor=service": "changes", "--output=json": "changes", "--image=registry.example.com/trainc:2": "changes",
    "--shard=1": "leave out --shard", "--policy": "ask for one of them at a time", "--kubeconfig=x": "connects with its ServiceAccount",
    "--context=x": "connects with its ServiceAccount", "--as=x": "connects with its ServiceAccount",
    "--color=never": "nothing", "--manifest": "nothing", "--help": "nothing",
}


@check
def options():
    """every option of the command becomes an argument, changes the objects, or is refused with a reason"""
    known = {w for line in supervise("--help").stdout.splitlines() for w in re.findall(r"^  (?:-\w, |    )?--([a-z-]+)", line)}
    must(known == {o[2:].split("=")[0] for o in USES}, sorted(known ^ {o[2:].split("=")[0] for o in USES}))
    base = ["--manifest", IMAGE, "--kubeflow"]
    before = supervise(*base).stdout
    for option, use in USES.items():
        if option == "--help":
            continue
        if use not in ("argument", "changes", "nothing"):
            refused(use, *base, *(["--total-shards=2"] if "shard" in option else []), option)
            continue
        done = supervise(*base, option)
        must(done.returncode == 0, done)
        must((done.stdout == before) == (use == "nothing" or option == "--kubeflow"), "%s changes %s" % (option, use))
        must(use != "argument" or "- %s\n" % option in done.stdout, "%s is no argument" % option)
    for option in ("--image=a/b:1", "--name=x", "--replicas=2", "--priority-class=x", "--metrics-from=x", "--monitor=pod"):
        refused("add --manifest", option)


@check
def values():
    """values that the cluster would refuse, or that contradict each other, are refused"""
    base = ["--manifest", IMAGE]
    for text, *words in (
            ("--name is a name of at most 52", "--name=A"), ("--name is a name of at most 52", "--name=1a"), ("--name is a name of at most 52", "--name="),
            ("--name is a name of at most 52", "--name=" + "a" * 53), ("--replicas is a number from 1 to 100, found '0'", "--replicas=0"),
            ("--replicas is a number from 1 to 100, found '101'", "--replicas=101"), ("found 'x'", "--replicas=x"),
            ("found '99999999999999999999'", "--replicas=99999999999999999999"),
            ("each shard has one pod", "--replicas=3", "--total-shards=2"), ("is the name of an object", "--lease=A b"),
            ("is the name of an object", "--priority-class="), ("is the name of a namespace", "--metrics-from=a.b"),
            ("connections come from outside the pod", "--listen=127.0.0.1:8081"), ("connections come from outside the pod", "--probes=:65536"),
            ("connections come from outside the pod", "--probes=:http"), ("need different ports, found 8082 twice", "--listen=:8082"),
            ("add --kubeflow", "--kinds=TFJob"), ("'TFjob' is not a kind of the training operator; its kinds are TFJob,", "--kubeflow", "--kinds=TFjob"),
            ("'' is not a kind", "--kubeflow", "--kinds="), ("'' is not a kind", "--kubeflow", "--kinds=TFJob,")):
        refused(text, *base, *words)
    for words in (["--listen=0.0.0.0:80"], ["--listen=8081"], ["--probes=[::]:1"], ["--name=" + "a" * 52]):
        must(supervise(*base, *words).returncode == 0, words)


# ---- installations and kinds ----

def identity(o):
    return o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]


def by_kind(items, *kinds):
    return [o for o in items if o["kind"] in kinds]


def workload(items):
    return by_kind(items, "Deployment", "StatefulSet")[0]


def selects(selector, labels):
    return selector and all(labels.get(k) == v for k, v in selector.items())


def selectors(items):
    """(kind, labels) of everything that selects pods or Services by labels"""
    for o in items:
        spec = o.get("spec", {})
        if o["kind"] == "Service":
            yield o["kind"], spec["selector"]
        elif o["kind"] in ("Deployment", "StatefulSet", "PodDisruptionBudget", "PodMonitor", "ServiceMonitor"):
            yield o["kind"], spec["selector"]["matchLabels"]
        elif o["kind"] == "NetworkPolicy":
            yield o["kind"], spec["podSelector"]["matchLabels"]
        if o["kind"] in ("Deployment", "StatefulSet"):
            for c in spec["template"]["spec"]["topologySpreadConstraints"]:
                yield "topology spread", c["labelSelector"]["matchLabels"]


@check
def installations():
    """two installations share only the namespace and the definitions, and select nothing of each other"""
    one = objects("--kubeflow", "--namespace=ml", "--name=trainc-ml", "--monitor=pod")
    two = objects("--kubeflow", "--namespace=nlp", "--monitor=service")
    shared = {identity(o) for o in one} & {identity(o) for o in two}
    must({k for k, _, _ in shared} == {"Namespace", "CustomResourceDefinition"}, shared)
    must([o for o in one if identity(o) in shared] == [o for o in two if identity(o) in shared], "what they share is the same")
    for mine, other in ((one, two), (two, one)):
        labels = workload(other)["spec"]["template"]["metadata"]["labels"]
        must(not any(selects(s, labels) for _, s in selectors(mine)), labels)
        must(len(list(selectors(mine))) == 6, list(selectors(mine)))
    must([o["metadata"]["name"] for o in one if o["kind"] == "Role"] == ["trainc-ml"] and "--lease=trainc-ml" in str(workload(one)), one)


def granted(items, *names):
    """(verb, group, resource) of roles, of all or of those with these names"""
    return {(v, g, r) for o in by_kind(items, "Role", "ClusterRole") if not names or o["metadata"]["name"] in names for rule in o["rules"]
            for v in rule["verbs"] for g in rule["apiGroups"] for r in rule["resources"]}


CONTROLLER = ("trainc-supervise",)
RBAC = "rbac.authorization.k8s.io"


@check
def kinds():
    """definitions, permissions and users' roles are those of the chosen kinds"""
    every = objects("--kubeflow", "--ancestors")
    for o in by_kind(every, "CustomResourceDefinition"):
        group, plural = o["spec"]["group"], o["spec"]["names"]["plural"]
        mine = granted(every, *CONTROLLER)
        must({("list", group, plural), ("watch", group, plural), ("patch", group, plural), ("patch", group, plural + "/status")} <= mine, plural)
        for role, verbs in (("admin", 8), ("edit", 8), ("view", 3)):
            users = granted(every, "trainc-supervise-" + role)
            must(len({x for x in users if x[1:] == (group, plural)}) == verbs and ("get", group, plural + "/status") in users, (role, plural))
            has_scale = "scale" in o["spec"]["versions"][0]["subresources"]
            must((("get", group, plural + "/scale") in users) == has_scale, (role, plural, "scale"))
    names = [o["spec"]["names"]["kind"] for o in by_kind(every, "CustomResourceDefinition") if o["spec"]["group"] == "kubeflow.org"]
    must(len(names) == 7, names)
    for name in names:
        some = objects("--kubeflow", "--kinds=" + name)
        must([o["spec"]["names"]["kind"] for o in by_kind(some, "CustomResourceDefinition")] == [name], name)
        plural = name.lower() + "s"
        must({r.split("/")[0] for _, g, r in granted(some) if g == "kubeflow.org"} == {plural}, name)
        must({r for _, g, r in granted(some) if g == RBAC} == ({"roles", "rolebindings"} if name == "MPIJob" else set()), name)
        must((("create", "", "pods/exec") in granted(some)) == (name == "MPIJob"), name)
        must((("get", "", "pods") in granted(some)) == (name == "MPIJob"), name)
        must((("create", "autoscaling", "horizontalpodautoscalers") in granted(some)) == (name == "PyTorchJob"), name)
    runs = objects()
    must(not by_kind(runs, "CustomResourceDefinition") and {o["metadata"]["name"] for o in by_kind(runs, "ClusterRole")} == {"trainc-supervise"}, "no kinds")
    must({x for x in granted(runs) if x[0] == "create"} == {("create", "batch", "jobs"), ("create", "", "events"), ("create", "coordination.k8s.io", "leases")},
         "permissions without kinds")
    local = objects("--kubeflow", "--namespace=ml")
    must(granted(local, *CONTROLLER) == granted(objects("--kubeflow", "--all-namespaces"), *CONTROLLER), "one namespace needs the same verbs")


@check
def policies():
    """the policies of --kubeflow --policy are about all kinds, with the roles of each"""
    done = subprocess.run([TRAINC, "supervise", "--kubeflow", "--policy", "-o", "json"], capture_output=True, text=True, timeout=60,
                          cwd=os.path.join(HERE, "admission"))
    must(done.returncode == 0, done)
    spec = by_kind(json.loads(done.stdout)["items"], "ValidatingAdmissionPolicy")[0]["spec"]
    crds = by_kind(objects("--kubeflow"), "CustomResourceDefinition")
    rules = spec["matchConstraints"]["resourceRules"]
    must([(r["apiGroups"], r["resources"]) for r in rules] == [([crds[0]["spec"]["group"]], [o["spec"]["names"]["plural"] for o in crds])], rules)
    text = {v["name"]: v["expression"] for v in spec["variables"]}
    for o in crds:
        kind = o["spec"]["names"]["kind"]
        key, = (k for k in o["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] if k.endswith("ReplicaSpecs"))
        must("object.kind == '%s' ? object.spec.?%s.orValue({})" % (kind, key) in text["specs"], (kind, key))
        must("object.kind == '%s' ? '" % kind in text["main"], kind)


# ---- rules for every set of options ----

def lint(items):
    """What a reviewer or an admission policy would object to."""
    found = []

    def rule(name, holds):
        if not holds:
            found.append(name)
    set_ = workload(items)
    template = set_["spec"]["template"]
    pod, labels = template["spec"], template["metadata"]["labels"]
    ns = set_["metadata"]["namespace"]
    security = pod.get("securityContext", {})
    # the pods: Pod Security "restricted", and what kube-linter checks
    rule("non-root", security.get("runAsNonRoot") is True and security.get("runAsUser", 0) > 0)
    rule("seccomp", security.get("seccompProfile") == {"type": "RuntimeDefault"})
    rule("host", not any(pod.get(k) for k in ("hostNetwork", "hostPID", "hostIPC")) and not any("hostPath" in v for v in pod.get("volumes", [])))
    rule("token", pod.get("automountServiceAccountToken") is True)
    rule("service links", pod.get("enableServiceLinks") is False)
    for c in pod["containers"]:
        own = c.get("securityContext", {})
        tag = c["image"].rpartition("/")[2].partition("@" if "@" in c["image"] else ":")[2]
        rule("tag", tag not in ("", "latest"))
        rule("resources", {"cpu", "memory"} <= set(c["resources"].get("requests", {})) and "memory" in c["resources"].get("limits", {}))
        rule("privileges", own.get("allowPrivilegeEscalation") is False and not own.get("privileged"))
        rule("capabilities", own.get("capabilities") == {"drop": ["ALL"]})
        rule("read-only root", own.get("readOnlyRootFilesystem") is True)
        ports = {p["name"]: p["containerPort"] for p in c["ports"]}
        rule("liveness", c.get("livenessProbe", {}).get("httpGet", {}).get("port") == "probes" and "probes" in ports)
        rule("readiness", c.get("readinessProbe", {}).get("httpGet", {}).get("path") == "/readyz")
        rule("ports", ["--listen=:%d" % ports["metrics"], "--probes=:%d" % ports["probes"]] == [a for a in c["args"] if a[:8] in ("--listen", "--probes")])
        rule("variables", not any("valueFrom" in e and "secretKeyRef" in e["valueFrom"] for e in c.get("env", [])))
        rule("lease", sum(a.startswith("--lease=") for a in c["args"]) == 1 or set_["spec"]["replicas"] == 1)
    # accounts and permissions
    accounts = by_kind(items, "ServiceAccount")
    rule("account", [a["metadata"]["name"] for a in accounts] == [pod["serviceAccountName"]])
    rule("token of the account", all(a.get("automountServiceAccountToken") is False for a in accounts))
    bindings = by_kind(items, "RoleBinding", "ClusterRoleBinding")
    rule("subjects", all(b["subjects"] == [{"kind": "ServiceAccount", "name": pod["serviceAccountName"], "namespace": ns}] for b in bindings))
    roles = {identity(o): o for o in by_kind(items, "Role", "ClusterRole")}
    rule("cluster-admin", all(b["roleRef"]["name"] not in ("cluster-admin", "admin", "edit") for b in bindings))
    rule("bound roles", all((b["roleRef"]["kind"], b["metadata"].get("namespace"), b["roleRef"]["name"]) in roles for b in bindings))
    bound = {(b["roleRef"]["kind"], b["metadata"].get("namespace"), b["roleRef"]["name"]) for b in bindings}
    rule("unbound roles", all(who in bound or any("/aggregate-to-" in k for k in o["metadata"]["labels"]) for who, o in roles.items()))
    for rules in (o["rules"] for o in roles.values()):
        for r in rules:
            rule("wildcards", "*" not in r["verbs"] + r["apiGroups"] + r["resources"] and not r.get("nonResourceURLs"))
            rule("empty rules", r["verbs"] and r["apiGroups"] and r["resources"])
            rule("secrets", not {"secrets", "serviceaccounts/token", "nodes/proxy", "pods/attach", "pods/portforward"} & set(r["resources"]))
            rule("verbs of power", not {"escalate", "bind", "impersonate"} & set(r["verbs"]))
            rule("webhooks", not {"admissionregistration.k8s.io", "certificates.k8s.io"} & set(r["apiGroups"]))
    # selectors
    for kind, s in selectors(items):
        target = by_kind(items, "Service")[0]["metadata"]["labels"] if kind == "ServiceMonitor" else labels
        rule("selector of " + kind, selects(s, target) and "app.kubernetes.io/instance" in s)
    present = [o["kind"] for o in items]
    rule("budget", present.count("PodDisruptionBudget") == 1 and by_kind(items, "PodDisruptionBudget")[0]["spec"].get("maxUnavailable") == 1)
    policies = by_kind(items, "NetworkPolicy")
    rule("policy", len(policies) == 1 and policies[0]["spec"]["policyTypes"] == ["Ingress"])
    for p in policies:
        for i in p["spec"]["ingress"]:
            rule("peers", i.get("from") and all("namespaceSelector" in f and f["namespaceSelector"].get("matchLabels") for f in i["from"]))
            rule("only metrics", [x["port"] for x in i.get("ports", [])] == ["metrics"])
    rule("replicas", set_["spec"]["replicas"] >= 1 and bool(pod.get("topologySpreadConstraints")))
    # metadata
    spaces = by_kind(items, "Namespace")
    rule("namespace first", len(spaces) == 1 and all(present.index("Namespace") < i for i, o in enumerate(items) if o["metadata"].get("namespace")))
    rule("pod security", all(s["metadata"]["labels"].get("pod-security.kubernetes.io/enforce") == "restricted" for s in spaces))
    for o in items:
        if o["kind"] in ("CustomResourceDefinition", "Namespace"):
            continue
        want = {"app.kubernetes.io/" + k for k in ("name", "instance", "component", "part-of", "version")}
        rule("labels of " + o["kind"], want <= set(o["metadata"].get("labels", {})))
    rule("labels of pods", {"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/version"} <= set(labels))
    rule("unique", len({identity(o) for o in items}) == len(items))
    return found


@check
def lints():
    """every set of options keeps the rules"""
    for name, words in GOLDENS.items():
        must(not lint(objects(*words)), (name, lint(objects(*words))))


def at(o, path):
    for key in path:
        o = o[key]
    return o


POD = ("spec", "template", "spec")
MAIN = POD + ("containers", 0)
# a change of the objects, and the rule that it breaks: the kind, the path, the new value (None: the key is removed)
SLIPS = [
    ("Deployment", POD + ("securityContext", "runAsNonRoot"), None, "non-root"), ("Deployment", POD + ("securityContext", "runAsUser"), 0, "non-root"),
    ("Deployment", POD + ("securityContext", "seccompProfile"), None, "seccomp"), ("Deployment", POD + ("hostNetwork",), True, "host"),
    ("Deployment", POD + ("volumes",), [{"name": "x", "hostPath": {"path": "/"}}], "host"),
    ("Deployment", POD + ("automountServiceAccountToken",), None, "token"), ("Deployment", POD + ("enableServiceLinks",), None, "service links"),
    ("Deployment", MAIN + ("image",), "a/b", "tag"), ("Deployment", MAIN + ("image",), "a/b:latest", "tag"),
    ("Deployment", MAIN + ("resources", "limits"), {}, "resources"), ("Deployment", MAIN + ("resources", "requests"), {}, "resources"),
    ("Deployment", MAIN + ("securityContext", "allowPrivilegeEscalation"), None, "privileges"),
    ("Deployment", MAIN + ("securityContext", "privileged"), True, "privileges"),
    ("Deployment", MAIN + ("securityContext", "capabilities"), {"drop": ["ALL"], "add": ["NET_ADMIN"]}, "capabilities"),
    ("Deployment", MAIN + ("securityContext", "readOnlyRootFilesystem"), None, "read-only root"),
    ("Deployment", MAIN + ("livenessProbe",), None, "liveness"), ("Deployment", MAIN + ("readinessProbe",), None, "readiness"),
    ("Deployment", MAIN + ("ports", 0, "containerPort"), 1, "ports"),
    ("Deployment", MAIN + ("env",), [{"name": "x", "valueFrom": {"secretKeyRef": {}}}], "variables"),
    ("Deployment", MAIN + ("args",), ["supervise", "--listen=:8081", "--probes=:8082"], "lease"),
    ("ServiceAccount", ("metadata", "name"), "other", "account"), ("ServiceAccount", ("automountServiceAccountToken",), None, "token of the account"),
    ("ClusterRoleBinding", ("subjects", 0, "namespace"), "default", "subjects"), ("ClusterRoleBinding", ("roleRef", "name"), "cluster-admin", "cluster-admin"),
    ("RoleBinding", ("roleRef", "name"), "other", "bound roles"), ("RoleBinding", ("roleRef", "name"), "other", "unbound roles"),
    ("Role", ("rules", 0, "verbs"), ["*"], "wildcards"), ("Role", ("rules", 0, "apiGroups"), ["*"], "wildcards"),
    ("ClusterRole", ("rules", 0, "resources"), ["*"], "wildcards"), ("ClusterRole", ("rules", 0, "resources"), [], "empty rules"),
    ("ClusterRole", ("rules", 0, "resources"), ["secrets"], "secrets"), ("ClusterRole", ("rules", 0, "verbs"), ["impersonate"], "verbs of power"),
    ("ClusterRole", ("rules", 0, "apiGroups"), ["admissionregistration.k8s.io"], "webhooks"),
    *((kind, ("spec", "selector", "matchLabels", "app.kubernetes.io/name"), "other", "selector of " + kind)
      for kind in ("Deployment", "PodDisruptionBudget", "ServiceMonitor")),
    ("Service", ("spec", "selector", "app.kubernetes.io/instance"), None, "selector of Service"),
    ("NetworkPolicy", ("spec", "podSelector", "matchLabels", "app.kubernetes.io/name"), "other", "selector of NetworkPolicy"),
    ("Deployment", POD + ("topologySpreadConstraints", 0, "labelSelector", "matchLabels"), {}, "selector of topology spread"),
    ("PodDisruptionBudget", ("spec", "maxUnavailable"), 0, "budget"), ("NetworkPolicy", ("spec", "policyTypes"), ["Egress"], "policy"),
    ("NetworkPolicy", ("spec", "ingress", 0, "from"), None, "peers"), ("NetworkPolicy", ("spec", "ingress", 0, "ports"), [], "only metrics"),
    ("Deployment", ("spec", "replicas"), 0, "replicas"), ("Namespace", ("metadata", "labels", "pod-security.kubernetes.io/enforce"), "baseline", "pod security"),
    ("PodDisruptionBudget", ("metadata", "labels"), {}, "labels of PodDisruptionBudget"),
    ("Deployment", ("spec", "template", "metadata", "labels", "app.kubernetes.io/version"), None, "labels of pods"),
    ("NetworkPolicy", ("kind",), "Namespace", "namespace first"), ("ServiceMonitor", ("kind",), "Service", "unique"),
]


@check
def slips():
    """each of the rules notices what it is about"""
    base = objects("--kubeflow", "--monitor=service")
    must(not lint(base), lint(base))
    for kind, path, value, name in SLIPS:
        items = copy.deepcopy(base)
        o = at(by_kind(items, kind)[0], path[:-1])
        if value is None:
            del o[path[-1]]
        else:
            o[path[-1]] = value
        must(name in lint(items), (kind, path, value, lint(items)))


def main(wanted):
    passed = failed = 0
    for f in CHECKS:
        if wanted and f.__name__ not in wanted:
            continue
        try:
            f()
            passed += 1
        except AssertionError as e:
            failed += 1
            print("FAIL %s (%s): %s" % (f.__name__, f.__doc__, e))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
