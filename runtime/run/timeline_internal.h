/*
 * timeline_internal.h - what the drawing and the page around it share.
 */
#ifndef TRAINC_RUNTIME_RUN_TIMELINE_INTERNAL_H
#define TRAINC_RUNTIME_RUN_TIMELINE_INTERNAL_H

#include "runtime/run/timeline.h"

/*
 * A text from elsewhere: nothing in it is markup, and characters that XML does not allow are shown
 * as in a terminal (\x1b).
 */
void timeline_text(struct buf *out, struct str s);
/* "Succeeded in 3.2 s", "Failed: worker 2 exited with code 3", "Running". */
void timeline_headline(const struct run_state *s, struct buf *out);
/* The drawing, with the name and the state above each run or without. */
void timeline_draw(const struct run_state *const *runs, size_t n, int64_t now, bool heads, struct buf *out);

#endif
