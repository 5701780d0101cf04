"""offers.py - what is typed first is offered first: prefixes and the first label of the completion; the first quick
fix of a name whose module is not imported is the import, after which the name is known; and raw blocks offer the fields
of their type."""
import sys
import os

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case  # noqa: E402

HEAD = "import std.pytorch\n"
FIRST = {
    # where the framework of a job is written; those for jobs of other systems come last
    'job "a": %s«x»\n': {
        "py": "pytorch.torchrun", "pyt": "pytorch.torchrun", "torch": "pytorch.torchrun", "ray": "ray.cluster", "dask": "dask.cluster",
        "spark": "spark.standalone", "mpi": "mpi.openmpi", "openmpi": "mpi.openmpi", "horovod": "horovod.mpi", "hvd": "horovod.mpi",
        "jax": "jax.distributed", "tensor": "tensorflow.cluster_spec", "tf": "tensorflow.cluster_spec", "deep": "deepspeed.torchrun",
        "xgb": "xgboost.tracker", "light": "lightgbm.sockets", "paddle": "paddle.collective", "mx": "mxnet.kvstore", "lws": "lws.groups",
        "volc": "volcano.plugins", "single": "single.task", "elastic": "pytorch.elastic", "slurm": "slurm.batch", "kube": "kubeflow.tfjob"},
    # fields of a role
    HEAD + 'job "a": pytorch.torchrun {\n  image = "a/b:1"\n  role worker {\n    %s«x»\n  }\n}\n': {
        "re": "replicas", "rep": "replicas", "acc": "accelerator", "mem": "memory", "cpu": "cpu", "com": "command", "ima": "image", "img": "image",
        "env": "env", "mou": "mounts", "por": "ports", "lab": "labels", "ann": "annotations", "tol": "tolerate", "nod": "node", "spr": "spread",
        "pla": "place", "start": "start_after", "ret": "retries", "res": "resources", "sid": "sidecar", "raw": "raw"},
    # devices
    HEAD + 'job "a": pytorch.torchrun {\n  image = "a/b:1"\n  role worker {\n    accelerator = %s«x»\n  }\n}\n': {
        "h100": "nvidia.h100", "H100": "nvidia.h100", "h200": "nvidia.h200", "b200": "nvidia.b200", "l4": "nvidia.l4", "v5e": "tpu.v5e",
        "tpu": "tpu.v4", "mi300": "amd.mi300x", "trn": "aws.trn2", "gaudi": "intel.gaudi3"},
    # the first level
    "%s«x»\n": {"": "job", "j": "job", "im": "import", "par": "param", "le": "let", "fr": "framework", "te": "test", "pro": "profile", "acc": "accelerator"},
    # fields of a job
    HEAD + 'job "a": pytorch.torchrun {\n  image = "a/b:1"\n  %s«x»\n  role worker { }\n}\n': {
        "qu": "queue", "ga": "gang", "pri": "priority", "na": "namespace", "ti": "timeout", "tt": "ttl", "cl": "clean", "sus": "suspend", "ro": "role",
        "au": "aux", "suc": "success"},
}
BODY = '\n  image = "a/b:1"\n  command = ["x"]\n'
MISSING = {
    "an accelerator": ('job "a" {' + BODY + "  role w { cpu = 1, memory = 1Gi, accelerator = nvidia.h100(8) }\n}\n", "nvidia."),
    "a framework": ('job "a": pytorch.torchrun {' + BODY + "  role worker { cpu = 1, memory = 1Gi }\n}\n", "pytorch."),
    "a bundle": ('job "a" {' + BODY + "  role w { ...spot.gke, cpu = 1, memory = 1Gi }\n}\n", "spot."),
    "beside another import": ('import std.pytorch\n\njob "a": pytorch.torchrun {' + BODY + "  role worker { cpu = 1, memory = 1Gi, accelerator = tpu.v5e(2x4) }\n}\n", "tpu."),
    "below a comment": ('# About this job.\n\njob "a": jax.distributed {' + BODY + "  role worker { cpu = 1, memory = 1Gi }\n}\n", "jax."),
}


