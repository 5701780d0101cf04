#!/usr/bin/env python3
"""Writes docs/frameworks.md from `trainc explain` and frameworks.template.md.

    frameworks.py           write docs/frameworks.md
    frameworks.py --check   status 1 if that would change it

The text comes from the pages of `trainc explain`. The environments are those of replicas of the programs in tests/std,
and the requirements of an accelerator are those that `trainc compile` writes.  TRAINC is the binary, by default
build/trainc.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRAINC = os.environ.get("TRAINC", os.path.join(ROOT, os.environ.get("BUILD", "build"), "trainc"))
TEMPLATE = os.path.join(ROOT, "docs", "frameworks.template.md")
DOCUMENT = os.path.join(ROOT, "docs", "frameworks.md")
LIBRARY = os.path.join(ROOT, "stdlib", "std")
EXAMPLES = os.path.join(ROOT, "tests", "std")

LONGEST = 240                   # characters of an example in a table
SHAPES = ["2x2", "2x2x1"]       # topologies that the accelerators of the library offer
PART = '"1g.10gb"'


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def trainc(*words):
    done = subprocess.run([TRAINC, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return done.stdout if done.returncode == 0 else None


# ---- pages of `trainc explain` ----

class Argument:
    def __init__(self, text, doc):
        self.name, rest = text.split(":", 1)
        at = next((i for i in range(len(rest)) if rest.startswith(" = ", i) and rest[:i].count("(") == rest[:i].count(")")), len(rest))
        self.type, self.default = rest[:at].strip(), rest[at + 3:].strip()
        self.doc = doc


def arguments(signature):
    """The arguments in "  framework NAME(" ... ")", one on each line or all on one line."""
    inside = signature[signature.index("(") + 1:signature.rindex(")")] if "(" in signature else ""
    found, doc = [], []
    lines = inside.strip("\n").split("\n") if "\n" in inside else [a + "," for a in split(inside)]
    for line in lines:
        line = line.strip()
        if line.startswith("## "):
            doc.append(line[3:])
        elif line.strip(","):
            found.append(Argument(line[:-1] if line.endswith(",") else line, " ".join(doc)))
            doc = []
    return found


def split(text):
    """Splits the text at the commas outside brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


class Page:
    """A framework or an accelerator; sections are lists of (where, text)."""

    def __init__(self, module, name):
        self.module, self.name = module, name
        title, _, rest = trainc("explain", "%s.%s" % (module, name)).partition("\n\n")
        self.kind = title.split(": ")[1].split()[0]
        doc, signature, rest = re.match(r"(.*?)\n\n  (%s \w+.*?)\n(?=\n|\Z)(.*)" % self.kind, rest, re.S).groups()
        self.doc, self.arguments, self.sections = doc, arguments(signature), {}
        where, lines = "", None
        for line in rest.split("\n"):
            if line and line[0] != " ":
                lines = self.sections.setdefault(line, [])
            elif line.strip():
                where = line[2:15].strip() or where
                lines.append((where, line[15:].strip() if line[14:15] == " " else line.strip()))

    def full_name(self):
        return "%s.%s" % (self.module, self.name)

    def one(self, section):
        return " ".join((w + " " + t).strip() if w and not t.startswith(w) else t for w, t in self.sections.get(section, []))


def modules():
    """(name, its documentation, pages) in the order of the alphabet."""
    for file in sorted(os.listdir(LIBRARY)):
        name = file[:-3]
        page = trainc("explain", "std." + name)
        title = "%s: module of the standard library, import std.%s\n\n" % (name, name)
        doc, members = re.search(re.escape(title) + r"(.*?)((?:^  %s\.\w+ .*\n)+)" % name, page, re.M | re.S).groups()
        pages = [Page(name, m) for m in re.findall(r"^  \w+\.(\w+) ", members, re.M) if is_blueprint(name, m)]
        doc = doc.strip("\n")
        yield name, doc, pages


def is_blueprint(module, member):
    return re.search(r"^(framework|accelerator) %s\b" % member, read(os.path.join(LIBRARY, module + ".tj")), re.M)


# ---- Markdown ----

def prose(doc):
    """A documentation comment as Markdown, in which the asterisk of PREFIX_* does not start emphasis."""
    lines = []
    for line in doc.split("\n"):
        pieces = re.split(r"(`[^`]*`)", line)
        lines.append(line if line.startswith("    ") else
                     "".join(p if p.startswith("`") else p.replace("*", "\\*") for p in pieces))
    return "\n".join(lines)


