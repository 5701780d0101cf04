"""What users look at while a run is running: its ports, on a real kubelet, and what its replicas use.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 handles.py [NAME...]
"""

import http.server
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request

import runtime
import stages
from cluster import until
from runtime import HOLD, Failure, granted, job

NODE, KWOK = [], []

BOARD = """job "board" {
  image = "localhost/python:1"
  pull  = "never"
  grace = 1s

  role ps {
    command = ["sleep", "600"]
  }
  role worker {
    replicas = 2
    ports { http = 18431, debug = 18432 }
    command  = ["python3", "/app/page.py"]

    files {
      "/app/page.py" = \"""
        import http.server, os, threading

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                text = f"{os.environ['HOSTNAME']} port {self.server.server_port} path {self.path}".encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        threading.Thread(target=http.server.ThreadingHTTPServer(("", 18432), Page).serve_forever, daemon=True).start()
        http.server.ThreadingHTTPServer(("", 18431), Page).serve_forever()
        \"""
    }
  }
}
"""


def node_check(f):
    NODE.append((f.__doc__.strip(), f))
    return f


def kwok_check(f):
    KWOK.append((f.__doc__.strip(), f))
    return f


def page(address):
    """The page, or None while nothing answers."""
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.read().decode()
    except OSError:
        return None


class Forwarded:
    """trainc open or port-forward until the end of a block; its first line of output is `line`."""

    def __init__(self, s, *words):
        self.p = subprocess.Popen([os.path.realpath(runtime.TRAINC), words[0], "--namespace", s.ns, *words[1:]], cwd=s.dir, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        self.line = self.p.stdout.readline()
        if not self.line:
            raise Failure(f"{self.p.args}: {self.p.stderr.read()}")
        return self

    def __exit__(self, *_):
        if self.p.poll() is None:
            self.p.terminate()
            self.p.communicate(timeout=30)


def account(s, name, *rules):
    """A service account that may read runs; and RULES, each a verb and a resource."""
    who = f"system:serviceaccount:{s.ns}:{name}"
    s.kubectl("create", "serviceaccount", name)
    for i, (verbs, resources) in enumerate((("get,list,watch", "pods,jobs.batch,services,configmaps,events"), *rules)):
        s.kubectl("create", "role", f"{name}-{i}", "--verb=" + verbs, "--resource=" + resources)
        s.kubectl("create", "rolebinding", f"{name}-{i}", f"--role={name}-{i}", f"--serviceaccount={s.ns}:{name}")
        granted(s, f"{name}-{i}", verbs.split(",")[0], resources.split(",")[0], who)
    return ["--as", who]


@node_check
def node_open(s):
    """open and port-forward serve the pages of real pods by the names of their ports; without the right to forward both say so"""
    s.write("board.tj", BOARD)
    s.want(0, "apply", "board.tj", timeout=240)
    with Forwarded(s, "open", "board", "--print") as f:
        if not re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", f.line):
            raise Failure(f.line)
        text = until(lambda: page(f.line.strip() + "a/b?c=1"), 60, "the page")
        if text != "board-worker-0 port 18431 path /a/b?c=1":
            raise Failure(text)
    for words, want in ((["open", "board", "--print", "debug"], "board-worker-0 port 18432 path /"),
                        (["open", "board", "--print", "worker/1:http"], "board-worker-1 port 18431 path /")):
        with Forwarded(s, *words) as f:
            until(lambda: page(f.line.strip()) == want, 60, f"the page of {words}")
    for target, want in (("worker/0:http", "board-worker-0 port 18431 path /"), ("worker/1:debug", "board-worker-1 port 18432 path /")):
        with Forwarded(s, "port-forward", "board", target) as f:
            found = re.fullmatch(rf"127\.0\.0\.1:(\d+) -> {target}\n", f.line)
            if not found or any(page(f"http://127.0.0.1:{found.group(1)}/") != want for _ in range(3)):
                raise Failure(f"{target}: {f.line}")
    s.want(2, "open", "board", "tensorboard", err=r"no role of run 'board' declares a port 'tensorboard'; declared are (http|debug) \(role worker\), (http|debug) \(role worker\)$")
    s.want(2, "port-forward", "board", "ps/0:http", err="http")
    s.want(2, "open", "board", "worker/7:http", err="role 'worker' has replicas 0 to 1, not 7")
    who = account(s, "reader")
    for words in (["open", "board", "--print", *who], ["port-forward", "board", "worker/0:http", *who]):
        s.want(4, *words, out=r"\A\Z", err=f"you may not get and create pods/portforward in namespace '{s.ns}'")     # nothing listens before
    with Forwarded(s, "open", "board", "--print", *account(s, "viewer", ("get,create", "pods/portforward"))) as f:
        until(lambda: page(f.line.strip()) == "board-worker-0 port 18431 path /", 60, "the page for whoever may forward")
    s.want(0, "delete", "board", "--yes")


# ---- with fake nodes, whose API server runs on this machine ----


class Measured(http.server.BaseHTTPRequestHandler):
    """What metrics-server serves: every running pod of the namespace uses a quarter of a processor and 100 MiB."""

    space = None

    def do_GET(self):
        answer = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1", "resources": [
            {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": ["get", "list"]}]}
        path, _, query = self.path.partition("?")
        if path.endswith("/pods"):
            s = self.space
            selector = urllib.parse.parse_qs(query).get("labelSelector", [""])[0]
            pods = json.loads(s.kubectl("get", "pods", "-l", selector, "-o", "json"))["items"] if path.endswith(f"/namespaces/{s.ns}/pods") and selector else []
            answer = {"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {}, "items": [
                {"metadata": {"name": p["metadata"]["name"], "namespace": s.ns}, "timestamp": "2026-01-01T00:00:00Z", "window": "15s",
                 "containers": [{"name": "main", "usage": {"cpu": "250123456n", "memory": "102400Ki"}}]} for p in pods]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def measure(s):
    """Lets the API server lead requests for metrics.k8s.io to a server of this process; returns that server."""
    server = stages.tls_server(s, Measured)
    s.write("service.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "metrics", "namespace": s.ns}, "spec": {"type": "ExternalName", "externalName": "127.0.0.1"}},
        {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1beta1.metrics.k8s.io"}, "spec": {
            "group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100, "insecureSkipTLSVerify": True,
            "service": {"name": "metrics", "namespace": s.ns, "port": server.server_port}}}]}))
    s.kubectl("create", "-f", os.path.join(s.dir, "service.json"), ns=False)
    s.kubectl("wait", "--for=condition=Available", "--timeout=60s", "apiservice/v1beta1.metrics.k8s.io", ns=False)
    return server


