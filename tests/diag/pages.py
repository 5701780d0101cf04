"""The programs of every page: see pages.sh."""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "docs"), HERE]
import diagnostics
import sarif

TRAINC, BLESS = os.environ["TRAINC"], bool(os.environ.get("BLESS"))
PROSE, PROGRAM = 80, 100        # columns
SENTENCES = 2                   # at least: what is wrong, and why


class Result:
    def __init__(self):
        self.passed, self.problems = 0, []

    def expect(self, what, condition, detail=""):
        if condition:
            self.passed += 1
        else:
            self.problems.append("FAIL %s\n%s" % (what, detail))
        return condition


def trainc(folder, *words):
    return subprocess.run([TRAINC, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


def lay_out(folder, program):
    for name, text in program.files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)


def check_form(r, page):
    name = page.code.name
    if not r.expect("%s has a page" % name, page.exists):
        return
    prose = page.text()
    r.expect("%s begins with its explanation" % name, page.parts and page.parts[0] in prose)
    r.expect("%s says what and why" % name, sum(p.count(".") for p in prose) >= SENTENCES)
    for line in page.source.split("\n"):
        limit = PROSE if any(line in p for p in prose) else PROGRAM
        if len(line) > limit or line != line.rstrip() or "\t" in line:
            r.expect("%s: lines of at most %d columns, without tabs and blanks at the end" % (name, limit), False, line)
    why_not = diagnostics.WITHOUT_PROGRAMS.get(name)
    programs = page.programs("wrong") and page.programs("right")
    r.expect("%s has a wrong and a right program%s" % (name, ", but cannot: " + why_not if why_not else ""), bool(programs) != bool(why_not))


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


RUNTIME = "TJ0817"      # most programs of pages need the runtime, which has its own page


def without_runtime(code, text):
    """The text of diagnostics without those that say that the runtime is needed."""
    if code.name == RUNTIME:
        return text
    kept = [part for part in text.split("\n\n") if "[%s]" % RUNTIME not in part.split("\n")[0]]
    return "\n\n".join(kept).rstrip("\n") + "\n" if any(kept) else ""


def lines_without_runtime(code, text):
    return "".join(line + "\n" for line in text.splitlines() if code.name == RUNTIME or '"code":"%s"' % RUNTIME not in line)


def check_wrong(r, page, program, folder):
    """The diagnostics, as text and as JSON."""
    code, words = page.code, program.words()
    text = trainc(folder, *words)
    said = trainc(folder, words[0], "--format", "json", *words[1:])
    machine = (said.stdout if words[0] == "check" else said.stderr).decode()
    everything = lines_of(machine)
    machine = lines_without_runtime(code, machine)
    diagnostics_said = lines_of(machine)
    codes = [d["code"] for d in diagnostics_said]
    r.expect("%s: its wrong program gets it" % code.name, code.name in codes, text.stderr.decode())
    others = set(codes) - {code.name} - set(program.also)
    r.expect("%s: its wrong program gets nothing else" % code.name, not others, text.stderr.decode())
    r.expect("%s: `# also:` names what is said" % code.name, set(program.also) <= set(codes), program.also)
    status = 1 if any(d["severity"] == "error" for d in diagnostics_said) else 0
    r.expect("%s: status %d" % (code.name, status), text.returncode == said.returncode == status,
             "%d %d" % (text.returncode, said.returncode))
    check_sarif(r, code, folder, words, everything)
    return without_runtime(code, text.stderr.decode()), machine


def check_sarif(r, code, folder, words, said):
    done = trainc(folder, words[0], "--format", "sarif", *words[1:])
    problems = sarif.problems((done.stdout if words[0] == "check" else done.stderr).decode(), said)
    r.expect("%s: SARIF" % code.name, not problems, "\n".join(problems))


def check_right(r, page, program, folder):
    done = trainc(folder, *program.words())
    r.expect("%s: nothing is said about its right program" % page.code.name,
             done.returncode == 0 and not without_runtime(page.code, done.stderr.decode()), done.stderr.decode())


def check_golden(r, page, suffix, texts):
    path, text = page.golden(suffix), diagnostics.BETWEEN.join(texts)
    old = diagnostics.read(path) if os.path.exists(path) else ""
    if BLESS and old != text:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
        print("blessed %s" % os.path.relpath(path, ROOT))
        old = text
    r.expect(os.path.relpath(path, ROOT), old == text, "expected:\n%sfound:\n%s" % (old, text))


def check_explain(r, page, texts):
    """`trainc explain` compiles the wrong program itself, without files."""
    done = trainc(ROOT, "explain", page.code.name)
    shown = done.stdout.decode()
    r.expect("explain %s" % page.code.name, done.returncode == 0 and shown.startswith(page.code.name + " "))
    for text in texts:
        r.expect("explain %s shows the message" % page.code.name, "\n" + text in shown, shown)


def check_page(page):
    r = Result()
    check_form(r, page)
    texts, machines = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for i, program in enumerate(page.programs("wrong") + page.programs("right")):
            folder = os.path.join(scratch, str(i))
            os.mkdir(folder)
            lay_out(folder, program)
            if program.kind == "right":
                check_right(r, page, program, folder)
                continue
            text, machine = check_wrong(r, page, program, folder)
            texts.append(text)
            machines.append(machine)
    if texts:
        check_golden(r, page, "diag", texts)
        check_golden(r, page, "json", machines)
    check_explain(r, page, texts)
    return r


def check_stray(r, pages):
    """Pages and goldens that belong to no code."""
    known = {page.code.name for page in pages}
    with_programs = {page.code.name for page in pages if page.programs("wrong")}
    for folder, names in ((diagnostics.PAGES, known), (diagnostics.GOLDENS, with_programs)):
        for name in sorted(os.listdir(folder) if os.path.isdir(folder) else []):
            r.expect("%s belongs to a code" % name, name.split(".")[0] in names)
    for name in diagnostics.WITHOUT_PROGRAMS:
        r.expect("%s is a code" % name, name in known)


def main():
    pages, total = diagnostics.pages(), Result()
    check_stray(total, pages)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for r in pool.map(check_page, pages):
            total.passed += r.passed
            total.problems += r.problems
    for problem in total.problems:
        print(problem)
    print("%d passed, %d failed" % (total.passed, len(total.problems)))
    return 1 if total.problems else 0


sys.exit(main())
