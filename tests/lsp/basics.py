"""basics.py - lifecycle of the server, positions, diagnostics, hover, completion."""
import json
import os
import subprocess
import sys
import time

import case
from case import JOB, PRELUDE, server
from client import CAPABILITIES, Server, uri

# ---- lifecycle ----


@server(initialize=False)
def test_before_initialize(p):
    assert p.server.error("textDocument/hover", {})["code"] == -32002


def test_initialize_twice(p):
    assert p.server.error("initialize", {"capabilities": {}})["code"] == -32600


def test_unknown_method(p):
    assert p.server.error("textDocument/dance", {})["code"] == -32601
    p.server.notify("$/unknown", {})
    assert p.server.end() == 0


def test_after_shutdown(p):
    p.server.request("shutdown")
    assert p.server.error("textDocument/hover", {})["code"] == -32600
    p.server.notify("exit", None)
    assert p.server.process.wait(10) == 0


def test_end_without_shutdown(p):
    assert p.server.end(shutdown=False) == 1


def test_exit_without_shutdown(p):
    p.server.notify("exit", None)
    assert p.server.process.wait(10) == 1


def test_not_json(p):
    p.server.send_bytes(b"Content-Length: 5\r\n\r\n{\"a\":")
    assert p.server.answer(None)["error"]["code"] == -32700
    p.open(JOB)
    assert p.diagnostics() == []


def test_headers(p):
    """Names of headers are case-insensitive, unknown ones are skipped, and a message may arrive in pieces."""
    message = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "nothing"}).encode()
    for byte in b"X-Thing: 1\r\nCONTENT-length: %d\r\n\r\n" % len(message) + message:
        p.server.send_bytes(bytes([byte]))
    assert p.server.answer("a")["error"]["code"] == -32601


def test_no_length(p):
    """A length is a number in its own line: what follows an empty one is not read as the number."""
    message = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "nothing"}).encode()
    for bad in (b"", b" ", b"x", b"-1", b"1 2", b"99999999999999999999"):
        p.server.send_bytes(b"Content-Length:" + bad + b"\r\n\r\n4\r\nContent-Length: %d\r\n\r\n" % len(message) + message)
        assert p.server.answer("a")["error"]["code"] == -32601, bad


def test_ids(p):
    for id in (7, "seven", 2**53 + 1):
        p.server.send({"jsonrpc": "2.0", "id": id, "method": "nothing"})
        assert p.server.answer(id)["id"] == id


def test_cancel(p):
    """A request that is canceled before its turn is answered with -32800, and not started."""
    p.open(JOB)
    ask = {"jsonrpc": "2.0", "id": 71, "method": "textDocument/hover",
           "params": {"textDocument": {"uri": p.uri()}, "position": {"line": 0, "character": 8}}}
    p.server.send(ask, {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 71}})
    assert p.server.answer(71)["error"]["code"] == -32800
    p.server.notify("$/cancelRequest", {"id": 71})      # too late: no effect
    p.server.send(dict(ask, id=72))
    assert "result" in p.server.answer(72)


def test_empty_capabilities(p):
    s = Server(root=p.root, capabilities={})
    assert s.capabilities["positionEncoding"] == "utf-16" and s.capabilities["textDocumentSync"]["change"] == 2
    s.open(p.uri(), JOB.replace("memory ", "memroy "))
    d = s.wait_diagnostics(p.uri(), 1)[0]
    assert "codeDescription" not in d and "relatedInformation" not in d
    hover = s.at("textDocument/hover", p.uri(), (3, 7))["contents"]
    assert hover["kind"] == "plaintext" and hover["value"].startswith("param nodes: int(1..8) = 2\n") and "`" not in hover["value"], hover
    assert not any(i["insertTextFormat"] == 2 for i in s.at("textDocument/completion", p.uri(), (6, 0))["items"])
    assert s.end() == 0


# ---- positions ----

WIDE = "# é 中 😀\nlet a = \"é中😀\" ?? \"\"; let\n"


