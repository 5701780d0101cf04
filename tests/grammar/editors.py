"""editors.py - the committed files for editors are what grammar/editors/generate.py writes; the server's semantic
tokens give each character the class of the compiler's lexer; each snippet is a program.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/lsp"))
sys.path.insert(0, HERE)
import classes  # noqa: E402
import client   # noqa: E402

EDITORS = os.path.join(ROOT, "grammar/editors")
passed = failed = 0


def holds(what, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL %s %s" % (what, detail))


def files_below(directory):
    for where, _, names in os.walk(directory):
        for name in names:
            yield os.path.relpath(os.path.join(where, name), directory)


def generated_files():
    """Every generated file is committed as it is written, and nothing else is beside it."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, os.path.join(EDITORS, "generate.py"), "--output", work], check=True)
        made = set(files_below(work))
        for name in sorted(made):
            path = os.path.join(EDITORS, name)
            want = open(os.path.join(work, name), encoding="utf-8").read()
            holds("grammar/editors/%s is generated" % name, os.path.exists(path) and open(path, encoding="utf-8").read() == want,
                  "run grammar/editors/generate.py")
        done = subprocess.run(["git", "ls-files", "grammar/editors"], capture_output=True, text=True, cwd=ROOT)
        if not done.returncode and done.stdout:
            other = [f for f in done.stdout.split() if f[len("grammar/editors/"):] not in made and "/templates/" not in f
                     and not f.startswith("grammar/editors/vscode/")]         # what make vsix packs is written by hand
            parser = ["generate.py", "tree-sitter/src/node-types.json", "tree-sitter/src/parser.c", "tree-sitter/src/tree_sitter/parser.h"]
            holds("nothing else is committed", sorted(other) == sorted("grammar/editors/" + f for f in parser), other)


def parser_is_current():
    """parser.c is made by another program: it must at least know all words and all rules of grammar.js."""
    text = open(os.path.join(EDITORS, "tree-sitter/src/parser.c"), encoding="utf-8").read()
    names = set(re.findall(r'^  \[\w+\] = "(.*)",$', text, re.M))
    for word in classes.LISTS["RESERVED"] + classes.LISTS["BLOCKS"]:
        holds("parser.c knows '%s'" % word, re.search(r"^  anon_sym_%s = " % word, text, re.M))
    grammar = open(os.path.join(EDITORS, "tree-sitter/grammar.js"), encoding="utf-8").read()
    for rule in re.findall(r"^    ([a-z]\w+): \$ =>", grammar, re.M):
        holds("parser.c has the rule %s" % rule, rule in names)


def placeholders_filled(body):
    text = re.sub(r"\$\{\d+:((?:[^}\\]|\\.)*)\}", r"\1", "\n".join(body))
    text = re.sub(r"\$\{?\d+\}?", "", text)
    return text.replace("\\$", "$").replace("\\}", "}").replace("\\\\", "\\")


def snippets_are_programs():
    table = json.load(open(os.path.join(EDITORS, "snippets.json"), encoding="utf-8"))
    library = subprocess.run(["grep", "-hc", "^framework ", "-r", os.path.join(ROOT, "stdlib/std")], capture_output=True, text=True).stdout
    frameworks = [name for name in table if "." in name]
    holds("each framework of the library has a snippet", len(frameworks) == sum(int(n) for n in library.split()), len(frameworks))
    with tempfile.TemporaryDirectory() as work:
        for name in frameworks:
            path = os.path.join(work, name + ".tj")
            with open(path, "w", encoding="utf-8") as f:
                f.write(placeholders_filled(table[name]["body"]))
            done = subprocess.run([classes.TRAINC, "check", path], capture_output=True, text=True)
            holds("the snippet %s compiles" % name, done.returncode == 0, done.stderr[:400])


LETTERS = {"comment": "c", "string": "s", "number": "n", "keyword": "k", "operator": "o"}


def semantic_classes(text, legend, data):
    """Classes of a text from semantic tokens in UTF-8 columns."""
    lines = [line.encode() for line in text.split("\n")]
    out = [["-"] * len(line) for line in lines]
    line = column = 0
    for i in range(0, len(data), 5):
        line, column = line + data[i], data[i + 1] + (column if data[i] == 0 else 0)
        letter = LETTERS.get(legend[data[i + 3]], "-")
        out[line][column:column + data[i + 2]] = letter * data[i + 2]
    return ["".join(c for c, byte in zip(row, raw) if byte & 0xC0 != 0x80) for row, raw in zip(out, lines)]


# (wanted, given): the word around the character, and why the server may differ from the lexer
PERMITTED = {
    ("o", "-"): (r"", "'=', '->', '..', '?' and '...' are no operators to the server"),
    ("k", "-"): (r"accelerator", "a type where a type is expected"),
    ("-", "k"): (r"job|role|sidecars", "the second word of 'raw job', and names of blocks that are block words"),
}


def permitted(text, i, pair):
    word = re.search(r"\w*$", text[:i]).group(0) + re.match(r"\w*", text[i:]).group(0)
    return pair in PERMITTED and re.fullmatch(PERMITTED[pair][0] or r"\W*|\w*", word)


def semantic_tokens_agree():
    wrong = []
    files = classes.repository()
    lsp = client.Server(ROOT, env={"XDG_CACHE_HOME": tempfile.gettempdir()})
    legend = lsp.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    for path in files:
        text, want = classes.classes(path)
        uri = client.uri(path)
        lsp.open(uri, text)
        answer = lsp.request("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})
        lsp.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        given = "\n".join(semantic_classes(text, legend, answer["data"]))
        for i, char in enumerate(text):
            if not char.isspace() and given[i] != want[i] and not permitted(text, i, (want[i], given[i])):
                wrong.append("%s: offset %d '%s' is %s, not %s" % (path, i, text[i:i + 20].split("\n")[0], given[i], want[i]))
                break
    lsp.end()
    holds("semantic tokens agree with the lexer on %d programs" % len(files), not wrong, "\n".join(wrong[:10]))


generated_files()
parser_is_current()
snippets_are_programs()
if "--no-server" not in sys.argv:
    semantic_tokens_agree()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
