#!/usr/bin/env python3
"""Compares the ancestors of the operators with what is known about them.

    legacy.py TRAINC SCRATCH DIRECTORY[:DIRECTORY] [CASE...]

A case is a folder with manifest.yaml or input.json, and expected.json, derived.json, controller_config_file.yaml or
none of them.

`trainc import` makes the program, `trainc compile --target pods` the objects. All objects are compared with those that
ancestors.py computes from the manifest. Then each key of the expectations is judged: by a function for this key, or, if
it is the name of a field of Kubernetes, by that field of the objects.  Any other key is a failure. A deliberate
difference has the name of a rule. It is permitted if docs/differences.md has that rule; a rule there that no case needs
is a failure, too.  Last line: N passed, N failed. """
import copy
import json
import os
import re
import sys

import yaml

import ancestors
from ancestors import compact, pick, same
from legacy_units import UNITS
from legacy_status import Status
from tool import Refused, Tool

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGE = "registry.example.com/filled/in:1.0"
MAIN = {"tfjob": "tensorflow", "mxjob": "mxnet"}


# ---- fields that a manifest lacks ----

def roles_of(doc):
    spec = doc["spec"]
    return list((spec.get("mxReplicaSpecs") or spec.get("tfReplicaSpecs") or {}).values()) or spec.get("replicaSpecs") or []


def add_image(doc):
    for entry in roles_of(doc):
        for c in ((entry.get("template") or {}).get("spec") or {}).get("containers") or []:
            c.setdefault("image", IMAGE)


def entry(doc, role):
    key = "tfReplicaType" if doc["kind"].lower() == "tfjob" else "mxReplicaType"
    return {key: role, "template": {"spec": {"containers": [{"name": MAIN[doc["kind"].lower()], "image": IMAGE}]}}}


def add_master(doc):
    doc["spec"]["replicaSpecs"].append(entry(doc, "MASTER"))


def add_mode(doc):
    roles = {e.get("mxReplicaType", "WORKER") for e in doc["spec"]["replicaSpecs"]}
    doc["spec"]["jobMode"] = "local" if roles == {"WORKER"} else "dist"
    if roles != {"WORKER"}:
        doc["spec"]["replicaSpecs"] += [entry(doc, r) for r in ("SCHEDULER", "SERVER", "WORKER") if r not in roles]


# Fields that those tests omit because they never create a pod: the message, the rule, and the value that is filled in.
LACKS = [(r"no image|\[TJ0523\]", "lacks-image", add_image), (r"there is no MASTER|has no MASTER", "lacks-master", add_master),
         (r"'jobMode' is local or dist, found ''", "lacks-mode", add_mode)]
# Manifests that are refused although nothing in them requires it.
REFUSED = [(r"'replica_specs' is an old name", "old-key"), (r"this \w+ has no replicas", "lacks-replicas")]


