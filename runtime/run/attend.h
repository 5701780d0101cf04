/*
 * attend.h - follows runs: shows their output and progress and handles signals, until the runs have reached a state.
 * All commands that wait use this loop. It never blocks on a terminal or a reader: see drain.h.
 */
#ifndef TRAINC_RUNTIME_RUN_ATTEND_H
#define TRAINC_RUNTIME_RUN_ATTEND_H

#include "runtime/run/log_print.h"
#include "runtime/run/progress.h"

enum attend_end {
	ATTEND_REACHED,                 /* the runs have reached the state that the command waited for */
	ATTEND_OVER,                    /* nothing changes anymore, and all output has been shown */
	ATTEND_TIMEOUT,
	ATTEND_LOST,                    /* a run continues but cannot be followed anymore: see run_watch.lost */
	ATTEND_INTERRUPTED
};

struct attend {
	struct arena *arena;
	struct run_watch *runs;
	size_t n;
	size_t nover;                   /* number of runs after the first `n`, which are shown but not followed */
	struct drain out, err;          /* buffers of standard output and standard error */
	struct progress progress;
	struct log_source *logs;        /* source of log lines; NULL: no lines are shown */
	struct log_print print;
	bool same_terminal;             /* output and errors are both terminals: the table makes room for lines */
	int64_t deadline;               /* by the steady clock: when the command gives up; 0: never */
	void *context;
	/* Asked after each change: has the state been reached? NULL: the loop waits until the runs end. */
	bool (*reached)(void *context);
	/*
	 * Asked when all output so far has arrived: will no more lines be needed although the runs continue? NULL:
	 * lines are needed until the runs end.
	 */
	bool (*output_over)(void *context);
	/* Called when a run has changed or was removed. */
	void (*changed)(void *context, size_t run);
	/* Called after `changed`, once for all runs that have changed: may other runs begin? May be NULL. */
	void (*turn)(void *turns);
	void *turns;
	int64_t turn_due;               /* by the steady clock: when `turn` is called without a change; 0: never */
	/* Called for SIGINT, SIGTERM and SIGHUP; true: the loop ends. */
	bool (*interrupted)(void *context, int signal);

	bool leaving;                   /* at the end, do not wait for a reader that takes nothing for a second */
	int64_t over;                   /* while leaving: when all runs were over, by the steady clock; 0: not yet */
	bool backlog;                   /* there are lines that have not been read yet */
	int signals;                    /* descriptor for signals; -1 before attend_open() */
	int signal;                     /* the signal that ended the loop */
};

/* Takes over the signals of this process until attend_close(). */
void attend_open(struct attend *a);
enum attend_end attend(struct attend *a);
/* Writes a line to standard error, in the right order with the lines and the table there. */
void attend_say(struct attend *a, struct str text);
/*
 * Writes pending output, for at most a second if a reader is slow. Then restores the signals and the terminal. The
 * states remain valid.
 */
void attend_close(struct attend *a);
void attend_release(struct attend *a);

#endif
