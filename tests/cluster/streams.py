"""streams.py [NAME...] - exec and the other commands with a stream to a container, against a WebSocket server that does
what each check says."""
import json
import os
import pty
import re
import select
import signal
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import termios
import threading
import time
import urllib.parse

from api_memory import SANITIZED, TRAINC, must, reply, run_checks, status
from commands import JOB
from web_socket import BINARY, CLOSE, FAILURE, PING, PONG, REST, TEXT, Socket, ended, frame, head, message
from world import World

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


class Streams(World):
    """A cluster with the run a of two workers, whose streams go to `script`."""

    def __init__(self):
        super().__init__()
        self.script, self.seen, self.failure = None, [], None
        self.write("a.tj", JOB % ("a", 2))
        self.want(0, "apply", "--no-wait", "a.tj")

    def serve(self, h):
        if not any("/%s?" % part in h.path for part in ("exec", "attach", "portforward")):
            super().serve(h)
            return
        self.seen.append(h.path)
        if "json" in h.headers.get("Accept", ""):       # as a kubelet answers to port-forward
            reply(h, 406, b"406: Not Acceptable")
            return
        try:
            self.script(Socket(h))
        except (BrokenPipeError, ConnectionResetError):
            pass
        except Exception as e:
            self.failure = e
            raise

    def exec(self, code, script, *words, given=None, err=None, out=None):
        """Runs `exec a worker/1` with a script of the server, and expects a status and the whole output."""
        self.script = script
        p = subprocess.Popen([TRAINC, "exec", "a", "worker/1", *words], cwd=self.dir, env=self.environment(), stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE)
        got = p.communicate(given, timeout=60)
        text = "exec %s: %d\n%r" % (words, p.returncode, got)
        must(p.returncode == code, "expected status %d: %s" % (code, text))
        must(out is None or got[0] == out, "expected %r: %s" % (out, text))
        must(err is None or err in got[1].decode(), "expected %r: %s" % (err, text))
        must("ERROR: " not in got[1].decode(errors="replace"), text)
        return got


def says(*parts, **how):
    """A script that accepts the stream, sends the parts, and waits for the client to leave."""
    def script(s):
        s.accept(**how)
        s.send(*parts)
        s.read_until(lambda *_: False)
    return script


@check
def plain(w):
    """exec: the words, the container and the channels; credentials and no input"""
    def script(s):
        must(s.headers["Sec-WebSocket-Protocol"] == "v5.channel.k8s.io, v4.channel.k8s.io", s.headers)
        says(message(1), message(1, b"out\n"), message(2, b"err\n"), message(1, b"more\n"), ended())(s)
    got = w.exec(0, script, "--", "ls", "-l", "a b&c", "")
    must(got == (b"out\nmore\n", b"err\n"), got)
    path, query = w.seen[0].split("?")
    must(path == "/api/v1/namespaces/default/pods/a-worker-1-x/exec", path)
    must(urllib.parse.parse_qsl(query, keep_blank_values=True) == [("command", "ls"), ("command", "-l"), ("command", "a b&c"), ("command", ""),
         ("container", "main"), ("stdout", "true"), ("stderr", "true")], query)
    w.exec(0, says(ended()), "-c", "other")
    must("container=other" in w.seen[1] and "command=sh&command=-c" in w.seen[1], w.seen)


@check
def statuses(w):
    """exit statuses: the command's; 126 and 127 from the words of container runtimes; 6 for another failure"""
    for code in 0, 1, 2, 7, 126, 127, 130, 137, 255:
        w.exec(code, says(ended(code)), "--", "x", out=b"")
    oci = "OCI runtime exec failed: exec failed: unable to start container process: "
    for code, text, want in ((127, 'exec: "nope": executable file not found in $PATH: unknown', "trainc: command not found: 'nope'"),
                             (127, 'exec: "/nope": stat /nope: no such file or directory: unknown', "trainc: command not found: 'nope'"),
                             (126, 'exec: "/etc/passwd": permission denied: unknown', "trainc: not executable: 'nope'"),
                             (6, "something else \x1b[2J", "trainc: worker/1: ")):
        failure = json.dumps({**FAILURE, "reason": "InternalError", "message": "error executing command: " + oci + text}).encode()
        _, err = w.exec(code, says(message(3, failure) + frame(CLOSE, b"\x03\xe8")), "--", "nope", err=want)
        must(b"\x1b" not in err, err)
    for wrong in b"", b"{", b"[]", b"null", b'{"status":"Failure"}', b'{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"x"}]}}':
        w.exec(6 if b"Failure" in wrong else 7, says(message(3, wrong) + frame(CLOSE)), "--", "x")


@check
def given(w):
    """standard input arrives as it is, and its end is passed on; a script that ends first is not waited for"""
    text = os.urandom(3 << 20)

    def echo(s):
        s.accept()
        got = s.read_until(lambda channel, _: channel == 255)
        must(s.headers["Sec-WebSocket-Protocol"] == "v5.channel.k8s.io", "an old protocol was offered")
        must(got[-1] == (255, b"\0") and {c for c, _ in got[:-1]} == {0}, got[-1])
        s.send(message(1, b"".join(x for _, x in got[:-1])), ended(4))
    w.exec(4, echo, "--", "cat", given=text, out=text)
    must("stdin=true" in w.seen[-1], w.seen)
    w.exec(0, echo and says(ended()), "--", "true", given=text)
    w.exec(0, says(ended()), "--no-stdin", "--", "true", given=b"")
    must("stdin" not in w.seen[-1], w.seen)
    with open(os.path.join(w.dir, "input"), "wb") as f:
        f.write(text)
    w.script = echo
    with open(os.path.join(w.dir, "input"), "rb") as f:
        p = subprocess.run([TRAINC, "exec", "a", "worker/1", "cat"], cwd=w.dir, env=w.environment(), stdin=f, capture_output=True, timeout=60)
    must(p.returncode == 4 and p.stdout == text, (p.returncode, p.stderr))


