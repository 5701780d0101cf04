#!/usr/bin/env python3
"""generate.py - writes the files for editors from the table of words that the compiler reads.

    generate.py [--output DIRECTORY]

Each file of templates/ is a file of an editor in which {{NAME:FORM}} is replaced by words of the language or by a
regular expression about them. The words come from grammar/vocabulary.def, grammar/trainc.y, the tables of types in
compiler/check and the examples in the comments of stdlib/std. Without --output the files beside this one are
rewritten. tests/grammar compares them with what this program writes.
"""
import argparse
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

CONTROL = ["check", "warn", "if", "then", "else", "for", "in"]
OPERATOR_WORDS = ["and", "or", "not"]
CONSTANTS = ["true", "false", "none"]
VALUES = ["self", "cluster", "pod"]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def unique(words):
    return list(dict.fromkeys(words))


def rows(text, macro):
    return re.findall(r'^%s\((?:\w+, )?"(\w+)"' % macro, text, re.M)


def reserved_words(grammar):
    """The words of the %token lines, which have the word itself as their alias."""
    return [w for w in re.findall(r'\b[A-Z]+ "([a-z]+)"', "\n".join(re.findall(r"^%token .*", grammar, re.M)))]


def soft_words(grammar):
    """The reserved words that may be keys of a body."""
    rule = re.search(r"^soft: (.*?)^    ;", grammar, re.M | re.S).group(1)
    return re.findall(r'"([a-z]+)"', rule)


def type_names():
    text = read("compiler/check/check_type.c")
    plain = re.search(r"\} plain\[\] = \{(.*?)\};", text, re.S).group(1)
    wrappers = re.search(r"wrappers\[\] = \{(.*?)\}", text, re.S).group(1)
    bundles = re.findall(r'\{ "([A-Z]\w+)", BLOCK_', read("compiler/check/check_schema.c"))
    return re.findall(r'"(\w+)"', plain) + ["enum"] + re.findall(r'"(\w+)"', wrappers) + bundles


def words():
    grammar, table = read("grammar/trainc.y"), read("grammar/vocabulary.def")
    reserved, soft = reserved_words(grammar), soft_words(grammar)
    known = CONTROL + OPERATOR_WORDS + CONSTANTS
    assert set(known) <= set(reserved) and set(soft) <= set(reserved)
    lists = {
        "RESERVED": reserved,
        "DECLARATIONS": [w for w in reserved if w not in known],
        "CONTROL": CONTROL,
        "OPERATORS": OPERATOR_WORDS,
        "CONSTANTS": CONSTANTS,
        "KEYWORDS": [w for w in reserved if w not in CONSTANTS],
        "SOFT": soft,
        # keys that a body may follow at once; `project {` begins a declaration, and a condition may end in a constant
        "SOFT_BLOCKS": [w for w in soft if w not in known and w != "project"],
        "BLOCKS": unique(rows(table, "BLOCK")),
        "FIELDS": unique(rows(table, "FIELD")),
        "FUNCTIONS": unique(rows(table, "FUNCTION")),
        "UNITS": unique(rows(table, "UNIT")),
        "TYPES": type_names(),
        "VALUES": VALUES,
    }
    for name, found in lists.items():
        assert len(found) >= 3, "no words for " + name
    return lists


NUMBER = r"\b(?:[0-9][0-9_]*(?:\.[0-9][0-9_]*)?[eE][+-][0-9]\w*|[0-9]\w*(?:\.[0-9]\w*)*)"
KEY_FOLLOWS = r"(?=\s*(?:=(?!=)|\+=|:))"
OPERATOR = r"==|!=|<=|>=|\+=|->|//|\?\?|\.\.\.?|[<>=+*/%?-]"


def expressions(lists):
    def any_of(name):
        return r"\b(?:%s)\b" % "|".join(lists[name])
    return {
        "NUMBER": NUMBER,
        "NAME": r"[A-Za-z_]\w*",
        "MEMBER": r"\.\s*[A-Za-z_]\w*",
        "OPERATOR": OPERATOR,
        "BLOCK_WORD": r"%s(?=\s+[A-Za-z_]\w*\s*\{)" % any_of("BLOCKS"),
        "SOFT_KEY": r"%s%s" % (any_of("SOFT"), KEY_FOLLOWS),
        "SOFT_BODY": r"%s(?=\s*\{)" % any_of("SOFT_BLOCKS"),
        "KEY": r"\b[A-Za-z_]\w*%s" % KEY_FOLLOWS,
        "BODY_KEY": r"\b[A-Za-z_]\w*(?=\s*\{)",
        "KEYWORD": any_of("KEYWORDS"),
        "CONSTANT": any_of("CONSTANTS"),
        "CALL": r"%s(?=\s*\()" % any_of("FUNCTIONS"),
        "VALUE": any_of("VALUES"),
        "TYPE_AFTER": r"(:|->)\s*(%s)\b" % "|".join(lists["TYPES"]),
        "ACCELERATOR_TYPE": r"(:|->)\s*(accelerator)\b",
    }


