#!/usr/bin/env python3
"""build.py BUILD DIRECTORY - writes the documentation to DIRECTORY as pages that need no server, no network and, for
reading, no script: docs/, the pages of the manual, the examples with their programs, the changes, and the playground that
`make playground` built in BUILD. What the front page shows is what BUILD/trainc says about its program. Each page is there
as Markdown, too, and llms.txt lists them. Markdown is read by markdown-it, programs are coloured by Pygments."""
import base64
import glob
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import zlib

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import ClassNotFound, get_lexer_by_name, load_lexer_from_file

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
build, out = (os.path.abspath(a) for a in sys.argv[1:])
os.chdir(ROOT)
TRAINC = os.path.join(build, "trainc")

# The menu: its groups, and the pages of each by their source.
MENU = [
    ("Start", ["docs/install.md", "docs/tutorial.md", "docs/index.md", "docs/code.md", "examples"]),
    ("Coming from", ["docs/from-operators.md", "docs/from-slurm.md", "docs/from-ray.md", "docs/from-jobset.md", "docs/from-skypilot.md", "docs/from-helm.md"]),
    ("Tasks", ["docs/kueue.md", "docs/ci.md", "docs/administer.md"]),
    ("Language", ["docs/language.md", "docs/frameworks.md", "docs/diagnostics.md", "docs/editors.md", "docs/python.md", "docs/agents.md"]),
    ("Runs", ["docs/local.md", "docs/runtime.md", "docs/status.md", "docs/supervise.md", "docs/security.md"]),
    ("Reference", ["docs/trainc.1", "docs/trainc-compile.1", "docs/trainc-run.1", "docs/trainc-tools.1", "docs/trainc-supervise.1",
                   "docs/json.md", "docs/differences.md", "docs/stability.md"]),
    ("Project", ["CHANGELOG.md", "docs/architecture.md", "docs/testing.md", "docs/release.md", "CONTRIBUTING.md", "SECURITY.md"]),
]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Page:
    """A page: where it is in the site, its title, its text in Markdown, and the file that it is made from."""

    def __init__(self, place, title, text, source, body=None):
        self.place, self.title, self.text, self.source, self.body = place, title, text, source, body
        self.anchors, self.sections, self.rows = set(), [], []          # the last two: (heading, anchor, text)


pages = {}              # source -> page
moved = {}              # (source, anchor) -> page, for parts that have a page of their own


def titled(text, otherwise):
    found = re.search(r"^# (.+)$", text, re.M)
    return re.sub(r"[`*]", "", found.group(1)) if found else otherwise


