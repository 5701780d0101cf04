#!/usr/bin/env python3
"""Writes the tables of fields in docs/language.md from grammar/vocabulary.def.

    fields.py           write them
    fields.py --check   status 1 if that would change the document

A table is the text between `<!-- fields of WHAT -->` and `<!-- end -->`.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(ROOT, "docs", "language.md")
TABLE = os.path.join(ROOT, "grammar", "vocabulary.def")
ROW = re.compile(r'^FIELD\((\w+), "([^"]*)", ([^"]*), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)', re.M)
BLOCKS = {"project": "BLOCK_PROJECT", "jobs": "BLOCK_JOB", "roles": "BLOCK_DEFAULTS", "frameworks": "BLOCK_FRAMEWORK",
          "accelerators": "BLOCK_ACCELERATOR"}
DOC = {"BLOCK_FRAMEWORK": ("BLOCK_FRAMEWORK", "BLOCK_FRAMEWORK_ROLE")}


def text(literal):
    return literal.replace('\\"', '"').replace("\\\\", "\\")


def rows(what, table):
    wanted = BLOCKS[what]
    for _, name, blocks, type_, fallback, doc in ROW.findall(table):
        blocks = re.findall(r"\w+", blocks)
        if any(b in DOC.get(wanted, (wanted,)) for b in blocks) and not (what == "frameworks" and "BLOCK_JOB" in blocks):
            default = {"": "", "*": "required"}.get(fallback, "`%s`" % text(fallback))
            yield "| `%s` | `%s` | %s | %s |" % (name, text(type_).replace("|", "\\|"), default, text(doc).replace("|", "\\|"))


def generated(document, table):
    def put(m):
        lines = ["| field | type | default | meaning |", "| --- | --- | --- | --- |", *rows(m.group(2), table)]
        return m.group(1) + "\n".join(lines) + "\n" + m.group(3)
    return re.sub(r"(<!-- fields of (\w+) -->\n).*?(<!-- end -->)", put, document, flags=re.S)


def main():
    with open(DOCUMENT, encoding="utf-8") as f:
        document = f.read()
    with open(TABLE, encoding="utf-8") as f:
        table = f.read()
    made = generated(document, table)
    if made == document:
        return 0
    if "--check" in sys.argv:
        print("docs/language.md: its tables of fields are not what grammar/vocabulary.def says; run 'make docs'")
        return 1
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