def encoding(p, offered):
    s = Server(root=p.root, capabilities={"general": {"positionEncodings": offered}})
    s.open(p.uri(), 'let a = "é中😀" + missing\n')
    d = s.wait_diagnostics(p.uri(), 1)
    start = [x["range"]["start"]["character"] for x in d if "missing" in x["message"]][0]
    hover = s.at("textDocument/hover", p.uri(), (0, 5))["range"]
    status = s.end()
    return s.capabilities["positionEncoding"], start, hover["end"]["character"], status


def test_utf8(p):
    assert encoding(p, ["utf-16", "utf-8"]) == ("utf-8", 8 + 2 + 2 + 3 + 4 + 3, 5, 0)


def test_utf16(p):
    assert encoding(p, ["utf-32", "utf-16"]) == ("utf-16", 8 + 2 + 1 + 1 + 2 + 3, 5, 0)


def test_utf32(p):
    assert encoding(p, ["utf-32"]) == ("utf-32", 8 + 2 + 3 + 3, 5, 0)


def test_hover_behind_wide_characters(p):
    """UTF-16 columns are converted when they arrive."""
    s = Server(root=p.root, capabilities={})
    s.open(p.uri(), 'let other = 1\nlet a = ["é中😀", "${other}"]\n')
    column = len('let a = ["é中😀", "${'.encode("utf-16-le")) // 2
    found = s.at("textDocument/hover", p.uri(), (1, column + 1))
    assert "let other: int" in found["contents"]["value"] and found["range"]["start"]["character"] == column
    assert s.end() == 0


def test_incremental(p):
    """Edits in UTF-16 columns, several in one message, with line endings of all kinds."""
    s = Server(root=p.root, capabilities={})
    s.open(p.uri(), "let a = \"😀\"\r\nlet b = 1\r\n")
    s.change(p.uri(), [
        {"range": {"start": {"line": 0, "character": 11}, "end": {"line": 0, "character": 11}}, "text": "x"},
        {"range": {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 5}}, "text": "ccc"},
        {"range": {"start": {"line": 2, "character": 0}, "end": {"line": 9, "character": 9}}, "text": "let d = a\n"}], 2)
    names = [d["message"].split("'")[1] for d in s.wait_diagnostics(p.uri(), 2) if d["code"] == "TJ1002"]
    assert "value" in s.at("textDocument/hover", p.uri(), (2, 8))["contents"], names
    text = s.at("textDocument/hover", p.uri(), (0, 4))["contents"]["value"]
    assert "😀x" in text, text
    assert s.at("textDocument/hover", p.uri(), (1, 5))["contents"]["value"].startswith("let ccc")
    assert s.end() == 0


# ---- URIs of documents ----

def answers(p, root, document):
    """Opens a program under this URI; the file that it imports is found next to it, and diagnostics use the same
    URI."""
    s = Server(root=root)
    s.open(document, 'import "part.tj" as part\n\ncheck part.size > 0 else "no"\n', 1)
    assert s.wait_diagnostics(document, 1) == []
    found = s.at("textDocument/definition", document, (2, 12))
    assert s.end() == 0
    return found["uri"]


def test_uri_with_escapes(p):
    """Spaces, non-ASCII letters and needless escapes lead to the same file."""
    p.write("my dir/é中/part.tj", "let size = 3\n")
    plain = p.uri("my dir/é中/job.tj")
    want = p.uri("my dir/é中/part.tj")
    assert "%20" in plain and answers(p, p.root, plain) == want
    assert answers(p, p.root, plain.replace("job", "%6aob").replace("%C3%A9", "%c3%a9")) == want


def test_uri_through_a_link(p):
    """A folder that is a symbolic link keeps the name that the client uses."""
    p.write("real/part.tj", "let size = 3\n")
    os.symlink("real", os.path.join(p.root, "link"))
    assert answers(p, os.path.join(p.root, "link"), p.uri("link/job.tj")) == p.uri("link/part.tj")


def test_untitled(p):
    """A document without a file is checked, completed and previewed."""
    document = "untitled:Untitled-1"
    p.server.open(document, JOB.replace("memory ", "memroy "), 1)
    assert [d["code"] for d in p.server.wait_diagnostics(document, 1) if d["severity"] == 1] == ["TJ0202"]
    p.server.change(document, JOB, 2)
    assert p.server.wait_diagnostics(document, 2) == []
    assert "kind: Job" in p.server.request("trainc/preview", {"uri": document})["text"]
    assert "request and limit" in p.server.at("textDocument/hover", document, (14, 6))["contents"]["value"]


