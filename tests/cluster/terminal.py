"""terminal.py [NAME...] - every command x every text of every object that it reads, with characters that a terminal obeys:
on a terminal, into a pipe, and as JSON.  A second part looks for printing in runtime/ that bypasses the escapes."""
import copy
import json
import os
import pty
import queue
import re
import subprocess
import sys
import threading
import urllib.parse

import world
from world import NOW, Failure, World, must

PAYLOAD = "\x1b]0;PWN\x07\x9b2J\x7f\u202e\u200f\u2066end\r"
RAW = [b"\x1b]0;", b"\x07", b"\xc2\x9b", b"\x7f", b"\xe2\x80\xae", b"\xe2\x80\x8f", b"\xe2\x81\xa6", b"end\rmore"]
PROGRAM = 'job "a" {\n  image = "busybox:1"\n  role worker {\n    replicas = %d\n    command = ["train"]\n    cpu = 1\n    memory = 1Gi\n  }\n}\n'
# texts by which an object is found: it would not be the object any more
IDENTITY = re.compile(r"^(apiVersion|kind|metadata\.(name|namespace|uid|resourceVersion|labels\..*)|type|items|.*\.uid|.*Version)$")


def leaves(d, path=""):
    """The paths of all texts in a tree."""
    if isinstance(d, dict):
        for k, v in d.items():
            yield from leaves(v, (path + "." if path else "") + k.replace(".", "~"))
    elif isinstance(d, list):
        for i, v in enumerate(d):
            yield from leaves(v, "%s.%d" % (path, i))
    elif isinstance(d, str):
        yield path


def poison(d, path):
    *parts, last = path.split(".")
    for p in parts:
        d = d[int(p) if isinstance(d, list) else p.replace("~", ".")]
    last = int(last) if isinstance(d, list) else last.replace("~", ".")
    d[last] = poisoned_text(d[last])


def poisoned_text(text):
    """The text with the payload; in a text that is JSON, as the record has them, in each of its own texts."""
    try:
        inner = json.loads(text)
    except ValueError:
        return text + PAYLOAD + "more"
    if not isinstance(inner, (dict, list)):
        return text + PAYLOAD + "more"
    for path in list(leaves(inner)):
        if not IDENTITY.match(path):
            poison(inner, path)
    return json.dumps(inner)


def prepare(w):
    """A run with a failed replica, events, a queue's worth of texts, a small node, and a foreign job."""
    w.write("a.tj", PROGRAM % 2)
    w.want(0, "apply", "--no-wait", "a.tj")
    w.write("b.tj", PROGRAM % 3)
    pod = w.get("pods", "a-worker-0-x")
    pod["spec"]["nodeName"] = "gpu-7"
    pod["status"] = {"phase": "Failed", "reason": "Evicted", "message": "no room", "podIP": "10.0.0.9", "conditions": [
        {"type": "PodScheduled", "status": "True", "reason": "Unschedulable", "message": "no node fits", "lastTransitionTime": NOW}],
        "containerStatuses": [{"name": "main", "ready": False, "restartCount": 1, "image": "busybox:1", "state": {"terminated": {
            "exitCode": 3, "reason": "Error", "message": "last words", "finishedAt": NOW, "startedAt": NOW}}}]}
    w.put("pods", "default", pod)
    pod = w.get("pods", "a-worker-1-x")
    pod["status"] = {"phase": "Pending", "containerStatuses": [{"name": "main", "ready": False, "restartCount": 0, "image": "busybox:1", "state": {
        "waiting": {"reason": "ImagePullBackOff", "message": "cannot pull busybox:1"}}}]}
    w.put("pods", "default", pod)
    w.put("events", "default", {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "a-worker-1-x", "namespace": "default", "uid": pod["metadata"]["uid"]},
          "type": "Warning", "reason": "Failed", "message": "cannot pull", "count": 2, "firstTimestamp": NOW, "lastTimestamp": NOW})
    w.put("nodes", "", {"metadata": {"name": "small", "labels": {"kubernetes.io/hostname": "small"}}, "spec": {"taints": [
        {"key": "t", "value": "v", "effect": "NoSchedule"}]}, "status": {"allocatable": {"cpu": "100m", "memory": "1Gi", "pods": "10", "example.com/x": "1"}}})
    w.put("resourcequotas", "default", {"metadata": {"name": "q"}, "spec": {"hard": {"cpu": "1"}, "scopes": ["NotTerminating"]}, "status": {"used": {"cpu": "1"}}})
    w.put("jobs", "default", {"metadata": {"name": "other", "annotations": {"note": "x"}}, "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimit": 0,
          "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example.com/a:1", "env": [{"name": "A", "value": "v"}]}]}}}})
    for i in range(2):
        w.logs["a-worker-%d-x" % i, False] = ["the line"]


