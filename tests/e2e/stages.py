"""Ways of failing or not starting, with the words of a real kubelet and of the real API server and scheduler: for each, the cause and
the advice that `why` prints. tests/status/advice.py has hundreds of such texts; here are those that a cluster without a network can say.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 stages.py [NAME...]

A row has a name, a program, a pattern of the cause and a part of the only advice.
"""

import base64
import concurrent.futures
import http.server
import json
import os
import re
import ssl
import subprocess
import sys
import threading
import time

import runtime
from runtime import Failure, refuses_pods

KWOK, NODE = [], []


def program(name, body, head="", image="localhost/busybox:1"):
    return f'job "{name}" {{\n  image = "{image}"\n  pull  = "never"\n  grace = 1s\n  {head}\n  role worker {{\n    {body}\n  }}\n}}\n'


def told(s, name, text, cause, advice):
    """Applies a program that cannot run; returns what differs from the cause and the advice, or None."""
    s.write(name + ".tj", text)
    done = s.run("apply", name + ".tj", "--for", "created")
    if done.returncode:
        return f"{name}: apply: {done.stdout}{done.stderr}"
    end = time.monotonic() + 150
    while True:
        done = s.run("why", name, "-o", "json")
        seen = json.loads(done.stdout) if done.returncode == 0 else {"run": {}, "advice": []}
        if re.search(cause, seen["run"].get("cause") or "") and len(seen["advice"]) == 1 and advice in seen["advice"][0]:
            return None
        if time.monotonic() > end:
            return f"{name}: {done.stderr}{seen['run'].get('phase')}: {seen['run'].get('cause')!r}\n    {json.dumps(seen['advice'])}"
        time.sleep(1)


def all_told(s, rows, at_once=4):
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        wrong = [x for x in pool.map(lambda row: told(s, *row), rows) if x]
    if wrong:
        raise Failure("\n".join(wrong))


REGISTRY = '''
import http.server

class Registry(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        code = int(self.path.split("/")[2])
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_GET = do_HEAD

http.server.ThreadingHTTPServer(("127.0.0.1", 5001), Registry).serve_forever()
'''


def node_check(f):
    NODE.append((f.__doc__.strip(), f))
    return f


@node_check
def node_pulls(s):
    """what containerd says of a registry: no such image, a login, forbidden, too many pulls, an error, no answer"""
    s.write("registry.tj", program("registry", 'host_network = true\n    command = ["python3", "/app/registry.py"]\n    files {\n      "/app/registry.py" = """' + REGISTRY + '"""\n    }',
                                   image="localhost/python:1"))
    s.want(0, "apply", "registry.tj", timeout=240)
    all_told(s, [(f"pull-{name}", program(f"pull-{name}", 'command = ["true"]', image=image).replace('pull  = "never"', ""), cause, advice) for name, image, cause, advice in (
        ("none", "127.0.0.1:5001/404/a:2", "ErrImagePull: .*404/a:2: not found|ImagePullBackOff.*not found", "check its name and tag"),
        ("login", "127.0.0.1:5001/401/a:2", "401 Unauthorized", "requires a login"),
        ("forbidden", "127.0.0.1:5001/403/a:2", "403 Forbidden", "a login that may read"),
        ("many", "127.0.0.1:5001/429/a:2", "429 Too Many Requests", "limits pulls"),
        ("error", "127.0.0.1:5001/503/a:2", "503 Service Unavailable", "the registry has an error"),
        ("away", "127.0.0.1:9/a:2", "connection refused", "cannot reach the registry"))])


