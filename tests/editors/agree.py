"""agree.py - each highlighter gives each character the class that the compiler's lexer gives it.  The programs are
the valid ones of the repository and 200 generated ones.  A highlighter that is not installed is skipped by name.
PERMITTED lists the differences that are allowed, with their reasons."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/grammar"))
import classes  # noqa: E402

EDITORS = os.path.join(ROOT, "grammar/editors")
NEWER = os.path.join(ROOT, os.environ.get("BUILD", "build"), "editors/newer/bin")
NODE = os.environ.get("EDITORS_NODE", os.path.join(ROOT, os.environ.get("BUILD", "build"), "editors/node"))

# (highlighter, expression about the line up to the character, reason)
PERMITTED = (
    (".*", r"\bproject\s*\{", "a key named project with a body; 'project {' begins a declaration"),
    ("nano", r"\$\{|\}", "nano knows no nesting: what is in ${ } has the color of the text"),
    ("nano", r"(:|->)\s*accelerator\b", "a type with a default looks like a field that is set"),
    ("nano", r"\bfor\s+\w+(,\s*\w+)?\s+in\b", "a name of a loop that is a word of blocks, too"),
    ("nano", r'^\s*"""', "what follows the end of a text of several lines looks like one more text"),
)
# highlighter -> classes that it shows as other ones, with the reason
ALIKE = {"nano": ({"o": "-"}, "operators have no color")}


def run(command, env=None, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=dict(os.environ, EDITORS=EDITORS, **(env or {})), stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def highlighters(work, listed):
    """Runs every highlighter; (name, suffix or None, message)."""
    here = os.path.join(HERE, "classes")
    env, emacs, newer = {"LIST": listed, "PARSER": work}, ["-Q", "--batch", "-l", here + "/emacs_classes.el"], os.path.join(NEWER, "emacs")
    if os.path.exists(newer):
        run(["cc", "-O1", "-shared", "-fPIC", "-I", EDITORS + "/tree-sitter/src", "-o", work + "/libtree-sitter-tj.so", EDITORS + "/tree-sitter/src/parser.c"])
    commands = [
        ("Pygments", "pygments", ["python3", "-c", "import pygments"], ["python3", here + "/pygments_classes.py", listed], None),
        ("Vim", "vim", ["vim", "--version"], ["vim", "-es", "-u", "NONE", "-N", "-i", "NONE", "-S", here + "/vim_classes.vim"], None),
        ("Neovim", "nvim", ["nvim", "--version"], ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-S", here + "/vim_classes.vim"], None),
        ("Emacs", "tj-mode", ["emacs", "--version"], ["env", "MODE=tj-mode", "emacs"] + emacs, None),
        ("Emacs 30 with tree-sitter", "tj-ts-mode", [newer, "--version"], ["env", "MODE=tj-ts-mode", newer] + emacs, None),
        ("TextMate", "textmate", ["node", "-e", "require(%r + '/node_modules/vscode-textmate')" % NODE],
         ["node", here + "/node_classes.mjs", listed, EDITORS], NODE),
    ]
    for name, suffix, probe, command, cwd in commands:
        if not shutil.which(probe[0]) or run(probe)[0]:
            yield name, None, "is not installed"
            continue
        status, text = run(command, env, cwd)
        yield name, suffix, "status %d: %s" % (status, text[-2000:]) if status else ""
        if name == "TextMate":
            yield "highlight.js", "hljs", ""
    bat = shutil.which("batcat") or shutil.which("bat")
    if not bat:
        yield "bat (Sublime Text)", None, "is not installed"
    else:
        status, text = run(["python3", here + "/bat_classes.py", listed, EDITORS, bat])
        yield "bat (Sublime Text)", "bat", "status %d: %s" % (status, text[-2000:]) if status else ""
    if not shutil.which("nano") or not shutil.which("tmux"):
        yield "nano", None, "is not installed, or tmux is not"
    else:
        status, text = run(["python3", here + "/nano_classes.py", listed, EDITORS])
        yield "nano", "nano", "status %d: %s" % (status, text[-2000:]) if status else ""
    program = os.path.join(work, "sitter")
    if not os.path.exists("/usr/include/tree_sitter/api.h"):
        yield "tree-sitter", None, "is not installed"
        return
    status, text = run(["cc", "-o", program, here + "/sitter_classes.c", EDITORS + "/tree-sitter/src/parser.c", "-I", EDITORS + "/tree-sitter/src", "-ltree-sitter"])
    for name, query in (("tree-sitter", "tree-sitter/queries/highlights.scm"), ("Helix", "helix/queries/tj/highlights.scm"),
                        ("Zed", "zed/languages/tj/highlights.scm")):
        if not status:
            failed, text = run([program, listed, os.path.join(EDITORS, query)])
        yield name, "sitter", text if status or failed else ""
    for query in [] if status else sorted(glob.glob(EDITORS + "/*/**/*.scm", recursive=True)):
        if "/templates/" not in query:
            failed, text = run([program, os.devnull, query])
            yield os.path.relpath(query, EDITORS), "", text if failed else ""


def differences(name, path, text, want, got):
    """Lines that differ, as text; without permitted differences."""
    got_lines, found, alike = got.split("\n"), [], ALIKE.get(name, ({}, ""))[0]
    for number, (line, wanted) in enumerate(zip(text.split("\n"), want.split("\n"))):
        given = got_lines[number] if number < len(got_lines) else ""
        for column, char in enumerate(line):
            if char.isspace() or (given[column:column + 1] or "-") == alike.get(wanted[column], wanted[column]):
                continue
            if any(re.match(who, name) and re.search(what, line[:column + 12]) for who, what, _ in PERMITTED):
                continue
            found.append("%s:%d:%d %s\n  %s\n  %s\n  %s" % (path, number + 1, column + 1, name, line, wanted, given))
            break
    return found


def main():
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as work:
        files = classes.repository() + classes.generated(work, 200)
        wanted = [classes.classes(path) for path in files]
        wanted = [(text, "".join("\n" if c == "\n" else k for c, k in zip(text, out))) for text, out in wanted]
        listed = os.path.join(work, "list")
        with open(listed, "w", encoding="utf-8") as f:
            f.writelines("%s\t%s/%d\n" % (path, work, i) for i, path in enumerate(files))
        for name, suffix, message in highlighters(work, listed):
            if suffix is None:
                print("skip %s %s" % (name, message))
                skipped += 1
                continue
            found = [message] if message else []
            for i, path in enumerate(files if suffix else []):          # a query that is only parsed has no suffix
                out = "%s/%d.%s" % (work, i, suffix)
                if not os.path.exists(out):
                    found.append("%s: %s wrote nothing" % (path, name))
                    continue
                found += differences(name, path, wanted[i][0], wanted[i][1], open(out, encoding="utf-8").read())
            if found:
                failed += 1
                print("FAIL %s: %d differences" % (name, len(found)))
                print("\n".join(found[:int(os.environ.get("SHOW", "8"))]))
            else:
                passed += 1
                print("ok %s" % name + (" on %d programs" % len(files) if suffix else ""))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped) if skipped else "%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
