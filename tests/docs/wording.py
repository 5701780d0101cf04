"""What users read is in plain English: phrases that make a reader stumble are refused.

    wording.py             check messages, help, documents, the library's documentation and comments
    wording.py --counts    print how many such phrases the comments of each folder have

Comments of C files that are not rewritten yet have an allowance per folder, in wording.allowed; it may only shrink.
"""
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# phrase, what to write instead
PHRASES = [
    (r"\b(?:is|are|was|were|be|been) told\b", "reported"), (r"\bunless told\b", "by default"), (r"\btold of\b", "reported"),
    (r"\bstands? (?:in|on|behind|before|beside|for|there|first|alone|at|under|above|between|with)\b", "is in, follows, appears"),
    (r"\bstands? (?:in its|in their) place\b", "replaces"),
    (r"\b(?:is|are) no (?!longer|more\b|way\b|less|lower|larger|greater|earlier|later|other|doubt|point)[a-z]+", "is not a"),
    (r"\banew\b", "again"), (r"\bwithout a word\b", "silently"), (r"\bfor ever\b", "forever"),
    (r"\bthat there (?:is|are)\b", "leave it out"), (r"\bnobody (?!else)", "nothing, no controller, unknown"),
    (r"\b(?:is|has) become of\b", "the state of"), (r"\bmend(?:ed|s)?\b(?!\.)", "fix"), (r"\bis there already\b", "already exists"),
    (r"\bpaid for\b", "you pay for"), (r"\bare the most\b", "at most"), (r"\bcome so far\b", "reach a state"),
    (r"\bthat is up to you\b", "do this yourself:"), (r"\bneeds a (?:list|map) of\b", "expects"), (r"\bcolour\b", "color"),
]
PATTERN = re.compile("|".join("(%s)" % p for p, _ in PHRASES))
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")


def tracked(*paths):
    return subprocess.run(["git", "ls-files", *paths], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def comments_and_strings(text):
    """The comments and the string literals of a C text, as (line, kind, words)."""
    token = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
    for m in token.finditer(text):
        kind = "comment" if m.group(0).startswith("/*") else "string" if m.group(0)[0] == '"' else None
        if kind:
            yield text.count("\n", 0, m.start()) + 1, kind, m.group(0)


def prose(path, text):
    """The prose in a file, line by line: everything except programs, and of a program its documentation."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if path.endswith(".md"):
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced and not line.startswith("    "):
                yield number, line
        elif path.endswith(".tj"):
            if "#" in line or "else \"" in line:
                yield number, line
        else:
            yield number, line


def faults(number, words):
    for m in PATTERN.finditer(QUOTED.sub(lambda q: " " * len(q.group(0)), words)):
        yield number + words.count("\n", 0, m.start()), m.group(0), PHRASES[next(i for i, g in enumerate(m.groups()) if g)][1]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def main():
    found, comments = [], collections.Counter()
    for path in tracked("compiler/*.[ch]", "compiler/*.def", "runtime/*.[ch]", "grammar/*.def"):
        for line, kind, words in comments_and_strings(read(path)):
            if kind == "comment":
                comments[os.path.dirname(path)] += sum(1 for _ in faults(line, words))
            elif " " in words:
                found += [(path, *f) for f in faults(line, words[1:-1])]
    generated = {"docs/diagnostics.md", "docs/frameworks.md"}
    for path in tracked("*.md", "docs/*.py", "stdlib/*.tj", "examples/*.tj"):
        if path not in generated and not path.startswith("tests/"):
            for number, line in prose(path, read(path)):
                found += [(path, *f) for f in faults(number, line)]
    if "--counts" in sys.argv:
        print("".join("%s %d\n" % c for c in sorted(comments.items()) if c[1]), end="")
        return 0
    allowed = dict(line.split() for line in read("tests/docs/wording.allowed").splitlines() if line and not line.startswith("#"))
    for path, line, phrase, instead in found:
        print("FAIL %s:%d: '%s': write %s" % (path, line, phrase, instead))
    failed = len(found)
    for folder, count in sorted(comments.items()):
        if count > int(allowed.get(folder, 0)):
            failed += 1
            print("FAIL %s: its comments have %d such phrases, and %s are allowed: see wording.py" % (folder, count, allowed.get(folder, "none")))
    print("%d passed, %d failed" % (len(PHRASES) if not failed else 0, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
