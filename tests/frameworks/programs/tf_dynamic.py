# A worker of a sparse cluster finds itself under its own index, and the servers, which must be reachable.
import os
import socket
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

found = tf.distribute.cluster_resolver.TFConfigClusterResolver()
cluster, task, index = found.cluster_spec(), found.task_type, found.task_id
if task == "ps":
    host, port = cluster.task_address("ps", 0).split(":")
    server = tf.distribute.Server({"ps": ["%s:%s" % (host, port)]}, job_name="ps", task_index=0)
    server.join()
right = cluster.task_indices("worker") == [index]
for address in cluster.job_tasks("ps"):
    host, port = address.split(":")
    for _ in range(600):
        try:
            socket.create_connection((host, int(port)), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    else:
        right = False
if right:
    print("sparse cluster: OK, I am %s %d at %s" % (task, index, cluster.task_address(task, index)), flush=True)
os._exit(not right)
