"""The objects that the predecessors of the training operator create for a job, computed from its manifest.

objects(job) is a list of (kind, name, body), where a body contains what those operators decide and what the manifest
says, in the form of compare().  It is independent: it shares no code with trainc. """
import json

TUNER = "tuner-server-key"
PORTS = {"tensorflow": ("tf-port", 2222), "mxnet": ("ps-root-port", 9091)}


class Job:
    """A manifest with its defaults; `run` is the runtime id, `naming` the prefix of names, `config` a controller's
    configuration."""

    def __init__(self, doc, run, naming="job", config=None):
        self.doc, self.run, self.config = doc, run, config or {}
        self.group, self.version = doc["apiVersion"].split("/")
        self.kind, self.name, self.spec = doc["kind"], doc["metadata"]["name"], doc["spec"]
        self.naming = "role" if self.group == "mlkube.io" else naming
        self.map = "mxReplicaSpecs" in self.spec
        self.main = "mxnet" if self.kind.lower() == "mxjob" else "tensorflow"
        self.pods = self.group == "kubeflow.org"
        self.entries = list(self.read())
        self.alone = self.map and ("v1beta1" if self.version == "v1beta1" else
                                   "v1" if "runPolicy" not in self.spec and "cleanPodPolicy" in self.spec else None)

    def read(self):
        key, port_key, usual = ("mxReplicaType", "PsRootPort", "WORKER") if self.main == "mxnet" else ("tfReplicaType", "tfPort", "MASTER")
        if self.map:
            for role, entry in self.spec["mxReplicaSpecs"].items():
                ports = pick(entry["template"]["spec"]["containers"], "mxnet").get("ports") or []
                port = next((p["containerPort"] for p in ports if p["name"] == "mxjob-port"), 9091)
                yield {"role": role.lower(), "n": entry.get("replicas", 1), "port": port, "entry": entry, "template": entry["template"]}
            return
        for entry in self.spec.get("replicaSpecs") or []:
            template = entry.get("template")
            yield {"role": entry.get(key, usual).lower(), "n": entry.get("replicas", 1), "port": entry.get(port_key, PORTS[self.main][1]),
                   "entry": entry, "template": template}

    def of(self, role):
        return next((e for e in self.entries if e["role"] == role), None)

    def count(self, role):
        return self.of(role)["n"] if self.of(role) else 0

    def replica(self, role, i):
        if self.map:
            return "%s-%s-%d" % (self.name, role, i)
        prefix = "" if self.naming == "role" else (self.name if self.main == "mxnet" else self.name[:40]) + "-"
        return "%s%s-%s-%d" % (prefix, role, self.run, i)

    def hosts(self, role):
        return [self.replica(role, i) for i in range(self.count(role))]

    def addresses(self, e):
        return ["%s:%d" % (h, e["port"]) for h in self.hosts(e["role"])]

    # ---- labels ----

    def labels(self, role, i):
        if not self.map:
            labels = {self.group: "", "job_type": role.upper(), "runtime_id": self.run, "task_index": str(i)}
            if self.main == "tensorflow" and self.group != "mlkube.io":
                labels["tf_job_name"] = self.name
            return labels
        if self.alone:
            group, name = ("group_name", "mxnet_job_name") if self.alone == "v1beta1" else ("group-name", "mxnet-job-name")
            return {group: "kubeflow.org", name: self.name, "mxnet-replica-type": role, "mxnet-replica-index": str(i)}
        labels = {"operator-name": "mxjob-controller", "job-name": self.name, "replica-type": role, "replica-index": str(i)}
        return {"training.kubeflow.org/" + k: v for k, v in labels.items()}

    # ---- variables, in their order ----

    def variables(self, e, i):
        if self.map:
            return self.mx_config(e, i)
        if self.main == "tensorflow":
            cluster = {x["role"]: self.addresses(x) for x in sorted(self.entries, key=lambda x: x["role"])}
            return [("TF_CONFIG", compact({"cluster": cluster, "task": {"type": e["role"], "index": i}, "environment": "cloud"}))]
        if self.spec.get("jobMode") != "dist":
            return []
        return [("DMLC_PS_ROOT_PORT", str(self.of("scheduler")["port"])), ("DMLC_PS_ROOT_URI", self.replica("scheduler", 0)),
                ("DMLC_NUM_SERVER", str(self.count("server"))), ("DMLC_NUM_WORKER", str(self.count("worker"))), ("DMLC_ROLE", e["role"])]

    def mx_config(self, e, i):
        roles = sorted(self.entries, key=lambda x: x["role"])
        key = lambda x: x["entry"].get("label", "") if self.alone == "v1beta1" else \
            (x["template"].get("metadata") or {}).get("annotations", {}).get(TUNER, "")
        config = {"cluster": {x["role"]: [{"url": h, "port": x["port"]} for h in self.hosts(x["role"])] for x in roles},
                  "labels": {x["role"]: key(x) for x in roles}, "task": {"type": e["role"], "index": i}}
        first = self.of("scheduler")
        env = [("MX_CONFIG", compact(config)), ("DMLC_PS_ROOT_PORT", str(first["port"] if first else 0)),
               ("DMLC_PS_ROOT_URI", self.replica("scheduler", 0) if first else ""), ("DMLC_NUM_SERVER", str(self.count("server"))),
               ("DMLC_NUM_WORKER", str(self.count("worker"))), ("DMLC_ROLE", e["role"]), ("DMLC_USE_KUBERNETES", "1")]
        return env + ([("DMLC_WORKER_ID", str(i))] if e["role"] == "worker" else [])

    # ---- objects ----

    def labelled(self, e):
        """Its label becomes an annotation of its pods, as in all later versions."""
        return self.alone == "v1beta1" and e["entry"].get("label")

    def restart(self, e):
        if self.map:
            policy = e["entry"].get("restartPolicy", "Never")
            return "Never" if policy == "ExitCode" else policy
        return ((e["template"] or {}).get("spec") or {}).get("restartPolicy", "OnFailure")

    def cluster_spec(self):
        roles = sorted(self.entries, key=lambda x: x["role"])
        return ",".join("%s|%s" % (x["role"], ";".join(self.addresses(x))) for x in roles)

    def default_server(self, i):
        return {"name": "tensorflow", "image": self.spec.get("tfImage", "tensorflow/tensorflow:1.3.0"),
                "command": ["python", "/ps-server/grpc_tensorflow_server.py", "--cluster_spec", self.cluster_spec(), "--job_name", "ps",
                            "--task_id", str(i)]}

    def devices(self, c):
        """Volumes and variables that the controller's configuration adds for the devices that a container names."""
        named = set((c.get("resources") or {}).get("limits") or {}) | set((c.get("resources") or {}).get("requests") or {})
        for name in sorted(named & {k for k, v in (self.config.get("accelerators") or {}).items() if isinstance(v, dict)}):
            yield self.config["accelerators"][name]

    def container(self, e, i, c, volumes):
        main = c["name"] == self.main
        body = {k: c[k] for k in ("name", "image", "command", "args", "workingDir") if c.get(k)}
        body["env"] = [(v["name"], v.get("value", "")) for v in c.get("env") or []]
        body["mounts"] = {m["mountPath"]: volumes.get(m["name"]) for m in c.get("volumeMounts") or []}
        for given in self.devices(c) if main else []:
            body["mounts"].update({v["mountPath"]: {"hostPath": {"path": v["hostPath"]}} for v in given.get("volumes") or []})
            body["env"] += [(v["name"], v["value"]) for v in given.get("envVars") or []]
        if main or self.map:
            body["env"] += self.variables(e, i)
        body["resources"] = c.get("resources") or {}
        if main:
            body["port"] = e["port"]
        return body

    def pod(self, e, i):
        labels = self.labels(e["role"], i)
        if not e["template"]:
            c = dict(self.default_server(i), env=self.variables(e, i), resources={}, port=e["port"],
                     mounts={"/ps-server": {"configMap": {"name": "cm-ps-" + self.run}}})
            return {"restartPolicy": "OnFailure", "labels": labels, "own": labels, "annotations": {}, "containers": [c]}
        meta, spec = e["template"].get("metadata") or {}, e["template"]["spec"]
        volumes = {v["name"]: {k: x for k, x in v.items() if k != "name"} for v in spec.get("volumes") or []}
        annotations = dict(meta.get("annotations") or {}, **({TUNER: e["entry"]["label"]} if self.labelled(e) else {}))
        pod = {"restartPolicy": self.restart(e), "labels": dict(meta.get("labels") or {}, **labels), "own": labels, "annotations": annotations,
               "containers": [self.container(e, i, c, volumes) for c in spec["containers"]]}
        pod.update({k: spec[k] for k in ("tolerations", "nodeSelector") if k in spec})
        scheduler = spec.get("schedulerName") or self.spec.get("schedulerName")
        return dict(pod, schedulerName=scheduler) if scheduler else pod

    def service(self, e, i):
        name = "mxjob-port" if self.map else PORTS[self.main][0]
        return {"labels": self.labels(e["role"], i), "selector": self.labels(e["role"], i), "headless": self.map or self.pods,
                "ports": [(name, e["port"])]}

    def served(self, e):
        return self.map or self.main == "tensorflow" or (self.spec.get("jobMode") == "dist" and e["role"] == "scheduler")

    def objects(self):
        found = []
        for e in self.entries:
            for i in range(e["n"]):
                name = self.replica(e["role"], i)
                found.append(("Pod" if self.map or self.pods else "Job", name, self.pod(e, i)))
                if self.served(e):
                    found.append(("Service", name, self.service(e, i)))
            if e["n"] >= 0 and not e["template"]:
                found.append(("ConfigMap", "cm-ps-" + self.run, {"keys": ["grpc_tensorflow_server.py"]}))
        return found + (self.board() if self.spec.get("tensorboard") and not self.pods else [])

    def board(self):
        board = self.spec["tensorboard"]
        name = ("" if self.naming == "role" else self.name[:40] + "-") + "tensorboard-" + self.run.lower()
        labels = {self.group: "", "app": "tensorboard", "runtime_id": self.run}
        labels.update({} if self.group == "mlkube.io" else {"tf_job_name": self.name})
        volumes = {v["name"]: {k: x for k, x in v.items() if k != "name"} for v in board.get("volumes") or []}
        return [("Service", name, {"labels": labels, "selector": labels, "type": board.get("serviceType", "ClusterIP"),
                                   "ports": [("tb-port", 80)], "target": 6006}),
                ("Deployment", name, {"labels": labels, "command": ["tensorboard", "--logdir", board["logDir"], "--host", "0.0.0.0"],
                                      "image": self.spec.get("tfImage", "tensorflow/tensorflow:1.3.0"), "port": 6006, "name": name,
                                      "mounts": {m["mountPath"]: volumes[m["name"]] for m in board.get("volumeMounts") or []}})]


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def pick(containers, name):
    return next(c for c in containers if c["name"] == name)


