/*
 * survivors.h - what is left of a run whose keeper is gone.
 */
#ifndef TRAINC_RUNTIME_LOCAL_SURVIVORS_H
#define TRAINC_RUNTIME_LOCAL_SURVIVORS_H

#include "runtime/local/run_state.h"

/*
 * End the sessions of its replicas that are still alive: TERM, and KILL after
 * `grace` ns.  A process is signalled only while it is certain that it is the one
 * that was started (pid, start time, boot), or that it belongs to the session of
 * such a one.  Returns how many could not be ended within five more seconds.
 */
size_t survivors_end(struct arena *a, const struct run_state *s, int64_t grace);

#endif
