/*
 * queue.c - a list of the lanes in which items are due, a list of these items in each lane, and a timer for each item
 * that is due later.
 */
#include "runtime/supervise/queue.h"

#include "base/words.h"
#include "runtime/cluster/share.h"

#define FIRST_WAIT (NS_PER_SECOND / 20)
#define LONGEST_WAIT (300 * NS_PER_SECOND)
/* The loop polls the network again after AT_ONCE passes have started, or after starting passes for START_WITHIN. */
#define START_WITHIN (NS_PER_SECOND / 50)
enum { AT_ONCE = 16 };

/* ---- lanes ---- */

static void lane_to_end(struct queue *q, struct queue_lane *l)
{
	l->next = NULL;
	*(q->last ? &q->last->next : &q->first) = l;
	q->last = l;
	l->waits = true;
}

/* Takes L out of the turns; BEFORE is the lane in front of it, or NULL. */
static void lane_take_out(struct queue *q, struct queue_lane *l, struct queue_lane *before)
{
	*(before ? &before->next : &q->first) = l->next;
	if (q->last == l)
		q->last = before;
	l->next = NULL;
	l->waits = false;
}

static void item_unlink(struct queue_item *i)
{
	struct queue_lane *l = i->lane;

	*(i->before ? &i->before->next : &l->first) = i->next;
	*(i->next ? &i->next->before : &l->last) = i->before;
	i->next = i->before = NULL;
	i->queued = false;
	l->depth--;
	i->queue->depth--;
}

/* May a pass over an item of L start now? */
static bool lane_may_start(const struct queue *q, const struct queue_lane *l)
{
	return l->first && !l->closed && share_permits(l->running, 1, q->running, q->most);
}

/*
 * Takes the first item of the first lane that may start a pass; that lane goes to the end of the turns. NULL: no pass
 * may start. A lane without items leaves the turns here, so that queue_drop() need not search for it.
 */
static struct queue_item *take_next(struct queue *q)
{
	for (struct queue_lane *l = q->first, *before = NULL, *next; l; l = next) {
		next = l->next;
		if (l->first && !lane_may_start(q, l)) {
			before = l;
			continue;
		}
		struct queue_item *i = l->first;
		lane_take_out(q, l, before);
		if (!i)
			continue;
		item_unlink(i);
		if (l->first)
			lane_to_end(q, l);
		return i;
	}
	return NULL;
}

static bool has_next(const struct queue *q)
{
	for (const struct queue_lane *l = q->open && q->running < q->most ? q->first : NULL; l; l = l->next)
		if (lane_may_start(q, l))
			return true;
	return false;
}

/* ---- passes ---- */

static void start_pass(struct queue *q, struct queue_item *i)
{
	i->busy = true;
	i->lane->started++;
	i->lane->waited += loop_now(q->loop) - i->since;
	i->lane->running++;
	q->running++;
	q->work(i);
}

static void kick_fired(struct loop_timer *t)
{
	struct queue *q = t->to;
	int64_t begun = clock_steady();

	for (size_t n = 0; n < AT_ONCE && q->open && q->running < q->most; n++) {
		struct queue_item *i = take_next(q);
		if (!i)
			return;
		start_pass(q, i);
		if (clock_steady() - begun > START_WITHIN)
			break;
	}
	if (has_next(q))
		loop_timer_set(q->loop, &q->kick, 0);
}

static void kick(struct queue *q)
{
	if (!loop_timer_armed(&q->kick) && has_next(q))
		loop_timer_set(q->loop, &q->kick, 0);
}

static void time_came(struct loop_timer *t)
{
	queue_add(t->to);
}

void queue_init(struct queue *q, struct loop *loop, size_t most, void (*work)(struct queue_item *i))
{
	*q = (struct queue){ .loop = loop, .most = most, .work = work, .kick = { .fire = kick_fired, .to = q } };
}

void queue_item_init(struct queue_item *i, struct queue *q, struct queue_lane *lane, void *to)
{
	*i = (struct queue_item){ .queue = q, .lane = lane, .to = to, .timer = { .fire = time_came, .to = i } };
}

void queue_open(struct queue *q, bool open)
{
	q->open = open;
	kick(q);
}

void queue_lane_open(struct queue *q, struct queue_lane *lane, bool open)
{
	lane->closed = !open;
	kick(q);
}

void queue_add(struct queue_item *i)
{
	struct queue *q = i->queue;

	if (i->queued)
		return;
	if (i->busy) {
		i->dirty = true;
		return;
	}
	int64_t now = loop_now(q->loop);
	if (i->not_before > now) {
		queue_after(i, i->not_before - now);
		return;
	}
	loop_timer_drop(q->loop, &i->timer);
	i->queued = true;
	i->since = now;
	i->before = i->lane->last;
	*(i->before ? &i->before->next : &i->lane->first) = i;
	i->lane->last = i;
	i->lane->depth++;
	q->added++;
	q->depth++;
	if (!i->lane->waits)
		lane_to_end(q, i->lane);
	kick(q);
}

void queue_forgive(struct queue_item *i)
{
	if (i->failures)
		i->not_before = 0;
	i->failures = 0;
}

void queue_after(struct queue_item *i, int64_t ns)
{
	int64_t at = loop_now(i->queue->loop) + ns;

	if (i->queued || (loop_timer_armed(&i->timer) && i->timer.at <= at))
		return;
	loop_timer_set(i->queue->loop, &i->timer, ns);
}

void queue_done(struct queue_item *i, bool ok, int64_t pause)
{
	struct queue *q = i->queue;
	int64_t wait = FIRST_WAIT;

	i->busy = false;
	i->lane->running--;
	q->running--;
	i->not_before = loop_now(q->loop) + pause;
	if (ok) {
		i->failures = 0;
	} else {
		for (unsigned n = 0; n < i->failures && wait < LONGEST_WAIT; n++)
			wait *= 2;
		i->failures++;
		q->retried++;
		i->not_before = loop_now(q->loop) + (wait < LONGEST_WAIT ? wait : LONGEST_WAIT);
	}
	if (i->dirty || !ok) {
		i->dirty = false;
		queue_add(i);
	}
	kick(q);
}

void queue_drop(struct queue_item *i)
{
	loop_timer_drop(i->queue->loop, &i->timer);
	if (i->queued)
		item_unlink(i);
	i->dirty = false;
}

void queue_lane_drop(struct queue *q, struct queue_lane *lane)
{
	for (struct queue_lane *l = lane->waits ? q->first : NULL, *before = NULL; l; before = l, l = l->next)
		if (l == lane) {
			lane_take_out(q, l, before);
			break;
		}
}
