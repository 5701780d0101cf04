/*
 * control.h - what the parts of the controller share: one connection, one queue, the objects that are there, and the
 * jobs under supervision.
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
	void *owner;                    /* supervise.c's */
	struct client client;
	struct store store;
	struct queue queue;
	struct metrics metrics;
	struct supervised **by_name;    /* jobs, chained by the hash of their names */
	size_t slots, njobs;
	struct pass *passes;            /* all that are under way */
	struct supervised *plan_first, *plan_last;      /* jobs that keep a compiled plan, the last used first */
	size_t nplans;
	struct str ns;                  /* the only namespace; empty: all */
	const struct object_watch *pods, *services;     /* NULL: not there now */
	struct str identity;            /* of this process: who holds the Lease, who writes Events */
	struct str gang;                /* who starts all replicas of a job together; empty: they start one by one */
	unsigned minor;                 /* of the operator whose rules hold; 0: the last that has the kind */
};

/* A custom resource, and what is known about its job. */
struct supervised {
	struct controller *control;
	const struct custom_kind *kind;
	struct queue_item item;
	struct supervised *next;        /* of the same slot */
	uint32_t hash;
	char *text;                     /* the resource, as JSON */
	size_t ntext;
	struct str ns, name, uid;       /* in `own` */
	struct str label;               /* "JAXJob ml/bert", for lines of the log */
	struct arena own;
	char version[24];               /* of the resource as it was seen last */
	/* decide_record_print() after the last pass; NULL: it is read from the resource */
	char *record;
	char *durable;                  /* the annotation as it is; NULL: none */
	char *status;                   /* the resource's status, as a patch would write it; NULL: not known */
	char *wanted;                   /* what the last pass wanted it to be; NULL: nothing was decided yet */
	struct custom_plan *plan;       /* compiled from generation `generation`; NULL: not kept */
	struct supervised *plan_next, *plan_before;
	int64_t generation;             /* of the plan */
	int64_t seen_generation;        /* of the resource */
	char *objects_made;             /* names of objects beside pods and Services that exist, "Kind/name\n" each */
	double event_tokens;            /* Events that it may still have at once */
	int64_t event_at;               /* by loop_now(): when they were counted */
	bool group_gone;                /* its PodGroup was deleted, and not made since */
	bool refused;                   /* its last pass found that it does not compile */
	bool gone;                      /* it was deleted while a pass was under way */
};

#endif