def slug(heading):
    """The anchor of a heading, as hosts of repositories make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


# ---- what becomes a page ----

def collect():
    for source in sorted(glob.glob("docs/*.md")) + ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]:
        text = read(source)
        if source.endswith(".template.md"):
            continue
        place = source[:-3] + ".html" if "/" in source else "project/" + source[:-3].lower() + ".html"
        if source == "docs/diagnostics.md":
            text = collect_diagnostics(text)
        pages[source] = Page(place, titled(text, source), text, source)
    for source in sorted(glob.glob("docs/*.1")):
        name = os.path.basename(source)[:-2]
        text = subprocess.run(["mandoc", "-T", "markdown", source], check=True, capture_output=True, text=True).stdout
        body = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.html", source], check=True, capture_output=True, text=True).stdout
        pages[source] = Page(f"docs/{name}.1.html", f"{name}(1)", text, source, body)
    collect_examples()


def collect_diagnostics(text):
    """Each diagnostic gets a page; the tables stay on the page of all."""
    head, *parts = re.split(r"(?m)^(?=### TJ\d{4} )", text)
    kept = [head]
    for part in parts:
        own, rest = re.split(r"(?m)^(?=## )|\Z", part, maxsplit=1) if re.search(r"(?m)^## ", part) else (part, "")
        kept.append(rest)
        heading = own.split("\n", 1)[0][4:]
        page = Page(f"docs/diagnostics/{heading[:6]}.html", heading, "# " + own[4:], "docs/diagnostics.md")
        pages["docs/diagnostics.md#" + heading[:6]] = page
        moved["docs/diagnostics.md", slug(heading)] = page
    return "".join(kept)


def collect_examples():
    listed = []
    for directory in sorted(glob.glob("examples/*/")):
        source = directory + "README.md"
        text = read(source)
        for path in sorted(glob.glob(directory + "**/*.tj", recursive=True)):
            if read(path).strip() not in text:
                text += f"\n## {os.path.relpath(path, directory)}\n\n```tj\n{read(path)}```\n"
        name = directory.rstrip("/")
        pages[source] = pages[name] = Page(name + "/index.html", titled(text, name), text, source)
        listed.append(f"- [{os.path.basename(name)}: {pages[source].title}]({os.path.basename(name)}/README.md)")
    text = "# Examples\n\nPrograms that compile, each with what it shows.\n\n" + "\n".join(listed) + "\n"
    pages["examples"] = Page("examples/index.html", "Examples", text, "examples/README.md")


# ---- Markdown to HTML ----

lexers = {"tj": load_lexer_from_file("grammar/editors/pygments/tj_lexer.py", "TjLexer")}
formatter = HtmlFormatter(nowrap=True, classprefix="c-")


def colored(text, language):
    if language and language not in lexers:
        try:
            lexers[language] = get_lexer_by_name({"sh": "bash"}.get(language, language))
        except ClassNotFound:
            lexers[language] = None
    lexer = lexers.get(language)
    if not lexer:
        return html.escape(text)
    return re.sub(r'<span class="c-w">(\s*)</span>', r"\1", highlight(text, lexer, formatter))     # blanks have no color


def playground(text):
    """What the address of the playground ends in to show this program."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "#" + base64.urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).rstrip(b"=").decode()


def terminal(text):
    """Text of a terminal, with its colours as classes."""
    parts, kinds = [], {"31": "error", "33": "warning", "32": "help", "36": "help", "35": "warning", "34": "help"}
    for number, part in enumerate(re.split(r"\x1b\[([\d;]*)m", text)):
        if number % 2:
            kind = next((kinds[c] for c in part.split(";") if c in kinds), "")
            continue
        parts.append(f'<span class="t-{kind}">{html.escape(part)}</span>' if number and kind and part else html.escape(part))
    return f'<div class="block"><pre tabindex="0"><code>{"".join(parts)}</code></pre></div>\n'


def block(text, info, up):
    language = (info.split() or [""])[0]
    opens = ""
    if language == "tj" and re.search(r'(?m)^(job|framework|import|param|for) ', text):
        opens = f'<a class="open" href="{up}playground.html{playground(text)}">Open in the playground</a>'
    return f'<div class="block"><pre tabindex="0"><code class="{html.escape(language)}">{colored(text, language)}</code></pre>{opens}</div>\n'