# ---- comparing ----

def ours(key):
    return key.startswith(("trainc.dev/", "app.kubernetes.io/", "training.kubeflow.org/job-role"))


def same(what, got, want):
    if got != want:
        yield "%s\n    is  %s\n    not %s" % (what, *(json.dumps(v, default=sorted) for v in (got, want)))


def own(labels):
    return {k: v for k, v in (labels or {}).items() if not ours(k)}


def within(got, want):
    """Everything in `want` is in `got`; numbers and their texts are equal."""
    if isinstance(want, dict):
        return isinstance(got, dict) and all(k in got and within(got[k], v) for k, v in want.items() if v is not False)
    return got == want or str(got) == str(want)


def mounts(pod, container):
    sources = {v["name"]: {k: x for k, x in v.items() if k != "name"} for v in pod.get("volumes") or []}
    return {m["mountPath"]: sources[m["name"]] for m in container.get("volumeMounts") or []}


def compare_container(where, pod, got, want):
    for key in ("image", "command", "args", "workingDir"):
        yield from same("%s %s" % (where, key), got.get(key), want.get(key))
    env = [(v["name"], v.get("value", "")) for v in got.get("env") or [] if not v["name"].startswith("TRAINC_")]
    yield from same(where + " env", env, last(want["env"]))
    found = mounts(pod, got)
    if set(found) != set(want["mounts"]) or not all(within(found[k], v) for k, v in want["mounts"].items()):
        yield "%s mounts\n    is  %s\n    not %s" % (where, found, want["mounts"])
    limits = {k: str(v) for k, v in (want["resources"].get("limits") or {}).items()}
    requests = {k: str(v) for k, v in (want["resources"].get("requests") or {}).items()}
    has = {x: {k: str(v) for k, v in ((got.get("resources") or {}).get(x) or {}).items()} for x in ("limits", "requests")}
    # a device has one amount, whichever of the two sides names it
    whole = {k: v for k, v in requests.items() if k not in limits and k not in ("cpu", "memory", "ephemeral-storage")}
    yield from same(where + " limits", has["limits"], dict(limits, **whole))
    if not within(has["requests"], requests):
        yield "%s requests\n    is  %s\n    not %s" % (where, has["requests"], requests)
    if "port" in want and want["port"] not in [p["containerPort"] for p in got.get("ports") or []]:
        yield "%s has no port %d" % (where, want["port"])


