"""copies.py [NAME...] - `trainc cp`: a server that runs the commands on this machine, in a directory that stands for the
container; archives that a hostile container could send; connections that end too early."""
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import threading
import time
import urllib.parse

from api_memory import SANITIZED, TRAINC, must, reply, run_checks, status
from streams import Streams, after, says
from web_socket import CLOSE, FAILURE, ended, frame, message

CHECKS = []
PIECE = 1 << 15


def check(f):
    CHECKS.append(f)
    return f


def words_of(path):
    return [v for k, v in urllib.parse.parse_qsl(path.split("?")[1], keep_blank_values=True) if k == "command"]


class Container(Streams):
    """The replica worker/1: its file system is the directory `root`, where its commands run."""

    def __init__(self):
        super().__init__()
        self.root = os.path.join(self.dir, "root")
        self.here = os.path.join(self.dir, "here")
        for path in self.root, self.here:
            os.mkdir(path)
        self.script, self.cut_after, self.tools, self.user = self.container, None, None, None

    def container(self, s):
        """Runs the command of the stream, with its input and output."""
        s.accept()
        env = dict(os.environ, PATH=self.tools or os.environ["PATH"])
        words = words_of(s.path)
        if self.tools and not shutil.which(words[0], path=self.tools):
            failure = dict(FAILURE, reason="InternalError", message='exec: "%s": executable file not found in $PATH' % words[0])
            s.send(message(3, json.dumps(failure).encode()), frame(CLOSE, b"\x03\xe8"))
            return
        p = subprocess.Popen(words, cwd=self.root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             user=self.user, group=self.user)
        if "stdin=true" in s.path:
            threading.Thread(target=self.pour, args=(s, p), daemon=True).start()
        else:
            p.stdin.close()
        errors = []
        reader = threading.Thread(target=lambda: errors.append(p.stderr.read()), daemon=True)
        reader.start()
        n = 0
        while piece := p.stdout.read1(PIECE):
            n += len(piece)
            if self.cut_after is not None and n > self.cut_after:
                s.send(message(1, piece[:self.cut_after - n + len(piece)]))
                p.kill()
                return
            s.send(message(1, piece))
        reader.join()
        s.send(message(2, errors[0]), ended(p.wait()))

    def pour(self, s, p):
        n = 0
        while x := s.read():
            if x[0] != 2 or x[1][:1] == b"\xff" or (self.cut_after is not None and (n := n + len(x[1])) > self.cut_after):
                break
            p.stdin.write(x[1][1:])
        try:
            p.stdin.close()
        except BrokenPipeError:
            pass

    def mount(self, path):
        """A file system in memory at PATH; false if that is not possible here."""
        os.mkdir(path)
        return subprocess.run(["mount", "-t", "tmpfs", "none", path], capture_output=True).returncode == 0

    def cp(self, code, *words, err=None, out=None):
        return self.want(code, "cp", *words, err=err, out=out)

    def tree(self, base):
        """What is below BASE: name -> (content, permissions) or a link's target."""
        found = {}
        for at, dirs, files in os.walk(base):
            for name in dirs + files:
                path = os.path.join(at, name)
                mode = os.lstat(path).st_mode
                found[os.path.relpath(path, base)] = os.readlink(path) if stat.S_ISLNK(mode) else "directory" if stat.S_ISDIR(mode) else \
                    (open(path, "rb").read(), mode & 0o7777)
        return found

    def left(self):
        return [n for base in (self.root, self.here) for at, dirs, files in os.walk(base) for n in dirs + files if "trainc-cp" in n]


def make_tree(base):
    os.makedirs(os.path.join(base, "deep/er/" + "d" * 120))
    os.mkdir(os.path.join(base, "empty"))
    for name, text, mode in (("a b.txt", b"text\n", 0o644), ("run.sh", b"#!/bin/sh\n", 0o755), ("deep/er/" + "d" * 120 + "/f" * 1 + "x" * 130, b"long", 0o600),
                             ("zero", b"", 0o644), ("big", os.urandom(700000), 0o640), ("-dash", b"-", 0o644), ("odd\n\x1b[2J", b"odd", 0o644)):
        with open(os.path.join(base, name), "wb") as f:
            f.write(text)
        os.chmod(os.path.join(base, name), mode)
    os.symlink("deep/er", os.path.join(base, "link"))
    os.symlink("../../a b.txt", os.path.join(base, "deep/er/up"))
    os.symlink("nowhere", os.path.join(base, "dangling"))