def code(text):
    return "`%s`" % text.replace("|", "\\|") if text else ""


def table(head, rows):
    if not rows:
        return ""
    lines = ["| %s |" % " | ".join(head), "|%s" % (" --- |" * len(head))]
    return "\n".join(lines + ["| %s |" % " | ".join(row) for row in rows]) + "\n\n"


# ---- frameworks ----

def example(framework):
    """The replicas of a program in tests/std that uses the framework, by role: the last one of each."""
    for file in sorted(os.listdir(EXAMPLES)):
        path = os.path.join(EXAMPLES, file)
        if not file.endswith(".tj") or not re.search(r'^job "[^"]+": %s\b' % re.escape(framework), read(path), re.M):
            continue
        out = trainc("env", "-o", "json", path)
        if out:
            seen = {}
            for replica in (r for job in json.loads(out)["jobs"] for r in job["replicas"]):
                if seen.get(replica["role"], {}).get("index") != replica["index"]:
                    seen[replica["role"]] = replica         # the main container comes first
            return seen
    sys.exit("no program of tests/std uses %s" % framework)


def value_of(replica, name):
    for entry in replica["env"] if replica else []:
        if entry["name"] != name:
            continue
        text = entry.get("value")
        if text is None:
            text = "".join(p if isinstance(p, str) else "<%s>" % p["field"] for p in entry.get("text", [entry]))
        return text if len(text) <= LONGEST else text[:LONGEST - 3] + "..."
    return ""


def environment(page):
    replicas, rows = example(page.full_name()), []
    for where, text in page.sections.get("Environment", []):
        setting, when = re.fullmatch(r"(.*?)(?:  \(((?:if|for|unless) .*)\))?", text).groups()
        name, _, value = setting.partition(" = ")
        replica = list(replicas.values())[-1] if where == "every role" else replicas.get(where)
        rows.append([code(name), where, code(value) + (", " + code(when) if when else ""), code(value_of(replica, name))])
    return table(["variable", "in", "value", "for example"], rows)


def roles(page):
    rows = {}
    for where, text in page.sections["Roles"]:
        text, _, why = text.partition("  # ")
        row = rows.setdefault(where, [code(where) if where != "every role" else where, "", ""])
        if text.startswith("replicas: "):
            row[1] = code(text[10:]) + ("; " + why.rstrip(".") if why else "")
        elif text:
            row[2] += ("<br>" if row[2] else "") + code(text)
    return table(["role", "replicas", "and"], list(rows.values()))


def framework(page):
    text = "### %s\n\n%s\n\n" % (page.full_name(), prose(page.doc))
    text += table(["argument", "type", "default", ""],
                  [[code(a.name), code(a.type), code(a.default) or "required", prose(a.doc)] for a in page.arguments])
    text += roles(page)
    text += environment(page)
    where = ", ".join("%s is %s" % (code(w), code(t)) for w, t in page.sections.get("Where", []))
    if where:
        text += "Here %s.\n" % where
    locked = ", ".join(code(name) for name in page.one("Locked").split(", ") if name)
    if locked:
        text += "Locked: %s.\n" % locked
    return text + "Succeeds when %s.\n\n" % code(page.one("Success"))


def overview(pages):
    rows = []
    for page in pages:
        names = dict.fromkeys(w for w, _ in page.sections["Roles"] if w != "every role")
        rows.append(["[`%s`](#%s)" % (page.full_name(), page.full_name().replace(".", "")), ", ".join(names),
                     prose(page.doc.split("\n")[0])])
    return table(["framework", "roles", ""], rows)


# ---- accelerators ----

def most(page):
    """An argument that the accelerator takes: its largest count, or a shape that it offers."""
    bounds = re.fullmatch(r"int\(1\.\.(\d+)\)", page.arguments[0].type)
    return [bounds.group(1)] if bounds else [PART] if page.arguments[0].name == "part" else SHAPES


