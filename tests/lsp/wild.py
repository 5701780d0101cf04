"""wild.py [ROUNDS [SEED]] - unplanned requests: every method at random positions in the examples, cut off and
damaged at random, and parameters of every wrong shape.  The server responds to each, its ranges are inside the
text, its edits match their titles, and applying one quick fix after the other comes to an end."""
import glob
import itertools
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import client

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
AT_POSITION = ["hover", "completion", "signatureHelp", "definition", "references", "documentHighlight", "prepareRename", "rename",
               "selectionRange", "prepareCallHierarchy", "onTypeFormatting"]
OF_DOCUMENT = ["documentSymbol", "formatting", "foldingRange", "semanticTokens/full", "codeLens", "documentLink"]
OF_RANGE = ["rangeFormatting", "semanticTokens/range", "inlayHint", "codeAction"]
OWN = ["trainc/preview", "trainc/environment", "trainc/plan"]
OFFERED = {"general": {"positionEncodings": ["utf-16"]}}
KNOWN = {-32600, -32601, -32602, -32800, -32803}        # InvalidRequest, MethodNotFound, InvalidParams, RequestCancelled, RequestFailed


def units(text, encoding):
    return len(text.encode()) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


class Text:
    """A text as the protocol sees it: its lines end with \\n, \\r\\n or \\r."""

    def __init__(self, text, encoding):
        self.text, self.encoding = text, encoding
        self.lines = re.split("\r\n|\r|\n", text)

    def place(self, chance):
        line = chance.randrange(len(self.lines))
        return {"line": line, "character": units(self.lines[line][:chance.randint(0, len(self.lines[line]))], self.encoding)}

    def has(self, position):
        return 0 <= position["line"] < len(self.lines) and 0 <= position["character"] <= units(self.lines[position["line"]], self.encoding)

    def offset(self, position):
        ends = [m.end() for m in re.finditer("\r\n|\r|\n", self.text)]
        start, n = ([0] + ends)[position["line"]], 0
        for i, c in enumerate(self.lines[position["line"]]):
            if n >= position["character"]:
                return start + i
            n += units(c, self.encoding)
        return start + len(self.lines[position["line"]])

    def of(self, found):
        return self.text[self.offset(found["start"]):self.offset(found["end"])]

    def edited(self, edits):
        out, made = self.text, sorted((self.offset(e["range"]["start"]), self.offset(e["range"]["end"]), i, e["newText"]) for i, e in enumerate(edits))
        for before, after in itertools.pairwise(made):
            assert before[1] <= after[0], "edits overlap: %s" % edits
        for start, end, _, new in reversed(made):
            out = out[:start] + new + out[end:]
        return out


def damaged(text, chance):
    """The text cut off, with words and lines lost, duplicated or replaced, with wide characters and other line
    endings."""
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        words = [m.span() for m in re.finditer(r"\w+|[^\w\s]|\n", text)] or [(0, len(text))]
        start, end = chance.choice(words)
        other = text[slice(*chance.choice(words))]
        text = chance.choice((text[:start], text[:start] + text[end:], text[:end] + text[start:], text[:start] + other + text[end:],
                              text[:start] + chance.choice(["é", "😀", '"', "}", "{", "(", "${", "#", "=", ".", "\t", "\0", "0x", "if ", "[", '"""']) + text[start:]))
    if chance.random() < 0.15:
        text = text.replace("\n", chance.choice(("\r\n", "\r")))
    if chance.random() < 0.15:
        text = text.replace("train", "tr😀in")
    return text


def ranges(found):
    """All ranges of a response."""
    if isinstance(found, list):
        for one in found:
            yield from ranges(one)
    elif isinstance(found, dict):
        if "start" in found and "end" in found and isinstance(found["start"], dict):
            yield found
        else:
            for one in found.values():
                yield from ranges(one)


def of_text(found, uri):
    """The response without parts about other texts."""
    if isinstance(found, list):
        return [of_text(one, uri) for one in found]
    if not isinstance(found, dict):
        return found
    where = found.get("uri") or found.get("targetUri") or (found.get("textDocument") or {}).get("uri")
    if where and where != uri:
        return None
    return {k: of_text(one, uri) for k, one in found.items() if k not in ("data", "target") and not k.startswith("file:")}