@check
def both_ways(w):
    """trees and files arrive as they are, in both directions; the copy is named on standard output"""
    make_tree(os.path.join(w.root, "outputs"))
    want = w.tree(os.path.join(w.root, "outputs"))
    out, _ = w.cp(0, "a:worker/1:outputs", "here/", out=r"^here/outputs: 10 files, ")
    must(w.tree(os.path.join(w.here, "outputs")) == want, "another tree")
    w.cp(0, "a:worker/1:" + os.path.join(w.root, "outputs/"), "here/renamed")
    must(w.tree(os.path.join(w.here, "renamed")) == want, "another tree")
    w.cp(0, "a:worker/1:outputs/.", "here/dotted")
    must(w.tree(os.path.join(w.here, "dotted")) == want, "another tree")
    w.cp(0, "a:worker/1:outputs/run.sh", "here", out="^here/run.sh: 1 file, ")
    w.cp(0, "a:worker-1:outputs/run.sh", "here/named", out="^here/named: 1 file, ")     # the name that 'status -o wide' shows
    must(w.tree(w.here)["run.sh"] == want["run.sh"], "another file")
    w.cp(0, "a.tj:worker/1:outputs/-dash", "./here/a:b:c")
    must(w.tree(w.here)["a:b:c"] == want["-dash"], "another file")
    out, _ = w.cp(0, "here/outputs", "a:worker/1:" + w.root + "/in", out="^worker/1:" + w.root + "/in: 10 files, ")
    must(w.tree(os.path.join(w.root, "in")) == want, "another tree")
    w.cp(0, "./here/a:b:c", "a:worker/1:in")
    must(w.tree(os.path.join(w.root, "in"))["a:b:c"] == want["-dash"], "another file")
    w.cp(0, "here/run.sh", "a:worker/1:in/other.sh")
    got = w.tree(os.path.join(w.root, "in"))
    must(got["other.sh"] == want["run.sh"], got)
    got = json.loads(w.cp(0, "-o", "json", "a:worker/1:outputs/big", "here/big")[0])
    must(got == {"schemaVersion": 1, "to": "here/big", "files": 1, "bytes": 700000}, got)
    must(not w.left(), w.left())


@check
def existing(w):
    """what exists is only replaced with --force, in both directions"""
    for base, text in ((w.root, b"new"), (w.here, b"old")):
        os.mkdir(os.path.join(base, "d"))
        for name in "f", "d/f":
            with open(os.path.join(base, name), "wb") as f:
                f.write(text)
    with open(os.path.join(w.here, "d/only"), "wb") as f:
        f.write(b"x")
    before = w.tree(w.here)
    for path in "f", "d":
        w.cp(5, "a:worker/1:" + path, "here", err="'here/%s' exists; --force replaces it" % path)
    must(w.tree(w.here) == before and not w.seen, "something was changed")
    w.cp(0, "--force", "a:worker/1:f", "here")
    w.cp(0, "--force", "a:worker/1:d", "here")
    must(w.tree(w.here) == w.tree(w.root), w.tree(w.here))
    with open(os.path.join(w.here, "d/f"), "wb") as f:
        f.write(b"newer")
    for path in "f", "d":
        w.cp(5, "here/" + path, "a:worker/1:.", err="'./%s' exists in worker/1; --force replaces it" % path)
        w.cp(5, "here/" + path, "a:worker/1:" + w.root, err="exists")
    must(w.tree(w.root)["d/f"][0] == b"new", "something was changed")
    w.cp(0, "--force", "here/d", "a:worker/1:" + w.root)
    w.cp(0, "--force", "here/f", "a:worker/1:f")
    must(w.tree(w.here) == w.tree(w.root) and not w.left(), w.left())


