"""features.py - the other features of the language server: at least one test for each row."""
import json
import os
import subprocess
import sys
import time

import case
import client
from case import JOB, PRELUDE, apply, server
from client import CAPABILITIES, Server

# ---- completion before what an item would insert ----


def test_completion_inserts_nothing_twice(p):
    def inserted(text, label):
        p.open(PRELUDE + text)
        return [i["textEdit"]["newText"] for i in p.at("completion")["items"] if i["label"] == label]
    assert inserted('job "a": pytorch.torchrun {\n  role «x» {\n    \n  }\n}\n', "worker") == ["worker"]
    assert inserted('job "a": pytorch.torchrun {\n  role «x»\n}\n', "worker")[0].startswith("worker {")
    assert inserted('job "a": pytorch.torchrun {\n  role worker {\n    repl«x» = 3\n  }\n}\n', "replicas") == ["replicas"]
    assert inserted('job "a": pytorch.torchrun {\n  role worker {\n    repl«x»\n  }\n}\n', "replicas") == ["replicas = "]


# ---- signature help ----


def test_signature(p):
    p.open("fn scale(x: int, by: int = 2) -> int = x * by\nlet a = scale(1, «x»\n")
    s = p.at("signatureHelp")
    label = s["signatures"][0]["label"]
    assert label == "scale(x: int, by: int = 2) -> int" and s["activeParameter"] == 1, s
    start, end = s["signatures"][0]["parameters"][1]["label"]
    assert label[start:end] == "by: int = 2"


def test_signature_by_name(p):
    p.open(PRELUDE + 'job "a": pytorch.torchrun(port = «x») { }\n')
    s = p.at("signatureHelp")
    assert s["signatures"][0]["label"].startswith("torchrun(nproc: int(1..)? = none, port") and s["activeParameter"] == 1


def test_signature_built_in(p):
    p.open("let a = join([], «x»)\n")
    s = p.at("signatureHelp")
    assert s["activeParameter"] == 1 and "sep" in s["signatures"][0]["label"]
    p.open("let a = «x»1\n")
    assert p.at("signatureHelp") is None


def test_signature_of_a_role(p):
    p.open(PRELUDE + 'job "a": pytorch.torchrun {\n  env { A = worker.address(0, «x»\n')
    assert p.at("signatureHelp")["signatures"][0]["label"] == "address(i: int, port: string)"


# ---- definition, references, highlight ----

def test_definition(p):
    text = JOB.replace("replicas    = nodes", "replicas    = no«x»des")
    p.open(text)
    d = p.at("definition")
    assert d["uri"] == p.uri() and d["range"]["start"] == {"line": 3, "character": 6}


def test_definition_in_the_library(p):
    p.open(JOB.replace("h100(8)", "h1«x»00(8)").replace("pytorch.torchrun", "py«y»torch.torch«z»run"))
    for mark, name, word in (("x", "nvidia.tj", "h100"), ("y", "pytorch.tj", ""), ("z", "pytorch.tj", "torchrun")):
        d = p.at("definition", mark)
        path = d["uri"][7:]
        assert path.endswith(name), d
        line = open(path).read().split("\n")[d["range"]["start"]["line"]]
        assert line[d["range"]["start"]["character"]:].startswith(word)


@server(options={"virtualDocuments": True})
def test_virtual_documents(p):
    p.open(JOB.replace("h100(8)", "h1«x»00(8)"))
    uri = p.at("definition")["uri"]
    assert uri == "trainc:/std/nvidia.tj"
    assert "accelerator h100" in p.server.request("trainc/source", {"uri": uri})["text"]
    assert p.server.error("trainc/source", {"uri": "trainc:/std/none.tj"})["code"] == -32602
    # the page of a diagnostic has a title, and labels the wrong and the correct program
    page = p.server.request("trainc/source", {"uri": "trainc:/TJ0202.md"})["text"]
    assert page.startswith("# TJ0202 unknown-field\n\n**Error:** unknown field\n\nThe block "), page
    marks = [line for line in page.split("\n") if line.startswith(("**", "```"))]
    assert marks == ["**Error:** unknown field", "**Wrong:**", "```tj", "```", "**Right:**", "```tj", "```"], marks
    page = p.server.request("trainc/source", {"uri": "trainc:/TJ0001.md"})["text"]
    assert "**Wrong:** `trainc check jobs.tj`\n\n```tj\nimport std.single\n" in page, page


def test_definition_of_a_role(p):
    """A role of the job is declared by its framework, which may be in another file."""
    p.write("fw.tj", "framework ring {\n  role peer {\n    replicas: int(1..)\n  }\n  success = done(peer)\n}\n")
    p.open('import "fw.tj" as fw\n\njob "a": fw.ring {\n  image = "x:1"\n  role pe«x»er { replicas = 2 }\n}\n')
    d = p.at("definition")
    assert d["uri"] == p.uri("fw.tj") and d["range"]["start"] == {"line": 1, "character": 7}


def test_definition_of_a_port(p):
    p.open("framework g {\n  role w {\n    ports { ring = 7000 }\n    env { A = w.address(0, \"ri«x»ng\") }\n  }\n}\n")
    assert p.at("definition")["range"]["start"] == {"line": 2, "character": 12}


def test_definition_of_an_import(p):
    p.write("part.tj", "let size = 3\n")
    p.open('import "pa«x»rt.tj" as part\n\ncheck part.si«y»ze > 0 else "no"\n')
    assert p.at("definition")["uri"] == p.uri("part.tj")
    assert p.at("definition", "y")["range"]["start"] == {"line": 0, "character": 4}


