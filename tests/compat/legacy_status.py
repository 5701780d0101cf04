"""Verdicts of `trainc status --from` on objects whose pods are in given phases."""
import json
import os


def pod_of(o, phase, code=1, reason=None):
    """The pod of an object that represents one replica, as a cluster would show it."""
    job = o["kind"] == "Job"
    meta = dict((o["spec"]["template"] if job else o)["metadata"], name=o["metadata"]["name"] + ("-x7k2p" if job else ""))
    spec = o["spec"]["template"]["spec"] if job else o["spec"]
    state = {"Running": {"running": {}}, "Pending": {"waiting": {"reason": "ContainerCreating"}}}.get(phase)
    if not state:
        state = {"terminated": {"exitCode": 0 if phase == "Succeeded" else code, "finishedAt": "2026-01-01T00:00:00Z"}}
        if reason:
            state["terminated"]["reason"] = reason
    states = [{"name": c["name"], "state": state, "ready": phase == "Running", "restartCount": 0} for c in spec["containers"]]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": {"phase": phase, "containerStatuses": states}}


class Status:
    def __init__(self, case, want=None, program=None):
        self.case = case
        self.program, self.items = (program, case.tool.compiled(program, "--target", "pods")) if program else case.objects(case.run_id(want))

    def with_phases(self, phase_of, **how):
        """phase_of(role, index) is the phase of that replica's pod; None if it has no pod."""
        fed = []
        for o in self.items:
            if o["kind"] not in ("Job", "Pod"):
                continue
            labels = o["metadata"]["labels"]
            phase = phase_of(labels["trainc.dev/role"], int(labels["trainc.dev/index"]))
            if phase:
                fed.append(pod_of(o, phase, **how))
            if o["kind"] == "Job":
                done = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]} if phase == "Succeeded" else {"active": 1}
                fed.append(dict(o, status=done))
        return self.fed(fed)

    def fed(self, objects):
        program, seen = (os.path.join(self.case.scratch, n) for n in ("job.tj", "seen.json"))
        with open(program, "w", encoding="utf-8") as f:
            f.write(self.program)
        with open(seen, "w", encoding="utf-8") as f:
            json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, f)
        done = self.case.tool.run(["status", "--from", seen, program, "-o", "json"])
        if done.returncode not in (0, 8):
            raise KeyError(done.stderr)
        self.run = json.loads(done.stdout)["runs"][0]
        return self

    def last(self):
        """The condition that is true now."""
        held = [c["type"] for c in self.run["conditions"] if c["status"] == "True"]
        return held[-1] if held else None
