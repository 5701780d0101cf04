/*
 * filter.h - which runs `list` shows and `delete` removes: --state and --older.
 */
#ifndef TRAINC_RUNTIME_COMMAND_FILTER_H
#define TRAINC_RUNTIME_COMMAND_FILTER_H

#include "command/session.h"
#include "runtime/run/run_state.h"

struct run_filter {
	bool given;                     /* the command line chooses */
	uint32_t phases;                /* one bit for each phase that is chosen; 0: every phase */
	int64_t older;                  /* time in ns since the end of a run; 0: any run */
	bool said;                      /* it was reported that the server does not tell the time */
};

/* Reads the options; false after reporting a state or a time that does not exist. */
bool filter_read(struct session *s, struct run_filter *ret);
/* The time for filter_takes(), by the clock that dates the states of runs. Only after these were read. */
int64_t filter_now(struct session *s, struct run_filter *f);
/* Does the filter choose the run, at the time NOW? A run that has not ended is older than no time. */
bool filter_takes(const struct run_filter *f, const struct run_state *run, int64_t now);

#endif