class Case:
    def __init__(self, tool, folder, scratch):
        self.tool, self.folder, self.scratch, self.name = tool, folder, scratch, os.path.basename(folder)
        self.want = [(f, self.json(f)) for f in ("expected.json", "derived.json") if os.path.exists(self.at(f))]
        self.config = self.at("controller_config_file.yaml") if os.path.exists(self.at("controller_config_file.yaml")) else None
        self.problems, self.otherwise = [], {}
        self.known = self.said = ""
        self.cache = {}

    def at(self, name):
        return os.path.join(self.folder, name)

    def json(self, name):
        with open(self.at(name), encoding="utf-8") as f:
            return json.load(f)

    def fail(self, found):
        self.problems += list(found)

    def differs(self, rule, what):
        """An intended difference, according to that rule of docs/differences.md."""
        self.otherwise.setdefault(rule, what)

    # ---- the manifest ----

    def load(self):
        with open(self.at("manifest.yaml"), encoding="utf-8") as f:
            self.doc = yaml.safe_load(f)
        self.original = copy.deepcopy(self.doc)

    def files(self):
        path = os.path.join(self.scratch, "manifest.yaml")
        with open(path, "w", encoding="utf-8") as f:
            yaml.safe_dump(self.doc, f, sort_keys=False)
        return ([self.config] if self.config else []) + [path]

    def read(self):
        """The program; fields that the manifest lacks are filled in and reported."""
        for _ in range(len(LACKS) + 1):
            try:
                self.program, self.said = self.tool.imported(self.files())
                return
            except Refused as e:
                rule, fill = next(((r, f) for pattern, r, f in LACKS if re.search(pattern, str(e))), (None, None))
                if not fill or self.refusal_expected():
                    raise
                self.differs(rule, "refused as it is: " + str(e).splitlines()[0])
                before = copy.deepcopy(self.doc)
                fill(self.doc)
                if before == self.doc:
                    raise
        raise Refused(self.said)

    def refusal_expected(self):
        return any(w.get("error") for _, w in self.want)

    def run_id(self, want):
        return self.doc["spec"].get("RuntimeId") or want.get("runtimeId") or "ab12"

    def objects(self, run="ab12", naming="job"):
        """The objects, with that id in their names unless the manifest sets one."""
        key = (run, naming)
        if key not in self.cache:
            program = self.program
            more = ["runtime_id = \"%s\"" % run] if "RuntimeId" not in self.doc["spec"] else []
            more += ["naming = \"%s\"" % naming] if naming != "job" else []
            if more and "legacy." in program:
                program = re.sub(r"(: legacy\.\w+)(?:\(([^)]*)\))?( \{)", lambda m: "%s(%s)%s" % (m[1], ", ".join(filter(None, [(m[2] or "").strip().rstrip(",")] + more)), m[3]), program, count=1)
            self.known = program
            self.cache[key] = (program, self.tool.compiled(program, "--target", "pods"))
        return self.cache[key]

    def items(self, want, naming="job"):
        return self.objects(self.run_id(want), naming)[1]

    def model(self, want, naming="job"):
        config = None
        if self.config:
            with open(self.config, encoding="utf-8") as f:
                config = yaml.safe_load(f)
        return ancestors.Job(self.doc, self.run_id(want), naming, config)

    # ---- judging ----

    def judge(self):
        if os.path.exists(self.at("input.json")):
            for _, want in self.want:
                self.unit(want)
            return
        self.load()
        if self.doc["kind"] == "ConfigMap":
            return self.configuration()
        try:
            self.read()
        except Refused as e:
            return self.refused(str(e))
        if self.doc["kind"] != "TFJob" or "tfReplicaSpecs" not in self.doc["spec"]:
            found = self.tool.compiled(self.program, "--target", "pods")        # the id derived from the name
            run = next((o["metadata"]["labels"]["runtime_id"] for o in found if "runtime_id" in o["metadata"].get("labels", {})), "ab12")
            for w in [{}] + [w for _, w in self.want if w.get("runtimeId")]:
                run_id = w.get("runtimeId") or self.doc["spec"].get("RuntimeId") or run
                model = self.model({"runtimeId": run_id})
                self.fail(ancestors.compare(self.items({"runtimeId": run_id}), model.objects()))
                self.fail(self.environment({"runtimeId": run_id}, model))
            model = self.model({"runtimeId": run})
            self.fail(ancestors.compare(found, model.objects()))
            if any(model.labelled(e) for e in model.entries if model.map):
                self.differs("role-label", "the label of a role is an annotation")
        self.check()
        for _, want in self.want:
            self.keys(want, "job")

    def environment(self, want, model):
        """The output of `trainc env` is what the pods get."""
        shown = self.tool.environment(self.objects(self.run_id(want))[0])
        pods = {name: pick(body["containers"], model.main)["env"] for kind, name, body in model.objects() if kind in ("Pod", "Job")}
        yield from same("replicas of env", sorted(shown), sorted(pods))
        for name in set(shown) & set(pods):
            yield from same("env of " + name, [[v["name"], v["value"]] for v in shown[name]], [list(v) for v in ancestors.last(pods[name])])

    def check(self):
        done = self.tool.run(["check", "-"], self.program)
        if done.returncode:
            self.problems.append("its program is refused: " + done.stderr)

    def keys(self, want, naming):
        for key, value in want.items():
            rule = KEYS.get(key) or field(key)
            try:
                self.fail(rule(self, value, want, naming) or [])
            except (KeyError, IndexError, TypeError, StopIteration, Refused) as e:
                self.problems.append("%s: %s: %s" % (key, type(e).__name__, e))

    def unit(self, want):
        given = self.json("input.json")
        for names, rule in UNITS:
            if names <= set(want):
                self.fail(rule(self, given, {k: want[k] for k in names}) or [])
                want = {k: v for k, v in want.items() if k not in names}
        for key in set(want) - {"basis"}:
            self.problems.append("nothing judges the key '%s'" % key)

    def refused(self, report):
        """A refusal: by the operator too, or by a rule of ours."""
        rule = next((r for pattern, r in REFUSED + [(p, r) for p, r, _ in LACKS] if re.search(pattern, report)), None)
        expected = [want for _, want in self.want if want.get("error")]
        for want in expected:
            self.fail(self.gist(want, report))
        if expected:
            return
        for _, want in self.want:
            if "decodedReplicaSpecs" in want:           # from a key that the operator does not read
                self.fail(same("decodedReplicaSpecs", 0, want["decodedReplicaSpecs"]))
        if rule:
            self.differs(rule, "refused: " + report.splitlines()[0])
        else:
            self.problems.append("refused: " + report)

    def gist(self, want, report):
        """Does the report say the same as the operator? Names of roles, fields and containers are the same in both."""
        gist = want.get("gist") or want.get("message") or ""
        if gist == "MXJobSpec is not valid":            # the operator has one message for five errors; ours says which one it is
            words = ["TJ110[67]", "container|image|roles"]
        else:
            words = re.findall(r"\b[A-Z]{4,}\b|\bPS\b|\btensorflow\b|\bmxnet\b|\bScheduler\b", gist) + (["[Mm]ode|job_mode"] if "mode" in gist or "local" in gist else [])
            words += ["template"] if "template" in gist.lower() else []
            words += ["nothing|null|nil"] if "nil" in gist or "null" in gist else []
        if not words and gist:                          # not this field: another one of its container
            words = ["(?i)" + "|".join(re.findall(r"\w{4,}", gist) or [re.escape(gist)])]
        for word in words:
            if not re.search(word, report):
                yield "'%s' is not said: %s" % (word, report)

    # ---- configurations ----

    def configuration(self):
        """A bare file and one in a ConfigMap give the same result; volumes and variables are those of the file."""
        with open(self.config, encoding="utf-8") as f:
            config = yaml.safe_load(f)
        try:
            texts = [self.tool.imported([f])[0] for f in (self.config, self.at("manifest.yaml"))]
        except Refused as e:
            self.problems.append(str(e))
            return
        self.fail(same("bare and in a ConfigMap", *texts))
        wanted = {k: v for k, v in (config.get("accelerators") or {}).items() if isinstance(v, dict)}
        self.fail(same("accelerators", re.findall(r'resource = "([^"]*)"', texts[0]), list(wanted)))
        for name, given in wanted.items():
            self.fail(self.device(config, name, given))
        for _, want in self.want:
            self.keys(want, "job")

    def device(self, config, resource, given):
        """A job that names the device has them once, in its main container; a job that does not has none."""
        master = entry({"kind": "TfJob"}, "MASTER")
        master["template"]["spec"]["containers"][0]["resources"] = {"limits": {resource: 1}}
        master["template"]["spec"]["containers"].append({"name": "beside", "image": IMAGE})
        self.doc = {"apiVersion": "tensorflow.org/v1alpha1", "kind": "TfJob", "metadata": {"name": "uses-it"},
                    "spec": {"RuntimeId": "ab12", "replicaSpecs": [master, entry({"kind": "TfJob"}, "WORKER")]}}
        self.read()
        found = self.tool.compiled(self.program, "--target", "pods")
        yield from ancestors.compare(found, ancestors.Job(self.doc, "ab12", config=config).objects())


