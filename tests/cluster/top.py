"""top.py [NAME...] - top against a server with metrics.k8s.io and exporters of devices, and with wrong answers of both."""
import json
import re
import sys
import time

from api_memory import SANITIZED, must, reply, run_checks, status
from world import World

CHECKS = []
JOB = '''import std.nvidia
job "t" {
  image = "busybox:1"
  role worker {
    replicas    = 3
    accelerator = nvidia.h100(2)
    command     = ["train"]
  }
}
'''
PLAIN = 'job "t" {\n  image = "busybox:1"\n  role worker {\n    replicas = 2\n    command = ["train"]\n  }\n}\n'
METRICS = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"
PAGE = "/api/v1/namespaces/gpu/pods/exporter:9401/proxy/metrics"


def check(f):
    CHECKS.append(f)
    return f


def used(n, *containers):
    return {"metadata": {"name": "t-worker-%d-x" % n, "namespace": "default"}, "containers": [{"name": "c%d" % i, "usage": {"cpu": cpu, "memory": memory}} for i, (cpu, memory) in enumerate(containers)]}


def line(name, gpu, value, pod="t-worker-0-x", ns="default", keys=("pod", "namespace")):
    return '%s{gpu="%s",UUID="GPU-%s",Hostname="n",%s="%s",%s="%s",container="main"} %s\n' % (name, gpu, gpu, keys[0], pod, keys[1], ns, value)


def between_tables(pid):
    """The KiB that a process has while it makes no table: the least of two seconds."""
    least = []
    for _ in range(20):
        with open("/proc/%d/status" % pid) as f:
            least.append(int(re.search(r"VmRSS:\s+(\d+)", f.read())[1]))
        time.sleep(0.1)                     # twenty samples in two seconds: a table is made every five
    return min(least)