@check
def refused(w):
    """paths that do not exist, wrong operands, containers without tar: a sentence each"""
    w.cp(8, "a:worker/1:none", "here/x", err="a:worker/1:none: .*none")
    w.cp(8, "here", "a:worker/1:none/x", err="'none' is not a directory")
    w.cp(3, "none", "a:worker/1:x", err="'none' cannot be copied: ")
    w.cp(2, "here", "there", err="no path is in a replica")
    w.cp(2, "a:worker/1:x", "a:worker/0:y", err="both paths are in replicas")
    w.cp(2, "a:worker/1:", "here", err="has no path")
    w.cp(2, "a:worker/x:p", "here", err="worker/x")
    w.cp(2, "a:nobody/0:p", "here/p", err="no role 'nobody'")
    w.cp(2, "here/.", "a:worker/1:x", err="no name of its own")
    w.cp(2, "--local", "a:worker/1:x", "here", err="already|are here")
    os.symlink("/etc", os.path.join(w.root, "link"))
    w.cp(8, "a:worker/1:link", "here/x", err="the path is a link to this one")
    w.tools = w.here
    w.cp(8, "a:worker/1:x", "here/x", err="container 'main' of worker/1 has no tar, which 'cp' needs")
    w.cp(8, "here", "a:worker/1:x", err="container 'main' of worker/1 has no sh")
    w.script = lambda s: reply(s.h, *status(403, "Forbidden", 'pods "a-worker-1-x" is forbidden: User "eve" cannot create resource "pods/exec" in API group "" in the namespace "default"'))
    w.cp(4, "a:worker/1:x", "here/x", err="trainc-interactive")
    must(not w.left() and os.listdir(w.here) == [], os.listdir(w.here))


def entry(name, kind=tarfile.REGTYPE, data=b"", target="", **more):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, len(data), target
    for key, value in more.items():
        setattr(info, key, value)
    return info, data


def archive(*entries, form=tarfile.GNU_FORMAT, end=True):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        for info, data in entries:
            t.addfile(info, io.BytesIO(data))
    text = out.getvalue()
    return text if end else text[:text.rstrip(b"\0").__len__() + 511 & ~511]


def damaged(text, at, new):
    """TEXT with other bytes in its first header, and the right checksum."""
    head = bytearray(text[:512])
    head[at:at + len(new)] = new
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + text[512:]


DIRECTORY = entry("x", tarfile.DIRTYPE, mode=0o755)
HOSTILE = [
    ("an absolute name", archive(entry("/etc/passwd", data=b"x")), "leads out"),
    ("a name with ..", archive(DIRECTORY, entry("x/../../y", data=b"x")), "leads out"),
    ("only ..", archive(entry("..", tarfile.DIRTYPE)), "leads out"),
    ("another name", archive(entry("y", data=b"x")), "leads out"),
    ("a name that begins like it", archive(entry("xy", data=b"x")), "leads out"),
    ("an empty part", archive(DIRECTORY, entry("x//y", data=b"x")), "leads out"),
    ("a long name with ..", archive(DIRECTORY, entry("x/" + "a/" * 100 + "../" * 104 + "y", data=b"x")), "leads out"),
    ("the same as pax", archive(DIRECTORY, entry("x/" + "a/" * 100 + "../" * 104 + "y", data=b"x"), form=tarfile.PAX_FORMAT), "leads out"),
    ("a link out", archive(DIRECTORY, entry("x/l", tarfile.SYMTYPE, target="/etc")), "leads out"),
    ("a link up", archive(DIRECTORY, entry("x/l", tarfile.SYMTYPE, target="..")), "leads out"),
    ("a link up after another one", archive(DIRECTORY, entry("x/a", tarfile.SYMTYPE, target="."), entry("x/b", tarfile.SYMTYPE, target="a/../..")), "leads out"),
    ("a file through a link", archive(DIRECTORY, entry("x/l", tarfile.SYMTYPE, target="sub"), entry("x/l/f", data=b"x")), "twice"),
    ("a link over a file", archive(DIRECTORY, entry("x/f", data=b"x"), entry("x/f", tarfile.SYMTYPE, target="g")), "twice"),
    ("a file twice", archive(DIRECTORY, entry("x/f", data=b"x"), entry("x/f", data=b"y")), "twice"),
    ("a hard link out", archive(DIRECTORY, entry("x/l", tarfile.LNKTYPE, target="/etc/passwd")), "leads out"),
    ("a hard link to nothing", archive(DIRECTORY, entry("x/l", tarfile.LNKTYPE, target="x/none")), "does not have"),
    ("a hard link through a link", archive(DIRECTORY, entry("x/d", tarfile.SYMTYPE, target="/etc"), entry("x/l", tarfile.LNKTYPE, target="x/d/passwd")), "leads out|does not have"),
    ("a device", archive(DIRECTORY, entry("x/null", tarfile.CHRTYPE, devmajor=1, devminor=3)), "is a device"),
    ("a pipe", archive(DIRECTORY, entry("x/p", tarfile.FIFOTYPE)), "is a pipe"),
    ("a sparse file", archive(DIRECTORY, entry("x/s", tarfile.GNUTYPE_SPARSE)), "of a kind that is not copied"),
    ("a size below 0", damaged(archive(entry("x", data=b"x")), 124, b"\xff" * 12), "size that is not possible"),
    ("a size without end", damaged(archive(entry("x", data=b"x")), 124, b"\x80" + b"\xff" * 11), "size that is not possible"),
    ("a size that is no number", damaged(archive(entry("x", data=b"x")), 124, b"9x" + b"\0" * 10), "size that is not possible"),
    ("a large record", damaged(archive(entry("x" * 200, data=b"x")), 124, b"77777777777\0"), "record of the archive is too large"),
    ("no archive", b"hello " * 1000, "not an archive"),
    ("a wrong sum", archive(entry("x", data=b"x")).replace(b"ustar", b"Ustar"), "not an archive"),
    ("zeros and more", archive(entry("x", data=b"x"), end=False) + b"\0" * 512 + archive(entry("x")), "not an archive"),
    ("a control character", archive(DIRECTORY, entry("x/\x1b[2J\n", tarfile.FIFOTYPE)), "is a pipe"),
]


