/*
 * program.h - the program from its arguments to its exit status, for both executables.
 *
 * trainc is linked statically and knows no network; what needs a cluster is a second
 * executable from the same table of options, which trainc starts in its place.
 */
#ifndef TRAINC_PROGRAM_H
#define TRAINC_PROGRAM_H

#include "command/session.h"

/* What the executable for clusters brings along; trainc has none of it. */
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
bool half_wanted(const struct options *o);
/* Becomes the executable for clusters, with the same arguments; returns a status after saying why it could not. */
int half_exec(struct session *s, char **argv);
/*
 * In that executable: takes the mark that trainc puts in front off the arguments.  False after saying
 * that the two are not of one version, or that it was not started by trainc.
 */
bool half_begun(int *argc, char **argv);

#endif
