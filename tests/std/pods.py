"""pods.py - what the replicas of a program get, computed from the output of trainc as a kubelet would.

The environment of a replica comes from `trainc env -o json`, its command and its files from `trainc compile -o json`.
Values such as names and ports stay unchanged.  Only what the pod alone knows (its address, its node) is filled in.
"""
import json
import os
import re
import subprocess

REFERENCE = re.compile(r"\$(\$|\(([^()]*)\))")


class Refused(Exception):
    """trainc did not compile the case; the text says why."""


class Pod:
    """One replica: where it runs, what it runs, and the files that it finds."""

    def __init__(self, job, entry, number):
        self.job, self.role, self.index = job, entry["role"], entry["index"]
        self.name, self.host = entry["name"], entry["host"]
        self.container = entry["container"]
        self.ip = "10.88.%d.%d" % ((number + 1) // 250, (number + 1) % 250 + 1)
        self.at_start = set()                       # names whose value only the pod knows
        self.env, self.command, self.files, self.secrets = [], [], {}, {}
        self.unrolled = self.elastic = False

    def field(self, path):
        """The value of a field of the downward API."""
        known = {"metadata.name": self.name + "-x7k2q", "metadata.uid": "00000000-0000-4000-8000-%012d" % self.index,
                 "metadata.namespace": "default", "status.podIP": self.ip, "spec.nodeName": "this-machine"}
        return known.get(path, str(self.index))     # the rest are annotations and labels that carry the index


def expand(text, env):
    """Kubernetes' own substitution: $(NAME) if NAME is known, $$ for $."""
    def one(match):
        if match.group(1) == "$":
            return "$"
        return env.get(match.group(2), match.group(0))
    return REFERENCE.sub(one, text)


def printed_env(pod, entries):
    """The environment of `trainc env -o json`."""
    done = []
    for e in entries:
        kept = [k for k in ("secret", "config") if k in e]
        if kept:
            value = "%s %s/%s" % (kept[0], e[kept[0]]["name"], e[kept[0]]["key"])
        elif "field" in e:
            value = pod.field(e["field"])
        elif "text" in e:
            value = "".join(p if isinstance(p, str) else pod.field(p["field"]) for p in e["text"])
        else:
            value = e["value"]
        done.append((e["name"], value))
    return done


def object_env(pod, entries):
    """The environment that a kubelet makes from a container's list."""
    env = {}
    for e in entries or []:
        source = e.get("valueFrom", {})
        kept = [k for k in ("secretKeyRef", "configMapKeyRef") if k in source]
        if kept:
            env[e["name"]] = "%s %s/%s" % (kept[0][:6], source[kept[0]]["name"], source[kept[0]]["key"])
        elif source:
            env[e["name"]] = pod.field(source["fieldRef"]["fieldPath"])
        else:
            env[e["name"]] = expand(e.get("value", ""), env)
    return env


def trainc(*args):
    done = subprocess.run([os.environ["TRAINC"], *args], capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr.strip() or "exit status %d" % done.returncode)
    return json.loads(done.stdout)


def workload(objects, pod, job):
    """The Job that contains a replica: its role's, or its own when the role is unrolled."""
    for name in (pod.name, "%s-%s" % (job, pod.role.replace("_", "-"))):
        for o in objects:
            if o["kind"] in ("Job", "Deployment") and o["metadata"]["name"] == name:
                return o
    raise Refused("no object for replica %s" % pod.name)


def fill_files(pod, spec, container, env, objects):
    """What the volumes of a pod mount into its file system."""
    maps = {o["metadata"]["name"]: o.get("data", {}) for o in objects if o["kind"] == "ConfigMap"}
    volumes = {v["name"]: v for v in spec.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        volume = volumes[mount["name"]]
        if "secret" in volume:
            pod.secrets[mount["mountPath"]] = volume["secret"]["secretName"]
        for source in volume.get("projected", {}).get("sources", []):
            data = maps[source["configMap"]["name"]]
            key = expand(mount.get("subPathExpr", mount.get("subPath", "")), env)
            if key in data:
                pod.files[mount["mountPath"]] = data[key]


def load(program, *options):
    """The pods of all jobs of a program, and the names of those whose two environments differ."""
    jobs = trainc("env", "-o", "json", *options, program)["jobs"]
    objects = trainc("compile", "-o", "json", *options, program)["items"]
    pods, differing = [], []
    for job in jobs:
        for number, entry in enumerate(e for e in job["replicas"] if e["container"] == "main"):
            pod = Pod(job["name"], entry, number)
            holder = workload(objects, pod, job["name"])
            pod.unrolled = holder["metadata"]["name"] == pod.name
            notes = holder["metadata"].get("annotations", {})
            pod.elastic = "trainc.dev/replicas" in notes
            spec = holder["spec"]["template"]["spec"]
            main = next(c for c in spec["containers"] if c["name"] == pod.container)
            known = object_env(pod, main.get("env"))
            pod.env = printed_env(pod, entry["env"])
            pod.at_start = {e["name"] for e in entry["env"] if "value" not in e}
            if dict(pod.env) != {k: v for k, v in known.items() if not k.startswith("TRAINC_")}:
                differing.append(pod.name)
            pod.command = [expand(t, known) for t in main.get("command", []) + main.get("args", [])]
            fill_files(pod, spec, main, known, objects)
            pods.append(pod)
    return pods, differing


def shell_differs(pod, program):
    """Whether evaluating `trainc env -o shell` gives something other than the replica's values."""
    script = 'eval "$("$TRAINC" env -o shell --role %s --index %d "$1")" && unset PWD OLDPWD SHLVL _ TRAINC && env -0' % (pod.role, pod.index)
    done = subprocess.run(["env", "-i", "TRAINC=" + os.environ["TRAINC"], "/bin/sh", "-c", script, "sh", program],
                          capture_output=True, text=True)
    seen = dict(e.split("=", 1) for e in done.stdout.split("\0") if "=" in e)
    return done.returncode or seen != {k: v for k, v in pod.env if k not in pod.at_start}
