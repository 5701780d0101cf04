"""Plays the environment of a job's objects, so that they can run.  Before: everything that they require (nodes with
the devices, claims, accounts).  During: what Jobs cannot do alone and trainc's runtime, or a queue, does for
them.  It only knows the objects, as the runtime would."""

import ast
import hashlib
import json
import time

PREFIX = "trainc.dev/"
NOTE = "e2e.trainc.dev/"  # see stages/pod-complete.yaml
QUEUE = "kueue.x-k8s.io/queue-name"


def templates(objects):
    """(object, pod template) of everything that creates pods."""
    return [(o, o["spec"]["template"]) for o in objects if "template" in o.get("spec", {})]


def containers(template):
    return template["spec"]["containers"] + template["spec"].get("initContainers", [])


def role_of(value):
    return value["metadata"].get("labels", {}).get(PREFIX + "role")


def names_of(value):
    """How conditions may name its owner: by the role, or by the cell that it belongs to."""
    labels = value["metadata"].get("labels", {})
    return {labels.get(PREFIX + "role"), labels.get(PREFIX + "cell")} - {None}


def job_names(objects):
    return sorted({o["metadata"]["labels"][PREFIX + "job"] for o in objects if o["kind"] == "Job"})


def annotations(value):
    return value["metadata"].get("annotations", {})


def condition(job, kind):
    """The condition of a Job, if it is true."""
    for c in job.get("status", {}).get("conditions", []):
        if c["type"] == kind and c["status"] == "True":
            return c
    return None


def over(job):
    return condition(job, "Complete") or condition(job, "Failed")


def indexes(text):
    """"1,3-5" as a set of numbers."""
    found = set()
    for part in filter(None, (text or "").split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def roles_in(rule):
    """The roles that a condition mentions."""
    calls = [n for n in ast.walk(ast.parse(rule, mode="eval")) if isinstance(n, ast.Call)] if rule else []
    return {call.args[0].id for call in calls}


# Before


def fake_nodes(cluster, objects):
    """Nodes that the pods of these objects fit on: with the labels that they select, with taints that they tolerate,
    and as many as must be separate.  Jobs with the same needs share them, and they stay: a pod whose node
    vanishes is lost."""
    for owner, template in templates(objects):
        spec = template["spec"]
        room = {"cpu": "10k", "memory": "10Ti", "ephemeral-storage": "10Ti", "pods": "2k"}
        for container in containers(template):
            for resource in container.get("resources", {}).get("requests", {}):
                room.setdefault(resource, "10k")
        near = spec.get("affinity", {}).get("podAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", [])
        labels = {**{term["topologyKey"]: "one" for term in near}, **spec.get("nodeSelector", {})}
        taints = [
            {"key": t["key"], "value": t.get("value", ""), "effect": t.get("effect") or "NoSchedule"}
            for t in spec.get("tolerations", [])
            if "key" in t
        ]
        apart = "podAntiAffinity" in spec.get("affinity", {}) or spec.get("hostNetwork")
        wants = json.dumps([room, labels, taints], sort_keys=True)
        for i in range(owner["spec"].get("parallelism", 1) if apart else 1):
            name = f"e2e-{hashlib.sha256(wants.encode()).hexdigest()[:12]}-{i}"
            cluster.create(
                "/api/v1/nodes",
                {
                    "metadata": {"name": name, "labels": {**labels, "kubernetes.io/hostname": name}},
                    "spec": {"taints": taints},
                    "status": {"capacity": room, "allocatable": room},
                },
            )


def presuppose(cluster, objects, namespace):
    """Objects without which pods are not admitted and scheduled.  Secrets and ConfigMaps are not included: only a
    kubelet needs those."""
    for _, template in templates(objects):
        spec = template["spec"]
        if account := spec.get("serviceAccountName"):
            cluster.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": account}})
        if (priority := spec.get("priorityClassName")) and not priority.startswith("system-"):
            cluster.create(
                "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": priority}, "value": 1000}
            )
        for volume in spec.get("volumes", []):
            if claim := volume.get("persistentVolumeClaim", {}).get("claimName"):
                bind_claim(cluster, claim, namespace)


def bind_claim(cluster, claim, namespace):
    volume = f"e2e-{namespace}-{claim}"
    modes, size = ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"], {"storage": "1Ti"}
    cluster.create(
        "/api/v1/persistentvolumes",
        {
            "metadata": {"name": volume},
            "spec": {
                "accessModes": modes,
                "capacity": size,
                "claimRef": {"name": claim, "namespace": namespace},
                "hostPath": {"path": "/e2e"},
            },
        },
    )
    cluster.create(
        f"/api/v1/namespaces/{namespace}/persistentvolumeclaims",
        {
            "metadata": {"name": claim},
            "spec": {
                "accessModes": modes,
                "resources": {"requests": size},
                "storageClassName": "",
                "volumeName": volume,
            },
        },
    )


