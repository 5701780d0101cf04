"""A cluster for the suite: kubectl for what users do with it, and plain HTTP through "kubectl proxy" for frequent
reads."""

import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time


class Refused(Exception):
    """The server or kubectl refused; the text says why."""


class Missing(Refused):
    """The object does not exist."""


class _Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def documents(text):
    """The JSON values that follow one another in a text; a List counts as its items."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        found += value["items"] if value.get("kind") == "List" else [value]
    return found


def body_of(value):
    """JSON that has the same meaning as YAML, which is how the server reads applied objects: control characters must
    be escaped in YAML, and other characters must not be."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\ufffe\uffff]", lambda c: f"\\u{ord(c[0]):04x}", text).encode()


class Cluster:
    def __init__(self, kubectl, kubeconfig):
        self._files = tempfile.TemporaryDirectory(prefix="e2e-")
        self._kubectl = [kubectl, "--cache-dir", os.path.join(self._files.name, "cache")]
        if kubeconfig:
            self._kubectl += ["--kubeconfig", kubeconfig]
        self._socket = os.path.join(self._files.name, "api")
        self._proxy = subprocess.Popen(
            self._kubectl + ["proxy", "--unix-socket", self._socket], stdout=subprocess.DEVNULL
        )
        self._local = threading.local()
        self._resources = {}
        until(lambda: os.path.exists(self._socket), 60, "kubectl proxy")

    def close(self):
        self._proxy.terminate()
        self._proxy.wait(timeout=30)
        self._files.cleanup()

    def kubectl(self, *arguments, stdin=None, timeout=120):
        done = subprocess.run(
            self._kubectl + list(arguments), input=stdin, capture_output=True, text=True, timeout=timeout
        )
        if done.returncode != 0:
            raise Refused(done.stderr.strip() or f"kubectl {arguments[0]}: exit {done.returncode}")
        return done.stdout

    def read_yaml(self, path):
        """The objects of a file as kubectl reads it, without asking the server: a patch that changes nothing makes
        kubectl convert."""
        return documents(self.kubectl("patch", "--local", "-f", path, "--type=merge", "-p", "{}", "-o", "json"))

    def apply_file(self, path, *options, stdin=None):
        strict = ["apply", "--server-side", "--validate=strict", "-o", "json"]
        return documents(self.kubectl(*strict, *options, "-f", path, stdin=stdin))

    def apply(self, objects, namespace, *options):
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        return self.apply_file("-", "--namespace", namespace, *options, stdin=text)

    def apply_again(self, path, value):
        """What kubectl sends when it applies an object, computed without starting it."""
        query = "?fieldManager=kubectl&fieldValidation=Strict"
        return self.request("PATCH", path + query, value, "application/apply-patch+yaml")

    @staticmethod
    def as_applied(value):
        """The value that the server gets from kubectl's server-side apply: the text is read as YAML, where U+0085 is
        a line break and becomes a blank."""
        if isinstance(value, dict):
            return {key: Cluster.as_applied(item) for key, item in value.items()}
        if isinstance(value, list):
            return [Cluster.as_applied(item) for item in value]
        return value.replace("\x85", " ") if isinstance(value, str) else value

    def request(self, method, path, body=None, kind="application/json"):
        data = None if body is None else body_of(body)
        for attempt in (1, 2):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = _Connection(self._socket)
            try:
                connection.request(method, path, data, {"Content-Type": kind} if data else {})
                answer = connection.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException):
                # A kept connection may have been closed meanwhile: try once more.
                connection.close()
                self._local.connection = None
                if attempt == 2:
                    raise
        return Cluster.value_of(answer.status, text, path)

    @staticmethod
    def value_of(status, text, path):
        """The object in a response."""
        if status >= 300 and not text.startswith(b"{"):         # the proxy lost the server, or the group does not exist
            raise Missing(path) if status == 404 else Refused(f"{path}: {status} {text.decode(errors='replace')[:300]}")
        value = json.loads(text) if text else {}
        if status == 404:
            raise Missing(value.get("message", path))
        if status >= 300:
            raise Refused(value.get("message", text.decode(errors="replace")))
        return value

    def get(self, path):
        return self.request("GET", path)

    def watch(self, path):
        """Changes that the server reports about that collection from now on: (type, object), until the connection
        ends."""
        connection = _Connection(self._socket)
        try:
            connection.request("GET", path + "?watch=true&timeoutSeconds=3600")
            connection.sock.settimeout(None)
            answer = connection.getresponse()
            if answer.status != 200:
                raise Refused(f"{path} cannot be watched: {answer.status}")
            while line := answer.readline():
                event = json.loads(line)
                yield event["type"], event["object"]
        except (OSError, http.client.HTTPException, ValueError):
            return
        finally:
            connection.close()

    def patch(self, path, change):
        return self.request("PATCH", path, change, "application/merge-patch+json")

    def delete(self, path):
        try:
            options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
            self.request("DELETE", path, options)
        except Missing:
            pass

    def delete_all(self, collection, pause=2):
        """Deletes all objects of a collection at once.  With thousands of objects the server may delete only some
        and abort; then the request is repeated a few times."""
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
        for left in reversed(range(10)):
            try:
                self.request("DELETE", collection, options)
                return
            except Missing:
                return
            except (Refused, OSError, http.client.HTTPException):
                if not left:
                    raise
                time.sleep(pause)

    def create(self, collection, value):
        try:
            return self.request("POST", collection, value)
        except Refused as refused:
            if "already exists" not in str(refused):
                raise

    def _resource(self, value):
        version = value["apiVersion"]
        group = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if group not in self._resources:
            found = self.get(group)["resources"]
            self._resources[group] = {r["kind"]: r for r in found if "/" not in r["name"]}
        return group, self._resources[group][value["kind"]]

    def knows(self, value):
        """Does the server serve that kind? Asks again each time until it does."""
        try:
            self._resource(value)
            return True
        except (Missing, KeyError):
            version = value["apiVersion"]
            self._resources.pop(f"/apis/{version}" if "/" in version else f"/api/{version}", None)
            return False

    def is_namespaced(self, value):
        return self._resource(value)[1]["namespaced"]

    def path_of(self, value, namespace):
        """The API path of an object."""
        group, resource = self._resource(value)
        name = value["metadata"]["name"]
        if not resource["namespaced"]:
            return f"{group}/{resource['name']}/{name}"
        namespace = value["metadata"].get("namespace", namespace)
        return f"{group}/namespaces/{namespace}/{resource['name']}/{name}"

    def make_namespace(self, name):
        self.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})

    def drop_namespace(self, name):
        self.delete(f"/api/v1/namespaces/{name}")

    def list(self, namespace, kind):
        group = {"jobs": "/apis/batch/v1", "deployments": "/apis/apps/v1"}.get(kind, "/api/v1")
        return self.get(f"{group}/namespaces/{namespace}/{kind}")["items"]


def until(test, seconds, what):
    """Waits until the test returns a true value, and returns that."""
    end = time.monotonic() + seconds
    while not (value := test()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.1)
    return value