def last(env):
    """Of two entries with the same name the last counts, at its own position."""
    kept = {}
    for name, value in env:
        kept.pop(name, None)
        kept[name] = value
    return list(kept.items())


def compare_pod(where, meta, spec, want):
    yield from same(where + " labels", own(meta.get("labels")), {k: v for k, v in want["labels"].items() if not ours(k)})
    yield from same(where + " annotations", own(meta.get("annotations")), want["annotations"])
    for key in ("restartPolicy", "schedulerName", "tolerations", "nodeSelector"):
        got = spec.get(key)
        yield from same("%s %s" % (where, key), got, want.get(key))
    yield from same(where + " containers", sorted(c["name"] for c in spec["containers"]), sorted(c["name"] for c in want["containers"]))
    for c in want["containers"]:                        # ours follow the main one
        yield from compare_container("%s/%s" % (where, c["name"]), spec, pick(spec["containers"], c["name"]), c)


def compare_service(where, o, want):
    yield from same(where + " labels", own(o["metadata"].get("labels")), want["labels"])
    yield from same(where + " selector", o["spec"].get("selector"), want["selector"])
    yield from same(where + " ports", [(p["name"], p["port"]) for p in o["spec"]["ports"]], want["ports"])
    if "headless" in want:
        yield from same(where + " headless", o["spec"].get("clusterIP") == "None", want["headless"])
    if "type" in want:
        yield from same(where + " type", o["spec"].get("type"), want["type"])
        yield from same(where + " target", o["spec"]["ports"][0]["targetPort"], want["target"])