@check
def frames(w):
    """the same messages in every division into frames and packets, with control frames between them"""
    big = os.urandom(200000)
    whole = message(1, b"one ") + message(2, b"E") + message(1, big)
    split = frame(BINARY, b"\1on", last=False) + frame(PING, b"p") + frame(REST, b"e", last=False) + frame(REST, b" ") + message(2, b"E") + \
        frame(BINARY, b"", last=False) + frame(REST, b"\1" + big[:70000], last=False) + frame(REST, b"", last=False) + frame(REST, big[70000:])
    for name, parts in (("whole", [whole + ended(3)]), ("messages", [whole, ended(3)]), ("split", [split + ended(3)]),
                        ("bytes", [bytes([b]) for b in split[:64]] + [split[64:], *(bytes([b]) for b in ended(3))]),
                        ("empty", [frame(BINARY) + message(1) + whole + message(2) + frame(PONG, b"?") + ended(3)])):
        got = w.exec(3, says(*parts), "--", name)
        must(got == (b"one " + big, b"E"), name)

    def with_answer(s):                 # the answer and the first frames are one packet
        sent, s.send = [], lambda *parts: sent.extend(parts)
        s.accept()
        Socket.send(s, b"".join(sent) + whole + ended(3))
        s.read()
    w.exec(3, with_answer, "--", "x", out=b"one " + big)


@check
def pings(w):
    """each ping is answered with its payload; the client sends pings of its own; masks differ"""
    def script(s):
        s.accept()
        s.send(frame(PING, b"a" * 125), frame(PING))
        must([s.read(), s.read()] == [(PONG, b"a" * 125), (PONG, b"")], "no pongs")
        must(s.read()[0] == PING, "no ping within 5 s")
        s.send(ended())
    w.exec(0, script, "--", "x")


@check
def violations(w):
    """a server that violates the protocol: status 7 with the reason, and what had arrived before is printed"""
    for why, bad in (("has reserved bits", frame(BINARY, b"\1x", bits=0x40)), ("of the server has a mask", head(BINARY, 2, mask=0x80) + b"mask\1x"),
                     ("is text", frame(TEXT, b"\1x")), ("has an unknown kind", frame(3, b"\1x")), ("has an unknown kind", frame(11)),
                     ("has no beginning", frame(REST, b"\1x")), ("a control frame is split", frame(PING, b"", last=False)),
                     ("begins inside another", frame(BINARY, b"\1x", last=False) + message(1, b"x")),
                     ("control frame is too long", frame(PING, b"x" * 126)), ("control frame is too long", frame(CLOSE, b"x" * 70000)),
                     ("not in its shortest form", head(BINARY, 5, size=2) + b"\1xxxx"), ("not in its shortest form", head(BINARY, 5, size=8) + b"\1xxxx"),
                     ("a frame is too long", head(BINARY, 1 << 63, size=8))):
        got = w.exec(7, says(message(1, b"before"), bad), "--", "x", err=why)
        must(got[0].startswith(b"before") and b"may still run in worker/1" in got[1], got)


@check
def endings(w):
    """a connection that ends: before and after the status, with and without a close frame, in the middle of a frame"""
    def cut(*parts):
        def script(s):
            s.accept()
            s.send(*parts)
        return script
    late = ended(3)[:-4] + message(1, b"late") + ended(3)[-4:]
    w.exec(3, says(message(1, b"x") + late), "--", "x", out=b"xlate")
    w.exec(3, cut(ended(3)[:-4]), "--", "x")
    w.exec(7, cut(message(1, b"x")), "--", "x", out=b"x", err="trainc: the connection to 127.0.0.1:")
    w.exec(7, cut(message(1, b"xyz")[:-1]), "--", "x", out=b"xy", err="the command may still run in worker/1")
    w.exec(7, says(frame(CLOSE, b"\x03\xe8")), "--", "x", err="the server ended the connection without a status")
    w.exec(3, says(ended(3)[:-4]), "--", "x")           # the server does not end the stream: 5 s


@check
def refusals(w):
    """an answer that is not 101, or a wrong one: what is missing, and the way out"""
    kubectl = "kubectl exec -n default a-worker-1-x -c main -- x 'a b'"
    for code, answer, want in (
            (4, status(403, "Forbidden", 'pods "a-worker-1-x" is forbidden: User "eve" cannot create resource "pods/exec" in API group "" in the namespace "default"'),
             "user 'eve' may not create pods/exec in namespace 'default'"),
            (4, status(401, "Unauthorized", "Unauthorized"), "does not accept the credential"),
            (6, status(404, "NotFound", 'pods "a-worker-1-x" not found'), 'pods "a-worker-1-x" not found'),
            (7, status(400, "BadRequest", "Upgrade request required"), kubectl),
            (7, (403, b"no upgrades here"), kubectl), (7, (404, b"<html>"), kubectl), (7, (502, b"Bad Gateway\n"), kubectl), (7, (200, {"kind": "Pod"}), kubectl)):
        _, err = w.exec(code, lambda s, answer=answer: reply(s.h, *answer), "--", "x", "a b", err=want)
        must((b"does not pass WebSockets" in err) == (want == kubectl), err)
        must((b"trainc-interactive" in err) == (answer[0] == 403 and code == 4), err)
    w.exec(7, lambda s: None, "--", "x", "a b", err=kubectl)
    w.exec(7, lambda s: s.send(b"HTTP/1.1 101 Switching"), "--", "x", err="does not pass WebSockets")
    w.exec(7, lambda s: s.send(b"\0" * 70000), "--", "x", err="does not pass WebSockets")
    for how, want in (({"Sec_WebSocket_Accept": "AAAA"}, "has a wrong Sec-WebSocket-Accept"), ({"Sec_WebSocket_Accept": None}, "has a wrong"),
                      ({"protocol": "v9.channel.k8s.io"}, "chooses a protocol that was not offered"), ({"protocol": None}, "chooses a protocol"),
                      ({"Upgrade": None}, "does not upgrade"), ({"Connection": "keep-alive"}, "does not upgrade")):
        w.exec(7, says(ended(), **how), "--", "x", "a b", err=want)


