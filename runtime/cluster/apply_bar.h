/*
 * apply_bar.h - shows the progress of writing many objects on standard error: a bar on a terminal, occasional lines
 * elsewhere.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_APPLY_BAR_H
#define TRAINC_RUNTIME_CLUSTER_APPLY_BAR_H

#include "command/session.h"
#include "runtime/run/progress.h"

struct apply_bar {
	struct session *session;
	enum progress_mode mode;
	size_t runs, all;               /* number of runs, and number of objects to send */
	size_t before;                  /* number of objects in the stages that are done */
	int64_t shown;                  /* when the bar was last drawn, by the steady clock */
	bool drawn;                     /* the bar is on the terminal now */
};

/* Starts a bar. For a small number of objects, no bar is shown. */
struct apply_bar apply_bar_begin(struct session *s, size_t runs, size_t objects);
/* Shows that DONE objects of this stage have been sent; has the type of batch.progress. */
void apply_bar_show(void *bar, size_t done, size_t all);
/* Removes the bar at the end of a stage of N objects; other lines may follow. */
void apply_bar_hide(struct apply_bar *b, size_t n);

#endif
