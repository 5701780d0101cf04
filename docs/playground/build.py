#!/usr/bin/env python3
"""build.py DIRECTORY OUTPUT - one page with everything in it: the engine, the examples, the mistakes.

DIRECTORY has trainc.wasm and unpack.wasm. The engine and the programs are LZMA, which is a sixth smaller than gzip, in two
streams for two threads; unpack.wasm (compiler/web/unpack.c) reads them.
"""
import base64
import glob
import gzip
import json
import lzma
import os
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


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


def pack(data):
    """Raw LZMA as compiler/web/unpack.c reads it."""
    how = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 3, "lp": 0, "pb": 0, "dict_size": 1 << 22, "nice_len": 273,
           "depth": 2000}
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=[how])


def halves(data):
    """Two streams that take about the same time to unpack, which depends on their own size, and the sizes of what they hold."""
    low, high = 0, len(data)
    while high - low > len(data) // 100:
        middle = (low + high) // 2
        first, second = (len(zlib.compress(part, 6)) for part in (data[:middle], data[middle:]))
        low, high = (middle, high) if first < second else (low, middle)
    return (pack(data[:middle]), pack(data[middle:])), (middle, len(data) - middle)


def main():
    directory, output = sys.argv[1:]
    parts = {}
    for name in ("trainc", "unpack"):
        with open("%s/%s.wasm" % (directory, name), "rb") as f:
            parts[name] = f.read()
    programs = {"examples": examples(), "mistakes": mistakes()}
    data = json.dumps(programs, ensure_ascii=False).encode()
    streams, sizes = halves(parts["trainc"] + data)
    texts = {"STYLE": read(HERE + "/style.css"), "ENGINE": read(HERE + "/engine.js"), "WORKER": read(HERE + "/worker.js"),
             "PAGE": read(HERE + "/page.js"), "FIRST": json.dumps(programs["examples"][0]).replace("<", "\\u003c"),
             "PACKED_0": base64.b64encode(streams[0]).decode(), "PACKED_1": base64.b64encode(streams[1]).decode(),
             "UNPACK": base64.b64encode(parts["unpack"]).decode(), "SIZES": json.dumps(sizes), "WASM_SIZE": str(len(parts["trainc"]))}
    page = read(HERE + "/page.html")
    for name, text in texts.items():
        page = page.replace("/*%s*/" % name, text)
    with open(output, "w", encoding="utf-8") as f:
        f.write(page)
    size = len(gzip.compress(page.encode(), 9))
    print("%s: %d KB, %d KB over the wire" % (output, len(page) // 1024, size // 1024))


if __name__ == "__main__":
    main()