class Renderer:
    """Renders one page; collects its anchors and sections, and checks its links."""

    def __init__(self, page):
        self.page, self.up = page, "../" * page.place.count("/")
        self.base = posixpath.dirname(page.source)
        self.in_link, self.leads = False, None          # within a link; where it leads

    def address(self, link):
        """Where a link of the source leads in the site; None if the site does not have it."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        target = posixpath.normpath(posixpath.join(self.base, path)) if path else self.page.source
        if (target, anchor) in moved:
            return self.up + moved[target, anchor].place
        page = pages.get(target) or pages.get(target + "/README.md")
        if target == "README.md":
            return self.up + "index.html"
        if page:
            wanted.append((self.page, page, anchor, link))
            return (self.up + page.place if path else "") + ("#" + anchor if anchor else "")
        if os.path.isfile(target) and target.startswith(("docs/", "examples/")):
            files.add(target)
            return self.up + target
        if not os.path.exists(target):
            sys.exit(f"{self.page.source}: the link to {link} leads nowhere")
        return None

    def body(self):
        if self.page.body is not None:
            return self.manual()
        tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(self.page.text)
        parts = []
        for at, token in enumerate(tokens):
            parts.append(self.token(token, tokens, at))
        return "".join(parts)

    def manual(self):
        """A page of the manual: mandoc has written it, with anchors."""
        self.page.anchors.update(re.findall(r'id="([^"]+)"', self.page.body))
        text = lambda markup: re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]+>", " ", markup))).strip()
        for anchor, heading, rest in re.findall(r'<h1 class="Sh" id="([^"]+)">(.*?)</h1>(.*?)(?=<h1|\Z)', self.page.body, re.S):
            self.page.sections.append((text(heading), anchor, text(rest)))
        for anchor, term, rest in re.findall(r'<dt id="([^"]+)">(.*?)</dt>\s*<dd>(.*?)(?=<d[tl]|</d[dl]>)', self.page.body, re.S):
            self.page.sections.append((text(term), anchor, text(rest)))
        title = f"<h1>{self.page.title}</h1>"
        return title + re.sub(r'<a class="Xr" href="([^"]*)\.html">([^<]*)</a>', self.other_manual, self.page.body)

    def other_manual(self, match):
        """A reference to a page of the manual, which is named after one of the commands that it describes."""
        for source, page in pages.items():
            if page.body is not None and re.search(rf"(?m)^\.Nm {re.escape(match.group(1))}( ,)?$", read(source)):
                return f'<a class="Xr" href="{self.up}{page.place}">{match.group(2)}</a>'
        return match.group(2)

    def token(self, token, tokens, at):
        if token.type == "heading_open":
            return self.heading(tokens[at + 1], token.tag)
        if token.type in ("inline",):
            text = "".join(self.inline(child) for child in token.children)
            if tokens[at - 1].type == "td_open" and tokens[at - 2].type == "tr_open":
                self.row(token, tokens[at + 3].content if tokens[at + 2].type == "td_open" else "")
            if tokens[at - 1].type != "heading_open":
                self.say(token.content)
            return text
        if token.type in ("fence", "code_block"):
            self.say(token.content)
            return block(token.content, token.info, self.up)
        if token.type == "html_block":
            return re.sub(r'(?<=src=")([^":]+)(?=")', lambda m: self.address(m.group(1)) or m.group(1), token.content)
        if token.type == "table_open":
            return '<div class="table"><table>'
        if token.type == "table_close":
            return "</table></div>"
        if token.type in ("paragraph_open", "paragraph_close") and token.hidden:
            return ""
        if token.type == "hr":
            return "<hr>"
        style = token.attrGet("style") if token.nesting == 1 else None
        return f"<{'/' if token.nesting < 0 else ''}{token.tag}{f' style={chr(34)}{style}{chr(34)}' if style else ''}>"

    def heading(self, inline, tag):
        anchor = slug(inline.content.replace("`", ""))
        while anchor in self.page.anchors:
            anchor += "-1"
        self.page.anchors.add(anchor)
        if tag in ("h1", "h2", "h3", "h4"):
            self.page.sections.append((re.sub(r"[`*]", "", inline.content), anchor, ""))
        return f'<{tag} id="{anchor}"><a class="anchor" href="#{anchor}" aria-label="link to this part">#</a>'

    def row(self, first, second):
        """A row of a table that begins with a name in code is found by that name."""
        names = [child.content for child in first.children if child.type == "code_inline"]
        if names and self.page.sections:
            anchor = self.page.sections[-1][1]
            self.page.rows += [(name.split("(")[0].split(":")[0].strip(), anchor, second) for name in names]

    def diagnostics(self, text):
        """The codes in TEXT, as links to their pages, unless it is a link itself."""
        def linked(match):
            page = pages.get("docs/diagnostics.md#" + match.group())
            return f'<a href="{self.up}{page.place}">{match.group()}</a>' if page and page is not self.page else match.group()
        return text if self.in_link else re.sub(r"\bTJ\d{4}\b", linked, text)

    def say(self, text):
        if self.page.sections:
            heading, anchor, so_far = self.page.sections[-1]
            self.page.sections[-1] = heading, anchor, so_far + " " + text

    def words(self, text):
        """A line of Markdown."""
        return "".join(self.inline(child) for child in MarkdownIt("commonmark").parseInline(text)[0].children)

    def inline(self, token):
        if token.type == "text":
            return self.diagnostics(html.escape(token.content, quote=False))
        if token.type == "code_inline":
            return self.diagnostics(f"<code>{html.escape(token.content, quote=False)}</code>")
        if token.type == "softbreak":
            return "\n"
        if token.type == "hardbreak":
            return "<br>"
        if token.type == "html_inline":
            return token.content
        if token.type == "link_open":
            self.leads = self.address(token.attrGet("href"))
            self.in_link = True
            return f'<a href="{html.escape(self.leads)}">' if self.leads else ""
        if token.type == "link_close":
            self.in_link = False
            return "</a>" if self.leads else ""
        if token.type == "image":
            return f'<img src="{self.address(token.attrGet("src"))}" alt="{html.escape(token.content)}">'
        return f"<{'/' if token.nesting < 0 else ''}{token.tag}>"


wanted = []             # (page, page that a link leads to, anchor, link)
files = set()           # files that pages link to


# ---- around a page ----

def menu(page, up):
    """The menu; the many small pages of diagnostics have only its beginning."""
    parts, small = [], "docs/diagnostics/" in page.place
    for group, sources in MENU:
        if small and group not in ("Start", "Language"):
            continue
        parts.append(f"<h2>{group}</h2><ul>")
        for source in sources:
            other = pages[source]
            here = ' aria-current="page"' if other is page else ""
            parts.append(f'<li><a href="{up}{other.place}"{here}>{html.escape(other.title)}</a></li>')
        parts.append("</ul>")
    return "".join(parts)


def contents(page):
    found = [(h, a) for h, a, _ in page.sections[1:] if a in page.anchors]
    if page.body is not None or len(found) < 3:
        return ""
    level2 = set(re.findall(r"(?m)^## (.+)$", page.text))
    rows = "".join(f'<li><a href="#{a}">{html.escape(h)}</a></li>' for h, a in found if h in {re.sub(r"[`*]", "", x) for x in level2})
    return f'<nav class="contents" aria-label="on this page"><h2>On this page</h2><ul>{rows}</ul></nav>' if rows else ""


def frame(page, body, up, extra=""):
    title = page.title if page.place == "index.html" else f"{page.title} - trainc"
    markdown = f'<a href="{up}{page.place[:-5]}.md">This page as Markdown</a>' if page.text else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<link rel="icon" href="{up}icon.svg">
<link rel="stylesheet" href="{up}style.css">
<script defer src="{up}page.js" data-up="{up}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="home" href="{up}index.html">trainc</a>
<div class="search" role="search"><input id="search" type="search" placeholder="Search  /" aria-label="search" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found"><ul id="found" role="listbox" aria-label="found" hidden></ul></div>
<a href="{up}playground.html">Playground</a>
</header>
<div class="columns">
<details class="menu" id="menu"><summary>Menu</summary><nav aria-label="pages">{menu(page, up)}</nav></details>
<main id="main">
{body}
<footer>{markdown}</footer>
</main>
{extra}</div>
</body>
</html>
"""