# ---- parts of the compiled objects ----

def replicas(items):
    """Name, metadata and spec of the pod of every replica."""
    for o in items:
        if o["kind"] == "Job":
            yield o["metadata"]["name"], o["spec"]["template"]["metadata"], o["spec"]["template"]["spec"]
        elif o["kind"] == "Pod":
            yield o["metadata"]["name"], o["metadata"], o["spec"]


def named(items, kind):
    return {o["metadata"]["name"]: o for o in items if o["kind"] == kind}


def env_of(spec):
    main = next((c for c in spec["containers"] if c["name"] in MAIN.values()), spec["containers"][0])
    return [(v["name"], v.get("value", "")) for v in main.get("env") or []]


def board_name(items):
    return next(iter(named(items, "Deployment")), None)


def first_role(case, items):
    """Replicas of the first entry of the manifest, without the fields that were filled in."""
    first = case.original["spec"]["replicaSpecs"][0]
    role = first.get("tfReplicaType") or first.get("mxReplicaType") or ("MASTER" if case.original["kind"].lower() == "tfjob" else "WORKER")
    return [(n, meta, spec) for n, meta, spec in replicas(items) if meta["labels"]["job_type"] == role]


def services_of(case, items):
    roles = {meta["labels"].get("job_type") for _, meta, _ in first_role(case, items)}
    return {n: o for n, o in named(items, "Service").items() if o["metadata"]["labels"].get("job_type") in roles}


