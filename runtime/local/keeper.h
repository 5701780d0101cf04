/*
 * keeper.h - the keeper: the process that manages a run from its start to its end. keeper_start() makes the run's
 * directory, forks the keeper and waits until the run has started or was refused. Attached (`trainc run`): when the
 * command dies, the keeper kills all processes of the run. When the keeper dies, the command kills them, because it is
 * also a subreaper. Detached (`trainc apply`): the keeper survives the command. When the keeper dies, its guard, a
 * small process, kills the remaining processes. In either case the keeper has a session of its own, so signals of the
 * terminal only reach the command.
 */
#ifndef TRAINC_RUNTIME_LOCAL_KEEPER_H
#define TRAINC_RUNTIME_LOCAL_KEEPER_H

#include "runtime/local/engine.h"

struct keeper {
	pid_t pid;                      /* attached: the keeper; detached: its guard, which ends in the same way as the
					 * keeper */
	int lifeline;                   /* attached: a pipe that the command holds open; else -1 */
	struct str run_dir;
	struct str notes;               /* notes of the engine for the user, one per line */
};

/* Everything about a run except its plan. */
struct keeper_start {
	const struct plan_job *job;
	struct str name;                /* name of the run */
	struct str file;                /* the program's file, as given on the command line */
	struct str digest;              /* identity of the program and options (run_state.h) */
	struct str state_dir;
	const struct engine_options *options;
	bool attached, replace;         /* attached: the keeper ends with the command; replace: a run of that name that
					 * has ended may be replaced */
};

/*
 * Starts the keeper. On failure, returns false with explanations, one per line. The exit status is then 3 or 8, 5 if a
 * run of that name exists, or 70 if the keeper died.
 */
bool keeper_start(struct arena *a, const struct keeper_start *s, struct keeper *ret, struct str *why, int *status);

/* The state of a run before it starts. */
struct run_state keeper_first_state(struct arena *a, const struct keeper_start *s);

/*
 * Must be called after an attached keeper has died without a verdict: kills the processes that the keeper left, which
 * have become children of this process. KEEPERS are the keepers that must stay alive. Returns the number of processes
 * that were killed.
 */
size_t keeper_sweep(const struct keeper *keepers, size_t n);

#endif