class Wild:
    def __init__(self, place, seed):
        self.place, self.chance = place, random.Random(seed)
        self.server = place.server
        self.encoding = self.server.capabilities["positionEncoding"]
        self.version = 0

    def ask(self, method, params):
        answer = self.server.answer(self.server.ask(method, params))
        if "error" in answer:
            assert answer["error"]["code"] in KNOWN and answer["error"]["message"], (method, params, answer)
            return None
        return answer["result"]

    def open(self, name, text):
        self.version += 1
        self.uri, self.text = self.place.uri(name), Text(text, self.encoding)
        self.server.open(self.uri, text, self.version)
        found = self.server.wait_diagnostics(self.uri, self.version)
        self.in_text("diagnostics", of_text(found, self.uri))
        return found

    def in_text(self, what, found):
        for r in ranges(found):
            assert self.text.has(r["start"]) and self.text.has(r["end"]), (what, r)
            assert (r["start"]["line"], r["start"]["character"]) <= (r["end"]["line"], r["end"]["character"]), (what, r)

    def about(self, method, **more):
        found = self.ask("textDocument/" + method, {"textDocument": {"uri": self.uri}, **more})
        self.in_text((method, more), of_text(found, self.uri))
        return found

    def at(self, method):
        at = self.text.place(self.chance)
        more = {"position": at, "positions": [at], "newName": "renamed_by_hand", "ch": "}", "options": {"tabSize": 2, "insertSpaces": True},
                "context": {"includeDeclaration": True}}
        found = self.about(method, **more)
        if method == "completion":
            for item in found["items"]:
                r = item["textEdit"]["range"]
                assert r["start"]["line"] == r["end"]["line"] == at["line"] and r["start"]["character"] <= at["character"] <= r["end"]["character"], (at, item)
        if method == "rename" and found:
            for change in found["documentChanges"]:
                words = {self.text.of(e["range"]).strip('"') for e in change["edits"] if not e["newText"].startswith(" as ")} if change["textDocument"]["uri"] == self.uri else set()
                assert len(words) <= 1 and all("\n" not in w for w in words), (at, change)
                if change["textDocument"]["uri"] == self.uri:
                    self.text.edited(change["edits"])

    def tokens(self, data):
        line = column = end = 0
        for down, right, n, _, _ in zip(*[iter(data)] * 5):
            column, end = (right, 0) if down else (column + right, end)
            line += down
            assert column >= end and n > 0 and self.text.has({"line": line, "character": column + n}), (line, column, n)
            end = column + n

    def everything(self):
        for method in self.chance.sample(AT_POSITION, 4):
            self.at(method)
        for method in self.chance.sample(OF_DOCUMENT, 3):
            found = self.about(method, options={"tabSize": 2, "insertSpaces": True})
            if method == "semanticTokens/full":
                self.tokens(found["data"])
            if method == "formatting" and found:
                self.text.edited(found)
        for method in self.chance.sample(OF_RANGE, 2):
            a, b = sorted((self.text.place(self.chance), self.text.place(self.chance)), key=lambda p: (p["line"], p["character"]))
            found = self.about(method, range={"start": a, "end": b}, options={"tabSize": 2, "insertSpaces": True}, context={"diagnostics": []})
            if method == "semanticTokens/range":
                self.tokens(found["data"])
        self.ask(self.chance.choice(OWN), {"textDocument": {"uri": self.uri}, "job": "a", "role": "worker", "index": 0})

    def fix_all(self, name):
        """Applying one quick fix after the other comes to an end."""
        seen, trail = {self.text.text}, []
        for _ in range(60):
            found = self.server.diagnostics[self.uri]["diagnostics"]
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(self.text.lines) - 1, "character": 0}}
            actions = [a for a in self.about("codeAction", range=whole, context={"diagnostics": found, "only": ["quickfix"]}) if a["kind"] == "quickfix"]
            titles = [a["title"] for a in actions]
            assert len(set(titles)) == len(titles), "two actions with one title: %s" % titles
            for action in actions:
                edits = action["edit"]["documentChanges"][0]["edits"]
                assert self.text.edited(edits) != self.text.text, ("an action that changes nothing", action)
            preferred = [a for a in actions if a.get("isPreferred")] or actions
            if not preferred:
                return
            trail.append(preferred[0]["title"])
            text = self.text.edited(preferred[0]["edit"]["documentChanges"][0]["edits"])
            assert text not in seen, "fixes go in a circle: %s" % trail
            seen.add(text)
            self.open(name, text)
        raise AssertionError("60 fixes and no end: %s" % trail)


