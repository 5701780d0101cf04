/*
 * amounts.c - replicas of one role that request different amounts of cpu, memory and other resources.
 */
#include "plan/plan.h"

static bool same_quantity(const struct plan_quantity *a, const struct plan_quantity *b)
{
	return a->set == b->set && (!a->set || (a->value.nano == b->value.nano && a->value.form == b->value.form));
}

static const struct plan_quantity *written_limit(const struct plan_amounts *asks, const struct plan_quantity *written,
	const struct plan_quantity *request)
{
	return written->set || asks->limits.unbounded.value ? written : request;
}

const struct plan_quantity *plan_memory_limit(const struct plan_amounts *asks)
{
	return written_limit(asks, &asks->limits.memory, &asks->memory);
}

const struct plan_quantity *plan_disk_limit(const struct plan_amounts *asks)
{
	return written_limit(asks, &asks->limits.disk, &asks->disk);
}

static bool same_amounts(const struct plan_amounts *a, const struct plan_amounts *b)
{
	bool same = same_quantity(&a->cpu, &b->cpu) && same_quantity(&a->memory, &b->memory) &&
		same_quantity(&a->disk, &b->disk) && same_quantity(&a->limits.cpu, &b->limits.cpu) &&
		same_quantity(&a->limits.memory, &b->limits.memory) &&
		same_quantity(&a->limits.disk, &b->limits.disk) &&
		a->limits.unbounded.value == b->limits.unbounded.value && a->nresources == b->nresources;

	for (size_t i = 0; same && i < a->nresources; i++)
		same = str_eq(a->resources[i].name, b->resources[i].name) &&
			a->resources[i].amount.nano == b->resources[i].amount.nano;
	return same;
}

static bool alike(const struct plan_container *c, int64_t i, int64_t k)
{
	return !c->per_replica || same_amounts(&c->per_replica[i], &c->per_replica[k]);
}

bool plan_asks_alike(const struct plan_role *r, int64_t i, int64_t k)
{
	bool same = alike(&r->main, i, k);

	for (size_t c = 0; c < r->nsidecars && same; c++)
		same = alike(&r->sidecars[c], i, k);
	for (size_t c = 0; c < r->ninits && same; c++)
		same = alike(&r->inits[c], i, k);
	return same;
}

bool plan_role_differs(const struct plan_role *r)
{
	bool differs = r->main.per_replica;

	for (size_t c = 0; c < r->nsidecars && !differs; c++)
		differs = r->sidecars[c].per_replica;
	for (size_t c = 0; c < r->ninits && !differs; c++)
		differs = r->inits[c].per_replica;
	return differs;
}

int64_t plan_next_kind(const struct plan_role *r, int64_t i)
{
	for (int64_t next = i + 1; next < r->max && (!next || plan_role_differs(r)); next++) {
		int64_t like = 0;
		while (like < next && !plan_asks_alike(r, like, next))
			like++;
		if (like == next)
			return next;
	}
	return r->max;
}

int64_t plan_kind_size(const struct plan_role *r, int64_t i, int64_t n)
{
	int64_t same = 0;

	if (!plan_role_differs(r))
		return n;
	for (int64_t k = 0; k < n; k++)
		same += plan_asks_alike(r, i, k);
	return same;
}

/* ---- one role that stands for all replicas ---- */

static void raise_to(struct plan_quantity *most, const struct plan_quantity *q)
{
	if (q->set && (!most->set || q->value.nano > most->value.nano))
		*most = *q;
}

static void raise_resource(struct arena *a, struct plan_amounts *most, const struct plan_resource *r)
{
	for (size_t i = 0; i < most->nresources; i++) {
		if (!str_eq(most->resources[i].name, r->name))
			continue;
		if (r->amount.nano > most->resources[i].amount.nano)
			most->resources[i] = *r;
		return;
	}
	ARENA_PUSH(a, most->resources, most->nresources, *r);
}

static struct plan_amounts most_of(struct arena *a, const struct plan_container *c, int64_t n)
{
	struct plan_amounts most = { 0 };

	for (int64_t i = 0; i < n; i++) {
		const struct plan_amounts *asks = plan_amounts(c, i);
		raise_to(&most.cpu, &asks->cpu);
		raise_to(&most.memory, &asks->memory);
		raise_to(&most.disk, &asks->disk);
		raise_to(&most.limits.cpu, &asks->limits.cpu);
		raise_to(&most.limits.memory, &asks->limits.memory);
		raise_to(&most.limits.disk, &asks->limits.disk);
		if (asks->limits.unbounded.value)
			most.limits.unbounded = asks->limits.unbounded;
		for (size_t k = 0; k < asks->nresources; k++)
			raise_resource(a, &most, &asks->resources[k]);
	}
	return most;
}

enum { MOST = -1 };

/* Copies the containers with the amounts of replica I, or, if I is MOST, with the largest amounts of all N replicas. */
static struct plan_container *containers_of(struct arena *a, const struct plan_container *at, size_t count, int64_t i,
	int64_t n)
{
	struct plan_container *own = ARENA_ARRAY(a, struct plan_container, count);

	for (size_t c = 0; c < count; c++) {
		own[c] = at[c];
		own[c].asks = !at[c].per_replica ? at[c].asks : i == MOST ? most_of(a, &at[c], n) :
			*plan_amounts(&at[c], i);
		own[c].per_replica = NULL;
	}
	return own;
}

static struct plan_role role_with(struct arena *a, const struct plan_role *r, int64_t i)
{
	struct plan_role own = *r;

	if (!plan_role_differs(r))
		return own;
	own.main = *containers_of(a, &r->main, 1, i, r->max);
	own.sidecars = containers_of(a, r->sidecars, r->nsidecars, i, r->max);
	own.inits = containers_of(a, r->inits, r->ninits, i, r->max);
	return own;
}

struct plan_role plan_role_of(struct arena *a, const struct plan_role *r, int64_t i) { return role_with(a, r, i); }
struct plan_role plan_role_most(struct arena *a, const struct plan_role *r) { return role_with(a, r, MOST); }
