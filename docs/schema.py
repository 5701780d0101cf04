#!/usr/bin/env python3
"""Writes docs/json.md and the JSON Schemas in docs/schema from docs/schema/rows.txt.

    schema.py           write them
    schema.py --check   status 1 if that would change a file
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = os.path.join(HERE, "schema", "rows.txt")
PLAIN = {"text": "string", "int": "integer", "number": "number", "bool": "boolean", "null": "null", "list": "array", "object": "object",
         "map": "object"}
TIME = {"type": "string", "format": "date-time"}


class Wrong(Exception):
    """rows.txt is not as its head says."""


def read(text):
    """(documents, parts): for each name a title and rows (path, type, meaning)."""
    documents, parts, rows = {}, {}, None
    for line in text.splitlines():
        head = re.match(r"([=+]) ([\w-]+)(?:: (.*))?$", line)
        if head:
            rows = []
            (documents if head[1] == "=" else parts)[head[2]] = (head[3], rows)
        elif line.strip() and not line.startswith("#"):
            rows.append(tuple(line.split(None, 2)))
    return documents, parts


def one(type_, parts):
    """The schema of one alternative."""
    if type_.startswith("@"):
        return built(parts[type_[1:]][1], parts)
    if type_ == "time":
        return dict(TIME)
    return {} if type_ == "any" else {"type": PLAIN[type_]}


def schema_of(type_, parts):
    """The schema of a type with its alternatives."""
    words = re.findall(r'"([^"]*)"', type_)
    if words:
        return {"type": "string", "enum": words}
    each = [one(t, parts) for t in type_.split("|")]
    return each[0] if len(each) == 1 else {"type": [e["type"] for e in each]}


def place(root, path):
    """The parent of the member at a path, its key, and whether it is required."""
    optional = path.endswith("?")
    steps = re.findall(r"\[\]|\*|[\w]+", path)
    at = root
    for step in steps[:-1]:
        at = at.setdefault("items", {"type": "object"}) if step == "[]" else at["additionalProperties"] if step == "*" else at["properties"][step]
    return at, steps[-1], not optional


def built(rows, parts):
    """The schema of an object, or of a word, from its rows."""
    if len(rows) == 1 and len(rows[0]) == 1:
        return schema_of(rows[0][0], parts)
    root = {"type": "object"}
    for path, type_, meaning in rows:
        schema = schema_of(type_, parts)
        if path == ".":
            root["properties"] = {**root.get("properties", {}), **schema["properties"]}
            root["required"] = [*root.get("required", []), *schema.get("required", [])]
            continue
        schema["description"] = meaning
        if meaning == "1" and path == "schemaVersion":
            schema.update({"const": 1, "description": "version of this form; members may be added to it"})
        at, key, required = place(root, path)
        if key == "[]":
            at["items"] = schema
        elif key == "*":
            at["additionalProperties"] = schema
        else:
            add(at, key, schema, required)
    return root


def add(at, key, schema, required):
    if key in at.setdefault("properties", {}):
        raise Wrong(f"{key} has two rows")
    at["properties"][key] = schema
    if required:
        at.setdefault("required", []).append(key)


def schemas(text):
    """The JSON Schema of each document, by name."""
    documents, parts = read(text)
    return {name: {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title.replace("`", ""), **built(rows, parts)}
            for name, (title, rows) in documents.items()}


def cell(text):
    return text.replace("|", "\\|")


def link(type_):
    shown = re.sub(r'"([^"]*)"', r"`\1`", type_)
    return cell(re.sub(r"@([\w-]+)", r"[\1](#\1)", shown)).replace("\\|", ", ")


def table(rows):
    yield "| member | type | meaning |"
    yield "| --- | --- | --- |"
    for path, type_, meaning in rows:
        yield "| %s | %s | %s |" % ("(all)" if path == "." else f"`{cell(path)}`", link(type_), cell(meaning))


HEAD = """# JSON that commands print

<!-- written by docs/schema.py from docs/schema/rows.txt -->

Each document below has a JSON Schema in [schema](schema). `schemaVersion` is 1: members may be added, but none is removed, gets another type or another
meaning, so read them by name and ignore those that you do not know. A test compares the tables with what the commands print: no member is missing here, and none
is here that is not printed.

`[]` is each element of a list, `.*` each member of a map whose names are free, and `?` means that the member may be absent. Times are in UTC
(`2026-01-31T12:00:04Z`). Text that comes from a cluster or a process may contain any characters; in JSON they are escaped, so print it with care.
"""


def page(text):
    documents, parts = read(text)
    lines = [HEAD]
    for name, (title, rows) in documents.items():
        lines += [f"## {name}", "", f"{title[0].upper() + title[1:]}. Schema: [{name}.json](schema/{name}.json).", "", *table(rows), ""]
    for name, (_, rows) in parts.items():
        if len(rows[0]) == 1:
            lines += [f"## {name}", "", "One of " + ", ".join(f"`{w}`" for w in re.findall('"([^"]*)"', rows[0][0])) + ".", ""]
        else:
            lines += [f"## {name}", "", "A part of documents above.", "", *table(rows), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def files(text):
    """Each file and what it contains."""
    yield os.path.join(HERE, "json.md"), page(text)
    for name, schema in schemas(text).items():
        yield os.path.join(HERE, "schema", name + ".json"), json.dumps(schema, indent=1) + "\n"


def main():
    with open(ROWS, encoding="utf-8") as f:
        made = list(files(f.read()))
    stale = [p for p, text in made if not os.path.exists(p) or open(p, encoding="utf-8").read() != text]
    known = {p for p, _ in made}
    for name in sorted(os.listdir(os.path.join(HERE, "schema"))):
        path = os.path.join(HERE, "schema", name)
        if name.endswith(".json") and path not in known:
            stale.append(path)
            if "--check" not in sys.argv:
                os.unlink(path)
    if "--check" in sys.argv:
        for path in stale:
            print(os.path.relpath(path, os.path.dirname(HERE)) + " is not what docs/schema/rows.txt says; run 'make docs'")
        return bool(stale)
    for path, text in made:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
