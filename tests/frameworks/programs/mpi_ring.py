# One sum over all ranks and one message around the ring.
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
left = world.sendrecv(rank, (rank + 1) % size, source=(rank - 1) % size)
right = world.allreduce(rank) == size * (size - 1) // 2 and left == (rank - 1) % size
if right:
    print("rank of %d: OK, I am %d" % (size, rank), flush=True)
sys.exit(not right)
