/*
 * control.h - what the parts of the controller share: one connection, one queue, the objects that
 * exist, and the supervised jobs.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_CONTROL_H
#define TRAINC_RUNTIME_SUPERVISE_CONTROL_H

#include "import/custom.h"
#include "runtime/cluster/client.h"
#include "runtime/cluster/object_watch.h"
#include "runtime/supervise/metrics.h"
#include "runtime/supervise/queue.h"
#include "runtime/supervise/store.h"

struct supervised;

struct controller {
	struct session *session;
	void *owner;                    /* private to supervise.c */
	struct client client;
	struct store store;
	struct queue queue;
	struct metrics metrics;
	struct supervised **by_name;    /* jobs, chained by the hash of their names */
	size_t slots, njobs;
	struct pass *passes;            /* all passes that are under way */
	struct supervised *plan_first, *plan_last;      /* jobs whose compiled plan is kept, the last used first */
	size_t nplans;
	struct str ns;                  /* the only namespace; empty: all */
	const struct object_watch *pods, *services;     /* NULL: the watch does not exist at present */
	struct str identity;            /* identity of this process: for the Lease and for Events */
	struct str gang;                /* the scheduler that starts all replicas of a job together; empty: they
					 * start one by one */
	unsigned minor;                 /* version of the operator whose rules apply; 0: the last version that has
					 * the kind */
};

/* A custom resource, and what is known about its job. */
struct supervised {
	struct controller *control;
	const struct custom_kind *kind;
	struct queue_item item;
	struct supervised *next;        /* the next job of the same slot */
	uint32_t hash;
	char *text;                     /* the resource, as JSON */
	size_t ntext;
	struct str ns, name, uid;       /* in `texts` */
	struct str label;               /* "JAXJob ml/bert", for lines of the log */
	char version[24];               /* resourceVersion of the resource when it was last seen */
	/* decide_record_print() after the last pass; NULL: to be read from the resource */
	char *record;
	char *durable;                  /* the annotation at present; NULL: none */
	/* the status that the last pass wanted, as a patch writes it; NULL: there was no pass yet */
	char *wanted;
	struct custom_plan *plan;       /* compiled from generation `generation`; NULL: not kept */
	struct supervised *plan_next, *plan_before;
	int64_t generation;             /* of the plan */
	int64_t seen_generation;        /* generation of the resource */
	char *objects_made;             /* names of objects beside pods and Services that exist, "Kind/name\n" each */
	char *scaler;                   /* spec of its autoscaler; empty: it was deleted, NULL: unknown */
	double event_tokens;            /* number of Events that may still be written at once */
	int64_t event_at;               /* by loop_now(): when that number was computed */
	int64_t told_at;                /* by loop_now(): when the status was written; 0: not yet */
	bool written;                   /* the resource has the status `wanted` */
	bool group_gone;                /* its PodGroup was deleted, and not made since */
	bool refused;                   /* its last pass found that it cannot be compiled */
	bool gone;                      /* it was deleted while a pass was under way */
	char texts[];                   /* "JAXJob ml/bert", which holds the namespace and the name, and the uid */
};

#endif
