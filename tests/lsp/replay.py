"""replay.py - typing: each example letter by letter, with a fresh server after every hundredth edit; latency; memory.

    replay.py typing     after incremental edits the server reports what a new one reports about the text
    replay.py speed      time of an edit to its diagnostics, and of a completion: processor time of the server
    replay.py memory N   N edits, and the server's memory before and after them
"""
import glob
import os
import random
import resource
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import client

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EVERYTHING = ["documentSymbol", "semanticTokens/full", "foldingRange", "codeLens"]


def ask_all(server, uri, lines):
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
    out = []
    for method in EVERYTHING:
        found = server.request("textDocument/" + method, {"textDocument": {"uri": uri}})
        if isinstance(found, dict):
            found.pop("resultId", None)
        out.append(found)
    out.append(server.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole}))
    return out


def position(text, offset):
    line = text.count("\n", 0, offset)
    return {"line": line, "character": len(text[text.rfind("\n", 0, offset) + 1:offset].encode())}


def type_text(place, name, text, fresh):
    """Types the text, sometimes with a slip that is undone; compares with FRESH after every hundredth edit."""
    chance = random.Random(name)
    server, uri = place.server, place.uri(name)
    server.open(uri, "", 1)
    version, typed, edits, checks, at = 1, "", 0, 0, 0
    while at < len(text):
        slip = chance.random() < 0.02 and typed
        if slip:
            start = chance.randrange(len(typed))
            change = {"range": {"start": position(typed, start), "end": position(typed, start + 1)}, "text": "é😀"[chance.randrange(2)]}
            undo = (start, typed[start])
            typed = typed[:start] + change["text"] + typed[start + 1:]
        else:
            change = {"range": {"start": position(typed, len(typed)), "end": position(typed, len(typed))}, "text": text[at]}
            typed += text[at]
            at += 1
        for _ in range(2 if slip else 1):
            version += 1
            server.change(uri, [change], version)
            edits += 1
            if edits % 100 == 0 or at == len(text):
                diagnostics = server.wait_diagnostics(uri, version)
                fresh.open(uri, typed, version + 10**6 * (1 + checks))
                assert fresh.wait_diagnostics(uri, version + 10**6 * (1 + checks)) == diagnostics, typed[-200:]
                assert ask_all(fresh, uri, 10**4) == ask_all(server, uri, 10**4), typed[-200:]
                fresh.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
                checks += 1
            if slip and _ == 0:
                start, was = undo
                change = {"range": {"start": position(typed, start), "end": position(typed, start + 1)}, "text": was}
                typed = typed[:start] + was + typed[start + 1:]
    assert typed == text
    return edits, checks


def typing():
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(TOP, "examples", "*", "*.tj"))):
        name = os.path.basename(os.path.dirname(path)) + "/" + os.path.basename(path)
        place = case.Place()
        try:
            for other in glob.glob(os.path.join(os.path.dirname(path), "**", "*"), recursive=True):
                if os.path.isfile(other):
                    place.write(os.path.join(os.path.dirname(name), os.path.relpath(other, os.path.dirname(path))), open(other).read())
            fresh = client.Server(root=place.root)
            edits, checks = type_text(place, name, open(path, encoding="utf-8").read(), fresh)
            assert fresh.end() == 0 and place.server.end() == 0
            passed += 1
        except Exception as e:  # noqa: BLE001
            failed += 1
            print("FAIL %s: %s" % (name, str(e)[:500]))
        finally:
            place.close()
    print("%d passed, %d failed" % (passed, failed))
    return failed


# ---- speed ----

def program(lines):
    out, i = "import std.nvidia\nimport std.pytorch\n\n## Nodes.\nparam nodes: int(1..64) = 2\n\n", 0
    while out.count("\n") < lines:
        out += ('## Number %d.\nlet size_%d = %d\n\nfn twice_%d(x: int) -> int = x * 2\n\njob "llm-%d": pytorch.torchrun {\n'
                '  image   = "registry.example.com/llm/trainer:3.2.%d"\n  command = ["torchrun", "train.py", "--lr", "${size_%d}"]\n'
                '  env {\n    LR    = "0.1"\n    STEPS = twice_%d(size_%d)\n  }\n\n  role worker {\n    replicas    = nodes + size_%d\n'
                '    accelerator = nvidia.h100(8)\n    cpu         = 96\n    memory      = 1Ti\n  }\n}\n\n'
                % (i, i, i % 7 + 1, i, i, i, i, i, i, i))
        i += 1
    return out


def processor_ms(pid):
    with open("/proc/%d/schedstat" % pid) as f:
        return int(f.read().split()[0]) / 1e6


