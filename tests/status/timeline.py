"""timeline.py TRAINC - `trainc status -o svg` and `-o html` of saved objects: bars in proportion, read back from the
drawing."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

PROGRAM = """job "j" {
  image   = "registry.example.com/a:1"
  command = ["train"]
  role worker { replicas = %d, cpu = 1, memory = 1Gi, retries = 3 }
  role idle { replicas = 0, command = ["never"] }
}
"""
SVG = "{http://www.w3.org/2000/svg}"
WORDS = {"p": "pending", "i": "starting", "e": "earlier", "r": "running", "s": "succeeded", "f": "failed", "o": "stopped"}
LEFT, CHART = 150, 800          # of timeline.c: where the axis is
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL " + what)


def at(second):
    return "2026-01-01T%02d:%02d:%02dZ" % (second // 3600, second // 60 % 60, second % 60)


def pod(index, made=0, placed=None, phase="Pending", suffix="abcde", container=None, **metadata):
    conditions = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at(placed)}] if placed is not None else []
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": dict({"name": "j-worker-%d-%s" % (index, suffix), "creationTimestamp": at(made),
                              "labels": {"trainc.dev/job": "j", "trainc.dev/role": "worker",
                                         "batch.kubernetes.io/job-completion-index": str(index)}}, **metadata),
            "status": {"phase": phase, "conditions": conditions,
                       "containerStatuses": [dict({"name": "main", "ready": False, "restartCount": 0}, **container)] if container else []}}


def runs(begin):
    return {"state": {"running": {"startedAt": at(begin)}}, "ready": True}


def ended(begin, end, code):
    return {"startedAt": at(begin), "finishedAt": at(end), "exitCode": code, "reason": "Completed" if code == 0 else "Error"}


def status(objects, replicas, *words, now=100):
    with tempfile.TemporaryDirectory() as folder:
        program, saved = os.path.join(folder, "j.tj"), os.path.join(folder, "o.json")
        with open(program, "w") as f:
            f.write(PROGRAM % replicas)
        with open(saved, "w") as f:
            json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
        return subprocess.run([sys.argv[1], "status", "--from", saved, "--now", at(now), *words, program],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


def bars(text, total):
    """{index: [(word, begin, end), ...]} in seconds of an axis that ends at `total`."""
    found = {}
    for rect in tree.fromstring(text).iter(SVG + "rect"):
        tip = rect.find(SVG + "title")
        if tip is None:
            continue                            # the legend
        index = int(tip.text.split(":")[0].split()[1])
        x, width = float(rect.get("x")), float(rect.get("width"))
        found.setdefault(index, []).append((WORDS[rect.get("class")], round((x - LEFT) / CHART * total), round((x + width - LEFT) / CHART * total)))
    return found


def shapes():
    objects = [
        pod(0, placed=10, phase="Running", container=runs(20)),
        pod(1, placed=10, phase="Running", container=dict(runs(60), restartCount=1, lastState={"terminated": ended(20, 50, 3)})),
        pod(2, placed=10, phase="Running", container=dict(runs(80), restartCount=4, lastState={"terminated": ended(60, 70, 1)})),
        pod(3),
        pod(4, placed=30),
        pod(5, placed=10, phase="Failed", container={"state": {"terminated": ended(20, 40, 2)}}),
        pod(5, made=50, placed=60, phase="Running", suffix="later", container=runs(70)),
        pod(6, placed=10, phase="Succeeded", container={"state": {"terminated": ended(20, 90, 0)}}),
        pod(7, placed=10, phase="Running", container={"state": {"terminated": ended(20, 80, 143)}}, deletionTimestamp=at(75)),
    ]
    done = status(objects, 9, "-o", "svg")
    check(done.returncode in (0, 8) and not done.stderr, "svg: status %d, %s" % (done.returncode, done.stderr))
    found = bars(done.stdout, 100)
    wanted = {
        0: [("pending", 0, 10), ("starting", 10, 20), ("running", 20, 100)],
        1: [("pending", 0, 10), ("starting", 10, 20), ("failed", 20, 50), ("pending", 50, 60), ("running", 60, 100)],
        2: [("pending", 0, 10), ("earlier", 10, 60), ("failed", 60, 70), ("pending", 70, 80), ("running", 80, 100)],
        3: [("pending", 0, 100)],
        4: [("pending", 0, 30), ("starting", 30, 100)],
        5: [("pending", 0, 10), ("starting", 10, 20), ("failed", 20, 40), ("pending", 40, 50), ("pending", 50, 60), ("starting", 60, 70), ("running", 70, 100)],
        6: [("pending", 0, 10), ("starting", 10, 20), ("succeeded", 20, 90)],
        7: [("pending", 0, 10), ("starting", 10, 20), ("stopped", 20, 80)],
    }
    for index in range(9):
        check(found.get(index, []) == wanted.get(index, []), "replica %d: %s, wanted %s" % (index, found.get(index), wanted.get(index)))
    text = done.stdout.decode()
    check("first failure: worker" in text, "the first failure has no mark")
    check(text.count('class="role"') == 1 and "idle" not in text, "a role without replicas is drawn")
    check(status(list(reversed(objects)), 9, "-o", "svg").stdout == done.stdout, "the order of the objects changes the drawing")


class Page(HTMLParser):
    """The tags of a page and its texts; an error when a tag is not closed."""
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.wrong, self.text = [], set(), [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in ("meta", "rect", "path") or (tag == "rect" and not self.get_starttag_text().endswith("/>")):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text += data


def hostile():
    """Texts from a cluster are not trusted."""
    bad = "</text><script>alert(1)</script>&amp;\x1b[31m\u202e]]>"
    last = dict(ended(20, 50, 3), message=bad + "\nsecond line\n")
    objects = [pod(0, placed=10, phase="Failed", container={"state": {"terminated": last}}, annotations={"a": bad}),
               {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "type": "Warning", "reason": bad, "message": bad, "count": 1,
                "lastTimestamp": at(55), "involvedObject": {"kind": "Pod", "name": "j-worker-0-abcde"}}]
    for form in "svg", "html":
        done = status(objects, 1, "-o", form)
        text = done.stdout.decode()
        check("<script" not in text and "\x1b" not in text and "\u202e" not in text, form + ": a text of the cluster became markup")
        if form == "svg":
            tree.fromstring(text)
            continue
        page = Page()
        page.feed(text)
        check(not page.wrong and not page.open, "html: tags that do not close: %s, %s" % (page.wrong, page.open))
        check("svg{max-width" not in text and '<div class="chart"' in text, "html: the text of the drawing shrinks with the window")
        check("script" not in page.tags and "link" not in page.tags and "src=" not in text, "html: it refers to another file")
        check("<script>alert(1)</script>&amp;\\x1b[31m" in page.text and "second line" in page.text, "html: the last words are not shown")
        check("Degraded: worker 0: exit code 3" in page.text, "html: how it stands is not said")


def many():
    objects = [pod(i, placed=10, phase="Running", container=runs(20 + i % 7)) for i in range(1000)]
    done = status(objects, 1000, "-o", "svg")
    root = tree.fromstring(done.stdout)
    numbers = [e.text for e in root.iter(SVG + "text") if e.get("class") == "number"]
    check(len(bars(done.stdout, 100)) == 1000, "1000 replicas: not all are drawn")
    check(numbers == [str(i) for i in range(0, 1000, 50)], "1000 replicas: numbers %s" % numbers[:30])
    check(float(root.get("height")) < 4300 and len(done.stdout) < 600000, "1000 replicas: %s px, %d bytes" % (root.get("height"), len(done.stdout)))


def empty():
    done = status([], 2, "-o", "svg")
    check(tree.fromstring(done.stdout).tag == SVG + "svg" and b"none of its objects exist" in done.stdout, "nothing there: %s" % done.stdout[:200])
    done = status([pod(0)], 1, "-o", "svg", now=0)
    check(bars(done.stdout, 1)[0][0][0] == "pending", "a moment without length: %s" % done.stdout[-300:])


shapes()
hostile()
many()
empty()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
