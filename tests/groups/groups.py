"""groups.py - eight whole programs of groups of pods: servers of several hosts behind a router, prefill and decode servers,
torchft, a learner beside rollouts, groups of a leader and a worker, NVLink domains, slices, trials in a queue. Each compiles
to what its comments say, and has the environments that its framework promises."""
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINC = os.environ["TRAINC"]
passed = failed = 0


def check(what, got, want):
    global passed, failed
    passed, failed = passed + (got == want), failed + (got != want)
    if got != want:
        print("FAIL %s: %s, not %s" % (what, got, want))


class Program:
    def __init__(self, name, *args):
        path = os.path.join(HERE, name + ".tj")
        p = subprocess.run([TRAINC, "compile", "-o", "json", *args, path], capture_output=True, text=True, timeout=60)
        check(name + " compiles", p.returncode, 0)
        check(name + ": only a run that attends it is missing", sorted(set(w.split("]")[0] for w in p.stderr.split(" [TJ")[1:])), [] if args else WARNED[name])
        self.objects = {(o["kind"], o["metadata"]["name"]): o for o in json.loads(p.stdout)["items"]} if p.returncode == 0 else {}
        self.envs = {}
        shown = subprocess.run([TRAINC, "env", "-o", "json", *args, path], capture_output=True, text=True, timeout=60).stdout
        for r in json.loads(shown)["jobs"][0]["replicas"]:
            self.envs[r["role"], r["index"]] = {e["name"]: e.get("value") for e in r["env"]}

    def names(self, kind):
        return sorted(n for k, n in self.objects if k == kind)

    def job(self, name):
        return self.objects["Job", name]

    def pod(self, name):
        return self.job(name)["spec"]["template"]

    def words(self, name):
        c = self.pod(name)["spec"]["containers"][0]
        return c.get("command", []) + c.get("args", [])


WARNED = {"servers": ["0817"], "prefill": ["0817"], "torchft": ["0817"], "rollouts": ["0817"], "leaders": ["0617", "0817"], "domains": [], "trials": ["0817"]}
AFTER, COPIES = "trainc.dev/start-after", "trainc.dev/copies"

p = Program("servers")
check("8 servers and a router", len(p.names("Job")), 9)
check("two hosts each", p.job("llm-server-worker-7")["spec"]["completions"], 2)
check("2 to 8", p.job("llm-server-worker-7")["metadata"]["annotations"][COPIES], "2:8")
check("pipeline", p.words("llm-server-worker-3")[-2:], ["--tensor-parallel-size=8", "--pipeline-parallel-size=2"])
check("the router knows all", p.words("llm-router")[-1].split(",")[7], "llm-server-worker-7-0.llm:8000")
check("and waits for the least", p.job("llm-router")["metadata"]["annotations"][AFTER], "ready(server)")
near = p.pod("llm-server-worker-3")["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
check("in one rack", (near["topologyKey"], near["labelSelector"]["matchLabels"]["trainc.dev/role"]), ("example.com/rack", "server-worker-3"))
check("the leader is that of the copy", p.envs["server-worker-5", 1]["LEADER"], "llm-server-worker-5-0.llm")

p = Program("prefill")
check("12 and 6", [len([n for n in p.names("Job") if n.startswith("pd-" + c)]) for c in ("prefill", "decode", "router")], [12, 6, 1])
check("modes", [p.words("pd-%s-worker-0" % c)[3] for c in ("prefill", "decode")], ["--disaggregation-mode=prefill", "--disaggregation-mode=decode"])
check("the router", [w for w in p.words("pd-router") if "-11-" in w or "decode-worker-5-" in w],
      ["--prefill=http://pd-prefill-worker-11-0.pd:30000", "--decode=http://pd-decode-worker-5-0.pd:30000"])
check("waits for both", p.job("pd-router")["metadata"]["annotations"][AFTER], "ready(prefill) and ready(decode)")

p = Program("torchft")
check("8 groups of 4", [p.job("llama-ft-group-worker-%d" % n)["spec"]["completions"] for n in range(8)], [4] * 8)
check("each knows its number", [p.envs["group-worker-%d" % n, 3]["REPLICA_GROUP_ID"] for n in range(8)], [str(n) for n in range(8)])
check("and the lighthouse", p.envs["group-worker-2", 0]["TORCHFT_LIGHTHOUSE"], "http://llama-ft-lighthouse-0.llama-ft:29510")
check("rendezvous of the group", p.envs["group-worker-2", 0]["PET_MASTER_ADDR"], "llama-ft-group-worker-2-0.llama-ft")

p = Program("rollouts")
group = p.objects["PodGroup", "grpo"]["spec"]
check("one gang with the least number of copies", (p.names("PodGroup"), group["minMember"]), (["grpo"], 16 + 4 * 4))
check("subgroups", [(s["name"], s["subGroupSize"], s["minSubGroups"], s.get("networkTopology", {}).get("highestTierAllowed")) for s in group["subGroupPolicy"]],
      [("learner", 16, 1, None), ("rollout", 4, 4, 2)])
check("Ray clusters of their own", p.envs["rollout-engine-9", 1]["RAY_ADDRESS"], "grpo-rollout-head-9-0.grpo:6379")
check("48 and 1 Jobs", len(p.names("Job")), 49)

p = Program("leaders")
check("environments of a LeaderWorkerSet", p.envs["serve-worker-1", 0],
      {"LWS_GROUP_SIZE": "2", "LWS_LEADER_ADDRESS": "vllm-serve-leader-1-0.vllm", "LWS_WORKER_INDEX": "1"})

p = Program("domains")
marks = p.pod("moe-worker")["metadata"]["annotations"]
check("segments of 16 hosts", {k.split("podset-")[1]: v for k, v in marks.items() if "podset-" in k},
      {"required-topology": "example.com/block", "slice-required-topology": "nvidia.com/gpu.clique", "slice-size": "16"})

p = Program("slices", "--target", "jobset")
check("four slices", p.objects["JobSet", "maxtext"]["spec"]["replicatedJobs"][0]["replicas"], 4)

p = Program("trials")
check("twelve Jobs in the queue", [p.job("lr-sweep-trial-worker-%d" % n)["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] for n in range(12)], ["lab"] * 12)
check("rates and seeds", [(p.envs["trial-worker-%d" % n, 0]["LR"], p.envs["trial-worker-%d" % n, 0]["SEED"]) for n in (0, 5, 11)],
      [("0.0001", "0"), ("0.0002", "2"), ("0.0006", "2")])
mounts = p.pod("lr-sweep-trial-worker-7")["spec"]["containers"][0]["volumeMounts"]
check("a directory each", [m["subPath"] for m in mounts if m["mountPath"] == "/out"], ["sweep/7"])
print("%d passed, %d failed" % (passed, failed))
raise SystemExit(failed > 0)