def compiled(page, argument, project):
    """The pod's spec of a role with the accelerator in a project, or None."""
    program = "import std.%s\njob \"a\" {\n  image = \"registry.example.com/a:1\"\n  role r { accelerator = %s(%s), cpu = 16, " \
        "memory = 64Gi, shm = 1Gi }\n}\n" % (page.module, page.full_name(), argument)
    with tempfile.TemporaryDirectory() as place:
        for name, text in (("a.tj", program), ("project.tj", project)):
            with open(os.path.join(place, name), "w", encoding="utf-8") as f:
                f.write(text)
        out = trainc("compile", "-o", "json", os.path.join(place, "a.tj"))
    for o in json.loads(out)["items"] if out else []:
        if o["kind"] == "Job":
            return o["spec"]["template"]["spec"]
    return None


def pod_of(page):
    """The pod's spec of a role with the accelerator."""
    for argument in most(page):
        spec = compiled(page, argument, "project {}\n")
        if spec:
            return argument, spec
    sys.exit("no program with %s compiles" % page.full_name())


def accelerator(page):
    argument, pod = pod_of(page)
    gives = dict(page.sections["Gives"])
    resource = json.loads(gives["resource"]).replace("${part}", argument.strip('"'))
    count = pod["containers"][0]["resources"]["limits"][resource]
    takes = ", ".join("%s: %s" % (a.name, a.type) for a in page.arguments if not a.default)
    labels = "<br>".join(code("%s=%s" % item) for item in pod.get("nodeSelector", {}).items())
    taints = ", ".join(code(t["key"]) for t in pod.get("tolerations", []))
    return [code("%s(%s)" % (page.full_name(), takes)), prose(" ".join(page.doc.split())), gives.get("memory", ""),
            code("%s: %s" % (resource, count)) + ("" if argument.isdigit() else " for " + code(argument)), labels, taints]


def asked_labels(spec):
    """The labels of nodes that a pod asks for, each with its values."""
    labels = {key: [value] for key, value in spec.get("nodeSelector", {}).items()}
    for term in spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", []):
        labels.update({e["key"]: e["values"] for e in term["matchExpressions"]})
    return labels


def providers(pages):
    """A row for each accelerator that some provider labels in another way than the discovery of its vendor."""
    sites = re.findall(r"^let (\w+): list", read(os.path.join(ROOT, "stdlib", "std", "nodes.tj")), re.M)
    sites = [s for s in sites if s not in ("discovery", "openshift", "eks_auto")]
    rows = []
    for page in pages:
        argument = pod_of(page)[0]
        if not compiled(page, argument, 'project { nodes = "discovery" }\n'):
            continue
        found = [compiled(page, argument, 'project { nodes = "%s" }\n' % s) for s in sites]
        cells = ["<br>".join(code(v) for vs in asked_labels(spec).values() for v in vs) if spec else "" for spec in found]
        if any(cells):
            rows.append([code(page.name)] + cells)
    return table(["accelerator"] + [code(s) for s in sites], rows) if rows else ""


def accelerators(name, doc, pages):
    text = "### std.%s\n\n" % name + (prose(doc) + "\n\n" if doc else "")
    text += table(["accelerator", "", "memory of one", "a pod asks for", "node labels", "taints"], [accelerator(p) for p in pages])
    others = providers(pages)
    if others:
        text += "Values of the labels by which the nodes of other providers are found; [language.md](language.md#node-labels-of-providers) names the labels.\n\n" + others
    return text + table(["argument of", "", "type", "default", ""], [
        [code(p.full_name()), code(a.name), code(a.type), code(a.default) or "required", prose(a.doc)]
        for p in pages for a in p.arguments if a.doc])


# ---- the whole ----

def document():
    frameworks, devices, every = "", "", []
    for name, doc, pages in modules():
        mine = [p for p in pages if p.kind == "framework"]
        every += mine
        if mine:
            frameworks += "## std.%s\n\n%s" % (name, prose(doc) + "\n\n" if doc else "")
            frameworks += "".join(framework(p) for p in mine)
        theirs = [p for p in pages if p.kind == "accelerator"]
        if theirs:
            devices += accelerators(name, doc, theirs)
    text = read(TEMPLATE).replace("@overview@\n\n", overview(every)).replace("@frameworks@\n\n", frameworks)
    return text.replace("@accelerators@\n\n", devices)


def main():
    new = document()
    if "--check" in sys.argv[1:]:
        if new != read(DOCUMENT):
            print("docs/frameworks.md is not what the library says: run 'make docs'")
            return 1
        return 0
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
