/*
 * run_dir.h - the directory of a run, below the state directory.
 *
 *   STATE/runs/NAME/state        struct run_state as JSON, replaced whole at each change
 *                   result       the same, once, when the run has ended
 *                   control      socket of the keeper (control.h)
 *                   logs/        ROLE-I.log, ROLE-I.times; sidecars and inits ROLE-I.CONTAINER.log; log_file.h
 *                   scratch/     scratch volumes, files, generated keys
 *                   keeper.log   errors of the keeper itself; usually empty
 *                   code/        ID12, the archives of its code; begun (code_begun.h); local_sync.c
 *                   reserve      while the run continues: space for its last state, in case logs fill the disk
 *
 * STATE is $TRAINC_STATE_DIR, else $XDG_STATE_HOME/trainc, else ~/.local/state/trainc.
 * Directories are 0700, files 0600.
 */
#ifndef TRAINC_RUNTIME_LOCAL_RUN_DIR_H
#define TRAINC_RUNTIME_LOCAL_RUN_DIR_H

#include "runtime/run/run_state.h"

/* Finds the state directory, and makes it if necessary; false with an explanation (status 3). */
bool state_dir(struct arena *a, struct str *ret, struct str *why);

/* Returns the path of a run's directory; creates nothing. */
struct str run_dir_path(struct arena *a, struct str state_dir, struct str run);

/*
 * Does the path still lead to the open directory? Otherwise the directory was removed or renamed while this process
 * waited for its lock.
 */
bool run_dir_is_at(const char *path, int fd);

/*
 * Makes the directory of a new run, with `logs` and `scratch` in it, and locks it: the process that holds the returned
 * descriptor (close-on-exec) is the keeper of the run. Returns -1 with an explanation and a status: 5 if a run of that
 * name is alive, or exists while REPLACE is false; 3 if the disk refuses. Fails before anything starts if the disk has
 * no room for the run's logs.
 */
int run_dir_make(struct arena *a, struct str path, bool replace, struct str *why, int *status);

/*
 * The directory of a run, for its keeper. The keeper writes through the descriptor: if somebody has removed the
 * directory, the path may lead to the directory of another run by now.
 */
struct run_dir {
	struct str path;
	int fd;                         /* locked descriptor from run_dir_make() */
};

/*
 * Saves the state (after run_state_observe()), and a final state also as the result. Returns false with an explanation
 * if the disk refuses; the old file is then kept.
 */
bool run_save(struct arena *a, const struct run_dir *dir, struct run_state *s, struct str *why);

/* The part NAME of NAME~3, the name of an earlier run (history.h); false for other names. */
bool run_base(struct str run, struct str *ret_name);

/* Can NAME be the name of a run, or of an earlier run (history.h)? Only such names are used in paths. */
bool run_name_valid(struct str name);

/*
 * Loads the state of a run by its name. If the keeper is gone without a verdict, the phase is RUN_UNKNOWN, and
 * process_alive() says which processes have survived the keeper. Returns false with an explanation if the run does not
 * exist (the explanation names the nearest name), or if its state cannot be read.
 */
bool run_load(struct arena *a, struct str state_dir, struct str run, struct run_state *ret, struct str *why);

/* The names of all runs in order, including earlier ones. */
struct run_names {
	struct str *at;
	size_t n;
};
struct run_names run_list(struct arena *a, struct str state_dir);

/*
 * Removes everything that belongs to a run without living processes. Returns false with an explanation if the run's
 * keeper is alive, or the disk refuses.
 */
bool run_dir_remove(struct arena *a, struct str path, struct str *why);

#endif