@kwok_check
def top_aggregated(s):
    """top with metrics.k8s.io behind the real API server: none, values, quiet about devices that nothing requests, a user without the right"""
    s.write("a.tj", job("a", "    replicas = 2", HOLD))
    s.want(0, "apply", "a.tj")
    empty = r"worker/0 +- +- +- +- +\S+\nworker/1 +- +- "
    done = s.want(0, "top", "a", out=empty)
    if done.stderr != "trainc: not served: CPU and MEMORY: the cluster has no metrics.k8s.io, which metrics-server serves\n":
        raise Failure(done.stderr)
    Measured.space = s
    server = measure(s)
    try:
        done = s.want(0, "top", "a", out=r"^REPLICA +CPU +MEMORY +GPU +GPU-MEMORY +NODE\nworker/0 +0\.25 +100 MiB +- +- +\S+\nworker/1 +0\.25 +100 MiB ")
        if done.stderr:
            raise Failure(done.stderr)
        document = json.loads(s.want(0, "top", "a", "-o", "json").stdout)
        if document["unserved"] or [(r["index"], r["cpu"], r["memory_bytes"]) for r in document["replicas"]] != [(i, 0.25, 100 << 20) for i in (0, 1)]:
            raise Failure(str(document))
        who = account(s, "reader")
        s.want(0, "top", "a", *who, out=empty, err=f"not served: CPU and MEMORY: metrics.k8s.io: .*user '{re.escape(who[1])}' may not list pods.metrics.k8s.io")
        done = s.want(0, "top", "a", *account(s, "viewer", ("list", "pods.metrics.k8s.io")), out=r"worker/1 +0\.25 +100 MiB")
        if done.stderr:
            raise Failure(done.stderr)
        server.shutdown()
        server.server_close()
        s.want(0, "top", "a", out=empty, err="not served: CPU and MEMORY: metrics.k8s.io: ")
    finally:
        s.kubectl("delete", "apiservice", "v1beta1.metrics.k8s.io", ns=False, ok=False)
    s.want(0, "delete", "a", "--yes")


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], [c for c in NODE + KWOK if c[1].__name__ in sys.argv[1:]] or KWOK))