def test_uri_of_a_drive(p):
    """file:///c%3A/... names c:/..., and is returned as the client wrote it."""
    document = "file:///c%3A/work/job.tj"
    p.server.open(document, "let a = missing\n", 1)
    assert p.server.wait_diagnostics(document, 1)[0]["range"]["start"]["character"] == 8


# ---- diagnostics ----

def test_diagnostics(p):
    p.open(JOB.replace("memory ", "memroy "))
    d = [x for x in p.diagnostics() if x["severity"] == 1]
    assert len(d) == 1, d
    d = d[0]
    assert d["code"] == "TJ0202" and d["source"] == "trainc" and "memroy" in d["message"] and "help:" in d["message"]
    assert d["range"]["start"] == {"line": 14, "character": 4} and d["range"]["end"]["character"] == 10
    page = d["codeDescription"]["href"]
    assert page.startswith("file://") and "TJ0202" in page
    assert "field" in open(page[7:]).read()
    fix = d["data"]["fixes"][0]
    assert fix["edits"][0]["newText"] == "memory" and fix["edits"][0]["range"] == d["range"]


def test_diagnostics_go(p):
    p.open(JOB.replace("memory ", "memroy "))
    assert p.diagnostics()
    p.open(JOB)
    assert p.diagnostics() == []


def test_related(p):
    p.open("let a = 1\nlet a = 2\n")
    d = [x for x in p.diagnostics() if x["code"] == "TJ0204"][0]
    related = d["relatedInformation"][0]
    assert related["location"]["uri"] == p.uri() and related["location"]["range"]["start"]["line"] == 0


def test_unused_is_faded(p):
    p.open(JOB.replace("nvidia.h100(8)", "none"))
    tagged = [d for d in p.diagnostics() if d.get("tags") == [1]]
    assert "TJ1002" in [d["code"] for d in tagged], tagged


def test_modules_export(p):
    """In a file without jobs, a declaration that another program may import is not reported as unused."""
    p.open("let size = 3\nfn f(x: int) -> int = x\nlet _own = 1\n")
    assert [d["message"].split("'")[1] for d in p.diagnostics()] == ["_own"]


def test_as_the_command_says(p):
    """The editor shows what `trainc check` prints."""
    for text in (JOB, JOB.replace("nodes\n", "99\n"), JOB.replace("pytorch.torchrun", "pytorch.tochrun"), JOB[:-4], "job \"a\" {"):
        p.write("job.tj", text)
        out = subprocess.run([case.client.TRAINC, "check", "--format=json", "job.tj"], cwd=p.root, capture_output=True).stdout
        wanted = sorted((d["code"], d["message"]) for d in map(json.loads, out.splitlines()))
        p.open(text)
        assert sorted((d["code"], d["message"].split("\n")[0][:len(w[1])]) for d, w in
                      zip(sorted(p.diagnostics(), key=lambda d: (d["code"], d["message"])), wanted)) == wanted, text
        assert len(p.diagnostics()) == len(wanted)


def test_imported_unsaved(p):
    """An imported file is taken from the editor when it is open there, and from the disk otherwise."""
    p.write("part.tj", "let size = 3\n")
    p.open('import "part.tj" as part\n\nlet a = part.size + part.depth\ncheck a > 0 else "no"\n')
    assert any("depth" in d["message"] for d in p.diagnostics())
    p.server.open(p.uri("part.tj"), "let size = 3\nlet depth = 4\n", 1)
    while any(d["severity"] == 1 for d in p.server.diagnostics[p.uri()]["diagnostics"]):
        assert p.server.take()
    p.server.notify("textDocument/didClose", {"textDocument": {"uri": p.uri("part.tj")}})
    while not any("depth" in d["message"] for d in p.server.diagnostics[p.uri()]["diagnostics"]):
        assert p.server.take()


def test_watched(p):
    """A file that changes outside the editor is read again when the client reports the change."""
    p.write("part.tj", "let size = 3\n")
    p.open('import "part.tj" as part\n\ncheck part.size + part.depth > 0 else "no"\n')
    assert p.diagnostics()
    p.write("part.tj", "let size = 3\nlet depth = 4\n")
    p.server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": p.uri("part.tj"), "type": 2}]})
    while p.server.diagnostics[p.uri()]["diagnostics"]:
        assert p.server.take()


