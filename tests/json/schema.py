"""schema.py TRAINC STALE - what commands print as JSON is what docs/schema says, by an independent validator: no document breaks
its schema or has a member without a row, and each row is seen. STALE: 1 if the files are not those of rows.txt."""
import json
import os
import re
import sys

import jsonschema

import samples

sys.path.insert(0, os.path.join(samples.ROOT, "docs"))
import schema  # noqa: E402

SCHEMAS = os.path.join(samples.ROOT, "docs", "schema")
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL " + what)


def strict(of):
    """The schema, with every member that has no row refused."""
    if isinstance(of, list):
        return [strict(s) for s in of]
    if not isinstance(of, dict):
        return of
    made = {k: strict(v) for k, v in of.items()}
    if isinstance(of.get("properties"), dict) and "type" in of:
        made.setdefault("additionalProperties", False)
    return made


def mounts(documents, parts):
    """Where the rows of each document and part are: (document, path before them)."""
    at = {name: [(name, "")] for name in documents}
    waiting = [(name, name, "") for name in documents]
    while waiting:
        owner, document, before = waiting.pop()
        for path, type_, *_ in (documents.get(owner) or parts[owner])[1]:
            for part in re.findall(r"@([\w-]+)", type_):
                prefix = before if path == "." else joined(before, path)
                at.setdefault(part, []).append((document, prefix))
                if len(parts[part][1][0]) > 1:                  # one word is no member
                    waiting.append((part, document, prefix))
    return at


def joined(before, path):
    path = path.replace("?", "")
    return before + ("." if before else "") + path if path not in ("*",) else before + ".*"


def seen(of, value, path=""):
    """The paths of a document that have a row."""
    if isinstance(value, dict):
        for key, below in value.items():
            known = of.get("properties", {}).get(key)
            at = (path + "." + key if path else key) if known is not None else path + ".*"
            yield at
            yield from seen(known if known is not None else of.get("additionalProperties") or {}, below, at)
    elif isinstance(value, list):
        for below in value:
            yield path + "[]"
            yield from seen(of.get("items", {}), below, path + "[]")


def main():
    s = samples.Samples(os.path.abspath(sys.argv[1]))
    s.all()
    check(sys.argv[2] == "0", "docs/schema is not up to date")
    schemas = {}
    for name in sorted(os.listdir(SCHEMAS)):
        if name.endswith(".json"):
            with open(os.path.join(SCHEMAS, name), encoding="utf-8") as f:
                schemas[name[:-5]] = json.load(f)
    found = {name: set() for name in schemas}
    for made in schemas.values():
        jsonschema.Draft202012Validator.check_schema(made)
    validators = {name: jsonschema.Draft202012Validator(strict(made)) for name, made in schemas.items()}
    for name, document, words_ in s.found:
        wrong = next(validators[name].iter_errors(document), None)
        check(wrong is None, wrong and f"{name}: trainc {words_}: {'/'.join(map(str, wrong.absolute_path))}: {wrong.message[:200]}")
        found[name].update(seen(schemas[name], document))
    with open(schema.ROWS, encoding="utf-8") as f:
        documents, parts = schema.read(f.read())
    for owner, places in mounts(documents, parts).items():
        for row in (documents.get(owner) or parts[owner])[1]:
            if len(row) > 1 and row[0] != ".":
                check(any(joined(before, row[0]) in found[document] for document, before in places),
                      f"{owner}: no document of the tests has '{row[0]}'")
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
