"""pygments_classes.py LIST - the classes that the Pygments lexer gives: FILE.pygments for each file of the list."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../grammar/editors/pygments"))
from pygments.token import Comment, Error, Keyword, Number, Operator, String    # noqa: E402
from tj_lexer import TjLexer                                                    # noqa: E402

CLASSES = ((String.Interpol, "-"), (Comment, "c"), (String, "s"), (Number, "n"), (Keyword, "k"), (Operator, "o"), (Error, "E"))
lexer = TjLexer(stripnl=False, ensurenl=False)
for line in open(sys.argv[1], encoding="utf-8"):
    source, target = line.rstrip("\n").split("\t")
    out = []
    for _, kind, value in lexer.get_tokens_unprocessed(open(source, encoding="utf-8").read()):
        out.append(next((letter for known, letter in CLASSES if kind in known), "-"))
        out[-1] = "".join("\n" if c == "\n" else out[-1] for c in value)
    open(target + ".pygments", "w").write("".join(out))
