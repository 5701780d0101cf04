"""The manual pages: lists agree with the table, the formatters do not warn, the examples run, and the pages are
installed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "docs"))
import manual

TRAINC, BUILD = os.environ["TRAINC"], os.environ.get("BUILD", "build")
PROGRAM = """param nodes: int(1..8) = 2
profile prod { nodes = 4 }

job "hello" {
  image = "registry.example.com/hello:1.0"
  role main { replicas = nodes, cpu = 1, memory = 1Gi }
}
"""
counts = {"passed": 0, "failed": 0, "skipped": 0}


def check(what, problem):
    counts["failed" if problem else "passed"] += 1
    if problem:
        print("FAIL %s\n%s" % (what, str(problem)[:2000]))


def skip(what):
    counts["skipped"] += 1
    print("skip", what)


def pages():
    return [os.path.join(ROOT, "docs", page + ".1") for page in manual.pages(manual.Table())]


def warnings():
    if shutil.which("mandoc"):
        for page in pages():
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True, timeout=60)
            check("mandoc -T lint " + page, done.stdout)
    else:
        skip("mandoc is not here to read the pages")
    if shutil.which("groff"):
        for page in pages():
            done = subprocess.run(["groff", "-man", "-mdoc", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True, timeout=60)
            check("groff -ww " + page, done.stderr)
    else:
        skip("groff is not here to read the pages")


def examples():
    """Lines of EXAMPLES that begin with trainc, up to a pipe, in a directory with a program."""
    for page in pages():
        text = manual.read(page).replace("\\(dq", '"').replace("\\-", "-").replace("\\e", "\\")
        lines = re.findall(r"^\.Dl (.*)$", text[text.index(".Sh EXAMPLES"):], re.M)
        check(page + " has examples", not lines)
        for line in lines:
            command = re.search(r"trainc ([^|>)]*)", line)[1]
            with tempfile.TemporaryDirectory() as folder:
                os.mkdir(os.path.join(folder, "data"))
                if "init" not in command:
                    with open(os.path.join(folder, "job.tj"), "w", encoding="utf-8") as f:
                        f.write(PROGRAM)
                with open(os.path.join(folder, "objects.json"), "w", encoding="utf-8") as f:
                    f.write('{ "kind": "List", "items": [] }')
                if "--local" in command or command.startswith("supervise"):        # commands that would run for a long time are only parsed
                    command = " --help ".join((command + " ").split(" ", 1))
                done = subprocess.run(["sh", "-c", '"$0" ' + command, TRAINC], cwd=folder, capture_output=True, text=True, timeout=60)
            check("%s: %s" % (page, line), done.returncode and done.stderr + "status %d" % done.returncode)


def installed():
    with tempfile.TemporaryDirectory() as root:
        done = subprocess.run(["sh", ".ci/install", root], cwd=ROOT, capture_output=True, text=True, timeout=60, env={**os.environ, "BUILD": BUILD})
        check(".ci/install", done.returncode and done.stderr)
        files = {os.path.relpath(os.path.join(at, f), root) for at, _, names in os.walk(root) for f in names}
        wanted = {"bin/trainc", "libexec/trainc/trainc-cluster", "include/trainc.h", "lib/libtrainc.a",
                  "share/bash-completion/completions/trainc", "share/zsh/site-functions/_trainc",
                  "share/fish/vendor_completions.d/trainc.fish", "share/man/man1/trainc.1", "share/doc/trainc/README.md",
                  "share/doc/trainc/LICENSE"}
        wanted |= {"share/man/man1/trainc-%s.1" % c.word for c in manual.Table().commands}
        wanted |= {"share/man/man1/%s.1" % g.page for g in manual.Table().groups}
        documents = {f for f in files if re.match("share/doc/trainc/(docs|examples)/|share/doc/trainc/installed$", f)}
        check("what is installed", (files - documents) ^ wanted)
        with open(os.path.join(root, "share/doc/trainc/installed"), encoding="utf-8") as f:
            check("share/doc/trainc/installed", set(f.read().split("\n")) ^ (files - {"share/doc/trainc/installed"} | {""}))
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", manual.read(os.path.join(root, "share/doc/trainc/README.md"))):
            check("the installed README links to " + link, not os.path.exists(os.path.join(root, "share/doc/trainc", link)))
        check("where it is said", "below %s; 'trainc init'" % root not in done.stdout or "%s/bin is not in PATH" % root not in done.stdout)
        for file in sorted(files):
            path = os.path.join(root, file)
            check(file + " is not empty", os.path.getsize(path) == 0)
            if file in ("bin/trainc", "libexec/trainc/trainc-cluster"):
                with open(path, "rb") as f:
                    check(file + " has no debugging information", b".debug_info\0" in f.read())
            if file.startswith("share/man/"):
                target = re.match(r"\.so (.*)\n$", manual.read(path))
                check(file + " leads to a page", target and not os.path.exists(os.path.join(root, "share/man", target[1])))
        mine = os.path.join(root, "share/doc/trainc/mine")
        open(mine, "w").close()
        with open(os.path.join(root, "share/doc/trainc/installed"), "a", encoding="utf-8") as f:
            f.write("../outside\n/etc/outside\n")
        for left, code in (({"share/doc/trainc/mine"}, 0), ({"share/doc/trainc/mine"}, 1)):
            done = subprocess.run(["sh", ".ci/install", "--remove", root], cwd=ROOT, capture_output=True, text=True, timeout=60)
            check("--remove", done.returncode != code and done.stderr)
            files = {os.path.relpath(os.path.join(at, f), root) for at, _, names in os.walk(root) for f in names}
            check("what is left", files ^ left)


def main():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "docs", "manual.py"), "--check"], capture_output=True, text=True, timeout=60)
    check("docs/manual.py --check", done.returncode and done.stdout + done.stderr)
    warnings()
    examples()
    installed()
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


sys.exit(main())
