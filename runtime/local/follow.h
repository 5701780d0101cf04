/*
 * follow.h - the lines that the replicas of runs print, in the order of time, from their log files
 * (log_file.h): those that exist, and those to come.
 *
 * Runs are added, then lines are taken.  Files that do not exist yet are found when they do.
 * Descriptors are open only while reading, so the number of replicas is not limited here.
 */
#ifndef TRAINC_RUNTIME_LOCAL_FOLLOW_H
#define TRAINC_RUNTIME_LOCAL_FOLLOW_H

#include "runtime/run/log_source.h"

struct follow;

struct follow *follow_new(struct arena *a);
/*
 * The logs of a run.  `wanted` says of each stream that is found whether to read
 * it, and how.  False when there is no such directory.
 */
struct follow_run {
	struct str dir;                 /* of the run */
	const struct run_state *state;  /* roles: read during this call only */
	bool (*wanted)(void *context, const struct log_stream *s, struct log_selection *ret);
	void *context;
};
bool follow_add(struct follow *f, const struct follow_run *r);

/* Asks again about streams that were not wanted. */
void follow_reconsider(struct follow *f);
/* Looks at the files again; cheap when nothing has changed. */
void follow_read(struct follow *f);
/*
 * The earliest of the lines that are there; false when there is none.  `over`: nothing more will
 * come, so a line without an end counts too.
 */
bool follow_next(struct follow *f, bool over, struct log_line *ret);
/* Readable when some file has changed; -1 when the kernel cannot report it: look from time to time. */
int follow_fd(const struct follow *f);
void follow_release(struct follow *f);
/* As a log_source, for callers that do not care where lines come from; releasing it releases F. */
struct log_source *follow_source(struct follow *f);

#endif
