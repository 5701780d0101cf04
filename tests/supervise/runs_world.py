"""runs_world.py - for tests of runs that are left to the controller: the in-memory API server of the commands
(../cluster/world.py), with controllers that are limited to the permissions of their manifest and can be killed at
any write."""
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
from api_memory import PATH, SANITIZED, TRAINC, Failure, cut, must, names_only, reply, run_checks, status   # noqa: E402

_spec = importlib.util.spec_from_file_location("cluster_world", os.path.join(HERE, "..", "cluster", "world.py"))
commands = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(commands)
PREFIX = "/controller"                  # prefixes of paths through which a controller reaches the server
VERBS = {"POST": "create", "PATCH": "patch", "PUT": "update", "DELETE": "delete"}


IMAGE = ("--image", "registry.example.com/trainc:1")


def manifest(*options):
    """The objects of `trainc supervise --manifest`."""
    return json.loads(subprocess.run([TRAINC, "supervise", "--manifest", "-o", "json", *IMAGE, *options], capture_output=True, text=True,
                                     check=True).stdout)["items"]


def permissions(items):
    """(verb, group, resource) of the controller's roles of a manifest; its others are for users"""
    roles = [o for o in items if o["kind"] in ("Role", "ClusterRole") and o["metadata"]["labels"]["app.kubernetes.io/component"] == "controller"]
    return {(verb, group, resource) for o in roles for rule in o["rules"]
            for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]}


