"""rows.py - the rows of refused.txt and accepted.txt, as programs and as objects.

A row is PLACE | CODE | FRAGMENT.  The compiler refuses the program of most rows, so the object for the server is
assembled here: the fragment's value is what trainc writes for a ControllerRevision, whose data it does not change. """
import copy
import json
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = ("containers", "initContainers", "volumes")
POD = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x:1", "ports": [{"name": "http", "containerPort": 80}]}]}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "p"}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "p"},
           "spec": {"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"name": "http", "port": 80}]}}


def rows(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                place, code, fragment = (part.strip() for part in line.split("|", 2))
                yield place, code, fragment


def halves(place, fragment):
    """The fragments of a row and the position of each."""
    return list(zip(place, fragment.split(" %% "))) if place == "PC" else [(place, fragment)]


def values(trainc, found):
    """The value of each fragment of the rows FOUND, by the fragment."""
    fragments = sorted({text for place, _, fragment in found for _, text in halves(place, fragment)})
    head = 'job "a" {\n  image = "r.example.com/a:1"\n  role w { }\n'
    body = "".join('  object o%d { apiVersion = "apps/v1", kind = "ControllerRevision", revision = 1, data { %s } }\n' % (i, text)
                   for i, text in enumerate(fragments))
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "a.tj"), "w", encoding="utf-8") as f:
            f.write(head + body + "}\n")
        done = subprocess.run([trainc, "compile", "-o", "json", "a.tj"], cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr)
    made = json.loads(done.stdout)
    made = made["items"] if isinstance(made, dict) else made
    data = {int(re.fullmatch(r"a-o(\d+)", o["metadata"]["name"])[1]): o.get("data", {}) for o in made if o["kind"] == "ControllerRevision"}
    return {text: data[i] for i, text in enumerate(fragments)}


def merged(base, more):
    """MORE merged into BASE: maps by key, lists of named things one after the other."""
    for key, value in more.items():
        if key in LISTS and key in base:
            base[key] = base[key] + value
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            merged(base[key], value)
        else:
            base[key] = value
    return base


def object_of(place, fragment, known):
    """The object that is sent to a server for a row."""
    pod, job, service = copy.deepcopy(POD), copy.deepcopy(JOB), copy.deepcopy(SERVICE)
    spec = {"template": {"spec": pod}}
    for where, text in halves(place, fragment):
        value = copy.deepcopy(known[text])
        if where == "O":
            value.setdefault("metadata", {}).setdefault("name", "p")
            return value
        if where == "S":
            merged(service["spec"], value)
            return service
        merged({"P": pod, "C": pod["containers"][0], "J": spec}[where], value)
    return {**job, "spec": spec}
