/*
 * queue.h - a work queue with a lane for each of those who share it. Each item is in the queue at most once, and at
 * most one pass at a time works on it. Lanes take turns, and items of one lane are handled in the order of arrival, so
 * a lane with ten thousand items delays the others by one pass. Passes under way are shared as share.h says. An item
 * waits longer after each failure. Items and lanes belong to the caller and must not be moved while they are in the
 * queue.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_QUEUE_H
#define TRAINC_RUNTIME_SUPERVISE_QUEUE_H

#include "runtime/cluster/loop.h"

struct queue;

/* The items of one user of the queue. A lane whose bytes are all zero is empty and open. */
struct queue_lane {
	struct queue_lane *next;        /* the lane whose turn is next; only of lanes in which items wait */
	struct queue_item *first, *last;
	size_t depth;                   /* number of items that wait for their turn */
	size_t running;                 /* number of passes under way */
	bool waits;                     /* the lane is among those that take turns */
	bool closed;                    /* items are only collected, and no pass starts */
	uint64_t started;               /* total number of passes that were started */
	int64_t waited;                 /* total time, in ns, for which items have waited for these passes */
};

struct queue_item {
	struct queue *queue;
	struct queue_lane *lane;
	struct queue_item *next, *before;
	int64_t since;                  /* by loop_now(): when the item was added to the queue */
	struct loop_timer timer;        /* timer that adds the item to the queue */
	int64_t not_before;             /* by loop_now(): the earliest time at which the next pass may start */
	unsigned failures;              /* number of consecutive failures */
	bool queued, busy, dirty;       /* dirty: the item was added again during its pass */
	void *to;
};

struct queue {
	struct loop *loop;
	struct queue_lane *first, *last;        /* the lanes in which items wait, in the order of their turns */
	size_t depth;                   /* number of items that wait for their turn */
	size_t running, most;           /* number of passes under way, and its limit */
	bool open;                      /* false: items are only collected, and no pass starts */
	struct loop_timer kick;
	void (*work)(struct queue_item *i);     /* starts a pass, which ends with queue_done() */
	uint64_t added, retried;        /* total number of items added, and of items added again after a failure */
};

void queue_init(struct queue *q, struct loop *loop, size_t most, void (*work)(struct queue_item *i));
void queue_item_init(struct queue_item *i, struct queue *q, struct queue_lane *lane, void *to);
/* Allows passes to start, or holds them back. */
void queue_open(struct queue *q, bool open);
/* Allows passes over the items of LANE to start, or holds them back. */
void queue_lane_open(struct queue *q, struct queue_lane *lane, bool open);
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
/* Takes LANE, which must have no items, out of the queue before it is freed. */
void queue_lane_drop(struct queue *q, struct queue_lane *lane);

#endif
