# One sum over all workers; hvd.init() finds the rendezvous and its own place in the environment.
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf
import horovod.tensorflow as hvd

hvd.init()
rank, size = hvd.rank(), hvd.size()
right = float(hvd.allreduce(tf.constant(rank + 1.0), op=hvd.Sum)) == size * (size + 1) / 2
if right:
    print("horovod of %d: OK, I am %d" % (size, rank), flush=True)
hvd.shutdown()
sys.exit(not right)
