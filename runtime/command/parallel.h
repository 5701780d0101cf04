/*
 * parallel.h - --parallel N of `run` and `apply --for=complete`: at most N runs of the programs at once. The others are
 * created suspended, and each is resumed when one before it has ended. So they can be seen from the beginning, and when
 * `apply` dies, the same command goes on with them, or `trainc resume`.
 */
#ifndef TRAINC_RUNTIME_COMMAND_PARALLEL_H
#define TRAINC_RUNTIME_COMMAND_PARALLEL_H

#include "runtime/command/backend.h"

struct parallel_run {
	bool begun;                     /* it was not suspended, or was resumed */
	unsigned tries;                 /* how often it could not be resumed */
	int64_t due;                    /* by the steady clock: not to be resumed again before that */
};

struct parallel {
	struct session *session;
	const struct backend *backend;
	struct attend *attend;
	size_t most;                    /* 0: no limit was given */
	struct parallel_run *runs;      /* of ATTEND */
	int status;                     /* why a run could not be resumed; STATUS_DONE: no error */
};

/* Reads the option; false (status 2) after reporting what is wrong with it. */
bool parallel_read(struct session *s, struct parallel *ret);
/* Suspends the jobs after the first N in their plans; false (status 2) after reporting a job for which it cannot. */
bool parallel_hold(struct parallel *p, struct programs *all);
/* Resumes runs as others end, from now on; A is what the command attends. */
void parallel_begin(struct parallel *p, const struct backend *b, struct attend *a);
/*
 * Shows how each run of A has ended, if there was a limit; also those that had ended before. Returns the worse of
 * STATUS and its own.
 */
int parallel_end(struct parallel *p, const struct attend *a, int status);

#endif