@node_check
def node_starts(s):
    """what a kubelet and runc say of containers that do not start: no such program, no permission, no such file, a hook that fails,
    ConfigMaps, Secrets and their keys, root"""
    s.kubectl("create", "configmap", "settings", "--from-literal=a=1")
    s.kubectl("create", "secret", "generic", "token", "--from-literal=a=1")
    sleep = 'command = ["sleep", "600"]'
    all_told(s, [(name, program(name, body), cause, advice) for name, body, cause, advice in (
        ("no-program", 'command = ["pythn"]', r"worker 0: StartError \(exit code 128\)", "the image has no such program"),
        ("no-permission", 'command = ["/etc/passwd"]', "StartError", "may not be executed"),
        ("no-path", 'command = ["/opt/run"]', "StartError", "a path does not exist"),
        ("hook", sleep + '\n    raw container { lifecycle = { postStart = { exec = { command = ["false"] } } } }', "worker 0: killed by KILL", "lifecycle"),
        ("no-config", sleep + '\n    env { A = config("nowhere", "a") }', 'configmap "nowhere" not found', "ConfigMap does not exist"),
        ("no-secret", sleep + '\n    env { A = secret("nowhere", "a") }', 'secret "nowhere" not found', "Secret does not exist"),
        ("no-key", sleep + '\n    env { A = config("settings", "b") }', "couldn't find key b", "has no such key"),
        ("no-secret-key", sleep + '\n    env { A = secret("token", "b") }', "couldn't find key b", "has no such key"),
        ("root", sleep + "\n    security { non_root = true }", "runAsNonRoot", "set a user"),
        ("no-config-volume", sleep + '\n    raw pod { volumes = [{ name = "x", configMap = { name = "nowhere" } }] }\n    raw container { volumeMounts = [{ name = "x", mountPath = "/x" }] }', 'configmap "nowhere" not found', "ConfigMap does not exist"))])


@node_check
def node_ends(s):
    """how containers end on a real kubelet: too little memory, a shell without the program, exit codes, a full scratch, a program and an
    init container that keep failing"""
    sleep = 'command = ["sleep", "600"]'
    all_told(s, [(name, program(name, body, image="localhost/python:1"), cause, advice) for name, body, cause, advice in (
        ("memory", 'memory = 48Mi\n    command = ["python3", "-c", "x = b\\"x\\" * (256 << 20)"]', r"worker 0: OOMKilled \(exit code 137\)", "more memory than 'memory'"),
        ("shell", 'command = ["sh", "-c", "exec pythn train.py"]', "exit code 127", "an error of its own"),
        ("code", 'command = ["sh", "-c", "exit 3"]', "worker 0: exit code 3", "an error of its own"),
        ("scratch", 'command = ["sh", "-c", "dd if=/dev/zero of=/s/x bs=1M count=20; sleep 600"]\n    mounts { "/s" = scratch("s", 1Mi) }', "Evicted: .*EmptyDir volume", "more than its 'scratch'"),
        ("again", 'command = ["sh", "-c", "exit 5"]\n    restart = "on-failure"',
         "CrashLoopBackOff: exit code 5", "keeps exiting by itself"),
        ("init", sleep + '\n    restart = "on-failure"\n    init fetch { image = "localhost/busybox:1", command = ["false"] }', "init container 'fetch': (CrashLoopBackOff|exit code 1)", "a container before it fails"))])


def with_volume(volume, path="/x", more=""):
    return ('\n    raw pod { volumes = [{ name = "x", %s }] }\n    raw container { volumeMounts = [{ name = "x", mountPath = "%s" }]%s }' % (volume, path, more))


def with_probe(kind, often):
    return '\n    raw container { %s = { exec = { command = ["false"] }, periodSeconds = 1, failureThreshold = %d } }' % (kind, often)


