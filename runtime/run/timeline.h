/*
 * timeline.h - draws the lives of replicas: a row for each replica, a bar for each span of its life, and a mark at the
 * first failure. Everything is appended to a buffer; the drawing refers to no other file.
 */
#ifndef TRAINC_RUNTIME_RUN_TIMELINE_H
#define TRAINC_RUNTIME_RUN_TIMELINE_H

#include "runtime/run/run_state.h"

/*
 * Writes `status -o svg`: the runs, one below the other. Spans that have not ended are drawn up to NOW (real-time
 * clock).
 */
void timeline_svg(const struct run_state *const *runs, size_t n, int64_t now, struct buf *out);
/*
 * Writes `status -o html`: a page with the drawings, the state of each run and the last words of its first failing
 * rank.
 */
void timeline_html(const struct run_state *const *runs, size_t n, int64_t now, struct buf *out);

#endif
