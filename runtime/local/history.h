/*
 * history.h - earlier runs of a name: the last ten that ended before the current run of that name, as runs/NAME~1,
 * NAME~2 and so on, oldest first. They have a state and logs but no scratch space, and can be shown and removed like
 * every run.
 */
#ifndef TRAINC_RUNTIME_LOCAL_HISTORY_H
#define TRAINC_RUNTIME_LOCAL_HISTORY_H

#include "runtime/local/run_dir.h"

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

#endif