def test_levels_of_places(p):
    """Inside near and prefer: the levels of the project's topology, and those of every cluster."""
    p.write("project.tj", 'project { topology = ["example.com/block", "example.com/rack"] }\n')
    assert p.labels('job "a" {\n  image = "x:1"\n  role w { place = near("«x»") }\n}\n')[:4] == ["rack", "block", "host", "zone"]
    assert '"rack"' in p.labels('job "a" {\n  image = "x:1"\n  role w { place = prefer(«x») }\n}\n')
    assert "rack" not in p.labels('job "a" {\n  image = "x:1"\n  role w { spread = "«x»" }\n}\n')


def test_layouts(p):
    """Members and functions of ROLE.layout, what a layout sets, dimensions in texts, and places in a list."""
    def body(inside):
        return 'job "a" {\n  image = "x:1"\n  role w {\n    replicas = 8\n    %s\n  }\n}\n' % inside

    p.write("project.tj", 'project { topology = ["example.com/block", "example.com/rack"] }\n')
    assert {"tp", "dp", "edp", "hosts", "ranks"} <= set(p.labels(body("layout { tp = 2 }\n    env { A = w.layout.«x» }")))
    assert {"tp", "order"} <= set(p.labels(body("layout { «x» }")))
    assert p.labels(body('layout { tp = 2 }\n    env { A = w.layout.hosts("«x»") }'))[:3] == ["tp", "cp", "fsdp"]
    assert p.labels(body('place = near("rack", each = "«x»")'))[:3] == ["tp", "cp", "fsdp"]
    assert p.labels(body('place = [near("block"), near("«x»")]'))[:2] == ["rack", "block"]
    assert "Copies of the model" in p.hover(body("layout { tp = 2 }\n    env { A = w.layout.d«x»p }"))
    assert "consecutive replicas" in p.hover(body('layout { tp = 2 }\n    env { A = w.layout.ho«x»sts("tp") }'))


def test_providers_of_nodes(p):
    """In the project's `nodes`: the providers that std.nodes lists, alone and in a list."""
    assert p.labels("project {\n  nodes = «x»\n}\n")[:3] == ['"discovery"', '"gke"', '"aks"']
    assert "gke" in p.labels('project {\n  nodes = "«x»"\n}\n')
    assert "eks" in p.labels('project {\n  nodes = ["gke", "«x»"]\n}\n')
    assert "gke" not in p.labels('project {\n  target = "«x»"\n}\n')
    assert "gke" not in p.labels('job "a" {\n  image = "x:1"\n  role w { zone = "«x»" }\n}\n')


def test_wrapped_framework(p):
    """The framework that another one wraps, and the arguments that it receives."""
    p.open("import std.pytorch\n\nframework ours(port: port = 7): pytorch.torch«x»run(po«y»rt = po«z»rt) {\n  shm = 1Gi\n}\n")
    assert p.at("definition")["uri"].endswith("pytorch.tj")
    assert p.at("definition", "y")["uri"].endswith("pytorch.tj")
    assert p.at("definition", "z")["range"]["start"] == {"line": 2, "character": 15}
    assert p.labels("import std.pytorch\n\nframework ours: «x»\n")[:2] == ["pytorch.torchrun", "pytorch.elastic"]


def places(found):
    return sorted((os.path.basename(f["uri"]), f["range"]["start"]["line"]) for f in found)


def test_references(p):
    p.open(JOB.replace("= nodes", "= no«x»des") + "profile big { nodes = 4 }\n")
    found = p.at("references", context={"includeDeclaration": True})
    assert places(found) == [("job.tj", 3), ("job.tj", 11), ("job.tj", 17)], found
    assert len(p.at("references", context={"includeDeclaration": False})) == 2


def test_references_across_programs(p):
    """Programs of the workspace that are not open are searched too."""
    p.write("part.tj", "fn twice(x: int) -> int = x * 2\nlet four = twice(2)\n")
    p.write("other.tj", 'import "part.tj" as lib\n\nlet a = lib.twice(3)\ncheck a > 0 else "no"\n')
    p.write("deep/no.tj", 'let twice = 1\n')
    p.open('import "part.tj" as part\n\ncheck part.tw«x»ice(1) > 0 else "no"\n')
    found = p.at("references", context={"includeDeclaration": True})
    assert places(found) == [("job.tj", 2), ("other.tj", 2), ("part.tj", 0), ("part.tj", 1)], found


def test_highlight(p):
    p.open(JOB.replace("= nodes", "= no«x»des"))
    found = p.at("documentHighlight")
    assert sorted((h["range"]["start"]["line"], h["kind"]) for h in found) == [(3, 3), (11, 2)]


# ---- rename ----

def renamed(p, edit):
    out = {}
    for change in edit["documentChanges"]:
        uri = change["textDocument"]["uri"]
        path = uri[7:]
        text = p.text if uri == p.uri() else open(path).read()
        out[os.path.relpath(path, p.root)] = apply(text, change["edits"])
    return out


def test_rename(p):
    p.open(JOB.replace("= nodes", "= no«x»des") + "profile big { nodes = 4 }\n")
    assert p.at("prepareRename")["placeholder"] == "nodes"
    text = renamed(p, p.at("rename", newName="workers"))["job.tj"]
    assert "param workers: int(1..8) = 2" in text and "replicas    = workers" in text and "profile big { workers = 4 }" in text


