#!/usr/bin/env python3
"""Draws docs/message.svg and docs/progress.svg from the output of trainc on a terminal.

    pictures.py [TRAINC]           write the pictures
    pictures.py --check [TRAINC]   status 1 if that would change one

The message is about README.md's first program with a misspelled field. The live table is that of
examples/14-ring-regression; its seconds are replaced by 1, because they differ between runs.
"""
import html
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import fcntl
import termios

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "docs")
COLUMNS, WIDTH, HEIGHT, MARGIN = 84, 8.4, 19, 16
ESCAPE = re.compile("\033\\[([0-9;]*)([A-Za-z])")
COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea", "2": "#8b949e", "90": "#8b949e"}
PLAIN = "#e6edf3"


def in_terminal(command, directory, state):
    """What COMMAND writes to a terminal of COLUMNS columns."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CI"):
            os.environ.pop(name, None)
        os.environ.update(TERM="xterm", TRAINC_STATE_DIR=state, LC_ALL="C.UTF-8")
        os.chdir(directory)
        os.execv(command[0], command)
    out = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:         # the end of a terminal on Linux
            more = b""
        if not more:
            break
        out += more
    os.waitpid(pid, 0)
    os.close(fd)
    return out.decode().replace("\r\n", "\n")


def runs_of(line):
    """The line as (text, color, bold) for each stretch of one style."""
    color, bold, at = PLAIN, False, 0
    for escape in ESCAPE.finditer(line):
        if line[at:escape.start()]:
            yield line[at:escape.start()], color, bold
        at = escape.end()
        for code in (escape.group(1) or "0").split(";") if escape.group(2) == "m" else ():
            if code in ("", "0"):
                color, bold = PLAIN, False
            elif code == "1":
                bold = True
            else:
                color = COLORS.get(code, color)
    if line[at:]:
        yield line[at:], color, bold


def drawing(lines):
    height = MARGIN * 2 + HEIGHT * len(lines)
    width = MARGIN * 2 + COLUMNS * WIDTH
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">' % (width, height, width, height),
           '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
           '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">']
    for number, line in enumerate(lines):
        column = 0
        for text, color, bold in runs_of(line):
            shown = text.strip()
            if shown:
                column += len(text) - len(text.lstrip())
                out.append('<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f">%s</text>' % (
                    MARGIN + column * WIDTH, MARGIN + HEIGHT * number + 14, color, ' font-weight="bold"' if bold else "",
                    len(shown) * WIDTH, html.escape(shown, quote=False)))
                column += len(text.lstrip())
            else:
                column += len(text)
    return "\n".join(out + ["</g>", "</svg>", ""])


def message(trainc, work):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        program = re.search(r"^```tj\n(.*?)^```$", f.read(), re.M | re.S).group(1)
    with open(os.path.join(work, "mnist.tj"), "w", encoding="utf-8") as f:
        f.write(program.replace("replicas ", "replcas  ", 1))
    text = in_terminal([trainc, "check", "mnist.tj"], work, work)
    return ["$ trainc check mnist.tj"] + text.rstrip("\n").split("\n")


def progress(trainc, work):
    """The lines of the log up to the last drawing of the table, and that table."""
    text = in_terminal([trainc, "run", "--local", "regression.tj"], os.path.join(ROOT, "examples", "14-ring-regression"), work)
    text = re.sub(r"( ready)(, [0-9.]+ CPUs)?(, [0-9.]+[KMG]i)?", r"\1", text)        # processor time and memory differ between runs
    logs = re.findall("^.*(\033\\[36mworker/0.*)$", text, re.M)
    tables = re.findall("\r(regression  .*?ready)\033\\[K\033\\[J", text, re.S)
    table = re.sub(r"  \d+s\b", "  1s", tables[-1].replace("\033[K", ""))
    return ["$ trainc run --local regression.tj"] + logs + table.split("\n")


def main():
    check = "--check" in sys.argv
    paths = [a for a in sys.argv[1:] if a != "--check"]
    trainc = os.path.abspath(paths[0]) if paths else os.path.join(ROOT, os.environ.get("BUILD", "build"), "trainc")
    status = 0
    for name, lines in (("message", message), ("progress", progress)):
        with tempfile.TemporaryDirectory() as work:
            picture = drawing(lines(trainc, work))
        path = os.path.join(DOCS, name + ".svg")
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if check and old != picture:
            print("docs/%s.svg is not what trainc shows: run docs/pictures.py, and look at it" % name)
            status = 1
        elif old != picture:
            with open(path, "w", encoding="utf-8") as f:
                f.write(picture)
    return status


if __name__ == "__main__":
    sys.exit(main())
