# One all-reduce over all ranks, found through env:// only.
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
total = torch.tensor([rank + 1])
dist.all_reduce(total)
right = total.item() == size * (size + 1) // 2
if right:
    print("rank of %d: OK, I am %d" % (size, rank), flush=True)
dist.barrier()
dist.destroy_process_group()
sys.exit(not right)