@check
def hostile(w):
    """archives that lead out of the destination, or are no archives: status 8, nothing is written anywhere, and names
    that are shown cannot move the cursor"""
    for what, text, why in HOSTILE:
        for size in (len(text), 511, 7)[:3 if len(text) < 4096 else 1]:
            pieces = [message(1, text[i:i + size]) for i in range(0, len(text), size)]
            w.script = says(*pieces, ended())
            out, err = w.cp(8, "a:worker/1:x", "here/x", err="a:worker/1:x: .*(%s)|cannot be written: .*(%s)|(%s)" % (why, why, why))
            must("\x1b" not in out + err and os.listdir(w.here) == [], (what, err, os.listdir(w.here)))
    must(not os.path.exists(os.path.join(w.dir, "y")), "y")


@check
def cut_short(w):
    """a stream that ends too early leaves nothing: neither here nor in the replica"""
    make_tree(os.path.join(w.root, "outputs"))
    make_tree(os.path.join(w.here, "mine"))
    for n in 0, 700, 1024, 300000:
        w.cut_after = n
        w.cp(7, "a:worker/1:outputs", "here/copy", err="trainc: ")
    text = archive(entry("x", data=b"y" * 600), end=False)
    for part in b"", text[:100], text[:700], text, text + b"\0" * 512:
        w.script = says(message(1, part), ended())
        w.cp(7, "a:worker/1:x", "here/copy", err="the archive is not complete")
    w.script = says(message(1, archive(entry("x", data=b"y" * 600))), message(2, b"tar: x: file changed as we read it\n"), ended(1))
    w.cp(8, "a:worker/1:x", "here/copy", err="file changed as we read it")
    must(sorted(os.listdir(w.here)) == ["mine"], os.listdir(w.here))
    w.script = w.container
    for n in 0, 1000, 300000:
        w.cut_after = n
        w.cp(8, "here/mine", "a:worker/1:in", err="a:worker/1:in: ")
    w.wait_for("the replica is clean", lambda: os.listdir(w.root) == ["outputs"] and not w.left())


@check
def goes_on(w):
    """a container that goes on after the end of its archive is left at once, whatever it sends; zeros that fill a record may follow"""
    text = archive(entry("x", data=b"y"))
    w.script = says(message(1, text), message(1, b"\0" * 100000), ended())
    w.cp(0, "a:worker/1:x", "here/x")

    def endless(s, piece):
        s.accept()
        s.send(message(1, text))
        while True:
            s.send(message(1, piece))
    for piece in b"\0" * PIECE, b"more" * 100, text:
        w.script = lambda s, piece=piece: endless(s, piece)
        w.cp(8, "a:worker/1:x", "here/again", err="the archive goes on after its end")
    must(os.listdir(w.here) == ["x"], os.listdir(w.here))


