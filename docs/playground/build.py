#!/usr/bin/env python3
"""build.py WASM OUTPUT - one page with everything in it: the engine, the examples, the mistakes."""
import base64
import glob
import gzip
import json
import os
import subprocess
import sys

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


def main():
    wasm, output = sys.argv[1:]
    packed = subprocess.run(["zopfli", "--i5", "-c", wasm], check=True, capture_output=True).stdout
    page = read(HERE + "/page.html")
    data = json.dumps({"examples": examples(), "mistakes": mistakes()}, ensure_ascii=False).replace("</", "<\\/")
    page = page.replace("/*ENGINE*/", read(HERE + "/engine.js")).replace("/*STYLE*/", read(HERE + "/style.css"))
    page = page.replace("/*PAGE*/", read(HERE + "/page.js")).replace("/*DATA*/", data).replace("/*WASM*/", base64.b64encode(packed).decode())
    with open(output, "w", encoding="utf-8") as f:
        f.write(page)
    size = len(gzip.compress(page.encode(), 9))
    print("%s: %d KB, %d KB over the wire" % (output, len(page) // 1024, size // 1024))


main()
