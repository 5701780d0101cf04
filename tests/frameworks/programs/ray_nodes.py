# Runs on the head, once the worker has joined: one task on each of two nodes.
import os

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

ray.init(log_to_driver=False, logging_level="ERROR")
nodes = [n["NodeID"] for n in ray.nodes() if n["Alive"]]


@ray.remote(num_cpus=1)
def where():
    return ray.get_runtime_context().get_node_id()


got = ray.get([where.options(scheduling_strategy=NodeAffinitySchedulingStrategy(n, soft=False)).remote() for n in nodes])
right = got == nodes and len(nodes) == 2
if right:
    print("%d nodes: OK" % len(nodes), flush=True)
os._exit(not right)