@check
def through_a_file(w):
    """a destination below a file is named as such"""
    for path in "root/x", "here/y":
        with open(os.path.join(w.dir, path), "w") as f:
            f.write("text")
    w.cp(3, "a:worker/1:x", "here/y/z", err="'here/y/z' cannot be written: the path leads through a file as if that were a directory")
    w.cp(8, "here/y", "a:worker/1:" + w.root + "/x/z", err="'%s/x' is not a directory" % w.root)


@check
def no_rights(w):
    """a user who is not root: nothing is left after a copy that fails in directories that cannot be written"""
    if os.geteuid():
        return
    w.user = 65534
    for path in w.dir, w.root:
        os.chmod(path, 0o777)
    os.makedirs(os.path.join(w.here, "closed/deep"))
    for path in "closed/deep/file", "closed/last":
        with open(os.path.join(w.here, path), "wb") as f:
            f.write(b"x" * 300000)
    for path in "closed/deep", "closed":
        os.chmod(os.path.join(w.here, path), 0o555)
    w.cut_after = 400000
    w.cp(8, "here/closed", "a:worker/1:" + w.root, err="trainc: ")
    w.cut_after = None
    w.wait_for("the replica is clean", lambda: not os.listdir(w.root))
    w.cp(0, "here/closed", "a:worker/1:" + w.root)
    w.cp(0, "--force", "here/closed", "a:worker/1:" + w.root)
    must(os.listdir(w.root) == ["closed"], os.listdir(w.root))
    kept = os.path.join(w.root, "closed/kept")
    os.mkdir(kept)
    open(os.path.join(kept, "roots"), "w").close()              # root's directory, with a file
    _, err = w.cp(0, "--force", "here/closed", "a:worker/1:" + w.root)
    must(re.search("trainc-cp-[0-9a-f]+' in worker/1 cannot be removed: it is what was replaced", err), err)


@check
def forms(w):
    """archives as GNU tar, pax and old tars write them; permissions without setuid; hard links inside the tree"""
    os.umask(0o022)
    for form, times in (tarfile.GNU_FORMAT, 30), (tarfile.PAX_FORMAT, 30), (tarfile.USTAR_FORMAT, 10):
        long = "x/" + "long" * times + "/" + "name" * times
        for lead in "", "./":
            w.script = says(message(1, archive(entry(lead + "x/", tarfile.DIRTYPE, mode=0o700), entry(lead + long, data=b"1", mode=0o6777),
                                               entry(lead + "x/hard", tarfile.LNKTYPE, target=lead + long), entry(lead + "x/l", tarfile.SYMTYPE, target="hard"), form=form)), ended())
            w.cp(0, "--force", "a:worker/1:x", "here", out="here/x: 3 files")
            got = w.tree(os.path.join(w.here, "x"))
            must(got["hard"] == (b"1", 0o755) and got["l"] == "hard" and got[long[2:]] == (b"1", 0o755), got)
    w.script = says(message(1, archive(entry("x/", tarfile.AREGTYPE), entry("x/f", tarfile.AREGTYPE, data=b"old"))), ended())
    w.cp(0, "--force", "a:worker/1:x", "here")
    must(w.tree(os.path.join(w.here, "x")) == {"f": (b"old", 0o644)}, "an old archive")


@check
def full(w):
    """a file that cannot be written here: status 3, and nothing is left"""
    with open(os.path.join(w.root, "big"), "wb") as f:
        f.write(os.urandom(3 << 20))
    limited = subprocess.run(["sh", "-c", 'ulimit -f 1000; trap "" XFSZ; exec "$@"', "sh", TRAINC, "cp", "a:worker/1:big", "here/big"], cwd=w.dir,
                             env=w.environment(), capture_output=True, text=True, timeout=60)
    must(limited.returncode == 3 and "cannot be written" in limited.stderr and not os.listdir(w.here), (limited, os.listdir(w.here)))
    w.cp(3, "a:worker/1:big", "none/big", err="'none/big' cannot be written: ")