FORMS = {
    "alt": "|".join,
    "space": " ".join,
    "vim": r"\|".join,
    "js": lambda found: json.dumps(found),
    "quoted": lambda found: " ".join('"%s"' % w for w in found),
    "lines": "\n".join,
}


def fill(template, lists):
    regexes = expressions(lists)

    def value(match):
        name, form = match.group(1), match.group(2)
        if name in regexes:
            text = regexes[name]
            if form == "json":
                return json.dumps(text)[1:-1]
            if form == "yaml":
                return text.replace("'", "''")
            if form == "js":                    # between the slashes of a literal
                return text.replace("/", "\\/")
            assert not form, "no form %s for %s" % (form, name)
            return text
        return FORMS[form](lists[name])
    return re.sub(r"\{\{([A-Z_]+)(?::(\w+))?\}\}", value, template)


# ---- snippets ----

def frameworks():
    """(module, framework, title, example) for each framework of the library with an example in its comment."""
    found = []
    for name in sorted(os.listdir(os.path.join(ROOT, "stdlib/std"))):
        if not name.endswith(".tj"):
            continue
        comment = []
        for line in read("stdlib/std/" + name).split("\n"):
            if line.startswith("##"):
                comment.append(line[3:])
                continue
            match = re.match(r"framework (\w+)", line)
            if match and "Example:" in comment:
                example = comment[comment.index("Example:") + 1:]
                text = [e[4:] for e in example if e.startswith("    ") or not e]
                found.append((name[:-3], match.group(1), comment[0], "\n".join(text).strip("\n")))
            comment = []
    return found


def snippet_body(module, example):
    """Numbers the places that everybody changes: the job's name, the image and the replicas."""
    text = example.replace("\\", "\\\\").replace("$", "\\$")
    n = 0

    def stop(match):
        nonlocal n
        n += 1
        return "%s${%d:%s}%s" % (match.group(1), n, match.group(2).replace("}", "\\}"), match.group(3))
    for pattern in (r'(job ")([^"\\$]+)(")', r'(image +=\s*")([^"\\$]+)(")', r"(replicas +=\s*)(\d+)()"):
        text = re.sub(pattern, stop, text, count=1)
    imports = re.findall(r"^import ", text, re.M)
    if not imports:
        modules = unique([module] + [m for m in re.findall(r"\b([a-z]+)\.\w+\(", text) if os.path.exists(
            os.path.join(ROOT, "stdlib/std/%s.tj" % m))])
        text = "".join("import std.%s\n" % m for m in sorted(modules)) + "\n" + text
    return (text + "\n$0").split("\n")


def snippets():
    table = {}
    for module, name, title, example in frameworks():
        table["%s.%s" % (module, name)] = {
            "prefix": "%s.%s" % (module, name), "description": title, "body": snippet_body(module, example)}
    for word, body, title in (
            ("job", 'job "${1:name}": ${2:single.task} {\n  image = "${3:registry.example.com/image:1.0}"\n  $0\n}', "A job."),
            ("role", "role ${1:worker} {\n  replicas = ${2:2}\n  $0\n}", "A role of a job."),
            ("param", "## ${1:What it sets.}\nparam ${2:name}: ${3:int} = ${4:1}", "A parameter."),
            ("framework", "framework ${1:name}(${2}) {\n  role ${3:worker} {\n    replicas: int(1..)\n    $0\n  }\n\n"
                          "  success = done(${3:worker})\n}", "A framework."),
            ("check", 'check ${1:condition} else "${2:what is wrong}"', "A check."),
            ("test", 'test "${1:title}" {\n  check ${2:condition} else "${3:what was expected}"\n}', "A test.")):
        table[word] = {"prefix": word, "description": title, "body": body.split("\n")}
    return json.dumps(table, indent=2, ensure_ascii=False) + "\n"


# The queries of tree-sitter with the names that these editors give to the captures.
CAPTURES = {
    "zed/languages/tj/highlights.scm": {"constant.builtin": "constant", "variable.builtin": "variable.special"},
    "helix/queries/tj/highlights.scm": {"number": "constant.numeric", "property": "variable.other.member", "string.escape": "constant.character.escape"},
}


def renamed(queries, names):
    used = set(re.findall(r"@([\w.]+)", queries))
    assert set(names) <= used, "no capture %s" % (set(names) - used)
    return re.sub(r"@([\w.]+)", lambda m: "@" + names.get(m.group(1), m.group(1)), queries)


def generated(lists):
    """Path below the output directory and text of every file."""
    files = {"vocabulary.json": json.dumps(lists, indent=1) + "\n", "snippets.json": snippets()}
    templates = os.path.join(HERE, "templates")
    for directory, _, names in os.walk(templates):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, encoding="utf-8") as f:
                files[os.path.relpath(path, templates)] = fill(f.read(), lists)
    for path, names in CAPTURES.items():
        files[path] = renamed(files["tree-sitter/queries/highlights.scm"], names)
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", default=HERE)
    output = parser.parse_args().output
    for path, text in sorted(generated(words()).items()):
        path = os.path.join(output, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
