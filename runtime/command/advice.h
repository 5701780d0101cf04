/* advice.h - what to do about a run that does not run, or that has failed. */
#ifndef TRAINC_RUNTIME_COMMAND_ADVICE_H
#define TRAINC_RUNTIME_COMMAND_ADVICE_H

#include "command/session.h"
#include "runtime/run/run_state.h"

/* Next steps, each of them once. */
struct answers {
	const char **at;
	size_t n;
};

/*
 * Finds the next steps: by the phase of the run if the phase is enough, otherwise by phrases in the evidence. WHERE is
 * the option that leads commands to the run, " --local" or "".
 */
struct answers advice_find(struct session *session, const char *where, const struct run_state *s);

#endif
