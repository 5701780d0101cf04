"""nano_classes.py LIST EDITORS - the classes that nano's rules give, as its screen shows them: FILE.nano for each file
of the list.

nano runs in a terminal of tmux that is large enough for the largest file. It has all files open, and M-. goes to the
next. """
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

LETTERS = {"32": "k", "33": "s", "35": "n", "36": "c"}          # the colors of tj.nanorc; operators have none
SECONDS = 60                            # until the screen shows a file
TAB = 8


def lines_of(text):
    return [line.rstrip() for line in text.expandtabs(TAB).rstrip("\n").split("\n")]


def classes(shown, text):
    """The letter of each character of the file, from a screen with color codes."""
    rows, letter = [], "-"              # a color continues on the next line
    for line in shown.split("\n"):
        row = ""
        for codes, words in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", line):
            if words:
                row += letter * len(words)
            else:
                letter = LETTERS.get(codes.split(";")[-1], "-")
        rows.append(row)
    out = []
    for row, line in zip(rows + [""] * text.count("\n"), text.split("\n")):
        at, letters = 0, ""
        for char in line:
            letters += row[at:at + 1] or "-"
            at += TAB - at % TAB if char == "\t" else 1
        out.append(letters)
    return "\n".join(out)


def main():
    listed, editors = sys.argv[1:]
    with open(listed, encoding="utf-8") as f:
        entries = [line.rstrip("\n").split("\t") for line in f]
    texts = []
    for source, _ in entries:
        with open(source, encoding="utf-8") as f:
            texts.append(f.read())
    high = max(len(lines_of(text)) for text in texts) + 3
    wide = max(len(line) for text in texts for line in lines_of(text)) * 2 + 3      # a character may be two columns wide
    with tempfile.TemporaryDirectory() as work:
        tmux = ["tmux", "-S", work + "/tmux"]
        environment = dict(os.environ, HOME=work, TERM="xterm", LC_ALL="C.UTF-8")
        for name in ("TMUX", "NO_COLOR", "COLORTERM"):
            environment.pop(name, None)

        def ask(*words):
            return subprocess.run(tmux + list(words), env=environment, capture_output=True, text=True, check=True).stdout
        with open(work + "/start", "w", encoding="utf-8") as f:        # tmux does not accept that many names
            words = ["nano", "--rcfile=%s/nano/tj.nanorc" % editors, "-0", "-v", "-T%d" % TAB] + [source for source, _ in entries]
            f.write("exec " + " ".join(shlex.quote(word) for word in words))
        ask("-f", "/dev/null", "new-session", "-d", "-x", str(wide), "-y", str(high), "sh " + work + "/start")
        try:
            for (source, target), text in zip(entries, texts):
                end = time.time() + SECONDS
                while lines_of(ask("capture-pane", "-p")) != lines_of(text):
                    assert time.time() < end, "nano does not show %s but:\n%s" % (source, ask("capture-pane", "-p").rstrip())
                    time.sleep(0.02)
                with open(target + ".nano", "w", encoding="utf-8") as f:
                    f.write(classes(ask("capture-pane", "-p", "-e"), text))
                ask("send-keys", "M-.")
        finally:
            ask("kill-server")


main()
