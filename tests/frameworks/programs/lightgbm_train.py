# A few data-parallel trees; the first split counts the rows of all machines. LightGBM takes addresses, so names must be
# looked up: by this program, or by the library's run.sh, which passes the parameters in the form of the command-line
# program.
import os
import socket
import sys

import lightgbm as lgb
import numpy as np

me = int(os.environ["LIGHTGBM_RANK"])
given = dict(a.split("=") for a in sys.argv[1:])
if given:
    with open(given["machine_list_filename"]) as f:
        machines = [line.split() for line in f]
else:
    machines = [(socket.gethostbyname(h), p) for h, p in (m.split(":") for m in os.environ["LIGHTGBM_MACHINES"].split(","))]


def parameter(name):
    return int(given[name] if given else os.environ["LIGHTGBM_" + name.upper()])


size = parameter("num_machines")
rows = np.random.default_rng(me).normal(size=(200, 3))
model = lgb.train({
    "objective": "regression", "tree_learner": "data", "pre_partition": True, "num_leaves": 4, "num_threads": 1,
    "machines": ",".join("%s:%s" % tuple(m) for m in machines), "num_machines": size,
    "local_listen_port": parameter("local_listen_port"), "time_out": parameter("time_out"),
}, lgb.Dataset(rows, rows.sum(axis=1)), num_boost_round=2)
right = model.dump_model()["tree_info"][0]["tree_structure"]["internal_count"] == 200 * size
if right:
    print("machine of %d: OK, I am %d" % (size, me), flush=True)
model.free_network()
sys.exit(not right)
