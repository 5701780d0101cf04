/* totals.c - sums of requests, by resource. */
#include "plan/totals.h"

static void add_total(struct plan_quantity *sum, const struct plan_quantity *q, int64_t times)
{
	struct quantity product;

	if (!q->set || !quantity_mul(q->value, times, &product))
		return;
	if (!sum->set)
		*sum = (struct plan_quantity){ product, q->from, true };
	else
		quantity_add(sum->value, product, &sum->value);
}

struct plan_quantity plan_pod_cpu(const struct plan_role *r)
{
	struct plan_quantity sum = { 0 };

	add_total(&sum, &r->main.asks.cpu, 1);
	for (size_t i = 0; i < r->nsidecars; i++)
		add_total(&sum, &r->sidecars[i].asks.cpu, 1);
	return sum;
}

struct plan_quantity plan_pod_memory(const struct plan_role *r)
{
	struct plan_quantity sum = { 0 };

	add_total(&sum, &r->main.asks.memory, 1);
	for (size_t i = 0; i < r->nsidecars; i++)
		add_total(&sum, &r->sidecars[i].asks.memory, 1);
	return sum;
}

static int64_t capped(int128 n) { return n > INT64_MAX ? INT64_MAX : (int64_t)n; }

static void add_devices(struct arena *a, struct plan_device_total **at, size_t *n, struct plan_device_total more)
{
	for (size_t i = 0; i < *n; i++)
		if (str_eq((*at)[i].resource, more.resource)) {
			(*at)[i].count = capped((int128)(*at)[i].count + more.count);
			return;
		}
	ARENA_PUSH(a, *at, *n, more);
}

static void add_container_total(struct arena *a, const struct plan_container *c, struct plan_device_total **at,
	size_t *n)
{
	for (size_t i = 0; i < c->asks.nresources; i++) {
		const struct plan_resource *r = &c->asks.resources[i];
		add_devices(a, at, n, (struct plan_device_total){ r->name, r->bytes,
			capped(r->amount.nano / QUANTITY_UNIT) });
	}
}

struct plan_device_total *plan_pod_devices(struct arena *a, const struct plan_role *r, size_t *ret_n)
{
	struct plan_device_total *at = NULL;

	*ret_n = 0;
	if (r->accelerator)
		add_devices(a, &at, ret_n, (struct plan_device_total){ r->accelerator->resource, false,
			r->accelerator->per_pod });
	add_container_total(a, &r->main, &at, ret_n);
	for (size_t i = 0; i < r->nsidecars; i++)
		add_container_total(a, &r->sidecars[i], &at, ret_n);
	return at;
}

struct str plan_device_text(struct arena *a, const struct plan_device_total *t)
{
	struct str count = str_int(a, t->count);

	if (t->bytes)
		count = quantity_text(a, (struct quantity){ (int128)t->count * QUANTITY_UNIT, QUANTITY_BINARY });
	return str_cat(a, count, STR(" "), t->resource);
}

/* Adds N pods that request the same as a pod of R. */
static void add_pods(struct arena *a, const struct plan_role *r, int64_t times, struct plan_totals *t)
{
	struct plan_quantity cpu = plan_pod_cpu(r), memory = plan_pod_memory(r);
	size_t n;
	const struct plan_device_total *pod = plan_pod_devices(a, r, &n);

	t->pods = capped((int128)t->pods + times);
	add_total(&t->cpu, &cpu, times);
	add_total(&t->memory, &memory, times);
	for (size_t k = 0; k < n; k++)
		add_devices(a, &t->devices, &t->ndevices, (struct plan_device_total){ pod[k].resource, pod[k].bytes,
			capped((int128)pod[k].count * times) });
}

static void add_job(struct arena *a, const struct plan_job *j, struct plan_totals *t)
{
	for (size_t k = 0; k < j->nroles; k++) {
		const struct plan_role *r = &j->roles[k];
		for (int64_t i = plan_next_kind(r, -1); i < r->max; i = plan_next_kind(r, i)) {
			struct plan_role one = plan_role_of(a, r, i);
			add_pods(a, &one, plan_kind_size(r, i, r->max), t);
		}
	}
}

struct str plan_kinds_text(struct arena *a, const struct plan_role *r, plan_pod_text *text)
{
	enum { SHOWN = 3 };
	struct str shown[SHOWN], last = { 0 };
	size_t n = 0;                   /* number of different texts, without empty ones */

	for (int64_t i = plan_next_kind(r, -1); i < r->max; i = plan_next_kind(r, i)) {
		struct plan_role one = plan_role_of(a, r, i);
		struct str own = text(a, &one);
		bool known = !own.n;
		last = own.n ? own : last;
		for (size_t k = 0; k < n && k < SHOWN; k++)
			known = known || str_eq(shown[k], own);
		if (!known && n < SHOWN)
			shown[n] = last;
		n += !known;
	}
	struct str all = n ? shown[0] : STR("");
	if (n > SHOWN)
		return str_cat(a, all, STR(" ... "), last);
	for (size_t k = 1; k < n; k++)
		all = str_cat(a, all, STR(" or "), shown[k]);
	return all;
}

struct plan_totals plan_totals(struct arena *a, const struct plan_job *j)
{
	struct plan_totals t = { 0 };

	add_job(a, j, &t);
	return t;
}

struct plan_totals plan_sum(struct arena *a, const struct plan *plan)
{
	struct plan_totals t = { 0 };

	for (size_t i = 0; i < plan->njobs; i++)
		add_job(a, &plan->jobs[i], &t);
	return t;
}
