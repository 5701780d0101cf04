# MultiWorkerMirroredStrategy from TF_CONFIG alone: one sum over all replicas.
import os
import socket
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
size = strategy.num_replicas_in_sync


@tf.function
def step():
    def replica():
        here = tf.distribute.get_replica_context()
        mine = tf.cast(here.replica_id_in_sync_group + 1, tf.float32)
        return here.all_reduce(tf.distribute.ReduceOp.SUM, mine)
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica), axis=None)


right = float(step()) == size * (size + 1) / 2
if right:
    print("%s of %d: OK, I am %d" % (strategy.cluster_resolver.task_type, size, strategy.cluster_resolver.task_id), flush=True)


def leave_together():
    """A worker that ends early breaks the last step of the others: each reports to the first one, which ends last."""
    host = strategy.cluster_resolver.cluster_spec().task_address("worker", 0).split(":")[0]
    if strategy.cluster_resolver.task_id == 0:
        door = socket.create_server(("", 2300))
        for _ in range(size - 1):
            door.accept()
        return
    for _ in range(600):
        try:
            return socket.create_connection((host, 2300))
        except OSError:
            time.sleep(0.1)


kept = leave_together()
os._exit(not right)             # the interpreter's own shutdown may wait for peers
