/*
 * remote.h - connects the standard streams of this process with a process in a container.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_REMOTE_H
#define TRAINC_RUNTIME_CLUSTER_REMOTE_H

#include "runtime/cluster/replica_pod.h"

struct remote {
	const struct replica_pod *pod;
	struct str container;
	char *const *words;             /* the command, ended by NULL; NULL: the program of the container (attach) */
	bool input;                     /* pass on standard input */
	bool tty;                       /* the process has a terminal, with the size of ours */
};

/*
 * Runs until the process, or the connection, has ended; returns the exit status. The terminal gets its modes back
 * before anything is reported.
 */
int remote_run(struct cluster *k, const struct remote *r);

#endif
