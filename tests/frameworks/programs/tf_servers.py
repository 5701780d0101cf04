# A server in every ps and worker; the chief lets each worker add to a variable on the ps.  The evaluator only observes.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

found = tf.distribute.cluster_resolver.TFConfigClusterResolver()
cluster, task, index = found.cluster_spec(), found.task_type, found.task_id
if task in ("ps", "worker"):
    tf.distribute.Server(cluster, job_name=task, task_index=index).join()
right = sorted(cluster.jobs) == ["chief", "ps", "worker"]
if task == "chief":
    tf.config.experimental_connect_to_cluster(cluster, job_name=task, task_index=index)
    with tf.device("/job:ps/task:0"):
        total = tf.Variable(0)
    for i in cluster.task_indices("worker"):
        with tf.device("/job:worker/task:%d" % i):
            total.assign_add(i + 1)
    size = cluster.num_tasks("worker")
    right = right and int(total) == size * (size + 1) // 2
if right:
    print("cluster %s: OK, I am the %s" % (" ".join(sorted(cluster.jobs)), task), flush=True)
os._exit(not right)