@check
def changing(w):
    """a local tree with something that is not a file is not copied, and leaves nothing in the replica"""
    make_tree(os.path.join(w.here, "mine"))
    os.mkfifo(os.path.join(w.here, "mine/pipe"))
    w.cp(3, "here/mine", "a:worker/1:in", err="'here/mine' cannot be copied: 'pipe': it is not a file, a directory or a link")
    w.wait_for("the replica is clean", lambda: not os.listdir(w.root))


@check
def nul(w):
    """a link whose target goes on behind a NUL leads nowhere: the kernel would read another target than was checked"""
    for key, kind in (("linkpath", tarfile.SYMTYPE), ("linkpath", tarfile.LNKTYPE), ("path", tarfile.REGTYPE)):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
            t.addfile(DIRECTORY[0], io.BytesIO())
            info, _ = entry("x/l", kind, target="q")
            info.pax_headers = {key: "x/..\0z" if key == "path" else "..\0z"}
            t.addfile(info, io.BytesIO())
        w.script = says(message(1, out.getvalue()), ended())
        w.cp(8, "a:worker/1:x", "here/x", err="NUL in its name or in what it links to")
        must(os.listdir(w.here) == [], os.listdir(w.here))


@check
def appeared(w):
    """what appears at the destination while the archive is on its way is not removed without --force"""
    make_tree(os.path.join(w.here, "mine"))
    made, pour = os.path.join(w.root, "out"), w.pour

    def late(s, p):
        time.sleep(0.5)                      # until the script has seen that nothing is there
        os.mkdir(made)
        with open(os.path.join(made, "checkpoint"), "w") as f:
            f.write("days of training")
        pour(s, p)
    w.pour = late
    w.cp(5, "here/mine", "a:worker/1:" + made, err="exists in worker/1; --force replaces it")
    must(os.listdir(made) == ["checkpoint"], os.listdir(made))
    w.wait_for("the replica is clean", lambda: os.listdir(w.root) == ["out"])


@check
def fixed(w):
    """--force over a directory that cannot be moved away changes nothing, and says so"""
    if os.geteuid() != 0 or not w.mount(os.path.join(w.root, "volume")):
        return
    make_tree(os.path.join(w.here, "volume"))
    try:
        with open(os.path.join(w.root, "volume", "checkpoint"), "w") as f:
            f.write("days of training")
        w.cp(8, "--force", "here/volume", "a:worker/1:" + w.root, err="busy")
        must(os.listdir(os.path.join(w.root, "volume")) == ["checkpoint"], os.listdir(os.path.join(w.root, "volume")))
    finally:
        subprocess.run(["umount", os.path.join(w.root, "volume")], check=True)


@check
def nameless(w):
    """a source without a name of its own does not replace a directory, even with --force"""
    os.mkdir(os.path.join(w.root, "outputs"))
    os.mkdir(os.path.join(w.here, "results"))
    with open(os.path.join(w.here, "results", "mine"), "w") as f:
        f.write("mine")
    for source in "outputs/.", ".":
        w.cp(5, "--force", "a:worker/1:" + source, "here/results", err="has no name of its own")
    must(os.listdir(os.path.join(w.here, "results")) == ["mine"], "replaced")
    w.cp(0, "a:worker/1:outputs/.", "here/new")


@check
def memory(w):
    """200 MB in each direction within 24 MB of memory"""
    with open(os.path.join(w.root, "big"), "wb") as f:
        for _ in range(200):
            f.write(os.urandom(1 << 20))
    for words in (["a:worker/1:big", "here/big"], ["here/big", "a:worker/1:again"]):
        out = subprocess.run(["/usr/bin/env", "python3", "-c",
                              "import resource,subprocess,sys;p=subprocess.run(sys.argv[1:]);print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);sys.exit(p.returncode)",
                              TRAINC, "cp", *words], cwd=w.dir, env=w.environment(), capture_output=True, text=True, timeout=200)
        must(out.returncode == 0, out.stderr)
        must(SANITIZED or int(out.stdout.split()[-1]) < 24 << 10, out.stdout)
    for name in "here/big", "root/again":
        must(subprocess.run(["cmp", os.path.join(w.dir, name), os.path.join(w.root, "big")]).returncode == 0, name)


if __name__ == "__main__":
    sys.exit(run_checks(Container, CHECKS, sys.argv[1:], after))