def test_refresh(p):
    """When another file changes, the client is asked to refresh hints; after an edit of the same file it is not."""
    p.write("part.tj", "let size = 3\n")
    p.open('import "part.tj" as part\n\nlet a = part.size * 2\ncheck a > 0 else "no"\n')
    p.diagnostics()
    p.server.change(p.uri(), 'import "part.tj" as part\n\nlet a = part.size * 3\ncheck a > 0 else "no"\n', 2)
    p.server.wait_diagnostics(p.uri(), 2)
    p.server.request("workspace/symbol", {"query": "x"})
    assert [a["method"] for a in p.server.asked] == ["client/registerCapability"]
    p.server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": p.uri("part.tj"), "type": 2}]})
    while p.server.asked[-1]["method"] != "workspace/inlayHint/refresh":
        assert p.server.take()
    p.server.send({"jsonrpc": "2.0", "id": p.server.asked[-1]["id"], "result": None})
    assert p.server.end() == 0


def test_mistake_in_an_imported_file(p):
    """An error in a file that is not open is shown there, and removed when it is fixed."""
    p.write("part.tj", "let size = missing\n")
    p.open('import "part.tj" as part\n\ncheck part.size > 0 else "no"\n')
    p.diagnostics()
    while not p.server.diagnostics.get(p.uri("part.tj"), {}).get("diagnostics"):
        assert p.server.take()
    p.open('let a = 1\ncheck a > 0 else "no"\n')
    while p.server.diagnostics[p.uri("part.tj")]["diagnostics"]:
        assert p.server.take()


def test_close_clears(p):
    p.open(JOB.replace("memory ", "memroy "))
    assert p.diagnostics()
    p.server.notify("textDocument/didClose", {"textDocument": {"uri": p.uri()}})
    while p.server.diagnostics[p.uri()]["diagnostics"]:
        assert p.server.take()


@server(options={"diagnostics": "save"})
def test_only_on_save(p):
    p.open(JOB)
    p.diagnostics()
    p.server.change(p.uri(), JOB.replace("memory ", "memroy "), 5)
    assert p.server.at("textDocument/hover", p.uri(), (0, 9))
    assert p.server.diagnostics[p.uri()]["version"] == 1
    p.server.notify("textDocument/didSave", {"textDocument": {"uri": p.uri()}})
    assert p.server.wait_diagnostics(p.uri(), 5)


def test_only_the_last_of_several_edits_is_analysed(p):
    p.open(JOB)
    p.diagnostics()
    before = len(p.server.published)
    change = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": {"uri": p.uri(), "version": 2},
        "contentChanges": [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "#\n"}]}}
    p.server.send(*[dict(change, params=dict(change["params"], textDocument={"uri": p.uri(), "version": v})) for v in range(2, 52)])
    p.server.wait_diagnostics(p.uri(), 51)
    assert len(p.server.published) - before < 10


def test_project(p):
    """The project around a file applies: its Kubernetes version, its policies, its packages."""
    p.write("project.tj", 'project {\n  kubernetes = "1.99"\n}\n')
    p.open(JOB, "jobs/job.tj")
    p.diagnostics("jobs/job.tj")
    while not p.server.diagnostics.get(p.uri("project.tj"), {}).get("diagnostics"):
        assert p.server.take()
    assert p.server.diagnostics[p.uri("project.tj")]["diagnostics"][0]["code"] == "TJ0814"


# ---- hover ----

def test_hover_field(p):
    text = p.hover(JOB.replace("memory ", "mem«x»ory "))
    assert "memory: memory?" in text and "request and limit" in text and "Here: `64Gi`" in text


def test_hover_param(p):
    text = p.hover(JOB.replace("= nodes", "= no«x»des"))
    assert "param nodes: int(1..8) = 2" in text and "Value: `2`" in text


def test_hover_function(p):
    p.open("## Twice as much.\nfn twice(x: int) -> int = x * 2\nlet a = tw«x»ice(2)\ncheck a > m«y»in(1, 2) else \"no\"\n")
    text = p.at("hover")["contents"]["value"]
    assert "fn twice(x: int) -> int" in text and "Twice as much." in text
    assert "Smallest value." in p.at("hover", "y")["contents"]["value"]


