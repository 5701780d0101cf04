/*
 * history.h - earlier runs of a name: the last ten that ended before the current run of that name, as runs/NAME~1,
 * NAME~2 and so on, oldest first. They have a state and logs but no scratch space, and can be shown and removed like
 * every run. Of runs that were removed, the file STATE/history keeps when they ran and how they ended, by name.
 */
#ifndef TRAINC_RUNTIME_LOCAL_HISTORY_H
#define TRAINC_RUNTIME_LOCAL_HISTORY_H

#include "base/map.h"
#include "runtime/local/run_dir.h"
#include "runtime/run/run_history.h"

enum { HISTORY_RUNS = 10 };

/*
 * Moves the ended run at PATH aside, before a new run of that name, and returns the new path of the ended run. Returns
 * an empty string if the run does not exist, has not ended, or cannot be moved.
 */
struct str history_keep(struct arena *a, struct str path);
/* Undoes the move, because the new run did not start. */
void history_restore(struct str kept, struct str path);

/* Removes every earlier run of NAME; false with an explanation. */
bool history_remove(struct arena *a, struct str state_dir, struct str name, struct str *why);

/* What is known of all names, read once. */
struct history {
	struct arena *arena;
	struct str state_dir;
	struct launch_shelf shelf;      /* of removed runs */
	struct map shelved;             /* name -> its entry on the shelf */
	struct run_names all;
	struct str why;                 /* why the shelf cannot be read; empty: it can */
};
void history_open(struct arena *a, struct str state_dir, struct history *ret);
/* The launches of NAME: those of its directories, and those of runs that were removed. */
struct run_launches history_of(const struct history *h, struct str name);
/* The names with such launches, in order. */
struct run_names history_names(const struct history *h);
/*
 * Keeps the launches of the run RUN, or NAME~N, which is about to be removed; false with an explanation. A file that is
 * damaged stays as it is.
 */
bool history_shelve(struct arena *a, struct str state_dir, struct str run, struct str *why);

#endif