class Top(World):
    def __init__(self):
        super().__init__()
        self.metrics, self.page, self.asked, self.hangs, self.lists = None, None, [], False, []

    def serve(self, h):
        path = h.path.split("?")[0]
        if path.endswith("/pods") and "labelSelector" in h.path and "watch=" not in h.path and path != METRICS:
            self.lists.append(h.path)
        if path.endswith("/proxy/metrics") and self.hangs:
            self.asked.append(h.path)
            time.sleep(30)  # longer than trainc waits
            return
        for at, answer in ((METRICS, self.metrics), (PAGE, self.page)):
            if path == at:
                self.asked.append(h.path)
                if isinstance(answer, str):
                    h.send_response(200)
                    h.send_header("Content-Type", "text/plain; version=0.0.4")
                    h.send_header("Content-Length", str(len(answer.encode())))
                    h.end_headers()
                    h.wfile.write(answer.encode())
                elif answer:
                    code, body = answer
                    reply(h, code, {"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {}, **body} if isinstance(body, dict) and "items" in body else body)
                else:
                    reply(h, *status(404, "NotFound", "the server could not find the requested resource"))
                return
        super().serve(h)

    def begin(self, text=JOB):
        self.write("t.tj", text)
        self.want(0, "apply", "--no-wait", "t.tj")

    def exporter(self, labels={"app": "nvidia-dcgm-exporter"}, name="exporter", **spec):
        self.put("pods", "gpu", {"metadata": {"name": name, "labels": labels}, "spec": {"nodeName": "n", "containers": [
            {"name": "e", "ports": [{"name": "web", "containerPort": 80}, {"name": "metrics", "containerPort": 9401}]}], **spec}, "status": {"phase": "Running"}})

    def rows(self):
        return json.loads(self.want(0, "top", "t", "-o", "json")[0])


@check
def all_served(w):
    """the table and the document; containers are added up; devices have a mean and a sum; both ways to install an exporter"""
    w.begin()
    w.metrics = (200, {"items": [used(0, ("1500m", "1Gi"), ("250000000n", "512Mi")), used(1, ("12", "64Gi")), used(2, ("0", "0")),
                                                           {"metadata": {"name": "other"}, "containers": [{"usage": {"cpu": "9", "memory": "9"}}]}]})
    w.page = ("# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n" + line("DCGM_FI_DEV_GPU_UTIL", 0, 90) + line("DCGM_FI_DEV_GPU_UTIL", 1, "97.0")
              + line("DCGM_FI_DEV_FB_USED", 0, 40960) + line("DCGM_FI_DEV_FB_USED", 1, 1024) + line("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0, 0.1)
              + line("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 3, "0.5", pod="t-worker-1-x", keys=("pod_name", "pod_namespace"))
              + line("DCGM_FI_DEV_GPU_UTIL", 5, 1, ns="other") + line("DCGM_FI_DEV_GPU_UTIL", 6, 1, pod=""))
    for labels in {"app": "nvidia-dcgm-exporter"}, {"app.kubernetes.io/name": "dcgm-exporter"}:
        w.exporter(labels)
        out, err = w.want(0, "top", "t")
        must(err == "trainc: not served: GPU and GPU-MEMORY of some replicas: no exporter names their pods\n", err)
        must([line.split() for line in out.splitlines()] == [
            ["REPLICA", "CPU", "MEMORY", "GPU", "GPU-MEMORY", "NODE"],
            ["worker/0", "1.75", "1.5", "GiB", "94%", "of", "2", "41", "GiB", "n"],
            ["worker/1", "12.00", "64", "GiB", "50%", "-", "n"],
            ["worker/2", "0.00", "0", "B", "-", "-", "n"]], out)
    must("labelSelector=trainc.dev%2Fjob%3Dt" in w.asked[0], w.asked)
    d = w.rows()
    must(d["run"] == "t" and len(d["unserved"]) == 1 and d["replicas"][0] == {"role": "worker", "index": 0, "cpu": 1.75, "memory_bytes": 1610612736, "gpus": 2, "gpu_percent": 94,
         "gpu_memory_bytes": 41984 << 20, "node": "n"} and d["replicas"][2]["gpu_percent"] is None, d)


@check
def not_served(w):
    """what is not served is '-', said in a line, status 0"""
    w.begin()
    none = re.escape("not served: CPU and MEMORY: the cluster has no metrics.k8s.io, which metrics-server serves\n"
                     "trainc: not served: GPU and GPU-MEMORY: no known exporter runs on the nodes of the run\n")
    out, err = w.want(0, "top", "t", err=none)
    must([line.split() for line in out.splitlines()][1] == ["worker/0", "-", "-", "-", "-", "n"], out)
    must(err.count("\n") == 2, err)
    w.metrics = status(403, "Forbidden", 'pods.metrics.k8s.io is forbidden: User "eve" cannot list resource "pods" in API group "metrics.k8s.io" in the namespace "default"')
    w.want(0, "top", "t", err="not served: CPU and MEMORY: metrics.k8s.io: .*user 'eve' may not list pods.metrics.k8s.io")
    w.metrics = status(503, "ServiceUnavailable", "the server is currently unable to handle the request")
    w.want(0, "top", "t", err="CPU and MEMORY: metrics.k8s.io: ")
    w.metrics = (200, {"items": [used(1, ("1", "1Gi"))]})
    out, _ = w.want(0, "top", "t", err="CPU and MEMORY of some replicas: metrics.k8s.io has not measured them yet")
    must(out.splitlines()[2].split()[1:3] == ["1.00", "1.0"] and out.splitlines()[1].split()[1:3] == ["-", "-"], out)
    w.exporter(nodeName="other")
    w.want(0, "top", "t", err="no known exporter runs on the nodes")
    w.exporter()
    w.page = status(503, "ServiceUnavailable", "error trying to reach service: dial tcp: refused \x1b[2J")
    _, err = w.want(0, "top", "t", err="not served: GPU and GPU-MEMORY on node n: ")
    must("\x1b" not in err, err)
    w.fault("GET", "^/api/v1/pods[?].*dcgm", status(403, "Forbidden", 'pods is forbidden: User "eve" cannot list resource "pods" in API group "" at the cluster scope'), times=99)
    w.want(0, "top", "t", err="GPU and GPU-MEMORY: exporters are not found: .*user 'eve' may not list pods")


@check
def plain_runs(w):
    """a run without devices; --watch until the run ends; a run that has ended has nothing to show"""
    w.begin(PLAIN)
    w.metrics = (200, {"items": [used(0, ("1", "1Gi")), used(1, ("1", "1Gi"))]})
    w.page = status(503, "ServiceUnavailable", "no exporter")
    for n in range(2):                                      # exporters are of no use to it, whether there are any or not
        out, err = w.want(0, "top", "t")
        must(not err and [x.split()[-3] for x in out.splitlines()] == ["GPU", "-", "-"], (out, err))
        w.exporter()
    must(not any("proxy" in path for path in w.asked), w.asked)
    w.want(2, "top", "t", "-o", "json", "--watch", err="--watch shows tables")
    p = w.start("top", "t", "--watch")
    w.shown(p, "worker/1", out=True)
    w.run_job("default", w.get("jobs", "t-worker"), "Succeeded")
    p.communicate(timeout=60)
    must(p.returncode == 0, p.returncode)
    for words in (), ("--watch",):
        w.want(5, "top", "t", *words, err="no replica of run 't' runs now: Succeeded")


@check
def devices_missing(w):
    """exporters that name no pods or only some of a role are said; a table does not keep the memory of the one before, and tells reasons that are new"""
    w.begin()
    w.exporter()
    w.metrics = (200, {"items": [used(n, ("1", "1Gi")) for n in range(20000)]})
    for page in line("DCGM_FI_DEV_GPU_UTIL", 0, 50, pod=""), 'DCGM_FI_DEV_GPU_UTIL{gpu="0"} 50\n':
        w.page = page
        w.want(0, "top", "t", err="^trainc: not served: GPU and GPU-MEMORY on node n: its exporter names no pods$")
    some = "not served: GPU and GPU-MEMORY of some replicas: no exporter names their pods"
    w.page = line("DCGM_FI_DEV_GPU_UTIL", 0, 50) + line("DCGM_FI_DEV_GPU_UTIL", 1, 50, pod="")
    p, rss = w.start("top", "t", "--watch"), []
    w.shown(p, some)
    for _ in range(3):
        w.shown(p, "worker/2", out=True)
        rss.append(between_tables(p.pid))
    w.metrics = None
    w.shown(p, "not served: CPU and MEMORY: the cluster has no metrics.k8s.io")
    p.kill()
    p.communicate(timeout=60)
    must(SANITIZED or rss[2] < rss[0] + 8000, rss)


@check
def once_for_all_tables(w):
    """--watch looks for devices and exporters once, and again only after an exporter has failed or a pod is another one"""
    w.begin()
    w.exporter()
    w.metrics, w.page = (200, {"items": [used(n, ("1", "1Gi")) for n in range(3)]}), "".join(line("DCGM_FI_DEV_GPU_UTIL", n, 50, pod="t-worker-%d-x" % n) for n in range(3))
    w.want(0, "top", "t")
    one = len([x for x in w.lists if "dcgm" in x])
    must(one, w.lists)
    w.lists.clear()
    p, shown = w.start("top", "t", "--watch"), [""]

    def tables(n):
        """Waits for n more tables."""
        shown[0] = w.shown(p, lambda text: text.count("worker/2") >= n, out=True)

    def looked(times):
        must(len([x for x in w.lists if "dcgm" in x]) == times * one, (times, one, w.lists))
    tables(3)
    looked(1)
    must(len(w.asked) >= 6 and shown[0].count("50%") >= 7, (w.asked, shown))
    w.page = status(503, "ServiceUnavailable", "gone")
    w.shown(p, "GPU and GPU-MEMORY on node n: ")
    w.page = line("DCGM_FI_DEV_GPU_UTIL", 0, 70)
    tables(2)
    looked(2)
    must("70%" in shown[0], shown)
    p.kill()
    p.communicate(timeout=60)


@check
def exporters_hang(w):
    """exporters that do not answer cost a bounded time; the other values are shown"""
    w.begin(JOB.replace("= 3", "= 20"))
    w.metrics, w.hangs = (200, {"items": [used(0, ("1", "1Gi"))]}), True
    for n in range(20):
        pod = w.get("pods", "t-worker-%d-x" % n)
        w.put("pods", "default", dict(pod, spec=dict(pod["spec"], nodeName="n%d" % n)))
        w.exporter(name="exporter-%d" % n, nodeName="n%d" % n)
    out, err = w.want(0, "top", "t", err="GPU and GPU-MEMORY on 12 nodes: the exporters on other nodes have not answered in time$")
    must(out.split()[6:10] == ["worker/0", "1.00", "1.0", "GiB"], out)
    must(len(w.asked) == 9 and err.count("GPU-MEMORY on node n") == 8, (w.asked, err))


@check
def which_devices(w):
    """what counts as a device: a resource with a domain, also of an init container or as a claim; resources of Kubernetes are none"""
    none = "GPU and GPU-MEMORY: no known exporter runs on the nodes of the run"
    w.begin(PLAIN)
    w.metrics = (200, {"items": [used(0, ("1", "1Gi")), used(1, ("1", "1Gi"))]})
    pod = w.get("pods", "t-worker-0-x")
    for device, spec in (
            (False, {"containers": [{"name": "main", "resources": {"limits": {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "4Mi", "ephemeral-storage": "1Gi"}}}]}),
            (False, {"containers": [{"name": "main", "resources": {"limits": {"example.kubernetes.io/x": "1", "/x": "1", "": "1"}, "requests": 7}}, 7]}),
            (False, {"containers": 7, "initContainers": "x", "resourceClaims": {}}),
            (True, {"containers": [{"name": "main", "resources": {"limits": {"example.com/gpu": "1"}}}]}),
            (True, {"containers": [{"name": "main", "resources": {"requests": {"example.com/gpu": "1"}}}]}),
            (True, {"containers": [{"name": "main"}, {"name": "beside", "resources": {"limits": {"example.com/gpu": "1"}}}]}),
            (True, {"containers": [{"name": "main"}], "initContainers": [{"name": "i", "resources": {"limits": {"example.com/gpu": "1"}}}]}),
            (True, {"containers": [{"name": "main"}], "resourceClaims": [{"name": "gpu", "resourceClaimName": "g"}]})):
        w.put("pods", "default", {**pod, "spec": {"nodeName": "n", **spec}})
        w.want(0, "top", "t", err="not served: " + none if device else r"\A\Z")
        must(w.rows()["unserved"] == [none] * device, spec)
    w.fault("GET", "^/api/v1/namespaces/default/pods[?](?!.*watch=)", status(500, "InternalError", "broken"), times=99)
    w.want(0, "top", "t", err=none)


@check
def wrong_values(w):
    """amounts and lines that are none have no effect; what is kept of a page is bounded"""
    w.begin()
    w.exporter()
    for cpu, memory in ("x", "1Gi"), ("-1", "1"), ("1", "9" * 60), ("", ""), ("1", None), ([], {}):
        w.metrics = (200, {"items": [used(0, (cpu, memory)), {"metadata": 7}, 7, {"metadata": {"name": "t-worker-1-x"}}]})
        row = w.rows()["replicas"][0]
        must(row["cpu"] is None or row["memory_bytes"] is None, row)
    for body in b"", b"{", b"[]", b"null":
        w.metrics = (200, body)
        w.want(0, "top", "t", err="CPU and MEMORY")
    good = line("DCGM_FI_DEV_GPU_UTIL", 0, 50)
    for bad in ("DCGM_FI_DEV_GPU_UTIL{", "DCGM_FI_DEV_GPU_UTIL{}", 'DCGM_FI_DEV_GPU_UTIL{gpu="1",pod="t-worker-0-x"', line("DCGM_FI_DEV_GPU_UTIL", 1, "NaN"),
                line("DCGM_FI_DEV_GPU_UTIL", 1, "1e300"), line("DCGM_FI_DEV_GPU_UTIL", 1, "-3"), line("DCGM_FI_DEV_GPU_UTIL", 1, ""), line("DCGM_FI_DEV_GPU_UTIL", 1, "0x10"),
                'DCGM_FI_DEV_GPU_UTIL{gpu="1\\', "\0" * 5000, "{" * 5000, "x" * 100000):
        w.page = bad + "\n" + good + bad
        row = w.rows()["replicas"][0]
        must(row["gpu_percent"] == 50 and row["gpus"] == 1, (bad[:80], row))
    w.page = "".join(line("DCGM_FI_DEV_GPU_UTIL", n, 100) for n in range(20000))
    must(w.rows()["replicas"][0]["gpus"] == 256, "devices of a node")
    w.page = line("DCGM_FI_DEV_FB_USED", 0, "9e17")
    must(w.rows()["replicas"][0]["gpu_memory_bytes"] is None, "memory")
    w.page = line("DCGM_FI_DEV_GPU_UTIL", 0, "5000")
    must(w.rows()["replicas"][0]["gpu_percent"] is None, "use")


if __name__ == "__main__":
    sys.exit(run_checks(Top, CHECKS, sys.argv[1:]))
