"""case.py - the tests of the language server: a function for each row, counted like any other test.  Each test gets
a Place: a directory, a server for it, and helpers for the most frequent requests."""
import os
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402

PRELUDE = "import std.nvidia\nimport std.pytorch\n\nparam nodes: int(1..8) = 2\nlet release = \"1.0\"\n\n"
JOB = PRELUDE + """job "a": pytorch.torchrun {
  image   = "registry.example.com/a:${release}"
  command = ["torchrun", "train.py"]

  role worker {
    replicas    = nodes
    accelerator = nvidia.h100(8)
    cpu         = 8
    memory      = 64Gi
  }
}
"""


class Place:
    def __init__(self, **server):
        self.directory = tempfile.TemporaryDirectory()
        self.root = os.path.realpath(self.directory.name)
        self.options = server
        self.running = None
        self.versions = {}

    @property
    def server(self):
        if not self.running:
            self.running = client.Server(root=self.root, **self.options)
        return self.running

    def uri(self, name="job.tj"):
        return client.uri(os.path.join(self.root, name))

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def open(self, text, name="job.tj"):
        """Opens a marked text, whose marks requests can then refer to."""
        plain, marks = client.mark(text)
        self.marks = marks
        self.text = plain
        self.versions[name] = self.versions.get(name, 0) + 1
        self.server.open(self.uri(name), plain, self.versions[name])
        return self.uri(name)

    def diagnostics(self, name="job.tj"):
        return self.server.wait_diagnostics(self.uri(name), self.versions[name])

    def at(self, method, mark="x", name="job.tj", **more):
        return self.server.at("textDocument/" + method, self.uri(name), self.marks[mark], **more)

    def ask(self, method, name="job.tj", **more):
        return self.server.request("textDocument/" + method, dict({"textDocument": {"uri": self.uri(name)}}, **more))

    def labels(self, text, name="job.tj"):
        self.open(text, name)
        items = self.at("completion", name=name)["items"]
        return [i["label"] for i in sorted(items, key=lambda i: i["sortText"])]

    def hover(self, text, mark="x"):
        self.open(text)
        found = self.at("hover", mark)
        return found["contents"]["value"] if found else None

    def close(self):
        if self.running and self.running.process.poll() is None:
            self.running.process.kill()
        if self.running:
            self.running.process.wait()
            self.running.reader.join(5)
            for stream in (self.running.process.stdin, self.running.process.stdout, self.running.process.stderr):
                try:
                    stream.close()
                except OSError:
                    pass
        self.directory.cleanup()


def apply(text, edits, encoding="utf-8"):
    """Applies the edits of the protocol to the text; columns are bytes unless UTF-16 is requested."""
    lines, starts = text.split("\n"), []

    def offset(position):
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        before = sum(len(l) + 1 for l in lines[:position["line"]])
        units = 0
        for i, c in enumerate(line):
            if units >= position["character"]:
                return before + i
            units += len(c.encode("utf-8")) if encoding == "utf-8" else len(c.encode("utf-16-le")) // 2
        return min(before + len(line), len(text))
    for e in edits:
        starts.append((offset(e["range"]["start"]), offset(e["range"]["end"]), e["newText"]))
    for start, end, new in sorted(starts, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def run(tests):
    passed = failed = 0
    chosen = sys.argv[1:]
    for name, test in tests:  # in the order of the file
        if chosen and name not in chosen:
            continue
        place = Place(**getattr(test, "server", {}))
        try:
            test(place)
            passed += 1
        except Exception:  # noqa: BLE001 - any exception is a failure of the test
            failed += 1
            print("FAIL %s" % name)
            print(traceback.format_exc(limit=-3))
        finally:
            place.close()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


def server(**options):
    """Decorator: the server of the test is started with these options."""
    def mark(test):
        test.server = options
        return test
    return mark


def tests_of(module):
    return [(n[5:], f) for n, f in vars(module).items() if n.startswith("test_")]
