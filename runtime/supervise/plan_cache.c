/* plan_cache.c - a list of plans, the most recently used first. */
#include "runtime/supervise/plan_cache.h"

#include <stdlib.h>

#include "runtime/status/look.h"

enum { PLANS_KEPT = 4 };

static void take_out(struct supervised *j)
{
	struct controller *c = j->control;

	*(j->plan_before ? &j->plan_before->plan_next : &c->plan_first) = j->plan_next;
	*(j->plan_next ? &j->plan_next->plan_before : &c->plan_last) = j->plan_before;
	j->plan_next = j->plan_before = NULL;
}

static void put_first(struct supervised *j)
{
	struct controller *c = j->control;

	j->plan_next = c->plan_first;
	*(c->plan_first ? &c->plan_first->plan_before : &c->plan_last) = j;
	c->plan_first = j;
}

void plan_forget(struct supervised *j)
{
	if (!j->plan)
		return;
	take_out(j);
	custom_release(j->plan);
	free(j->plan);
	j->plan = NULL;
	j->control->nplans--;
}

/* Drops the least recently used plan that no pass is using. */
static void make_room(struct controller *c)
{
	for (struct supervised *j = c->plan_last, *before; j && c->nplans >= PLANS_KEPT; j = before) {
		before = j->plan_before;
		if (!j->item.busy)
			plan_forget(j);
	}
}

const struct custom_plan *plan_get(struct supervised *j, const struct data *object)
{
	int64_t generation = status_number(object, "metadata.generation", 0);

	if (j->plan && j->generation == generation) {
		take_out(j);
		put_first(j);
		return j->plan;
	}
	plan_forget(j);
	make_room(j->control);
	j->plan = memory_resize(NULL, sizeof *j->plan);
	custom_compile(j->plan, object, &j->control->custom);
	j->generation = generation;
	j->control->nplans++;
	put_first(j);
	return j->plan;
}
