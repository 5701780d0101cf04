/*
 * program.h - the program from its arguments to its exit status, for both executables.
 *
 * trainc is linked statically and has no network; what needs a cluster is in a second executable
 * with the same table of options, which takes the place of trainc when it is needed.
 */
#ifndef TRAINC_PROGRAM_H
#define TRAINC_PROGRAM_H

#include "command/session.h"

/* What the executable for clusters adds; trainc has none of it. */
struct program_half {
	const struct backend *backend;
	/* The version of the API server, as "v1.35.4"; false with a status after saying why not. */
	bool (*server_version)(struct session *s, struct str *ret, int *ret_status);
	/* The controller; returns the status to leave with. */
	int (*supervise)(struct session *s);
};

int program_main(int argc, char **argv, const struct program_half *half);

/* ---- half.c ---- */

/* Do these options mean a cluster? */
bool half_wanted(struct arena *a, const struct options *o);
/* Becomes the executable for clusters, with the same arguments; returns a status after reporting why it could not. */
int half_exec(struct session *s, char **argv);
/*
 * In that executable: removes the first argument, which trainc adds.  False after reporting that
 * the versions differ, or that trainc did not start it.
 */
bool half_begun(int *argc, char **argv);

#endif