# ---- keys that are fields ----

def values_of(tree, key):
    """The value of a field of that name, at any depth."""
    if isinstance(tree, dict):
        for k, v in tree.items():
            if k == key:
                yield v
            yield from values_of(v, key)
    for v in tree if isinstance(tree, list) else []:
        yield from values_of(v, key)


def field(key):
    """The rule for a key without its own: the number or names of objects of a kind, or a field equal in every object."""
    def rule(case, value, want, naming):
        items = case.items(want, naming)
        kind = next((o["kind"] for o in items if o["kind"].lower() + "s" == key.lower()), None)
        if kind and isinstance(value, (int, list)):
            names = sorted(named(items, kind))
            return same("number of " + key, len(names), value) if isinstance(value, int) else same(key, names, sorted(value))
        of_role = list(values_of([[meta, spec] for _, meta, spec in first_role(case, items)], key))
        found = of_role or list(values_of(items, key))
        if not found and not value:
            return []                                   # nothing is expected, and nothing exists
        if not found:
            return ["nothing judges the key '%s': no rule and no field of the objects is called so" % key]
        return [p for f in found for p in same(key, f, value)]
    return rule


# ---- a rule for each key of the expectations ----

def words(case, value, want, naming):
    """Texts for people: a difference that they mention must have a rule."""
    if "does not decode" in value:
        case.differs("text-among-accelerators", value)


def exact_names(kind):
    def rule(case, value, want, naming):
        items = case.items(want, naming)
        if isinstance(value, int):
            return same("number of " + kind, len([1 for _ in first_role(case, items)] if kind == "Pod" else services_of(case, items)), value)
        board = board_name(items)
        return same(kind, sorted(n for n in named(items, kind) if n != board), sorted(value))
    return rule


def pods_and_services(case, value, want, naming):
    yield from exact_names("Pod")(case, value, want, naming)
    yield from exact_names("Service")(case, value, want, naming)


def service_port(case, value, want, naming):
    for name, s in named(case.items(want, naming), "Service").items():
        yield from same("ports of " + name, s["spec"]["ports"], [value])


def env(case, value, want, naming):
    found = {n: dict(env_of(spec)) for n, _, spec in replicas(case.items(want, naming))}
    for name, wanted in value.items():
        yield from same("variables of " + name, {k: v for k, v in found[name].items() if k in wanted}, wanted)
    if value == {}:
        yield from same("variables", [e for e in found.values() if e], [])


def env_order(case, value, want, naming):
    for name, _, spec in replicas(case.items(want, naming)):
        yield from same("their order in " + name, [k for k, _ in env_of(spec) if k in value], value)


