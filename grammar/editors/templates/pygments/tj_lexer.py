"""A Pygments lexer for trainc: `pygmentize -x -l tj_lexer.py:TjLexer FILE`."""
from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import (Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace)

__all__ = ["TjLexer"]


class TjLexer(RegexLexer):
    name = "trainc"
    aliases = ["tj", "trainc"]
    filenames = ["*.tj"]

    tokens = {
        "root": [
            include("code"),
            (r"\}", Punctuation),
            (r"\{", Punctuation),
            (r".", Punctuation),
        ],
        "code": [
            (r"\s+", Whitespace),
            (r"##.*", Comment.Special),
            (r"#.*", Comment.Single),
            (r'r"""', String, "raw-block"),
            (r'r"[^"\n]*"?', String),
            (r'"""', String, "block"),
            (r'"', String, "string"),
            (r"{{NUMBER}}", Number),
            (r"\.\.\.?", Operator),
            (r"{{MEMBER}}", Name.Attribute),
            (r"(->)(\s*)(accelerator)\b", bygroups(Operator, Whitespace, Keyword.Type)),
            (r"(:)(\s*)(accelerator)\b", bygroups(Punctuation, Whitespace, Keyword.Type)),
            (r"(->)(\s*)({{TYPES:alt}})\b", bygroups(Operator, Whitespace, Name.Builtin)),
            (r"(:)(\s*)({{TYPES:alt}})\b", bygroups(Punctuation, Whitespace, Name.Builtin)),
            (r"{{BLOCK_WORD}}", Keyword.Reserved),
            (r"{{SOFT_KEY}}", Name.Attribute),
            (r"{{SOFT_BODY}}", Name.Attribute),
            (r"{{CONSTANT}}", Keyword.Constant),
            (r"{{KEYWORD}}", Keyword),
            (r"{{KEY}}", Name.Attribute),
            (r"{{BODY_KEY}}", Name.Attribute),
            (r"{{CALL}}", Name.Function),
            (r"{{VALUE}}", Name.Builtin.Pseudo),
            (r"{{NAME}}", Name),
            (r"{{OPERATOR}}", Operator),
            (r"[()\[\],:]", Punctuation),
        ],
        "braces": [
            (r"\{", Punctuation, "#push"),
            (r"\}", Punctuation, "#pop"),
            include("code"),
            (r".", Punctuation),
        ],
        "raw-block": [(r'"""', String, "#pop"), (r'[^"]+|"', String)],
        "inside": [
            (r"\\(?:u\{[0-9A-Fa-f]*\}|[^\n])", String.Escape),
            (r"\\", String),
            (r"\$\{", String.Interpol, "braces"),
            (r"\$", String),
        ],
        "block": [(r'"""', String, "#pop"), include("inside"), (r'[^"\\$]+|"', String)],
        "string": [(r'"', String, "#pop"), (r"\n", Whitespace, "#pop"), include("inside"), (r'[^"\\$\n]+', String)],
    }
