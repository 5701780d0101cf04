"""collection.py - Cluster.delete_all() of the end-to-end suite, with responses from a test: a benchmark that has run
for minutes would lose its figures if the cleanup failed."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from cluster import Cluster, Missing, Refused   # noqa: E402


class Scripted(Cluster):
    """Raises or returns the responses of its script, one per request, and then reports success."""

    def __init__(self, *script):
        self.script, self.asked = list(script), []

    def request(self, method, path, body=None, kind="application/json"):
        self.asked.append((method, path, body["gracePeriodSeconds"]))
        answer = self.script.pop(0) if self.script else (200, b"{}")
        if isinstance(answer, Exception):
            raise answer
        return self.value_of(*answer, path)


def asks(*script):
    """How many requests delete_all() sends; None when it gives up."""
    cluster = Scripted(*script)
    try:
        cluster.delete_all("/api/v1/namespaces/a/pods", pause=0)
    except (Refused, OSError):
        return None, len(cluster.asked)
    assert set(cluster.asked) == {("DELETE", "/api/v1/namespaces/a/pods", 0)}, cluster.asked
    return len(cluster.asked)


CASES = {
    "a collection that is deleted at once": (asks(), 1),
    "a server that breaks off twice": (asks(Refused("the server was unable to complete the request in time"), ConnectionResetError()), 3),
    "a proxy that has lost the server": (asks((502, b"stream error: stream ID 4839; INTERNAL_ERROR")), 2),
    "a collection that is gone": (asks(Missing("no such namespace")), 1),
    "a server that never does it": (asks(*[Refused("no")] * 50), (None, 10)),
}
failed = [f"FAIL {what}: {got} requests, expected {expected}" for what, (got, expected) in CASES.items() if got != expected]
print("\n".join([*failed, f"{len(CASES) - len(failed)} passed, {len(failed)} failed"]))
sys.exit(1 if failed else 0)
