/*
 * follow.h - reads the lines that the replicas of runs print, ordered by time, from their log files (log_file.h):
 * existing lines and future lines. Runs are added first, then lines are taken. New files are found when they are
 * created. Descriptors are open only while reading, so the number of replicas is not limited here.
 */
#ifndef TRAINC_RUNTIME_LOCAL_FOLLOW_H
#define TRAINC_RUNTIME_LOCAL_FOLLOW_H

#include "runtime/run/log_source.h"

struct follow;

struct follow *follow_new(struct arena *a);
/*
 * Adds the logs of a run. WANTED is called for each stream that is found, and decides whether and how the stream is
 * read. Returns false if the directory does not exist.
 */
struct follow_run {
	struct str dir;                 /* directory of the run */
	const struct run_state *state;  /* state of the run, of which only the roles are read, during the call */
	bool (*wanted)(void *context, const struct log_stream *s, struct log_selection *ret);
	void *context;
};
bool follow_add(struct follow *f, const struct follow_run *r);

/* Reads the files again; cheap if nothing has changed. */
void follow_read(struct follow *f);
/*
 * Takes the earliest of the lines that have arrived; false if no line has arrived. OVER: no more output will come, so a
 * line without a line end is handed out, too.
 */
bool follow_next(struct follow *f, bool over, struct log_line *ret);
/*
 * A descriptor that is readable when a file has changed; -1 if the kernel cannot report changes, so that the caller
 * must poll.
 */
int follow_fd(const struct follow *f);
void follow_release(struct follow *f);
/* F as a log_source. Releasing it releases F. */
struct log_source *follow_source(struct follow *f);

#endif