@node_check
def node_many(s):
    """two dozen runs in one namespace, all at once: probes with and without a kill, sidecars and init containers, images that are not
    there, directories and mounts that are none, profiles, scheduling, deadlines, disk, signals, scripts"""
    sleep = 'command = ["sleep", "600"]'
    deaf = 'command = ["sh", "-c", "trap : TERM; while :; do sleep 1; done"]'
    busybox, python = "localhost/busybox:1", "localhost/python:1"
    s.kubectl("create", "configmap", "scripts", "--from-literal=run=echo hello")
    rows = (
        ("alive", sleep + with_probe("livenessProbe", 1000), busybox, "^worker 0: Liveness probe failed", "is killed when that lasts"),
        ("killed", deaf + '\n    restart = "on-failure"' + with_probe("livenessProbe", 2), busybox, "Liveness probe failed", "liveness probe"),
        ("slow", deaf + '\n    restart = "on-failure"' + with_probe("startupProbe", 3), busybox, "Startup probe failed", "'within'"),
        ("side-ends", sleep + '\n    sidecar logs { image = "localhost/busybox:1", command = ["false"] }', busybox, "sidecar 'logs': (CrashLoopBackOff|exit code 1)", "--container NAME"),
        ("side-image", sleep + '\n    sidecar logs { image = "127.0.0.1:9/a:2", command = ["x"] }', busybox, "sidecar 'logs': (ErrImagePull|ImagePullBackOff)", "cannot reach the registry"),
        ("init-image", sleep + '\n    init fetch { image = "127.0.0.1:9/a:2", command = ["x"] }', busybox, "init container 'fetch': (ErrImagePull|ImagePullBackOff)", "cannot reach the registry"),
        ("never", sleep, "localhost/none:1", "ErrImageNeverPull", "forbids pulling"),
        ("read-only", 'command = ["sh", "-c", "echo x > /file"]\n    security { read_only_root = true }', busybox, "worker 0: exit code 1", "an error of its own"),
        ("profile", sleep + '\n    raw pod { securityContext = { seccompProfile = { type = "Localhost", localhostProfile = "nowhere.json" } } }', busybox, "seccomp profile", "seccomp profile of the pod"),
        ("directory", sleep + '\n    workdir = "/etc/passwd"', busybox, r"StartError \(exit code 128\)", "correct 'workdir'"),
        ("over-file", sleep + with_volume("emptyDir = {}", "/etc/passwd"), busybox, r"StartError \(exit code 128\)", "one is a file and the other a directory"),
        ("script", 'command = ["/x/run"]' + with_volume('configMap = { name = "scripts", defaultMode = 493 }'), busybox, "worker 0: (exit code|StartError)", "#!/bin/sh"),
        ("late", sleep, busybox, "DeadlineExceeded", "longer than its 'timeout'"),
        ("ports", 'replicas = 2\n    ' + sleep + '\n    host_network = true\n    ports { p = 18391 }', busybox, "didn't have free ports", "another port"),
        ("scheduler", sleep, busybox, "no scheduler 'volcano'", "does not run here"),
        ("large", sleep + "\n    cpu = 4000", busybox, "Insufficient cpu", "ask for less"),
        ("labels", sleep + '\n    node { "example.com/none" = "x" }', busybox, "didn't match Pod's node affinity/selector", "example.com/none"),
        ("claim", sleep + '\n    mounts { "/data" = pvc("nowhere") }', busybox, 'persistentvolumeclaim "nowhere" not found', "claim does not exist"),
        ("account", sleep + '\n    service_account = "nobody"', busybox, 'serviceaccount "nobody" not found', "service account does not exist"),
        ("sysctl", sleep + '\n    raw pod { securityContext = { sysctls = [{ name = "net.core.somaxconn", value = "1024" }] } }', busybox, "SysctlForbidden", "does not allow a sysctl"),
        ("host-path", sleep + with_volume('hostPath = { path = "/nowhere", type = "Directory" }'), busybox, "hostPath type check failed", "cannot be mounted"),
        ("secret-volume", sleep + with_volume('secret = { secretName = "nowhere" }'), busybox, 'secret "nowhere" not found', "Secret does not exist"),
        ("signal", 'command = ["sh", "-c", "sh -c \'kill -SEGV $$\'; exit $?"]', busybox, "worker 0: killed by SEGV", "an error of its own"),
        ("init-memory", sleep + '\n    init fetch { image = "localhost/python:1", memory = 48Mi, command = ["python3", "-c", "x = b\\"x\\" * (256 << 20)"] }', python,
         "init container 'fetch': (OOMKilled|CrashLoopBackOff|exit code 137)", "a container before it fails"),
    )
    heads = {"late": "timeout = 5s", "scheduler": 'scheduler = "volcano"'}
    all_told(s, [(name, program(name, body, heads.get(name, ""), image), cause, advice) for name, body, image, cause, advice in rows], 12)


