/*
 * process_end.h - how a process ended that a stream started in a container, as the kubelet reports it.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_PROCESS_END_H
#define TRAINC_RUNTIME_CLUSTER_PROCESS_END_H

#include "base/str.h"

struct process_end {
	bool started;                   /* the process has started, and ended with `code` */
	/*
	 * Exit status of the process. If it has not started: 127 if there is no such command, 126 if it cannot be
	 * executed, and 0 if the reason is another one.
	 */
	int code;
	struct str message;             /* why it has not started, in the words of the container runtime */
};

/* Reads the Status of the channel for errors. Texts live in the arena. False if TEXT is not a Status. */
bool process_end_read(struct arena *a, struct str text, struct process_end *ret);

#endif
