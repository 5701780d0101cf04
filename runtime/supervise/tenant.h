/*
 * tenant.h - the namespaces in which the controller has something to do. Each has its own lane in the queue and its own
 * share of the requests in flight, so that no namespace waits for another one.
 *
 * If the controller attends only namespaces with a label, these are tenants even if they contain no jobs. A namespace
 * that has just got the label is joining: its lane is closed until all of its objects have been read.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_TENANT_H
#define TRAINC_RUNTIME_SUPERVISE_TENANT_H

#include "runtime/supervise/supervise_control.h"

/* TENANTS_NAMED: the largest number of namespaces that the metrics name; further ones are counted together. */
enum { TENANTS_NAMED = 100 };

struct tenant {
	struct tenant *next;            /* the next one in the same slot of the hash table */
	struct queue_lane lane;
	struct call_share share;
	size_t jobs;                    /* number of jobs and runs that are known */
	double warnings;                /* number of records about which may still be warned at once */
	int64_t warned;                 /* by loop_now(): when `warnings` was computed; 0: no warning yet */
	struct controller *control;
	size_t kept;                    /* bytes that are kept of its jobs and their objects: budget.h */
	size_t plan_bytes;              /* memory of the compiled plans of its jobs: plan_cache.h */
	struct supervised **held;       /* jobs that wait until there is room for them: a heap, the oldest first */
	size_t nheld, held_room;
	uint64_t refused, holds;        /* number of jobs that were refused, and how often a job was held */
	bool named;                     /* the metrics name the namespace */
	bool selected;                  /* the namespace has the label by which namespaces are selected */
	bool seen;                      /* the current watch of namespaces has reported it */
	bool joining;                   /* not all of its objects are known yet */
	struct str ns;
	char text[];                    /* the text of `ns` */
};

/* The tenant of the namespace NS, which is added if it is not known yet. */
struct tenant *tenant_of(struct controller *c, struct str ns);
/* The tenant of the namespace NS; NULL: it is not known. */
struct tenant *tenant_known(const struct controller *c, struct str ns);
/* Calls ACT for each tenant, which may become empty meanwhile. */
void tenants_each(struct controller *c, void (*act)(struct controller *c, struct tenant *t));
/* Frees all tenants; no job and no call may be left. */
void tenants_release(struct controller *c);

#endif