def test_hover_framework(p):
    text = p.hover(JOB.replace("pytorch.torchrun", "pytorch.torch«x»run"))
    assert "framework torchrun(nproc: int(1..)? = none, port: port = 29500, report: bool = false)" in text and "PET_NNODES" in text and "`worker`" in text


def test_hover_device(p):
    text = p.hover(JOB.replace("h100(8)", "h1«x»00(8)"))
    assert "accelerator h100(count: int(1..8))" in text and "80 GB" in text


def test_hover_role(p):
    """The final environment of replica 0, and how many devices the role needs."""
    text = p.hover(JOB.replace("role worker", "role wor«x»ker"))
    assert "2 × 8 nvidia.h100 = 16 devices" in text
    assert "PET_NNODES=2\n" in text and "PET_NODE_RANK=0\n" in text and "PET_MASTER_ADDR=a-worker-0.a\n" in text


def test_hover_job(p):
    text = p.hover(JOB.replace('job "a"', 'job "«x»a"'))
    assert "16 devices" in text and "2 objects" in text


def test_hover_variable(p):
    text = p.hover(JOB.replace("cpu  ", 'env { LR«x» = "x${nodes}" }\n    cpu  '))
    assert "LR=x2" in text


def test_hover_member(p):
    text = p.hover(JOB.replace("cpu  ", 'env { A = worker.add«x»ress(0, "rdzv") }\n    cpu  '))
    assert "host name and port of replica" in text


def test_hover_nothing(p):
    assert p.hover(JOB.replace('"1.0"', '"1«x».0"')) is None


def test_hover_in_broken_text(p):
    text = p.hover(JOB.replace("= nodes", "= no«x»des").replace("cpu         = 8", "cpu         = "))
    assert "param nodes" in text
    for broken in ("  timeout =\n", '  workdir = "/a\n'):         # the number of replicas is unknown, not 0
        text = PRELUDE + 'job "a": pytorch.torchrun {\n  image = "x:1"\n  command = ["x"]\n' + broken + "  role w«x»orker { replicas = 2 }\n}\n"
        assert "role worker" in p.hover(text) and "0 replicas" not in p.hover(text)
        assert "Here" not in p.hover(text.replace("«x»", "").replace("replicas", "rep«x»licas")), p.hover(text)


def test_label_that_repeats_the_headline(p):
    p.open(PRELUDE + 'job "a": pytorch.torchrun {\n  image: "x:1"\n  command = ["x"]\n  role worker { replicas = 2 }\n}\n')
    message = p.diagnostics()[0]["message"]
    assert message.split("\n")[0].endswith("is not a type") and message.count("not a type") == 1, message


# ---- completion ----

def within(job, role=""):
    return PRELUDE + 'job "a": pytorch.torchrun {\n  image = "x:1"\n  %s\n  role worker {\n    %s\n  }\n}\n' % (job, role)


def test_complete_devices(p):
    labels = p.labels(within("", "accelerator = «x»"))
    assert "nvidia.h100" in labels and "amd.mi300x" in labels and labels.index("nvidia.h100") < labels.index("amd.mi300x")
    assert not {"nodes", "release", "min", "worker", "pytorch"} & set(labels)
    p.open(within("", "accelerator = «x»"))
    item = [i for i in p.at("completion")["items"] if i["label"] == "amd.mi300x"][0]
    assert item["additionalTextEdits"][0]["newText"] == "import std.amd\n"
    item = [i for i in p.at("completion")["items"] if i["label"] == "nvidia.h100"][0]
    assert item["textEdit"]["newText"] == "nvidia.h100(${1:count})" and "80 GB" in item["documentation"]["value"]


def test_complete_device_members(p):
    labels = p.labels(within("", "accelerator = nvidia.«x»"))
    assert "h100" in labels and "gpu_node" not in labels


def test_complete_roles_in_done(p):
    labels = p.labels(within("success = done(«x»)"))
    assert labels[0] == "worker" and not {"nodes", "release", "min", "nvidia"} & set(labels)


