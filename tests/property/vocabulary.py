"""vocabulary.py - which fields each block has, from grammar/vocabulary.def, for tests that cover all fields: a field
that such a test has never heard of fails it."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEFAULTS = ("job", "framework", "role", "aux")      # BLOCK_DEFAULTS, in compiler/check/check_schema.h


def fields_of_blocks():
    """Block -> names of its fields; a role of a framework has those of a role, too."""
    with open(os.path.join(ROOT, "grammar", "vocabulary.def"), encoding="utf-8") as f:
        rows = re.findall(r'^FIELD\(\w+, "(\w+)", ([A-Z_| ]+),', f.read(), re.M)
    blocks = {}
    for name, places in rows:
        for place in places.split(" | "):
            word = place.removeprefix("BLOCK_").lower().replace("_", " ")
            for block in DEFAULTS if word == "defaults" else (word,):
                blocks.setdefault(block, set()).add(name)
    blocks["framework role"] |= blocks["role"]
    return blocks


def unheard(known, blocks, otherwise):
    """Sentences about fields of BLOCKS that are neither in KNOWN nor in OTHERWISE (field -> reason), and about rows of
    OTHERWISE that are no longer needed."""
    names = set().union(*(fields_of_blocks()[b] for b in blocks))
    for name in sorted(names - set(known) - set(otherwise)):
        yield "the field '%s' of grammar/vocabulary.def is not in the tables of this test" % name
    for name in sorted(set(otherwise) - names | set(otherwise) & set(known)):
        yield "'%s' is in the tables of this test, or no field: its row of exceptions can go" % name
