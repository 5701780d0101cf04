/*
 * queue.h - work by key: each item is in the queue at most once, one pass at a time works on it,
 * in the order of arrival, and it waits longer after each failure.
 *
 * Items belong to the caller and must not be moved while they are in the queue.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_QUEUE_H
#define TRAINC_RUNTIME_SUPERVISE_QUEUE_H

#include "runtime/cluster/loop.h"

struct queue;

struct queue_item {
	struct queue *queue;
	struct queue_item *next;
	struct loop_timer timer;        /* adds the item when it fires */
	int64_t not_before;             /* by loop_now(): the pause after the last pass */
	unsigned failures;              /* in a row */
	bool queued, busy, dirty;       /* dirty: it was added again during its pass */
	void *to;
};

struct queue {
	struct loop *loop;
	struct queue_item *first, *last;
	size_t depth;                   /* items that wait for their turn */
	size_t running, most;           /* number of passes under way, and its limit */
	bool open;                      /* false: items are only collected */
	struct loop_timer kick;
	void (*work)(struct queue_item *i);     /* begins a pass, which ends with queue_done() */
	uint64_t added, retried;        /* so far */
};

void queue_init(struct queue *q, struct loop *loop, size_t most, void (*work)(struct queue_item *i));
void queue_item_init(struct queue_item *i, struct queue *q, void *to);
/* Lets passes begin, or holds them back. */
void queue_open(struct queue *q, bool open);
/* I has changed. */
void queue_add(struct queue_item *i);
/* I gets a pass NS from now at the latest. */
void queue_after(struct queue_item *i, int64_t ns);
/*
 * The pass over I is over.  After a failure it is added again, 50 ms later and twice as late each
 * time, up to 5 min; PAUSE: the next pass begins no earlier, whatever is added.
 */
void queue_done(struct queue_item *i, bool ok, int64_t pause);
/* I leaves; it must not be busy. */
void queue_drop(struct queue_item *i);

#endif
