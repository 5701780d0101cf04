"""take.py - which files code takes, what it refuses, and that other programs read the archive."""
import base64
import gzip
import hashlib
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cluster"))
from api_memory import SANITIZED

TRAINC = os.environ["TRAINC"]
SLOW = 8 if SANITIZED else 1
PROGRAM = 'job "a" {\n  image = "a/b:1"\n  code %s\n  role w { command = ["x"] }\n}\n'
KEY = "-----BEGIN %sPRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"
RESULTS = {"passed": 0, "failed": 0}


def expect(name, good, more=""):
    RESULTS["passed" if good else "failed"] += 1
    if not good:
        print("FAIL %s %s" % (name, more))


class Tree:
    """A directory with a program and files."""

    def __init__(self, files=(), field='= "."'):
        self.top = tempfile.mkdtemp()
        self.write("job.tj", PROGRAM % field)
        for path, text in dict(files).items():
            self.write(path, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.top)

    def path(self, path):
        return os.path.join(self.top, path)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())

    def run(self, *words, **more):
        done = subprocess.run([TRAINC, *words], cwd=self.top, capture_output=True, timeout=60, check=False, **more)
        return done.returncode, done.stdout, done.stderr.decode()

    def taken(self):
        status, out, err = self.run("code", "-o", "json", "job.tj")
        if status:
            return err
        return {e["path"] for e in json.loads(out)["snapshots"][0]["entries"]} - {"job.tj"}


# ---- rules beyond those of git ----

RULES = [
    ("all files", {"a": "1", "d/b": "2"}, '= "."', {"a", "d/b"}),
    ("never .git, .trainc at the top", {".git/config": "", "d/.git": "", ".trainc/id": "", "d/.trainc": "x", "e/.git/x": ""}, '= "."', {"d/.trainc"}),
    ("never the archive of the step", {".trainc.tar": "x", "d/.trainc.tar": "x"}, '{ dir = ".", include = [".trainc.tar"] }', {"d/.trainc.tar"}),
    (".trainignore adds", {".gitignore": "*.pt\n", ".trainignore": "*.log\n", "a.pt": "", "a.log": "", "a": ""}, '= "."', {"a", ".gitignore", ".trainignore"}),
    (".trainignore takes again", {".gitignore": "*.pt\n", ".trainignore": "!keep.pt\n", "keep.pt": "", "a.pt": ""}, '= "."',
     {"keep.pt", ".gitignore", ".trainignore"}),
    ("a deeper file decides", {".trainignore": "*.pt\n", "d/.gitignore": "!*.pt\n", "d/a.pt": "", "a.pt": ""}, '= "."', {".trainignore", "d/.gitignore", "d/a.pt"}),
    ("exclude", {"notebooks/a": "", "a.ckpt": "", "d/b.ckpt": "", "a": ""}, '{ dir = ".", exclude = ["notebooks/", "*.ckpt"] }', {"a"}),
    ("exclude may begin with !", {".gitignore": "*.x\n", "a.x": "", "b.x": ""}, '{ dir = ".", exclude = ["!a.x"] }', {"a.x", ".gitignore"}),
    ("include reaches below", {".gitignore": "data/\n", "data/vocab.json": "1", "data/big": "2", "data/d/vocab.json": "3"},
     '{ dir = ".", include = ["data/vocab.json"] }', {".gitignore", "data/vocab.json"}),
    ("include by name", {".gitignore": "data/\n", "data/x/vocab.json": "1", "data/big": "2"}, '{ dir = ".", include = ["vocab.json"] }',
     {".gitignore", "data/x/vocab.json"}),
    ("include of a directory", {".gitignore": "data/\n", "data/x/a": "1", "data/x/b/c": "1", "data/big": "2"}, '{ dir = ".", include = ["data/x/"] }',
     {".gitignore", "data/x/a", "data/x/b/c"}),
    ("include is stronger than exclude", {"a.x": "", "b.x": ""}, '{ dir = ".", exclude = ["*.x"], include = ["a.x"] }', {"a.x"}),
    ("include takes no .git", {".git/config": "", "a": ""}, '{ dir = ".", include = [".git", "config"] }', {"a"}),
    ("below the project", {"project.tj": "project { }\n", ".gitignore": "*.pt\n", "src/a.pt": "", "src/a": "", "b": ""}, '= "src"', {"a"}),
    ("rules of directories between", {"project.tj": "project { }\n", "x/.gitignore": "/src/*.pt\n", "x/src/a.pt": "", "x/src/a": ""}, '= "x/src"', {"a"}),
    ("empty directories", {"a": ""}, '= "."', {"a"}),
]


