/*
 * run_dir.h - the directory of a run, below the state directory.
 *
 *   STATE/runs/NAME/state        struct run_state as JSON, replaced whole at each change
 *                   result       the same, once, when the run has ended
 *                   control      socket of the keeper (control.h)
 *                   logs/        ROLE-I.log, ROLE-I.times; sidecars and inits ROLE-I.CONTAINER.log
 *                   scratch/     scratch volumes, files, generated keys
 *
 * STATE is $TRAINC_STATE_DIR, else $XDG_STATE_HOME/trainc, else ~/.local/state/trainc.
 * Directories are 0700, files 0600.
 */
#ifndef TRAINC_RUNTIME_LOCAL_RUN_DIR_H
#define TRAINC_RUNTIME_LOCAL_RUN_DIR_H

#include "runtime/local/run_state.h"

/* The state directory, made if it is not there; false with a sentence (status 3). */
bool state_dir(struct arena *a, struct str *ret, struct str *why);

/* Where a run's things are; nothing is made. */
struct str run_dir_path(struct arena *a, struct str state_dir, struct str run);

/*
 * Make the directory of a new run and lock it for the life of this process (flock
 * on it).  False with a sentence: a run of that name is alive, or is there and
 * `replace` is false, or the disk refuses.  Fails before anything starts when
 * there is no room for its logs (fault F-47).
 */
bool run_dir_make(struct arena *a, struct str path, bool replace, struct str *why);

/*
 * The state of a run by its name.  When its keeper is gone without a verdict the
 * phase is RUN_UNKNOWN and the processes that survived it are those for which
 * process_alive() holds.  False: there is no such run (why is a sentence with the
 * nearest name), or it cannot be read.
 */
bool run_load(struct arena *a, struct str state_dir, struct str run, struct run_state *ret, struct str *why);

/* All runs, by name. */
struct run_names {
	struct str *at;
	size_t n;
};
struct run_names run_list(struct arena *a, struct str state_dir);

/* Remove everything of it.  Only for a run without living processes. */
bool run_dir_remove(struct arena *a, struct str path, struct str *why);

#endif
