"""Faults of the network and of the control plane while commands of trainc run: each command ends with a correct result,
or says what it does not know.

    KUBECONFIG=DIR/kubeconfig KUBECTL=... TRAINC=... python3 faults.py [NAME...]

One check at a time, because some of them stop the API server; DIR is a cluster of up.sh.  `quick` stands for those that
do not stop it.  The counts of passed, failed and skipped checks are added to the file COUNTS, if there is one.
"""

import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request

import runtime
from cluster import until
from runtime import HOLD, Failure, Space, job, requests_of

CLUSTER = os.path.dirname(os.path.abspath(os.environ.get("KUBECONFIG", "/nonexistent")))


# ---- the control plane ----

def pid_of(name):
    with open(os.path.join(CLUSTER, "run", name + ".pid")) as f:
        return int(f.read())


def words_of(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as f:
        return f.read().decode().split("\0")[:-1]


def option(name, word):
    words = words_of(pid_of(name))
    return words[words.index(word) + 1]


def is_cluster():
    """Was the cluster started by up.sh, so that its processes may be stopped?"""
    try:
        return CLUSTER in " ".join(words_of(pid_of("apiserver")))
    except OSError:
        return False


class Server:
    """Stops the API server inside `with` and starts it again afterwards."""

    def __enter__(self):
        pid = pid_of("apiserver")
        self.words = words_of(pid)
        os.kill(pid, signal.SIGKILL)
        until(lambda: not os.path.exists(f"/proc/{pid}") or not words_of(pid), 20, "the API server has ended")

    def __exit__(self, *_):
        for _ in range(10):     # a client that tries to connect may hold the port for a moment
            if self.start():
                return self.settle()
            time.sleep(0.5)
        raise Failure("the API server does not start again; see log/apiserver.log of the cluster")

    def start(self):
        with open(os.path.join(CLUSTER, "log", "apiserver.log"), "a") as log:
            p = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        with open(os.path.join(CLUSTER, "run", "apiserver.pid"), "w") as f:
            f.write(f"{p.pid}\n")
        until(lambda: p.poll() is not None or subprocess.run(
            [runtime.KUBECTL, "get", "--raw", "/readyz"], capture_output=True, timeout=30).returncode == 0, 60, "the API server is ready")
        return p.poll() is None


    @staticmethod
    def settle():
        """Waits until the controllers have reconnected: a Job runs to completion."""
        command = [runtime.KUBECTL, "-n", "default"]
        subprocess.run([*command, "create", "job", "settled", "--image=busybox:1"], capture_output=True, timeout=60)
        until(lambda: subprocess.run([*command, "wait", "--for=condition=Complete", "--timeout=5s", "job/settled"], capture_output=True,
                                     timeout=60).returncode == 0, 240, "a Job ends after the API server has come back")
        subprocess.run([*command, "delete", "job", "settled"], capture_output=True, timeout=60)


def etcd(path, body):
    pki = os.path.join(CLUSTER, "pki")
    context = ssl.create_default_context(cafile=pki + "/ca.crt")
    context.load_cert_chain(pki + "/admin.crt", pki + "/admin.key")
    request = urllib.request.Request(option("etcd", "--listen-client-urls") + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, context=context, timeout=20) as answer:
        return json.load(answer)


def compact():
    """Makes the store compact all old versions."""
    now = etcd("/v3/kv/range", {"key": "AA==", "count_only": True})["header"]["revision"]
    etcd("/v3/kv/compaction", {"revision": now, "physical": True})


# ---- the network ----

class Proxy:
    """A port between trainc and the API server. `cut`: seconds after which a connection is cut, None for never;
    `closed`: all connections are refused."""

    def __init__(self, space, cut=None):
        self.cut, self.closed, self.cuts, self.pairs = cut, False, 0, []
        self.there = int(option("apiserver", "--secure-port"))
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        threading.Thread(target=self.accept, daemon=True).start()
        with open(os.environ["KUBECONFIG"]) as f:
            text = f.read()
        space.write("config", text.replace(f"127.0.0.1:{self.there}", "127.0.0.1:%d" % self.listener.getsockname()[1]))
        self.env = {"KUBECONFIG": os.path.join(space.dir, "config")}

    def accept(self):
        while True:
            try:
                here, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self.closed:
                    raise OSError
                there = socket.create_connection(("127.0.0.1", self.there), timeout=5)
                there.settimeout(None)      # a watch may be silent for longer
            except OSError:
                here.close()
                continue
            pair = (here, there)
            self.pairs.append(pair)
            for a, b in ((here, there), (there, here)):
                threading.Thread(target=self.copy, args=(a, b), daemon=True).start()
            if self.cut:
                threading.Timer(self.cut, self.end, [pair]).start()

    def copy(self, a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
        except OSError:
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def end(self, pair):
        self.cuts += 1
        for s in pair:
            try:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                s.shutdown(socket.SHUT_RDWR)
                s.close()
            except OSError:
                pass

    def close_all(self, closed):
        self.closed = closed
        for pair in list(self.pairs):
            self.end(pair)

    def stop(self):
        self.listener.close()
        self.cut = None
        self.close_all(True)


class Waiting:
    """`trainc wait` in the background."""

    def __init__(self, space, *words, env=None):
        self.p = subprocess.Popen([os.path.realpath(runtime.TRAINC), "wait", "--namespace", space.ns, "-v", *words], cwd=space.dir,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})

    def ends(self, status, seconds=60):
        try:
            out, err = self.p.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.p.kill()
            out, err = self.p.communicate()
            raise Failure(f"wait did not end in {seconds} s:\n{out}\n{err}") from None
        if self.p.returncode != status:
            raise Failure(f"wait: status {self.p.returncode}, not {status}\n{out}\n{err}")
        return err


def finish(s, code=None):
    """Lets the held pods end, with exit code CODE or successfully."""
    if code:
        s.kubectl("annotate", "pods", "--all", f"e2e.trainc.dev/exit={code}")
    s.kubectl("annotate", "pods", "--all", "e2e.trainc.dev/hold-")


def over(s, condition):
    return lambda: any(c["type"] == condition and c["status"] == "True" for c in s.get("job", "a-worker")["status"].get("conditions", []))


def has_addresses(s):
    """Can the API server reach the nodes, so that logs are available?"""
    return "InternalIP" in s.kubectl("get", "nodes", "-o", "jsonpath={.items[*].status.addresses[*].type}", ns=False)


# ---- checks ----

CHECKS = []


def check(f):
    CHECKS.append((f.__doc__.strip(), f))
    return f


@check
def server_restarts(s):
    """the API server is stopped and started in the middle of `wait`, which continues and reports the verdict"""
    s.write("a.tj", job("a", "    replicas = 2", HOLD))
    s.want(0, "apply", "a.tj", "--for", "running")
    for code, status, condition in ((None, 0, "Complete"), (3, 8, "Failed")):
        w = Waiting(s, "a")
        time.sleep(1.5)  # it waits without news
        with Server():
            time.sleep(3)  # how long the server is away
            if w.p.poll() is not None:
                w.ends(0)
        finish(s, code)
        err = w.ends(status)
        if " Unknown" in err:
            raise Failure(err)
        until(over(s, condition), 30, "the Job is over")
        s.want(status, "wait", "a")
        s.want(0, "delete", "a", "--yes")
        if code is None:
            s.want(0, "apply", "a.tj", "--for", "running")


@check
def server_stays_away(s):
    """commands report that no server answers and end with 7; `wait --timeout` ends in time, with 124 or 7"""
    s.write("a.tj", job("a", "    replicas = 1", HOLD))
    s.want(0, "apply", "a.tj", "--for", "running")
    w = Waiting(s, "a", "--timeout", "6s")
    time.sleep(1)  # it waits without news
    with Server():
        for words in (["status", "a"], ["apply", "a.tj"], ["delete", "a", "--yes"]):
            s.want(7, *words, "--retry-timeout", "2s", err="connect|refused")
        out, err = w.p.communicate(timeout=30)
        if w.p.returncode not in (124, 7):
            raise Failure(f"{w.p.returncode}\n{out}\n{err}")
    # the node was silent too, which made its pods unready; a kubelet corrects that, but kwok's nodes never do
    for pod in s.kubectl("get", "pods", "-o", "name").split():
        s.kubectl("patch", pod, "--subresource=status", "-p", '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}')
    s.want(0, "wait", "a", "--for", "running", "--timeout", "60s")
    s.want(0, "status", "a", out="a +Running")


@check
def compacted(s):
    """etcd is compacted and the server forgets old versions while a watch is cut off: `wait` takes a new snapshot
    and gives the right verdict"""
    s.write("a.tj", job("a", "    replicas = 3", HOLD))
    s.want(0, "apply", "a.tj", "--for", "running")
    proxy = Proxy(s)
    try:
        w = Waiting(s, "a", env=proxy.env)
        time.sleep(1.5)  # it waits without news
        proxy.close_all(True)
        s.kubectl("annotate", "pod", "--all", "x=1")
        finish(s)
        until(over(s, "Complete"), 60, "the Job is complete")
        compact()
        with Server():
            pass
        compact()
        if w.p.poll() is not None:
            w.ends(0)
        proxy.closed = False
        err = w.ends(0)
        # the watches continued from a version that the server has forgotten
        before = re.findall(r"/jobs\?watch=true\S*&resourceVersion=(\d+)&", err)
        events = s.kubectl("get", "--raw", f"/apis/batch/v1/namespaces/{s.ns}/jobs?watch=true&timeoutSeconds=2&resourceVersion={before[0]}", ns=False)
        if not before or '"code":410' not in events:
            raise Failure(f"the server still has version {before}: {events}\n{err}")
    finally:
        proxy.stop()
    s.want(0, "status", "a", out="a +Succeeded")


def shortest_life(s, proxy):
    """Seconds after which a connection is cut: 50 ms, or longer where a busy machine needs more for one handshake
    and request."""
    took = []
    for _ in range(3):
        begin = time.monotonic()
        s.want(0, "list", env=proxy.env)
        took.append(time.monotonic() - begin)
    return max(0.05, 2 * min(took))


@check
def cut(s):
    """a proxy cuts every connection after 50 ms: commands succeed, or say that they lost the server and succeed when run again"""
    s.write("a.tj", job("a", '    replicas = 3\n    files {\n      "/etc/x" = "1"\n    }', HOLD))
    proxy = Proxy(s)
    proxy.cut = shortest_life(s, proxy)

    def through(wanted, *words, again=5):
        """Accepts the expected status or 7; the last status must be the expected one. Connections live longer after
        each 7, because the machine may have become slower since shortest_life()."""
        for _ in range(again):
            done = s.run(*words, env=proxy.env, timeout=120)
            if done.returncode == wanted:
                return done
            if done.returncode != 7:
                raise Failure(f"{words}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
            proxy.cut *= 1.5
        raise Failure(f"{words}: {again} times 7\n{done.stderr}")

    try:
        through(0, "apply", "a.tj", "--for", "running")
        through(0, "status", "a")
        lines = through(0, "logs", "a", "--all").stdout.splitlines() if has_addresses(s) else None
        if lines is not None and (len(lines) != 9 or len(set(lines)) != 9):
            raise Failure(f"logs lost or doubled lines: {lines}")
        w = Waiting(s, "a", env=proxy.env)
        before = proxy.cuts
        until(lambda: proxy.cuts >= before + 20, 120, "20 connections of wait are cut")
        finish(s, 3)
        w.ends(8, 120)
        through(8, "wait", "a")
        through(0, "delete", "a", "--yes")
    finally:
        proxy.stop()
    if s.names("service,configmap,job"):
        raise Failure(f"delete left {s.names()}")


@check
def killed_at_requests(s):
    """kill -9 of apply after each response, for a first apply and for a change; the next apply converges"""
    files = '    files {\n      "/etc/x" = "%s"\n    }'
    s.write("a.tj", job("a", "    replicas = 1\n" + files % 1, HOLD))
    first = len(requests_of(s.want(0, "apply", "-v", "--no-wait", "a.tj")))
    s.want(0, "delete", "a", "--yes")
    if not 10 <= first <= 60:
        raise Failure(f"{first} requests")

    def die(n):
        """Kills apply when it has logged its Nth request."""
        p = subprocess.Popen([os.path.realpath(runtime.TRAINC), "apply", "-v", "--no-wait", "--namespace", s.ns, "a.tj"], cwd=s.dir,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in p.stderr:
            n -= bool(re.match(r"trainc: (GET|POST|PATCH|PUT|DELETE) ", line))
            if n <= 0:
                break
        p.kill()
        p.communicate()

    # the first ones only read; each request that writes is a place to kill at
    for n in range(max(1, first - 8), first + 1):
        s.write("a.tj", job("a", "    replicas = 1\n" + files % 1, HOLD))
        die(n)
        s.want(0, "apply", "a.tj")
        if not {"configmap/a-worker-files", "configmap/a.trainc", "service/a", "job.batch/a-worker"} <= set(s.names()):
            raise Failure(f"after {n} requests: {s.names()}")
        # a change that prunes the files
        s.write("a.tj", job("a", "    replicas = 1", HOLD))
        for k in range(1, 4):
            die(n - k)
        s.want(0, "apply", "a.tj", "--recreate", "--yes")
        if "configmap/a-worker-files" in s.names():
            raise Failure(f"after {n} requests the files are still there")
        s.want(0, "apply", "a.tj", out="unchanged")
        s.want(0, "delete", "a", "--yes")
        if s.names("service,configmap,job"):
            raise Failure(f"after {n} requests delete left {s.names()}")


# Checks that leave the API server running.  The others take a minute each: controllers wait before they reconnect.
QUICK = (cut, killed_at_requests)


def count(*numbers):
    if "COUNTS" in os.environ:
        with open(os.environ["COUNTS"], "a") as counts:
            print(*numbers, file=counts)


def main(wanted):
    if not is_cluster():
        print("skip faults: KUBECONFIG is of no cluster that up.sh started\n0 passed, 0 failed")
        count(0, 0, 1)
        return 0
    failed = 0
    unknown = set(wanted) - {f.__name__ for _, f in CHECKS} - {"quick"}
    if unknown:
        sys.exit(f"faults.py: no check is called {', '.join(sorted(unknown))}")
    chosen = [c for c in CHECKS if not wanted or c[1].__name__ in wanted or ("quick" in wanted and c[1] in QUICK)]
    for name, f in chosen:
        error, seconds = runtime.outcome(name, f)
        failed += error is not None
        print(f"{'FAIL' if error else 'ok'} {name} ({seconds:.1f} s)", flush=True)
        if error:
            print("    " + error.replace("\n", "\n    "), flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    count(len(chosen) - failed, failed, 0)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
