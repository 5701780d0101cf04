/*
 * timeline.h - the lives of replicas as a drawing: a row for each replica, a bar for each stretch of its life, the
 * first failure marked.  Everything is appended to a buffer; nothing refers to another file.
 */
#ifndef TRAINC_RUNTIME_RUN_TIMELINE_H
#define TRAINC_RUNTIME_RUN_TIMELINE_H

#include "runtime/run/run_state.h"

/* `status -o svg`: the runs, one below the other.  Spans that go on end at `now` (real-time clock). */
void timeline_svg(const struct run_state *const *runs, size_t n, int64_t now, struct buf *out);
/* `status -o html`: a page of them, with the state of each run and the last words of its first failing rank. */
void timeline_html(const struct run_state *const *runs, size_t n, int64_t now, struct buf *out);

#endif
