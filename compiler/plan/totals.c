#include "plan/totals.h"

static void add(struct plan_quantity *sum, const struct plan_quantity *q, int64_t times)
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

	add(&sum, &r->main.cpu, 1);
	for (size_t i = 0; i < r->nsidecars; i++)
		add(&sum, &r->sidecars[i].cpu, 1);
	return sum;
}

struct plan_quantity plan_pod_memory(const struct plan_role *r)
{
	struct plan_quantity sum = { 0 };

	add(&sum, &r->main.memory, 1);
	for (size_t i = 0; i < r->nsidecars; i++)
		add(&sum, &r->sidecars[i].memory, 1);
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

static void add_resources(struct arena *a, const struct plan_container *c, struct plan_device_total **at, size_t *n)
{
	for (size_t i = 0; i < c->nresources; i++) {
		const struct plan_resource *r = &c->resources[i];
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
	add_resources(a, &r->main, &at, ret_n);
	for (size_t i = 0; i < r->nsidecars; i++)
		add_resources(a, &r->sidecars[i], &at, ret_n);
	return at;
}

struct str plan_device_text(struct arena *a, const struct plan_device_total *t)
{
	struct str count = str_int(a, t->count);

	if (t->bytes)
		count = quantity_text(a, (struct quantity){ (int128)t->count * QUANTITY_UNIT, QUANTITY_BINARY });
	return str_cat(a, count, STR(" "), t->resource);
}

static void add_job(struct arena *a, const struct plan_job *j, struct plan_totals *t)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct plan_quantity cpu = plan_pod_cpu(r), memory = plan_pod_memory(r);
		if (!r->max)
			continue;
		t->pods = capped((int128)t->pods + r->max);
		add(&t->cpu, &cpu, r->max);
		add(&t->memory, &memory, r->max);
		size_t n;
		const struct plan_device_total *pod = plan_pod_devices(a, r, &n);
		for (size_t k = 0; k < n; k++)
			add_devices(a, &t->devices, &t->ndevices,
				(struct plan_device_total){ pod[k].resource, pod[k].bytes,
				capped((int128)pod[k].count * r->max) });
	}
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
