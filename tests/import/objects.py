"""Objects next to a job: importing a manifest and compiling the program gives the same objects, except for what
every object of a program has.  The objects are random (the same in each run), with values that are hard to write:
texts with quotes, insertions and line breaks, keys that are words of the language, empty lists and maps, numbers
at their limits."""
import json
import os
import random
import subprocess
import sys
import tempfile

TRAINC = os.environ["TRAINC"]
chance = random.Random(5)
TEXTS = ["", "a", "none", "true", "0755", "1e3", "${HOME}", "$${x}", "$", "\\", '"', '"""', "a\nb", "a\n", "\n\n a\n  b \n", "\t", "# no comment",
         "ü€😀", "\u200b", "a: b", "- c", "{", "x" * 300, "tail ", " head", "\r\n", "%s", "'", "allow TJ0001: no", "line one\nline ${two}\n\\end", "~"]
KEYS = ["a", "if", "for", "none", "let", "A_B", "a.b", "a-b", "_x.y-z", "9", "check", "in", "x y".replace(" ", ".")]


def text():
    return chance.choice(TEXTS)


def texts():
    return {key: text() for key in chance.sample(KEYS, chance.randrange(5))}


def metadata(name):
    ret = {"name": name}
    if chance.random() < 0.5:
        ret["namespace"] = chance.choice(["lab", "other"])
    if chance.random() < 0.5:
        ret["labels"] = {"team": "a", "example.com/tier": "b-1"}
    if chance.random() < 0.5:
        ret["annotations"] = {"example.com/note": text(), "note": text()}
    return ret


def config_map(name):
    ret = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name), "data": texts()}
    if chance.random() < 0.3:
        ret["immutable"] = chance.random() < 0.5
    if chance.random() < 0.3:
        ret["binaryData"] = {"b": "AAECAw=="}
    return ret


def claim(name):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata(name),
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": chance.choice(["10Gi", "1500M"])}},
                     "selector": {"matchLabels": {}}, "volumeMode": "Filesystem"}}


def service(name):
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(name),
            "spec": {"selector": {"app": "x"}, "ports": [{"name": "http", "port": 80, "targetPort": chance.choice([8080, "http"])}],
                     "sessionAffinity": "None", "publishNotReadyAddresses": chance.random() < 0.5}}


def account(name):
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(name), "automountServiceAccountToken": False, "imagePullSecrets": []}


def role(name):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata(name),
            "rules": [{"apiGroups": ["", "batch"], "resources": ["pods", "pods/log"], "verbs": ["get", "*"]}, {"apiGroups": [""], "resources": ["pods"], "resourceNames": [], "verbs": ["list"]}]}


def deployment(name):
    container = {"name": "c", "image": "registry.example.com/c:1", "args": [text() for _ in range(3)],
                 "env": [{"name": "A", "value": text()}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                 "livenessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": chance.choice([1, 7, 2**31 - 1])}, "securityContext": {}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(name),
            "spec": {"replicas": chance.choice([0, 1, 7, 2**31 - 1]), "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container], "tolerations": [{"operator": "Exists"}]}}}}


def job(name):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "lab"},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example.com/a:1"}]}}}}


def plain(value):
    """Without values that mean nothing: empty metadata, nulls."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if item is not None}
    return [plain(item) for item in value] if isinstance(value, list) else value


def without_ours(found, wanted):
    """Labels of every object of a program, and the job's namespace where there was none."""
    meta = found["metadata"]
    labels = {key: value for key, value in meta.get("labels", {}).items()
              if not key.startswith("trainc.dev/") and not key.startswith("app.kubernetes.io/")}
    meta.pop("labels", None)
    if labels or "labels" in wanted["metadata"]:
        meta["labels"] = labels
    if "namespace" not in wanted["metadata"]:
        meta.pop("namespace", None)
    return found


def run(*arguments):
    return subprocess.run([TRAINC, *arguments], capture_output=True, text=True, check=False)


def main():
    import yaml
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        for turn in range(40):
            makers = [config_map, claim, service, account, role, deployment]
            objects = [chance.choice(makers)(f"o-{turn}-{i}") for i in range(6)]
            with open(f"{work}/a.yaml", "w", encoding="utf-8") as file:
                file.write("\n---\n".join(json.dumps(item) for item in [*objects, job(f"j{turn}")]))
            program = run("import", f"{work}/a.yaml")
            with open(f"{work}/a.tj", "w", encoding="utf-8") as file:
                file.write(program.stdout)
            compiled = run("compile", f"{work}/a.tj")
            found = {(d["kind"], d["metadata"]["name"]): d for d in yaml.safe_load_all(compiled.stdout)} if compiled.returncode == 0 else {}
            for wanted in objects:
                key = (wanted["kind"], wanted["metadata"]["name"])
                if key in found and plain(without_ours(found[key], wanted)) == plain(wanted):
                    passed += 1
                    continue
                failed += 1
                print(f"FAIL {key}: wanted {json.dumps(wanted)[:600]}\n  found {json.dumps(found.get(key))[:600]}")
                print((program.stderr or compiled.stderr)[:600])
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