def compare_board(where, o, want):
    template = o["spec"]["template"]
    c = template["spec"]["containers"][0]
    for got in (o["metadata"]["labels"], template["metadata"]["labels"], o["spec"]["selector"]["matchLabels"]):
        yield from same(where + " labels", own(got), want["labels"])
    yield from same(where, [c["name"], c["command"], c["image"], c["ports"], o["spec"]["replicas"]],
                    [want["name"], want["command"], want["image"], [{"containerPort": want["port"]}], 1])
    found = mounts(template["spec"], c)
    if set(found) != set(want["mounts"]) or not all(within(found[k], v) for k, v in want["mounts"].items()):
        yield "%s mounts\n    is  %s\n    not %s" % (where, found, want["mounts"])


def compare(items, objects):
    """The differences, one text each."""
    got = {(o["kind"], o["metadata"]["name"]): o for o in items}
    yield from same("objects", sorted("%s %s" % k for k in got), sorted("%s %s" % (kind, name) for kind, name, _ in objects))
    for kind, name, want in objects:
        o, where = got.get((kind, name)), "%s %s" % (kind, name)
        if not o:
            continue
        if kind == "Job":
            yield from same(where + " completions", [o["spec"]["completions"], o["spec"]["parallelism"]], [1, 1])
            if not within(o["metadata"]["labels"], want["own"]):
                yield "%s labels\n    is  %s" % (where, o["metadata"]["labels"])
            yield from compare_pod(where, o["spec"]["template"]["metadata"], o["spec"]["template"]["spec"], want)
        elif kind == "Pod":
            yield from compare_pod(where, o["metadata"], o["spec"], want)
        elif kind == "Service":
            yield from compare_service(where, o, want)
        elif kind == "Deployment":
            yield from compare_board(where, o, want)
        else:
            yield from same(where, sorted(o["data"]), want["keys"])
