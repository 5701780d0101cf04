# The tracker, or a worker that computes a sum and trains with the others. XGBoost reads no environment, so the program
# passes the values.
import os
import sys

import numpy as np
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

address, port = os.environ["DMLC_TRACKER_URI"], int(os.environ["DMLC_TRACKER_PORT"])
size = int(os.environ["DMLC_NUM_WORKER"])
if os.environ["DMLC_ROLE"] == "tracker":
    tracker = RabitTracker(size, address, port, sortby="task", timeout=60)
    tracker.start()
    tracker.wait_for()
    sys.exit(0)
task = os.environ["DMLC_TASK_ID"]
with collective.CommunicatorContext(dmlc_tracker_uri=address, dmlc_tracker_port=port, dmlc_task_id=task.zfill(5),
                                    dmlc_retry=20, dmlc_timeout=60):
    rank = collective.get_rank()
    total = collective.allreduce(np.array([rank + 1]), collective.Op.SUM)[0]
    rows = np.random.default_rng(rank).normal(size=(100, 3))
    xgboost.train({"nthread": 1}, xgboost.DMatrix(rows, rows.sum(axis=1)), num_boost_round=2)
    right = collective.get_world_size() == size and total == size * (size + 1) // 2 and rank == int(task)
    if right:
        print("task of %d: OK, I am %d" % (size, rank), flush=True)
sys.exit(not right)
