"""ci_formats.py TRAINC - see ci_formats.sh."""
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as xml

trainc = os.path.abspath(sys.argv[1])
root = os.getcwd()
passed = failed = 0


def check(what, ok, more=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL", what, str(more)[:400])


def run(form, *files):
    return subprocess.run([trainc, "check", "--format", form, *files], capture_output=True, text=True)


def lines_of_json(*files):
    return [json.loads(line) for line in run("json", *files).stdout.splitlines()]


GOOD = 'job "a" {\n  image   = "a:1"\n  command = ["true"]\n\n  role w { replicas = 1 }\n}\n'
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    names = ["bad.tj", "a,b:c%d.tj", "with space é.tj", "sub/x&<y>.tj"]
    os.mkdir("sub")
    for name in names:
        with open(name, "w") as f:
            f.write('job "a" {\n  imag = "%,:\\n<&\\"]]>"\n  command = 3\n  comand = 3\n  comand = 3\n}\n')
    with open("good.tj", "w") as f:
        f.write(open(os.path.join(root, "examples/01-torch-data-parallel/mnist.tj")).read())
    for files in [[name] for name in names] + [["./bad.tj"], names, ["good.tj"], ["good.tj", "bad.tj"], ["nothing.tj"]]:
        expected = lines_of_json(*files)
        status = run("json", *files).returncode

        said = run("github", *files)
        found = [re.fullmatch(r"::(error|warning) file=([^,]*)((?:,\w+=\d+)*),title=(TJ\d+)::(.*)", line)
                 for line in said.stdout.splitlines()]
        check(f"github: {files}: one command for each diagnostic", all(found) and len(found) == len(expected), said.stdout)
        if all(found) and len(found) == len(expected):
            for match, d in zip(found, expected):
                text = urllib.parse.unquote(match[5])
                check("... severity, code and message", match[1] == d["severity"] and match[4] == d["code"] and text.startswith(d["message"])
                      and d["help"] in text, (match[0], d))
                if d["spans"]:
                    at = d["spans"][0]
                    place = dict(p.split("=") for p in match[3].split(",") if p)
                    check("... place", urllib.parse.unquote(match[2]) == at["file"].replace("./", "", 1)
                          and int(place["line"]) == at["line"] and place.get("col", str(at["column"])) == str(at["column"]), match[0])
        check(f"github: {files}: the exit status", said.returncode == status)

        said = run("gitlab", *files)
        report = json.loads(said.stdout)
        check(f"gitlab: {files}: one entry for each diagnostic", len(report) == len(expected) and said.returncode == status)
        check("... what GitLab requires", all(e["description"] and e["check_name"] and e["severity"] in ("major", "minor")
              and e["location"]["path"] and e["location"]["lines"]["begin"] >= 1 for e in report), report)
        check("... fingerprints differ", len({e["fingerprint"] for e in report}) == len(report), report)
        check("... paths are relative", not any(e["location"]["path"].startswith(("./", "/")) for e in report))

        said = run("junit", *files)
        suite = xml.fromstring(said.stdout.encode()).find("testsuite")
        failures = suite.findall("testcase/failure")
        errors = sum(d["severity"] == "error" for d in expected)
        check(f"junit: {files}: counts", int(suite.get("failures")) == len(failures) == errors
              and int(suite.get("tests")) == len(suite.findall("testcase")) >= len(expected) and said.returncode == status, said.stdout)
        check("... messages", sorted(f.get("message") for f in failures) ==
              sorted(d["message"].replace("\n", " ") for d in expected if d["severity"] == "error"), said.stdout)

    # a fingerprint stays when lines are added above
    before = [e["fingerprint"] for e in json.loads(run("gitlab", "bad.tj").stdout)]
    with open("bad.tj") as f:
        text = f.read()
    with open("bad.tj", "w") as f:
        f.write("# one more line\n\n" + text)
    after = [e["fingerprint"] for e in json.loads(run("gitlab", "bad.tj").stdout)]
    check("gitlab: fingerprints stay when lines move", before == after and len(before) > 1)
    check("the empty report of a good program", run("github", "good.tj").stdout == "" and json.loads(run("gitlab", "good.tj").stdout) == [])
    os.chdir(root)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
