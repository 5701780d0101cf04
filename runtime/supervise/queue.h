/*
 * queue.h - a work queue. Each item is in the queue at most once, and at most one pass at a time works on it. Items are
 * handled in the order of arrival, and an item waits longer after each failure. Items belong to the caller and must not
 * be moved while they are in the queue.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_QUEUE_H
#define TRAINC_RUNTIME_SUPERVISE_QUEUE_H

#include "runtime/cluster/loop.h"

struct queue;

struct queue_item {
	struct queue *queue;
	struct queue_item *next;
	struct loop_timer timer;        /* timer that adds the item to the queue */
	int64_t not_before;             /* by loop_now(): the earliest time at which the next pass may start */
	unsigned failures;              /* number of consecutive failures */
	bool queued, busy, dirty;       /* dirty: the item was added again during its pass */
	void *to;
};

struct queue {
	struct loop *loop;
	struct queue_item *first, *last;
	size_t depth;                   /* number of items that wait for their turn */
	size_t running, most;           /* number of passes under way, and its limit */
	bool open;                      /* false: items are only collected, and no pass starts */
	struct loop_timer kick;
	void (*work)(struct queue_item *i);     /* starts a pass, which ends with queue_done() */
	uint64_t added, retried;        /* total number of items added, and of items added again after a failure */
};

void queue_init(struct queue *q, struct loop *loop, size_t most, void (*work)(struct queue_item *i));
void queue_item_init(struct queue_item *i, struct queue *q, void *to);
/* Allows passes to start, or holds them back. */
void queue_open(struct queue *q, bool open);
/* Adds I because its object has changed. */
void queue_add(struct queue_item *i);
/* Forgets the failures of I, so that its next pass does not wait for them. */
void queue_forgive(struct queue_item *i);
/* Makes sure that a pass over I starts at most NS nanoseconds from now. */
void queue_after(struct queue_item *i, int64_t ns);
/*
 * Ends the pass over I. After a failure I is added again after 50 ms; the wait doubles with each failure, up to 5 min.
 * PAUSE: the shortest time until the next pass over I, even if I is added earlier.
 */
void queue_done(struct queue_item *i, bool ok, int64_t pause);
/* Removes I; it must not have a pass under way. */
void queue_drop(struct queue_item *i);

#endif