def test_rename_across_files_and_packages(p):
    p.write("project.tj", 'project {\n  packages { acme = "vendor/acme" }\n}\n')
    p.write("vendor/acme/sizes.tj", "fn twice(x: int) -> int = x * 2\n")
    p.write("other.tj", "import acme.sizes\n\nlet a = sizes.twice(3)\ncheck a > 0 else \"no\"\n")
    subprocess.run([client.TRAINC, "vendor"], cwd=p.root, check=True, capture_output=True)
    p.open('import acme.sizes\n\ncheck sizes.tw«x»ice(1) > 0 else "no"\n')
    files = renamed(p, p.at("rename", newName="double"))
    assert sorted(files) == ["job.tj", "other.tj", "vendor/acme/sizes.tj"], files
    assert files["vendor/acme/sizes.tj"].startswith("fn double(x") and "sizes.double(3)" in files["other.tj"]


SITE = "## Registry of images.\nparam registry: string\nparam rack: int(1..64) = 8\nlet full = rack * 2\n"


def test_rename_a_parameter_of_a_module(p):
    p.write("site.tj", SITE)
    p.write("other.tj", 'import "site.tj" as ours { registry = "a", rack = 2 }\n\ncheck ours.rack > 0 else "no"\n')
    p.open('import "site.tj" as site { registry = "b", ra«x»ck = 4 }\n\ncheck site.full > 0 else "no"\n')
    files = renamed(p, p.at("rename", newName="nodes"))
    assert sorted(files) == ["job.tj", "other.tj", "site.tj"], files
    assert "param nodes: int" in files["site.tj"] and "let full = nodes * 2" in files["site.tj"]
    assert "nodes = 4" in files["job.tj"] and "nodes = 2" in files["other.tj"] and "ours.nodes" in files["other.tj"]
    assert "int(1..64)" in p.at("hover")["contents"]["value"]


def test_complete_parameters_of_a_module(p):
    p.write("site.tj", SITE)
    p.open('import "site.tj" as site { registry = "b" }\n\ncheck site.full > 0 else "no"\n')
    p.open('import "site.tj" as site {\n  registry = "b"\n  «x»\n}\n\ncheck site.full > 0 else "no"\n')
    labels = [i["label"] for i in p.at("completion")["items"]]
    assert labels == ["rack"], labels


def test_rename_a_role(p):
    p.write("fw.tj", "framework ring {\n  role peer {\n    replicas: int(1..)\n    env { N = peer.replicas }\n  }\n  success = done(peer)\n}\n")
    p.open('import "fw.tj" as fw\n\njob "a": fw.ring {\n  image = "x:1"\n  role pe«x»er { replicas = 2 }\n}\n')
    files = renamed(p, p.at("rename", newName="node"))
    assert "role node { replicas = 2 }" in files["job.tj"] and files["fw.tj"].count("node") == 3


CELLS = """import std.pytorch

job "a" {
  image = "x:1"
  memory = 1Gi
  cell trial: pytorch.torchrun {
    copies = 3
    command = ["torchrun", "t.py"]
    env { N = pod.copy }
    role worker { replicas = 2 }
    @in
  }
  role report {
    command = ["report"] + [t.worker.host(0) for t in trial]
    start_after = done(trial)
    @beside
  }
  @job
}
"""


def cells(**places):
    text = CELLS
    for name in ("in", "beside", "job"):
        text = text.replace("@" + name, places.get(name + "_", ""))
    return text


def test_cells_complete(p):
    """In a cell there are its fields, the roles of its framework and those of the job; outside, its name and the roles of its copies."""
    fields = p.labels(cells(in_="«x»"))
    assert {"role", "restarts", "replicas"} <= set(fields) and not {"copies", "queue", "aux"} & set(fields), fields
    assert p.labels(cells(job_="cell b: pytorch.«x» { }")) == ["torchrun", "elastic", "env"]
    assert "pytorch.torchrun" in p.labels(cells(job_="cell b: «x» { }"))
    assert "nproc = " in p.labels(cells(job_="cell b: pytorch.torchrun(«x») { }"))
    assert p.labels(cells(job_="cell b: pytorch.torchrun {\n role «x» { }\n }")) == ["worker"]
    assert {"worker", "report", "trial"} <= set(p.labels(cells(in_="start_after = done(«x»)")))
    beside = p.labels(cells(beside_="start_after = done(«x»)"))
    assert {"report", "trial"} <= set(beside) and "worker" not in beside, beside
    assert p.labels(cells(beside_="env { A = trial.«x» }")) == ["copies", "least", "worker"]
    assert p.labels(cells(beside_="env { A = trial[0].«x» }")) == ["copy", "worker"]
    assert "host" in p.labels(cells(beside_="env { A = trial[0].worker.«x» }"))
    assert p.labels(cells(beside_='args = [trial[0].worker.address(0, "«x»")]')) == ["rdzv"]


def test_cells_hover(p):
    assert "cell trial" in p.hover(cells().replace("done(trial", "done(tri«x»al"))
    for before, after in (("role worker", "role wor«x»ker"), ("t.worker", "t.wor«x»ker")):
        text = p.hover(cells().replace(before, after))
        assert "2 replicas" in text and "PET_MASTER_ADDR=a-trial-worker-0-0.a\n" in text, text


