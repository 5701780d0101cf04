/* supervised.c - ends passes, and frees the data of a job or a run. */
#include "runtime/supervise/supervised.h"

#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "base/words.h"
#include "runtime/run/rules.h"
#include "runtime/supervise/plan_cache.h"
#include "runtime/supervise/tenant.h"
#include "runtime/supervise/useless.h"

#define TRIM_AFTER NS_PER_SECOND

bool supervised_may_act(const struct supervised *j)
{
	return !j->gone && j->control->queue.open && !useless_holds(j);
}

void supervised_free(struct supervised *j)
{
	plan_forget(j);
	j->tenant->jobs--;
	free(j->text);
	free(j->record);
	free(j->durable);
	free(j->wanted);
	free(j->objects_made);
	free(j->scaler);
	free(j->rights);
	free(j);
}

/*
 * A job of a thousand replicas makes thousands of requests, whose memory is scattered among data that is kept. When
 * they have ended, most of the heap is free, and malloc() on its own returns only the end of the heap to the system.
 */
static void return_heap(struct loop_timer *t)
{
	(void)t;
	system_trim_heap();
}

static void trim_later(struct controller *c)
{
	c->trim.fire = return_heap;
	if (!loop_timer_armed(&c->trim))
		loop_timer_set(c->client.loop, &c->trim, TRIM_AFTER);
}

char *supervised_keep(char *old, struct str s)
{
	char *p = memory_resize(NULL, s.n + 1);

	memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	free(old);
	return p;
}

char *supervised_keep_filled(char *old, struct str s)
{
	if (s.n)
		return supervised_keep(old, s);
	free(old);
	return NULL;
}

void supervised_want(struct supervised *j, struct str status)
{
	if (j->wanted && str_eq(status, str_of(j->wanted)))
		return;
	j->wanted = supervised_keep_filled(j->wanted, status);
	j->written = false;
}

void supervised_done(struct supervised *j, const struct pass_end *e)
{
	int64_t took = clock_steady() - e->begun;

	metrics_pass(&j->control->metrics, took, e->ok);
	trim_later(j->control);
	/*
	 * a job of a thousand replicas changes all the time, so a pause of four times the length of the pass, at most 1
	 * s, follows each pass
	 */
	queue_done(&j->item, e->ok, 4 * took < NS_PER_SECOND ? 4 * took : NS_PER_SECOND);
	if (e->changed)
		queue_add(&j->item);
	if (j->gone) {
		queue_drop(&j->item);
		supervised_free(j);
	} else if (e->again != RULES_NEVER && !j->refused) {
		int64_t wait = e->again - controller_now(j->control);
		queue_after(&j->item, wait > 0 ? wait : 0);
	}
}