def rules():
    for name, files, field, want in RULES:
        with Tree(files, field) as t:
            os.makedirs(t.path("empty/directory"), exist_ok=True)
            got = t.taken()
            expect(name, got == want, "%s, and not %s" % (got, want))
    with Tree({"project.tj": "project { }\n", ".gitignore": "src/\n", "src/a": ""}, '= "src"') as t:
        status, _, err = t.run("check", "job.tj")
        expect("a directory that a rule leaves out", status == 0 and "the code has no files" in err and ".gitignore:1" in err, err)
    with Tree({"a": ""}, '{ dir = ".", include = ["nothing"] }') as t:
        expect("an include without effect", "'include' has 'nothing', which matches nothing [TJ1309]" in t.run("check", "job.tj")[2])
    with Tree({"a.pt": "", ".gitignore": "# models\n\n*.pt\n"}) as t:
        expect("--why: left out", t.run("code", "--why", "a.pt", "job.tj")[:2] == (1, b"left out: .gitignore:3: *.pt\n"))
        expect("--why: taken", t.run("code", "--why", "job.tj", "job.tj")[:2] == (0, b"taken\n"))
        expect("--why: no such file", t.run("code", "--why", "gone", "job.tj")[:2] == (1, b"left out: no such file\n"))
        expect("--why: outside", t.run("code", "--why", "../x", "job.tj")[:2] == (1, b"left out: it is not in the directory '.' of the project\n"))
    why_from_elsewhere()


# where trainc is started, the path, and the answer
WHY = [
    ("sub", "deep/f.py", b"taken\n"), ("sub", "../sub/deep/f.py", b"taken\n"), ("sub/deep", "f.py", b"taken\n"), ("sub", "deep", b"taken: 2 files\n"),
    ("sub", ".", b"taken: 2 files\n"), ("sub", "..", b"taken: 5 files\n"), (".", ".", b"taken: 5 files\n"), (".", "sub/deep/", b"taken: 2 files\n"),
    (".", "su", b"left out: no such file\n"), ("sub", "a.pt", b"left out: .gitignore:1: *.pt\n"), ("sub", "%s/sub/deep/f.py", b"taken\n"),
]


def why_from_elsewhere():
    files = {"project.tj": "project { }\n", "sub/deep/f.py": "1", "sub/deep/g.py": "2", "sub/a.pt": "3", ".gitignore": "*.pt\n"}
    with Tree(files) as t:
        top = os.path.realpath(t.top)
        for start, path, want in WHY:
            done = subprocess.run([TRAINC, "code", os.path.relpath(os.path.join(top, "job.tj"), os.path.join(top, start)), "--why", path.replace("%s", top)],
                                  cwd=os.path.join(top, start), capture_output=True, timeout=60, check=False)
            expect("--why %s from %s" % (path, start), done.stdout == want, (done.stdout, done.stderr))


