"""indent.py - Vim and the modes of Emacs indent the examples and the smaller modules of the library, starting
without indentation, as `trainc fmt` does."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/grammar"))
import classes  # noqa: E402

EDITORS = os.path.join(ROOT, "grammar/editors")
NEWER = os.path.join(ROOT, os.environ.get("BUILD", "build"), "editors/newer/bin/emacs")
# editor -> its program and the mode
PROGRAMS = {"Vim": ("vim", None), "Emacs": ("emacs", "tj-mode"), "Emacs 30 with tree-sitter": (NEWER, "tj-ts-mode")}


def stripped(path):
    """The text without the indentation of its lines, except inside strings."""
    text, found = classes.classes(path)
    out, at = [], 0
    for line in text.split("\n"):
        out.append(line if found[at:at + 1] == "s" else line.lstrip())
        at += len(line) + 1
    return "\n".join(out)


def indented(editor, paths):
    program, mode = PROGRAMS[editor]
    if editor == "Vim":
        listed = os.path.join(os.path.dirname(paths[0]), "list")
        with open(listed, "w", encoding="utf-8") as f:
            f.write("\n".join(paths) + "\n")
        subprocess.run(["vim", "-es", "-u", "NONE", "-N", "-i", "NONE", "-S", HERE + "/classes/vim_indent.vim"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, EDITORS=EDITORS, LIST=listed), start_new_session=True, timeout=300)
        return
    lines = "".join('(find-file "%s") (indent-region (point-min) (point-max)) (save-buffer) ' % path for path in paths)
    directory = os.path.dirname(paths[0])
    if mode == "tj-ts-mode":
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-I", EDITORS + "/tree-sitter/src", "-o", directory + "/libtree-sitter-tj.so",
                        EDITORS + "/tree-sitter/src/parser.c"], check=True)
    subprocess.run([program, "-Q", "--batch", "-L", EDITORS + "/emacs", "-l", mode, "--eval",
                    '(progn (setq treesit-extra-load-path (list "%s")) %s)' % (directory, lines)], stderr=subprocess.DEVNULL)


def main():
    passed = failed = skipped = 0
    library = [p for p in glob.glob(ROOT + "/stdlib/std/*.tj") if os.path.getsize(p) < 6000]        # Vim takes seconds for larger ones
    sources = sorted(glob.glob(ROOT + "/examples/*/*.tj") + library)
    for editor, (program, _) in PROGRAMS.items():
        if not shutil.which(program):
            print("skip %s is not installed" % editor)
            skipped += 1
            continue
        with tempfile.TemporaryDirectory() as work:
            paths = [os.path.join(work, "%d.tj" % i) for i in range(len(sources))]
            for source, path in zip(sources, paths):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(stripped(source))
            indented(editor, paths)
            for source, path in zip(sources, paths):
                if open(source, encoding="utf-8").read() == open(path, encoding="utf-8").read():
                    passed += 1
                else:
                    failed += 1
                    print("FAIL %s indents %s differently" % (editor, os.path.relpath(source, ROOT)))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped) if skipped else "%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