COMMANDS = ["status", "status a", "status a -o wide", "list", "list -o name", "why a", "events a", "top a", "history a -o wide", "history", "logs a --all", "wait a --timeout 100ms", "diff b.tj", "diff b.tj --against 1", "fit a.tj", "fit --all",
            "apply b.tj --dry-run=server", "delete a --dry-run", "import --from-cluster job/other", "suspend a", "scale a worker=1", "completion runs"]
ALONE = ["status a -o wide", "list", "why a", "why a -o json"]
JSON = ["status a -o json", "events a -o json", "top a -o json", "history a -o json", "list -o json", "why a -o json", "diff b.tj -o json", "diff b.tj --against 1 -o json", "fit a.tj -o json", "fit --all -o json", "logs a -o json"]


class Hostile(World):
    """A server that adds the payload to one text of the objects of one kind, in every answer."""

    def __init__(self):
        super().__init__()
        self.poison = None              # (plural, path), or "status": every message is poisoned

    def poisoned(self, plural, o):
        if self.poison and self.poison[0] == plural and o:
            o = copy.deepcopy(o)
            for path in [self.poison[1]] if self.poison[1] else [p for p in leaves(o) if not IDENTITY.match(p)]:
                try:
                    poison(o, path)
                except (KeyError, IndexError, TypeError):
                    pass                # another object of this kind, without the text
        return o

    def listed(self, plural, ns, query):
        return [self.poisoned(plural, o) for o in super().listed(plural, ns, query)]

    def on_get(self, where, query):
        code, o = super().on_get(where, query)
        return code, self.poisoned(where[0], o) if where[2] and code == 200 else o

    def stored(self, plural, ns, o, code, dry):
        code, o = super().stored(plural, ns, o, code, dry)
        return code, self.poisoned(plural, o)


def run_pipe(w, words):
    p = subprocess.run([world.TRAINC, *words], cwd=w.dir, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, env=w.environment(), check=False)
    return p.returncode, p.stdout, p.stderr


def run_terminal(w, words):
    ours, theirs = pty.openpty()
    p = subprocess.Popen([world.TRAINC, *words], cwd=w.dir, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=dict(w.environment(), TERM="xterm"))
    os.close(theirs)
    got = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        got += more
    os.close(ours)
    return p.wait(timeout=30), got


def raw_in(text):
    return [r for r in RAW if r in text]


def try_one(w, command, what, problems):
    words = command.split() + ["--retry-timeout", "1s"]
    before = copy.deepcopy((w.objects, w.version))
    for terminal in (False, True):
        if terminal:
            code, text = run_terminal(w, words)
        else:
            code, out, err = run_pipe(w, words)
            # programs and logs go into a pipe as they are
            text = err if command.startswith(("logs", "import")) and "json" not in command else out + err
        bad = raw_in(text)
        if bad or code < 0:
            problems.append("%s, %s, %s: status %d, %r: %r" % (command, what, "terminal" if terminal else "pipe", code, bad, text[-600:]))
        with w.lock:
            w.objects, w.version = copy.deepcopy(before)
            w.events.clear()
        if "json" in command:
            break


def texts(w):
    """(plural, path) of each text of the stored objects, each path once for a kind."""
    found = set()
    for (plural, _ns, _name), o in sorted(w.objects.items()):
        for path in leaves(o):
            short = re.sub(r"\.\d+(?=\.|$)", ".0", path)
            if not IDENTITY.match(path) and plural not in ("namespaces", "services"):
                found.add((plural, short))
    return sorted(found)


def work(todo, problems, cases):
    w = Hostile()
    try:
        prepare(w)
        while True:
            try:
                where, command = todo.get_nowait()
            except queue.Empty:
                return
            w.poison = where
            try_one(w, command, "%s %s" % where, problems)
            cases.append(where)
    except (Failure, subprocess.TimeoutExpired) as e:
        problems.append(str(e))
    finally:
        w.close()


def reads(w):
    """Which kinds each command reads: others are not worth a try."""
    kinds = {}
    for command in COMMANDS + JSON:
        before = copy.deepcopy((w.objects, w.version))
        w.requests.clear()
        run_pipe(w, command.split())
        kinds[command] = {(w.place(urllib.parse.urlsplit(p).path) or ("",))[0] for _m, p, _b in w.requests}
        with w.lock:
            w.objects, w.version = copy.deepcopy(before)
            w.events.clear()
    return kinds


