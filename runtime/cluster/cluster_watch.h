/*
 * cluster_watch.h - a run in a cluster that is being watched.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CLUSTER_WATCH_H
#define TRAINC_RUNTIME_CLUSTER_CLUSTER_WATCH_H

#include "runtime/cluster/cluster.h"
#include "runtime/cluster/restart.h"
#include "runtime/cluster/view.h"

struct cluster_watch {
	struct cluster *cluster;
	struct run_watch *watch;
	struct view *view;              /* NULL until cluster_watch_start() has been called */
	struct parent parent;
	struct plan_job plan;
	struct str ns;
	struct arena memory[2];         /* two arenas, used in turn: one of them holds the current state */
	unsigned current;
	bool dirty;
	int64_t judged;                 /* loop_now() when the run was last judged */
	int64_t pause;                  /* time in ns before which the run is not judged again: short for small runs */
	uint64_t news;                  /* view_news() when the run was last judged */
	struct loop_timer timer;        /* fires when the run must be judged again without a change */
	bool seen;                      /* the run has existed at some time */
	bool removed;                   /* this command removed the run */
	bool cut_off;                   /* the connection to the server was lost, and that was reported */
	struct run_object *strayed;     /* the objects that somebody has deleted or changed: strayed.h */
	size_t nstrayed;
	bool attends;                   /* the command acts for the run: it does the work that Jobs cannot do for each
					 * other, unless a controller does it */
	uint64_t records;               /* view_records() when the record of the run was last read */
	unsigned acting;                /* number of requests for the run that have no answer yet */
	bool complained;                /* a request for the run was refused, and that was reported */
	int64_t doubtful;               /* loop_now() since when the objects of the run do not vouch for its record; 0:
					 * they do */
	bool doubted;                   /* that was reported */
	struct map acted;               /* each action for the run -> loop_now() when it was last sent, an int64_t */
	struct arena scratch;
	/* ---- the record of the end: watch_record.c ---- */
	bool recording;                 /* the end is being written */
	bool superseded;                /* what is being written is older than what has been seen since */
	bool unrecordable;              /* the record could not be written, or is about another run now */
	unsigned record_tries;
	struct str verdict, outcome;    /* what is being written */
	uint64_t print;                 /* digest of the state that was handed out, to detect changes */
	struct map jobs;                /* name of each Job of the run that was seen -> its uid, a struct str */
	int64_t vanished;               /* loop_now() when the Jobs of the run disappeared; 0: the Jobs exist */
	int64_t unrecorded;             /* loop_now() when the run first seemed to have ended without a verdict of its
					 * controller; 0: no such end was seen */
	/* ---- restarts of the whole run: watch_restart.c ---- */
	struct restart restart;         /* the pass over a restart, in `restart_memory`, while `restarting` */
	struct arena restart_memory;
	bool restarting, restart_complained;
	int64_t restart_next;           /* loop_now() before which no further pass starts */
	struct str restart_refused;     /* the copy whose restart was refused last */
	struct str restart_seen;        /* the last restart whose Jobs have all been seen */
	/*
	 * loop_now() when Jobs of a restart were first found missing, and when a Job that no record explains was first
	 * seen
	 */
	int64_t unseen, strange;
};

struct cluster_seed {
	const struct parent *parent;
	const struct run_state *state;  /* the current state, or NULL */
};

/*
 * Watches the run that R names. The plan comes from the run's parent, or from R->record if the run has no parent. SEED:
 * the parent, and perhaps the state, are already known, and the server is only asked when the caller waits for changes.
 * Returns false and sets a status after reporting an error.
 */
bool cluster_watch_open(struct cluster *k, const struct chosen_run *r, const struct cluster_seed *seed,
	struct run_watch *ret, int *ret_status);
/* Starts the watches for all runs that were opened, and waits until each run has a state. */
bool cluster_watch_start(struct cluster *k, int *ret_status);

/*
 * Sets the state of a run whose objects have all been removed, by their ttl or by hand, to the verdict in its record P,
 * with the first failing rank if the record has it. Without a verdict the state stays as it is. Texts live in A.
 */
void cluster_watch_recall(struct arena *a, const struct parent *p, struct run_state *s);

/* Lets the run be judged again in NS nanoseconds, if it is not judged earlier anyway. */
static inline void cluster_watch_wake(struct cluster_watch *c, int64_t ns)
{
	struct loop *l = c->cluster->client.loop;

	if (!c->timer.slot || ns < c->timer.at - loop_now(l))
		loop_timer_set(l, &c->timer, ns);
}

static inline struct cluster_watch *cluster_watch_of(const struct run_watch *w) { return w->own; }

#endif
