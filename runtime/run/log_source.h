/*
 * log_source.h - the lines that the replicas of runs print, in the order of time, wherever they
 * come from.
 *
 * A backend makes one for the runs of a command.  Lines are taken one by one; lines that arrive
 * later are taken later.
 */
#ifndef TRAINC_RUNTIME_RUN_LOG_SOURCE_H
#define TRAINC_RUNTIME_RUN_LOG_SOURCE_H

#include "runtime/run/run_watch.h"

enum { LOG_LINE_MOST = 1 << 20 };       /* a longer line comes in parts */

/* One container's output. */
struct log_stream {
	size_t number;                  /* in the order in which they were found */
	unsigned run;                   /* in the order in which they were added */
	struct str run_name;
	struct str role, container;     /* container: "main", or the name of another one */
	unsigned role_number;
	int64_t index;
	bool main;
	struct str pod;                 /* its name in a cluster; empty: the name that the run's rules give */
};

struct log_selection {
	int64_t tail;                   /* the last lines of each stream; -1: all */
	int64_t since;                  /* lines before this time are left out; 0: none */
	bool previous;                  /* the previous attempt, and nothing else */
	int64_t attempt;                /* only this one, from 1; 0: all */
	int64_t attempts;               /* previous: the number of attempts so far, if known; else 0 */
};

enum log_kind { LOG_TEXT, LOG_ENDED, LOG_MISSING };

struct log_line {
	enum log_kind kind;
	const struct log_stream *from;
	int64_t time;
	struct str text;                /* without the line end; valid until the next line is taken */
	bool more;                      /* the line continues in the next one of its stream */
	bool pause;                     /* it was cut because it has not ended for a while: a prompt, a progress bar */
	int64_t attempt;                /* which one printed it, or has ended, from 1; 0: unknown */
	int exit_code;                  /* ENDED */
	bool stopped;                   /* ENDED: it ended after it had been told to stop */
	int64_t missing;                /* MISSING: bytes that no file took, */
	bool removed;                   /* or that were removed since, because the log has a limit */
};

/* Asked for each stream that is found: whether to read it, and how. */
struct log_choice {
	bool (*wanted)(void *context, const struct log_stream *s, struct log_selection *ret);
	void *context;
	bool follow;                    /* follow what comes; else only what is there */
};

struct log_source;

struct log_source_ops {
	void (*read)(struct log_source *s);
	bool (*next)(struct log_source *s, bool over, struct log_line *ret);
	int (*fd)(const struct log_source *s);
	void (*reconsider)(struct log_source *s);
	void (*release)(struct log_source *s);
	bool (*done)(const struct log_source *s);
	int64_t (*due)(const struct log_source *s);     /* or NULL: never */
};

struct log_source {
	const struct log_source_ops *ops;
	int status;                     /* to end with, because a stream could not be read to its end; 0: all could */
};

/* Looks for more lines; cheap when there are none. */
static inline void log_source_read(struct log_source *s) { s->ops->read(s); }
/*
 * The earliest of the lines that are there; false when there is none.  OVER: nothing more will
 * come, so a line without an end counts too.
 */
static inline bool log_source_next(struct log_source *s, bool over, struct log_line *ret)
{
	return s->ops->next(s, over, ret);
}
/* Readable when there is more; -1 when nothing can announce it: look from time to time. */
static inline int log_source_fd(const struct log_source *s) { return s->ops->fd(s); }
/* When to look again even if nothing is announced, by the steady clock: an unfinished line is shown then. */
static inline int64_t log_source_due(const struct log_source *s) { return s->ops->due ? s->ops->due(s) : INT64_MAX; }
/* Asks again about streams that were not wanted before. */
static inline void log_source_reconsider(struct log_source *s) { s->ops->reconsider(s); }
/* Has everything arrived that was printed so far? */
static inline bool log_source_done(const struct log_source *s) { return s->ops->done(s); }
static inline void log_source_release(struct log_source *s) { s->ops->release(s); }

#endif
