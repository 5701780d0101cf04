/*
 * apply_bar.h - progress over many objects, on standard error: a bar on a terminal, occasional
 * lines elsewhere.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_APPLY_BAR_H
#define TRAINC_RUNTIME_CLUSTER_APPLY_BAR_H

#include "command/session.h"
#include "runtime/run/progress.h"

struct apply_bar {
	struct session *session;
	enum progress_mode mode;
	size_t runs, all;               /* objects to send */
	size_t before;                  /* objects in the stages that are done */
	int64_t shown;                  /* steady clock */
	bool drawn;                     /* the bar is on the terminal now */
};

/* For few objects nothing is shown. */
struct apply_bar apply_bar_begin(struct session *s, size_t runs, size_t objects);
/* Shows that DONE objects of this stage are sent; its type fits batch.progress. */
void apply_bar_show(void *bar, size_t done, size_t all);
/* The stage of N objects is over; other lines may follow. */
void apply_bar_hide(struct apply_bar *b, size_t n);

#endif
