"""restricted.py - what the level "restricted" of Pod Security refuses is refused here, and nothing else.

A row is a part of a role, and whether a pod with it breaks the level.  The end-to-end tests send a pod of each row to a
real API server that keeps the level, so the table says what the server says."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counter import Counter             # noqa: E402

# The settings that the level asks for, written one by one: so the pod is made although it breaks the level.
SINGLE = 'non_root = true, escalation = false, drop = ["ALL"], seccomp = "runtime-default"'
SIDE = "sidecar s { image = \"r.example.com/s:1\", %s }"
REFUSED, TAKEN = True, False
ROWS = [
    (TAKEN, ""),
    (TAKEN, "security { run_as = 1000, run_as_group = 0, fs_group = 0, read_only_root = true }"),
    (REFUSED, "security { run_as = 0, non_root = false }"),
    (REFUSED, "security { non_root = false }"),
    (REFUSED, "security { escalation = true }"),
    (REFUSED, "security { privileged = true, escalation = true }"),
    (REFUSED, 'security { seccomp = "unconfined" }'),
    (TAKEN, 'security { capabilities = ["NET_BIND_SERVICE"] }'),
    (REFUSED, 'security { capabilities = ["NET_BIND_SERVICE", "IPC_LOCK"] }'),
    (REFUSED, 'security { capabilities = ["ALL"] }'),
    (REFUSED, SIDE % "security = none"),
    (TAKEN, SIDE % "security { run_as = 7 }"),
    (REFUSED, SIDE % "security { non_root = false }"),
    (REFUSED, SIDE % "security { escalation = true }"),
    (REFUSED, 'init i { image = "r.example.com/s:1", command = ["x"], security { capabilities = ["CHOWN"] } }'),
    (TAKEN, 'init i { image = "r.example.com/s:1", command = ["x"] }'),
    (REFUSED, 'mounts { "/h" = host_path("/data") }'),
    (REFUSED, 'mounts { "/h" = nfs("files.example.com", "/x") }'),
    (TAKEN, 'mounts { "/a" = pvc("d"), "/b" = scratch("s", 1Gi), "/c" = own_claim("o", 1Gi), "/d" = secret_files("k"), "/e" = config_files("c") }'),
    (TAKEN, 'raw pod { volumes = [{ name = "c", csi { driver = "csi.example.com" } }] }'),
    (REFUSED, 'raw pod { volumes = [{ name = "i", iscsi { targetPortal = "10.0.0.1", iqn = "iqn.2001-04.com.example:a", lun = 0 } }] }'),
    (REFUSED, "raw pod { hostPID = true }"),
    (REFUSED, "raw pod { hostIPC = true }"),
    (REFUSED, 'raw pod { hostNetwork = true, dnsPolicy = "ClusterFirstWithHostNet" }'),
    (REFUSED, "host_network = true"),
    (REFUSED, "host_ipc = true"),
    (REFUSED, 'raw pod { securityContext { sysctls = [{ name = "kernel.msgmax", value = "1" }] } }'),
    (TAKEN, 'raw pod { securityContext { sysctls = [{ name = "net.ipv4.tcp_syncookies", value = "1" }] } }'),
    (TAKEN, 'raw pod { securityContext { sysctls = [{ name = "net.ipv4.tcp_rmem", value = "1 2 3" }] } }'),
    (REFUSED, 'raw pod { securityContext { seLinuxOptions { type = "spc_t" } } }'),
    (TAKEN, 'raw pod { securityContext { seLinuxOptions { type = "container_t", level = "s0:c1" } } }'),
    (REFUSED, 'raw container { securityContext { seLinuxOptions { user = "system_u" } } }'),
    (REFUSED, 'raw pod { securityContext { runAsUser = 0 } }, raw container { securityContext { runAsUser = 7 } }'),
    (TAKEN, 'raw pod { securityContext { supplementalGroups = [0, 5] } }'),
    (REFUSED, 'raw pod { securityContext { appArmorProfile { type = "Unconfined" } } }'),
    (TAKEN, 'raw container { securityContext { appArmorProfile { type = "RuntimeDefault" } } }'),
    (REFUSED, 'raw pod { securityContext { seccompProfile { type = "Unconfined" } } }'),
    (TAKEN, 'raw pod { securityContext { seccompProfile { type = "RuntimeDefault" } } }'),
    (REFUSED, 'raw pod { securityContext { runAsNonRoot = false } }'),
    (REFUSED, 'annotations = { "container.apparmor.security.beta.kubernetes.io/main" = "unconfined" }'),
    (TAKEN, 'annotations = { "container.apparmor.security.beta.kubernetes.io/main" = "runtime/default" }'),
    (TAKEN, 'annotations = { "container.apparmor.security.beta.kubernetes.io/main" = "localhost/own", "example.com/a" = "unconfined" }'),
    (REFUSED, 'raw pod { hostUsers = false }, raw container { securityContext { procMount = "Unmasked" } }'),
    (REFUSED, "raw container { ports = [{ containerPort = 80, hostPort = 80 }] }"),
    (TAKEN, "raw container { ports = [{ containerPort = 80 }] }"),
    (REFUSED, 'raw pod { containers = [{ name = "more", image = "r.example.com/s:1" }] }'),
    (TAKEN, 'raw pod { containers = [{ name = "more", image = "r.example.com/s:1", securityContext { allowPrivilegeEscalation = false, runAsNonRoot = true,'
            ' capabilities { drop = ["ALL"] }, seccompProfile { type = "RuntimeDefault" } } }] }'),
    (TAKEN, 'raw pod { securityContext { runAsNonRoot = true, seccompProfile { type = "RuntimeDefault" } }, containers = [{ name = "more", image = "r.example.com/s:1",'
            ' securityContext { allowPrivilegeEscalation = false, capabilities { drop = ["ALL"] } } }] }'),
    (REFUSED, 'raw container { readinessProbe { httpGet { port = 80, host = "10.0.0.1" } } }'),
    (REFUSED, 'raw container { lifecycle { preStop { tcpSocket { port = 80, host = "10.0.0.1" } } } }'),
]

# A container that must not run as root and has the user 0: the kubelet does not start it, whatever the level.
ROOT = [
    (REFUSED, "security { non_root = true }, raw pod { securityContext { runAsUser = 0 } }"),
    (REFUSED, "security { run_as = 0 }, raw container { securityContext { runAsNonRoot = true } }"),
    (REFUSED, "raw pod { securityContext { runAsUser = 0, runAsNonRoot = true } }"),
    (REFUSED, "security { run_as = 0 }, raw pod { securityContext { runAsNonRoot = true } }"),
    (REFUSED, "raw pod { securityContext { runAsNonRoot = true } }, " + SIDE % "security { run_as = 0 }"),
    (TAKEN, "security { non_root = true, run_as = 5 }, raw pod { securityContext { runAsUser = 0 } }"),
    (TAKEN, "security { non_root = false }, raw pod { securityContext { runAsNonRoot = true, runAsUser = 0 } }"),
    (TAKEN, "raw pod { securityContext { runAsUser = 0 } }"),
]


def program(row, level=True):
    """The program of a row; without LEVEL the same pod without the check."""
    said = re.match(r"security \{ (.*?) \}$", row)
    own, rest = (said[1] if said else ""), "" if said else row
    if level:
        job, role = 'security = "restricted"', "security { %s }" % own if own else ""
    else:
        written = {part.split(" = ")[0] for part in re.split(r", (?=\w+ = )", own)}
        single = [part for part in re.split(r", (?=\w+ = )", SINGLE) if part.split(" = ")[0] not in written]
        job, role = "", "security { %s }" % ", ".join(single + ([own] if own else []))
    return 'job "a" {\n  image = "r.example.com/a:1"\n  command = ["x"]\n  %s\n  role w { %s\n %s }\n}\n' % (job, role, rest)


def codes_of(target, text):
    """The codes of the errors that check reports, and what it prints."""
    done = subprocess.run([os.environ["TRAINC"], "check", "--target", target, "-"], input=text, capture_output=True, text=True, timeout=60)
    return set(re.findall(r": error: .*\[(TJ\d+)\]", done.stderr)), done.stderr


def main():
    counter = Counter()
    for refused, row in ROWS:
        codes, said = codes_of("pods", program(row))
        counter.holds(row, codes == ({"TJ0632"} if refused else set()), said)
        done = subprocess.run([os.environ["TRAINC"], "compile", "--target", "pods", "-"], input=program(row, False), capture_output=True, text=True, timeout=60)
        counter.holds("without the level: " + row, done.returncode == 0, done.stderr)
    for refused, row in ROOT:
        text = 'job "a" { image = "r.example.com/a:1", command = ["x"], role w { %s } }' % row
        for target in "jobs", "pods", "jobset", "kubeflow":
            if target == "kubeflow":
                text = "import std.kubeflow\n" + text.replace('"a" {', '"a": kubeflow.pytorchjob {').replace("role w", "role master")
            codes, said = codes_of(target, text)
            counter.holds("%s: %s" % (target, row), codes == ({"TJ0632"} if refused else set()), said)
    counter.end()


if __name__ == "__main__":
    main()
