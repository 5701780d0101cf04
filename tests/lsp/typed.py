#!/usr/bin/env python3
"""typed.py - programs typed from scratch with the help of completion, as a beginner does it.

1. For each framework that completion offers: the snippet `job`, its framework, its roles, and the fields without which
   the compiler refuses the program, all by accepting items. Only names, images, commands and numbers are typed. The
   result must compile; SHOW=1 prints it and the keys.
2. Each example, word by word: at each word of the language, the library or the program, completion must offer it.
   Names that a program introduces are typed. Fails when completion offers less than OFFERED per cent of the others.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case  # noqa: E402
import client  # noqa: E402

SHOW = os.environ.get("SHOW")
OFFERED = 88.5                          # percentage of words other than new names; the value when this was written
KEYWORDS = set("and as else for if in not or then true false none role".split())
# What to type for a value without a completion item: by the type that completion shows for its field.
WRITTEN = ((r"^image", '"registry.example.com/train:1.0"'), (r"^list", '["python", "train.py"]'), (r"^(int|elastic|float|port|cpu)", "2"),
           (r"^(memory|quantity|size|bytes)", "16Gi"), (r"^(string|name)", '"train"'))


class Typing:
    """A text, the cursor in it, and the keys that produced it."""
    def __init__(self, server, uri):
        self.server, self.uri, self.text, self.at, self.version, self.keys = server, uri, "", 0, 1, []
        server.open(uri, "", 1)

    def sync(self):
        self.version += 1
        self.server.change(self.uri, self.text, self.version)

    def errors(self):
        self.sync()
        return [d for d in self.server.wait_diagnostics(self.uri, self.version) if d["severity"] == 1]

    def write(self, words, selected=""):
        self.text = self.text[:self.at] + words + self.text[self.at + len(selected):]
        self.at += len(words)
        self.keys.append("type " + words.replace("\n", "⏎"))

    def undo(self, at, text):
        self.at, self.text = at, text
        self.keys.append("undo")

    def offered(self, selected=""):
        self.text = self.text[:self.at] + self.text[self.at + len(selected):]
        self.sync()
        before = self.text[:self.at]
        place = (before.count("\n"), len(before) - (before.rfind("\n") + 1))
        found = self.server.at("textDocument/completion", self.uri, place)
        return sorted(found["items"] if found else [], key=lambda i: i["sortText"])

    def accept(self, item):
        """Accepts an item as an editor does; returns its placeholders as (offset, text), in the order of Tab."""
        self.keys.append("accept " + item["label"])
        first = sum(len(line) + 1 for line in self.text.split("\n")[:item["textEdit"]["range"]["start"]["line"]])
        start = first + item["textEdit"]["range"]["start"]["character"]
        end = first + item["textEdit"]["range"]["end"]["character"]
        indent = re.match(" *", self.text[first:]).group(0)
        new, stops, plain = item["textEdit"]["newText"].replace("\n", "\n" + indent), [], ""
        while True:
            m = re.search(r"\$\{(\d+):([^}]*)\}|\$(\d+)", new) if item["insertTextFormat"] == 2 else None
            plain += new[:m.start()] if m else new
            if not m:
                break
            stops.append((int(m.group(1) or m.group(3)) or 99, start + len(plain), m.group(2) or ""))
            plain, new = plain + (m.group(2) or ""), new[m.end():]
        self.text = self.text[:start] + plain + self.text[end:]
        self.at = start + len(plain)
        for edit in item.get("additionalTextEdits", []):
            longer = len(self.text)
            self.text = case.apply(self.text, [edit])
            longer = len(self.text) - longer
            self.at, stops = self.at + longer, [(n, at + longer, words) for n, at, words in stops]
        return [(at, words) for _, at, words in sorted(stops)]

    def choose(self, label, selected=""):
        for item in self.offered(selected):
            if item["label"] == label:
                return self.accept(item)
        raise AssertionError("%r is not offered after %r" % (label, self.text[:self.at][-60:]))


def shift(stops, typing, before):
    """The remaining placeholders, after the text before them has become longer."""
    return [(at + len(typing.text) - before, words) for at, words in stops]


def fill_field(t, item):
    """Accepts a field and gives it a value."""
    stops = t.accept(item)
    if stops:
        t.at = stops[0][0]
        return
    for kind, words in WRITTEN:
        if re.match(kind, item.get("detail", "")):
            t.write(words)
            return
    values = [v for v in t.offered() if v["sortText"][1:] < "4"]
    assert values, "no value for %s: %s" % (item["label"], item.get("detail"))
    t.accept(values[0])


def required(t):
    """Accepts the fields that come first in the list because the program needs them; the cursor is on an empty line."""
    done = set()
    while True:
        items = [i for i in t.offered() if i["sortText"][1:] < "15" and i["label"] not in done]
        if not items:
            return
        done.add(items[0]["label"])
        line = t.text[:t.at][t.text[:t.at].rfind("\n") + 1:]
        fill_field(t, items[0])
        t.write("\n" + " " * (len(line) - len(line.lstrip())) if line.strip() == "" else "\n")


def type_job(t, framework):
    stops = t.choose("job")
    at, words = stops.pop(0)
    t.at = at
    before = len(t.text)
    t.write("train", words)
    stops = shift(stops, t, before)
    at, words = stops.pop(0)
    t.at, before = at, len(t.text)
    t.choose(framework, words)
    if any(d["code"] == "TJ0318" for d in t.errors()):  # it has parameters without a default
        t.write("(")
        t.accept(t.offered()[0])                        # a value of the first one
        t.write(")")
    stops = shift(stops, t, before)
    t.at, before = stops.pop(0)[0], len(t.text)
    t.write("registry.example.com/train:1.0")
    t.at = shift(stops, t, before)[0][0]
    required(t)
    roles = 0
    refused = set()
    while roles < 9:                                    # all roles of the framework that are not set yet
        start, before_role, known = t.at, t.text, {d["code"] for d in t.errors()}
        stops = t.choose("role")
        t.at, before = stops[0][0], len(t.text)
        names = [i for i in t.offered(stops[0][1]) if i["detail"] == "role of the framework" and i["label"] not in refused]
        if not names and roles:                         # the framework has no further roles
            t.undo(start, before_role)
            break
        role = names[0]["label"] if names else "worker"
        if names:
            t.accept(names[0])
        else:
            t.write(role)                               # the program defines its own roles
        roles += 1
        t.at = t.text.index("{", t.at) + 1
        t.at += re.match(r"\s*?\n *", t.text[t.at:]).end()
        for field in ("cpu", "memory", "replicas"):
            at, text = t.at, t.text
            fill_field(t, [i for i in t.offered() if i["label"] == field][0])
            t.write("\n    ")
            here = t.text[:at].count("\n")
            if field == "replicas" and any(d["range"]["start"]["line"] == here for d in t.errors()):
                t.undo(at, text)                        # this role has its own number
        required(t)
        t.at = t.text.index("}", t.at) + 1
        t.write("\n  ")
        if {d["code"] for d in t.errors()} & {"TJ0507", "TJ0508"} - known:    # such as the second of two that exclude each other
            refused.add(role)
            t.undo(start, before_role)


def frameworks(server, root):
    """Yields (framework, what is wrong with the program that completion produced)."""
    uri = client.uri(root + "/list.tj")
    t = Typing(server, uri)
    stops = t.choose("job")
    t.at = stops[1][0]
    names = [i["label"] for i in t.offered(stops[1][1]) if "." in i["label"] and i["sortText"][1:] < "4"]
    for name in names:
        t = Typing(server, client.uri("%s/%s.tj" % (root, name)))
        try:
            type_job(t, name)
            wrong = [d["message"] for d in t.errors()]
            with open("%s/%s.tj" % (root, name), "w", encoding="utf-8") as f:
                f.write(t.text)
            done = subprocess.run([client.TRAINC, "compile", f.name], capture_output=True, text=True)
            if done.returncode or "kind: " not in done.stdout:
                wrong.append(done.stderr)
        except (AssertionError, ValueError, AttributeError, IndexError) as error:
            wrong = ["%s %s" % (type(error).__name__, error)]
        if SHOW:
            print("==== %s\n%s\n%s" % (name, "; ".join(t.keys), t.text))
        yield name, len(t.keys), wrong


def example_words(path):
    """Yields (offset, line, column, word) of the words of a program."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for row in subprocess.run([client.TRAINC, "dump", "--tokens", path], capture_output=True, text=True, check=True).stdout.splitlines():
        place, kind, word = (row + "  ").split(" ", 2)
        line, column = map(int, place.split(":"))
        if kind in ("WORD", "IDENT"):
            yield text[:starts[line - 1] + column - 1], line - 1, column - 1, json.loads(word)


