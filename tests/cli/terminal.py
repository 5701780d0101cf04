"""What a terminal shows: nothing is wider than the terminal, and marks are under the text that they refer to.

Each program is checked in a pseudo-terminal of 120, 80 and 40 columns.  Every
line of a snippet must fit, and the text above the mark must be the text that
the first line names by its line and column; columns are counted as a terminal
does it (wide characters take two, marks that combine take none).
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

TRAINC = os.environ["TRAINC"]
HEAD = re.compile(r"^(?:\S+\.tj):(\d+):(\d+): (?:error|warning|note): ")
SNIPPET = re.compile(r"^ +\d+ \| (.*)$")
MARK = re.compile(r"^( +\| )( *)(\^~*)")
COLOUR = re.compile("\033\\[[0-9;]*m")

PROGRAMS = {
    "tabs": 'job "a" {\n\timage = x\n\t\trole w {\tcpu = y,\tmemory\t= z }\n}\n',
    "wide": 'let a = "日本語" + x\nlet b = "한국어テキスト" + y + "全角"\nlet c = "ｆｕｌｌ" + z\n',
    "combining": 'let a = "e\u0301e\u0301" + x\nlet b = "\u0e01\u0e34\u0e19" + y\n',
    "emoji": 'let a = "🚀🎉" + x\nlet b = "🚀" + y + "🎉🎉🎉"\n',
    "long": 'let a = "%s" + x\nlet b = y + "%s"\nlet c = "%s" + z + "%s"\n' % (("w" * 200,) * 4),
    "long-wide": 'let a = "%s" + x\nlet b = y + "%s"\nlet c = "%s" + z + "%s"\n' % (("語" * 100,) * 4),
    "long-tabs": 'let a = "%s"%s + x\n' % ("w" * 60, "\t" * 20),
    "several-lines": 'let a = 1 + {\n  b = 2\n  c = [\n    3\n  ]\n}\nlet d = if 1 == 2 then\n    "x"\n  else\n    [1,\n     2]\n',
    "end": "let a = 1 +\nlet b =\njob \"a\" {",
    "crlf": "let a = x\r\nlet b = y + z\r\n",
}


# values with control sequences of terminals, and the commands that print values
VALUES = 'job "a" { image = "r.example.com/i:1", role w { command = ["x"], cpu = 1, memory = 64Mi, env { A = "\\u{1b}[31m\\u{9b}1m\\u{202e}\\r\\u{e9}" } } }\n'
SHOWS = [("env", "-o", form, "--role", "w", "--index", "0") for form in ("table", "shell", "fish", "dotenv")] + [
    ("env", "-o", "json"), ("compile",), ("compile", "-o", "json"), ("plan",), ("dump", "--ast"), ("dump", "--tokens"), ("dump", "--plan")]


def show(columns, path, words=("check",), **environment):
    """The output of a command, `trainc check` by default, on a terminal of that width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")}
    env.update(TERM="xterm", **environment)
    process = subprocess.Popen([TRAINC, *words, path], stdin=slave, stdout=slave, stderr=slave, env=env, cwd=os.path.dirname(path))
    os.close(slave)
    out = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:         # reading a closed Linux terminal fails this way
            more = b""
        if not more:
            break
        out += more
    os.close(master)
    process.wait(timeout=60)
    return out.decode().replace("\r\n", "\n")


def width(c, column):
    if c == "\t":
        return 8 - column % 8
    if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def columns_of(text):
    column = 0
    for c in text:
        column += width(c, column)
    return column


def at_column(text, wanted):
    """What a terminal shows from that column on."""
    column = 0
    for i, c in enumerate(text):
        if column >= wanted and width(c, column):
            return text[i:]
        column += width(c, column)
    return ""


def problems(name, text, columns, out):
    lines, source = out.split("\n"), text.replace("\r\n", "\n").split("\n")
    marks = 0
    for i, line in enumerate(lines):
        if SNIPPET.match(line) or MARK.match(line):
            if columns_of(line) > columns:
                yield "a line of %d columns: %s" % (columns_of(line), line)
        mark, head = MARK.match(line), HEAD.match(lines[i - 2]) if i > 1 else None
        if not mark:
            continue
        marks += 1
        if not head:
            yield "a mark without its first line: %s" % line
            continue
        meant = source[int(head[1]) - 1][int(head[2]) - 1:]
        seen = at_column(lines[i - 1], columns_of(mark[1] + mark[2]))
        if meant[:1].strip() != seen[:1].strip():
            yield "the mark stands under %r, not under %r" % (seen[:8], meant[:8])
    if not marks:
        yield "nothing is marked"


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in PROGRAMS.items():
            path = os.path.join(folder, name + ".tj")
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(text)
            for columns in (120, 80, 40):
                out = show(columns, path)
                bad = list(problems(name, text, columns, COLOUR.sub("", out)))
                if not COLOUR.search(out):
                    bad.append("no colour on a terminal")
                if COLOUR.search(show(columns, path, NO_COLOR="1")):
                    bad.append("colour in spite of NO_COLOR")
                passed, failed = passed + (not bad), failed + bool(bad)
                for problem in bad:
                    print("FAIL %s, %d columns: %s" % (name, columns, problem))
        path = os.path.join(folder, "values.tj")
        with open(path, "w", encoding="utf-8") as f:
            f.write(VALUES)
        for words in SHOWS:
            raw = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", show(80, path, words))
            passed, failed = passed + (not raw), failed + bool(raw)
            if raw:
                print("FAIL %s sends %r to a terminal" % (" ".join(words), raw[:4]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
