/*
 * outcome.h - how a run ended, as the controller or a command that waits stores it in the run's record: cause, times
 * and the first failing rank. The objects that show these facts may be deleted afterwards.
 */
#ifndef TRAINC_RUNTIME_RUN_OUTCOME_H
#define TRAINC_RUNTIME_RUN_OUTCOME_H

#include "data/data.h"
#include "runtime/run/run_state.h"

/* Appends the outcome of S, which ended at END, as one line of JSON. GENERATION is the number of the run's apply. */
void outcome_write(const struct run_state *s, int64_t generation, int64_t end, struct buf *out);
/*
 * Fills in the values that S lacks from the outcome TEXT: the cause, times and the first failing rank. Returns false
 * and leaves S unchanged if TEXT is not an outcome, or belongs to another generation. Texts are allocated in A.
 */
bool outcome_read(struct arena *a, struct str text, int64_t generation, struct run_state *s);

#endif
