/*
 * main.c - trainc-cluster: the program that trainc executes for commands that need a cluster.
 */
#include "command/program.h"
#include "runtime/cluster/client.h"
#include "runtime/cluster/cluster.h"
#include "runtime/cluster/library_memory.h"
#include "runtime/supervise/supervise.h"

int main(int argc, char **argv)
{
	static const struct program_half half = { .backend = &backend_cluster, .server_version = client_server_version,
		.supervise = supervise };

	library_memory_crypto();
	return half_begun(&argc, argv) ? program_main(argc, argv, &half) : STATUS_OUTPUT;
}
