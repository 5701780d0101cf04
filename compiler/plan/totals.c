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

static void add_devices(struct arena *a, struct plan_totals *t, struct str resource, int64_t count)
{
	for (size_t i = 0; i < t->ndevices; i++)
		if (str_eq(t->devices[i].resource, resource)) {
			t->devices[i].count += count;
			return;
		}
	struct plan_device_total added = { resource, count };
	ARENA_PUSH(a, t->devices, t->ndevices, added);
}

struct plan_totals plan_totals(struct arena *a, const struct plan_job *j)
{
	struct plan_totals t = { 0 };

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct plan_quantity cpu = plan_pod_cpu(r), memory = plan_pod_memory(r);
		if (!r->max)
			continue;
		t.pods += r->max;
		add(&t.cpu, &cpu, r->max);
		add(&t.memory, &memory, r->max);
		if (r->accelerator)
			add_devices(a, &t, r->accelerator->resource, r->accelerator->per_pod * r->max);
	}
	return t;
}
