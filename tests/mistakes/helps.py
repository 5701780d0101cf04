"""Every help with code in it works: the code, inserted where the message points, fixes the mistake and causes no other.

    helps.py TRAINC

The programs are those of tests/mistakes and the wrong ones of the diagnostics' pages.  Text in quotes or after 'write'
counts as code when it contains punctuation of the language; a placeholder with dots or with a word in capitals does
not.  A piece may replace the marked text, the item around it, or the line, or be put at the top of the file, as a
reader would try; one of these must work.  Helps whose code belongs elsewhere are listed in helps.elsewhere, with the
reason, and are checked by hand. """
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "docs")]
import diagnostics  # noqa: E402

TRAINC = sys.argv[1]
ELSEWHERE = os.path.join(HERE, "helps.elsewhere")
FORM = re.compile(r"\.\.\.|←|\b[A-Z][A-Z]+\.[A-Z]|\b(MODULE|DEVICE|NAME|FILE|TOPOLOGY|CONDITION|FRAMEWORK|ROLE|DIR)\b")
SIGN = re.compile(r"\w ?[={(]|[\[\"]|\.\.|\d:\d")
COMMAND = re.compile(r" +(kubectl|trainc) ")    # on a line of its own
MOVES = re.compile(r"argument|mount|belongs|in the job|declare|at the volume|say so|pass|as Kubernetes does|a block|'import")
PLAIN = re.compile(r'"[^"]*"|\d[\w.]*(?:(?:\.\.|:)\d+)?|[\w.]+\([^()]*\)|\w+(?: \w+)? (?:= |\{ ).*')


def check(directory, path, words):
    done = subprocess.run([TRAINC, *words, "--format", "json", path], cwd=directory, capture_output=True, timeout=60, check=False)
    return [json.loads(line) for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("{")]


def pieces(text):
    """The pieces of code that a help shows."""
    found = []
    text = "\n".join(line for line in text.split("\n") if not COMMAND.match(line))
    for part in text.split("; "):
        quoted = re.findall(r"(?:(?<=[\s(:])|^)'((?:[^'])+)'(?=[\s,.:;?)]|$)", part)
        plain = re.search(r"(?:^|: )(?:write|insert) (?:[^':]*: )?(.*)$", part)
        if quoted:
            found += [("remove" if re.search("remove '%s'" % re.escape(q), part) else "put", q) for q in quoted]
        elif plain and PLAIN.match(plain.group(1)):
            found.append(("put", re.sub(r",? (without|for|with|in|instead|if|to|where|and|or) .*$", "", PLAIN.match(plain.group(1)).group(0))))
    return [(how, c) for how, c in found if (SIGN.search(c) or c[0].isdigit()) and not FORM.search(c) and not c.startswith(("trainc ", "kubectl "))]


def item_start(line, column, code):
    """The start of the item whose key the code sets, or of the last item before the column."""
    key = re.match(r'"?[\w./-]+"?', code)
    starts = [m.start() for m in re.finditer(r"(?<![\w.\"])%s(?![\w-])" % re.escape(key.group(0)), line[:column + 1])] if key else []
    return starts[-1] if starts else None


def ends(line, column):
    yield column
    for m in re.finditer(r",|\}|\)|\]|$|#| ", line[column:]):
        yield column + m.start()
        yield column + m.end()


def placements(text, span, code):
    """The texts that a reader would try."""
    raw = text.encode()
    before, marked, after = (raw[:span["offset"]].decode(errors="replace"), raw[span["offset"]:span["offset"] + span["length"]].decode(errors="replace"),
                             raw[span["offset"] + span["length"]:].decode(errors="replace"))
    yield before + code + after
    begin = before.rfind("\n") + 1
    rest = after.find("\n")
    rest = len(after) if rest < 0 else rest
    line = before[begin:] + marked + after[:rest]
    column = len(before) - begin
    head, tail = before[:begin], after[rest:]
    indent = len(line) - len(line.lstrip())
    stop = column + len(marked)
    starts = {item_start(line, column, code), item_start(line, len(line), code), column, indent}
    starts |= {m.end() for m in re.finditer(r"[={(,\[:] *| ", line[:column + 1]) if m.end() <= column}
    last = {e for e in ends(line, min(stop, len(line)))} | {len(line)}
    for start in sorted(s for s in starts if s is not None):
        for end in sorted(last):
            if end >= start:
                yield head + line[:start] + code + line[end:] + tail
                if line[end:].strip() in ("", "}", "{") and code.count("{") > code.count("}"):
                    yield head + line[:start] + code + tail
    yield head + line[:indent] + code + "\n" + line + tail
    yield head + line + "\n" + line[:indent] + code + tail
    yield code + "\n" + text
    yield before + marked + code + after
    yield before + marked + " " + code + after
    yield before + code + marked + after


def removed(text, span):
    """The text without the marked item: without its line, or without what is between separators."""
    raw = text.encode()
    before, after = raw[:span["offset"]].decode(errors="replace"), raw[span["offset"] + span["length"]:].decode(errors="replace")
    marked = raw[span["offset"]:span["offset"] + span["length"]].decode(errors="replace")
    yield before[:before.rfind("\n") + 1] + after[after.find("\n") + 1:]
    for start in {len(before)} | {m.start() for m in re.finditer(r"[\w\"./-]+ *(=|:|\{)? *$", before)}:
        for stop in [0] + [m.end() for m in re.finditer(r"[,}\n]", after[:120])]:
            yield before[:start] + after[stop:]
            yield before[:start] + after[max(stop - 1, 0):]
    yield before + marked + after


