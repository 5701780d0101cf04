#!/usr/bin/env python3
"""mcp.py - `trainc mcp` as an agent's client sees it: the first messages, each tool, each kind of wrong message, what an
agent must not be able to say, and that the input may come in any pieces. `make test-mcp` lets the protocol's own inspector
call it."""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counter import Counter             # noqa: E402

TRAINC = os.environ["TRAINC"]
counter = Counter()
holds = counter.holds
ROOT = os.getcwd()
HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}


def serve(data, cwd=ROOT, pieces=None, **environment):
    """What the server answers to these bytes, and its status."""
    p = subprocess.Popen([TRAINC, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                         env={**os.environ, "KUBECONFIG": "/dev/null", **environment})
    if pieces:
        for at in range(0, len(data), pieces):
            p.stdin.write(data[at:at + pieces])
            p.stdin.flush()
        out, err = p.communicate(timeout=120)
    else:
        out, err = p.communicate(data, timeout=120)
    return [json.loads(line) for line in out.splitlines()], p.returncode, err.decode()


def say(*messages, **more):
    return serve("".join(json.dumps(m) + "\n" for m in messages).encode(), **more)


def call(name, arguments=None, **more):
    params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    answers, _, _ = say(HELLO, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, **more)
    return answers[1]


def text(answer):
    return answer["result"]["content"][0]["text"] if "result" in answer else answer["error"]["message"]


def printed(*arguments, stdin=""):
    return subprocess.run([TRAINC, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout


# ---- the first messages ----
answers, status, err = say(HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": "p", "method": "ping"},
                           {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
holds("a note is not answered; ids come back as they are", [a["id"] for a in answers] == [0, "p", 2], answers)
holds("the end of the input is a normal end", status == 0 and not err, (status, err))
holds("the version of the client", answers[0]["result"]["protocolVersion"] == "2025-06-18")
for wanted in ("2024-11-05", "2025-03-26", "2025-11-25", "1999-01-01", None, 7):
    got = say({**HELLO, "params": {"protocolVersion": wanted}})[0][0]["result"]["protocolVersion"]
    holds(f"version {wanted}", got == (wanted if isinstance(wanted, str) and wanted > "2" else "2025-11-25"), got)
tools = {t["name"]: t for t in answers[2]["result"]["tools"]}
holds("the tools", list(tools) == ["skill", "explain", "check", "plan", "env", "import", "fit"], list(tools))
for tool in tools.values():
    schema = tool["inputSchema"]
    holds(tool["name"] + " is described", tool["annotations"]["readOnlyHint"] is True and len(tool["description"]) > 20 and schema["type"] == "object" and
          schema["additionalProperties"] is False and all(p["type"] in ("string", "integer", "object") and p["description"] for p in schema["properties"].values()))

# ---- each tool says what the command prints ----
example = "examples/01-torch-data-parallel/mnist.tj"
with open(example, encoding="utf-8") as f:
    program = f.read()
for name in ("plan", "env"):
    holds(name + " of a text", text(call(name, {"program": program})) == printed(name, "-", stdin=program))
    holds(name + " of a file", text(call(name, {"file": example})) == printed(name, example))
holds("env of one replica", text(call("env", {"file": example, "role": "worker", "index": 3})) == printed("env", "--role", "worker", "--index", "3", example))
holds("check of a good program", call("check", {"file": example})["result"] == {"content": [{"type": "text", "text": "no problems\n"}], "isError": False})
wrong = 'job "a" { imag = "x" }\n'
holds("check of a wrong one", text(call("check", {"program": wrong})) == printed("check", "-", stdin=wrong) != "" and not call("check", {"program": wrong})["result"]["isError"])
holds("plan of a wrong one has failed", call("plan", {"program": wrong})["result"]["isError"] and "imag" in text(call("plan", {"program": wrong})))
holds("explain", text(call("explain", {"topic": "role.memory"})) == printed("explain", "role.memory"))
holds("explain without a topic", text(call("explain")) == text(call("explain", {})) == printed("explain"))
holds("explain of what is unknown has failed", call("explain", {"topic": "nothing_of_that_name"})["result"]["isError"])
holds("skill", text(call("skill")) == printed("skill"))
manifest = printed("compile", "--target", "kubeflow", "examples/03-tensorflow-parameter-servers/estimator.tj") if os.path.exists("examples/03-tensorflow-parameter-servers/estimator.tj") \
    else printed("compile", example)
holds("import", text(call("import", {"manifests": manifest})) == printed("import", "-", stdin=manifest) and "job \"" in text(call("import", {"manifests": manifest})))
holds("fit without a cluster has failed", call("fit", {"program": program})["result"]["isError"] and len(text(call("fit", {"program": program}))) > 10)
sweep = "param n: int = 2\nparam s: string = \"\"\njob \"a\" { image = \"x:1\", command = [\"echo\", s], role w { replicas = n } }\n"
holds("parameters", "9" in text(call("plan", {"program": sweep, "set": {"n": "9", "s": "a b --x"}})), text(call("plan", {"program": sweep, "set": {"n": "9"}})))

# ---- what an agent must not be able to say ----
with tempfile.TemporaryDirectory() as directory:
    secret = os.path.join(directory, "secret.tj")
    inside = os.path.join(directory, "inside")
    os.mkdir(inside)
    for path in (secret, os.path.join(inside, "a.tj"), os.path.join(inside, "a..b.tj")):
        with open(path, "w", encoding="utf-8") as f:
            f.write(program)
    before = sorted(os.listdir(inside))
    for name in ("check", "plan", "env", "fit"):
        for path in ("../secret.tj", "x/../../secret.tj", secret, "-.tj", "--fix.tj", "secret", "/etc/passwd", "a.tj\0", "..", "", "../inside/a.tj", ".tj/../a.tj"):
            answer = call(name, {"file": path}, cwd=inside)
            holds(f"{name} of {path!r} is refused", "error" in answer and answer["error"]["code"] == -32602, answer)
        answer = call(name, {"file": "a..b.tj"}, cwd=inside)
        holds(name + " of a file with two dots in its name", "result" in answer, answer)
    for hostile in ("--fix", "-o=x", "--output-dir=x", "; touch x", "$(touch x)", "`touch x`", "\n", "a\0b"):
        for tool, arguments in (("plan", {"profile": hostile}), ("plan", {"job": hostile}), ("check", {"target": hostile}), ("env", {"role": hostile}), ("explain", {"topic": hostile}),
                                ("import", {"image": hostile, "manifests": "a: 1"}), ("fit", {"context": hostile}), ("plan", {"set": {hostile: "1"}}), ("plan", {"set": {"n": hostile}})):
            if tool in ("plan", "check", "env", "fit"):
                arguments = {**arguments, "program": sweep}
            answer = call(tool, arguments, cwd=inside)
            said = text(answer)
            holds(f"{tool} {arguments}: a value is no option", "error" in answer or "unknown option" not in said, said)
    for link, target in (("link.tj", secret), ("passwd.tj", "/etc/passwd"), ("directory", directory)):
        os.symlink(target, os.path.join(inside, link))
    for path in ("link.tj", "passwd.tj", "directory/secret.tj", "directory/inside/../secret.tj"):
        answer = call("check", {"file": path}, cwd=inside)
        holds(f"a link out of the directory, {path}", "error" in answer and answer["error"]["code"] == -32602, answer)
    os.symlink("a.tj", os.path.join(inside, "own.tj"))
    holds("a link inside of it", "result" in call("check", {"file": "own.tj"}, cwd=inside))
    holds("a file that does not exist", call("check", {"file": "missing.tj"}, cwd=inside)["result"]["isError"] is not None)
    for link in ("link.tj", "passwd.tj", "directory", "own.tj"):
        os.unlink(os.path.join(inside, link))
    holds("nothing was written", sorted(os.listdir(inside)) == before, os.listdir(inside))
for arguments, why in (({"program": program, "file": example}, "one input"), ({}, "needs the program"), ({"program": 7}, "is a text"), ({"what": "x"}, "no argument"), ([], "an object"),
                       ({"program": program, "set": {"n": 4}}, "is a text"), ({"program": program, "job": 4}, "wrong type"), ({"program": program, "set": "n=4"}, "wrong type"), ("x", "an object")):
    answer = call("plan", arguments)
    holds(f"plan {str(arguments)[:40]}: {why}", "error" in answer and why in answer["error"]["message"], answer)
holds("import needs manifests", "manifests" in text(call("import", {})))
for name in ("run", "apply", "delete", "mcp", "lsp", "compile", "", "../plan", "plan\0"):
    holds(f"no tool {name!r}", call(name)["error"]["code"] == -32602)

# ---- messages that are none ----
for line, code in ((b"{", -32700), (b"nonsense", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"7", -32600), (b'"x"', -32600), (b"{}", -32600), (b'{"id":1}', -32600),
                   (b'{"id":null,"method":"ping"}', -32600), (b'{"id":{},"method":"ping"}', -32600), (b'{"id":1,"method":"no"}', -32601), (b'{"id":1,"method":"tools/call"}', -32602),
                   (b'{"id":1,"method":"tools/call","params":{"name":{}}}', -32602), (b'{"a":1,"a":2}', -32700), (b"[" * 100000, -32700)):
    answers, status, _ = serve(line + b'\n{"id":5,"method":"ping"}\n')
    holds(f"{line[:40]} is refused, and the server goes on", [a.get("error", {}).get("code") for a in answers] == [code, None] and answers[1]["id"] == 5 and status == 0, answers)
for quiet in (b"", b"\n\n \r\n", b'{"method":"no"}\n', b'{"jsonrpc":"2.0","id":3,"result":{}}\n', b'{"method":"notifications/cancelled","params":{"requestId":1}}\n'):
    holds(f"{quiet!r} is not answered", serve(quiet)[:2] == ([], 0))
holds("a last line without its end is a message", len(serve(b'{"id":5,"method":"ping"}')[0]) == 1)
long = b'{"id":1,"method":"' + b"x" * (17 << 20) + b'"}\n{"id":5,"method":"ping"}\n'
answers, status, _ = serve(long)
holds("a message that is too long is refused once", [a["id"] for a in answers] == [None, 5] and status == 0, answers)
whole = "".join(json.dumps(m) + "\n" for m in (HELLO, {"id": 1, "method": "tools/call", "params": {"name": "plan", "arguments": {"program": program}}}, {"id": 2, "method": "ping"})).encode()
expected = serve(whole)[0]
for pieces in (1, 2, 7, 63, 1000):
    holds(f"pieces of {pieces} bytes", serve(whole, pieces=pieces)[0] == expected)
rng = random.Random(1)
for _ in range(40):
    damaged = bytearray(whole)
    for _ in range(rng.randrange(1, 6)):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    answers, status, err = serve(bytes(damaged))
    holds("a damaged input ends well", status == 0 and not err, (status, err))

# ---- a script of Slurm without a name ----
script = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --container-image=registry.example.com/a:1\nsrun hostname\n"
holds("a script on standard input has a name", 'job "sbatch"' in text(call("import", {"manifests": script})), text(call("import", {"manifests": script})))

# ---- the end of the server is the end of its command ----
with tempfile.TemporaryDirectory() as directory:
    plugin = os.path.join(directory, "plugin")
    with open(plugin, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\necho $PPID >{directory}/pid\nexec sleep 50\n")
    os.chmod(plugin, 0o755)
    with open(os.path.join(directory, "config"), "w", encoding="utf-8") as f:
        f.write("apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nclusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                f"users: [{{name: a, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: {plugin}, interactiveMode: Never}}}}}}]\n")
    for signal_number in (15, 2, 1, 9):
        p = subprocess.Popen([TRAINC, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "KUBECONFIG": directory + "/config"})
        p.stdin.write((json.dumps({"id": 1, "method": "tools/call", "params": {"name": "fit", "arguments": {"program": program}}}) + "\n").encode())
        p.stdin.flush()
        end = time.time() + 20
        while not (os.path.exists(directory + "/pid") and open(directory + "/pid", encoding="utf-8").read().strip()) and time.time() < end:
            time.sleep(0.02)
        child = int(open(directory + "/pid", encoding="utf-8").read())
        p.send_signal(signal_number)
        status = p.wait(20)
        while os.path.exists(f"/proc/{child}") and open(f"/proc/{child}/stat", encoding="utf-8").read().split()[2] != "Z" and time.time() < end:
            time.sleep(0.02)
        alive = os.path.exists(f"/proc/{child}") and open(f"/proc/{child}/stat", encoding="utf-8").read().split()[2] != "Z"
        holds(f"signal {signal_number} ends the server and its command", status == -signal_number and not alive, (status, alive))
        if alive:
            os.kill(child, 9)
        os.unlink(directory + "/pid")

# ---- much, and slowly ----
answer = call("import", {"manifests": "a: 1\n---\n" * 200000})
holds("much input", "result" in answer, str(answer)[:200])
answer = call("check", {"program": "x\n" * 400000})
holds("much output has an end", len(text(answer)) <= (1 << 20) + 200, len(text(answer)))
def memory(calls, arguments):
    """Resident memory of a server after CALLS calls, in KB."""
    p = subprocess.Popen([TRAINC, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for i in range(calls):
        p.stdin.write((json.dumps({"id": i, "method": "tools/call", "params": {"name": "check", "arguments": arguments}}) + "\n").encode())
        p.stdin.flush()
        p.stdout.readline()
    with open(f"/proc/{p.pid}/status", encoding="utf-8") as f:
        kb = int([line for line in f if line.startswith("VmRSS")][0].split()[1])
    p.stdin.close()
    p.wait(20)
    return kb


if "asan" not in TRAINC:                # sanitizers keep what was released
    large = {"program": "x\n" * 20000}
    few, many = memory(5, large), memory(25, large)
    holds("memory does not grow with calls", many < few + 2000, (few, many))
answers, status, _ = say(*[{"id": i, "method": "tools/call", "params": {"name": "check", "arguments": {"program": wrong}}} for i in range(50)])
holds("fifty calls", [a["id"] for a in answers] == list(range(50)) and len({text(a) for a in answers}) == 1)
full = subprocess.run([TRAINC, "mcp"], input=b'{"id":5,"method":"ping"}\n', stdout=open("/dev/full", "w", encoding="utf-8"), stderr=subprocess.PIPE, check=False)
holds("an output that is full is an error", full.returncode == 3 and b"cannot write" in full.stderr, full)
for path in sorted(glob.glob("examples/*/*.tj"))[:12]:
    holds("plan of " + path, text(call("plan", {"file": path})) == printed("plan", path))

counter.end()
