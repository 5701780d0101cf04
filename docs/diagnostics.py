#!/usr/bin/env python3
"""Writes docs/diagnostics.md from codes.def, the pages of the diagnostics and their goldens.

    diagnostics.py           write docs/diagnostics.md
    diagnostics.py --check   status 1 if that would change it

The tests of the pages use this module, too.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODES = os.path.join(ROOT, "compiler", "diag", "codes.def")
PAGES = os.path.join(ROOT, "compiler", "diag", "pages")
GOLDENS = os.path.join(ROOT, "tests", "diag", "pages")
DOCUMENT = os.path.join(ROOT, "docs", "diagnostics.md")

# What cannot occur in this version, and why; its page has no programs.
WITHOUT_PROGRAMS = {
    "TJ1201": "it needs a cluster that refuses something",
    "TJ1202": "it needs a cluster in which the object exists",
    "TJ1203": "it needs a cluster in which somebody else has changed a field",
    "TJ1204": "it needs a cluster in which the object exists",
    "TJ1302": "it needs a large directory",
    "TJ1303": "it needs a file that looks like a secret",
    "TJ1304": "it needs a symbolic link",
    "TJ1305": "it needs a file with such a name",
    "TJ1306": "it needs a large directory",
    "TJ1309": "it needs a directory without the file",
    "TJ1311": "it needs a file that changes",
}


def read(path):
    with open(path, encoding="utf-8", newline="") as f:
        return f.read()


class Code:
    """A row of codes.def with the title of its group."""

    def __init__(self, group, name, severity, slug, meaning):
        self.group, self.name, self.severity, self.slug, self.meaning = group, name, severity, slug, meaning


def codes():
    found, group = [], ""
    for line in read(CODES).split("*/", 1)[1].splitlines():
        title = re.match(r"/\* (.*) \*/", line)
        row = re.match(r'DIAG\((\w+), (\w+), "([^"]*)", (".*")\)$', line)
        if title:
            group = title.group(1)
        elif row:
            meaning = re.sub(r"\\(.)", r"\1", row.group(4)[1:-1])
            found.append(Code(group, row.group(1), row.group(2).lower(), row.group(3), meaning))
    return found


class Program:
    """A fence of a page, in the form that compiler/diag/page.h describes."""

    def __init__(self, kind, text):
        self.kind, self.run, self.also, self.files = kind, None, [], {}
        lines = text.split("\n")
        while lines and lines[0].startswith(("# run: ", "# also: ")):
            line = lines.pop(0)
            if line.startswith("# run: "):
                self.run = line[7:].split()
            else:
                self.also = line[8:].split()
        self.text = "\n".join(lines)
        name = self.first()
        for line in lines:
            if line.startswith("# file: "):
                name = line[8:]
            else:
                self.files[name] = self.files.get(name, "") + line + "\n"

    def first(self):
        """The file name of the text before the first `# file:`."""
        return "job.yaml" if self.run and self.run[0] == "import" else "job.tj"

    def words(self):
        """The command line after `trainc`."""
        words = list(self.run or ["check"])
        if words[0].startswith("-"):
            words.insert(0, "check")
        return words if words[-1].endswith((".tj", ".yaml")) else words + [self.first()]


class Page:
    def __init__(self, code):
        self.code, self.parts = code, []
        path = os.path.join(PAGES, code.name + ".md")
        self.exists = os.path.exists(path)
        self.source = read(path) if self.exists else ""
        pieces = re.split(r"^```(?:tj|yaml) (wrong|right)\n(.*?)\n```$", self.source, flags=re.M | re.S)
        for i, piece in enumerate(pieces[::3]):
            if piece.strip():
                self.parts.append(piece.strip("\n"))
            if 3 * i + 1 < len(pieces):
                self.parts.append(Program(pieces[3 * i + 1], pieces[3 * i + 2]))

    def text(self):
        return [p for p in self.parts if isinstance(p, str)]

    def programs(self, kind):
        return [p for p in self.parts if isinstance(p, Program) and p.kind == kind]

    def golden(self, suffix):
        return os.path.join(GOLDENS, "%s.%s" % (self.code.name, suffix))


def pages():
    return [Page(code) for code in codes()]


# Several wrong programs of one page share its goldens.
BETWEEN = "----\n"


def write_program(out, program):
    if program.run:
        out.append("    $ trainc %s\n" % " ".join(program.words()))
    out.append("```%s %s\n%s\n```\n" % ("tj" if program.first().endswith(".tj") else "yaml", program.kind, program.text))


def write_page(out, page):
    code = page.code
    out.append("### %s %s\n" % (code.name, code.slug))
    out.append("**%s:** %s\n" % (code.severity.capitalize(), code.meaning))
    golden = page.golden("diag")
    messages = read(golden).split(BETWEEN) if os.path.exists(golden) else []
    for part in page.parts:
        if isinstance(part, str):
            out.append(part + "\n")
            continue
        out.append("Wrong:\n" if part.kind == "wrong" else "Right:\n")
        write_program(out, part)
        if part.kind == "wrong" and messages:
            out.append("```text\n%s```\n" % messages.pop(0))


HEAD = """# Diagnostics

What `trainc` says about programs, by code. `trainc explain CODE` prints one of these pages. Each wrong program is followed by
what `trainc check` says about it, each right one compiles silently. A warning that is meant so is silenced by
`# allow CODE: reason` on its line or the line above; errors cannot be silenced.

This file is made by `make docs` from `compiler/diag/codes.def` and `compiler/diag/pages`.
"""


def document():
    out, group, every = [HEAD], None, pages()
    for page in every:
        if page.code.group != group:
            group = page.code.group
            out.append("%s## %s\n\n| code | | name | meaning |\n| --- | --- | --- | --- |" % ("\n" if len(out) > 1 else "", group))
        meaning = page.code.meaning.replace("|", "\\|")
        link = re.sub(r"[^a-z0-9-]", "", ("%s-%s" % (page.code.name, page.code.slug)).lower())
        out.append("| [%s](#%s) | %s | %s | %s |" % (page.code.name, link, page.code.severity, page.code.slug, meaning))
    out.append("")
    for page in every:
        if page.code.group != group:
            group = page.code.group
            out.append("## %s in full\n" % group)
        write_page(out, page)
    return "\n".join(out)


def main():
    new, old = document(), read(DOCUMENT) if os.path.exists(DOCUMENT) else ""
    if sys.argv[1:] == ["--check"]:
        if new != old:
            print("docs/diagnostics.md is stale: 'make docs' writes it")
        return 1 if new != old else 0
    if new != old:
        with open(DOCUMENT, "w", encoding="utf-8", newline="") as f:
            f.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
