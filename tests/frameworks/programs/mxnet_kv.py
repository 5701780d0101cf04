# One push and pull by every worker.  The import itself serves in the scheduler and in the servers, and returns when the
# workers have ended.
import sys

import mxnet as mx

kv = mx.kv.create("dist_sync")
size = kv.num_workers
kv.init("sum", mx.nd.zeros(1))
kv.push("sum", mx.nd.ones(1) * (kv.rank + 1))
total = mx.nd.zeros(1)
kv.pull("sum", out=total)
right = total.asscalar() == size * (size + 1) / 2
if right:
    print("worker of %d: OK, I am %d" % (size, kv.rank), flush=True)
kv._barrier()
sys.exit(not right)