def test_complete_conditions(p):
    labels = p.labels(within("success = «x»"))
    assert labels[:3] == ["done", "ready", "started"] and not {"nodes", "min", "pvc"} & set(labels)


def test_complete_ports_in_address(p):
    framework = "framework g(port: port = 7) {\n  role w {\n    ports { ring = port }\n    env { A = w.address(0, %s }\n  }\n}\n"
    assert p.labels(framework % "«x»") == ['"ring"']
    assert p.labels(framework % '"«x»")') == ["ring"]
    assert p.labels(within("", 'env { A = worker.address(0, «x») }')) == ['"rdzv"']


def test_complete_local_names(p):
    """A name inside an expression is known after its 'in'."""
    assert "halfway" in p.labels(PRELUDE + "fn f(n: int) -> int = let halfway = n // 2 in «x»\n")
    assert "halfway" in p.labels(within("", "replicas = let halfway = nodes // 2 in «x»"))
    assert "int" in p.hover(PRELUDE + "fn f(n: int) -> int = let halfway = n // 2 in «x»halfway + 1\n")


def test_complete_enum(p):
    labels = p.labels(within("gang = «x»"))
    assert labels[:2] == ['"none"', '"kueue"'] and "nodes" not in labels
    assert p.labels(within('gang = "v«x»"')) == ["volcano", "native"]


def test_complete_fields(p):
    labels = p.labels(within("", "cpu = 1\n    «x»"))
    assert "memory" in labels and "accelerator" in labels and "sidecar" in labels
    assert "cpu" not in labels and "namespace" not in labels and "role" not in labels


def test_complete_job_fields(p):
    labels = p.labels(within("«x»"))
    assert "role" in labels and "queue" in labels and "image" not in labels


def test_complete_role_names(p):
    assert p.labels(PRELUDE + 'job "a": pytorch.torchrun {\n  role «x»\n') == ["worker"]
    assert p.labels(within("") .replace("}\n}\n", "}\n  role «x»\n}\n")) == []


def test_complete_frameworks(p):
    labels = p.labels(PRELUDE + 'job "a": «x»')
    assert labels[0] == "pytorch.torchrun" and "mpi.openmpi" in labels
    assert p.labels(PRELUDE + 'job "a": pytorch.«x»') == ["torchrun", "elastic", "env"]


def test_complete_of_a_module_that_is_not_imported(p):
    text = 'job "a": lws.«x»'
    assert p.labels(text) == ["groups", "group"]
    p.open(text)
    assert p.at("completion")["items"][0]["additionalTextEdits"][0]["newText"] == "import std.lws\n\n"
    assert "mi300x" in p.labels(within("", "accelerator = amd.«x»")) and p.labels(within("", "image = amd.«x»")) == []
    assert p.labels("let a = std.lws.«x»") == [] and p.labels("let lws = 1\n" + text) == []


def test_complete_framework_arguments(p):
    labels = p.labels(PRELUDE + 'job "a": pytorch.torchrun(«x») {\n}\n')
    assert "nproc = " in labels and "port = " in labels and "nodes" in labels and "release" not in labels


def test_complete_imports(p):
    assert p.labels("import «x»") == ["std"]
    assert p.labels("import std.nv«x»") == ["nvidia"]
    p.write("part.tj", "let a = 1\n")
    assert p.labels('import "«x»"') == ["part.tj"]


def test_complete_declarations(p):
    labels = p.labels(PRELUDE + "«x»")
    assert {"job", "import", "param", "framework", "job pytorch.torchrun"} <= set(labels) and "project" not in labels


def test_complete_quantities(p):
    assert p.labels(within("", "memory = 64«x»")) == ["64Gi", "64Mi", "64Ti", "64Ki"]
    assert p.labels(within("timeout = 5«x»"))[:2] == ["5s", "5min"]


def test_complete_types(p):
    labels = p.labels("type Size {\n  n: int\n}\nparam n: «x»")
    assert labels[0] == "Size" and "memory" in labels


def test_complete_ints(p):
    labels = p.labels(within("", "replicas = «x»"))
    assert labels[0] == "nodes" and not {"release", "upper", "pvc", "nvidia"} & set(labels)