def own_output():
    """What the command itself writes is not taken, so that it says the same the second time."""
    for words, file in (("code -o tar job.tj > code.tar", "code.tar"), ("compile job.tj > m.yaml", "m.yaml"), ("compile job.tj -o ./m.yaml", "m.yaml"),
                        ("compile job.tj -o m.json", "m.json"), ("compile job.tj --output-dir objects", "objects"), ("compile job.tj --depfile m.d -o d/m.yaml", "m.d"),
                        ("plan job.tj > plan.txt 2> errors.txt", "plan.txt")):
        with Tree({"a": "1", "d/b": "2"}) as t:
            texts = []
            for _ in range(3):
                done = subprocess.run(["sh", "-c", '"$0" ' + words, TRAINC], cwd=t.top, capture_output=True, timeout=60, check=False)
                texts.append(b"".join(open(os.path.join(d, n), "rb").read() for d, _, names in sorted(os.walk(t.path(file))) for n in sorted(names))
                             if os.path.isdir(t.path(file)) else open(t.path(file), "rb").read())
                expect("%s: status" % words, done.returncode == 0, done.stderr)
            expect(words, texts[0] and texts[0] == texts[1] == texts[2])
    with Tree({"a": "1"}) as t:
        with open(t.path("all.txt"), "wb") as f:
            subprocess.run([TRAINC, "code", "--all", "job.tj"], cwd=t.top, stdout=f, timeout=60, check=False)
        expect("its rule", "output of this command  all.txt" in open(t.path("all.txt"), encoding="utf-8").read(), open(t.path("all.txt"), encoding="utf-8").read())


def options():
    """The options of plan: which job, and parameters."""
    text = 'param d: string = "x"\n' + "".join('job "%s" {\n  image = "a/b:1"\n  code = %s\n  role w { command = ["x"] }\n}\n' % p for p in (("one", '"x"'), ("two", "d")))
    with Tree({"x/f": "1", "y/g": "2"}) as t:
        t.write("job.tj", text)
        for words, want in ((["--job", "two", "--set", "d=y"], ["g"]), (["--job", "one", "--set", "d=y"], ["f"]), (["--set", "d=x"], ["f"])):
            status, out, err = t.run("code", "-o", "json", *words, "job.tj")
            shown = json.loads(out)["snapshots"] if status == 0 else []
            expect("code %s" % words, [[e["path"] for e in s["entries"]] for s in shown] == [want], err)
        err = t.run("code", "-o", "tar", "--set", "d=y", "job.tj")[2]
        expect("its advice", "choose one with --job and --role" in err, err)


# ---- secrets ----

