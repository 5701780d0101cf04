/*
 * view.h - the current objects of runs: the newest form of every object. A view needs a few watches for each namespace,
 * whatever the number of runs and replicas. Objects are kept as text, without members that no state depends on, and
 * become trees when a run is judged. A pod takes a few hundred bytes.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_VIEW_H
#define TRAINC_RUNTIME_CLUSTER_VIEW_H

#include "runtime/cluster/discovery.h"
#include "runtime/cluster/object_watch.h"
#include "runtime/status/status.h"

struct view;

struct view_options {
	struct client *client;
	struct str ns;                  /* namespace to watch; empty: all namespaces */
	struct str selector;            /* label selector of members: "trainc.dev/job=bert" */
	/* kinds to watch besides Pods, Jobs and Events: kinds that represent runs, or admit them */
	const struct resource *kinds;
	size_t nkinds;
	bool no_events;                 /* do not watch Events: the caller does */
	bool records;                   /* also watch the records of runs that are left to a controller */
	bool all_records;               /* also watch the records of all other runs */
	/* Called when something has changed. */
	void (*changed)(void *to);
	void *to;
	const struct str *runs;         /* the only runs of interest: Events about other runs are not kept */
	size_t nruns;                   /* number of these runs; 0: all runs are of interest */
};

/* Starts the watches. */
struct view *view_start(struct arena *a, const struct view_options *o);
void view_stop(struct view *v);
/* Have all watches delivered every existing object? */
bool view_synced(const struct view *v);
/* The first watch that gave up, as an explanation and a status; false if no watch has given up. */
bool view_failed(const struct view *v, struct str *ret_why, int *ret_status);
/* The number of changes of objects so far. While this number stays the same, there is no reason to judge again. */
uint64_t view_news(const struct view *v);
/* The number of changes of records so far. */
uint64_t view_records(const struct view *v);
/* The time, by loop_now(), at which the longest current outage of a watch began; 0: no watch is cut off. */
int64_t view_cut_off(const struct view *v);
/*
 * Is there an object of RUN in NS whose current form cannot be used? The view still has the form before it, which is
 * good enough to be shown, but nobody may act on it.
 */
bool view_useless(const struct view *v, struct str run, struct str ns);
/*
 * Adds the objects of one run: objects with its label, and Events that name them. Pods and Events come as `many`, as
 * long as the view does not change; the others are trees in A.
 */
void view_objects(const struct view *v, struct arena *a, struct str run, struct str ns, struct status_objects *ret);

/* Calls EACH for every object of KIND that belongs to RUN. Each tree is freed after its call. */
void view_each(const struct view *v, const char *kind, struct str run, struct str ns,
	void (*each)(void *to, struct str uid, const struct data *object), void *to);

#endif
