"""The table of options, --help, the manual pages and the completions say the same.

Every command, option, letter and choice of compiler/command/options.def is in each of them, and nothing else is.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "docs"))
import manual

TRAINC = os.environ["TRAINC"]
table = manual.Table()
counts = {"passed": 0, "failed": 0, "skipped": 0}


def same(what, found, wanted):
    if found == wanted:
        counts["passed"] += 1
        return
    counts["failed"] += 1
    extra, missing = set(found) - set(wanted), set(wanted) - set(found)
    print("FAIL %s: missing %s, too much %s" % (what, sorted(map(str, missing)), sorted(map(str, extra))))


def skip(what):
    counts["skipped"] += 1
    print("skip", what)


def trainc(*words):
    return subprocess.run([TRAINC, *words], capture_output=True, text=True, timeout=60, check=True).stdout


def options_of(command):
    """{(letter, word, choices or argument)}"""
    return {(o.letter, o.word, "|".join(o.choices) or o.argument) for o in table.options_of(command)}


# ---- help ----

def unwrapped(text):
    """The lines of a help text, with each row joined into one line."""
    lines = []
    for line in text.split("\n"):
        inside = re.match(r" {20,}(\S.*)", line)
        if inside and lines:
            lines[-1] += (" " if re.search(r"\S {2,}\S", lines[-1]) else "  ") + inside[1]
        else:
            lines.append(line)
    return lines


def help_():
    found, title = [], None
    same("help: wider than 80 columns", {line for words in [()] + [(c.word,) for c in table.commands]
                                         for line in trainc("help", *words).split("\n") if len(line) > 80}, set())
    for line in unwrapped(trainc("help")):
        heading = re.fullmatch(r"(\w+):", line)
        title = heading[1] if heading else title
        row = re.fullmatch(r"  (\S+)(?: (\S+(?: \S+)*))?  +(.*)", line) if title else None
        if row:
            found.append((title, row[1], row[2] or "", row[3]))
    titles = {g.name: g.title for g in table.groups}
    same("help", set(found), {(titles[c.group], c.word, c.operands, c.doc) for c in table.commands})
    for c in table.commands:
        text = "\n".join(unwrapped(trainc("help", c.word)))
        rows = re.findall(r"^  (?:-(\w),|   ) --([a-z-]+)(?: ([^ \n]+))?", text, re.M)
        same("help " + c.word, set(rows), options_of(c))
        same("help %s: documentation" % c.word, {o.doc for o in table.options_of(c) if o.doc not in text}, set())


# ---- manual pages ----

def page_options(text):
    """{command: {(letter, word, choices or argument)}} of the lists below OPTIONS."""
    found, takers = {}, []
    inside = text[text.index(".Sh OPTIONS"):]
    for line in inside[:inside.index('.\\" end')].split("\n"):
        line = line.replace("\\-", "-")
        if line.startswith(".Ss "):
            takers = line[4:].split(", ")
        row = re.fullmatch(r"\.It (?:Fl (\w) , )?Fl -([a-z-]+)(?: (?:Ar (\S+)|Cm (.*)))?", line)
        if row:
            for taker in takers:
                value = row[3] or (row[4] or "").replace(" | ", "|")
                found.setdefault(taker, set()).add((row[1] or "", row[2], value))
    return found


def page(group):
    text = manual.read(os.path.join(ROOT, "docs", group.page + ".1"))
    commands = table.commands_of(group.page)
    found = page_options(text)
    common = found.get("All commands", set())
    same(group.page + ": commands with options", set(found) - {"All commands"} - {c.word for c in commands}, set())
    for c in commands:
        same("%s: %s" % (group.page, c.word), found.get(c.word, set()) | common, options_of(c))
    prose = manual.BLOCK.sub("", text).replace("\\-", "-")
    same(group.page + ": described", set(re.findall(r"^\.It Cm (\S+)$", prose, re.M)), {c.word for c in commands})
    names = {"trainc-" + c.word for c in commands}
    same(group.page + ": NAME", set(re.findall(r"^\.Nm (trainc-\S+)", prose, re.M)), names)
    check_prose(group.page, prose)


def check_prose(name, prose):
    """Options that the prose mentions exist."""
    known = {o.word for o in table.options}
    macros = [line for line in prose.split("\n") if line.startswith(".")]
    mentioned = {word for line in macros for word in re.findall(r"(?:Fl | , )--?([a-z]+(?:-[a-z]+)*)", line)}
    same(name + ": options in its sentences", mentioned - known - {"name"}, set())


def pages():
    for group in table.groups:
        page(group)
    text = manual.read(os.path.join(ROOT, "docs", "trainc.1"))
    listed = text[text.index('.\\" begin commands'):]
    found = re.findall(r"^\.It Cm (\S+)", listed[:listed.index('.\\" end')].replace("\\-", "-"), re.M)
    same("trainc(1)", set(found), {c.word for c in table.commands})
    check_prose("trainc(1)", manual.BLOCK.sub("", text).replace("\\-", "-"))


# ---- completion ----

BASH = """
. ./bash.txt
while read -r line; do
    COMP_WORDS=(trainc) i=0
    for word in $line; do COMP_WORDS+=("${word/#EMPTY/}"); done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _trainc
    echo "${COMPREPLY[*]}"