def test_cells_rename(p):
    p.open(cells().replace("done(trial", "done(tri«x»al"))
    text = renamed(p, p.at("rename", newName="exp"))["job.tj"]
    assert "cell exp: " in text and "for t in exp]" in text and "done(exp)" in text and "trial" not in text, text
    own = cells().replace("trial: pytorch.torchrun", "trial").replace("N = pod.copy", "N = worker.host(0)")
    for before, after in (("role worker", "role wor«x»ker"), ("t.worker", "t.wor«x»ker")):
        p.open(own.replace(before, after))
        text = renamed(p, p.at("rename", newName="node"))["job.tj"]
        assert "role node {" in text and "t.node.host(0)" in text and "N = node.host(0)" in text, text
    p.open(cells().replace("t.worker", "t.wor«x»ker"))
    assert p.at("definition")["uri"].endswith("/std/pytorch.tj")


def test_rename_an_import(p):
    p.open(JOB.replace("nvidia.h100", "nvi«x»dia.h100"))
    text = renamed(p, p.at("rename", newName="gpu"))["job.tj"]
    assert "import std.nvidia as gpu\n" in text and "gpu.h100(8)" in text


def test_rename_a_port(p):
    p.open("framework g {\n  role w {\n    ports { ring = 7000 }\n    env { A = w.address(0, \"ri«x»ng\"), B = w.ports.ring }\n  }\n}\n")
    text = renamed(p, p.at("rename", newName="mesh"))["job.tj"]
    assert text.count("mesh") == 3 and "ring" not in text


def test_rename_a_field(p):
    p.open("type Size {\n  wi«x»de: int\n}\nlet s: Size = { wide = 1 }\ncheck s.wide > 0 else \"no\"\n")
    text = renamed(p, p.at("rename", newName="broad"))["job.tj"]
    assert text.count("broad") == 3 and "wide" not in text


def refused(p, name):
    return p.server.error("textDocument/rename", {"textDocument": {"uri": p.uri()}, "newName": name, "position": {
        "line": p.marks["x"][0], "character": p.marks["x"][1]}})["message"]


def test_rename_refused(p):
    p.open(JOB.replace("= nodes", "= no«x»des"))
    assert "'if' is a reserved word" in refused(p, "if")
    assert "is not a name" in refused(p, "2x") and "is not a name" in refused(p, "a b")
    assert "already declared" in refused(p, "release")
    assert "built-in value 'pod'" in refused(p, "pod")
    p.open(JOB.replace("h100(8)", "h1«x»00(8)"))
    assert "standard library" in refused(p, "gpu")
    p.open(JOB.replace("memory ", "me«x»mory "))
    assert "declares no name here" in refused(p, "mem")


# ---- symbols ----

def test_outline(p):
    p.open(JOB + "fn f() -> int = 1\n")
    found = p.ask("documentSymbol")
    assert [(s["name"], s["kind"]) for s in found] == [("nodes", 13), ("release", 14), ("a", 2), ("f", 12)]
    job = found[2]
    assert job["detail"] == "pytorch.torchrun" and [c["name"] for c in job["children"]] == ["worker"]


def test_outline_of_broken_text(p):
    p.open(JOB.replace("cpu         = 8", "cpu         = ") + "fn f( -> int = 1\nlet z = 1\n")
    names = [s["name"] for s in p.ask("documentSymbol")]
    assert "a" in names and "z" in names


def test_outline_flat(p):
    s = Server(root=p.root, capabilities={})
    s.open(p.uri(), JOB)
    found = s.request("textDocument/documentSymbol", {"textDocument": {"uri": p.uri()}})
    assert ("worker", "a") in [(x["name"], x.get("containerName")) for x in found] and "location" in found[0]
    s.end()


def test_workspace_symbols(p):
    p.write("a.tj", "fn double_it(x: int) -> int = x * 2\n")
    p.write("deep/b.tj", 'framework doubling {\n  role w { }\n}\n')
    p.write(".hidden/c.tj", "let double = 1\n")
    found = p.server.request("workspace/symbol", {"query": "doubl"})
    assert sorted(s["name"] for s in found) == ["double_it", "doubling"]


# ---- code actions ----

def actions(p, mark="x", only=None, end=None):
    line, character = p.marks[mark]
    stop = p.marks[end] if end else (line, character)
    context = {"diagnostics": []}
    if only:
        context["only"] = [only]
    return p.ask("codeAction", range={"start": {"line": line, "character": character}, "end": {"line": stop[0], "character": stop[1]}},
                 context=context)


def done(p, action):
    return apply(p.text, action["edit"]["documentChanges"][0]["edits"])


def test_fix(p):
    p.open(JOB.replace("memory ", "mem«x»roy "))
    found = actions(p, only="quickfix")
    assert found[0]["kind"] == "quickfix" and found[0]["isPreferred"] and found[0]["diagnostics"][0]["code"] == "TJ0202", found
    assert "memory      = 64Gi" in done(p, found[0]) or "memory     = 64Gi" in done(p, found[0])


def test_fixes_say_what_they_are_about(p):
    p.open(JOB.replace("8\n    memory ", "8]\n    memory ").replace("64Gi", "64Gi]") + "«y»")
    place = {"start": {"line": 0, "character": 0}, "end": {"line": p.marks["y"][0], "character": 0}}
    found = p.ask("codeAction", range=place, context={"diagnostics": [], "only": ["quickfix"]})
    assert [a["title"] for a in found] == ["remove ']' (14:20)", "remove ']' (15:23)"], found
    p.open("import std.nvidia\nimport std.tpu\n\nlet a = 3\ncheck a > 0 else \"no\"\n«y»")
    found = p.ask("codeAction", range=dict(place, end={"line": p.marks["y"][0], "character": 0}), context={"diagnostics": [], "only": ["quickfix"]})
    assert [a["title"] for a in found] == ["remove import 'std.nvidia'", "remove import 'std.tpu'"], found