@check
def old_server(w):
    """an API server before 1.30 cannot pass on the end of the input; without input, the older protocol is used"""
    w.fault("GET", "^/version", (200, {"gitVersion": "v1.28.1", "major": "1", "minor": "28+"}))
    w.exec(6, lambda s: reply(s.h, 403, b"protocol"), "--", "x", given=b"x", err="this one is 1.28; leave the input out with --no-stdin")
    w.exec(3, says(ended(3), protocol="v4.channel.k8s.io"), "--", "x")


def secure(w, user):
    """Lets the server speak TLS, with the authority in the kubeconfig, and demand a certificate of the client."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=w.dir, check=True, capture_output=True)
    for name, more in (("server", ["-addext", "subjectAltName=IP:127.0.0.1"]), ("client", [])):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name, "-days", "2",
                "-keyout", name + ".key", "-out", name + ".crt", *more)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(w.dir, "server.crt"), os.path.join(w.dir, "server.key"))
    context.load_verify_locations(os.path.join(w.dir, "client.crt"))
    context.verify_mode = ssl.CERT_REQUIRED
    w.listener.socket = context.wrap_socket(w.listener.socket, server_side=True, do_handshake_on_connect=False)
    with open(os.path.join(w.dir, "config")) as f:
        config = json.load(f)
    cluster = config["clusters"][0]["cluster"]
    cluster.update({"server": cluster["server"].replace("http:", "https:"), "certificate-authority": "server.crt"})
    config["users"][0]["user"] = {"client-certificate": "client.crt", "client-key": "client.key", **user}
    w.write("config", json.dumps(config))


@check
def by_tls(w):
    """TLS with a certificate of the client: a 401 renews the token once; much data in both directions"""
    text = os.urandom(3 << 20)
    w.write("token", "t1")
    secure(w, {"tokenFile": "token"})
    tokens = []

    def script(s):
        tokens.append(s.headers["Authorization"])
        if len(tokens) != 2:
            w.write("token", "t%d" % (len(tokens) + 1))
            reply(s.h, *status(401, "Unauthorized", "Unauthorized"))
            return
        s.accept()
        got = s.read_until(lambda channel, _: channel == 255)
        s.send(message(1, b"".join(x for _, x in got[:-1])), ended(3))
        s.read()
    w.exec(3, script, "--", "x", given=text, out=text)
    must(tokens == ["Bearer t1", "Bearer t2"], tokens)
    tokens.append("")
    w.exec(4, script, "--", "x", err="does not accept the credential")
    must(len(tokens) == 5, tokens)


class Proxy(socketserver.ThreadingTCPServer):
    """A proxy that connects (CONNECT), and counts that."""
    daemon_threads = True

    def __init__(self):
        self.connects = []
        proxy = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                line = self.rfile.readline().split()
                while self.rfile.readline().strip():
                    pass
                proxy.connects.append(line)
                if line[0] != b"CONNECT":
                    self.wfile.write(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
                    return
                host, port = line[1].decode().rsplit(":", 1)
                with socket.create_connection((host, int(port))) as out:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
                    threading.Thread(target=self.copy, args=(out, self.connection), daemon=True).start()
                    self.copy(self.connection, out)

            def copy(self, a, b):
                try:
                    while part := a.recv(65536):
                        b.sendall(part)
                    b.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()


@check
def by_proxy(w):
    """a proxy of the kubeconfig is asked to connect; impersonation and a token reach the server through it"""
    secure(w, {"token": "very-secret"})
    with Proxy() as proxy, open(os.path.join(w.dir, "config")) as f:
        config = json.load(f)
        config["clusters"][0]["cluster"]["proxy-url"] = "http://127.0.0.1:%d" % proxy.server_address[1]
        w.write("config", json.dumps(config))

        def script(s):
            must((s.headers["Authorization"], s.headers["Impersonate-User"]) == ("Bearer very-secret", "eve"), s.headers)
            says(message(1, b"x"), ended(3))(s)
        _, err = w.exec(3, script, "--as", "eve", "-v", "--", "x", out=b"x")
        must(proxy.connects and all(c[0] == b"CONNECT" for c in proxy.connects) and b"very-secret" not in err, (proxy.connects, err))
        proxy.shutdown()


@check
def no_pod(w):
    """a replica without a pod: status 5, and why; a replica or role that does not exist: status 2"""
    pod = w.get("pods", "a-worker-1-x")
    del pod["spec"]["nodeName"]
    pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}]}
    w.put("pods", "default", pod)
    w.want(5, "exec", "a", "worker/1", "--", "x", err="worker/1 of run 'a' does not run now: .*0/3 nodes.*'trainc why a'")
    w.want(2, "exec", "a", "worker/2", "--", "x", err="role 'worker' has replicas 0 to 1, not 2")
    w.want(2, "exec", "a", "ps/0", "--", "x", err="run 'a' has no role 'ps'; its only role is worker$")
    w.want(2, "port-forward", "a", "ps/0:80", err="run 'a' has no role 'ps'; its only role is worker$")
    must(not w.seen, w.seen)


@check
def newest(w):
    """of several pods, the newest that runs and is not being deleted"""
    for name, created, more in (("old", "2025-01-01T00:00:00Z", {}), ("new", "2026-02-01T00:00:00Z", {}),
                                ("gone", "2026-03-01T00:00:00Z", {"deletionTimestamp": "2026-03-01T00:00:01Z"})):
        pod = w.get("pods", "a-worker-1-x")
        pod["metadata"].update(name=name, uid=name, creationTimestamp=created, **more)
        w.put("pods", "default", pod)
    w.exec(0, says(ended()), "--", "x")
    must("/pods/new/exec" in w.seen[-1], w.seen)


@check
def interrupted(w):
    """a signal ends the command with 128 + its number, and says that the process goes on; so does a closed pipe"""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        w.script = says(message(1, b"here\n"))
        p = w.start("exec", "a", "worker/1", "--", "x")
        w.shown(p, "here", out=True)
        p.send_signal(number)
        _, err = p.communicate(timeout=60)
        must(p.returncode == 128 + number and "may still run in worker/1: Kubernetes does not stop it" in err, (p.returncode, err))
    w.script = says(*[message(1, b"x" * 65536)] * 64)
    p = w.start("exec", "a", "worker/1", "--", "x")
    p.stdout.close()
    must(p.wait(timeout=60) == 141, p.returncode)


@check
def slow_reader(w):
    """output that nobody takes makes the server wait: memory stays small, and nothing is lost"""
    # a program with sanitizers keeps freed memory for a while
    chunk, n, sent, most = b"x" * 65536, 1600, threading.Event(), (80 if SANITIZED else 40) << 10

    def script(s):
        s.accept()
        for _ in range(n):
            s.send(message(1, chunk))
        sent.set()
        s.send(ended())
        s.read_until(lambda *_: False)
    w.script = script
    p = subprocess.Popen([TRAINC, "exec", "a", "worker/1", "--", "x"], cwd=w.dir, env=w.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    must(not sent.wait(0.5), "100 MiB were taken without a reader")
    got = 0
    while True:
        part = p.stdout.read(1 << 20)
        got += len(part)
        if not part:
            break
        with open("/proc/%d/status" % p.pid) as f:
            peak = [int(line.split()[1]) for line in f if line.startswith("VmHWM")]
        must(not peak or peak[0] < most, "%s KiB" % peak)
    must((p.wait(timeout=60), got) == (0, n * len(chunk)), (p.returncode, got))


# ---- the terminal ----

class Terminal:
    """trainc on a pseudo terminal; `modes` are those that it had before."""

    def __init__(self, w, *words):
        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (30, 100))
        self.fd, self.modes, self.got = theirs, termios.tcgetattr(theirs), b""
        self.p = subprocess.Popen([TRAINC, *words], cwd=w.dir, env=w.environment(), stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)

    def raw(self):
        return not termios.tcgetattr(self.fd)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def until(self, what, holds):
        end = time.monotonic() + 30
        while not holds():
            must(time.monotonic() < end, "never: " + what + " %r" % self.got)
            if select.select([self.ours], [], [], 0.05)[0]:
                self.got += os.read(self.ours, 65536)

    def ends(self, code):
        self.until("the end", lambda: self.p.poll() is not None)
        must(self.p.returncode == code, (self.p.returncode, self.got))
        must(termios.tcgetattr(self.fd) == self.modes, "the modes are not restored")
        os.close(self.ours)
        os.close(self.fd)


@check
def terminal(w):
    """a shell on a terminal: raw mode, its size at once and after a change, keys; every way out restores the modes"""
    seen, typed = [], threading.Event()

    def script(s):
        s.accept()
        s.send(message(1, b"$ "))
        while x := s.read():
            if x[0] == BINARY:
                seen.append((x[1][0], x[1][1:]))
            if seen and seen[-1][1].endswith(b"exit\r"):
                s.send(ended(3))
            if seen and seen[-1][1].endswith(b"cut"):
                typed.set()
                return

    def begin():
        seen.clear()
        w.script = script
        t = Terminal(w, "exec", "a", "worker/1")
        t.until("raw mode", lambda: t.raw() and b"$ " in t.got)
        return t

    t = begin()
    must("tty=true" in w.seen[-1] and "stdin=true" in w.seen[-1] and "stderr" not in w.seen[-1], w.seen)
    t.until("a size", lambda: seen)
    must(json.loads(seen[0][1]) == {"Width": 100, "Height": 30} and seen[0][0] == 4, seen)
    termios.tcsetwinsize(t.fd, (40, 120))
    t.p.send_signal(signal.SIGWINCH)
    t.until("the new size", lambda: (4, b'{"Width":120,"Height":40}') in seen)
    os.write(t.ours, b"\x03")
    t.until("control-C as a key", lambda: (0, b"\x03") in seen)
    t.p.send_signal(signal.SIGTSTP)
    t.until("the old modes while it is stopped", lambda: termios.tcgetattr(t.fd) == t.modes)
    t.p.send_signal(signal.SIGCONT)
    t.until("raw mode again", t.raw)
    os.write(t.ours, b"exit\r")
    t.ends(3)
    t = begin()
    os.write(t.ours, b"cut")
    t.ends(7)
    for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGSEGV, -signal.SIGSEGV), (signal.SIGABRT, -signal.SIGABRT)):
        t = begin()
        t.p.send_signal(number)
        t.ends(code)


@check
def joined(w):
    """attach: what the program prints, its end; input only if the container reads it; -c; nothing of a command"""
    def attach(code, script, *words, given=None):
        w.script = script
        p = subprocess.Popen([TRAINC, "attach", "a", "worker/1", *words], cwd=w.dir, env=w.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             stdin=subprocess.PIPE if given else subprocess.DEVNULL)
        out, err = p.communicate(given, timeout=60)
        must(p.returncode == code and b"ERROR: " not in err, (p.returncode, out, err))
        return out, err
    script = says(message(1), message(1, b"out\x1b[0m\n"), message(2, b"err\n"), frame(CLOSE, b"\x03\xe8"))
    must(attach(0, script) == (b"out\x1b[0m\n", b"err\n"), "output")
    path, query = w.seen[0].split("?")
    must(path == "/api/v1/namespaces/default/pods/a-worker-1-x/attach", path)
    must(urllib.parse.parse_qsl(query) == [("container", "main"), ("stdout", "true"), ("stderr", "true")], query)
    attach(0, script, "-c", "other", given=b"x")
    for reason in b"", b"\x03\xe9", b"\x03\xf3boom":        # none, the server goes away, an error of the server
        _, err = attach(7, says(message(1), frame(CLOSE, reason)))
        must(b"without a status of the container" in err, err)
    must("container=other" in w.seen[1] and "stdin" not in w.seen[1], w.seen[1])
    pod = w.get("pods", "a-worker-1-x")
    pod["spec"]["containers"][0].update(stdin=True)
    w.put("pods", "default", pod)

    def echo(s):
        s.accept()
        got = s.read_until(lambda channel, _: channel == 255)
        s.send(message(1, b"".join(x for _, x in got[:-1])), frame(CLOSE, b"\x03\xe8"))
        s.read()
    must(attach(0, echo, given=b"typed")[0] == b"typed", "input")
    attach(0, script, "--no-stdin", given=b"x")
    must("stdin" not in w.seen[-1], w.seen[-1])
    def cut(s):
        s.accept()
        s.send(message(1, b"x"))
    attach(7, cut)
    refused = status(403, "Forbidden", 'pods "x" is forbidden: User "eve" cannot create resource "pods/attach" in API group "" in the namespace "default"')
    _, err = attach(4, lambda s: reply(s.h, *refused))
    must(b"trainc-interactive" in err and b"pods/attach" in err, err)
    w.want(2, "attach", "a", "worker/9", err="role 'worker' has replicas 0 to 1, not 9")
    w.want(2, "attach", "--local", "a", "worker/1", err="")


@check
def asked_again(w):
    """delete --state: a run that starts again while the question waits is not deleted"""
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 1)
    t = Terminal(w, "delete", "--state", "Failed")
    t.until("a question", lambda: b"[y/N]" in t.got)
    w.run_job("default", w.get("jobs", "a-worker"), "Running")
    os.write(t.ours, b"y\n")
    t.until("an answer", lambda: b"run/a is Running now, and is not deleted" in t.got)
    t.p.wait(timeout=20)
    must(w.names("jobs") == ["a-worker"], w.names("jobs"))


@check
def detached(w):
    """attach to a program with a terminal: keys reach it; control-P control-Q detaches and leaves it running"""
    pod = w.get("pods", "a-worker-1-x")
    pod["spec"]["containers"][0].update(stdin=True, tty=True)
    w.put("pods", "default", pod)
    seen = []

    def script(s):
        s.accept()
        s.send(message(1, b"$ "))
        while x := s.read():
            if x[0] == BINARY:
                seen.append((x[1][0], x[1][1:]))
    w.script = script
    t = Terminal(w, "attach", "a", "worker/1")
    t.until("raw mode", lambda: t.raw() and b"$ " in t.got)
    must("tty=true" in w.seen[-1] and "stdin=true" in w.seen[-1], w.seen)
    os.write(t.ours, b"\x03")
    t.until("control-C as a key", lambda: (0, b"\x03") in seen)
    os.write(t.ours, b"\x10\x11")
    t.ends(0)


# ---- port-forward ----

def forwarding(w, *ports):
    """Starts port-forward; returns the process and the ports of this machine."""
    p = w.start("port-forward", "a", *("0:" + port for port in ports))
    shown = w.shown(p, lambda text: text.count("\n") == len(ports), out=True)
    return p, [int(line.split(" ")[0].rsplit(":", 1)[1]) for line in shown.splitlines()]


def port_begin(number):
    return message(0, struct.pack("<H", number)) + message(1, struct.pack("<H", number))


@check
def forwarded(w):
    """port-forward: one stream for each connection; data in both directions; the end of each side; two ports at once"""
    def echo(s):
        s.accept("v4.channel.k8s.io")
        port = int(urllib.parse.parse_qs(s.path.split("?")[1])["ports"][0])
        s.send(port_begin(port))
        while (x := s.read()) and x[0] != CLOSE:
            if x[0] == BINARY and x[1][1:] == b"bye":
                s.send(message(0, b"%d" % port), frame(CLOSE, b"\x03\xe8"))
                return
            if x[0] == BINARY:
                s.send(message(0, x[1][1:]))
    w.script = echo
    p, ports = forwarding(w, "worker/1:8080", "worker-0:9090")
    text = os.urandom(2 << 20)
    for _ in range(30):
        with socket.create_connection(("127.0.0.1", ports[0])) as c:
            c.sendall(b"bye")
            must(c.recv(100) == b"8080" and c.recv(100) == b"", "no end")
    with socket.create_connection(("127.0.0.1", ports[1])) as c, socket.create_connection(("127.0.0.1", ports[0])) as other:
        threading.Thread(target=c.sendall, args=(text,), daemon=True).start()
        got = b""
        while len(got) < len(text):
            got += c.recv(1 << 20)
        must(got == text, "other bytes")
        other.sendall(b"x")
        must(other.recv(10) == b"x", "the other connection")
        c.sendall(b"bye")
        c.shutdown(socket.SHUT_WR)
        must(c.recv(100) == b"9090", "after the end of the input")
    must(all("/pods/a-worker-1-x/portforward?ports=8080" in x or "/pods/a-worker-0-x/portforward?ports=9090" in x for x in w.seen), w.seen[-1])
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)
    must(p.returncode in (130, -signal.SIGINT), p.returncode)


@check
def not_forwarded(w):
    """port-forward: a port on which nothing listens resets the connection; 403 ends the command; so does the run"""
    def nothing(s):
        s.accept("v4.channel.k8s.io")
        s.send(port_begin(8080), message(1, b"error forwarding port 8080: \x1b[2Jconnection refused"))
        s.send(frame(CLOSE, b"\x03\xe8"))
    w.script = nothing
    p, ports = forwarding(w, "worker/1:8080")
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", ports[0])) as c:
            try:
                must(c.recv(10) == b"" and False, "an end in place of an error")
            except ConnectionResetError:
                pass
    err = w.shown(p, "connection refused")
    must(err.count("connection refused") == 1 and "\x1b" not in err and "worker/1:8080: error forwarding" in err, err)
    w.run_job("default", w.get("jobs", "a-worker"), "Failed", 1)
    _, err = p.communicate(timeout=60)
    must(p.returncode == 8 and "run 'a' has ended" in err, (p.returncode, err))


@check
def no_rights(w):
    """port-forward without the right: the connection is reset, and the command ends with status 4"""
    w.script = lambda s: reply(s.h, *status(403, "Forbidden", 'pods "x" is forbidden: User "eve" cannot create resource "pods/portforward" in API group "" in the namespace "default"'))
    p, ports = forwarding(w, "worker/1:8080")
    with socket.create_connection(("127.0.0.1", ports[0])) as c:
        try:
            c.recv(10)
        except ConnectionResetError:
            pass
    _, err = p.communicate(timeout=60)
    must(p.returncode == 4 and "user 'eve' may not create pods/portforward" in err, (p.returncode, err))
    w.want(2, "port-forward", "a", "worker/1:http", err="no pod of role 'worker' has a port 'http'; for a port that is not declared, write its number")
    w.want(2, "port-forward", "a", "worker/9:1", err="role 'worker' has replicas 0 to 1, not 9")


@check
def hostile_ports(w):
    """a port by its name is one of a pod; names and numbers that are none are left out, and of a name twice the first counts"""
    def ports(*all):
        pod = w.get("pods", "a-worker-0-x")
        pod["spec"]["containers"][0]["ports"] = [dict(zip(("name", "containerPort", "protocol"), p)) for p in all]
        with w.lock:
            w.objects[("pods", "default", "a-worker-0-x")] = pod
    w.script = lambda s: reply(s.h, *status(500, "InternalError", "no"))
    ports(("http", 8080), ("http", 8081), ("udp", 53, "UDP"), ("big", 70000), ("zero", 0), ("minus", -1), ("text", "80"), ("float", 80.5), ("esc\x1b[2J", 80),
          ("a/0:b", 81), ("", 82), ("x" * 64, 83), (7, 84), (None, 85), ("Upper", 86))
    p, (number,) = forwarding(w, "worker/0:http")
    with socket.create_connection(("127.0.0.1", number)) as c:
        try:
            c.recv(1)
        except ConnectionResetError:
            pass
    must(w.seen[-1].endswith("/pods/a-worker-0-x/portforward?ports=8080"), w.seen)
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)
    for name in "udp", "big", "zero", "minus", "text", "float", "esc\x1b[2J", "x" * 64, "Upper", "none":
        w.want(2, "port-forward", "a", "0:worker/0:" + name, err="no pod of role 'worker' has a port '")
    ports(*((("p%d" % i), 1000 + i) for i in range(5000)))
    w.want(2, "open", "a", err="jupyter; declared are p0 .role worker., p1 .*p15 .role worker. and 240 more$")


# ---- open ----

BOARD = """job "board" {
  image = "busybox:1"
  role ps {
    replicas = 1
    ports { metrics = 9400 }
  }
  role worker {
    replicas = 2
    ports { http = %d, grpc = 9090, https = 9443 }
    sidecar board {
      image = "tensorboard:2"
      ports { tensorboard = 6006 }
    }
  }
  success = done(worker)
}
"""


def opened(w, *words):
    """Starts open; returns the process and the address that it prints."""
    p = w.start("open", "board", *words)
    return p, w.shown(p, lambda text: text.count("\n") == 1, out=True).strip()


def target_of(w, address):
    """Where a connection to the address leads: the last part of the path of its stream."""
    w.script = lambda s: reply(s.h, *status(500, "InternalError", "no"))
    n = len(w.seen)
    with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1].strip("/")))) as c:
        try:
            c.recv(1)
        except ConnectionResetError:
            pass
    return w.seen[n].split("/pods/")[1]


@check
def open_ports(w):
    """open: the first usual port that a role declares, also of a sidecar; a port by its name, or with its replica; another port of this machine if one is taken"""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        w.write("board.tj", BOARD % number)
        w.want(0, "apply", "--no-wait", "board.tj")
        for words, scheme, want, said in (((), "http", "board-worker-0-x/portforward?ports=6006", "worker/0:tensorboard"),
                                          (("http",), "http", "board-worker-0-x/portforward?ports=%d" % number, "worker/0:http"),
                                          (("https", "--print"), "https", "board-worker-0-x/portforward?ports=9443", "worker/0:https"),
                                          (("metrics",), "http", "board-ps-0-x/portforward?ports=9400", "ps/0:metrics"),
                                          (("worker/1:grpc",), "http", "board-worker-1-x/portforward?ports=9090", "worker/1:grpc"),
                                          (("0:worker-1:7000",), "http", "board-worker-1-x/portforward?ports=7000", "worker/1:7000")):
            p, address = opened(w, *words)
            must(address.startswith(scheme + "://127.0.0.1:") and address.endswith("/") and address != "http://127.0.0.1:%d/" % number, address)
            must(target_of(w, address) == want, (words, w.seen[-1]))
            p.send_signal(signal.SIGINT)
            _, err = p.communicate(timeout=60)
            must("trainc: %s is forwarded until you press control-C" % said in err, err)
        w.want(3, "open", "board", "%d:worker/0:http" % number, err="port %d of this machine is taken" % number)


@check
def not_opened(w):
    """open: names that no role declares, a number without its replica, a replica that does not run"""
    w.write("board.tj", BOARD.replace("tensorboard = 6006", "web = 6006").replace("http = %d, ", "") % ())
    w.want(0, "apply", "--no-wait", "board.tj")
    w.want(2, "open", "board", err=re.escape("no role of run 'board' declares a port dashboard, tensorboard, http, ui or jupyter; "
                                    "declared are metrics (role ps), grpc (role worker), https (role worker), web (role worker)"))
    w.want(2, "open", "board", "nccl", err="no role of run 'board' declares a port 'nccl'; declared are metrics .role ps.")
    w.want(2, "open", "board", "6006", err="a number needs its replica, such as ps/0:6006")
    w.want(2, "open", "board", "worker/1", err="declares a port 'worker/1'; declared are metrics .role ps.*; a replica needs its port, such as worker/1:grpc$")
    w.want(2, "open", "board", "nobody/1", err="declares a port 'nobody/1'; declared are metrics [^;]*$")
    w.want(2, "open", "board", "worker/9:web", err="role 'worker' has replicas 0 to 1, not 9")
    w.want(2, "open", "board", "\x1b[2J", err=r"declares a port '.*2J'")
    w.want(2, "open", "a", err="jupyter; none is declared")
    pod = w.get("pods", "board-ps-0-x")
    pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Insufficient cpu."}]}
    with w.lock:
        w.objects[("pods", "default", "board-ps-0-x")] = pod
    w.want(5, "open", "board", "metrics", err="ps/0 of run 'board' does not run now: ")


@check
def each_command(w):
    """exec, attach, cp, port-forward and open: each with a missing right, a pod that is gone, a pod that does not run, a port that is missing, a proxy without WebSockets"""
    w.write("here", "text")
    commands = {"exec": ("exec", "a", "worker/1", "--", "x"), "attach": ("attach", "a", "worker/1"), "cp in": ("cp", "here", "a:worker/1:/tmp/x"),
                "cp out": ("cp", "a:worker/1:/tmp/x", "there"), "port-forward": ("port-forward", "a", "0:worker/1:8080"),
                "open": ("open", "a", "worker/1:8080")}
    forwards = ("port-forward", "open")
    part = {"exec": "exec", "attach": "attach", "cp in": "exec", "cp out": "exec", "port-forward": "portforward", "open": "portforward"}

    def once(name, words):
        """Runs the command, with one connection if it forwards; returns its status and what it printed."""
        p = w.start(*words)
        if name in forwards:
            shown = p.stdout.readline()
            if shown:
                with socket.create_connection(("127.0.0.1", int(re.search(r"127\.0\.0\.1:(\d+)", shown).group(1)))) as c:
                    try:
                        c.recv(1)
                    except ConnectionResetError:
                        pass
        out, err = p.communicate(timeout=60)
        return p.returncode, out, err

    for name, words in commands.items():
        kind = part[name]
        w.script = lambda s, kind=kind: reply(s.h, *status(403, "Forbidden", 'pods "a-worker-1-x" is forbidden: User "eve" cannot create resource "pods/%s" in API group "" in the namespace "default"' % kind))
        got = once(name, words)
        must(got[0] == 4 and "user 'eve' may not create pods/%s in namespace 'default'" % kind in got[2] and got[2].count("trainc-interactive") == 1, (name, got))
        w.script = lambda s: reply(s.h, 400, b"Upgrade request required")
        got = once(name, words)
        kubectl = {"cp in": "kubectl cp -n default -c main here a-worker-1-x:/tmp/x", "cp out": "kubectl cp -n default -c main a-worker-1-x:/tmp/x there"}.get(
            name, "kubectl port-forward -n default pod/a-worker-1-x 8080" if name in forwards else "kubectl " + name)
        must(got[0] == 7 and "does not pass WebSockets" in got[2] and "over another connection, kubectl may succeed: " + kubectl in got[2], (name, got))
    gone = lambda s: reply(s.h, *status(404, "NotFound", 'pods "a-worker-1-x" not found'))
    for name, words in commands.items():
        w.script = gone
        if name not in forwards:
            got = once(name, words)
            must(got[0] == 6 and 'pods "a-worker-1-x" not found' in got[2], (name, got))
            continue
        p = w.start(*words)                             # the next connection may find the next pod, so that it goes on
        number = int(re.search(r"127\.0\.0\.1:(\d+)", w.shown(p, lambda text: "\n" in text, out=True)).group(1))
        with socket.create_connection(("127.0.0.1", number)) as c:
            try:
                c.recv(1)
            except ConnectionResetError:
                pass
        w.shown(p, 'pods "a-worker-1-x" not found')
        must(p.poll() is None, name)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=60)
    # the right is asked for before anything listens; get alone suffices before 1.35
    def allowed(name, words, minor):
        w.faults.clear()
        w.fault("GET", "^/version", (200, {"gitVersion": "v1.%s.0" % minor, "major": "1", "minor": minor}))
        p = w.start(*words)
        shown = p.stdout.readline()
        if shown:
            p.send_signal(signal.SIGINT)
        return p.communicate(timeout=60)[1], p.returncode, shown
    for name in forwards:
        for denied, minor, want in (({("get", "pods/portforward")}, "34", "get"), ({("create", "pods/portforward")}, "35", "create"),
                                    ({("get", "pods/portforward"), ("create", "pods/portforward")}, "35+", "get and create"),
                                    ({("create", "pods/portforward")}, "34", None), ({("create", "pods/exec")}, "35", None)):
            w.denied, w.seen[:] = denied, []
            err, code, shown = allowed(name, commands[name], minor)
            if want:
                must(code == 4 and not shown and "you may not %s pods/portforward in namespace 'default'; docs/runtime.md has the Role 'trainc-interactive'" % want in err, (name, denied, code, err))
            else:
                must(code in (130, -signal.SIGINT) and shown, (name, denied, code, err))
    w.denied = set()
    # a port that no pod names; a replica that does not run
    w.want(2, "port-forward", "a", "worker/1:web", err="no pod of role 'worker' has a port 'web'; for a port that is not declared, write its number")
    w.want(2, "open", "a", "web", err="no role of run 'a' declares a port 'web'")
    pod = w.get("pods", "a-worker-1-x")
    pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}]}
    del pod["spec"]["nodeName"]
    w.put("pods", "default", pod)
    w.seen[:] = []
    for name in commands:
        if name != "port-forward":                      # which waits for the replica
            w.want(5, *commands[name], err="worker/1 of run 'a' does not run now: .*0/3 nodes.*'trainc why a'")
    must(not w.seen, w.seen)
    p, ports = forwarding(w, "worker/1:8080")
    with socket.create_connection(("127.0.0.1", ports[0])) as c:
        try:
            c.recv(1)
        except ConnectionResetError:
            pass
    w.shown(p, "worker/1:8080: the replica does not run now")
    must(p.poll() is None, "it does not wait")
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)


@check
def browsers(w):
    """open on a terminal starts the browser with the address, in a group of its own, without trainc's connections; not with --print, and not without a terminal"""
    w.write("board.tj", BOARD % 8080)
    w.want(0, "apply", "--no-wait", "board.tj")
    note, bin = os.path.join(w.dir, "note"), os.path.join(w.dir, "bin")
    os.mkdir(bin)
    for name in "xdg-open", "my browser":
        w.write("bin/" + name, "#!/bin/sh\n(printf '%%s|' '%s' \"$@\"; readlink /proc/$$/fd/* | grep -c socket) >>'%s.part'; mv '%s.part' '%s'\n" % (name, note, note, note))
        os.chmod(os.path.join(bin, name), 0o755)
    w.write("bin/two-words", "#!/bin/sh\nexec '%s/my browser' \"$@\"\n" % bin)
    os.chmod(os.path.join(bin, "two-words"), 0o755)
    usual, more = w.environment, {"PATH": bin + ":" + os.environ["PATH"]}
    w.environment = lambda: {**usual(), **more}
    for browser, words, want in (("", (), "xdg-open|http://127.0.0.1:%s/|0\n"), ("two-words --new *", (), "my browser|--new|*|http://127.0.0.1:%s/|0\n"),
                                 ("", ("--print",), None)):
        more["BROWSER"] = browser
        t = Terminal(w, "open", "board", *words)
        t.until("the address", lambda: b"http://127.0.0.1:" in t.got and t.got.endswith(b"/\r\n"))
        port = t.got.split(b"http://127.0.0.1:")[1].split(b"/")[0].decode()
        if want:
            t.until("the browser", lambda: os.path.exists(note))
            with open(note) as f:
                got = f.read()
            os.unlink(note)
            must(got == want % port, (got, want))
        else:
            time.sleep(0.5)  # no browser starts meanwhile
            must(not os.path.exists(note), "a browser was started")
        t.p.send_signal(signal.SIGINT)
        t.until("the end", lambda: t.p.poll() is not None)
    p, _ = opened(w)
    time.sleep(0.5)  # no browser starts meanwhile
    must(not os.path.exists(note), "a browser was started without a terminal")
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)


