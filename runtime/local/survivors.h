/*
 * survivors.h - ends the processes of a run whose keeper has died.
 */
#ifndef TRAINC_RUNTIME_LOCAL_SURVIVORS_H
#define TRAINC_RUNTIME_LOCAL_SURVIVORS_H

#include "runtime/run/run_state.h"

/* The recorded main processes of a run that are still alive. A later process that has the same number is left out. */
struct process_ids {
	struct process_id *at;
	size_t n;
};
struct process_ids run_survivors(struct arena *a, const struct run_state *s);

/*
 * Ends every process of the run S: sends TERM, and KILL after GRACE ns. A process belongs to the run if it has the
 * run's mark (mark.h), if it is in the session of a main process that S records and that is still alive, or if it
 * descends from such a process. No other process is signaled, and the caller and its ancestors are never signaled.
 * Returns the number of processes that are still alive five seconds later. *RET_FOUND gets the number of processes that
 * were found.
 */
size_t survivors_end(struct arena *a, const struct run_state *s, int64_t grace, size_t *ret_found);

/* Kills the keeper of S, which does not answer, and waits up to two seconds for its end. */
void keeper_kill(const struct run_state *s);

#endif
