/*
 * follow.h - the lines that the replicas of runs print, in the order of time, from
 * their log files (log_file.h): what is there, and what comes.
 *
 * Runs are added, then lines are taken.  Files that do not exist yet are found
 * when they do.  Descriptors are opened for the moment of reading only, so the
 * number of replicas has no limit here.
 */
#ifndef TRAINC_RUNTIME_LOCAL_FOLLOW_H
#define TRAINC_RUNTIME_LOCAL_FOLLOW_H

#include "runtime/local/run_state.h"

enum { LOG_LINE_MOST = 1 << 20 };       /* a longer line comes in parts (R-LOG7) */

/* One container's output. */
struct log_stream {
	size_t number;                  /* in the order in which they were found */
	unsigned run;                   /* in the order in which they were added */
	struct str run_name;
	struct str role, container;     /* container: "main", or the name of another one */
	unsigned role_number;
	int64_t index;
	bool main;
};

struct log_selection {
	int64_t tail;                   /* the last lines of each stream; -1: all */
	int64_t since;                  /* what was printed before is left out; 0: nothing is */
	bool previous;                  /* the attempt before the last one, and nothing else */
	int64_t attempts;               /* previous: how many have begun, if that is known; else 0 */
};

enum log_kind { LOG_TEXT, LOG_ENDED };

struct log_line {
	enum log_kind kind;
	const struct log_stream *from;
	int64_t time;
	struct str text;                /* without the line end; until the next line is taken */
	bool more;                      /* the line goes on in the next one of its stream */
	int64_t attempt;                /* ENDED: which one, from 1 */
	int exit_code;                  /* ENDED */
	bool stopped;                   /* ENDED: after it had been told to stop */
};

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

/* Ask again about streams that were not wanted. */
void follow_reconsider(struct follow *f);
/* Look at the files again; cheap when nothing has changed. */
void follow_read(struct follow *f);
/* The earliest of the lines that are there; false when there is none.  `over`: a line that has no end yet is one. */
bool follow_next(struct follow *f, bool over, struct log_line *ret);
/* Readable when some file has changed; -1 when the kernel cannot tell: look every now and then. */
int follow_fd(const struct follow *f);
void follow_release(struct follow *f);

#endif
