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
            (r"\b(?:[0-9][0-9_]*(?:\.[0-9][0-9_]*)?[eE][+-][0-9]\w*|[0-9]\w*(?:\.[0-9]\w*)*)", Number),
            (r"\.\.\.?", Operator),
            (r"\.\s*[A-Za-z_]\w*", Name.Attribute),
            (r"(->)(\s*)(accelerator)\b", bygroups(Operator, Whitespace, Keyword.Type)),
            (r"(:)(\s*)(accelerator)\b", bygroups(Punctuation, Whitespace, Keyword.Type)),
            (r"(->)(\s*)(bool|int|float|string|cpu|memory|duration|topology|range|elastic|image|name|path|port|accelerator|volume|condition|role|data|enum|list|map|pod|secret|Role|Sidecar)\b", bygroups(Operator, Whitespace, Name.Builtin)),
            (r"(:)(\s*)(bool|int|float|string|cpu|memory|duration|topology|range|elastic|image|name|path|port|accelerator|volume|condition|role|data|enum|list|map|pod|secret|Role|Sidecar)\b", bygroups(Punctuation, Whitespace, Name.Builtin)),
            (r"\b(?:role|aux|cell|sidecar|init|raw|object)\b(?=\s+[A-Za-z_]\w*\s*\{)", Keyword.Reserved),
            (r"\b(?:import|as|param|fn|type|framework|accelerator|job|profile|test|policy|project|not|true|false|none)\b(?=\s*(?:=(?!=)|\+=|:))", Name.Attribute),
            (r"\b(?:import|as|param|fn|type|framework|accelerator|job|profile|test|policy)\b(?=\s*\{)", Name.Attribute),
            (r"\b(?:true|false|none)\b", Keyword.Constant),
            (r"\b(?:import|as|param|let|fn|type|project|policy|framework|accelerator|job|profile|test|check|warn|if|then|else|for|in|and|or|not)\b", Keyword),
            (r"\b[A-Za-z_]\w*(?=\s*(?:=(?!=)|\+=|:))", Name.Attribute),
            (r"\b[A-Za-z_]\w*(?=\s*\{)", Name.Attribute),
            (r"\b(?:len|range|sum|product|min|max|sorted|unique|flatten|find|abs|ceil_div|round|float|int|str|join|split|lines|replace|trim|pad|cut|lower|upper|starts_with|ends_with|matches|commands|options|keys|values|has|json|sha256|bytes|seconds|millis|has_digest|tag|pvc|scratch|own_claim|secret_files|config_files|host_path|nfs|csi|generated|secret|config|config_env|secret_env|done|ready|started|tcp|http|exec|near|prefer|pack|env|object|fails)\b(?=\s*\()", Name.Function),
            (r"\b(?:self|cluster|pod)\b", Name.Builtin.Pseudo),
            (r"[A-Za-z_]\w*", Name),
            (r"==|!=|<=|>=|\+=|->|//|\?\?|\.\.\.?|[<>=+*/%?-]", Operator),
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