def test_fixes_come_to_an_end(p):
    """No fix suggests itself again: a list that is already open is not opened once more."""
    p.open('job "a" {\n  image = "x:1"\n  args  = ["a"«x»{, "b"] }\n}\n')
    assert "insert '['" not in [f["title"] for d in p.diagnostics() for f in d.get("data", {}).get("fixes", [])]
    p.open('job "a" {\n  image = "x:1"\n  args  = "a", "b"]«x»\n}\n')
    assert "insert '['" in [a["title"] for a in actions(p, only="quickfix")]


def test_fixes_are_those_of_the_command(p):
    """The fixes of the editor are the fixes of `trainc check --format=json`."""
    for text in (JOB.replace("pytorch.torchrun", "pytorch.tochrun"), JOB.replace("memory ", "memroy "), JOB.replace("nvidia.h100", "nvidia.h10O")):
        p.write("job.tj", text)
        out = subprocess.run([client.TRAINC, "check", "--format=json", "job.tj"], cwd=p.root, capture_output=True).stdout
        wanted = sorted(f["title"] for d in map(json.loads, out.splitlines()) for f in d["fixes"])
        p.open(text)
        assert sorted(f["title"] for d in p.diagnostics() for f in d.get("data", {}).get("fixes", [])) == wanted
        assert wanted


def test_fix_all(p):
    p.open("«x»" + JOB.replace("memory ", "memroy ").replace("cpu  ", "cpus ") + "let unused = 1\n")
    found = actions(p, only="source.fixAll")
    text = done(p, found[0])
    assert "memory" in text and "memroy" not in text and "cpus" not in text


def test_required_fields(p):
    p.open("type Size {\n  wide: int\n  name: string\n  deep: int = 1\n}\nlet s: Size = {«x» }\ncheck s.wide > 0 else s.name\n")
    text = done(p, [a for a in actions(p) if a["title"] == "insert required fields"][0])
    assert 'wide = 1' in text and 'name = ""' in text and text.count("deep") == 1, text
    p.open(text)
    assert not [d for d in p.diagnostics() if d["severity"] == 1]


def test_required_fields_of_a_job(p):
    p.write("fw.tj", "framework ring {\n  role peer {\n    replicas: int(1..)\n  }\n  success = done(peer)\n}\n")
    p.open('import "fw.tj" as fw\n\njob "a": fw.ring {\n  «y»role peer {«x»\n    cpu = 1\n  }\n}\n')
    text = done(p, [a for a in actions(p) if a["title"] == "insert required fields"][0])
    assert "    replicas = 1\n" in text, text
    text = done(p, [a for a in actions(p, "y") if a["title"] == "insert required fields"][0])
    assert '  image = "registry.example.com/image:1.0"\n' in text or "    replicas = 1\n" in text, text


def test_organize_imports(p):
    p.open("«x»import std.single\nimport std.pytorch\n" + JOB.split("\n", 2)[2].replace("h100(8)", "h100(8)"))
    found = actions(p, only="source.organizeImports")
    text = done(p, found[0])
    assert text.startswith("import std.nvidia\nimport std.pytorch\n\n") and "single" not in text, text[:80]


def test_organize_adds(p):
    p.open("«x»job \"a\": single.task {\n  image = \"x:1\"\n}\n")
    text = done(p, actions(p, only="source.organizeImports")[0])
    assert text.startswith("import std.single\n\njob"), text


def test_extract(p):
    p.open(JOB.replace("64Gi", "«x»64Gi«y»").replace("= nodes", "= «a»nodes * 2«b»"))
    text = done(p, actions(p, only="refactor.extract", end="y")[0])
    assert "let extracted: memory = 64Gi\n\njob" in text and "memory      = extracted\n" in text, text
    text = done(p, actions(p, "a", only="refactor.extract", end="b")[0])
    assert "let extracted = nodes * 2\n\njob" in text
    p.open('fn f(x: int) -> int = «x»x * 2«y»\n')
    assert actions(p, only="refactor.extract", end="y") == []


# ---- formatting ----

UGLY = PRELUDE.replace("let release", "let   release") + 'job "a":pytorch.torchrun{\n image="registry.example.com/a:${release}"\n  role worker{replicas=nodes\n  }\n}\n'


def formatted(text):
    return subprocess.run([client.TRAINC, "fmt", "-"], input=text.encode(), capture_output=True).stdout.decode()


def test_format(p):
    p.open(UGLY)
    edits = p.ask("formatting", options={"tabSize": 2, "insertSpaces": True})
    assert apply(UGLY, edits) == formatted(UGLY) and len(edits) > 3
    p.open(formatted(UGLY))
    assert p.ask("formatting", options={}) == []


def test_format_examples(p):
    """For every example with a damaged layout, the edits give what the formatter prints."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
    for directory in sorted(os.listdir(top)):
        if not os.path.isdir(os.path.join(top, directory)):
            continue
        for name in os.listdir(os.path.join(top, directory)):
            if not name.endswith(".tj"):
                continue
            text = open(os.path.join(top, directory, name)).read()
            spoilt = text.replace("  ", " ").replace(" = ", "=")
            if spoilt.count('"""'):
                continue
            p.open(spoilt)
            assert apply(spoilt, p.ask("formatting", options={})) == formatted(spoilt), directory


