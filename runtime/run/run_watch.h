/*
 * run_watch.h - a run that is being watched, wherever it runs: its newest state, and changes.
 *
 * A backend fills it in.  The state belongs to the backend and is replaced by run_watch_update();
 * nothing here blocks.
 */
#ifndef TRAINC_RUNTIME_RUN_RUN_WATCH_H
#define TRAINC_RUNTIME_RUN_RUN_WATCH_H

#include "runtime/run/run_state.h"

struct run_watch;

struct run_watch_ops {
	int (*fd)(const struct run_watch *w);
	bool (*update)(struct run_watch *w);
	bool (*over)(const struct run_watch *w);
	void (*close)(struct run_watch *w);
	void (*measure)(struct run_watch *w);   /* or NULL: nobody here knows */
};

struct run_watch {
	const struct run_watch_ops *ops;
	struct str name;
	struct run_state state;         /* the newest */
	bool gone;                      /* it was removed while we looked */
	bool replaced;                  /* somebody has put another run in its place meanwhile */
	void *own;                      /* the backend's */
};

/* Readable when there is a change; -1: there will be none. */
static inline int run_watch_fd(const struct run_watch *w) { return w->ops->fd(w); }
/* Takes the changes; true when the state is different (or the run is gone). */
static inline bool run_watch_update(struct run_watch *w) { return w->ops->update(w); }
/* Nothing will change any more. */
static inline bool run_watch_over(const struct run_watch *w) { return w->gone || w->ops->over(w); }
/* Fills in what the replicas of a run that goes on use of this machine; cheap when it was done a moment ago. */
static inline void run_watch_measure(struct run_watch *w)
{
	if (w->ops->measure && !w->gone && !run_phase_final(w->state.phase))
		w->ops->measure(w);
}
static inline void run_watch_close(struct run_watch *w) { w->ops->close(w); }

#endif
