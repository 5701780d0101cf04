"""What users of the training operator run, on a cluster where it was never installed: the definitions and the
permissions are those of `trainc supervise --kubeflow --manifest`.  Every example of the operator's version 1.7.0 runs
to its end, and its Python SDK works (sdk.py).

    KUBECONFIG=... KUBECTL=... TRAINC=... E2E_EXAMPLES=... python3 upstream.py [NAME...]

E2E_EXAMPLES and E2E_SDK are what build.sh prints for examples and sdk; without E2E_SDK its checks are left out.  An
example is applied unchanged except for its namespace and for annotations that say how its pods end, because nothing
runs in them.
"""

import glob
import json
import os
import subprocess
import sys

import runtime
import sdk
import supervise
from cluster import until
from supervise import GROUP, NOTE, manifest, must

EXAMPLES = os.environ["E2E_EXAMPLES"]
SERVES = {("MPIJob", "Worker"), ("TFJob", "PS")}        # replicas that wait for others, and never end on their own
WRONG = ("v1alpha1", "mx_job_tune_gpu")                 # fields that the operator's own definitions lack: a template's kind, a replica's label
NEEDED = {"tfevent-pv.yaml", "tfevent-pvc.yaml", "pvc.yaml"}      # volumes of other examples


def read(path):
    """The objects of a file, as kubectl reads them."""
    text = subprocess.run([runtime.KUBECTL, "create", "--dry-run=client", "--validate=false", "-o", "json", "-f", path], capture_output=True,
                          text=True, check=True, timeout=60).stdout
    value = json.loads(text)
    return value["items"] if value["kind"] == "List" else [value]


def roles_of(job):
    return next(specs for key, specs in job["spec"].items() if key.endswith("ReplicaSpecs"))


def noted(job):
    """The job without a namespace of its own, whose pods run for a second, or until they are deleted."""
    job["metadata"].pop("namespace", None)
    for role, spec in roles_of(job).items():
        how = {f"{NOTE}/hold": "yes"} if (job["kind"], role) in SERVES else {f"{NOTE}/run": "1s"}
        spec["template"].setdefault("metadata", {}).setdefault("annotations", {}).update(how)
    return job


def claims_of(job):
    return {v["persistentVolumeClaim"]["claimName"] for spec in roles_of(job).values() for v in spec["template"]["spec"].get("volumes", [])
            if "persistentVolumeClaim" in v}


def store(d, claims):
    """Volumes for the claims of an example; its own files have claims of a storage class that only exists elsewhere."""
    for claim in claims:
        name = f"{d.space.ns}-{claim}"
        common = {"accessModes": ["ReadWriteMany"], "storageClassName": name}
        d.space.write("volume.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
             "spec": {**common, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/tmp"}}},
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": claim, "namespace": d.space.ns},
             "spec": {**common, "volumeName": name, "resources": {"requests": {"storage": "1Gi"}}}}]}))
        d.space.kubectl("apply", "--server-side", "-f", os.path.join(d.space.dir, "volume.json"), ns=False)


