"""endless.py [NAME...] - answers without an end: a byte now and then, a snapshot that never ends, a page that names itself
as the next one, blanks, records without number.  Each command ends with 7, says what it waited for, and needs bounded memory."""
import json
import re
import subprocess
import sys
import time

import world
from api_memory import SANITIZED
from world import main, must

PROGRAM = 'job "a" {\n  image = "busybox:1"\n  role worker {\n    replicas = 1:2\n    retries = 3\n    command = ["train"]\n    cpu = 1\n    memory = 1Gi\n  }\n}\n'
WATCHING = ["status a", "why a", "suspend a", "resume a", "scale a worker=1", "logs a"]
LISTING = ["list", "status", "delete --all --yes", "fit a.tj", "import --from-cluster --all"]
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def begin(w):
    w.write("a.tj", PROGRAM)
    w.want(0, "apply", "--no-wait", "a.tj")


def header(h):
    h.send_response(200)
    h.send_header("Content-Type", "application/json")
    h.send_header("Transfer-Encoding", "chunked")
    h.end_headers()


def piece(h, data):
    h.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


def ends(w, commands, pattern, seconds=20):
    """Each command ends with 7 in time, all of them at the same time."""
    started = time.monotonic()
    running = [(c, w.start(*c.split(), "--retry-timeout", "1s")) for c in commands]
    for command, p in running:
        try:
            out, err = p.communicate(timeout=max(1, seconds - (time.monotonic() - started)))
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            must(False, "%s does not end: %s%s" % (command, out, err))
        must(p.returncode == 7 and re.search(pattern, err), "%s: status %d\n%s%s" % (command, p.returncode, out, err))


def serve_with(w, wrong):
    """WRONG(h, path, query, where) answers a request itself, or returns False."""
    right, take = w.answer, w.take_request

    def take_request(h):
        path, query, body = take(h)
        where = w.place(path)
        if h.command == "GET" and where and wrong(h, query, where):
            raise ConnectionResetError
        return path, query, body
    w.take_request = take_request
    return right


def watched(query):
    return query.get("watch") == "true"


@check
def trickle(w):
    """a watch that sends a blank now and then"""
    begin(w)

    def wrong(h, query, where):
        if not watched(query) or where[0] == "events":
            return False
        header(h)
        while not w.stopped:
            piece(h, b" ")
            time.sleep(0.05)
        return True
    serve_with(w, wrong)
    ends(w, WATCHING, r"no complete list came from 127\.0\.0\.1:\d+ within [23] s")


@check
def no_bookmark(w):
    """a watch that never sends the end of the snapshot"""
    begin(w)

    def wrong(h, query, where):
        if not watched(query) or where[0] == "events":
            return False
        header(h)
        o = w.listed(where[0], where[1], query)
        for i in range(100000):
            if w.stopped or not o:
                break
            piece(h, json.dumps({"type": "MODIFIED", "object": dict(o[0], metadata=dict(o[0]["metadata"], resourceVersion=str(1000 + i)))}).encode() + b"\n")
            time.sleep(0.2)  # as often as a server may send
        while not w.stopped:
            time.sleep(0.05)
        return True
    serve_with(w, wrong)
    ends(w, WATCHING, r"no complete list came from")


@check
def same_page(w):
    """a page that names itself as the next one, and pages without objects"""
    begin(w)
    for items, why in ((True, "names itself as the next page"), (False, "without objects is followed by another page")):
        def wrong(h, query, where, items=items):
            if watched(query) or where[2]:
                return False
            code, document = w.on_get(where, query)
            must(code == 200, document)
            world.reply(h, 200, dict(document, metadata={"resourceVersion": "1", "continue": "again" if items else str(time.time())},
                                     items=(document["items"] or [{"metadata": {"name": "x", "namespace": "default"}}]) if items else []))
            return True
        right = w.take_request
        serve_with(w, wrong)
        ends(w, LISTING, why)
        w.take_request = right


@check
def blanks(w):
    """blanks without end, in lists and in watches"""
    begin(w)

    def wrong(h, query, where):
        if where[2] or where[0] == "events":
            return False
        header(h)
        try:
            while not w.stopped:
                piece(h, b" " * (1 << 20))
        except OSError:
            pass
        return True
    serve_with(w, wrong)
    ends(w, ["list", "status a"], r"sends bytes without an|no complete list came|keeps failing|larger than", 40)


@check
def records(w):
    """records without number take bounded memory"""
    begin(w)
    record = w.get("configmaps", "a.trainc")
    record["data"]["plan"] = "x" * (1 << 20)

    def wrong(h, query, where):
        if watched(query) or where[2]:
            return False
        header(h)
        piece(h, b'{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[')
        text = json.dumps(record).encode() + b","
        try:
            for _ in range(1000):
                piece(h, text)
        except OSError:
            pass
        return True
    serve_with(w, wrong)
    with open(w.dir + "/limited", "w", encoding="utf-8") as f:
        # a sanitizer reserves terabytes of addresses
        f.write("%sexec \"$@\"\n" % ("" if SANITIZED else "ulimit -v 900000\n"))
    p = subprocess.run(["sh", w.dir + "/limited", world.TRAINC, "list"], cwd=w.dir, capture_output=True, text=True, timeout=60, env=w.environment(), check=False)
    must(p.returncode == 7 and "the lists of configmaps take more than 256 MiB" in p.stderr, p)


sys.exit(main(CHECKS, sys.argv[1:]))
