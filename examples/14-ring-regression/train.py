"""Data-parallel linear regression: every worker has its own data, gradients are summed around a ring.

Standard library only.  Reads RANK, WORLD_SIZE, LISTEN (own address) and NEXT (the next worker's).
"""
import json
import os
import random
import socket
import struct
import time

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
TRUTH = [2.0, -3.0, 0.5]


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def receive(sock, size):
    parts = b""
    while len(parts) < size:
        more = sock.recv(size - len(parts))
        if not more:
            raise ConnectionError("a neighbor on the ring is gone")
        parts += more
    return parts


class Ring:
    """What I send goes to the next worker, what I receive comes from the one before me."""

    def __init__(self):
        server = socket.create_server(("", address(os.environ["LISTEN"])[1]))
        deadline = time.monotonic() + 60
        while True:                             # the next worker may start later
            try:
                self.next = socket.create_connection(address(os.environ["NEXT"]), timeout=5)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.before, _ = server.accept()

    def all_reduce(self, values):
        """The sum over all workers: each vector travels once around the ring."""
        total, travelling = list(values), list(values)
        form = "!%dd" % len(values)
        for _ in range(WORLD - 1):
            self.next.sendall(struct.pack(form, *travelling))
            travelling = struct.unpack(form, receive(self.before, struct.calcsize(form)))
            total = [a + b for a, b in zip(total, travelling)]
        return total


def data(points):
    rng = random.Random(1000 + RANK)            # every worker its own part
    for _ in range(points):
        x = [rng.uniform(-1, 1), rng.uniform(-1, 1), 1.0]
        yield x, sum(w * v for w, v in zip(TRUTH, x)) + rng.gauss(0, 0.01)


def main():
    ring, part, weights = Ring(), list(data(200)), [0.0, 0.0, 0.0]
    steps = int(os.environ.get("STEPS", "60"))
    for step in range(1, steps + 1):
        gradient, loss = [0.0, 0.0, 0.0], 0.0
        for x, y in part:
            error = sum(w * v for w, v in zip(weights, x)) - y
            loss += error * error
            gradient = [g + 2 * error * v for g, v in zip(gradient, x)]
        *gradient, loss, points = ring.all_reduce(gradient + [loss, float(len(part))])
        weights = [w - 0.3 * g / points for w, g in zip(weights, gradient)]
        if RANK == 0 and (step % 20 == 0 or step == 1):
            print("step %d: loss %.5f" % (step, loss / points), flush=True)
    if RANK == 0:
        print("model " + json.dumps([round(w, 2) for w in weights]), flush=True)
    assert all(abs(w - t) < 0.05 for w, t in zip(weights, TRUTH)), weights


main()
