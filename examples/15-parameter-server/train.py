"""Asynchronous training with parameter servers: one program for all roles, which reads its role from TF_CONFIG.

Standard library only.  The parameters are spread over the servers; the chief and the workers fetch them, compute a gradient
on their own data, and send it back.  Servers never end by themselves: the job ends with its chief.
"""
import json
import os
import random
import socket
import socketserver
import threading
import time
import xmlrpc.client
from xmlrpc.server import SimpleXMLRPCServer

CONFIG = json.loads(os.environ["TF_CONFIG"])
CLUSTER, ROLE, INDEX = CONFIG["cluster"], CONFIG["task"]["type"], CONFIG["task"]["index"]
TRUTH = [1.5, -2.0, 0.25, 3.0]
STEPS = int(os.environ.get("STEPS", "150"))


class Server(socketserver.ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True


def serve():
    """Holds every len(ps)-th parameter, beginning with its own index."""
    mine = {i: 0.0 for i in range(len(TRUTH)) if i % len(CLUSTER["ps"]) == INDEX}
    lock = threading.Lock()

    def push(gradient, rate):
        with lock:
            for i in mine:
                mine[i] -= rate * gradient[str(i)]
        return True

    port = int(CLUSTER["ps"][INDEX].rsplit(":", 1)[1])
    server = Server(("", port), logRequests=False)
    server.register_function(lambda: {str(i): v for i, v in mine.items()}, "pull")
    server.register_function(push, "push")
    print("holds parameters %s" % sorted(mine), flush=True)
    server.serve_forever()


def patiently(call, *arguments):
    """Each call looks the name up again. If the lookup fails, or the server is not running yet, it retries for a minute."""
    for attempt in range(600):
        try:
            return call(*arguments)
        except (socket.gaierror, ConnectionRefusedError):       # nothing was sent
            time.sleep(0.1)
    return call(*arguments)


def train():
    shards = [xmlrpc.client.ServerProxy("http://" + address) for address in CLUSTER["ps"]]
    rng = random.Random("%s-%d" % (ROLE, INDEX))
    for step in range(1, STEPS + 1):
        weights = {}
        for shard in shards:
            weights.update(patiently(shard.pull))
        gradient, loss = {str(i): 0.0 for i in range(len(TRUTH))}, 0.0
        for _ in range(16):
            x = [rng.uniform(-1, 1) for _ in TRUTH]
            error = sum((weights[str(i)] - t) * v for i, (t, v) in enumerate(zip(TRUTH, x))) + rng.gauss(0, 0.01)
            loss += error * error / 16
            for i, v in enumerate(x):
                gradient[str(i)] += 2 * error * v / 16
        for shard in shards:
            patiently(shard.push, gradient, 0.2)
        if ROLE == "chief" and step % 50 == 0:
            print("step %d: loss %.5f" % (step, loss), flush=True)
    if ROLE == "chief":
        model = [round(weights[str(i)], 1) for i in range(len(TRUTH))]
        print("model " + json.dumps(model), flush=True)
        assert all(abs(m - t) < 0.11 for m, t in zip(model, TRUTH)), model


serve() if ROLE == "ps" else train()
