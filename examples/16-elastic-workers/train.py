"""Estimates pi with workers that join and leave: the coordinator gives out tasks, and those of lost workers again.

Standard library only.  COORDINATOR is where it listens; a worker that dies in the middle of a task costs only that task.
"""
import os
import random
import socketserver
import sys
import threading
import time
import xmlrpc.client
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

TASKS = int(os.environ.get("TASKS", "60"))
POINTS = 20000
LEASE = 2.0                                     # seconds until a task is given out again


class Handler(SimpleXMLRPCRequestHandler):
    timeout = 5                                 # seconds until a worker that was lost during a request is given up


class Server(socketserver.ThreadingMixIn, SimpleXMLRPCServer):
    """Waits for its threads at the end, because Python needs libgcc to stop a running thread, and an image may lack it."""
    daemon_threads = False


class Board:
    """The tasks that are open, those that are given out, with the time, and those that are done."""

    def __init__(self):
        self.lock, self.out, self.done, self.again = threading.Lock(), {}, {}, 0

    def take(self, worker):
        """A task's number, -1 to wait, -2 when nothing is left."""
        now = time.monotonic()
        with self.lock:
            if len(self.done) == TASKS:
                return -2
            for task in range(TASKS):
                if task in self.done or now - self.out.get(task, -LEASE) < LEASE:
                    continue
                if task in self.out:
                    self.again += 1
                    print("task %d again, for worker %d" % (task, worker), flush=True)
                self.out[task] = now
                return task
            return -1

    def give(self, worker, task, hits):
        with self.lock:
            self.done.setdefault(task, hits)    # the first answer counts; later ones are equal
        return True


def coordinate():
    board = Board()
    with Server(("", int(os.environ["COORDINATOR"].rsplit(":", 1)[1])), Handler, logRequests=False) as server:
        server.register_function(board.take, "take")
        server.register_function(board.give, "give")
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        try:
            collect(board)
        finally:
            server.shutdown()
            thread.join()


def collect(board):
    told = 0
    while len(board.done) < TASKS:
        time.sleep(0.05)
        if len(board.done) - told >= TASKS // 4:
            told = len(board.done)
            print("%d of %d tasks" % (told, TASKS), flush=True)
    pi = 4 * sum(board.done.values()) / (TASKS * POINTS)
    print("pi is about %.3f, %d tasks were given out again" % (pi, board.again), flush=True)
    time.sleep(0.5)                             # gives the workers time to ask again and learn that nothing is left
    assert abs(pi - 3.1416) < 0.02, pi


def work():
    rank = int(os.environ["RANK"])
    board = xmlrpc.client.ServerProxy("http://" + os.environ["COORDINATOR"])
    print("joins as process %d" % os.getpid(), flush=True)
    unreachable = 0
    while unreachable < 600:
        try:
            task = board.take(rank)
        except OSError:                         # the coordinator has not started yet, or has ended
            unreachable += 1
            time.sleep(0.05)
            continue
        unreachable = 0
        if task == -2:
            return
        if task == -1:
            time.sleep(0.05)
            continue
        rng = random.Random(task)
        hits = sum(rng.random() ** 2 + rng.random() ** 2 <= 1 for _ in range(POINTS))
        time.sleep(float(os.environ.get("PAUSE", "0.05")))
        board.give(rank, task, hits)


coordinate() if sys.argv[1:] == ["coordinate"] else work()