SHAPES = [None, True, -1, 2**63, 1.5, "", "x" * 300, [], [None], {}, {"uri": 1}, "file:///none.tj", {"line": -1, "character": -1},
          {"line": 2**40, "character": 2**40}, {"start": {}, "end": None}]


def wrong(chance, value, depth=0):
    """The parameters with one or more parts removed or of another shape."""
    if depth and chance.random() < 0.25:
        return chance.choice(SHAPES)
    if isinstance(value, dict):
        return {k: wrong(chance, v, depth + 1) for k, v in value.items() if chance.random() > 0.1}
    if isinstance(value, list):
        return [wrong(chance, v, depth + 1) for v in value]
    return value


def examples(place):
    """Copies the examples; returns the name and the text of each of their files."""
    out = []
    for path in sorted(glob.glob(TOP + "/examples/**/*.tj", recursive=True)):
        name = os.path.relpath(path, TOP + "/examples")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        place.write(name, text)
        out.append((name, text))
    return out


def run_texts(rounds, seed):
    for i in range(rounds):
        for capabilities in (client.CAPABILITIES, dict(client.CAPABILITIES, **OFFERED)):
            place = case.Place(capabilities=capabilities)
            files = examples(place)
            wild = Wild(place, seed + i)
            for name, text in files:
                text = damaged(text, wild.chance)
                try:
                    wild.open(name, text)
                    for _ in range(3):
                        wild.everything()
                    wild.fix_all(name)
                except Exception:
                    print("FAIL round %d of seed %d: %s, %s; its text:\n%r" % (i, seed, name, wild.encoding, wild.text.text))
                    raise
                wild.server.notify("textDocument/didClose", {"textDocument": {"uri": wild.uri}})
            assert place.server.end() == 0, place.server.stderr
            place.close()


def run_shapes(rounds, seed):
    place = case.Place()
    chance = random.Random(seed)
    place.open(case.JOB)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    diagnostics = place.diagnostics()
    right = {"textDocument": {"uri": place.uri(), "version": 2, "text": case.JOB, "languageId": "tj"}, "position": {"line": 9, "character": 8},
             "range": whole, "positions": [{"line": 1, "character": 1}], "newName": "x", "ch": "}", "context": {"diagnostics": diagnostics, "only": ["quickfix"]},
             "options": {"tabSize": 2}, "query": "a", "command": "trainc.preview", "arguments": [place.uri(), {"uri": place.uri()}],
             "contentChanges": [{"text": case.JOB}, {"range": whole, "text": "é"}], "item": {"name": "a", "uri": place.uri(), "range": whole,
             "selectionRange": whole, "data": {"uri": place.uri()}}, "previousResultId": "1", "job": "a", "role": "worker", "index": 0, "text": "kind: Job",
             "uri": place.uri(), "changes": [{"uri": place.uri(), "type": 1}], "event": {"added": [{"uri": "file:///tmp"}], "removed": [{"uri": place.uri("")}]},
             "settings": {"trainc": {"target": "jobset", "kubernetes": "1.34", "diagnostics": "save"}}, "id": 1}
    methods = ["textDocument/" + m for m in AT_POSITION + OF_DOCUMENT + OF_RANGE + ["semanticTokens/full/delta"]] + OWN
    methods += ["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "workspace/symbol", "workspace/executeCommand", "trainc/import", "trainc/source"]
    notes = ["textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose", "workspace/didChangeConfiguration",
             "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders", "$/cancelRequest", "initialized", "unknown/note"]
    for _ in range(rounds * 60):
        if chance.random() < 0.3:
            method = chance.choice(notes)
            place.server.notify(method, wrong(chance, right))
        else:
            method = chance.choice(methods)
            answer = place.server.answer(place.server.ask(method, wrong(chance, right)))
            assert "result" in answer or answer["error"]["code"] in KNOWN and answer["error"]["message"], (method, answer)
    place.server.notify("textDocument/didClose", {"textDocument": {"uri": place.uri()}})
    place.open(case.JOB)
    place.server.notify("workspace/didChangeConfiguration", {"settings": {"trainc": {"diagnostics": "type"}}})
    assert place.server.at("textDocument/hover", place.uri(), (6, 6)), "no hover after all of that"
    assert place.server.end() == 0, place.server.stderr
    place.close()


def main():
    rounds, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 2, int(sys.argv[2]) if len(sys.argv) > 2 else 1
    run_texts(rounds, seed)
    run_shapes(rounds, seed)
    print("2 passed, 0 failed")


main()