def default_ps(case, value, want, naming):
    items = case.items(want, naming)
    yield from same("ConfigMap", list(named(items, "ConfigMap")), [value["configMap"]])
    found = {n: spec["containers"][0].get("command") for n, _, spec in replicas(items)}
    for name, command in value["command"].items():
        yield from same("command of " + name, found[name], command)
        yield from same("cluster", command[3], value["clusterSpecArgument"])


def tensorboard(case, value, want, naming):
    items = case.items(want, naming)
    s, d, w = named(items, "Service")[value["name"]], named(items, "Deployment")[value["name"]], value["service"]
    c = d["spec"]["template"]["spec"]["containers"][0]
    yield from same("type", s["spec"]["type"], w["type"])
    yield from same("ports", s["spec"]["ports"], [{"name": w["portName"], "port": w["port"], "targetPort": w["targetPort"]}])
    yield from same("container", [c["command"], c["image"], c["ports"]], [value["command"], value["image"], [{"containerPort": value["containerPort"]}]])


def other_naming(naming):
    return lambda case, value, want, _: case.keys(value, naming)


def replica_list(case, value, want, naming):
    items = case.items(want, naming)
    if isinstance(value, int):
        return same("replicas", len(list(replicas(items))), value)
    problems = []
    for w in value:
        role = [(n, meta, spec) for n, meta, spec in replicas(items) if meta["labels"]["job_type"] == w["role"]]
        spec, main = role[0][2], pick(role[0][2]["containers"], "tensorflow")
        problems += same("replicas of " + w["role"], len(role), w["replicas"])
        problems += same("port of " + w["role"], [p["containerPort"] for p in main["ports"]], [w["tfPort"]])
        problems += same("default server", "/ps-server/grpc_tensorflow_server.py" in (main.get("command") or []), w["IsDefaultPS"])
        if "restartPolicy" in w:
            problems += same("restartPolicy", spec["restartPolicy"], w["restartPolicy"])
        if "container" in w:
            problems += same("image", main["image"], w["container"]["image"])
            problems += same("mounts", [m["mountPath"] for m in main["volumeMounts"]], [m["mountPath"] for m in w["container"]["volumeMounts"]])
            if [m["name"] for m in main["volumeMounts"]] != [m["name"] for m in w["container"]["volumeMounts"]]:
                case.differs("volume-names", "names of volumes")
    return problems


def replica_specs(case, value, want, naming):
    """The entries with their defaults."""
    for w in value:
        tensorflow = "tfReplicaType" in w
        role_key, port_key, main = ("tfReplicaType", "tfPort", "tensorflow") if tensorflow else ("mxReplicaType", "PsRootPort", "mxnet")
        yield from same("fields of an entry that are judged", set(w) - {"replicas", "IsDefaultPS"}, {role_key, port_key})
        role = [spec for _, meta, spec in replicas(case.items(want, naming)) if meta["labels"]["job_type"] == w[role_key]]
        yield from same("replicas", len(role), w["replicas"])
        for spec in role:
            c = pick(spec["containers"], main)
            yield from same("port", c["ports"], [{"name": ancestors.PORTS[main][0], "containerPort": w[port_key]}])
            yield from same("default server", "/ps-server/grpc_tensorflow_server.py" in (c.get("command") or []), w.get("IsDefaultPS", False))


def tf_port(case, value, want, naming):
    for name, s in named(case.items(want, naming), "Service").items():
        yield from same("port of " + name, [p["port"] for p in s["spec"]["ports"]], [value])


def tf_image(case, value, want, naming):
    model = case.model(want)
    yield from same("tfImage", model.spec.get("tfImage", "tensorflow/tensorflow:1.3.0"), value)
    for name, meta, spec in replicas(case.items(want, naming)):
        if not model.of(meta["labels"]["job_type"].lower())["template"]:
            yield from same("image of " + name, spec["containers"][0]["image"], value)


def termination(case, value, want, naming):
    """That replica ends the job, whatever the others do."""
    chief = value["chief"]["replicaName"].lower(), value["chief"]["replicaIndex"]
    done = Status(case, want).with_phases(lambda role, i: "Succeeded" if (role, i) == chief else "Running")
    yield from same("conditions when it is done", done.last(), "Succeeded")


