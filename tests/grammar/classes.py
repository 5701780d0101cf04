"""classes.py - the class that the compiler's lexer gives to each character of a program.

A class is one letter: c comment, s text, n number, k reserved word or block word, o operator, - anything else.
A key or a member does not count as a word: `job = 1` sets a field, `x.job` reads one. White space is not compared.
"""
import glob
import json
import os
import random
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRAINC = os.environ.get("TRAINC", os.path.join(ROOT, "build/trainc"))
LISTS = json.load(open(os.path.join(ROOT, "grammar/editors/vocabulary.json")))
OPERATORS = "= == != < <= > >= + += - -> * / // % ? ?? .. ...".split()


def tokens_of(path, text):
    """(offset, kind, text) of each token, and whether the file is sound."""
    done = subprocess.run([TRAINC, "dump", "--tokens", path], capture_output=True)
    starts, at = [0], 0
    for line in text.split("\n"):
        at += len(line) + 1
        starts.append(at)
    found = []
    for line in done.stdout.decode().split("\n"):
        match = re.match(r"(\d+):(\d+) (\w+)(?: (\".*\"))?$", line)
        if match and match.group(4):
            found.append((starts[int(match.group(1)) - 1] + int(match.group(2)) - 1, match.group(3), json.loads(match.group(4))))
    return found


def sound(path):
    """Whether the file has no syntax error: only then the kind of each token is certain."""
    return subprocess.run([TRAINC, "dump", "--ast", path], capture_output=True).returncode == 0


def word_is_key(found, i):
    """Whether the reserved word found[i] is a key or a member."""
    text = found[i][2]
    before = found[i - 1][2] if i else ""
    after = found[i + 1][2] if i + 1 < len(found) else ""
    if before == ".":
        return True
    if text not in LISTS["SOFT"] or (text == "accelerator" and before in (":", "->")):
        return False
    return after in ("=", "+=", ":") or (after == "{" and text in LISTS["SOFT_BLOCKS"])


def class_of(found, i):
    _, kind, text = found[i]
    if kind == "WORD":
        return "-" if word_is_key(found, i) else "k"
    if kind == "IDENT" and text in LISTS["BLOCKS"] and i + 2 < len(found) and found[i + 2][2] == "{" \
            and re.fullmatch(r"[A-Za-z_]\w*", found[i + 1][2]) and (not i or found[i - 1][2] != "."):
        return "k"
    if kind in ("STRING", "STR_OPEN", "STR_TEXT", "STR_CLOSE"):
        return "s"
    if kind in ("INT", "FLOAT", "QUANTITY", "TOPOLOGY", "BAD"):
        return "n"
    return "o" if text in OPERATORS else "-"


def classes(path):
    """The text of a file, and its classes as a text of the same length."""
    text = open(path, encoding="utf-8", newline="").read()
    out, found, at = ["-"] * len(text), tokens_of(path, text), 0
    for i in range(len(found) + 1):
        start = found[i][0] if i < len(found) else len(text)
        gap = text.find("#", at, start)
        while 0 <= gap < start:                 # everything between tokens is a comment
            end = text.find("\n", gap)
            end = len(text) if end < 0 else end
            out[gap:end] = "c" * (end - gap)
            gap = text.find("#", end, start)
        if i < len(found):
            at = start + len(found[i][2])
            out[start:at] = class_of(found, i) * len(found[i][2])
    return text, "".join(out)


# ---- programs for the comparison ----

def repository():
    """Sound files of the repository, with LF at their line ends."""
    files = sorted(glob.glob(ROOT + "/**/*.tj", recursive=True))
    found = []
    for path in files:
        if "/build" in path[len(ROOT):]:
            continue
        data = open(path, "rb").read()
        if b"\r" not in data and data.isascii() | (b"\xef\xbb\xbf" not in data) and sound(path):
            found.append(path)
    return found