def messages(problems):
    """The messages, reasons and fields of a server's refusals and warnings, and what a plugin prints"""
    w, n = Hostile(), 0
    try:
        prepare(w)
        for code in (400, 403, 404, 409, 422, 500):
            for command in ("status a", "list", "apply b.tj", "delete a --yes", "diff b.tj", "logs a"):
                w.faults.clear()
                for method in ("GET", "PATCH", "POST", "DELETE"):
                    w.fault(method, "/(configmaps|jobs)", world.status(code, "Bad" + PAYLOAD, "no" + PAYLOAD + "more", [
                        {"reason": "FieldValueInvalid", "field": "spec.x" + PAYLOAD, "message": "m" + PAYLOAD}]), times=99)
                try_one(w, command, "status %d" % code, problems)
                n += 1
        w.faults.clear()
        with open(os.path.join(w.dir, "config")) as f:
            config = json.load(f)
        w.write("plugin", "#!/bin/sh\nprintf '%s\\n' >&2\nexit 3\n" % PAYLOAD.encode().decode("latin-1").encode("latin-1").decode())
        os.chmod(os.path.join(w.dir, "plugin"), 0o755)
        config["users"][0]["user"] = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin", "interactiveMode": "Never"}}
        w.write("config", json.dumps(config))
        try_one(w, "list", "a plugin", problems)
        n += 1
    finally:
        w.close()
    return n


def bypasses():
    """Printing in runtime/ that does not go through session_say(), session_print() or attend_say()"""
    # file and what it may do there: JSON, manifests, colors, or bytes of programs
    allowed = {
        "runtime/supervise/manifest.c": "manifests", "runtime/command/cmd_env_local.c": "a local program",
        "runtime/command/local_preview.c": "a local program", "runtime/cluster/diff.c": "colors around escaped text", "runtime/command/diff_against.c": "colors around escaped text",
        "runtime/command/runs.c": "runs_write_report() and the last lines of a log, which are escaped on a terminal",
        "runtime/command/why.c": "JSON", "runtime/command/cmd_fit.c": "JSON", "runtime/run/attend.c": "lines of logs",
        "runtime/cluster/credential_plugin.c": "escaped lines", "runtime/cluster/apply_bar.c": "a bar", "runtime/cluster/apply.c": "diags_text(), which escapes",
        "runtime/command/changes.c": "JSON", "runtime/command/contexts.c": "JSON", "runtime/cluster/run_events.c": "JSON", "runtime/command/cmd_cp.c": "JSON", "runtime/command/sync_once.c": "JSON", "runtime/supervise/log.c": "JSON", "runtime/supervise/manifest_file.c": "a fault of the build"}
    pattern = re.compile(r"\b(session_write|file_write_all\s*\(\s*STD|dprintf|fputs|fprintf|printf|puts|write\s*\(\s*(STDOUT|STDERR|1|2)\b)")
    bad = []
    for root in ("runtime/cluster", "runtime/command", "runtime/run", "runtime/status", "runtime/fit", "runtime/supervise"):
        for name in sorted(os.listdir(root)):
            path = os.path.join(root, name)
            if not name.endswith(".c") or path in allowed:
                continue
            with open(path) as f:
                for i, line in enumerate(f, 1):
                    if pattern.search(re.sub(r"\b(buf_v?|str_|sn|vsn)printf", "", line)) and not line.lstrip().startswith(("*", "/*")):
                        bad.append("%s:%d: %s" % (path, i, line.strip()))
    return bad


def main(names):
    problems, cases, todo = [], [], queue.Queue()
    w = Hostile()
    try:
        prepare(w)
        kinds, found = reads(w), texts(w)
    finally:
        w.close()
    for command in COMMANDS + JSON:
        if names and command.split()[0] not in names:
            continue
        # all texts of a kind at once; and one by one, because an object with many strange texts says less
        alone = found if command in ALONE else []
        for where in alone + sorted({(plural, "") for plural, _ in found}):
            if where[0] in kinds[command]:
                todo.put((where, command))
    must(todo.qsize() > 10, "nothing to try")
    workers = [threading.Thread(target=work, args=(todo, problems, cases)) for _ in range(2)]
    for t in workers:
        t.start()
    for t in workers:
        t.join()
    n = len(cases) + (0 if names else messages(problems))
    problems += bypasses()
    for p in problems:
        print("FAIL", p)
    print("%d passed, %d failed" % (n + 1 - len(problems), len(problems)))
    return 1 if problems else 0


sys.exit(main(sys.argv[1:]))