def role_name(case, value, want, naming):
    yield from same("roles", {meta["labels"]["job_type"] for _, meta, _ in replicas(case.items(want, naming))}, {value})


def volumes_of(case, want, naming):
    for _, _, spec in first_role(case, case.items(want, naming)):
        yield spec, next(c for c in spec["containers"] if c["name"] in MAIN.values())


def pod_volumes(case, value, want, naming):
    for spec, _ in volumes_of(case, want, naming):
        got = spec.get("volumes") or []
        yield from same("volumes", [v["hostPath"] for v in got], [v["hostPath"] for v in value])
        if [v["name"] for v in got] != [v["name"] for v in value]:
            case.differs("volume-names", "names of volumes")


def container_mounts(case, value, want, naming):
    for _, main in volumes_of(case, want, naming):
        yield from same("mounts", [m["mountPath"] for m in main.get("volumeMounts") or []], [m["mountPath"] for m in value])


def count_of(key):
    def rule(case, value, want, naming):
        for spec, main in volumes_of(case, want, naming):
            got = spec.get("volumes") if key == "volumes" else main.get("volumeMounts")
            yield from same(key, len(got or []), value)
    return rule


def run_id_there(case, value, want, naming):
    found = case.tool.compiled(case.program, "--target", "pods")
    yield from same("an id", all(meta["labels"]["runtime_id"] for _, meta, _ in replicas(found)), value)


def run_id(case, value, want, naming):
    yield from same("runtime id", {meta["labels"]["runtime_id"] for _, meta, _ in replicas(case.items(want, naming))}, {value})


def pod_pattern(case, value, want, naming):
    prefix, _, rest = value.partition("-<")
    yield from same("a Job of that name", prefix in named(case.items(want, naming), "Job"), True)
    yield from same("pattern", rest, "5 random characters>")


def readme_names(case, value, want, naming):
    found = named(case.items(want, "role"), "Job")
    yield from same("names of the README", [n for n in found if n.startswith("ps-")], value)


def name_formula(kind):
    """The first forty characters of the name count."""
    def rule(case, value, want, naming):
        full = "a-name-of-more-than-forty-characters-in-all-1"
        doc = copy.deepcopy(case.doc)
        doc["metadata"]["name"] = full
        other = Case(case.tool, case.folder, case.scratch)
        other.doc, other.original = doc, doc
        other.read()
        found = other.items(want)
        for j, items in ((case.doc["metadata"]["name"], case.items(want)), (full, found)):
            for name, labels in [(o["metadata"]["name"], o["metadata"]["labels"]) for o in items if o["kind"] == kind]:
                role = labels.get("job_type", "tensorboard").lower()
                text = value.replace("<first 40 characters of the name>", j[:40]).replace("<role lower case>", role)
                text = text.replace("<runtime id>", labels["runtime_id"]).replace("<index>", labels.get("task_index", ""))
                yield from same("name", name, text)
    return rule


def board_kinds(case, value, want, naming):
    items = case.items(want, naming)
    yield from same("TensorBoard", sorted(o["kind"] for o in items if o["metadata"]["name"] == board_name(items)), sorted(value))


def after_delete(case, value, want, naming):
    """The job's label selects everything that belongs to it."""
    for o in case.items(want, naming):
        yield from same("label of " + o["metadata"]["name"], o["metadata"]["labels"].get("trainc.dev/job"), case.doc["metadata"]["name"])


def cluster(case, value, want, naming):
    for name, _, spec in replicas(case.items(want, naming)):
        found = json.loads(dict(env_of(spec))["TF_CONFIG"])["cluster"]
        yield from same("cluster of " + name, found, value)


def labels(case, value, want, naming):
    yield from same("labels", [ancestors.own(meta["labels"]) for _, meta, _ in first_role(case, case.items(want, naming))], value)


def service_labels(case, value, want, naming):
    yield from same("labels", [ancestors.own(s["metadata"]["labels"]) for s in services_of(case, case.items(want, naming)).values()], value)


