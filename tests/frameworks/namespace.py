"""namespace.py - the inside of a case: every replica in namespaces of its own, joined by a bridge.

Run by run.py inside fresh network, mount and process namespaces. A replica has its own interface and address, host
name, /tmp and /dev/shm; all share a private /etc/hosts with the names that the headless Service would publish. So the
environment is used as it was printed, and nothing can be reached from outside.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def sh(*argv):
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)
    os.chmod(path, mode)


def keypair(folder):
    """What generated("ssh-keypair") stands for: made when the job is applied."""
    os.makedirs(folder, exist_ok=True)
    sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder + "/id_ed25519")
    with open(folder + "/id_ed25519.pub") as public:
        write(folder + "/authorized_keys", public.read(), 0o600)
    write(folder + "/config", "Host *\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n", 0o600)
    os.chmod(folder, 0o700)


def prepare(pod, hosts, image, top):
    """The files of a replica, laid over the machine's own directories."""
    layer = "%s/%s" % (top, pod["name"])
    write(layer + "/etc/hosts", hosts)
    write(layer + "/etc/hostname", pod["name"] + "\n")
    write(layer + "/etc/resolv.conf", "")
    os.makedirs(layer + "/run/sshd")               # an image with an ssh server has it
    os.makedirs(layer + "/tmp")
    os.chmod(layer + "/tmp", 0o1777)
    for path, there in image.items():
        os.makedirs(os.path.dirname(layer + path), exist_ok=True)
        os.symlink(there, layer + path)
    for path, text in pod["files"].items():
        write(layer + path, text)
    for path in pod["secrets"]:
        sh("mkdir", "-p", os.path.dirname(layer + path))
        sh("cp", "-a", top + "/.keys", layer + path)
    return {"name": pod["name"], "layer": layer, "command": pod["command"], "env": pod["env"], "path": pod["path"]}


def start(pod, spec, number, log):
    """A process in namespaces of its own; it waits for its interface and then becomes the program."""
    child = subprocess.Popen(
        ["unshare", "-nmu", "--propagation", "private", sys.executable, "-S", __file__, "--pod", json.dumps(spec)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    first = child.stdout.readline().decode(errors="replace")
    if first != "ready\n":
        raise RuntimeError("%s: %s%s" % (pod["name"], first, child.stdout.read().decode(errors="replace")))
    veth, enter = "v%d" % number, ["nsenter", "-t", str(child.pid), "-n"]
    sh("ip", "link", "add", veth, "type", "veth", "peer", "name", "eth0", "netns", str(child.pid))
    sh("ip", "link", "set", veth, "master", "br0", "up")
    sh(*enter, "sh", "-c", "ip link set lo up; ip addr add %s/16 dev eth0; ip link set eth0 up" % pod["ip"])
    child.stdin.write(b"go\n")
    child.stdin.close()

    def pump():
        for line in child.stdout:
            log("[%s] %s" % (pod["name"], line.decode(errors="replace")))
    thread = threading.Thread(target=pump, daemon=True)
    thread.start()
    return child, thread


def become(spec):
    """In the replica: lay the files over, then be the program."""
    for name in sorted(os.listdir(spec["layer"]), key=lambda n: n == "tmp"):     # the layers themselves are in /tmp
        upper, work = "%s/%s" % (spec["layer"], name), "%s/.work-%s" % (spec["layer"], name)
        os.makedirs(work)
        sh("mount", "-t", "overlay", "overlay", "-o",
           "lowerdir=/%s,upperdir=%s,workdir=%s" % (name, upper, work), "/" + name)
    sh("mount", "-t", "tmpfs", "tmpfs", "/dev/shm")
    sh("hostname", spec["name"])
    os.environ.clear()
    env = {"PATH": spec["path"], "HOME": "/root", "LANG": "C.UTF-8"}
    env.update(dict(spec["env"]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    os.chdir(HERE + "/programs")
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.execvpe(spec["command"][0], spec["command"], env)


def run(case):
    """All replicas of a case until those that decide have ended; the verdict as text, empty when all is well."""
    top = case["scratch"]
    with open(case["log"], "w") as out:
        def log(text):
            out.write(text)
            out.flush()
        sh("ip", "link", "set", "lo", "up")
        sh("ip", "link", "add", "br0", "type", "bridge")
        sh("ip", "addr", "add", "10.88.255.254/16", "dev", "br0")
        sh("ip", "link", "set", "br0", "up")
        sh("mount", "-t", "tmpfs", "tmpfs", top)    # what a replica may write on: overlays want no overlay below them
        hosts = "127.0.0.1 localhost\n" + "".join("%s %s %s\n" % (p["ip"], p["host"], p["name"]) for p in case["pods"])
        if any(p["secrets"] for p in case["pods"]):
            keypair(top + "/.keys")
        children = {}
        for late in (False, True):
            for number, pod in enumerate(case["pods"]):
                if pod["waits"] == late:
                    spec = prepare(pod, hosts, case["image"], top)
                    children[pod["name"]] = start(pod, spec, number, log)
        return watch(children, case)


def watch(children, case):
    """Until those that decide have ended, or time is up; whoever ends badly fails the case."""
    deadline = time.time() + case["timeout"]
    awaited = set(case["deciding"])
    while awaited and time.time() < deadline:
        for name, (child, _) in children.items():
            status = child.poll()
            if status:
                stop(children)
                return "%s ended with %d" % (name, status)
            if status == 0:
                awaited.discard(name)
        time.sleep(0.02)
    stop(children)
    return "not finished in %d s: %s" % (case["timeout"], ", ".join(sorted(awaited))) if awaited else ""


def stop(children):
    for sig, wait in ((signal.SIGTERM, 3), (signal.SIGKILL, 1)):
        running = [c for c, _ in children.values() if c.poll() is None]
        for child in running:
            try:
                os.killpg(child.pid, sig)
            except ProcessLookupError:
                pass
        end = time.time() + wait
        while time.time() < end and any(c.poll() is None for c in running):
            time.sleep(0.02)
    for _, thread in children.values():
        thread.join(1)


if __name__ == "__main__":
    if sys.argv[1] == "--pod":
        become(json.loads(sys.argv[2]))
    else:
        with open(sys.argv[1]) as f:
            verdict = run(json.load(f))
        sys.stdout.write(verdict)
        sys.stdout.flush()
        os._exit(1 if verdict else 0)
