#!/usr/bin/env python3
"""Writes the lists of commands and options in the manual pages from compiler/command/options.def.

    manual.py           write them into docs/*.1
    manual.py --check   status 1 if that would change a page

A page is written by hand, except for the text between `.\\" begin WHAT` and `.\\" end`: `commands` (all commands, by
group), `synopsis` and `options` (those of the commands of the page).  The tests of the command line read the table with
this module, too.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "compiler", "command", "options.def")
SETS = os.path.join(ROOT, "compiler", "command", "options.c")
PAGES = os.path.join(ROOT, "docs")

BLOCK = re.compile(r'(^\.\\" begin (\w+)\n).*?(^\.\\" end\n)', re.M | re.S)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


# ---- the table ----

class Group:
    def __init__(self, name, page, title):
        self.name, self.page, self.title = name, page, title


class Command:
    def __init__(self, name, group, word, operands, least, most, doc):
        self.name, self.group, self.word, self.operands, self.doc = name, group, word, operands, doc
        self.least, self.most = int(least), int(most)


class Option:
    def __init__(self, name, commands, letter, word, argument, choices, doc):
        self.name, self.commands, self.letter, self.word, self.argument, self.doc = name, commands, letter, word, argument, doc
        self.choices = choices.split("|") if choices else []


class Table:
    def __init__(self):
        rows = [(m[1], arguments(m[2])) for m in re.finditer(r"^(GROUP|COMMAND|OPTION|ALSO)\((.*)\)$", read(TABLE), re.M)]
        self.groups = [Group(*row) for kind, row in rows if kind == "GROUP"]
        self.commands = [Command(*row) for kind, row in rows if kind == "COMMAND"]
        self.options = [Option(row[0], self.chosen(row[1]), row[2].strip("'") if row[2] != "0" else "", *row[3:])
                        for kind, row in rows if kind in ("OPTION", "ALSO")]

    def chosen(self, expression):
        """The commands of a set as options.c defines it: ONLY(A) | FOR_B & ~ONLY(C)."""
        macros = dict(re.findall(r"^#define (FOR_\w+) (\(.*\))$", re.sub(r"\\\n\s*", "", read(SETS)), re.M))
        while "FOR_" in expression:
            expression = re.sub(r"FOR_\w+", lambda m: macros[m[0]].replace("~UINT64_C(0)", "-1"), expression)
        for i, command in enumerate(self.commands):
            expression = expression.replace("ONLY(%s)" % command.name, str(1 << i))
        if not re.fullmatch(r"[0-9 ()|&~-]+", expression):
            sys.exit("options.c has a set of commands that is not understood: " + expression)
        bits = eval(expression)
        return [command.name for i, command in enumerate(self.commands) if bits >> i & 1]

    def options_of(self, command):
        return [o for o in self.options if command.name in o.commands]

    def commands_of(self, page):
        group = [g.name for g in self.groups if g.page == page]
        return [c for c in self.commands if c.group in group]


def arguments(text):
    """Of a macro: words, numbers, characters and strings, without their quotes."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|([^",]+)(?:,|$)', text)
    return [bare.strip() if bare.strip() else string.replace('\\"', '"') for string, bare in found if bare.strip() or not bare]


# ---- mdoc ----

def plain(text):
    """A sentence in a line of its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def sentence(doc):
    return plain(doc[0].upper() + doc[1:]) + "."


def macro_word(word):
    return word.replace("-", "\\-")


def operands(spelt):
    """"[TOPIC]", "FILE..." and "[crd FILE...]" as macros."""
    out = []
    for word in spelt.split(" "):
        inside = word.strip("[].").split("|")
        text = " | ".join("Ar " + w if w[0].isupper() else "Cm " + w for w in inside) + (" Ns ..." if "..." in word else "")
        out.append(("Oo " if word.startswith("[") else "") + text + (" Oc" if "]" in word else "") +
                   (" Ns ..." if word.endswith("]...") else ""))
    return " ".join(out).replace("Ns ... Oc Ns ...", "Oc Ns ...")


def item(option):
    head = ".It "
    if option.letter:
        head += "Fl %s , " % option.letter
    head += "Fl \\-%s" % macro_word(option.word)
    if option.choices:
        head += " Cm " + " | ".join(macro_word(c) for c in option.choices)
    elif option.argument:
        head += " Ar " + option.argument
    return "%s\n%s\n" % (head, sentence(option.doc))


def listed(options):
    return ".Bl -tag -width Ds\n%s.El\n" % "".join(item(o) for o in options)


def commands(table, _page):
    out = ""
    for group in table.groups:
        mine = [c for c in table.commands if c.group == group.name]
        out += ".Ss %s\nSee\n.Xr %s 1 .\n.Bl -tag -width Ds\n" % (group.title, group.page)
        for c in mine:
            out += ".It Cm %s%s\n%s\n" % (macro_word(c.word), " " + operands(c.operands) if c.operands else "", sentence(c.doc))
        out += ".El\n"
    return out


def synopsis(table, page):
    out = ""
    for c in table.commands_of(page):
        out += ".Nm trainc %s\n.Op Ar option ...\n" % macro_word(c.word)
        out += ".%s\n" % operands(c.operands) if c.operands else ""
    return out


def options(table, page):
    """By the commands that take them: those of all first."""
    mine = table.commands_of(page)
    sets = {}
    for o in table.options:
        takers = tuple(c.word for c in mine if c.name in o.commands)
        if takers:
            sets.setdefault(takers, []).append(o)
    out = ""
    for takers in sorted(sets, key=lambda t: (len(t) < len(mine), [c.word for c in mine].index(t[0]), -len(t))):
        names = "All commands" if len(takers) == len(mine) > 1 else ", ".join(takers)
        out += ".Ss %s\n%s" % (macro_word(names), listed(sets[takers]))
    return out


MAKERS = {"commands": commands, "synopsis": synopsis, "options": options}


def made(table, page, text):
    return BLOCK.sub(lambda m: m[1] + MAKERS[m[2]](table, page) + m[3], text)


def pages(table):
    return ["trainc"] + [g.page for g in table.groups]


def main():
    table, stale = Table(), []
    for page in pages(table):
        path = os.path.join(PAGES, page + ".1")
        text = read(path)
        new = made(table, page, text)
        if new == text:
            continue
        stale.append(path)
        if "--check" not in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as f:
                f.write(new)
    if stale and "--check" in sys.argv[1:]:
        print("not what options.def says: %s; run 'make docs'" % ", ".join(os.path.relpath(p, ROOT) for p in stale))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
