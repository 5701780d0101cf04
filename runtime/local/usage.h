/*
 * usage.h - measures what the processes of a run use of the machine: processor time and memory of each replica,
 * including everything that its program has started.
 */
#ifndef TRAINC_RUNTIME_LOCAL_USAGE_H
#define TRAINC_RUNTIME_LOCAL_USAGE_H

#include "runtime/run/run_state.h"

struct usage {                          /* the last measurement; all zero at first */
	struct run_usage *replicas;     /* usage of the replicas, in the order of the roles */
	size_t n;
	int64_t time;                   /* time of the measurement by the steady clock; 0: never */
};

/*
 * Fills in `usage` of the replicas of S. Measures at most once in two seconds; calls in between return the last values.
 * A rate is known from the second measurement on. Only processes that have the mark of the run count (mark.h).
 */
void usage_measure(struct usage *u, struct run_state *s);
void usage_release(struct usage *u);

#endif