# ---- the API server and the scheduler, on nodes that do not exist ----


def kwok_check(f):
    KWOK.append((f.__doc__.strip(), f))
    return f


class Hook(http.server.BaseHTTPRequestHandler):
    """A webhook that refuses every object."""

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": {
            "uid": review["request"]["uid"], "allowed": False, "status": {"message": "images must not have the tag latest"}}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def tls_server(s, handler):
    """A server at a port of this machine, with a certificate in hook.crt."""
    key, certificate = [os.path.join(s.dir, "hook." + end) for end in ("key", "crt")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-subj", "/CN=hook", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def webhook(s, port):
    """Lets a webhook at that port of this machine decide about pods of the namespace."""
    with open(os.path.join(s.dir, "hook.crt"), "rb") as f:
        authority = base64.b64encode(f.read()).decode()
    s.write("hook.json", json.dumps({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": s.ns}, "webhooks": [{
        "name": "tags.example.com", "clientConfig": {"url": f"https://127.0.0.1:{port}/", "caBundle": authority}, "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": s.ns}}, "failurePolicy": "Fail", "timeoutSeconds": 5,
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}]}]}))
    s.kubectl("apply", "-f", os.path.join(s.dir, "hook.json"), ns=False)


@kwok_check
def stages_admitted(s):
    """what the real admission says: a webhook that refuses, one that does not answer, a policy, a runtime class"""
    sleep = program("x", 'command = ["sleep", "600"]', image="busybox:1")

    def row(name, cause, advice, text=sleep):
        wrong = told(s, name, text.replace('"x"', f'"{name}"'), cause, advice)
        if wrong:
            raise Failure(wrong)
    row("runtime", 'RuntimeClass "kata" not found', "runtime class does not exist", program("x", 'command = ["true"]\n    raw pod { runtimeClassName = "kata" }', image="busybox:1"))
    server = tls_server(s, Hook)
    try:
        webhook(s, server.server_port)
        refuses_pods(s, "must not have the tag latest")
        row("denied", 'admission webhook "tags.example.com" denied the request: images must not have the tag latest', "a webhook of the cluster")
        server.shutdown()
        server.server_close()
        refuses_pods(s, "connection refused")
        row("silent", 'failed calling webhook "tags.example.com"', "does not answer")
    finally:
        s.kubectl("delete", "validatingwebhookconfiguration", s.ns, ns=False, ok=False)
    s.write("policy.yaml", f"""apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: {s.ns}}}
spec:
  matchConstraints:
    namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {s.ns}}}}}
    resourceRules: [{{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]
  validations: [{{expression: "object.spec.containers.all(c, has(c.resources.limits))", message: "set limits"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: {s.ns}}}
spec: {{policyName: {s.ns}, validationActions: [Deny]}}
""")
    s.kubectl("apply", "-f", os.path.join(s.dir, "policy.yaml"), ns=False)
    try:
        time.sleep(2)                       # policies take effect a moment after their creation
        row("policy", f"ValidatingAdmissionPolicy '{s.ns}' with binding '{s.ns}' denied request: set limits", "a policy of the cluster")
    finally:
        for kind in "validatingadmissionpolicybinding", "validatingadmissionpolicy":
            s.kubectl("delete", kind, s.ns, ns=False, ok=False)


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], [c for c in NODE + KWOK if c[1].__name__ in sys.argv[1:]] or KWOK))