def annotations(case, value, want, naming):
    for _, meta, _ in first_role(case, case.items(want, naming)):
        yield from same("annotations", ancestors.own(meta.get("annotations")), value)


def service_names(case, value, want, naming):
    yield from same("Services", list(services_of(case, case.items(want, naming))), value)


def scheduler(case, value, want, naming):
    for _, _, spec in first_role(case, case.items(want, naming)):
        yield from same("schedulerName", spec.get("schedulerName"), value)


def env_count(case, value, want, naming):
    for _, _, spec in first_role(case, case.items(want, naming)):
        yield from same("number of variables", len(env_of(spec)), value)


def tf_config(case, value, want, naming):
    items = case.items(want, naming)
    if isinstance(value, dict):                         # by pod, byte for byte
        found = {n: dict(env_of(spec)).get("TF_CONFIG") for n, _, spec in replicas(items)}
        return same("TF_CONFIG", found, value)
    problems = []
    for w, (name, _, spec) in zip(value, first_role(case, items)):
        got = json.loads(dict(env_of(spec))["TF_CONFIG"])
        if got["cluster"] != w["cluster"]:
            case.differs("cluster-of-one-set", "the cluster of a replica set without its job is empty")
            got["cluster"] = w["cluster"]
        problems += same("TF_CONFIG of " + name, compact(got), compact(w))
    return problems


def accepted(case, value, want, naming):
    yield from same("refused", False, value)


def mx_defaults(case, value, want, naming):
    """Filled in by the target that writes the custom resource, with defaults of the training operator."""
    spec = case.tool.compiled(case.program, "--target", "kubeflow")[0]["spec"]
    if isinstance(value, str):
        if spec["runPolicy"]["cleanPodPolicy"] != value:
            case.differs("clean-without-policy", "cleanPodPolicy is %s" % spec["runPolicy"]["cleanPodPolicy"])
        return
    role = spec["mxReplicaSpecs"]["Worker"]
    yield from same("Worker", [role["replicas"], role["restartPolicy"], pick(role["template"]["spec"]["containers"], "mxnet")["ports"]],
                    [value["replicas"], value["restartPolicy"], value["ports"]])


def final_state(case, value, want, naming):
    """The deciding replica is done; the others run, or have failed."""
    chief = "scheduler" if case.doc["kind"] == "MxJob" else "master"
    for others in ("Running", "Succeeded"):
        status = Status(case, want).with_phases(lambda role, i: "Succeeded" if role == chief else others)
        yield from same("state when the others are " + others, status.last(), value)
    status = Status(case, want).with_phases(lambda role, i: "Running")
    yield from same("state while all run", status.last(), "Running")


def final_status(case, value, want, naming):
    states = {r["tf_replica_type"].lower(): [s for s, n in r["ReplicasStates"].items() for _ in range(n)] for r in value["replicaStatuses"]}
    status = Status(case, want).with_phases(lambda role, i: states[role][i])
    yield from same("state", status.last(), value["state"])
    yield from same("phase", status.run["state"] in ("Completing", "Succeeded"), value["phase"] == "Done")
    for role in value["replicaStatuses"]:
        got = next(r for r in status.run["roles"] if r["role"] == role["tf_replica_type"].lower())
        wanted = {"succeeded": role["ReplicasStates"].get("Succeeded", 0), "active": role["ReplicasStates"].get("Running", 0)}
        yield from same("counts of " + got["role"], {k: got[k] for k in wanted}, wanted)
    if set(value) - {"phase", "state", "replicaStatuses"}:
        case.differs("status-fields", "no fields " + ", ".join(sorted(set(value) - {"phase", "state", "replicaStatuses"})))


def created(case, value, want, naming):
    """The status of a job that was just created: nothing has run and nothing is wrong."""
    status = Status(case, want).with_phases(lambda role, i: "Pending")
    yield from same("conditions", [c["type"] for c in status.run["conditions"]], ["Created"])
    if status.run["state"] != value:
        case.differs("state-at-start", "its state is %s" % status.run["state"])


