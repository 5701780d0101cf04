/*
 * capacity.h - what a cluster has, who holds it and who waits for it: `fit --all`. Objects are added one by one, in any
 * order, and only sums are kept, so a large cluster takes little memory. Pure functions over objects: nodes, pods,
 * quotas and the objects of Kueue.
 */
#ifndef TRAINC_RUNTIME_FIT_CAPACITY_H
#define TRAINC_RUNTIME_FIT_CAPACITY_H

#include "runtime/fit/fit.h"

/* Kinds of objects that are counted; each is listed by itself, and a list may begin again. */
enum capacity_kind { CAPACITY_NODES, CAPACITY_PODS, CAPACITY_QUOTAS, CAPACITY_LOCAL_QUEUES, CAPACITY_QUEUES,
	CAPACITY_WORKLOADS, CAPACITY_KINDS };

/* A node, known by its object or only by a pod that is on it. */
struct capacity_node {
	struct str name, model;         /* the model of its devices, from a label; empty: it has no such label */
	bool known, usable;             /* its object was read; pods may be placed there */
	int64_t all[FIT_RESOURCES], used[FIT_RESOURCES];
};

/* The run, or the other pods of a namespace, that hold resources of nodes. */
struct capacity_holder {
	struct str ns, run;             /* run: empty for other pods */
	int64_t pods, waiting;          /* number of pods on nodes, and of those that wait for one */
	int64_t held[FIT_RESOURCES];
};

/* A limit: of a ResourceQuota, or of a ClusterQueue for one flavor. Amounts as fit_amount() counts them. */
struct capacity_limit {
	struct str ns, cohort, name, flavor, resource;
	size_t index;                   /* number of the resource; FIT_RESOURCES: it counts objects */
	int64_t most, used, borrowed;
	int64_t waiting;                /* number of Workloads that wait in the queue */
};

/* A LocalQueue, and the ClusterQueue that it leads to. */
struct capacity_local {
	struct str ns, name, queue;
};

/* A Workload that waits for a queue. */
struct capacity_waiting {
	struct str ns, name, owner, queue;      /* name of the object that it is for; the LocalQueue */
	struct str cluster_queue;       /* set by capacity_finish() */
	int64_t priority, since;        /* the time that decides among equal priorities */
	int64_t asks[FIT_RESOURCES];
	/* its place in the ClusterQueue, from 1, and how many wait there; 0: not known */
	size_t place, of;
};

struct capacity {
	struct arena *arena;
	const struct fit_hint *hints;   /* labels that name devices; NULL: none */
	struct fit_resources resources;
	struct map by_node, by_holder;
	struct capacity_node **nodes;
	size_t nnodes;
	struct capacity_holder **holders;
	size_t nholders;
	struct capacity_limit *quotas;
	size_t nquotas;
	struct capacity_limit *queues;
	size_t nqueues;
	struct capacity_local *locals;
	size_t nlocals;
	struct capacity_waiting *waiting;
	size_t nwaiting;
	struct str *unseen;             /* sentences: what could not be read, and the right that is missing */
	size_t nunseen;
	bool read[CAPACITY_KINDS];      /* the list was read */
	bool part[CAPACITY_KINDS];      /* the list has the objects of one namespace only, where it should have all */
};

struct capacity capacity_new(struct arena *a, const struct fit_hint *hints);
/* The fields of an object of a kind that count: paths for a filter of lists. */
const char *const *capacity_keep(enum capacity_kind kind);
/* Adds an object of that kind; its texts are copied. */
void capacity_add(struct capacity *c, enum capacity_kind kind, const struct data *object);
/* Forgets the objects of a kind, because its list begins again. */
void capacity_forget(struct capacity *c, enum capacity_kind kind);
/* Sorts what was found, and finds the places of what waits. */
void capacity_finish(struct capacity *c);

/* The nodes with one model of devices, and one of their resources. */
struct capacity_row {
	struct str model;
	size_t resource;
	int64_t nodes, unusable;        /* number of nodes that have it, and of those on which no pod may be placed */
	int64_t all, used, free, most;  /* free on usable nodes; most: on one of them */
};
struct capacity_rows {
	struct capacity_row *at;
	size_t n;
};
/* What the nodes have: devices first, then processors and memory. */
struct capacity_rows capacity_rows(const struct capacity *c);
/* The sum of two amounts, which does not overflow: whoever may create a pod may ask for anything. */
int64_t capacity_sum(int64_t a, int64_t b);
/* Is the resource a device: neither processors, memory, disk nor pods? */
bool capacity_is_device(const struct capacity *c, size_t resource);

#endif
