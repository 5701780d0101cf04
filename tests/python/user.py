"""What a user of the module writes; tests/python/types checks its types. It is not run."""
from pathlib import Path
from typing import Dict, List, Optional

import trainc


def objects(nodes: int) -> List[str]:
    found = trainc.compile(Path("job.tj"), params={"nodes": nodes}, profile=["prod"], target="jobset", unroll=True)
    warnings: List[trainc.Diagnostic] = found.diagnostics.warnings
    return [str(o["kind"]) for o in found] + [w.message for w in warnings] + [found.yaml]


def variables() -> Dict[str, str]:
    return trainc.env(Path("job.tj"), role="worker", index=3)[0].env


def process() -> Optional[str]:
    me = trainc.cluster()
    rank: Optional[int] = me.rank
    return me.coordinator if rank == 0 else None


def training(program: str) -> List[str]:
    try:
        run = trainc.apply(program, local=True)
        lines = [line.text for line in trainc.logs(run, follow=True)]
        trainc.wait(run, timeout="2h")
        return lines
    except trainc.RunTimeout as e:
        return [str(e), str(e.status)]
    except trainc.Error as e:
        return [d.code for d in e.diagnostics]


print(trainc.format("import std.nvidia"), trainc.plan("").jobs, trainc.check("", files={"lib.tj": ""}).errors, trainc.version())
