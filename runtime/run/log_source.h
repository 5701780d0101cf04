/*
 * log_source.h - the lines that the replicas of runs print, ordered by time, from any backend. A backend creates one
 * source for the runs of a command. Lines are taken one by one, as they arrive.
 */
#ifndef TRAINC_RUNTIME_RUN_LOG_SOURCE_H
#define TRAINC_RUNTIME_RUN_LOG_SOURCE_H

#include "runtime/run/run_watch.h"

enum { LOG_LINE_MOST = 1 << 20 };       /* a longer line is handed out in parts */

/* What log_print() remembers of a stream. */
struct log_printed {
	bool ended, stopped;            /* the end of an attempt must still be printed; the attempt was asked to stop */
	bool goes_on, paused;           /* the printed line is not complete; it was cut because the program paused */
	int64_t attempt, time;
	int exit_code;
};

/* The output of one container. */
struct log_stream {
	size_t number;                  /* number of the stream; streams are numbered in the order in which they were
					 * found */
	unsigned run;                   /* number of the run; runs are numbered in the order in which they were added */
	struct str run_name;
	struct str role, container;     /* name of the role; name of the container, "main" for the main one */
	unsigned role_number;
	int64_t index;
	bool main;
	struct str pod;                 /* name of the pod in a cluster; empty: the run's rules determine the name */
	struct log_printed printed;
};

struct log_selection {
	int64_t tail;                   /* number of last lines to show of each stream; -1: all lines */
	int64_t since;                  /* lines before this time are left out; 0: no line is left out */
	bool previous;                  /* show only the previous attempt */
	int64_t attempt;                /* number of the only attempt to show, from 1; 0: all attempts */
	int64_t attempts;               /* with `previous`: number of attempts so far; 0: unknown */
};

enum log_kind { LOG_TEXT, LOG_ENDED, LOG_MISSING };

struct log_line {
	enum log_kind kind;
	struct log_stream *from;
	int64_t time;
	struct str text;                /* the text without its line end; valid until the next line is taken */
	bool more;                      /* the line continues in the next line of its stream */
	bool pause;                     /* the line was cut because it has not ended for a while: a prompt, or a
					 * progress bar */
	int64_t attempt;                /* number, from 1, of the attempt that printed the line or that has ended; 0:
					 * unknown */
	int exit_code;                  /* ENDED: exit code of the attempt */
	bool stopped;                   /* ENDED: the attempt was asked to stop before it ended */
	int64_t missing;                /* MISSING: number of bytes that could not be written to any file */
	bool removed;                   /* MISSING: the bytes were removed later, because the log has a limit */
};

/* The function that decides, for each stream that is found, whether and how the stream is read. */
struct log_choice {
	bool (*wanted)(void *context, const struct log_stream *s, struct log_selection *ret);
	void *context;
	bool follow;                    /* true: read existing and future lines; false: read only existing lines */
};

struct log_source;

struct log_source_ops {
	void (*read)(struct log_source *s);
	bool (*next)(struct log_source *s, bool over, struct log_line *ret);
	int (*fd)(const struct log_source *s);
	void (*reconsider)(struct log_source *s);
	void (*release)(struct log_source *s);
	bool (*done)(const struct log_source *s);
	int64_t (*due)(const struct log_source *s);     /* when the source must be read again even without an event;
							 * NULL: never */
};

struct log_source {
	const struct log_source_ops *ops;
	int status;                     /* exit status if a stream could not be read to its end; 0: every stream was
					 * read */
};

/* Looks for more lines; cheap if no more lines have come. */
static inline void log_source_read(struct log_source *s) { s->ops->read(s); }
/*
 * Takes the earliest of the lines that have arrived; false if no line has arrived. OVER: no more output will come, so a
 * line without a line end is handed out, too.
 */
static inline bool log_source_next(struct log_source *s, bool over, struct log_line *ret)
{
	return s->ops->next(s, over, ret);
}
/*
 * A descriptor that is readable when more lines have come; -1: no event announces more lines, so the caller must poll.
 */
static inline int log_source_fd(const struct log_source *s) { return s->ops->fd(s); }
/*
 * The time, by the steady clock, at which to look again even without an event: an unfinished line is handed out then.
 */
static inline int64_t log_source_due(const struct log_source *s) { return s->ops->due ? s->ops->due(s) : INT64_MAX; }
/* Decides again about streams that were not wanted before. */
static inline void log_source_reconsider(struct log_source *s) { s->ops->reconsider(s); }
/* Has all output that was printed so far arrived? */
static inline bool log_source_done(const struct log_source *s) { return s->ops->done(s); }
static inline void log_source_release(struct log_source *s) { s->ops->release(s); }

#endif