def make_secrets(cluster, objects, namespace):
    """Fills the Secrets that are generated when a job is applied.  Their content does not matter here, but they must
    be filled without changing the Jobs."""
    made = [v for v in objects if v["kind"] == "Secret" and PREFIX + "generated" in annotations(v)]
    for value in made:
        keys = ("id_ed25519", "id_ed25519.pub", "authorized_keys", "config")
        cluster.patch(cluster.path_of(value, namespace), {"stringData": {key: "e2e\n" for key in keys}})
    return made


def annotate(objects, notes):
    """Tells the fake nodes how pods end: notes[role][name] = value."""
    for owner, template in templates(objects):
        mine = {NOTE + key: value for key, value in notes.get(role_of(owner), {}).items()}
        if mine:
            template["metadata"].setdefault("annotations", {}).update(mine)


# During


class Run:
    """One job in a namespace, from the moment when its objects exist."""

    def __init__(self, cluster, namespace, name):
        self.cluster = cluster
        self.namespace = namespace
        self.name = name
        self.did = []  # the actions so far, in order

    def look(self):
        self.jobs = {}  # role, or cell -> its Jobs, one if a role is indexed
        for job in self.cluster.list(self.namespace, "jobs"):
            if job["metadata"]["labels"].get(PREFIX + "job") != self.name:
                continue
            for name in names_of(job):
                self.jobs.setdefault(name, []).append(job)

    def all_jobs(self):
        return list({job["metadata"]["name"]: job for jobs in self.jobs.values() for job in jobs}.values())

    def path(self, job):
        return f"/apis/batch/v1/namespaces/{self.namespace}/jobs/{job['metadata']['name']}"

    # Conditions are valid Python, so Python evaluates them.
    def holds(self, text):
        return self._holds(ast.parse(text, mode="eval").body)

    def _holds(self, node):
        if isinstance(node, ast.BoolOp):
            parts = [self._holds(value) for value in node.values]
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._holds(node.operand)
        if isinstance(node, ast.Call):
            role = node.args[0].id
            index = node.args[1].value if len(node.args) > 1 else None
            return getattr(self, node.func.id)(role, index)
        raise ValueError(f"a condition has {ast.dump(node)}")

    def done(self, role, index=None):
        jobs = self.jobs.get(role, [])
        if index is not None:
            unrolled = [j for j in jobs if j["metadata"]["labels"].get(PREFIX + "index") == str(index)]
            if unrolled:
                return bool(condition(unrolled[0], "Complete"))
            return any(index in indexes(j.get("status", {}).get("completedIndexes")) for j in jobs)
        return bool(jobs) and all(condition(j, "Complete") or self.enough(j) for j in jobs)

    def enough(self, job):
        """An elastic role is done when no replica runs anymore and at least its minimum has finished."""
        status = job.get("status", {})
        least, _, _ = annotations(job).get(PREFIX + "replicas", "").partition(":")
        return bool(least) and status.get("succeeded", 0) >= int(least) and not status.get("active")

    def ready(self, role, index=None):
        jobs = self.jobs.get(role, [])
        wanted = sum(j["spec"]["parallelism"] for j in jobs)
        return wanted > 0 and sum(j.get("status", {}).get("ready", 0) for j in jobs) >= wanted

    started = ready

    def step(self):
        """Examines the objects once and acts.  Returns the verdict, if there is one yet."""
        self.look()
        for job in self.all_jobs():
            if not job["spec"].get("suspend"):
                continue
            after = annotations(job).get(PREFIX + "start-after")
            queue = job["metadata"].get("labels", {}).get(QUEUE)
            if (after and self.holds(after)) or (not after and queue):
                self.cluster.patch(self.path(job), {"spec": {"suspend": False}})
                self.did.append(f"resumed {role_of(job)} ({'after ' + after if after else 'queue ' + queue})")
        rules = {rule for job in self.all_jobs() if (rule := annotations(job).get(PREFIX + "success"))}
        if not rules:
            return "Running" if all(self.ready(role_of(job)) for job in self.all_jobs()) else None
        if len(rules) != 1:
            raise ValueError(f"the Jobs of {self.name} have {len(rules)} success rules: {sorted(rules)}")
        if self.holds(rules.pop()):
            return self.end()
        for job in self.all_jobs():
            if failed := condition(job, "Failed"):
                return f"Failed {role_of(job)} {failed['reason']}"
        return None

    def end(self):
        """The rule is fulfilled: stops the roles that would run forever."""
        for job in self.all_jobs():
            if not (over(job) or condition(job, "SuccessCriteriaMet")):
                self.cluster.delete(self.path(job))
                self.did.append(f"ended {role_of(job)}")
        return "Succeeded"

    def verdict(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.step():
                return found
            time.sleep(0.2)
        states = {j["metadata"]["name"]: j.get("status", {}) for j in self.all_jobs()}
        raise TimeoutError(f"no verdict within {seconds} s: {states}")
