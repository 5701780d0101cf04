"""rules.py [TREES [SEED]] - the rules of .gitignore against git itself: generated directories with generated rules. What
'trainc code' leaves out must be what 'git check-ignore --no-index' ignores."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
NAMES = ["a", "b", "ab", "abc", "foo", "bar", "foo.py", "a.txt", "b.log", "data", "x y", "[z]", "!n", "#h", "é", "-d", "end "]
PROGRAM = 'job "a" {\n  image = "a/b:1"\n  code = "."\n  role w { command = ["x"] }\n}\n'
GIT = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", HOME="/nonexistent")
PIECES = ["*", "**", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[[:nope:]]", "[a-", "\\*", "\\", "\\ ", "/",
          "/**/", "**/", "/**", "*.", "[\\]]", "[a\\-c]", "[[:]", "[z-a]", "[[:digit:]x]", "***", "a**b", "**a", "[-a]", "[a-]"]


def pattern(r):
    """A line of a .gitignore: mostly names and pieces of patterns, with the signs that mean something at its ends."""
    line = r.choice(["", "", "", "", "!", "/", "!/", "\\!", "\\#", "#", " "])
    for _ in range(r.randint(1, 4)):
        kind = r.random()
        line += r.choice(NAMES) if kind < 0.55 else r.choice(PIECES)
        if r.random() < 0.25:
            line += "/"
    return line + r.choice(["", "", "", "", "/", " ", "  ", "\\ ", "\t"])


def rules(r):
    lines = [pattern(r) for _ in range(r.randint(1, 6))]
    text = ("\ufeff" if r.random() < 0.05 else "") + "".join(
        line + ("\r\n" if r.random() < 0.1 else "\n") for line in lines)
    return (text[:-1] if r.random() < 0.2 else text).encode()


def grow(r, directory, depth):
    """Fills a directory with files, directories, links, and rules."""
    for name in r.sample(NAMES, r.randint(1, 6)):
        path = os.path.join(directory, name)
        kind = r.random()
        if kind < 0.45 and depth < 4:
            os.mkdir(path)
            grow(r, path, depth + 1)
        elif kind < 0.52:
            os.symlink(r.choice(NAMES), path)
        else:
            open(path, "w").close()
    if r.random() < (0.9 if depth == 0 else 0.35):
        with open(os.path.join(directory, ".gitignore"), "wb") as f:
            f.write(rules(r))


def paths(top):
    """All files and links, relative to the top."""
    found = []
    for directory, names, files in os.walk(top):
        names[:] = [n for n in names if n != ".git"]
        for name in files + [n for n in names if os.path.islink(os.path.join(directory, n))]:
            found.append(os.path.relpath(os.path.join(directory, name), top))
    return found


def ignored(top, all_paths):
    p = subprocess.run(["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"], cwd=top,
                       input="\0".join(all_paths).encode(), stdout=subprocess.PIPE, env=GIT, check=False)
    return set(p.stdout.decode().split("\0")) - {""}


def taken(top):
    p = subprocess.run([TRAINC, "code", "-o", "json", "job.tj"], cwd=top, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if p.returncode:
        return {"status %d" % p.returncode, p.stderr.decode()}
    return {e["path"] for e in json.loads(p.stdout)["snapshots"][0]["entries"]}


def explain(top, path):
    p = subprocess.run(["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-v", "-n", "--", path], cwd=top,
                       stdout=subprocess.PIPE, env=GIT, check=False)
    q = subprocess.run([TRAINC, "code", "--why=" + path, "job.tj"], cwd=top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return "git: %s trainc: %s" % (p.stdout.decode(), q.stdout.decode())


def one(top, seed):
    """Returns what is wrong with the tree of one seed; empty if nothing is."""
    r = random.Random(seed)
    grow(r, top, 0)
    for name, text in (("job.tj", PROGRAM), ("project.tj", "project { }\n")):
        if os.path.isdir(os.path.join(top, name)):
            return ""
        with open(os.path.join(top, name), "w", encoding="utf-8") as f:
            f.write(text)
    with open(os.path.join(top, ".gitignore"), "ab") as f:      # the program itself must be taken, or nothing is compared
        f.write(b"\n!/job.tj\n!/project.tj\n")
    subprocess.run(["git", "init", "-q"], cwd=top, env=GIT, check=True)
    every = paths(top)
    want, got = set(every) - ignored(top, every), taken(top)
    wrong = sorted(want ^ got)
    return "\n".join("%r: %s" % (p, explain(top, p)) for p in wrong[:3]) if wrong else ""


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    passed = failed = 0
    work = tempfile.mkdtemp()
    try:
        for seed in range(first, first + count):
            top = os.path.join(work, str(seed))
            os.mkdir(top)
            wrong = one(top, seed)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print("seed %d:\n%s" % (seed, wrong))
            shutil.rmtree(top)
    finally:
        shutil.rmtree(work)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
