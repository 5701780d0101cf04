/* queue.c - a list of the items that are due, and a timer for each item that is due later. */
#include "runtime/supervise/queue.h"

#include "base/words.h"

#define FIRST_WAIT (NS_PER_SECOND / 20)
#define LONGEST_WAIT (300 * NS_PER_SECOND)
enum { AT_ONCE = 16 };                  /* number of passes that may start before the loop polls the network again */

static void kick_fired(struct loop_timer *t)
{
	struct queue *q = t->to;

	for (size_t n = 0; n < AT_ONCE && q->open && q->first && q->running < q->most; n++) {
		struct queue_item *i = q->first;
		q->first = i->next;
		if (!q->first)
			q->last = NULL;
		q->depth--;
		i->next = NULL;
		i->queued = false;
		i->busy = true;
		q->running++;
		q->work(i);
	}
	if (q->open && q->first && q->running < q->most)
		loop_timer_set(q->loop, &q->kick, 0);
}

static void kick(struct queue *q)
{
	if (q->open && q->first && !loop_timer_armed(&q->kick))
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

void queue_item_init(struct queue_item *i, struct queue *q, void *to)
{
	*i = (struct queue_item){ .queue = q, .to = to, .timer = { .fire = time_came, .to = i } };
}

void queue_open(struct queue *q, bool open)
{
	q->open = open;
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
	q->added++;
	q->depth++;
	*(q->last ? &q->last->next : &q->first) = i;
	q->last = i;
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
	struct queue *q = i->queue;

	loop_timer_drop(q->loop, &i->timer);
	for (struct queue_item **at = &q->first, *before = NULL; *at; before = *at, at = &(*at)->next)
		if (*at == i) {
			*at = i->next;
			if (q->last == i)
				q->last = before;
			q->depth--;
			i->next = NULL;
			break;
		}
	i->queued = i->dirty = false;
}
