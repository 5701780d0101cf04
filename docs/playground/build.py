#!/usr/bin/env python3
"""build.py DIRECTORY TRAINC OUTPUT - builds one page that contains the engine, the examples and the mistakes.

DIRECTORY has trainc.wasm and unpack.wasm. The engine and the programs are one stream of LZMA, which is a sixth smaller
than gzip; unpack.wasm (compiler/web/unpack.c) reads it piece by piece while the page arrives. The language server of
TRAINC is asked about the first example, and the page shows its answers until the page's own server has started.
"""
import base64
import glob
import gzip
import json
import lzma
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PIECE = 3 << 14                         # packed bytes, which take about 10 ms to unpack


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def examples():
    """Each program with a job, with the files of its directory."""
    found = []
    for directory in sorted(glob.glob(ROOT + "/examples/*/")):
        files = {os.path.basename(p): read(p) for p in sorted(glob.glob(directory + "*.tj"))}
        files.update({os.path.relpath(p, directory): read(p) for p in sorted(glob.glob(directory + "*/**/*.tj", recursive=True))})
        for name, text in files.items():
            if "\njob \"" in "\n" + text or "\nfor " in text:
                found.append({"title": "%s: %s" % (os.path.basename(directory[:-1]), name), "name": name, "files": files})
    return found


def mistakes():
    """NN-title.tj files beside this one."""
    return [{"title": os.path.basename(p)[3:-3].replace("-", " "), "name": "job.tj", "files": {"job.tj": read(p)}}
            for p in sorted(glob.glob(HERE + "/mistakes/*.tj"))]


def answers(trainc, program):
    """What a page shows of PROGRAM: the kinds of words, where they are, and the objects."""
    at = {"textDocument": {"uri": "file:///playground/1/" + program["name"]}}
    document = {**at["textDocument"], "languageId": "tj", "version": 1, "text": program["files"][program["name"]]}
    asked = [("initialize", {"capabilities": {}, "initializationOptions": {"virtualDocuments": True}}, 1), ("initialized", {}, None), ("textDocument/didOpen", {"textDocument": document}, None),
             ("textDocument/semanticTokens/full", at, 2), ("trainc/preview", at, 3), ("shutdown", None, 4), ("exit", None, None)]
    text = b""
    for method, params, number in asked:
        body = json.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {}),
                           **({"id": number} if number else {})}).encode()
        text += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    said, found = subprocess.run([trainc, "lsp"], input=text, stdout=subprocess.PIPE, check=True).stdout, {}
    while said:
        head, said = said.split(b"\r\n\r\n", 1)
        n = int(head.split(b":")[1])
        one, said = json.loads(said[:n]), said[n:]
        found[one.get("id")] = one.get("result")
    return {"legend": found[1]["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"], "tokens": found[2]["data"], "preview": found[3]}


def pieces(packed):
    """Scripts that hand over PACKED; a browser runs each when it has arrived."""
    return "\n".join('<script>piece("%s")</script>' % base64.b64encode(packed[i:i + PIECE]).decode() for i in range(0, len(packed), PIECE))


def pack(data):
    """Raw LZMA as compiler/web/unpack.c reads it."""
    how = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 3, "lp": 0, "pb": 0, "dict_size": 1 << 22, "nice_len": 273,
           "depth": 2000}
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=[how])


def main():
    directory, trainc, output = sys.argv[1:]
    parts = {}
    for name in ("trainc", "unpack"):
        with open("%s/%s.wasm" % (directory, name), "rb") as f:
            parts[name] = f.read()
    programs = {"examples": examples(), "mistakes": mistakes()}
    first = {**programs["examples"][0], "answers": answers(trainc, programs["examples"][0])}
    data = json.dumps(programs, ensure_ascii=False).encode()
    packed = pack(parts["trainc"] + data)
    texts = {"STYLE": read(HERE + "/style.css"), "ENGINE": read(HERE + "/engine.js"), "WORKER": read(HERE + "/worker.js"),
             "PAGE": read(HERE + "/page.js"), "FIRST": json.dumps(first, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
             "PIECES": pieces(packed), "UNPACK": base64.b64encode(parts["unpack"]).decode(), "PACKED_SIZE": str(len(packed)),
             "SIZE": str(len(parts["trainc"]) + len(data)), "WASM_SIZE": str(len(parts["trainc"]))}
    page = read(HERE + "/page.html")
    for name, text in texts.items():
        page = page.replace("/*%s*/" % name, text)
    with open(output, "w", encoding="utf-8") as f:
        f.write(page)
    size = len(gzip.compress(page.encode(), 9))
    print("%s: %d KB, %d KB over the wire" % (output, len(page) // 1024, size // 1024))


if __name__ == "__main__":
    main()