def test_format_range(p):
    p.open(UGLY)
    edits = p.ask("rangeFormatting", range={"start": {"line": 8, "character": 0}, "end": {"line": 9, "character": 0}}, options={})
    text = apply(UGLY, edits)
    assert "let   release" in text and "replicas = nodes" in text, text


def test_format_on_type(p):
    p.open(UGLY.replace("  }\n}\n", "  }«x»\n}\n"))
    edits = p.at("onTypeFormatting", ch="}", options={})
    text = apply(p.text, edits)
    assert "let   release" in text and "replicas = nodes" in text, text


def test_format_broken(p):
    p.open('job "a" {')
    assert p.ask("formatting", options={}) == []


# ---- folding, selection, links ----

def test_folding(p):
    p.open("## One.\n## Two.\n" + JOB)
    found = p.ask("foldingRange")
    assert {"startLine": 0, "endLine": 1, "kind": "comment"} in found
    assert {"startLine": 2, "endLine": 3, "kind": "imports"} in found
    assert {"startLine": 8, "endLine": 17} in found and {"startLine": 12, "endLine": 16} in found, found


def test_selection(p):
    p.open(JOB.replace("h100(8)", "h1«x»00(8)"))
    line, character = p.marks["x"]
    node = p.ask("selectionRange", positions=[{"line": line, "character": character}])[0]
    texts = []
    lines = p.text.split("\n")
    while node:
        a, b = node["range"]["start"], node["range"]["end"]
        texts.append(lines[a["line"]][a["character"]:b["character"]] if a["line"] == b["line"] else "...")
        node = node.get("parent")
    assert texts[:4] == ["h100", "nvidia.h100", "nvidia.h100(8)", "accelerator = nvidia.h100(8)"] and texts[-1] == "...", texts


def test_links(p):
    p.write("part.tj", "let size = 3\n")
    p.open('import "part.tj" as part\nimport std.nvidia\n')
    found = p.ask("documentLink")
    assert found[0]["target"] == p.uri("part.tj") and found[1]["target"].endswith("nvidia.tj")
    p.write("policies/pinned.tj", 'policy "p" {\n  check true else "no"\n}\n')
    p.open('project {\n  policies = ["policies/pinned.tj"]\n}\n', "project.tj")
    assert [f["target"] for f in p.ask("documentLink", "project.tj")] == [p.uri("policies/pinned.tj")]


# ---- semantic tokens ----

def tokens(p, data):
    legend = p.server.capabilities["semanticTokensProvider"]["legend"]
    lines, out, line, column = p.text.split("\n"), [], 0, 0
    for i in range(0, len(data), 5):
        line += data[i]
        column = data[i + 1] + (column if data[i] == 0 else 0)
        word = lines[line].encode()[column:column + data[i + 2]].decode()
        modifiers = [m for k, m in enumerate(legend["tokenModifiers"]) if data[i + 4] >> k & 1]
        out.append((word, legend["tokenTypes"][data[i + 3]], modifiers))
    return out


def test_tokens(p):
    p.open("# c\n" + JOB + "## Twice.\nfn f(x: int) -> int = x * 2\n")
    found = tokens(p, p.ask("semanticTokens/full")["data"])
    for want in (("# c", "comment", []), ("import", "keyword", []), ("nodes", "variable", ["declaration", "readonly"]),
                 ("torchrun", "class", ["defaultLibrary"]), ("memory", "property", []), ("64Gi", "number", []),
                 ("role", "keyword", []), ("worker", "variable", ["declaration"]), ("f", "function", ["declaration"]),
                 ("x", "parameter", ["declaration"]), ("x", "parameter", []), ("int", "type", ["defaultLibrary"]), ('"1.0"', "string", []),
                 ("## Twice.", "comment", ["documentation"])):
        assert want in found, (want, found)


def test_tokens_do_not_overlap(p):
    """On every example: in order, each on one line, without overlap; and only with the standard's names."""
    standard = {"namespace", "type", "class", "enum", "interface", "struct", "typeParameter", "parameter", "variable", "property",
                "enumMember", "event", "function", "method", "macro", "keyword", "modifier", "comment", "string", "number", "regexp",
                "operator", "decorator"}
    assert set(p.server.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]) <= standard
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "stdlib", "std")
    for name in sorted(os.listdir(top)):
        if not name.endswith(".tj"):
            continue
        p.open(open(os.path.join(top, name)).read())
        data = p.ask("semanticTokens/full")["data"]
        end = -1
        for i in range(0, len(data), 5):
            assert data[i + 2] > 0
            assert data[i] > 0 or data[i + 1] >= end or i == 0, (name, i)
            end = data[i + 2]


def test_tokens_of_one_long_line(p):
    """Columns continue from the previous token, instead of being counted from the start of the line each time."""
    s = Server(root=p.root, capabilities={})
    s.open(p.uri(), "let a = [" + ", ".join("1" for _ in range(100000)) + "]\n")
    begin = time.perf_counter()
    data = s.request("textDocument/semanticTokens/full", {"textDocument": {"uri": p.uri()}})["data"]
    assert len(data) >= 5 * 100000 and time.perf_counter() - begin < 20
    assert s.end() == 0


