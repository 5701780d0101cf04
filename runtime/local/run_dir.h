/*
 * run_dir.h - the directory of a run, below the state directory.
 *
 *   STATE/runs/NAME/state        struct run_state as JSON, replaced whole at each change
 *                   result       the same, once, when the run has ended
 *                   control      socket of the keeper (control.h)
 *                   logs/        ROLE-I.log, ROLE-I.times; sidecars and inits ROLE-I.CONTAINER.log; log_file.h
 *                   scratch/     scratch volumes, files, generated keys
 *                   reserve      room for the verdict while it runs (F-47 of docs/testing.md)
 *                   keeper.log   what the keeper had to say: empty unless it went wrong
 *                   reserve      while it runs: room for the last state on a disk that logs have filled
 *
 * STATE is $TRAINC_STATE_DIR, else $XDG_STATE_HOME/trainc, else ~/.local/state/trainc.
 * Directories are 0700, files 0600.
 */
#ifndef TRAINC_RUNTIME_LOCAL_RUN_DIR_H
#define TRAINC_RUNTIME_LOCAL_RUN_DIR_H

#include "runtime/run/run_state.h"

/* The state directory, made if it is not there; false with a sentence (status 3). */
bool state_dir(struct arena *a, struct str *ret, struct str *why);

/* Where a run's things are; nothing is made. */
struct str run_dir_path(struct arena *a, struct str state_dir, struct str run);

/*
 * Make the directory of a new run, with `logs` and `scratch` in it, and lock it: whoever holds the
 * descriptor that comes back (close-on-exec) is the keeper of the run.  -1 with a sentence and
 * `*status` 5 when a run of that name is alive, or is there and `replace` is false, or 3 when the
 * disk refuses.  Fails before anything starts when there is no room for its logs (F-47 of
 * docs/testing.md).
 */
int run_dir_make(struct arena *a, struct str path, bool replace, struct str *why, int *status);

/*
 * The directory of a run as its keeper has it.  What the keeper writes goes through
 * the descriptor: the path may lead to another run's directory by now, when somebody
 * has removed this one.
 */
struct run_dir {
	struct str path;
	int fd;                         /* locked: of run_dir_make() */
};

/*
 * Save the state (after run_state_observe()); a final one as the result, too.
 * False with a sentence when the disk refuses: what was there before stays.
 */
bool run_save(struct arena *a, const struct run_dir *dir, struct run_state *s, struct str *why);

/* NAME of NAME~3, an earlier run (history.h); false when it is none. */
bool run_base(struct str run, struct str *ret_name);

/* May it be the name of a run, or of an earlier one (history.h)?  What may not is no file either. */
bool run_name_valid(struct str name);

/*
 * The state of a run by its name.  When its keeper is gone without a verdict the
 * phase is RUN_UNKNOWN and the processes that survived it are those for which
 * process_alive() holds.  False: there is no such run (why is a sentence with the
 * nearest name), or it cannot be read.
 */
bool run_load(struct arena *a, struct str state_dir, struct str run, struct run_state *ret, struct str *why);

/* The main processes of a run that are still those that it started. */
struct process_ids {
	struct process_id *at;
	size_t n;
};
struct process_ids run_survivors(struct arena *a, const struct run_state *s);

/* All runs, by name, with the earlier ones. */
struct run_names {
	struct str *at;
	size_t n;
};
struct run_names run_list(struct arena *a, struct str state_dir);

/*
 * Remove everything of it.  Only for a run without living processes: false with a
 * sentence when its keeper is alive, or the disk refuses.
 */
bool run_dir_remove(struct arena *a, struct str path, struct str *why);

#endif