def first_offers(p):
    for form, wanted in FIRST.items():
        for prefix, label in wanted.items():
            found = p.labels(form % prefix)
            yield "%r in %r" % (prefix, form.split("%s")[0][-30:]), None if found[:1] == [label] else "offered first: %s" % found[:3]


def position(text, offset):
    return {"line": text.count("\n", 0, offset), "character": offset - (text.rfind("\n", 0, offset) + 1)}


def offset(text, at):
    return sum(len(line) for line in text.splitlines(True)[:at["line"]]) + at["character"]


def imports(p):
    for what, (text, name) in MISSING.items():
        p.open(text)
        before = p.diagnostics()
        at = position(text, text.index(name) + 1)
        actions = p.ask("codeAction", range={"start": at, "end": at}, context={"diagnostics": before, "only": ["quickfix"]})
        wanted = "import std.%s" % name[:-1]
        if not actions or actions[0]["title"] != wanted or not actions[0].get("isPreferred"):
            yield what, "offered: %s" % [a["title"] for a in actions]
            continue
        yield what + ", its diagnostic", None if actions[0]["diagnostics"] else "it names no diagnostic"
        edit = actions[0]["edit"]
        edit = (edit["documentChanges"][0]["edits"] if "documentChanges" in edit else next(iter(edit["changes"].values())))[0]
        start, end = offset(text, edit["range"]["start"]), offset(text, edit["range"]["end"])
        p.open(text[:start] + edit["newText"] + text[end:])
        after = [d["message"] for d in p.diagnostics() if d["severity"] == 1]
        yield what + ", followed", "still: %s" % after if after else None


RAW = HEAD + 'job "a": pytorch.torchrun {\n  image = "a/b:1"\n  command = ["torchrun", "t.py"]\n  role worker { cpu = 1, memory = 1Gi, raw %s { %s } }\n}\n'
OF_RAW = {("pod", "shareP«x»"): "shareProcessNamespace", ("container", "securityContext { run«x» }"): "runAsGroup", ("pod", "securityContext { fs«x» }"): "fsGroup",
          ("container", "lifecycle { pre«x» }"): "preStop", ("pod", "dnsConfig = { na«x» }"): "nameservers"}
VALUES = {"bool": "true", "string": '"1"', "whole number": "1"}


def raw_blocks(p):
    """Fields of Kubernetes by the type of the block; none of those that are offered is unknown or written by a field."""
    for (block, text), label in OF_RAW.items():
        found = p.labels(RAW % (block, text))
        yield "raw %s { %s }" % (block, text), None if found[:1] == [label] else "offered first: %s" % found[:3]
    for block in "pod", "container", "job":
        p.open(RAW % (block, "«x»"))
        items = p.at("completion")["items"]
        yield "raw " + block, None if len(items) > 1 else "offered: %s" % [i["label"] for i in items]
        for item in items:
            value = VALUES.get(item["detail"], "{ }" if "map" in item["detail"] else "[]" if "list" in item["detail"] else "{ }")
            p.open(RAW % (block, "%s = %s" % (item["label"], value)))
            wrong = [d["message"] for d in p.diagnostics() if d["code"] in ("TJ0902", "TJ0903")]
            yield "raw %s { %s }" % (block, item["label"]), wrong[0] if wrong else None
    worker = HEAD + 'param s: string = "a"\njob "a": pytorch.torchrun {\n  image = "a/b:1"\n  role worker { restart = «x» }\n}\n'
    labels = p.labels(worker)
    yield "a text for words", None if '"never"' in labels and "s" not in labels else "offered: %s" % labels
    labels = p.labels("import std.nvidia\nlet a = nvidia.«x»\n")
    yield "a device in a let", None if "h100" in labels else "offered: %s" % labels
    labels = p.labels(HEAD + 'job "a": pytorch.torchrun {\n  image = "a/b:1"\n  role worker {\n    env { A = pod.«x» }\n  }\n}\n')
    yield "pod.", None if "env" in labels else "offered: %s" % labels


def main():
    p, passed, failed = case.Place(), 0, 0
    try:
        for subject, wrong in [*first_offers(p), *imports(p), *raw_blocks(p)]:
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong:
                print("FAIL %s: %s" % (subject, wrong))
    finally:
        p.close()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
