/*
 * program.h - runs the program from its arguments to its exit status, for both executables. trainc is linked
 * statically and has no network; commands for a cluster are in a second executable with the same table of options,
 * which replaces the process of trainc when it is needed.
 */
#ifndef TRAINC_PROGRAM_H
#define TRAINC_PROGRAM_H

#include "command/session.h"

/* The functions that only the executable for clusters has. */
struct program_half {
	const struct backend *backend;
	/*
	 * Reads the version of the API server, such as "v1.35.4"; returns false with a status after reporting why it
	 * could not.
	 */
	bool (*server_version)(struct session *s, struct str *ret, int *ret_status);
	/* Runs the controller; returns the exit status. */
	int (*supervise)(struct session *s);
};

int program_main(int argc, char **argv, const struct program_half *half);

/* ---- half.c ---- */

/* Does the command need a cluster, given these options? */
bool half_wanted(struct arena *a, const struct options *o);
/*
 * Replaces this process by the executable for clusters, with the same arguments; returns a status after reporting why
 * it could not.
 */
int half_exec(struct session *s, char **argv);
/*
 * In the executable for clusters: removes the first argument, which trainc adds. Returns false after reporting that
 * the versions differ, or that trainc did not start it.
 */
bool half_begun(int *argc, char **argv);
/* The first argument that the executable for clusters needs. */
struct str half_mark(void);

#endif