def test_tokens_range(p):
    p.open(JOB)
    data = p.ask("semanticTokens/range", range={"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 40}})["data"]
    assert [w for w, _, _ in tokens(p, data)][:3] == ["param", "nodes", "int"]


def test_tokens_delta(p):
    p.open(JOB)
    first = p.ask("semanticTokens/full")
    p.server.change(p.uri(), [{"range": {"start": {"line": 11, "character": 18}, "end": {"line": 11, "character": 23}}, "text": "nodes + 1"}], 2)
    delta = p.ask("semanticTokens/full/delta", previousResultId=first["resultId"])
    data = list(first["data"])
    for e in delta["edits"]:
        data[e["start"]:e["start"] + e["deleteCount"]] = e["data"]
    assert data == p.ask("semanticTokens/full")["data"] and len(delta["edits"][0]["data"]) < len(data) // 2
    assert "data" in p.ask("semanticTokens/full/delta", previousResultId="other")


# ---- hints and lenses ----

def hints(p):
    return p.ask("inlayHint", range={"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}})


def test_hints(p):
    p.open(JOB + "let half = nodes // 2\ncheck half > 0 else \"no\"\n")
    found = {(h["position"]["line"], h["label"]) for h in hints(p)}
    assert (11, "= 2") in found and (12, "= 16 devices") in found and (17, "= 1") in found, found
    role = [h for h in hints(p) if h["position"]["line"] == 10][0]
    assert role["label"] == "world size 16, shm 8Gi, 6 variables", role
    assert "PET_NNODES=2" in role["tooltip"]["value"] and role["paddingLeft"]
    assert role["position"] == {"line": 10, "character": len("  role worker {")}      # the brace stays beside the name
    short = PRELUDE + 'job "a": pytorch.torchrun { image = "registry.example.com/a:1", role worker { replicas = nodes, memory = 64Gi } }\n'
    p.open(short)
    role = [h for h in hints(p) if "world size" in h["label"]][0]
    assert role["position"]["character"] == len(short.split("\n")[6]) - len(" }"), role


def test_hints_of_defaults(p):
    p.write("project.tj", 'project {\n  defaults = { queue = "research", restart = "on-failure" }\n}\n')
    p.open(JOB)
    job, role = [h for h in hints(p) if h["position"]["line"] in (6, 10)]
    assert job["label"] == "queue research, success done(worker)", job
    assert job["position"]["character"] == len('job "a": pytorch.torchrun {')
    for line in ('queue = "research"   # project.tj', "success = done(worker)   # std/pytorch.tj", 'clean = "running"', "restarts = 0"):
        assert line in job["tooltip"]["value"].split("\n"), job
    assert role["label"] == "world size 16, restart on-failure, shm 8Gi, 6 variables", role
    assert "grace = 30s" in role["tooltip"]["value"].split("\n"), role
    assert "restart" not in role["tooltip"]["value"].replace('restart = "on-failure"   # project.tj', ""), role
    p.open(JOB.replace("  role", "  queue = \"mine\"\n  restart = \"always\"\n  role"))
    job, role = [h for h in hints(p) if h["position"]["line"] in (6, 12)]
    assert job["label"] == "success done(worker)" and "queue" not in job["tooltip"]["value"], job
    assert "restart" not in role["tooltip"]["value"] + role["label"], role
    assert "restarts = 0\n" in p.hover(JOB.replace('"a"', '"«x»a"')) and "grace = 30s\n" in p.hover(JOB.replace("worker", "wor«x»ker"))


def test_hints_in_range(p):
    p.open(JOB)
    found = p.ask("inlayHint", range={"start": {"line": 12, "character": 0}, "end": {"line": 12, "character": 99}})
    assert [h["label"] for h in found] == ["= 16 devices"]


def test_no_hints_for_errors(p):
    p.open(JOB.replace("memory ", "memroy ") + "let half = nodes // 2\ncheck half > 0 else \"no\"\n")
    assert [h["label"] for h in hints(p)] == ["= 1"]


def test_lens(p):
    p.open(JOB)
    found = p.ask("codeLens")
    assert found[0]["command"]["title"] == "objects (2)" and found[0]["command"]["command"] == "trainc.preview"
    assert found[0]["range"]["start"]["line"] == 6
    p.open(JOB.replace("memory ", "memroy "))
    assert p.ask("codeLens") == []


# ---- preview, environment, plan ----

def test_preview(p):
    p.write("job.tj", JOB)
    p.open(JOB)
    found = p.server.request("trainc/preview", {"textDocument": {"uri": p.uri()}})
    wanted = subprocess.run([client.TRAINC, "compile", "job.tj"], cwd=p.root, capture_output=True).stdout.decode()
    assert found["text"] == wanted and found["objects"] == 2 and found["language"] == "yaml" and not found["stale"]
    lines = wanted.rstrip("\n").split("\n")
    assert len(found["map"]) == len(lines)
    image = [i for i, line in enumerate(lines) if "image: registry" in line][0]
    assert found["map"][image] == [found["sources"].index(p.uri()), 7]
    library = [s for s in found["sources"] if s.endswith("pytorch.tj")]
    assert library


def test_preview_of_the_last_good_text(p):
    p.open(JOB)
    good = p.server.request("trainc/preview", {"textDocument": {"uri": p.uri()}})
    p.open(JOB.replace("memory ", "memroy "))
    stale = p.server.request("trainc/preview", {"textDocument": {"uri": p.uri()}})
    assert stale["stale"] and stale["text"] == good["text"]
    p.open("job", "never.tj")
    assert p.server.error("trainc/preview", {"textDocument": {"uri": p.uri("never.tj")}})["message"] == "the program has errors"


def test_preview_command(p):
    p.open(JOB + JOB.split("\n\n", 2)[2].replace('"a"', '"b"'))
    lens = [x for x in p.ask("codeLens") if x["command"]["command"] == "trainc.preview"]
    found = p.server.request("workspace/executeCommand", lens[1]["command"])
    assert "name: b-worker" in found["text"] and "name: a-worker" not in found["text"]
    assert p.server.error("workspace/executeCommand", {"command": "trainc.dance", "arguments": []})["code"] == -32602


def test_environment(p):
    p.open(JOB)
    ask = {"textDocument": {"uri": p.uri()}, "job": "a", "role": "worker", "index": 1}
    found = p.server.request("trainc/environment", ask)
    assert "PET_NODE_RANK" in found["text"]
    text = p.server.request("trainc/environment", dict(ask, format="dotenv"))["text"]
    assert "PET_NODE_RANK=1" in text, text
    replica = found["environment"]["jobs"][0]["replicas"][0]
    assert replica["index"] == 1
    assert p.server.error("trainc/environment", dict(ask, role="none"))["code"] == -32602
    assert p.server.request("workspace/executeCommand", {"command": "trainc.environment", "arguments": [ask]}) == found


def test_plan(p):
    p.open(JOB)
    found = p.server.request("trainc/plan", {"textDocument": {"uri": p.uri()}})
    assert found["drawing"].startswith("<svg ") and found["drawing"].endswith("</svg>\n")
    assert "worker" in found["text"] and found["plan"]["jobs"][0]["name"] == "a", found


def test_import(p):
    manifest = ("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hello\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n"
                "      containers:\n      - name: main\n        image: registry.example.com/hello:1\n        command: [python, hello.py]\n")
    found = p.server.request("workspace/executeCommand", {"command": "trainc.import", "arguments": [{"text": manifest}]})
    assert 'job "hello"' in found["text"] and "registry.example.com/hello:1" in found["text"], found
    p.open(found["text"])
    assert not [d for d in p.diagnostics() if d["severity"] == 1]
    bad = p.server.request("trainc/import", {"text": "kind: Job\napiVersion: batch/v1\n"})
    assert bad["text"] is None and bad["messages"][0]["code"].startswith("TJ")


def test_pasted_manifest(p):
    """A manifest instead of a program has one fix: its program."""
    manifest = ("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hello\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n"
                "      containers:\n      - name: main\n        image: registry.example.com/hello:1\n        command: [python, hello.py]\n")
    p.open("«x»" + manifest)
    (fix,) = actions(p, only="quickfix")
    assert fix["title"] == "convert the manifest to a program" and fix["isPreferred"] and fix["diagnostics"][0]["code"] == "TJ0102"
    program = apply(manifest, fix["edit"]["documentChanges"][0]["edits"])
    assert program == p.server.request("trainc/import", {"text": manifest})["text"] and program.startswith("import std.")
    for other in ("«x»apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: hello\n", "«x»apiVersion: batch/v1\nkind: Job\nspec: [\n"):
        p.open(other)
        assert not actions(p, only="quickfix")


# ---- call hierarchy ----

def test_calls(p):
    p.open("fn one(x: int) -> int = x\nfn t«x»wo(x: int) -> int = one(x) + one(2)\nlet a = two(1)\ncheck a > 0 else \"no\"\n")
    item = p.at("prepareCallHierarchy")[0]
    assert item["name"] == "two" and item["kind"] == 12
    out = p.server.request("callHierarchy/outgoingCalls", {"item": item})
    assert [(c["to"]["name"], len(c["fromRanges"])) for c in out] == [("one", 2)]
    into = p.server.request("callHierarchy/incomingCalls", {"item": item})
    assert [c["from"]["name"] for c in into] == ["a"]
    assert p.server.request("callHierarchy/incomingCalls", {"item": out[0]["to"]})[0]["from"]["name"] == "two"


# ---- garbage ----

def test_garbage(p):
    """Parameters of any shape get a response, and the server continues."""
    p.open(JOB)
    methods = ["hover", "completion", "definition", "references", "rename", "codeAction", "inlayHint", "selectionRange", "rangeFormatting",
               "semanticTokens/range", "semanticTokens/full/delta", "signatureHelp", "onTypeFormatting"]
    for method in methods:
        for params in (None, [], "x", {}, {"textDocument": 1}, {"textDocument": {"uri": p.uri()}},
                       {"textDocument": {"uri": p.uri()}, "position": {"line": -1, "character": 10**12}},
                       {"textDocument": {"uri": p.uri()}, "position": {"line": 10**9, "character": 0},
                        "range": {"start": {"line": 9, "character": 9}, "end": {"line": 0, "character": 0}}, "positions": [1, {}, None]}):
            p.server.answer(p.server.ask("textDocument/" + method, params))
    for text in ("", "\n", "}", '"', '"""', "${", "job", "#", "\r", "é", "a.", "import ", "{" * 300, "if " * 300):
        p.open(text)
        for method in ("completion", "hover", "definition", "signatureHelp"):
            p.server.at("textDocument/" + method, p.uri(), (0, len(text)))
        for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "formatting", "codeLens", "documentLink"):
            p.ask(method)
    assert p.server.end() == 0


if __name__ == "__main__":
    case.run(case.tests_of(sys.modules["__main__"]))
