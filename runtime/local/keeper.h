/*
 * keeper.h - the process that stays with a run.
 *
 * keeper_start() makes the run's directory, forks the keeper and waits until it
 * runs or has refused.  Attached (`trainc run`): when the command dies the keeper
 * kills everything; when the keeper dies the command, a subreaper too, does.
 * Detached (`trainc apply`): it survives the command, and a small process, its
 * guard, does what the command would.  Either way it has a session
 * of its own: signals of the terminal are the command's business.
 */
#ifndef TRAINC_RUNTIME_LOCAL_KEEPER_H
#define TRAINC_RUNTIME_LOCAL_KEEPER_H

#include "runtime/local/engine.h"

struct keeper {
	pid_t pid;                      /* attached: the keeper; detached: its guard, which ends as the keeper does */
	int lifeline;                   /* attached: held open by the command; else -1 */
	struct str run_dir;
	struct str notes;               /* notes of the engine for the user: one on each line */
};

/* What the run is, beside its plan. */
struct keeper_start {
	const struct plan_job *job;
	struct str name;                /* of the run */
	struct str file;                /* the program, as the user named it */
	struct str digest;              /* identity of program and options (run_state.h) */
	struct str state_dir;
	const struct engine_options *options;
	bool attached, replace;         /* replace: a run of that name that has ended */
};

/*
 * False with sentences, one a line, and the status to leave with (3; 5: a run of
 * that name is there; 8; 70: the keeper died).
 */
bool keeper_start(struct arena *a, const struct keeper_start *s, struct keeper *ret, struct str *why, int *status);

/* What is known of a run before it begins. */
struct run_state keeper_first_state(struct arena *a, const struct keeper_start *s);

/*
 * To be called after an attached keeper has died without a verdict: kills what it left, which are
 * children of this process by then.  `keepers` are those that must live.  Returns the number of
 * processes.
 */
size_t keeper_sweep(const struct keeper *keepers, size_t n);

#endif