def test_complete_forms(p):
    """Forms of a value come before the functions that could compute it; a range is offered only where replicas may
    come and go."""
    def first(text, n):
        return [label for label in p.labels(text) if label != "worker"][:n]
    assert first(within("", "replicas = «x»"), 3)[:2] == ["nodes", "1"] and "1:4" not in p.labels(within("", "replicas = «x»"))
    assert first(within("", "replicas = «x»").replace("pytorch.torchrun", "pytorch.elastic"), 3) == ["nodes", "1", "1:4"]
    assert first(within("", "memory = «x»"), 1) == ["1Gi"] and first(within("timeout = «x»"), 1) == ["1h"]
    assert first(within("image = «x»"), 2) == ["release", '""'] and first(within("command = «x»"), 1) == ["[]"]
    assert first("param wait: duration = «x»\n", 1) == ["1h"] and first("param on: bool = «x»\n", 2) == ["true", "false"]
    assert first("param a: int(3..) = «x»\n", 1) == ["3"]
    p.open(within("", "replicas = «x»").replace("pytorch.torchrun", "pytorch.elastic"))
    assert [i["textEdit"]["newText"] for i in p.at("completion")["items"] if i["label"] == "1:4"] == ["${1:1}:${2:4}"]


def test_complete_volumes(p):
    labels = p.labels(within("", 'mounts { "/data" = «x» }'))
    assert "pvc" in labels and not {"min", "nodes", "release", "done"} & set(labels)


def test_complete_records(p):
    text = "type Size {\n  ## How wide.\n  wide: int\n  tall: int\n}\nlet s: Size = { wide = 1, «x» }\n"
    assert p.labels(text) == ["tall"]
    assert p.labels(text.replace("«x»", "tall = 2") + "let a = s.«x»\n") == ["wide", "tall"]


def test_complete_profile(p):
    assert p.labels(PRELUDE + "profile big { «x» }\n") == ["nodes"]


def test_complete_pod(p):
    assert p.labels(within("", "env { A = pod.«x» }")) == ["index", "copy", "rank", "slice", "slice_index", "name", "uid", "ip", "node", "host", "env"]


def test_complete_names_of_the_text(p):
    """Parameters, lets and loop variables of the declaration that is being written."""
    assert {"x", "y"} <= set(p.labels("fn f(x: int, y: int) -> int = «x»"))
    labels = p.labels(within("for item in [1, 2] {\n    env { A = «x» }\n  }"))
    assert "item" in labels
    assert "item" not in p.labels(within("for item in [1, 2] { }\n  env { A = «x» }"))


def test_complete_in_broken_text(p):
    """Errors elsewhere, above or below, do not disable completion."""
    for above, below in (("let z = (((\n", ""), ("job \"x\" {\n  role a {\n", "}}}}"), ("let s = \"abc\n", "'")):
        labels = p.labels(PRELUDE + above + within("", "accelerator = «x»")[len(PRELUDE):] + below)
        assert "nvidia.h100" in labels, (above, below)


def test_complete_nothing(p):
    assert p.labels("# a comment «x»\n" + JOB) == []
    assert p.labels(JOB.replace("registry", "regi«x»stry")) == []
    assert p.labels(JOB.replace("= nodes", "= nodes «x»")) == []


def test_most_open_texts(p):
    """One document beyond the limit is refused, which is reported once; closing one makes room."""
    def hover(name):
        return p.server.error("textDocument/hover", {"textDocument": {"uri": p.uri(name)}, "position": {"line": 0, "character": 0}})
    with p.server.together():
        for i in range(2003):
            p.open("", "%d.tj" % i)
    assert "is not open" in hover("2000.tj")["message"] and "is not open" in hover("2002.tj")["message"]
    assert [(m["type"], m["message"][:33]) for m in p.server.shown] == [(2, "trainc: 2000 documents are open, ")], p.server.shown
    assert hover("1999.tj") is None
    p.server.notify("textDocument/didClose", {"textDocument": {"uri": p.uri("0.tj")}})
    p.open("", "2000.tj")
    assert hover("2000.tj") is None and "is not open" in hover("0.tj")["message"]
    p.open("", "0.tj")
    assert "is not open" in hover("0.tj")["message"] and len(p.server.shown) == 2


if __name__ == "__main__":
    case.run(case.tests_of(sys.modules["__main__"]))
