/*
 * history.h - runs of a name that ended before the one that has it now: the last ten,
 * as runs/NAME~1, NAME~2 and so on, the oldest first.  They have a state and logs, no
 * scratch space, and are looked at and removed like every run.
 */
#ifndef TRAINC_RUNTIME_LOCAL_HISTORY_H
#define TRAINC_RUNTIME_LOCAL_HISTORY_H

#include "runtime/local/run_dir.h"

enum { HISTORY_RUNS = 10 };

/*
 * Before a new run of that name: moves what the ended one at PATH left aside, and returns its new
 * path.  Empty when there is none, when it has not ended, or when the disk refuses.
 */
struct str history_keep(struct arena *a, struct str path);
/* The new run did not begin: undoes the move. */
void history_restore(struct str kept, struct str path);

/* Removes every earlier run of NAME; false with a sentence. */
bool history_remove(struct arena *a, struct str state_dir, struct str name, struct str *why);

#endif
