/*
 * survivors.h - ends the processes of a run whose keeper has died.
 */
#ifndef TRAINC_RUNTIME_LOCAL_SURVIVORS_H
#define TRAINC_RUNTIME_LOCAL_SURVIVORS_H

#include "runtime/run/run_state.h"

/* The main processes of a run that are still those which it started. */
struct process_ids {
	struct process_id *at;
	size_t n;
};
struct process_ids run_survivors(struct arena *a, const struct run_state *s);

/*
 * Ends every process of the run S: sends TERM, and KILL after GRACE ns. A process belongs to the run if it has the
 * run's mark (mark.h), if it is in the session of a main process that S records and that is still alive, or if it
 * descends from such a process. No other process is signaled, and neither is the caller nor an ancestor of it. Returns
 * the number of processes that are still alive five seconds later, and counts those that were found in *RET_FOUND.
 */
size_t survivors_end(struct arena *a, const struct run_state *s, int64_t grace, size_t *ret_found);

/* Kills the keeper of S, which does not answer, and waits up to two seconds for its end. */
void keeper_kill(const struct run_state *s);

#endif
