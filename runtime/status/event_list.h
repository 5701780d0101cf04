/*
 * event_list.h - the Events of one run: those of its objects, of earlier pods, and of the nodes of its pods, merged and
 * in the order of their times.
 *
 * An Event has no labels. Its object is one of the run if the run is known to have an object with that uid, or by its
 * name: objects that are gone leave nothing but their Events.
 */
#ifndef TRAINC_RUNTIME_STATUS_EVENT_LIST_H
#define TRAINC_RUNTIME_STATUS_EVENT_LIST_H

#include "runtime/status/replica_names.h"

/* What was reported about one object, with the same type, reason and message. */
struct event_row {
	struct str kind, name, reason, message;
	struct str node;                /* the node that reported it; empty: not the kubelet of a node */
	bool warning;
	const struct replica_place *replica;    /* the replica whose pod it is; NULL: another object */
	int64_t first, last;            /* 0: unknown */
	int64_t count;
	uint64_t order;                 /* among rows of the same time: the version of the last Event */
};

/*
 * The maximum numbers of rows about the run and about nodes that are kept, of Events that they are made of, and of
 * bytes of one text.
 */
enum { EVENT_ROWS = 50000, EVENT_NODE_ROWS = 10000, EVENT_PARTS = 4 * EVENT_ROWS, EVENT_TEXT = 4096 };

struct event_list {
	struct arena *arena;
	const struct plan_job *job;
	struct replica_names replicas;
	struct map objects;             /* set of the uids of objects of the run */
	struct map nodes;               /* set of the names of nodes with pods of the run */
	struct map rows;                /* what makes a row one -> struct event_row */
	struct map parts;               /* uid of an Event -> what it adds to a row */
	size_t node_rows;               /* number of rows about nodes */
	bool full;                      /* rows were left out, since the list is full */
	int64_t since;                  /* Events of nodes that ended before are left out; 0: none */
};

void event_list_init(struct event_list *l, struct arena *a, const struct plan_job *j);
/* Notes an object of the run, and a node that has a pod of it. */
void event_list_object(struct event_list *l, struct str uid);
void event_list_node(struct event_list *l, struct str name);
/*
 * Adds an Event, or its newer form, and keeps no reference to its tree. Returns the row that has changed; NULL if the
 * Event has nothing to do with the run, or says nothing new.
 */
const struct event_row *event_list_add(struct event_list *l, const struct data *event);
/* Is the row shown? Events of a node wait until it is known that the run has a pod there. */
bool event_list_shows(const struct event_list *l, const struct event_row *r);
/* The rows that are shown, oldest first. */
const struct event_row **event_list_rows(const struct event_list *l, struct arena *a, size_t *ret_n);
/* The object of a row, for people: "worker/3", "Job/bert-worker". */
struct str event_list_object_text(const struct event_list *l, const struct event_row *r, struct arena *a);

#endif
