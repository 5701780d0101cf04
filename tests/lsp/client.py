"""client.py - the language server as an editor sees it: one process, framed messages, responses by id.

Marked texts: «name» in a text passed to mark() marks a position; mark() removes the marks and returns their positions,
so that a test can name the position of a request.
"""
import contextlib
import json
import os
import re
import subprocess
import threading
import queue
import time

TRAINC = os.path.abspath(os.environ.get("TRAINC", "build/trainc"))
LSP = os.environ.get("LSP", "").split() or [TRAINC, "lsp"]       # LSP="node tests/wasm/server.mjs MODULE"
WITHOUT = os.environ.get("WITHOUT")     # a method that the server appears not to have: see needed.py

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-8", "utf-16"]},
    "workspace": {"workspaceEdit": {"documentChanges": True}, "inlayHint": {"refreshSupport": True},
                  "didChangeWatchedFiles": {"dynamicRegistration": True}},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {"completionItem": {"snippetSupport": True, "labelDetailsSupport": True}},
        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True, "dataSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "rename": {"prepareSupport": True},
    },
}


def mark(text):
    """The text without its «marks», and their positions: name -> (line, column in characters)."""
    places, out = {}, ""
    for part in re.split(r"(«\w+»)", text):
        if part.startswith("«"):
            places[part[1:-1]] = (out.count("\n"), len(out) - (out.rfind("\n") + 1))
        else:
            out += part
    return out, places


class Server:
    def __init__(self, root=None, capabilities=CAPABILITIES, options=None, initialize=True, env=None, cwd=None):
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(str(root or "/tmp"), ".cache"))
        environment.update(env or {})
        self.process = subprocess.Popen(LSP, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment, cwd=cwd)
        self.id = 0
        self.held = False               # see together()
        self.diagnostics = {}           # uri -> the last notification's params
        self.published = []             # all of them, in order
        self.asked = []                 # requests of the server
        self.shown = []                 # window/showMessage
        self.waiting = {}               # responses that nobody has waited for yet
        self.inbox = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.capabilities = None
        if initialize:
            self.capabilities = self.request("initialize", {
                "processId": None, "capabilities": capabilities, "initializationOptions": options,
                "rootUri": uri(root) if root else None})["capabilities"]
            self.notify("initialized", {})

    # ---- wire ----

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.inbox.put(None)
                    return
                if line in (b"\r\n", b"\n"):
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.inbox.put((time.perf_counter(), json.loads(out.read(length).decode("utf-8"))))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        if not self.held:
            self.process.stdin.flush()

    @contextlib.contextmanager
    def together(self):
        """Messages that are sent inside this block arrive in one piece."""
        self.held = True
        yield
        self.held = False
        self.process.stdin.flush()

    @staticmethod
    def frame(message):
        body = json.dumps(message, ensure_ascii=False).encode("utf-8")
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def send(self, *messages):
        self.send_bytes(b"".join(self.frame(m) for m in messages))

    def take(self, timeout=60):
        """The next message from the server, sorted by kind; False at the end."""
        got = self.inbox.get(timeout=timeout)
        if got is None:
            return False
        self.arrived, message = got
        if "method" in message and "id" in message:
            self.asked.append(message)
        elif message.get("method") == "textDocument/publishDiagnostics":
            if WITHOUT == message["method"]:
                message["params"]["diagnostics"] = []
            self.diagnostics[message["params"]["uri"]] = message["params"]
            self.published.append(message["params"])
        elif message.get("method") == "window/showMessage":
            self.shown.append(message["params"])
        elif "id" in message:
            self.waiting[message["id"]] = message
        return True

    def answer(self, id):
        while id not in self.waiting:
            if not self.take():
                raise EOFError("the server has ended")
        return self.waiting.pop(id)

    # ---- messages ----

    def ask(self, method, params=None):
        """Sends a request without waiting; returns its id."""
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": "left/out" if method == WITHOUT else method, "params": params})
        return self.id

    def request(self, method, params=None):
        message = self.answer(self.ask(method, params))
        if "error" in message:
            raise RuntimeError("%s: %s" % (message["error"]["code"], message["error"]["message"]))
        return message["result"]

    def error(self, method, params=None):
        return self.answer(self.ask(method, params)).get("error")

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen",
                    {"textDocument": {"uri": uri, "languageId": "tj", "version": version, "text": text}})

    def change(self, uri, changes, version):
        if isinstance(changes, str):
            changes = [{"text": changes}]
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def wait_diagnostics(self, uri, version):
        while True:
            params = self.diagnostics.get(uri)
            if params and params.get("version", 0) >= version:
                return params["diagnostics"]
            if not self.take():
                raise EOFError("the server has ended")

    def at(self, method, uri, place, **more):
        line, character = place
        return self.request(method, dict({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}, **more))

    def end(self, shutdown=True):
        if shutdown:
            self.request("shutdown")
            self.notify("exit", None)
        self.process.stdin.close()
        status = self.process.wait(timeout=20)
        self.stderr = self.process.stderr.read()
        return status


def uri(path):
    from urllib.parse import quote
    return "file://" + quote(str(path))
