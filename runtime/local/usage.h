/*
 * usage.h - what the processes of a run take of the machine: processor time and
 * memory of each replica, with everything that its program has started.
 */
#ifndef TRAINC_RUNTIME_LOCAL_USAGE_H
#define TRAINC_RUNTIME_LOCAL_USAGE_H

#include "runtime/run/run_state.h"

struct usage {                          /* the last measurement; all zero at first */
	struct run_usage *replicas;     /* in the order of the roles */
	size_t n;
	int64_t time;                   /* steady clock; 0: never */
};

/*
 * Fills in `usage` of the replicas of S, at most once in two seconds by looking: until then it is what it was. A rate
 * is known from the second look on.  Only processes that carry the mark of the run count (mark.h).
 */
void usage_measure(struct usage *u, struct run_state *s);
void usage_release(struct usage *u);

#endif
