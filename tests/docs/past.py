#!/usr/bin/env python3
"""past.py - docs/from-*.md: each manifest or batch script becomes, by `trainc import`, the program that follows it; each
program passes `check` without a message, but what the import itself reports; each command of their `sh` blocks exists with
its options; no page is longer than 150 lines. BLESS=1 writes what the import prints into the page."""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counter import Counter             # noqa: E402

TRAINC = os.environ["TRAINC"]
counter = Counter()
holds = counter.holds
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def run(folder, *arguments):
    return subprocess.run([TRAINC, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def blocks(page, text, folder):
    """Yields each program of the page, with the old text that it comes from, or None."""
    before = None
    for fence in FENCE.finditer(text):
        language, content = fence.groups()
        if language in ("yaml", "sbatch"):
            before = content
        elif language == "tj":
            yield fence, content, before
            before = None
        elif language == "sh":
            commands(page, content)


def commands(page, content):
    for line in re.findall(r"trainc ([a-z-]+[^|#>\n]*)", content):
        word = line.split()[0]
        known = run(".", "help", word)
        options = set(re.findall(r"--[a-z-]+", known.stdout))
        unknown = [o for o in re.findall(r"--[a-z-]+", line) if o not in options]
        holds(f"{page}: trainc {line.strip()}", known.returncode == 0 and not unknown, unknown)


def check_page(page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    holds(page + ": at most 150 lines", text.count("\n") <= 150, text.count("\n"))
    with tempfile.TemporaryDirectory() as folder:
        changed = text
        for number, (fence, program, old) in enumerate(list(blocks(page, text, folder))):
            path = os.path.join(folder, "job.tj")
            if old is not None:
                with open(os.path.join(folder, "old"), "w", encoding="utf-8") as f:
                    f.write(old)
                got = run(folder, "import", "old").stdout
                changed = changed.replace("```tj\n" + program + "```", "```tj\n" + got + "```", 1)
                holds(f"{page}: program {number + 1} is what the import prints", got == program or os.environ.get("BLESS"), got)
            with open(path, "w", encoding="utf-8") as f:
                f.write(program)
            done = run(folder, "check", "job.tj")
            said = [code for code in re.findall(r"\[(TJ\d{4})\]$", done.stderr, re.M) if code != "TJ0817"]
            holds(f"{page}: program {number + 1} compiles", done.returncode == 0 and (old is not None or not said), done.stderr)
            holds(f"{page}: program {number + 1} has its form", run(folder, "fmt", "--check", "job.tj").returncode == 0, run(folder, "fmt", "--diff", "job.tj").stdout)
    if os.environ.get("BLESS") and changed != text:
        with open(page, "w", encoding="utf-8") as f:
            f.write(changed)
        print("blessed", page)


pages = sorted(glob.glob("docs/from-*.md"))
holds("there are pages", len(pages) >= 6)
for one in pages:
    check_page(one)
counter.end()