def examples(server, root):
    """Counts the words of the examples: (offered, new names, not offered)."""
    offered = new = 0
    missing = []
    for path in sorted(glob.glob("examples/*/*.tj")):
        if path.endswith("/project.tj"):                # valid only under that name
            continue
        uri = client.uri(os.path.join(root, os.path.dirname(path)[len("examples/"):], "typed.tj"))
        server.open(uri, "", 1)
        for version, (before, line, column, word) in enumerate(example_words(path), 2):
            server.change(uri, before, version)
            found = server.at("textDocument/completion", uri, (line, column))
            labels = [i["label"] for i in found["items"]] if found else []
            if any(re.match(re.escape(word) + r"(\.| |$)", label) for label in labels):
                offered += 1
            elif not re.search(r"(?<![\w.])%s(?!\w)" % re.escape(word), before) and word not in KEYWORDS:
                new += 1
            else:
                missing.append("%s:%d %s" % (path, line + 1, word))
        server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    return offered, new, missing


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as root:
        server = client.Server(root=os.path.realpath(root))
        keys = []
        for name, n, wrong in frameworks(server, os.path.realpath(root)):
            keys.append(n)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print("FAIL %s: %s" % (name, "; ".join(wrong)[:400]))
        subprocess.run(["cp", "-r", "examples/.", root], check=True)
        offered, new, missing = examples(server, os.path.realpath(root))
        server.end()
    share = 100.0 * offered / (offered + len(missing))
    passed, failed = passed + (share >= OFFERED), failed + (share < OFFERED)
    if share < OFFERED or SHOW:
        print("%snot offered: %s" % ("" if SHOW else "FAIL ", ", ".join(missing)))
    print("examples: completion offers %.1f %% of %d words; %d new names are written" % (share, offered + len(missing), new))
    print("%d frameworks, %d to %d accepted items and pieces of text each" % (len(keys), min(keys), max(keys)))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
