#!/usr/bin/env python3
"""vsix.py DIRECTORY MODULE - the VS Code extension: two builds give the same bytes, and it contains everything that
its manifest names."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

HOME = "https://trainc.example.com"
BUILD = "grammar/editors/vscode/build.py"


def named(about):
    """The files that the manifest names."""
    parts = about["contributes"]
    paths = [about["main"], about["browser"]] + [x["path"] for x in parts["grammars"] + parts["snippets"]] + [x["configuration"] for x in parts["languages"]]
    paths.append(about["icon"])
    return {"extension/" + re.sub(r"^\./", "", p).removesuffix(".js") + (".js" if p in (about["main"], about["browser"]) else "") for p in paths}


def main():
    directory, module = sys.argv[1:]
    tests = []

    def holds(what, good, detail=""):
        tests.append(bool(good))
        if not good:
            print("FAIL", what, detail)
    with tempfile.TemporaryDirectory() as work:
        made = []
        for name in ("one.vsix", "two.vsix"):
            subprocess.run([sys.executable, BUILD, directory, module, work + "/" + name], check=True, stdout=subprocess.DEVNULL,
                           env=dict(os.environ, TZ="UTC" if name == "one.vsix" else "Asia/Tokyo"))
            with open(work + "/" + name, "rb") as f:
                made.append(f.read())
        holds("two packages are the same bytes", made[0] == made[1])
        subprocess.run([sys.executable, BUILD, directory, module, work + "/home.vsix"], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, HOMEPAGE=HOME))
        with zipfile.ZipFile(work + "/one.vsix") as z:
            names = set(z.namelist())
            about = json.loads(z.read("extension/package.json"))
            holds("what the manifest names is there", named(about) <= names, named(about) - names)
            scripts = {n: z.read(n).decode() for n in ("extension/node.js", "extension/web.js")}
            holds("the one for browsers needs no module of node", not re.findall(r'require\("(?!vscode")', scripts["extension/web.js"]))
            texts = scripts["extension/node.js"] + json.dumps(about)
            for command in [c["command"] for c in about["contributes"]["commands"]]:
                holds("command %s has a program" % command, command in scripts["extension/node.js"])
            size = struct.unpack(">II", z.read("extension/icon.png")[16:24])
            holds("the icon has 128 pixels", size == (128, 128), size)
            holds("the licences of what is inside are there", b"vscode-languageclient" in z.read("extension/THIRD-PARTY.txt"))
            holds("without an address of the project, none is named", "repository" not in about)
            with zipfile.ZipFile(work + "/home.vsix") as other:
                home = json.loads(other.read("extension/package.json"))
            holds("... else it is", home["homepage"] == home["repository"]["url"] == home["bugs"]["url"] == HOME, home)
            holds("no path of this machine is in it", os.getcwd() not in texts)
    with open("grammar/editors/vscode/node/package-lock.json", encoding="utf-8") as f:
        holds("the lock file names no host", '"resolved": "http' not in f.read())
    print("%d passed, %d failed" % (sum(tests), len(tests) - sum(tests)))
    return not all(tests)


sys.exit(main())