class Writer:
    """Programs that parse, made of everything that a highlighter may get wrong."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, *choices):
        return self.random.choice(choices)

    def name(self):
        return self.one("a", "x1", "worker", "_own", "memory", "image", "rolex", "jobs", "r", "in_", "accelerator_", "done", "k8s")

    def key(self):
        return self.random.choice(LISTS["SOFT"] + LISTS["FIELDS"] + ["a", "b2", '"quoted key"', "(x)"])

    def number(self):
        return self.one("0", "8", "1_000", "0o644", "0.5", "3e-4", "1.5Gi", "500m", "30min", "2x2x4", "1e6", "12E+3", "64Gi")

    def string(self, depth):
        inside = "".join(self.one("text ", "# no comment ", "\\\"", "\\\\", "\\n", "$", "it's ", "{", "}", "é中 ", "job ", "${") for _ in
                         range(self.random.randrange(5))).replace("${", "${%s}" % self.expression(depth - 1) if depth > 0 else "x")
        return self.one('"%s"' % inside, '"%s"' % inside, 'r"[a-z]+\\d"', 'r"\\"', '""', '"""\n  %s\n  "q" and ""\n  """' % inside,
                        'r"""\n  \\ ${no} "x"\n  """')

    def fill(self, depth, *patterns):
        """Fills one of the patterns, in which E is an expression, B a body, T a type, K a key, N a name, S a string, R a reserved word, # a number."""
        made = {"E": lambda: self.expression(depth - 1), "B": lambda: self.body(depth - 1), "T": self.type, "K": self.key, "N": self.name,
                "S": lambda: self.string(depth), "R": lambda: self.random.choice(LISTS["RESERVED"]), "#": self.number,
                "F": lambda: self.random.choice(LISTS["FUNCTIONS"]), "W": lambda: self.random.choice(LISTS["BLOCKS"]),
                "P": lambda: self.random.choice(LISTS["SOFT"])}
        return re.sub(r"%([EBTKNSRFWP#])", lambda m: made[m.group(1)](), self.one(*patterns))

    def expression(self, depth):
        if depth <= 0:
            return self.one(self.name(), self.number(), self.random.choice(LISTS["CONSTANTS"]), "self", "pod.index")
        return self.fill(depth, "%S", "%N.%R", "%N.role", "%F(%E, %N = %E)", "[%E, %E]", "[%E for i, x in xs if x != none]", "(%E)", "(%N + %N)", "(%N // %N)",
                         "{ %K = %E, %K { a = 1 } }", "(if %E then %E else %E)", "(not (%E) and %N or %N)", "%N[%E]", "(1..%#)", "(%N ?? %E)", "-%N", "(%N <= %N)",
                         "(%N not in %N)", "(%N % %N)")

    def type(self):
        return self.one("int", "int(1..64)", "list[string](1..)", "accelerator", "accelerator?", "map[port]", "memory?", 'enum("a", "b")', "pod[string]")

    def item(self, depth):
        if depth <= 0:
            return self.fill(1, "%K = %E")
        return self.fill(depth, "%K = %E", "%K += [%E]", "%K %B", "%P: %T", "%N: %T = %E", "%W %N %B", "raw job %B", "...%N", "let %N = %E", "check %E else %S",
                         "if %N == none %B else %B", "for x in xs %B", "%N = 1  # a comment with \"quotes\" and ${x}")

    def body(self, depth):
        items = [self.item(depth) for _ in range(self.random.randrange(4))]
        if items and not any("\n" in i or "#" in i for i in items) and self.one(True, False):
            return "{ %s }" % ", ".join(items)
        return "{\n%s}" % "".join(i + "\n" for i in items)

    def declaration(self):
        return self.fill(3, "import std.pytorch", "import std.a.type as b", 'import "f.tj" as f', "## Documents.\nparam %N: %T = %E", "let %N = %E",
                         "fn f(a: int, b: %T = %E) -> %T = %E", "type T %B", "type U = %T", "framework f(a: %T) %B", "framework g: std.f(x = 1) %B",
                         "accelerator d(count: int) %B", "profile p: q %B", 'job "a-${x}": f.g(%E) %B', 'test "t" %B', 'policy "p" %B', "project %B",
                         'for x in xs if x > 1 job "s" %B', "# comment\n", "warn %E else %S")

    def program(self):
        return "\n".join(self.declaration() for _ in range(self.random.randrange(1, 8))) + "\n"


def generated(directory, n):
    """N sound programs, as files."""
    found, seed = [], 0
    while len(found) < n:
        path = os.path.join(directory, "g%03d.tj" % len(found))
        with open(path, "w", encoding="utf-8") as f:
            f.write(Writer(seed).program())
        seed += 1
        if sound(path):
            found.append(path)
        assert seed < 50 * n, "too few of the generated programs are sound"
    return found