def no_reason(case, value, want, naming):
    yield from same("reason", any(w in Status(case, want).with_phases(lambda role, i: "Pending").run["state"] for w in ("Fail", "Stall")), bool(value))


def article_state(case, value, want, naming):
    phases = {n: {"Completed": "Succeeded"}.get(p, p) for n, p in want["podPhaseThen"].items()}
    status = Status(case, want).with_phases(lambda role, i: phases["%s-%s-%d" % (case.doc["metadata"]["name"], role, i)])
    yield from same("state", status.last(), value)


def columns(case, value, want, naming):
    case.differs("columns", "columns of kubectl are those of the resource's definition")


def judged_with(key):
    return lambda case, value, want, naming: [] if key in want else ["'%s' is missing" % key]


KEYS = {
    "basis": lambda *_: [], "note": words,
    "runtimeId": run_id, "runtimeIdNonEmpty": run_id_there, "batchJobs": exact_names("Job"), "services": exact_names("Service"),
    "pods": exact_names("Pod"), "podsAndServices": pods_and_services, "servicePort": service_port, "env": env, "envOrder": env_order,
    "defaultPS": default_ps, "tensorboard": tensorboard, "currentNaming": other_naming("job"), "readmeNaming": other_naming("role"),
    "replicas": replica_list, "replicaSpecs": replica_specs, "tfPort": tf_port, "tfImage": tf_image, "terminationPolicy": termination,
    "role": role_name, "podVolumes": pod_volumes, "containerVolumeMounts": container_mounts, "volumes": count_of("volumes"),
    "volumeMounts": count_of("volumeMounts"), "mounts": count_of("mounts"), "podNamePattern": pod_pattern,
    "psJobNamesInReadme": readme_names, "batchJobName": name_formula("Job"), "tensorboardName": name_formula("Deployment"),
    "tensorboardObjects": board_kinds, "afterDelete": after_delete, "cluster": cluster, "labels": labels, "podLabels": labels,
    "serviceLabels": service_labels, "podAnnotations": annotations, "serviceNames": service_names, "schedulerName": scheduler,
    "envCount": env_count, "TF_CONFIG": tf_config, "error": accepted, "gist": lambda *_: [], "cleanPodPolicy": mx_defaults,
    "Worker": mx_defaults, "finalState": final_state, "finalStatus": final_status, "phase": created, "state": created,
    "reason": no_reason, "stateWhenWorkerDone": article_state, "podPhaseThen": judged_with("stateWhenWorkerDone"), "columns": columns,
}


def verdict(case, listed):
    """The problems that are left after the rules of docs/differences.md."""
    try:
        case.judge()
    except (Refused, KeyError, TypeError) as e:
        case.problems.append("%s: %s" % (type(e).__name__, e))
    return case.problems + ["docs/differences.md has no rule `%s`: %s" % (rule, what)
                            for rule, what in case.otherwise.items() if rule not in listed]


def rules():
    """The rules of docs/differences.md: the first column of their table."""
    with open(os.path.join(HERE, "..", "..", "docs", "differences.md"), encoding="utf-8") as f:
        section = f.read().split("## Ancestors: rules", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `([a-z-]+)` \|", section, re.M))


def main():
    trainc, scratch, roots, only = sys.argv[1], sys.argv[2], sys.argv[3].split(":"), sys.argv[4:]
    listed, shown = rules(), set()
    passed = failed = 0
    for folder in [os.path.join(root, name) for root in roots if os.path.isdir(root) for name in sorted(os.listdir(root))]:
        name = os.path.basename(folder)
        if not os.path.isdir(folder) or (only and name not in only):
            continue
        case = Case(Tool(trainc), folder, scratch)
        problems = verdict(case, listed)
        shown |= set(case.otherwise) if folder.startswith(roots[0]) else set()
        passed, failed = passed + (not problems), failed + bool(problems)
        for p in problems[:4]:
            print("FAIL %s: %s" % (name, p))
    for rule in sorted(listed - shown) if not only else []:
        failed += 1
        print("FAIL docs/differences.md has the rule `%s`, and no case of ours shows it" % rule)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
