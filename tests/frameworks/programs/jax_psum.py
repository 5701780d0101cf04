# One psum over all processes. JAX reads the coordinator's address itself. The program must pass the two numbers, unless
# the argument "bare" makes JAX detect the cluster.
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils

if "bare" in sys.argv:
    jax.distributed.initialize()
else:
    jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
                               process_id=int(os.environ["JAX_PROCESS_ID"]), cluster_detection_method="deactivate")
me, all_of_us = jax.process_index(), jax.process_count()
seen = sorted(np.asarray(multihost_utils.process_allgather(jnp.array([me]))).ravel().tolist())
if seen == list(range(all_of_us)):
    print("process of %d: OK, I am %d" % (all_of_us, me), flush=True)
jax.distributed.shutdown()
sys.exit(seen != list(range(all_of_us)))
