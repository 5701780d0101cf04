/*
 * timeline_internal.h - shared by the drawing and the page around it.
 */
#ifndef TRAINC_RUNTIME_RUN_TIMELINE_INTERNAL_H
#define TRAINC_RUNTIME_RUN_TIMELINE_INTERNAL_H

#include "runtime/run/timeline.h"

/*
 * Appends a text from outside: markup in it is escaped, and characters that XML does not allow are shown as on a
 * terminal (\x1b).
 */
void timeline_text(struct buf *out, struct str s);
/* Appends the headline of a run: "Succeeded in 3.2 s", "Failed: worker 2 exited with code 3", "Running". */
void timeline_headline(const struct run_state *s, struct buf *out);
/* Appends the drawing. The name and the state above each run are optional. */
void timeline_draw(const struct run_state *const *runs, size_t n, int64_t now, bool heads, struct buf *out);

#endif
