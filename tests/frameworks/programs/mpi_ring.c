/* mpi_ring.c - computes a sum over all ranks and sends a message around the ring. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, sum, left = -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	if (sum == size * (size - 1) / 2 && left == (rank + size - 1) % size)
		printf("rank of %d: OK, I am %d\n", size, rank);
	fflush(stdout);
	return MPI_Finalize();
}