def write(place, content):
    path = os.path.join(out, place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())


# ---- the front page ----

def says(*arguments, program, status=0):
    """What trainc prints about PROGRAM."""
    done = subprocess.run([TRAINC, *arguments], input=program, capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


def front():
    readme = read("README.md")
    program = re.search(r"```tj\n(.*?)```", readme, re.S).group(1)
    install = re.search(r"```sh\n(.*?)```", readme, re.S).group(1)
    sentence = readme.split("\n\n")[1].replace("\n", " ").replace("`trainc`", "<b>trainc</b>")
    status = re.search(r"(?m)^No release.*$", readme).group(0)
    wrong = program.replace("replicas    = 4", "replicsa    = 4")
    drawing = says("plan", "-o", "svg", "-", program=program)
    environment = says("env", "--role", "worker", "--index", "3", "-", program=program)
    objects = says("compile", "-", program=program)
    renderer = Renderer(Page("index.html", "", "", "README.md"))
    parts = {
        "sentence": sentence, "status": renderer.words(status),
        "install": block(install, "sh", ""), "program": block(program, "tj", ""),
        "mistake": terminal(says("check", "--color", "always", "-", program=wrong, status=1).replace("<stdin>", "mnist.tj")),
        "environment": block(environment, "text", ""), "drawing": re.sub(r"<\?xml.*?\?>", "", drawing),
        "lines": str(len(program.splitlines())), "objects": str(len(objects.splitlines())),
        "diagnostics": str(sum(1 for source in pages if "#TJ" in source)),
    }
    return re.sub(r"@(\w+)@", lambda m: parts[m.group(1)], read(os.path.join(HERE, "front.html")))


# ---- search ----

STOP = set("a an and are as at be but by can do does for from has have if in is it its no not of on one or so than that the their them they this to was what when which who will with you your".split())


def words(text):
    found = []
    for word in re.findall(r"[a-z0-9_][a-z0-9_.\-]*[a-z0-9_]|[a-z0-9]", text.lower()):
        if word not in STOP and word not in found and len(word) < 40:
            found.append(word)
    return found


def index():
    """Rows [page's title, heading, address, words, first words of the text] of all sections, as a script: a page that was
    opened from a directory may not read other files."""
    rows = []
    for page in sorted(set(pages.values()), key=lambda p: p.place):
        for number, (heading, anchor, text) in enumerate(page.sections + page.rows):
            plain = re.sub(r"\s+", " ", re.sub(r"[`*|#]", "", text)).strip()
            rows.append([page.title if number else "", heading, page.place + ("#" + anchor if number else ""), " ".join(words(plain)), plain[:90]])
    write("search.js", "found_in(" + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ")\n")


# ---- for programs that read ----

def for_programs():
    about = subprocess.run([TRAINC, "skill"], check=True, capture_output=True, text=True).stdout
    write("skill.md", about)
    lines = ["# trainc", "", "> " + re.sub("[`*]", "", read("README.md").split("\n\n")[1].replace("\n", " ")), "",
             "[skill.md](skill.md) is one page about the whole language and its commands, made for programs that write programs.", ""]
    for group, sources in MENU:
        lines += ["## " + group, ""] + [f"- [{pages[s].title}]({pages[s].place[:-5]}.md)" for s in sources] + [""]
    lines += ["## Diagnostics", ""] + [f"- [{page.title}]({page.place[:-5]}.md)" for source, page in sorted(pages.items()) if "#TJ" in source] + [""]
    write("llms.txt", "\n".join(lines))


def main():
    shutil.rmtree(out, ignore_errors=True)
    collect()
    places = [page.place for page in set(pages.values())]
    assert len(places) == len(set(places)), "two pages in one place"
    for page in set(pages.values()):
        renderer = Renderer(page)
        body = renderer.body()
        write(page.place, frame(page, body, renderer.up, contents(page)))
        write(page.place[:-5] + ".md", page.text)
    for page, other, anchor, link in wanted:
        if anchor and anchor not in other.anchors:
            sys.exit(f"{page.source}: {link}: {other.place} has no part of that name")
    write("index.html", frame(Page("index.html", "trainc", "", "README.md"), front(), ""))
    for path in sorted(files):
        write(path, open(path, "rb").read())
    for name in ("style.css", "page.js", "icon.svg"):
        write(name, read(os.path.join(HERE, name)))
    write("playground.html", read(os.path.join(build, "playground", "index.html")))
    index()
    for_programs()


main()
