# A few data-parallel trees; the first split counts the rows of all machines. LightGBM takes addresses, so names are
# looked up here.
import os
import socket
import sys

import lightgbm as lgb
import numpy as np

me, size = int(os.environ["LIGHTGBM_RANK"]), int(os.environ["LIGHTGBM_NUM_MACHINES"])
names = [m.split(":") for m in os.environ["LIGHTGBM_MACHINES"].split(",")]
rows = np.random.default_rng(me).normal(size=(200, 3))
model = lgb.train({
    "objective": "regression", "tree_learner": "data", "pre_partition": True, "num_leaves": 4, "num_threads": 1,
    "machines": ",".join("%s:%s" % (socket.gethostbyname(h), p) for h, p in names), "num_machines": size,
    "local_listen_port": int(os.environ["LIGHTGBM_LOCAL_LISTEN_PORT"]), "time_out": int(os.environ["LIGHTGBM_TIME_OUT"]),
}, lgb.Dataset(rows, rows.sum(axis=1)), num_boost_round=2)
right = model.dump_model()["tree_info"][0]["tree_structure"]["internal_count"] == 200 * size
if right:
    print("machine of %d: OK, I am %d" % (size, me), flush=True)
model.free_network()
sys.exit(not right)