def example(path):
    short = os.path.relpath(path, EXAMPLES)

    def run(d):
        jobs = [noted(o) for o in read(path) if o["apiVersion"] == f"{GROUP}/v1"]
        must(len(jobs) == 1, f"{len(jobs)} jobs in {short}")
        job, kind, name = jobs[0], jobs[0]["kind"], jobs[0]["metadata"]["name"]
        plural = f"{kind.lower()}s.{GROUP}"
        store(d, claims_of(job))
        d.start()
        d.space.write("job.json", json.dumps(job))
        check = "warn" if any(part in path for part in WRONG) else "strict"
        d.space.kubectl("create", f"--validate={check}", "-f", os.path.join(d.space.dir, "job.json"))
        if job["spec"].get("jobMode") == "MXTune":
            d.until("its pods end", lambda: d.phases() == ["Succeeded"] * len(roles_of(job)))
            # the operator has no rule for the end of tuning; pods that end at once would never be seen running
            must(not {"Succeeded", "Failed"} & set(d.conditions(kind, name)), d.conditions(kind, name))
        else:
            d.until("it succeeds", lambda: {"Succeeded", "Failed"} & set(d.conditions(kind, name)))
            must("Succeeded" in d.conditions(kind, name), d.conditions(kind, name))
        counts = {role: spec.get("replicas", 1) for role, spec in roles_of(job).items()}
        # statuses and Events may be written after the pods have ended
        d.until("its counts", lambda: set(d.space.get(plural, name).get("status", {}).get("replicaStatuses", {})) == set(counts))

        def made():
            return {e["message"].split(": ")[1] for e in d.listed("events") if e["reason"] == "SuccessfulCreatePod" and e["involvedObject"]["name"] == name}
        d.until(f"an Event about each of its pods, {counts}", lambda: len(made()) >= sum(counts.values()))
        must(len(made()) == sum(counts.values()), f"pods {sorted(made())} of {counts}")
        # three examples have <your_project> in the name of an image, and an Event says that it must be filled in
        must(not [e for e in d.listed("events") if e["involvedObject"]["kind"] == kind and e["type"] == "Warning"
                  and not (e["reason"] == "Converted" and "must be filled in" in e["message"])], d.listed("events"))
        if "metrics" in job["spec"].get("elasticPolicy", {}):
            d.until("its autoscaler", lambda: d.listed("horizontalpodautoscalers"))
        d.space.kubectl("delete", plural, name)
        d.until("its pods are collected", lambda: not d.listed("pods"))
    words = "_".join(short.removesuffix(".yaml").split("/")[-2:]).replace("-", "_").lower()
    run.__name__ = words[-36:].strip("_")                # used in the name of the namespace
    run.__doc__ = f"examples/{short} runs to its end"
    return run


def examples():
    """A check for each file with a job; the others are volumes, and an etcd."""
    paths = sorted(glob.glob(os.path.join(EXAMPLES, "**", "*.yaml"), recursive=True))
    rest = [p for p in paths if GROUP not in open(p).read()]
    must({os.path.basename(p) for p in rest} == NEEDED | {"etcd.yaml"}, f"examples without a job: {rest}")
    return [(f.__doc__, f) for f in (example(p) for p in paths if p not in rest)]


def prepare():
    """The manifest of the controller without its Deployment, and devices on every node."""
    def kubectl(*words, text=None):
        done = subprocess.run([runtime.KUBECTL, *words], input=text, capture_output=True, text=True, timeout=120)
        must(not done.returncode, done.stderr)
        return done.stdout

    def established(crd):
        return any(c["type"] == "Established" and c["status"] == "True" for c in crd.get("status", {}).get("conditions") or [])
    objects = [o for o in manifest() if o["kind"] != "Deployment"]
    # the definitions take a moment to be served
    for some in ([o for o in objects if o["kind"] != "CustomResourceDefinition"], [o for o in objects if o["kind"] == "CustomResourceDefinition"]):
        kubectl("apply", "--server-side", "--validate=strict", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": some}))
    # not `kubectl wait`, which fails for a definition that has no conditions yet
    until(lambda: all(established(crd) for crd in json.loads(kubectl("get", "crd", "-o", "json"))["items"]), 60, "the definitions")
    for node in kubectl("get", "nodes", "-o", "name").split():
        change = {"status": {key: {"nvidia.com/gpu": "1k"} for key in ("capacity", "allocatable")}}
        kubectl("patch", node, "--subresource=status", "--type=merge", "-p", json.dumps(change))


def main(wanted):
    prepare()
    checks = examples() + (sdk.CHECKS if "E2E_SDK" in os.environ else [])
    must(len({f.__name__ for _, f in checks}) == len(checks), "two checks have one name")
    return runtime.main(wanted, checks, supervise.outcome)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
