"""inputs.py - the texts of which families.py builds its families: programs, manifests, lists of objects, messages of
an editor."""
import json


def each(n, text):
    """TEXT for 0 to n-1, in which each '%d' is replaced by the number."""
    times = text.count("%d")
    return "".join(text % ((i,) * times) for i in range(n))


def job(top="", more="", role=""):
    """A program with a job: text before it, in it, and in its role."""
    return ('import std.single\n%s\njob "a": single.task {\n  image = "a/b:1"\n  command = ["run"]\n%s\n  role task { memory = 64Mi\n%s\n  }\n}\n'
            % (top, more, role))


def top(text, before="", after=""):
    return lambda n: job(top=before + each(n, text) + after)


def inside(text, before="", after="", top=""):
    return lambda n: job(more=before + each(n, text) + after, top=top)


def role(text, before="", after="", top=""):
    return lambda n: job(role=before + each(n, text) + after, top=top)


def deep(opening, inner, closing, before="let a = ", after="\n"):
    """Things nested inside each other."""
    return lambda n: job(top=before + opening * n + inner + closing * n + after)


def chain(first, text, last=""):
    """Items that each refer to the previous one: '%d' is its own number, then that of the previous one."""
    return lambda n: job(top=first + "".join(text % tuple([i, i - 1, i - 1, i - 1][:text.count("%d")]) for i in range(1, n)) + last)


def params(text, name="p.yaml", type="string"):
    """A file of parameters next to a program with the parameter 's'; the text is a function of n."""
    return lambda n: {"a.tj": job(top="param s: %s" % type, more="labels { a = str(len(s)) }"), name: text(n)}


def project(text, more=None):
    """A project file, and the other files that depend on n."""
    return lambda n: {"a.tj": job(), "project.tj": "project {\n%s\n}\n" % text(n), **(more(n) if more else {})}


def colliding(n):
    """N names with one FNV-1a value, which hash tables of names once used: pairs of colliding blocks, one after the
    other."""
    state, names = (2166136261 ^ ord("n")) * 16777619 & 0xFFFFFFFF, [""]       # preceded by an n, since names start with a letter
    while len(names) < n:
        seen = {}
        for i in range(1 << 20):
            block, at = "%05x" % i, state
            for c in block.encode():
                at = (at ^ c) * 16777619 & 0xFFFFFFFF
            if at in seen:
                break
            seen[at] = block
        names = [name + b for name in names for b in (seen[at], block)]
        state = at
    return ["n" + name for name in names[:n]]


# ---- manifests ----
def pod(more="", container="", indent=0):
    """The spec of a pod in YAML's flow style, which is valid anywhere."""
    return '{restartPolicy: Never, containers: [{name: main, image: "a/b:1", command: ["run"]%s}]%s}' % (container, more)


REPLICAS = {"PyTorchJob": ("v1", "pytorchReplicaSpecs", "Worker", "pytorch"), "TFJob": ("v1", "tfReplicaSpecs", "Worker", "tensorflow"),
            "XGBoostJob": ("v1", "xgbReplicaSpecs", "Master", "xgboost"), "MPIJob": ("v2beta1", "mpiReplicaSpecs", "Launcher", "launcher")}


def kubeflow(kind, i=0, spec=None):
    version, specs, name, container = REPLICAS[kind]
    return ("---\napiVersion: kubeflow.org/%s\nkind: %s\nmetadata: {name: j%d}\nspec:\n  %s:\n    %s: {replicas: 1, template: {spec: %s}}\n"
            % (version, kind, i, specs, name, (spec or pod()).replace("main", container)))


def batch(i=0, spec=None, meta=""):
    return ("---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j%d%s}\nspec: {backoffLimit: 0, template: {spec: %s}}\n"
            % (i, meta, spec or pod()))


def manifest(make):
    return lambda n: {"m.yaml": make(n)}


def documents(make):
    return lambda n: {"m.yaml": "".join(make(i) for i in range(n))}


def jobset(n):
    jobs = "".join("  - name: r%d\n    template: {spec: {backoffLimit: 0, template: {spec: %s}}}\n" % (i, pod()) for i in range(n))
    return "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: all}\nspec:\n  replicatedJobs:\n" + jobs


def crd(fields, name="Widget"):
    return ("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.acme.io}\nspec:\n  group: acme.io\n"
            "  names: {kind: %s, plural: widgets}\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n"
            "      openAPIV3Schema:\n        type: object\n        properties:\n%s" % (name, fields))


# ---- what a cluster lists ----
def listing(make):
    """A List of n objects, from which `status` judges a program."""
    return lambda n: {"a.tj": job(), "l.json": json.dumps({"kind": "List", "items": [make(i) for i in range(n)]})}


def member(kind, i, **more):
    labels = {"trainc.dev/job": "a", "trainc.dev/role": "task"}
    return {"kind": kind, "metadata": {"name": "a-task-%d" % i, "labels": labels}, **more}


def event(i, name="a-task-0", message="m"):
    return {"kind": "Event", "metadata": {"name": "e%d" % i}, "involvedObject": {"kind": "Pod", "name": name}, "reason": "BackOff",
            "message": message, "type": "Warning", "lastTimestamp": "2026-01-01T00:%02d:%02dZ" % (i // 60 % 60, i % 60)}


# ---- messages of an editor ----
def message(method, params=None, id=None):
    body = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    if id is not None:
        body["id"] = id
    body = json.dumps(body)
    return "Content-Length: %d\r\n\r\n%s" % (len(body), body)


URI = {"uri": "file:///tmp/a.tj"}


def editor(text, *messages):
    """A session that opens a text and sends messages; both are functions of n."""
    def make(n):
        begin = message("initialize", {"capabilities": {}}, 1) + message("initialized")
        opened = message("textDocument/didOpen", {"textDocument": {**URI, "languageId": "trainc", "version": 1, "text": text(n)}})
        return {"-": begin + opened + "".join(m(n) for m in messages) + message("shutdown", None, 2) + message("exit")}
    return make


def asks(method, times=None, **more):
    """A request at the start of the text, n times or the given number of times."""
    return lambda n: "".join(message(method, {"textDocument": URI, "position": {"line": 2, "character": 5}, **more}, 10 + i)
                             for i in range(times or n))


def edits(n):
    """Letters that are typed at the start of the text."""
    return "".join(message("textDocument/didChange", {"textDocument": {**URI, "version": 2 + i}, "contentChanges": [
        {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "#"}]}) for i in range(n))
