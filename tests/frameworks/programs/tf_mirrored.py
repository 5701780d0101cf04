# MultiWorkerMirroredStrategy from TF_CONFIG alone: one sum over all replicas.
import os

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
os._exit(not right)             # the interpreter's own end may wait for peers
