/* plan_cache.c - a list of plans, the most recently used first. */
#include "runtime/supervise/plan_cache.h"

#include <stdlib.h>

#include "base/memory.h"
#include "runtime/cluster/share.h"
#include "runtime/status/look.h"
#include "runtime/supervise/tenant.h"

enum { PLANS_KEPT = 4, PLAN_BYTES_PER_BYTE = 160 };

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

static void count_plan(struct supervised *j, size_t bytes)
{
	j->control->plan_bytes += bytes - j->plan_bytes;
	j->tenant->plan_bytes += bytes - j->plan_bytes;
	j->plan_bytes = bytes;
}

void plan_forget(struct supervised *j)
{
	if (!j->plan)
		return;
	take_out(j);
	custom_release(j->plan);
	free(j->plan);
	j->plan = NULL;
	count_plan(j, 0);
	j->control->nplans--;
}

/* The memory that compiling N bytes of JSON may take: 160 times as much at most, as measured. */
static size_t plan_estimate(size_t n)
{
	return n < PLAN_MEMORY / PLAN_BYTES_PER_BYTE ? n * PLAN_BYTES_PER_BYTE : PLAN_MEMORY;
}

bool plan_has_room(struct supervised *j, size_t n)
{
	struct controller *c = j->control;
	size_t need = plan_estimate(n);

	for (struct supervised *k = c->plan_last, *before; k; k = before) {
		before = k->plan_before;
		if (c->nplans < PLANS_KEPT && share_permits(j->tenant->plan_bytes, need, c->plan_bytes, PLANS_MEMORY))
			break;
		if (!k->item.busy)
			plan_forget(k);
	}
	return share_permits(j->tenant->plan_bytes, need, c->plan_bytes, PLANS_MEMORY);
}

struct compiling {
	struct custom_plan *plan;
	const struct data *object;
	const struct custom_options *options;
};

static void compile_one(void *with)
{
	struct compiling *c = with;

	custom_compile(c->plan, c->object, c->options);
}

const struct custom_plan *plan_get(struct supervised *j, const struct data *object)
{
	int64_t generation = status_number(object, "metadata.generation", 0);
	struct memory account = { .limit = PLAN_MEMORY };

	if (j->plan && j->generation == generation) {
		take_out(j);
		put_first(j);
		return j->plan;
	}
	plan_forget(j);
	j->plan = memory_resize(NULL, sizeof *j->plan);
	struct compiling with = { .plan = j->plan, .object = object, .options = &j->control->custom };
	if (memory_try(&account, compile_one, &with)) {
		memory_forget(&account);
	} else {
		memory_give_back(&account);
		if (!account.over)      /* the controller's memory has run out, which says nothing about the job */
			memory_out();
		account.used = 0;
		*j->plan = (struct custom_plan){ .fault = STR("compiling the job takes more than 16 MiB of memory; "
			"give it fewer variables, volumes or arguments, or put them into a ConfigMap [TJ0407]") };
	}
	j->generation = generation;
	j->control->nplans++;
	put_first(j);
	count_plan(j, account.used + sizeof *j->plan);
	return j->plan;
}
