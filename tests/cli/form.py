"""Every program of the repository has the canonical style, and the formatter restores it.

A program is a tracked .tj file, or a ```tj fence of a document.  For each: fmt leaves it unchanged; with other blanks,
indentation, blank lines and line endings it has the same tree, and fmt restores the text.  A program may be refused
only if a golden, the fence or its page says that it has a syntax error. """
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

TRAINC = os.environ["TRAINC"]
FENCE = re.compile(r"^```tj\b *([^\n]*)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"^# file: (.*)\n", re.M)
MADE = ["docs/diagnostics.md"]          # from pages that are themselves read
SYNTAX = re.compile(r"error: .*\[TJ(01\d\d|030[14])\]$", re.M)       # numbers are read by the scanner


# These files are about formatting.
AS_THEY_ARE = ["tests/types/text_without_quotes.tj", "tests/mistakes/subtracted.tj", "tests/mistakes/midnight_values.tj"]


def run(text, *arguments):
    done = subprocess.run([TRAINC, *arguments, "-"], input=text, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def tracked():
    done = subprocess.run(["git", "ls-files", "*.tj", "*.md"], capture_output=True, text=True)
    if done.returncode == 0 and done.stdout:
        return [path for path in done.stdout.splitlines() if os.path.exists(path)]
    return [p for kind in ("tj", "md") for p in glob.glob("**/*." + kind, recursive=True) if not p.startswith("build")]


def fences(path, document):
    """(name, text, may it have a syntax error?); a fence of a page may hold several files."""
    for m in FENCE.finditer(document):
        name = "%s:%d" % (path, document.count("\n", 0, m.start()) + 1)
        broken = m[1].startswith("error TJ01") or (m[1] == "wrong" and "/TJ01" in path)
        parts = FILE.split("# file: job.tj\n" + m[2])
        for file, text in zip(parts[1::2], parts[2::2]):
            if file.endswith(".tj"):
                yield name, text.encode(), broken


def programs():
    for path in tracked():
        with open(path, "rb") as f:
            text = f.read()
        if path in MADE + AS_THEY_ARE:
            continue
        if path.endswith(".md"):
            yield from fences(path, text.decode())
            continue
        golden = path[:-3] + ".diag"
        diag = open(golden, encoding="utf-8", errors="replace").read() if os.path.exists(golden) else ""
        yield path, text, path.startswith("docs/playground/mistakes/") or bool(SYNTAX.search(diag))


def pieces(text):
    """Code, and strings and comments, which keep every byte."""
    at, start = 0, 0
    while at < len(text):
        if text[at] == "#":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
        elif text[at] == '"':
            end = string_end(text, at)
        else:
            at += 1
            continue
        yield True, text[start:at]
        yield False, text[at:end]
        at = start = end
    yield True, text[start:]


def string_end(text, at):
    raw = at > 0 and text[at - 1] == "r"
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    while not text.startswith(quote, at):
        if not raw and text[at] == "\\":
            at += 2
        elif not raw and text.startswith("${", at):
            at = interpolation_end(text, at + 2)
        else:
            at += 1
    return at + len(quote)


def interpolation_end(text, at):
    depth = 1
    while depth:
        if text[at] == '"':
            at = string_end(text, at)
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def rough(text):
    """The program as somebody in a hurry would have typed it."""
    out = []
    for code, piece in pieces(text):
        if not code:
            out.append(piece)
            continue
        piece = re.sub(r"(?<=[^\s]) +(?=[^\s#])", " \t ", piece)        # not the blanks before a comment
        piece = re.sub(r"\n\n+", "\n\n\n \n", piece)
        piece = re.sub(r"\n +(?=.)", "\n\t   ", piece)
        out.append(piece)
    return "".join(out)


def same_tree(a, b):
    return run(a, "dump", "--ast")[1] == run(b, "dump", "--ast")[1]


def problem(text, broken):
    status, formed, err = run(text, "fmt")
    if status != 0:
        return None if broken and status == 1 and err else err.decode(errors="replace")
    if formed != text:
        return run(text, "fmt", "--diff")[1].decode(errors="replace")
    if b"\r" in text:
        return "it has CR"
    other = rough(text.decode()).encode()
    if not same_tree(text, other):
        return "the tree of the rough text differs:\n" + other.decode()
    back = run(other, "fmt")[1]
    if back != text:
        return "not the same text back:\n" + run(other, "fmt", "--diff")[1].decode(errors="replace")
    dos = run(text.replace(b"\n", b"\r\n"), "fmt")[1]
    return None if dos == text else "CRLF does not become LF"


def main():
    passed, failed = 0, 0
    found = list(programs())
    if "asan" in os.environ.get("BUILD", ""):
        found = found[::4]              # it looks for crashes, for which a few kinds of text are enough
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda one: problem(*one[1:]), found))
    for (name, _, _), why in zip(found, answers):
        if why:
            print("FAIL %s\n%s" % (name, why[:2000]))
        passed, failed = passed + (not why), failed + bool(why)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