class World(commands.World):
    """The server of the commands, whose Jobs do only what a test says, and the controllers that run against it."""

    allowed = permissions(manifest())
    used = set()
    elsewhere = 0                       # number of attacks in records.py that another controller sees

    def __init__(self):
        self.refused, self.controllers, self.log_files = [], [], []
        self.by_name = []               # changes that would also hit another object of the same name
        self.kill_at = None             # (number of the write, before): SIGKILLs the last controller then
        self.writes = 0
        self.lag = 0                    # seconds by which the watches of the controller are late
        super().__init__(("default", "other"))
        with open(os.path.join(self.dir, "config")) as f:
            config = json.load(f)
        config["clusters"][0]["cluster"]["server"] += PREFIX
        self.write("controller", json.dumps(config))
        self.controlled = []            # requests of controllers; the commands clear theirs before each run
        self.kinds = {**self.kinds, "leases": ("coordination.k8s.io", "v1", "Lease"), "deployments": ("apps", "v1", "Deployment")}

    def close(self):
        for p in self.controllers:
            if p.poll() is None:
                p.kill()
            p.wait()
            p.log.close()
        super().close()

    # ---- requests of the controller ----

    def kill_now(self, before):
        if self.kill_at != (self.writes, before):
            return False
        self.controllers[-1].kill()
        self.kill_at = None
        return True

    def serve(self, h):
        if not h.path.startswith(PREFIX):
            super().serve(h)
            return
        h.path = h.path[len(PREFIX):]
        path, query, body = self.take_request(h)
        write = h.command in VERBS and not path.endswith("/events")     # nothing depends on Events
        m = PATH.fullmatch(path)
        what = (VERBS.get(h.command) or ("get" if m[4] else "watch" if query.get("watch") == "true" else "list"), m[1] or "", m[3])
        with self.lock:
            self.controlled.append((h.command, path, body.decode()))
            self.writes += write
            needed = {what}
            if "apply-patch" in (h.headers["Content-Type"] or "") and self.place(path)[:3] not in self.objects:
                needed.add(("create",) + what[1:])      # server-side apply of a new object requires both verbs
            World.used |= needed
            if "apply-patch" not in (h.headers["Content-Type"] or "") or "force=true" in h.path:    # without force, it creates
                self.by_name += names_only(h.command, self.place(path) or (path,), json.loads(body) if body else {})
            answer = self.find_fault(h.command, h.path)
            if callable(answer):
                answer = answer(h, body)
            if needed - World.allowed:
                self.refused += needed - World.allowed
                answer = status(403, "Forbidden", "no rule permits this")
            if write and self.kill_now(True):
                answer = "cut"
            if answer is None and query.get("watch") != "true":
                answer = self.answer(h.command, path, query, h.headers, body)
            if write and self.kill_now(False):
                answer = "cut"
        if answer == "cut":
            cut(h)
        elif answer:
            reply(h, *answer)
        else:
            self.watch(h, self.place(path), query)

    # ---- the controller ----

    def supervise(self, *options):
        options += () if any(o.startswith(("--namespace", "--all-namespaces")) for o in options) else ("--all-namespaces",)
        log = open(os.path.join(self.dir, "log%d" % len(self.controllers)), "w+")
        p = subprocess.Popen([TRAINC, "supervise", "--kubeconfig", "controller", *options], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                             env=self.environment(),
                             preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGTERM)])
        p.log = log
        self.controllers.append(p)
        return p

    def alive(self, *options):
        """Restarts a controller that was killed."""
        if self.controllers[-1].poll() is not None:
            must(self.controllers[-1].returncode == -signal.SIGKILL, self.said())
            self.supervise(*options)
        return True

    def said(self, which=-1):
        with open(self.controllers[which].log.name) as f:
            return f.read()

    def stop(self):
        p = self.controllers[-1]
        p.send_signal(signal.SIGTERM)
        code = p.wait(timeout=20)
        must(code == 0 or (code == -signal.SIGTERM and not self.said()), "the controller ended with %d:\n%s" % (code, self.said()))

    def see(self, what, predicate, seconds=20):
        """Waits until PREDICATE holds; if it does not, the failure shows the controller's output."""
        end = time.time() + seconds
        while time.time() < end:
            with self.lock:
                if predicate():
                    return
            time.sleep(0.01)
        raise Failure("never: %s\n%s\n%s" % (what, json.dumps([[list(k), self.objects[k].get("status") or self.objects[k].get("data")]
                                                                for k in self.objects])[:3000],
                                             "\n".join(self.said(i)[-2000:] for i in range(len(self.controllers)))))

    def settle(self, seconds=0.4):
        """Waits until the controller has written nothing for a moment."""
        n, since = self.writes, time.time()
        while time.time() - since < seconds:
            time.sleep(0.05)
            if self.writes != n:
                n, since = self.writes, time.time()

    def written(self):
        """The writes of controllers, without Events."""
        with self.lock:
            return [r for r in self.controlled if r[0] in VERBS and not r[1].endswith("/events")]

    def told(self, run, ns="default"):
        """(type, reason, message) of the Events about the record of a run, in the order in which they came."""
        found = [o for (kind, place, _), o in self.objects.items() if kind == "events" and place == ns
                 and (o["involvedObject"]["kind"], o["involvedObject"]["name"]) == ("ConfigMap", run + ".trainc")]
        return [(e["type"], e["reason"], e["message"]) for e in found]

    # ---- for tests that also run on a real server: ../e2e/attacks_record.py ----

    def existing(self):
        """The uids of everything but records, Events and pods."""
        with self.lock:
            return {k: o["metadata"]["uid"] for k, o in self.objects.items() if k[0] not in ("events", "pods", "configmaps", "leases")}

    def end_jobs(self, _wait=True):
        """Jobs end at once."""

    # ---- runs ----

    def record(self, run, ns="default"):
        return (self.objects.get(("configmaps", ns, run + ".trainc")) or {}).get("data", {})

    def verdict(self, run, word, ns="default"):
        return lambda: self.record(run, ns).get("verdict") == word

    def job(self, name, phase, code=None, ns="default"):
        """Lets the pods of a Job, and then the Job, reach PHASE."""
        with self.lock:
            self.run_job(ns, json.loads(json.dumps(self.objects[("jobs", ns, name)])), phase, code)

    def roles(self):
        """The Jobs of roles: all but the voucher of a restart."""
        return [name for name in self.names("jobs") if not name.startswith("trainc-restart-")]

    def uids(self):
        return {name: self.get("jobs", name)["metadata"]["uid"] for name in self.roles()}

    def restart(self):
        """What the record of run a says about its last restart."""
        return json.loads(self.record("a").get("restart") or "{}")

    def restart_killed(self, begin, fail, is_done, end):
        """One restart of run a, with kill -9 before and after each write of it, and another controller after that.
        BEGIN starts the run, FAIL lets it restart, IS_DONE says by the uids before whether it has, and END brings the run
        to its end."""
        def run(kill):
            self.kill_at, self.writes = None, 0
            self.supervise()
            begin()
            self.settle(0.2)
            old, self.writes, self.kill_at = self.uids(), 0, kill
            fail()
            self.see("restarted (killed at %r)" % (kill,), lambda: self.alive() and is_done(old), 40)
            self.settle(0.2)
            self.alive()
            n = self.writes
            must(self.kill_at is None, "write %r did not come" % (kill,))
            end()
            self.stop()
            self.want(0, "delete", "a", "--yes")
            for key in [k for k in self.objects if k[0] == "events"]:
                self.take(*key)
            must(not self.names("jobs") + self.names("pods") + self.names("configmaps"), self.names("configmaps"))
            return n
        n = run(None)
        must(n == 10, n)                # the voucher, the record, two deletions, two Jobs, their owner, the voucher, the record
        for i in range(1, n + 1):
            for before in True, False:
                run((i, before))

    def is_suspended(self, name, ns="default"):
        o = self.objects.get(("jobs", ns, name))
        return bool(o and o["spec"].get("suspend"))


def main(checks, wanted):
    def clean(w):
        must(not w.refused, "the permissions of the manifest lack %s" % w.refused)
        must(not w.by_name, "changed by name, whoever made it: %s" % w.by_name)
    return run_checks(World, checks, wanted, clean)
