#!/usr/bin/env python3
"""recovery.py - the recovery score: how much of a damaged program the language server still recognizes.

In each program of the examples each single token is deleted in turn, each closing brace, each line, and the text is cut
off at each token. Each damaged text is opened as a new file, so that the server knows nothing of the intact text.  The
score counts the declarations, roles and fields of the outline that the damage did not touch and that are still present,
and the messages. Prints the score of each kind of damage; fails when one is worse than when this was written.

    SAMPLE=300  only that many damages, whose scores are then not compared
    SHOW=1      shows damages that lose something, and what they lose
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client  # noqa: E402

SAMPLE = int(os.environ.get("SAMPLE", "0"))              # 0: all
# Per cent of the declarations that were not touched and are kept, the same with roles and fields, errors for each damage.
BARS = {"token": (95.6, 93.8, 0.99), "brace": (74.8, 50.7, 1.03), "line": (96.3, 89.7, 0.94), "cut": (99.9, 72.1, 1.01)}


def tokens(path, lines):
    """Yields (start, end) of each token of the file: offsets in its text."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    out = subprocess.run([client.TRAINC, "dump", "--tokens", path], capture_output=True, text=True, check=True).stdout
    for row in out.splitlines():
        place, _, word = (row + "  ").split(" ", 2)
        line, column = place.split(":")
        if word.startswith('"'):                        # the end of a line has no text
            start = starts[int(line) - 1] + int(column) - 1
            yield start, start + len(json.loads(word))


def damages(path, text):
    """(kind, first, end, new text): what was removed from the text."""
    lines = text.split("\n")
    for start, end in tokens(path, lines):
        if end > start:
            kind = "brace" if text[start:end] == "}" else "token"
            yield kind, start, end, text[:start] + text[end:]
            yield "cut", start, len(text), text[:start]
    at = 0
    for line in lines:
        if line.strip():
            yield "line", at, at + len(line) + 1, text[:at] + text[at + len(line) + 1:]
        at += len(line) + 1


def outline(symbols, text, above=()):
    """(path of names, start, end) of each symbol."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)
    for s in symbols:
        here = above + (s["name"],)
        r = s["range"]
        yield here, starts[r["start"]["line"]] + r["start"]["character"], starts[r["end"]["line"]] + r["end"]["character"]
        yield from outline(s.get("children") or [], text, here)


class Editor:
    """A server with a workspace that contains only the requested file and its imports."""
    def __init__(self, root):
        self.server, self.version, self.root = client.Server(root=root), 0, root

    def ask(self, directory, text):
        self.version += 1
        uri = client.uri(os.path.join(self.root, directory, "damaged-%d.tj" % self.version))
        self.server.open(uri, text, self.version)
        symbols = self.server.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        said = self.server.wait_diagnostics(uri, self.version)
        self.server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return symbols or [], [d for d in said if d["severity"] == 1]


def main():
    scores = {kind: [0] * 6 for kind in BARS}           # kept, untouched: declarations, all; messages, damages
    with tempfile.TemporaryDirectory() as root:
        root = os.path.realpath(root)
        subprocess.run(["cp", "-r", "examples/.", root], check=True)
        editor = Editor(root)
        whole = {}
        every = []
        for path in sorted(glob.glob("examples/[0-9]*/*.tj")):
            if path.endswith("/project.tj"):            # valid only under that name
                continue
            with open(path, encoding="utf-8") as f:
                text = f.read()
            assert text.isascii(), path + ": offsets in this test are bytes"
            directory = os.path.basename(os.path.dirname(path))
            symbols, said = editor.ask(directory, text)
            assert not said, (path, said)
            whole[path] = list(outline(symbols, text))
            every += [(path, directory, text) + d for d in damages(path, text)]
        step = max(1, len(every) // SAMPLE) if SAMPLE else 1
        for path, directory, text, kind, start, end, damaged in every[::step]:
            symbols, said = editor.ask(directory, damaged)
            left = {names for names, _, _ in outline(symbols, damaged)}
            # Touched: the declarations that contain the damage or are next to it; of the declarations around it, the
            # parts are counted.
            untouched = [names for names, first, last in whole[path] if last < start or first > end or (first < start and last > end)]
            lost = [names for names in untouched if names not in left]
            score = scores[kind]
            for at, deepest in ((0, 1), (2, 9)):
                score[at] += sum(len(names) <= deepest for names in untouched) - sum(len(names) <= deepest for names in lost)
                score[at + 1] += sum(len(names) <= deepest for names in untouched)
            score[4] += len(said)
            score[5] += 1
            if os.environ.get("SHOW") and (lost or len(said) > 3):
                print("%s %s %d:%r lost %s, %d messages" % (path, kind, text[:start].count("\n") + 1, text[start:end][:30], lost[:4], len(said)))
        editor.server.end()
    failed = 0
    for kind, (kept, untouched, kept_all, untouched_all, said, n) in scores.items():
        shares = 100.0 * kept / max(1, untouched), 100.0 * kept_all / max(1, untouched_all)
        each = said / max(1, n)
        good = SAMPLE or shares[0] >= BARS[kind][0] and shares[1] >= BARS[kind][1] and each <= BARS[kind][2] and n > 20
        print("%s%-5s %4d damages: of what they do not touch %.1f %% of the declarations are kept, %.1f %% with roles and fields; %.2f errors each"
              % ("" if good else "FAIL ", kind, n, shares[0], shares[1], each))
        failed += not good
    print("%d passed, %d failed" % (len(BARS) - failed, failed))
    return failed != 0


sys.exit(main())
