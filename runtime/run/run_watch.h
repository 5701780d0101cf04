/*
 * run_watch.h - a run that is being watched, in any backend: its newest state, and its changes. A backend fills in the
 * struct. The state belongs to the backend and is replaced by run_watch_update(); nothing here blocks.
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
	void (*measure)(struct run_watch *w);   /* measures resource usage; NULL: the backend cannot measure it */
};

struct run_watch {
	const struct run_watch_ops *ops;
	struct str name;
	struct run_state state;         /* the newest state */
	bool gone;                      /* the run was removed while it was being watched */
	bool replaced;                  /* another run with the same name has replaced this run meanwhile */
	bool given_up;                  /* the run is suspended, and the command that was to resume it cannot */
	bool left_out;                  /* the command line does not choose the run: it is not shown */
	int lost;                       /* exit status if no more events can arrive; 0: events can arrive */
	struct str lost_why;            /* why no more events can arrive, as a sentence */
	void *own;                      /* private to the backend */
};

/* A descriptor that is readable after a change; -1: no change will come. */
static inline int run_watch_fd(const struct run_watch *w) { return w->ops->fd(w); }
/* Takes over the changes; true if the state is different or the run is gone. */
static inline bool run_watch_update(struct run_watch *w) { return w->ops->update(w); }
/* Is it certain that nothing will change any more? */
static inline bool run_watch_over(const struct run_watch *w) { return w->gone || w->ops->over(w); }
/*
 * Fills in the resources that the replicas of a running run use on this machine. Cheap if the last call was a moment
 * ago.
 */
static inline void run_watch_measure(struct run_watch *w)
{
	if (w->ops->measure && !w->gone && !run_phase_final(w->state.phase))
		w->ops->measure(w);
}
static inline void run_watch_close(struct run_watch *w) { w->ops->close(w); }

#endif