def memory_kib(pid):
    with open("/proc/%d/status" % pid) as f:
        return int([line for line in f if line.startswith("VmRSS")][0].split()[1])


def measure(server, action, i):
    """The processor time that the server needs for the action."""
    before = processor_ms(server.process.pid)
    action(i)
    return processor_ms(server.process.pid) - before


def check_ms(path):
    """The processor time of `trainc check` for the file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([os.environ["TRAINC"], "check", path], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def edit_and_complete(lines):
    place = case.Place()
    text = program(lines)
    uri = place.uri("big.tj")
    server = place.server
    server.open(uri, text, 1)
    server.wait_diagnostics(uri, 1)
    middle = text.count("\n") // 2
    spot = {"start": {"line": middle, "character": 0}, "end": {"line": middle, "character": 0}}

    def edit(i):
        server.change(uri, [{"range": spot, "text": "# %d\n" % i}], 2 * i + 2)
        server.wait_diagnostics(uri, 2 * i + 2)
    row = [i for i, line in enumerate(text.split("\n")) if "accelerator" in line][lines // 50]

    def complete(i):
        assert len(server.at("textDocument/completion", uri, (row + 30, 0))["items"]) > 3

    def edit_then_complete(i):
        """Both arrive in one piece, as during typing: the response does not wait for the analysis of the edit."""
        version = 2 * i + 3
        with server.together():
            server.change(uri, [{"range": spot, "text": "# %d\n" % i}], version)
            asked = server.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": {"line": row, "character": 18}})
        server.answer(asked)
        assert server.diagnostics[uri]["version"] < version, "a completion waits for diagnostics"
        server.wait_diagnostics(uri, version)

    path = os.path.join(place.root, "big.tj")
    with open(path, "w") as f:
        f.write(text)
    times = {"edit": [], "both": [], "complete": [], "check": []}
    for i in range(30):                 # alternately, so that all see the same load; the minimum counts
        times["edit"].append(measure(server, edit, i))
        times["both"].append(measure(server, edit_then_complete, i))
        times["complete"].append(measure(server, complete, i))
        times["check"].append(check_ms(path))
    place.close()
    return {name: min(found) for name, found in times.items()}


def speed():
    """A slow machine may take as long as a fresh check of the same text takes there, and a quarter of that for a
    completion."""
    failed = 0
    for lines, limit in ((1000, 5), (10000, 30)):
        best = edit_and_complete(lines)
        behind = max(0, best["both"] - best["edit"])
        edit_limit, complete_limit = max(limit, best["check"]), max(3, best["check"] / 4)
        print("%d lines: edit to diagnostics %.2f ms (limit %.2f), completion %.2f ms, %.2f ms when it follows an edit (limit %.2f); "
              "a fresh check takes %.2f ms" % (lines, best["edit"], edit_limit, best["complete"], behind, complete_limit, best["check"]))
        failed += best["edit"] > edit_limit
        failed += max(best["complete"], behind) > complete_limit
    print("%d passed, %d failed" % (4 - failed, failed))
    return failed


def memory(edits):
    place = case.Place()
    text = program(300)
    uri = place.uri("big.tj")
    server = place.server
    server.open(uri, text, 1)
    server.wait_diagnostics(uri, 1)
    sizes, column = [], 0
    for i in range(edits):
        # a word that grows to ten letters and is deleted again, in the middle of a comment
        word = {"start": {"line": 3, "character": 3}, "end": {"line": 3, "character": 3 + (10 if i % 11 == 10 else 0)}}
        server.change(uri, [{"range": word, "text": "" if i % 11 == 10 else "x"}], 2 + i)
        if i % 50 == 49:
            server.wait_diagnostics(uri, 2 + i)
            server.published.clear()
        if i in (edits // 10, edits - 1):
            server.wait_diagnostics(uri, 2 + i)
            sizes.append(memory_kib(server.process.pid))
    status = server.end()               # a sanitizer that found a leak exits with another status
    place.close()
    print("%d edits: %d KiB after a tenth of them, %d KiB at the end, status %d" % (edits, sizes[0], sizes[1], status))
    flat = sizes[1] <= sizes[0] + 1024 or "asan" in os.environ["BUILD"]     # its quarantine grows, and it reports leaks itself
    print("%d passed, %d failed" % (flat + (status == 0), (not flat) + (status != 0)))
    return not flat or status != 0


if __name__ == "__main__":
    what = sys.argv[1]
    sys.exit(typing() if what == "typing" else speed() if what == "speed" else memory(int(sys.argv[2])))
