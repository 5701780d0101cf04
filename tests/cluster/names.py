"""names.py [NAME...] - `completion names`, as the scripts of shells call it."""
import json
import os
import pty
import select
import subprocess
import sys
import time

from world import TRAINC, main, must

JOB = 'job "%s" {\n  image = "busybox:1"\n  command = ["train"]\n  role ps {\n    replicas = 1\n  }\n  role worker {\n    replicas = 1:3\n  }\n  success = done(worker)\n}\n'
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def names(w, what, *line, code=0):
    out, err = w.want(code, "completion", "names", what, "--", "trainc", *line)
    must(not err, err)
    return out.split()


@check
def places(w):
    """contexts of the kubeconfig, namespaces of the cluster on the command line"""
    w.put("namespaces", "", {"metadata": {"name": "team"}, "status": {"phase": "Active"}})
    must(names(w, "contexts", "status", "--context") == ["c"], "contexts")
    must(names(w, "namespaces", "status", "--namespace") == ["default", "team"], "namespaces")
    must(not names(w, "namespaces", "status", "--context", "absent", "--namespace"), "another context")
    must(not names(w, "namespaces", "status", "--kubeconfig=absent", "--namespace"), "another kubeconfig")
    must(not names(w, "nothing", "status"), "nothing is asked")


@check
def runs(w):
    """runs of the cluster, in the namespace on the command line; their roles, replicas and ranks"""
    w.write("a.tj", JOB % "a")
    w.want(0, "apply", "a.tj", "--for", "created")
    must(names(w, "runs", "status") == ["a"], "runs")
    must(not names(w, "runs", "status", "--namespace", "team"), "runs of another namespace")
    must(names(w, "runs,roles", "scale", "a") == ["ps", "worker"], "roles of the run")
    must(names(w, "replicas", "exec", "a") == ["ps/0", "worker/0", "worker/1", "worker/2"], names(w, "replicas", "exec", "a"))
    must(names(w, "ranks", "logs", "a", "--rank") == ["0", "1", "2", "3"], names(w, "ranks", "logs", "a", "--rank"))
    must(not names(w, "roles", "scale", "absent"), "roles of no run")


@check
def programs(w):
    """roles of a program need no cluster"""
    w.write("a.tj", JOB % "a")
    before = len(w.requests)
    must(names(w, "runs,roles", "scale", "a.tj") == ["ps", "worker"], "roles of a program")
    must(names(w, "roles", "logs", "--timestamps", "--tail", "5", "a.tj", "--role") == ["ps", "worker"], "behind options")
    must(len(w.requests) == before, "a program needs no request")
    w.write("a.tj", "job {")
    must(not names(w, "roles", "scale", "a.tj"), "a program with errors has none, and they are not printed")


@check
def scripts(w):
    """bash passes the command line so far"""
    w.write("a.tj", JOB % "a")
    w.want(0, "apply", "a.tj", "--for", "created")
    os.mkdir(w.dir + "/bin")
    os.symlink(TRAINC, w.dir + "/bin/trainc")
    script = subprocess.run([TRAINC, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    w.write("script", script + 'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n_trainc\nprintf "%s\\n" "${COMPREPLY[@]}"\n')

    def offers(*line):
        done = subprocess.run(["bash", "script", "trainc", *line], cwd=w.dir, capture_output=True, text=True, timeout=20,
                              env={**os.environ, "KUBECONFIG": w.dir + "/config", "PATH": w.dir + "/bin:" + os.environ["PATH"]})
        return sorted(done.stdout.split())
    must(offers("status", "--namespace", "") == ["default"], offers("status", "--namespace", ""))
    must(offers("status", "--context", "=", "") == ["c"], offers("status", "--context", "=", ""))
    must("a" in offers("status", ""), offers("status", ""))
    must(offers("logs", "a", "--role", "w") == ["worker"], offers("logs", "a", "--role", "w"))
    must("worker/2" in offers("exec", "a", "worker/"), offers("exec", "a", "worker/"))


@check
def slow(w):
    """a server that does not respond costs a second and is not reported"""
    import socket
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        config = json.load(open(w.dir + "/config"))
        config["clusters"][0]["cluster"]["server"] = "http://127.0.0.1:%d" % deaf.getsockname()[1]
        w.write("config", json.dumps(config))
        begun = time.monotonic()
        must(not names(w, "runs", "status"), "a name from nowhere")
        must(time.monotonic() - begun < 10, "too long")


@check
def plugins(w):
    """a credential plugin gets no terminal, and does not outlive the answer; one that has to prompt is not started"""
    config = json.load(open(w.dir + "/config"))
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    with open(w.dir + "/plugin", "w") as f:
        f.write("#!/bin/sh\nif test -t 0 || test -t 2; then echo tty; else echo none; fi >seen.new\necho $$ >>seen.new\nmv seen.new seen\nexec sleep 600\n")
    os.chmod(w.dir + "/plugin", 0o755)
    ours, theirs = pty.openpty()
    for mode, started in (("IfAvailable", True), ("Always", False)):
        config["users"][0]["user"] = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": mode, "command": "./plugin"}}
        w.write("config", json.dumps(config))
        for _ in range(20):             # on a busy machine the second is over before the plugin has started
            done = subprocess.run([TRAINC, "completion", "names", "runs", "--", "trainc", "status"], cwd=w.dir, env=w.environment(),
                                  timeout=60, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
            must(done.returncode == 0 and not done.stdout, done)
            if not started or os.path.exists(w.dir + "/seen"):
                break
        must(os.path.exists(w.dir + "/seen") == started, mode)
        if started:
            kind, pid = open(w.dir + "/seen").read().split()
            must(kind == "none", "the plugin could ask")
            until = time.monotonic() + 20
            while alive(int(pid)) and time.monotonic() < until:
                time.sleep(0.05)
            must(not alive(int(pid)), "the plugin is left behind")
            os.remove(w.dir + "/seen")
    must(not select.select([ours], [], [], 0)[0], "something was printed on the terminal")
    os.close(ours)
    os.close(theirs)


if __name__ == "__main__":
    sys.exit(main(CHECKS, sys.argv[1:]))
