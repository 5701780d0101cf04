"""samples.py - documents that commands print with `-o json`, `--format json` and `--progress json`, each with the name of
its schema in docs/schema: of all examples and goldens, of saved objects in every state, of runs of this machine, and of a
cluster in memory."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", d) for d in ("cluster", "status")]

KINDS = '''job "k" {
  image = "a:1"
  command = ["train"]
  role w { replicas = 4, cpu = if pod.index == 0 then 4 else 2, memory = 1Gi, zone = ["a", "b"] }
}
'''
LONG = '''job "long" {
  image = "registry.example.com/a:1"
  restarts = 1
  role a { command = ["sh", "-c", "seq -f 'line %05g of what this program has to say.......' 1 20000; exit 3"], cpu = 1, memory = 64Mi }
}
'''
WIDE = '''job "wide" {
  image = "registry.example.com/a:1"
  role a { command = ["sh", "-c", "head -c 1500000 /dev/zero | tr '\\\\000' x"], mounts { "/s" = scratch("s", size = 64Mi, medium = "memory"), "/h" = host_path("/usr") } }
}
'''
LOCAL = '''job "here" {
  image = "registry.example.com/a:1"
  role first  { command = ["sh", "-c", "echo one; sleep 60"], ports { http = 8080 }, cpu = 1, memory = 64Mi }
  role second { command = ["sh", "-c", "echo two; exit 3"], cpu = 1, memory = 64Mi, retries = 1 }
  cell few { copies = 2, role w { command = ["sh", "-c", "sleep 60"], cpu = 1, memory = 64Mi } }
  success = done(first)
}
'''


class Samples:
    """FOUND: pairs of a schema's name and a document."""

    def __init__(self, trainc):
        self.trainc, self.found = trainc, []

    def run(self, *words, cwd=ROOT, env=None):
        done = subprocess.run([self.trainc, *words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **(env or {})})
        if done.returncode < 0 or "ERROR: " in done.stderr:
            raise SystemExit("trainc %s died: %d\n%s" % (" ".join(words), done.returncode, done.stderr))
        return done.stdout, done.stderr

    def whole(self, schema, *words, **more):
        """The output is one document; a command that fails may print none."""
        out = self.run(*words, **more)[0]
        if out.strip():
            self.add(schema, out, words)

    def each(self, schema, text, words=()):
        """Each line that is an object is a document."""
        for line in text.splitlines():
            if line.startswith("{"):
                self.add(schema, line, words)

    def add(self, schema, text, words):
        try:
            self.found.append((schema, json.loads(text), " ".join(words)))
        except ValueError as e:
            raise SystemExit("trainc %s: %s: %r" % (" ".join(words), e, text[:200]))

    def all(self):
        for part in self.programs, self.objects, self.local, self.cluster, self.handles:
            part()

    # ---- programs ----

    def programs(self):
        self.whole("version", "version", "-o", "json")
        paths = glob.glob(os.path.join(ROOT, "examples/*/*.tj")) + glob.glob(os.path.join(ROOT, "tests/*/*.tj"))
        for path in sorted(p for p in paths if os.path.basename(p) != "project.tj" and re.search(r"^\s*job ", open(p).read(), re.M)):
            self.whole("plan", "plan", "-o", "json", path)
            self.whole("env", "env", "-o", "json", path)
        for path in sorted(glob.glob(os.path.join(ROOT, "tests/mistakes/*.tj")) + glob.glob(os.path.join(ROOT, "tests/targets/*.tj"))):
            self.each("diagnostic", self.run("check", "--format", "json", path)[0], ("check", path))
        with tempfile.TemporaryDirectory() as d:
            for name, text in (("a.tj", 'job "a" {\n  image = "a:1"\n  command = ["python3", "train.py"]\n  code = "."\n  role w { cpu = 1, memory = 1Gi }\n}\n'), ("train.py", "print(1)\n")):
                with open(os.path.join(d, name), "w", encoding="utf-8") as f:
                    f.write(text)
            os.symlink("train.py", os.path.join(d, "link.py"))
            for name in ".gitignore", "x.log":
                with open(os.path.join(d, name), "w", encoding="utf-8") as f:
                    f.write("*.log\n")
            with open(os.path.join(d, "k.tj"), "w", encoding="utf-8") as f:
                f.write(KINDS)
            self.whole("plan", "plan", "-o", "json", "k.tj", cwd=d)
            self.whole("code", "code", "-o", "json", "a.tj", cwd=d)
            with open(os.path.join(d, "claim.tj"), "w", encoding="utf-8") as f:
                f.write('job "a" {\n  image = "a:1"\n  command = ["python3", "train.py"]\n  code { dir = ".", via = pvc("team-code") }\n'
                        '  role w { cpu = 1, memory = 1Gi }\n}\n')
            self.whole("code", "code", "-o", "json", "claim.tj", cwd=d)
            self.whole("plan", "plan", "-o", "json", "claim.tj", cwd=d)
            self.whole("plan", "plan", "-o", "json", "a.tj", cwd=d)
            self.whole("env", "env", "-o", "json", "a.tj", cwd=d)

    # ---- saved objects ----

    def objects(self):
        import advice
        import rows
        with tempfile.TemporaryDirectory() as d:
            with open(os.path.join(d, "job.tj"), "w", encoding="utf-8") as f:
                f.write(rows.PROGRAM)
            for title, objects, *_ in [*rows.ROWS, *rows.ALSO, *advice.TABLE]:
                with open(os.path.join(d, "seen.json"), "w", encoding="utf-8") as f:
                    json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
                for schema, command in (("status", "status"), ("why", "why")):
                    self.whole(schema, command, "--from", "seen.json", "--now", rows.NOW, "job.tj", "-o", "json", cwd=d)

    # ---- this machine ----

    def local(self):
        with tempfile.TemporaryDirectory() as d:
            for name, text in (("here", LOCAL), ("wide", WIDE), ("long", LONG)):
                with open(os.path.join(d, name + ".tj"), "w", encoding="utf-8") as f:
                    f.write(text)
            env = {"TRAINC_STATE_DIR": os.path.join(d, "state")}

            def do(*words):
                return self.run(*words, cwd=d, env=env)

            def say(schema, *words):
                self.whole(schema, *words, cwd=d, env=env)
            say("env", "env", "--local", "-o", "json", "here.tj")
            for name in "here", "wide":
                say("dry-run", "run", "--local", "--dry-run", "-o", "json", name + ".tj")
            say("dry-run", "run", "--local", "--isolate", "job", "--dry-run", "-o", "json", "wide.tj")
            try:
                do("apply", "--local", "--publish", "0:first/0:http", "here.tj")
                do("wait", "--local", "--for", "running", "--timeout", "20s", "here")
                for command in "status", "list":
                    say("status", command, "--local", "-o", "json")
                say("env", "env", "--local", "-o", "json", "here")
                say("status", "wait", "--local", "--timeout", "1s", "-o", "json", "here")
                say("top", "top", "--local", "-o", "json", "here")
                do("run", "--local", "wide.tj")
                self.each("log-line", do("logs", "--local", "--all", "-o", "json", "wide")[0], ("logs", "wide"))
                out, err = do("run", "--local", "--progress", "json", "-o", "json", "--log-limit", "64Ki", "long.tj")
                self.add("status", out, ("run", "long"))
                self.each("progress", err, ("run", "long"))
                self.each("log-line", do("logs", "--local", "--all", "-o", "json", "long")[0], ("logs", "long"))
                say("change", "delete", "--local", "--yes", "-o", "json", "here")
            finally:
                do("delete", "--local", "--yes", "here", "long", "wide")

    # ---- a cluster ----

    def cluster(self):
        import typical
        w = typical.Restored()
        try:
            for c in typical.COMMANDS:
                w.save()
                try:
                    if c.prepare:
                        c.prepare(w)
                    self.command(w, c)
                finally:
                    w.restore()
        finally:
            w.close()

    WAYS = {"apply": "status", "again": "status", "delete": "change", "suspend": "change", "resume": "change", "scale": "change",
            "run": "status", "wait": "status", "status": "status", "all": "status", "list": "status", "diff": "diff", "logs": "log-line",
            "why": "why", "fit": "fit", "version": "version"}

    def command(self, w, c):
        schema = self.WAYS.get(c.name)
        if not schema:
            return
        _, out, err = w.run(*c.words, "-o", "json")
        if schema == "log-line":
            self.each(schema, out, c.words)
        elif out.strip():
            self.add(schema, out, c.words)

    def handles(self):
        """Commands about one replica, or the reports about a run."""
        import code as code_tests
        import contexts
        import copies
        import sync
        import events
        w = code_tests.World()
        try:
            w.source("print(1)\n", "a")
            w.want(0, "apply", "--no-wait", "a.tj")
            for kind, name in ("Pod", "a-worker-0-x"), ("Node", "n"):
                events.event(w, kind, name, "Started", "it has started", 1, **events.KUBELET)
            for words, schema in ((["status", "a"], "status"), (["events", "a"], "events")):
                self.add(schema, w.want(0, *words, "-o", "json")[0], words)
            p = w.start("events", "-f", "a", "-o", "json")
            w.shown(p, lambda text: text.count("\n") >= 2, out=True)
            events.event(w, "Job", "a-worker", "Completed", "it has ended", 2)
            line = w.shown(p, "it has ended", out=True)
            p.kill()
            p.communicate()
            self.each("event", line, ["events", "-f"])
        finally:
            w.close()
        import top
        w = top.Top()
        try:
            w.begin()
            w.metrics = (200, {"items": [top.used(0, ("1", "1Gi"))]})
            self.add("top", w.want(0, "top", "t", "-o", "json")[0], ["top"])
            w.exporter()
            w.page = top.line("DCGM_FI_DEV_GPU_UTIL", 0, 90) + top.line("DCGM_FI_DEV_FB_USED", 0, 1)
            self.add("top", w.want(0, "top", "t", "-o", "json")[0], ["top"])
        finally:
            w.close()
        w = events.World(("default", "team"))
        try:
            events.applied(w, "team")
            w.fault("GET", "/namespaces/default/events", events.status(403, "Forbidden", "events is forbidden"), times=99)
            self.add("events", w.want(0, "events", "a", "-n", "team", "-o", "json")[0], ["events"])
        finally:
            w.close()
        w = sync.Fleet()
        try:
            w.begin(1)
            for words in ("init", "-q"), ("add", "."), ("commit", "-qm", "one"):
                sync.codes.git(w, *words)
            w.train("v2")
            for _ in range(2):
                self.add("sync", w.want(0, "sync", "b", "-o", "json")[0], ["sync"])
            self.add("status", w.want(0, "status", "b", "-o", "json")[0], ["status"])
            w.want(0, "apply", "--no-wait", "--recreate", "b.tj")
            for number in "1", "2":
                self.add("diff-against", w.run("diff", "b.tj", "--against", number, "-o", "json")[1], ["diff", number])
            self.add("history", w.want(0, "history", "b", "-o", "json")[0], ["history"])
            w.want(0, "delete", "--yes", "b")
            self.add("history", w.want(0, "history", "b", "-o", "json")[0], ["history"])
        finally:
            w.close()
        w = contexts.Clusters()
        try:
            contexts.started(w)
            self.add("status", w.want(7, "status", "--context", "c,closed", "-o", "json")[0], ["status"])
            w.run_job("default", w.get("jobs", "a-worker"), "Failed", 3)
            self.add("why", w.want(7, "why", "--context", "c,closed", "-o", "json", "a")[0], ["why"])
            events.event(w, "Job", "a-worker", "Started", "it has started", 1)
            self.add("events", w.want(7, "events", "--context", "c,closed", "-o", "json", "a")[0], ["events"])
            w.logs[("a-worker-0-x", False)] = ["a line"]
            self.each("log-line", w.want(7, "logs", "--context", "c,closed", "-o", "json", "a")[0], ["logs"])
            w.put("nodes", "", contexts.node("n", 8))
            self.add("fit", w.want(7, "fit", "--context", "c,closed", "-o", "json", "a.tj")[0], ["fit"])
            import capacity
            capacity.with_kueue(w)
            q = {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}, "status": {"hard": {"pods": "5"}, "used": {"pods": "2"}}}
            capacity.stored(w, capacity.of_run("p", "n", "a", cpu=1), q, capacity.queue("cq", "c", 1, f={"cpu": (8, 2)}), capacity.local("lq", "cq"), capacity.workload("w"))
            self.add("fit-all", w.want(0, "fit", "--all", "-o", "json")[0], ["fit", "--all"])
            w.fault("GET", "/(pods|workloads)", capacity.status(403, "Forbidden", "forbidden"), times=1)
            self.add("fit-all", w.want(7, "fit", "--all", "--context", "c,closed", "-o", "json")[0], ["fit", "--all"])
        finally:
            w.close()
        w = copies.Container()
        try:
            w.write("root/file", "text")
            self.add("copy", w.cp(0, "a:worker/1:file", "here", "-o", "json")[0], ["cp"])
            self.add("copy", w.cp(0, "here/file", "a:worker/1:again", "-o", "json")[0], ["cp"])
        finally:
            w.close()