SECRETS = [
    (".env", "A=1"), ("d/.env", ""), (".env.local", "x"), ("id_rsa", "x"), ("id_dsa", "x"), ("id_ecdsa", "x"), ("k/id_ed25519", "x"),
    ("a.pem", KEY % "RSA "), ("a.pem", "\0\1"), ("a.key", KEY % ""), ("a.p12", b"\x30\x00\x01"), ("a.pfx", b"\x30\x00"), ("a.jks", b"\xfe\xed\x00"),
    (".netrc", "x"), (".pgpass", "x"), (".pypirc", "x"), (".npmrc", "//r/:_authToken=x\n"), (".npmrc", "_password=x\n"), (".git-credentials", "x"),
    (".aws/credentials", "x"), ("application_default_credentials.json", "{}"), ("kubeconfig", "x"), ("dev.kubeconfig", "x"), (".kube/config", "x"),
    (".dockerconfigjson", "{}"), (".docker/config.json", "{}"),
    ("notes.txt", "see\n" + KEY % ""), ("a.asc", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n"), ("x.yaml", "kind: Config\nusers:\n- user:\n    token: abc\n"),
    ("x.json", '{"kind": "Config", "users": [{"user": {"client-key-data": "x"}}]}'), ("x.yaml", 'kind: "Config"\nusers: [{user: {password: x}}]\n'),
    ("sa.json", '{"type": "service_account", "private_key": "x"}'), ("late.txt", "x" * 60000 + "\n" + KEY % "EC "),
    ("mark.txt", "\ufeff" + KEY % ""), ("blank.txt", " " + KEY % "RSA "), ("x.yaml", "tls:\n  key: |\n    " + (KEY % "").replace("\n", "\n    ")),
    ("x.yaml", 'key: "-----BEGIN PRIVATE KEY-----\\nMIIB\\n"\n'), ("x.json", '{\n  "key" : "-----BEGIN EC PRIVATE KEY-----\\nMIIB\\n"\n}\n'), ("x.py", 'KEY = """' + KEY % ""),
    ("x.sh", "export TLS_KEY='" + KEY % ""), ("x.list", "- |\n  " + KEY % ""), ("x.tab", "\t" + KEY % "OPENSSH "),
]
HARMLESS = [
    (".env.example", "A=1"), (".env.sample", ""), (".env.template", ""), ("env", "x"), ("id_rsa.pub", "ssh-rsa AAAA"), ("cert.pem", "-----BEGIN CERTIFICATE-----\n"),
    ("public.key", "-----BEGIN PUBLIC KEY-----\n"), (".npmrc", "registry=https://registry.example.com\n"), ("credentials", "x"), ("aws/credentials", "x"),
    ("config", "x"), ("kube/config", "x"), ("config.json", "{}"), ("a.py", 'BEGIN = "-----BEGIN PRIVATE KEY-----"\n'), ("x.yaml", "kind: Config\nusers: []\n"),
    ("x.yaml", "kind: ConfigMap\ndata:\n  token: x\n"), ("x.json", '{"type": "service_account"}'), ("x.json", '{"private_key": "x"}'), ("a.jks", "text"),
    ("far.txt", "x" * 70000 + "\n" + KEY % ""), ("b.py", 'if line == "-----BEGIN PRIVATE KEY-----":\n'), ("c.py", "  '-----BEGIN RSA PRIVATE KEY-----',\n"),
    ("doc.md", "A key begins with -----BEGIN PRIVATE KEY-----\nand so on\n"),
]


def secrets():
    for path, text in SECRETS:
        with Tree({path: text}) as t:
            status, _, err = t.run("check", "job.tj")
            marked = isinstance(text, str) and "MIIB" in text and "MIIB" in err
            expect("secret: " + path, status == 1 and "'%s' looks like a secret" % path in err and "TJ1303" in err and not marked, err)
            t.write("job.tj", PROGRAM % ('{ dir = ".", allow = ["%s"] }' % path))
            expect("allowed: " + path, path in t.taken(), t.taken())
            t.write("job.tj", PROGRAM % '= "."')
            t.write(".trainignore", os.path.basename(path) + "\n")
            expect("left out: " + path, path not in t.taken() and ".trainignore" in t.taken(), t.taken())
    with Tree({"k%02d/.env" % i: "A=1" for i in range(13)}) as t:
        err = t.run("check", "job.tj")[2]
        expect("many secrets: each is named", "8 more files cannot be taken" in err and all("'k%02d/.env' looks like a secret" % i in err for i in range(13)), err)
    for path, text in HARMLESS:
        with Tree({path: text}) as t:
            expect("no secret: " + path, path in t.taken(), t.taken())


# ---- hostile directories ----

LINKS = [("/etc/passwd", True), ("../x", True), ("d/../../x", True), ("over/../../x", True), ("out2", True), ("a", False), ("d/b", False), ("nothing", False),
         ("d/../a", False), ("loop", False), ("./d/./b", False)]


def links():
    for target, refused in LINKS:
        with Tree({"a": "", "d/e/b": "", "d/b": ""}) as t:
            os.symlink("d/e", t.path("over"))               # over/.. is d, so over/../.. is the top
            if target == "over/../../x":
                os.symlink("over/../../../x", t.path("link"))
            elif target == "out2":
                t.write(".trainignore", "out2\n")           # the other link is left out, but this one leads over it
                os.symlink("/etc", t.path("out2"))
                os.symlink("out2/passwd", t.path("link"))
            else:
                os.symlink("link" if target == "loop" else target, t.path("link"))
            status, _, err = t.run("check", "job.tj")
            said = "TJ1304" in err and "'link' is a link that leads out of the directory" in err
            expect("link to " + target, (status == 1) == refused and said == refused, err)


def hostile():
    with Tree({"a": ""}) as t:
        os.mkfifo(t.path("pipe"))
        expect("a pipe is left out", t.taken() == {"a"}, t.taken())
        out = t.run("code", "--all", "job.tj")[1].decode()
        expect("a pipe is listed", "not a file" in out and "pipe" in out, out)
    red = "x^\x1b[31mRED"
    with Tree({"a": "", red + "/.gitignore": "b\n.gitignore\n", red + "/b": ""}) as t:
        for words in (["--all"], ["--why", red + "/b"]):
            out = t.run("code", *words, "job.tj")[1]
            expect("escapes in the name of a rule: %s" % words[0], b"RED/.gitignore:1" in out and b"\x1b" not in out, out)
    with Tree({red + "/a": ""}) as t:
        status, _, err = t.run("check", "job.tj")
        expect("escapes in the name of a directory", status == 1 and "TJ1305" in err and "\x1b" not in err, err)
    with Tree({"a": "x"}, '{ dir = ".", max = 20Gi }') as t:
        with open(t.path("sparse"), "wb") as f:
            f.truncate(8 << 30)
        status, _, err = t.run("check", "job.tj")
        expect("a file that a header cannot have", status == 1 and "'sparse' is larger than 8 GiB" in err and "TJ1302" in err, err)
    with Tree({"a": os.urandom(2000000), "z": "x"}, '{ dir = ".", max = 20Gi }') as t:
        with open(t.path("b"), "wb") as f:
            f.truncate(7 << 30)                             # hashing it takes far longer than all of this test
        start = os.times().children_user
        status, _, err = t.run("check", "job.tj")
        expect("nothing is read once it is too large", status == 1 and "TJ1306" in err and os.times().children_user - start < 2, err)
    for name, why in ((b"a\x1b[31m", "a control character"), (b"a\nb", "a control character"), (b"\xff", "not UTF-8"), (b"a\\b", "a backslash")):
        with Tree() as t:
            open(os.path.join(t.top.encode(), name), "w", encoding="utf-8").close()
            status, _, err = t.run("check", "job.tj")
            expect("name %r" % name, status == 1 and "TJ1305" in err and why in err and "\x1b" not in err, err)
    with Tree({"d%d/f%d" % (i % 7, i): "" for i in range(20001)}) as t:
        status, _, err = t.run("check", "job.tj")
        expect("too many files", status == 1 and "20002 files" in err and "at most 20000 files and 64 MiB" in err and "TJ1302" in err, err)
    with Tree({"data/big": b"\0" * (2 << 20), "a": "x"}, '{ dir = ".", max = 1Mi }') as t:
        status, _, err = t.run("check", "job.tj")
        expect("too many bytes", status == 1 and "TJ1302" in err and "data/: 2.0 MiB in 1 file" in err and "'/data/'" in err, err)
        t.write(".trainignore", "/data/\n")
        expect("its help", t.run("check", "job.tj")[0] == 0)
    with Tree({"data/big": os.urandom(1000000), "a": "x"}) as t:
        status, _, err = t.run("check", "job.tj")
        expect("too large when packed", status == 1 and "TJ1306" in err and "data/: 977 KiB" in err, err)
        expect("too large: its help", "'trainc code FILE --all' lists everything" in err, err)
        status, out, err = t.run("code", "--all", "job.tj")
        expect("too large: shown", status == 1 and b"data/big" in out and b"too large: ConfigMaps can carry 900000 bytes" in out, (out, err))
        status, out, err = t.run("code", "-o", "tar", "job.tj")
        expect("too large: the archive for other tools", status == 0 and len(out) > 1000000, err)
    with Tree({"a": ""}, '= "gone"') as t:
        expect("no directory", "TJ1301" in t.run("check", "job.tj")[2])
    with Tree({"a": ""}, '= "a"') as t:
        expect("a file for a directory", "is not a directory [TJ1301]" in t.run("check", "job.tj")[2])
    with Tree({}, '= "out"') as t:
        os.symlink("/usr/share", t.path("out"))
        expect("a link out of the project", "leads out of the project by a link [TJ1301]" in t.run("check", "job.tj")[2])


def cost():
    """19,800 files: the processor time and the memory of one pass, and of the command that shows it"""
    with Tree() as t:
        for i in range(200):
            os.makedirs(t.path("d%d" % i))
            for k in range(99):
                with open(t.path("d%d/f%d.py" % (i, k)), "w", encoding="utf-8") as f:
                    f.write("x = %d\n" % (i * k) * 20)
        for words, seconds in (("plan",), 1.5), (("code",), 2), (("code", "-o", "json"), 2):    # 0.4, 0.5 and 0.5 on a quiet machine
            p = subprocess.Popen([TRAINC, *words, "job.tj"], cwd=t.top, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
            took = usage.ru_utime + usage.ru_stime
            expect("%s of 19,800 files" % " ".join(words), p.returncode == 0 and took <= seconds * SLOW and usage.ru_maxrss <= (64 << 10) * SLOW,
                   "%d, %.2f s, %d KiB" % (p.returncode, took, usage.ru_maxrss))


def fetched():
    """plan says how much the nodes fetch, if that is much: 0.8 MB for 400 replicas, and not for 200"""
    with Tree({"data": os.urandom(800000)}) as t:
        for replicas in 400, 200:
            t.write("job.tj", PROGRAM.replace('["x"]', '["x"], replicas = %d' % replicas) % '= "."')
            status, out, _ = t.run("plan", "job.tj")
            said = b"role 'w' fetches up to 305 MiB of code: each node fetches it once" in out
            expect("%d replicas" % replicas, status == 0 and said == (replicas == 400) and (b"fetches" in out) == said, out)


def changing():
    """A file that grows all the time is refused; nothing of it is in an output."""
    with Tree({"log": "x" * 4000000}) as t:
        writer = subprocess.Popen([sys.executable, "-c", "while True:\n    open('log', 'a').write('y')"], cwd=t.top)
        try:
            found = [t.run("compile", "job.tj") for _ in range(5)]
        finally:
            writer.kill()
            writer.wait()
        good = all(status == 0 or ("TJ1311" in err and "'log' changed while it was read, twice" in err and not out) for status, out, err in found)
        expect("a file that grows", good and any(status for status, _, _ in found), found[0][2])


EXCHANGER = """import os, sys, time
while True:
    for a, b in (("a", "real"), ("link", "a"), ("a", "link"), ("real", "a")):
        os.rename(a, b)
        if b == "a":
            time.sleep(0.002)   # about the time that the names of the large directory take
"""


def exchanged():
    """A directory that is exchanged with a link meanwhile leads no file from outside into the archive."""
    with Tree({"in/a/zb/s.txt": "inside", "in/.gitignore": "*.log\nreal\nlink\n", "outside/zb/s.txt": "from the outside"}) as t:
        for i in range(15000):
            open(t.path("in/a/%d.log" % i), "w", encoding="utf-8").close()
        os.rename(t.path("job.tj"), t.path("in/job.tj"))
        os.symlink("../outside", t.path("in/link"))
        writer = subprocess.Popen([sys.executable, "-c", EXCHANGER], cwd=t.path("in"))
        try:
            found = [subprocess.run([TRAINC, "code", "-o", "tar", "job.tj"], cwd=t.path("in"), capture_output=True, timeout=60, check=False).stdout for _ in range(20)]
        finally:
            writer.kill()
            writer.wait()
        expect("an exchanged directory", not any(b"from the outside" in tar for tar in found))


# ---- the archive ----

LONG = "/".join("directory-%02d" % i for i in range(12))
ENTRIES = {"a": "one\n", "d/e/f.txt": "two" * 1000, "exact": b"\1" * 512, "empty": "", "é/ü": "unicode", LONG + "/" + "n" * 90: "long", "m" * 140: "name",
           LONG + "/" + "x" * 140: "no room", "d.txt": "sorted", "d0": "sorted"}


def archive():
    with Tree(ENTRIES) as t:
        os.chmod(t.path("a"), 0o4775)
        os.chmod(t.path("empty"), 0o600)
        os.symlink("e/f.txt", t.path("d/link"))
        os.symlink("nothing-" * 20, t.path("dangling"))
        os.link(t.path("exact"), t.path("hard"))
        _, tar, err = t.run("code", "-o", "tar", "job.tj")
        info = json.loads(t.run("code", "-o", "json", "job.tj")[1])["snapshots"][0]
        expect("the id is that of the archive", hashlib.sha256(tar).hexdigest() == info["id"], err)
        with tarfile.open(fileobj=io.BytesIO(tar)) as archived:
            members = archived.getmembers()
            names = [m.name for m in members]
            expect("byte order", names == sorted(names, key=lambda n: n.encode()))
            expect("owners, times", all((m.uid, m.gid, m.uname, m.gname, m.mtime) == (0, 0, "", "", 0) for m in members))
            expect("modes", {m.name: m.mode for m in members if m.isfile() and m.mode != 0o644} == {"a": 0o755})
            expect("only files and links", all(m.isfile() or m.issym() for m in members))
            for path, text in list(ENTRIES.items()) + [("hard", ENTRIES["exact"])]:
                data = archived.extractfile(path).read()
                expect("content of " + path[:20], data == (text if isinstance(text, bytes) else text.encode()))
        out = tempfile.mkdtemp()
        done = subprocess.run(["tar", "-xf", "-", "-C", out], input=tar, capture_output=True, check=False)
        same = all(open(os.path.join(out, p), "rb").read() == open(t.path(p), "rb").read() for p in list(ENTRIES) + ["hard"])
        expect("GNU tar", done.returncode == 0 and not done.stderr and same and os.readlink(os.path.join(out, "d/link")) == "e/f.txt", done.stderr)
        shutil.rmtree(out)
        expect("entries", [e["path"] for e in info["entries"]] == names)
        check_unpacking(t, tar, info)


def parts_of(t, parts):
    """Writes the parts of the archive, from the ConfigMaps of compile, into a directory; returns the words of the step."""
    objects = json.loads(t.run("compile", "-o", "json", "job.tj")[1])["items"]
    for o in objects:
        for key, text in o.get("binaryData", {}).items():
            with open(os.path.join(parts, key), "wb") as f:
                f.write(base64.b64decode(text))
            expect("size of a part", len(text) <= 240000 and o["immutable"] is True)
    job = [o for o in objects if o["kind"] == "Job"][0]
    return job["spec"]["template"]["spec"]["initContainers"][0]["command"]


def same_tree(a, b):
    """Do both directories have the same files, links and modes?"""
    found = []
    for top in (a, b):
        rows = {}
        for directory, names, files in os.walk(top):
            for n in files + [d for d in names if os.path.islink(os.path.join(directory, d))]:
                p = os.path.join(directory, n)
                rows[os.path.relpath(p, top)] = os.readlink(p) if os.path.islink(p) else (open(p, "rb").read(), os.stat(p).st_mode & 0o111)
        found.append(rows)
    return found[0] == found[1]


def bomb(shell, words, size):
    """Parts that grow when they are unpacked are refused before they have taken more room than the right archive."""
    to, parts = tempfile.mkdtemp(), tempfile.mkdtemp()
    with open(os.path.join(parts, "part-000"), "wb") as f:
        f.write(gzip.compress(bytes(size + (8 << 20))))
    done = subprocess.run(shell + ["-c", words[2].replace("/.trainc/code", parts), *words[3:5], to, words[6]], capture_output=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
    expect("a bomb for " + shell[0], done.returncode == 65 and not os.listdir(to), done)
    shutil.rmtree(to)
    shutil.rmtree(parts)


def check_unpacking(t, tar, info):
    """The step's script and trainc itself unpack the same; both refuse an archive that is not the one of the template."""
    want, parts = tempfile.mkdtemp(), tempfile.mkdtemp()
    with tarfile.open(fileobj=io.BytesIO(tar)) as archived:
        archived.extractall(want)
    words = parts_of(t, parts)
    shells = [s for s in (["sh"], ["dash"], ["bash"], ["busybox", "sh"]) if shutil.which(s[0])]
    for shell in shells:
        to = tempfile.mkdtemp()
        done = subprocess.run(shell + ["-c", words[2].replace("/.trainc/code", parts), words[3], words[4], to, words[6]], capture_output=True, check=False)
        expect("unpacked by " + shell[0], done.returncode == 0 and same_tree(want, to), done.stderr)
        shutil.rmtree(to)
        to = tempfile.mkdtemp()
        done = subprocess.run(shell + ["-c", words[2].replace("/.trainc/code", parts), words[3], "0" * 64, to, words[6]], capture_output=True, check=False)
        expect("refused by " + shell[0], done.returncode == 65 and b"code: the archive is not 000" in done.stderr and not os.listdir(to), done.stderr)
        shutil.rmtree(to)
    expect("the size of the archive", words[6] == str(len(tar)), words)
    for shell in shells:
        bomb(shell, words, len(tar))
    to = tempfile.mkdtemp()
    status, _, err = t.run("code", "--unpack", info["id"], parts, to)
    expect("unpacked by trainc", status == 0 and same_tree(want, to), err)
    status, _, err = t.run("code", "--unpack", info["id"], parts, to)
    expect("unpacked again, after a restart", status == 0 and same_tree(want, to), err)
    os.remove(os.path.join(to, "a"))
    os.mkdir(os.path.join(to, "a"))
    expect("not over a directory", t.run("code", "--unpack", info["id"], parts, to)[0] == 3)
    shutil.rmtree(to)
    to = tempfile.mkdtemp()
    status, _, err = t.run("code", "--unpack", "0" * 64, parts, to)
    expect("refused by trainc", status == 3 and "the archive is not 000" in err and not os.listdir(to), err)
    with open(os.path.join(parts, "part-000"), "r+b") as f:
        f.seek(100)
        f.write(b"\0\0\0\0")
    expect("a damaged archive", t.run("code", "--unpack", info["id"], parts, to)[0] == 3 and not os.listdir(to))
    for directory in (to, want, parts):
        shutil.rmtree(directory)


def stable():
    """The id depends on nothing but names, contents, links and the owner's right to execute."""
    ids = []
    for order in (1, -1):
        with Tree() as t:
            for path in list(ENTRIES)[::order]:
                t.write(path, ENTRIES[path])
                os.utime(t.path(path), (order * 1000 + 5000, order * 1000 + 5000))
            ids.append(json.loads(t.run("code", "-o", "json", "job.tj")[1])["snapshots"][0]["id"])
            first = t.run("compile", "job.tj")[1]
            expect("compile is byte-equal", first == t.run("compile", "job.tj")[1] and first)
    expect("the same files, the same id", ids[0] == ids[1], ids)


def main():
    for f in (rules, own_output, options, secrets, links, hostile, cost, fetched, changing, exchanged, archive, stable):
        f()
    print("%d passed, %d failed" % (RESULTS["passed"], RESULTS["failed"]))
    sys.exit(RESULTS["failed"] > 0)


main()