done
"""


def values(option):
    return set(option.choices)


def questions():
    """(words before the cursor, expected offers)"""
    yield "EMPTY", {c.word for c in table.commands}
    for c in table.commands:
        yield c.word + " --", {"--" + o.word for o in table.options_of(c)}
        for o in table.options_of(c):
            if o.choices:
                yield "%s --%s EMPTY" % (c.word, o.word), values(o)
                yield "%s --%s = EMPTY" % (c.word, o.word), values(o)
                if o.letter:
                    yield "%s -%s EMPTY" % (c.word, o.letter), values(o)
    yield "compile -o EMPTY", {"yaml", "json", "bash.txt"}
    yield "completion EMPTY", {"bash", "zsh", "fish"}
    yield "help EMPTY", {c.word for c in table.commands}
    yield "--color = never comp", {"compile", "completion"}
    yield "version EMPTY", set()


def bash():
    asked = list(questions())
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "bash.txt"), "w", encoding="utf-8") as f:
            f.write(trainc("completion", "bash"))
        done = subprocess.run(["bash", "-c", BASH], input="".join(q + "\n" for q, _ in asked), capture_output=True, text=True,
                              cwd=folder, timeout=120)
    answers = done.stdout.split("\n")
    for (question, wanted), answer in zip(asked, answers):
        same("bash: trainc " + question, set(answer.split()), wanted)
    same("bash says nothing else", done.stderr, "")


def zsh():
    text = trainc("completion", "zsh")
    head, _, rest = text.partition("case $words[1] in\n")
    same("zsh: commands", set(re.findall(r"^\t\t'([a-z-]+):", head, re.M)), {c.word for c in table.commands})
    for c in table.commands:
        part = re.search(r"^\t\t%s\) _arguments(.*?) ;;$" % c.word, rest, re.M | re.S)
        found = set()
        for line in part[1].split(" \\\n"):
            row = re.match(r"\t*(?:'\(-(\w) --[a-z-]+\)'\{-\w\+?,--([a-z-]+)=?\}'|'\*?--([a-z-]+)=?)\[(?:[^]\\]|\\.)*\](?::((?:\\:|[^:])+):(?:\(([^)]*)\))?)?", line)
            if row:
                listed = row[4] == "FRAMEWORK" or row[3] in ("target", "kubernetes")    # names that the table does not list
                choices = row[5] if row[5] and not listed else None
                found.add((row[1] or "", row[2] or row[3], choices.replace(" ", "|") if choices else (row[4] or "").replace("\\:", ":")))
        same("zsh: " + c.word, found, options_of(c))


def fish():
    text = trainc("completion", "fish")
    same("fish: commands", set(re.findall(r"-n __fish_use_subcommand -a (\S+) -d", text)), {c.word for c in table.commands})
    for c in table.commands:
        rows = re.findall(r"^complete -c trainc -n '__fish_seen_subcommand_from %s' -l (\S+)(?: -s (\w))?(?: -[rx])?(?: -F)?(?: -a '([^']*)')? -d" % c.word,
                          text, re.M)
        wanted = {(o.word, o.letter, " ".join(o.choices)) for o in table.options_of(c)}
        known = {o.word: o for o in table.options_of(c)}
        found = {(word, letter, offered if word in known and known[word].choices else "") for word, letter, offered in rows}
        same("fish: " + c.word, found, wanted)
    if not shutil.which("fish"):
        return skip("fish is not here to complete a line")
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "trainc.fish")
        with open(script, "w", encoding="utf-8") as f:
            f.write(text)
        ask = "source %s; complete -C 'trainc '; echo ==; complete -C 'trainc compile -o '; echo ==; complete -C 'trainc compile --'" % script
        done = subprocess.run(["fish", "-N", "-c", ask], capture_output=True, text=True, cwd=folder, timeout=60,
                              env={**os.environ, "HOME": folder, "PATH": os.path.dirname(TRAINC) + ":" + os.environ["PATH"]})
    commands, formats, options = ([line.split("\t")[0] for line in part.split("\n") if line] for part in done.stdout.split("==\n"))
    same("fish: trainc", set(commands), {c.word for c in table.commands})
    same("fish: trainc compile -o", set(formats), {"yaml", "json", "trainc.fish"})
    same("fish: trainc compile --", set(options), {"--" + o.word for o in table.options_of(table.commands[0])})


def main():
    help_()
    pages()
    bash() if shutil.which("bash") else skip("bash is not here")
    zsh()
    fish()
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


sys.exit(main())
