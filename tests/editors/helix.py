#!/usr/bin/env python3
"""helix.py BIN [PICTURES] - Helix as a client of `trainc lsp`, in a terminal of tmux; BIN is its directory.

The configuration is the committed one: languages.toml, the queries, and the parser compiled as `hx --grammar build`
would. """
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EDITORS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "grammar/editors")
TRAINC = os.path.abspath(os.environ.get("TRAINC", "build/trainc"))
SECONDS = 20                            # until a screen shows the expected text
PROGRAM = """import std.nvidia
import std.pytorch

job "a": pytorch.torchrun {
  image   = "registry.example.com/a:1"
  command = ["torchrun", "train.py"]
  role worker {
    accelerator = nvidia.h100(8)
    memroy      = 64Gi
    replicas    = 2
  }
}
"""
tests = []


def holds(what, good, detail=""):
    tests.append(bool(good))
    if not good:
        print("FAIL", what, detail)


class Terminal:
    """A terminal of a separate tmux server."""
    def __init__(self, home, command):
        self.tmux = ["tmux", "-S", home + "/tmux"]
        self.environment = dict(os.environ, HOME=home, TERM="xterm-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8",
                                XDG_CONFIG_HOME=home + "/.config", XDG_CACHE_HOME=home + "/.cache")
        self.environment.pop("TMUX", None)
        subprocess.run(self.tmux + ["-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "40", command], env=self.environment, check=True)

    def keys(self, *keys):
        for key in keys:
            subprocess.run(self.tmux + ["send-keys", key], env=self.environment, check=True)
            time.sleep(0.15)  # as fast as somebody types

    def type(self, text):
        subprocess.run(self.tmux + ["send-keys", "-l", text], env=self.environment, check=True)

    def screen(self, colors=False):
        return subprocess.run(self.tmux + ["capture-pane", "-p"] + ["-e"] * colors, env=self.environment, capture_output=True, text=True).stdout

    def shows(self, pattern):
        end = time.time() + SECONDS
        while time.time() < end:
            if re.search(pattern, self.screen()):
                return True
            time.sleep(0.1)
        return False

    def close(self):
        subprocess.run(self.tmux + ["kill-server"], env=self.environment, stderr=subprocess.DEVNULL)


def configure(home, binary):
    runtime = home + "/.config/helix/runtime"
    os.makedirs(runtime + "/queries")
    os.makedirs(runtime + "/grammars")
    os.makedirs(home + "/bin")
    os.symlink(TRAINC, home + "/bin/trainc")
    os.environ["PATH"] = "%s:%s/bin:%s" % (binary, home, os.environ["PATH"])
    shutil.copy(EDITORS + "/helix/languages.toml", home + "/.config/helix/languages.toml")
    with open(home + "/.config/helix/config.toml", "w") as f:
        f.write('[editor.lsp]\ndisplay-inlay-hints = true\n')
    shutil.copytree(EDITORS + "/helix/queries/tj", runtime + "/queries/tj")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-I", EDITORS + "/tree-sitter/src", "-o", runtime + "/grammars/tj.so",
                    EDITORS + "/tree-sitter/src/parser.c"], check=True)


def health(home):
    out = subprocess.run(["hx", "--health", "tj"], env=dict(os.environ, HOME=home, XDG_CONFIG_HOME=home + "/.config"),
                         capture_output=True, text=True).stdout
    out = re.sub(r"\x1b\[[0-9;]*m", "", out)
    holds("health: the server is found", re.search(r"✓ trainc: .*/bin/trainc", out), out)
    for what in ("Tree-sitter parser", "Highlight queries", "Textobject queries", "Indent queries"):
        holds("health: " + what, what + ": ✓" in out, out)


def colors_of(line):
    return {m for m in re.findall(r"\x1b\[[0-9;]*?(38[;:][0-9;:]+)m", line)}


def edit(home, path):
    terminal = Terminal(home, "hx " + path)
    try:
        holds("the mistake is shown", terminal.shows("unknown field 'memroy'") or terminal.shows("memroy.*●|● *.*memroy"), terminal.screen())
        line = [x for x in terminal.screen(True).split("\n") if "nvidia" in x and "h100" in x]
        holds("words of one line have several colors", line and len(colors_of(line[0])) >= 3, line)
        terminal.keys("9", "g", "g", "g", "s", "w", "Space", "a")       # the line, its first word, code actions
        holds("quick fixes are offered", terminal.shows("memory"), terminal.screen())
        terminal.keys("Enter")
        holds("the fix is applied", terminal.shows(r"memory +=? *= 64Gi"), terminal.screen())
        holds("inlay hints", terminal.shows("16 devices"), terminal.screen())
        terminal.keys("8", "g", "g", "g", "s", "Space", "k")
        holds("hover", terminal.shows("Devices of each replica|accelerator: "), terminal.screen())
        terminal.keys("Escape", "o")
        terminal.type("retr")
        holds("completion", terminal.shows(r"retries +"), terminal.screen())
        terminal.keys("Escape", "u", "Space", "s")
        holds("outline", terminal.shows("worker"), terminal.screen())
    finally:
        terminal.close()


def main():
    with tempfile.TemporaryDirectory() as home:
        home = os.path.realpath(home)
        configure(home, os.path.abspath(sys.argv[1]))
        health(home)
        path = home + "/job.tj"
        with open(path, "w") as f:
            f.write(PROGRAM)
        edit(home, path)
    print("%d passed, %d failed" % (sum(tests), len(tests) - sum(tests)))
    return not all(tests)


sys.exit(main())
