/*
 * attend.h - stay with runs: show their output and their progress, listen to signals,
 * until something that was waited for.  One loop for every command that waits.
 *
 * Nothing in it waits for a terminal or a reader: see drain.h.
 */
#ifndef TRAINC_RUNTIME_RUN_ATTEND_H
#define TRAINC_RUNTIME_RUN_ATTEND_H

#include "runtime/run/log_print.h"
#include "runtime/run/progress.h"

enum attend_end {
	ATTEND_REACHED,                 /* what was waited for */
	ATTEND_OVER,                    /* nothing will change any more, and all output has been shown */
	ATTEND_TIMEOUT,
	ATTEND_INTERRUPTED
};

struct attend {
	struct arena *arena;
	struct run_watch *runs;
	size_t n;
	struct drain out, err;          /* standard output and error */
	struct progress progress;
	struct log_source *logs;        /* or NULL: none are shown */
	struct log_print print;
	bool same_terminal;             /* output and errors are both terminals: the table makes room for lines */
	int64_t deadline;               /* steady clock; 0: none */
	void *context;
	/* Asked after each change; NULL: until the end. */
	bool (*reached)(void *context);
	/* May more lines be wanted although the runs go on?  NULL: as long as they do. */
	bool (*output_over)(void *context);
	/* A run has changed (or is gone). */
	void (*changed)(void *context, size_t run);
	/* SIGINT, SIGTERM, SIGHUP: true to leave. */
	bool (*interrupted)(void *context, int signal);

	bool leaving;                   /* do not wait for a slow reader at the end */
	bool backlog;                   /* there are lines that have not been taken yet */
	int signals;                    /* descriptor, -1 before attend_open() */
	int signal;                     /* the one that ended it */
};

/* Takes over the signals of this process until attend_close(). */
void attend_open(struct attend *a);
enum attend_end attend(struct attend *a);
/* A line for standard error, in the right place. */
void attend_say(struct attend *a, struct str text);
/* Writes what is pending (for a second, if a reader is slow) and gives back signals and the terminal; states stay. */
void attend_close(struct attend *a);
void attend_release(struct attend *a);

#endif