# ---- restart ----

@check
def restarted(w):
    """restart evicts the pod that was seen; a disruption budget is waited for; a pod without a controller is kept"""
    path = "^/api/v1/namespaces/default/pods/a-worker-1-x/eviction$"
    w.want(5, "restart", "a", "worker/1", err="nothing would create the pod 'a-worker-1-x' again")
    pod = w.get("pods", "a-worker-1-x")
    pod["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "a-worker", "uid": w.get("jobs", "a-worker")["metadata"]["uid"], "controller": True}]
    with w.lock:
        w.objects[("pods", "default", "a-worker-1-x")] = pod
    w.fault("POST", path, status(429, "TooManyRequests", "Cannot evict pod", [{"reason": "DisruptionBudget", "message": "The disruption budget b needs 2 healthy pods and has 2 currently"}]))
    w.fault("POST", path, (201, {"kind": "Status", "status": "Success"}))
    w.want(0, "restart", "a", "worker/1", out="run/a restarts worker/1", err="worker/1 waits: The disruption budget b needs 2")
    sent = [json.loads(r[2]) for r in w.requests if r[0] == "POST"]
    must(len(sent) == 2 and sent[1]["kind"] == "Eviction" and sent[1]["deleteOptions"]["preconditions"]["uid"] == pod["metadata"]["uid"], sent)
    w.fault("POST", path, status(403, "Forbidden", 'pods "x" is forbidden: User "eve" cannot create resource "pods/eviction" in API group "" in the namespace "default"'))
    w.want(4, "restart", "a", "worker/1", err="may not create pods/eviction")
    w.fault("POST", path, status(429, "TooManyRequests", "Cannot evict pod"), times=99)
    w.want(124, "restart", "a", "worker/1", "--timeout", "1s", err="the time is up")


def after(w):
    if w.failure:
        raise w.failure


if __name__ == "__main__":
    sys.exit(run_checks(Streams, CHECKS, sys.argv[1:], after))
