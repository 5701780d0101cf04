#!/usr/bin/env python3
"""page.py - the playground that `make playground` built: its size, what its modules need from a browser, and its first
response.

It runs without node. Chromium, where it is installed, opens the page as a file.
"""
import base64
import gzip
import json
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from chromium import Chromium           # noqa: E402

BUILD = os.environ.get("BUILD", "build")
MOST = 680 * 1024                       # bytes over the wire
EXPORTS = {"memory", "_initialize", "web_alloc", "web_open", "web_file", "web_receive", "web_work"}


class Wasm:
    """The imports and exports of a module."""
    def __init__(self, data):
        self.data, self.at = data, 8
        self.imports, self.exports = [], set()
        assert data[:8] == b"\0asm\1\0\0\0", "not a module"
        while self.at < len(data):
            kind, self.at = data[self.at], self.at + 1
            end = self.number() + self.at
            if kind == 2:
                for _ in range(self.number()):
                    self.imports.append((self.name(), self.name()))
                    assert data[self.at] == 0, "only functions are imported"
                    self.at += 1
                    self.number()
            elif kind == 7:
                for _ in range(self.number()):
                    self.exports.add(self.name())
                    self.at += 1
                    self.number()
            self.at = end

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def name(self):
        n = self.number()
        self.at += n
        return self.data[self.at - n:self.at].decode()


READY = 'data-ready="yes"'


def in_chromium(path):
    """The page's elements once its server has responded, or after a minute."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(profile)
        session = browser.open("file://" + os.path.abspath(path))
        end = time.time() + 60
        while True:
            shown = browser.ask("Runtime.evaluate", session, expression="document.documentElement.outerHTML", returnByValue=True)["result"].get("value", "")
            if READY in shown or time.time() > end:
                break
            time.sleep(0.05)
        browser.end()
    return shown


def main():
    tests, skipped = [], 0

    def holds(what, good, detail=""):
        tests.append(bool(good))
        if not good:
            print("FAIL", what, detail)
    path = BUILD + "/playground/index.html"
    with open(path, encoding="utf-8") as f:
        page = f.read()
    wire = len(gzip.compress(page.encode(), 9))
    holds("less than 680 KB over the wire", wire < MOST, "it is %d KB; `wasm-objdump` and -Wl,-Map= show what is large" % (wire // 1024))
    with open(BUILD + "/wasm/trainc.wasm", "rb") as f:
        module = Wasm(f.read())
    # engine.js answers each function of WASI, mostly with "there are no files".
    more = [i for i in module.imports if i[0] != "wasi_snapshot_preview1" and i != ("env", "web_send")]
    holds("the module asks for nothing that a page lacks", not more, more)
    holds("the module has what engine.js calls", EXPORTS <= module.exports, EXPORTS - module.exports)
    unpack = Wasm(base64.b64decode(re.search(r'UNPACK = "([^"]+)"', page).group(1)))
    holds("the unpacker asks for nothing", not unpack.imports, unpack.imports)
    holds("the unpacker has what page.js calls", {"memory", "web_start", "web_more", "web_room"} <= unpack.exports, unpack.exports)
    urls = re.findall(r'(?:src|href)="(?!data:|#)[^"]*"|url\([^)]*\)|@import|\bfetch\(|XMLHttpRequest', page)
    holds("the page fetches nothing", not urls, urls)
    if shutil.which("chromium"):
        shown = in_chromium(path)
        holds("the page starts", READY in shown, re.findall(r'id="state"[^<]*<?', shown))
        holds("the page shows objects", ">kind</span>" in shown)
    else:
        print("skip the page in a browser: chromium is not installed")
        skipped = 1
    end = ", %d skipped" % skipped if skipped else ""
    print("%d passed, %d failed%s" % (sum(tests), len(tests) - sum(tests), end))
    return not all(tests)


sys.exit(main())
