#!/usr/bin/env python3
"""parser.py TREE_SITTER - the committed parser equals, byte for byte, what tree-sitter generates from grammar.js."""
import os
import shutil
import subprocess
import sys
import tempfile

SITTER = "grammar/editors/tree-sitter"
FILES = ("src/parser.c", "src/node-types.json", "src/tree_sitter/parser.h")


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in ("grammar.js", "package.json"):
            shutil.copy(os.path.join(SITTER, name), work)
        subprocess.run([os.path.abspath(sys.argv[1]), "generate", "--abi", "14", "--no-bindings", "grammar.js"], cwd=work, check=True,
                       env=dict(os.environ, HOME=work))
        for name in FILES:
            with open(os.path.join(SITTER, name), "rb") as committed, open(os.path.join(work, name), "rb") as made:
                if committed.read() != made.read():
                    failed += 1
                    print("FAIL %s/%s is stale: run make editors" % (SITTER, name))
    print("%d passed, %d failed" % (len(FILES) - failed, failed))
    return failed != 0


sys.exit(main())