def moves(text, span, code):
    """The item is removed, and the code is written in the job's header, in a call on the line, or on its own line."""
    head = r'(job "[^"]*": *)([\w.]+)(?:\(([^()]*)\))?( \{)'

    def called(m):
        arguments = ", ".join(x for x in (m.group(3), code) if x)
        return m.group(1) + (code if re.match(r"[\w.]+\(", code) else "%s(%s)" % (m.group(2), arguments)) + m.group(4)

    for rest in dict.fromkeys(removed(text, span)):
        heads = [m for m in re.finditer(head, rest) if m.start() < span["offset"]]
        # the job that the place is in
        yield rest[:heads[-1].start()] + called(heads[-1]) + rest[heads[-1].end():] if heads else rest
        if len(rest) < 2500:
            lines = rest.split("\n")
            for i in range(len(lines)):
                yield "\n".join(lines[:i] + [code] + lines[i:])
                if code.split()[0] in lines[i]:
                    yield "\n".join(lines[:i] + [code] + lines[i + 1:])
    for m in re.finditer(r"\)", text):
        yield text[:m.start()] + ", " + code + text[m.start():]


def removals(text, code):
    """The text without one of the positions of the code, and without the comma or the line that only it had."""
    for m in re.finditer(r"(, )?%s(,? )?" % r"\s*".join(re.escape(w) for w in code.split()), text):
        yield text[:m.start()] + text[m.end():]
        yield text[:m.start()] + " " + text[m.end():]
        yield text[:m.start()].rstrip(" ") + text[m.end():]


def edited(text, edits):
    raw = text.encode()
    for edit in sorted(edits, key=lambda e: -e["offset"]):
        raw = raw[:edit["offset"]] + edit["text"].encode() + raw[edit["offset"] + edit["length"]:]
    return raw.decode(errors="replace")


def names(diagnostics_found):
    return collections.Counter((d["code"], d["message"]) for d in diagnostics_found)


def cured(before, after, diagnostic, text, candidate):
    """The diagnostic occurs once less, and no error is new except in unchanged lines, where the diagnostic may have
    hidden it."""
    old, new = names(before), names(after)
    key = (diagnostic["code"], diagnostic["message"])
    if new[key] >= old[key]:
        return False
    lines, unchanged = candidate.split("\n"), set(text.split("\n"))
    for d in after:
        if d["severity"] != "error" or new[d["code"], d["message"]] <= old[d["code"], d["message"]]:
            continue
        line = next(s["line"] for s in d["spans"] if s["primary"])
        if d["code"].startswith("TJ01") or line > len(lines) or lines[line - 1] not in unchanged:
            return False
    return True


def works(directory, path, words, before, diagnostic, how, code):
    span = next(s for s in diagnostic["spans"] if s["primary"])
    full = os.path.join(directory, span["file"])
    if not os.path.exists(full):
        return True             # about the command line
    with open(full, encoding="utf-8", newline="") as f:
        text = f.read()
    tried = [edited(text, fix["edits"]) for fix in diagnostic["fixes"] if squeezed(code) in squeezed(fix["title"] + edited(text, fix["edits"]))]
    try:
        for candidate in [*tried, *(removals(text, code) if how == "remove" else placements(text, span, code)), *(moves(text, span, code) if how == "put" and MOVES.search(diagnostic["help"]) else ())]:
            with open(full, "w", encoding="utf-8", newline="") as f:
                f.write(candidate)
            if cured(before, check(directory, path, words), diagnostic, text, candidate):
                return True
        return False
    finally:
        with open(full, "w", encoding="utf-8", newline="") as f:
            f.write(text)


def squeezed(text):
    return re.sub(r"\s+", "", text)


def programs():
    for path in sorted(glob.glob(os.path.join(HERE, "*.tj"))):
        with open(path, encoding="utf-8", newline="") as f:
            text = f.read()
        words = open(path[:-3] + ".args", encoding="utf-8").read().split() if os.path.exists(path[:-3] + ".args") else []
        files = {os.path.basename(p): open(p, encoding="utf-8", newline="").read() for p in glob.glob(os.path.join(HERE, "*.tj"))}
        yield os.path.basename(path), {**files, os.path.basename(path): text}, ["check", *words], os.path.basename(path)
    for page in diagnostics.pages():
        for i, program in enumerate(page.programs("wrong")):
            words = program.words()
            if words[0] in ("check", "compile"):
                yield "%s %d" % (page.code.name, i), program.files, ["check", *words[1:-1]], words[-1]


def judge(case):
    name, files, words, path = case
    passed, problems = 0, []
    with tempfile.TemporaryDirectory() as directory:
        for file, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(directory, file)) or directory, exist_ok=True)
            with open(os.path.join(directory, file), "w", encoding="utf-8", newline="") as f:
                f.write(text)
        before = check(directory, path, words)
        for diagnostic in before:
            for how, code in pieces(diagnostic.get("help") or ""):
                if works(directory, path, words, before, diagnostic, how, code):
                    passed += 1
                else:
                    span = next(s for s in diagnostic["spans"] if s["primary"])
                    problems.append(("%s:%d" % (name, span["line"]), code, diagnostic["help"]))
    return passed, problems


def main():
    known = {}
    if os.path.exists(ELSEWHERE):
        for line in open(ELSEWHERE, encoding="utf-8"):
            if line.strip() and not line.startswith("#"):
                code, reason = line.rstrip("\n").split("\t")
                known[code] = reason
    passed = failed = 0
    used = set()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for count, problems in pool.map(judge, programs()):
            passed += count
            for place, code, text in problems:
                if code in known:
                    used.add(code)
                    passed += 1
                else:
                    failed += 1
                    print("FAIL %s: '%s' does not end the mistake\n     help: %s" % (place, code, text))
    for code in sorted(set(known) - used):
        failed += 1
        print("FAIL helps.elsewhere: no help shows '%s' that does not work where it is shown" % code)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
