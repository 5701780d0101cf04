/*
 * keeper.h - the process that stays with a run.
 *
 * keeper_start() makes the run's directory, forks the keeper and waits until it
 * runs or has refused.  Attached (`trainc run`): when the command dies the keeper
 * kills everything; when the keeper dies the command, a subreaper too, does.
 * Detached (`trainc apply`): a session of its own, survives the terminal.
 */
#ifndef TRAINC_RUNTIME_LOCAL_KEEPER_H
#define TRAINC_RUNTIME_LOCAL_KEEPER_H

#include "runtime/local/engine.h"

struct keeper {
	pid_t pid;
	int lifeline;                   /* attached: held open by the command; else -1 */
	struct str run_dir;
	struct str notes;               /* of the engine, for the user */
};

/*
 * False with sentences and the status to leave with (3, 5: a run of that name is
 * alive, 8).  `file` is the program as the user named it.
 */
bool keeper_start(struct arena *a, const struct plan_job *job, struct str file, const struct engine_options *o,
	bool attached, bool replace, struct keeper *ret, struct str *why, int *status);

/*
 * After an attached keeper has died without a verdict: kill what it left (children
 * of this process by then).  Returns how many there were.
 */
size_t keeper_sweep(const struct keeper *k);

#endif
