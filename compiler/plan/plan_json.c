/*
 * plan_json.c - writes `trainc plan -o json`. A member that is not set is null.
 */
#include "plan/print.h"
#include "plan/totals.h"

struct printing {
	struct arena arena;
	const struct plan *plan;
	const struct sources *sources;
	struct buf *out;
};

static void name(struct printing *p, const char *before, const char *key)
{
	buf_printf(p->out, "%s\"%s\": ", before, key);
}

static void write_text_member(struct printing *p, const char *before, const char *key, struct str value)
{
	name(p, before, key);
	if (value.n)
		buf_json(p->out, value);
	else
		buf_z(p->out, "null");
}

static void write_amount(struct printing *p, const char *before, const char *key, const struct plan_quantity *q)
{
	write_text_member(p, before, key, q->set ? quantity_text(&p->arena, q->value) : STR(""));
}

static void seconds(struct printing *p, const char *before, const char *key, const struct plan_quantity *q)
{
	name(p, before, key);
	if (q->set)
		buf_int(p->out, (int64_t)((q->value.nano + QUANTITY_UNIT - 1) / QUANTITY_UNIT));
	else
		buf_z(p->out, "null");
}

static void write_devices(struct printing *p, const struct plan_accelerator *acc)
{
	name(p, ",\n          ", "devices");
	if (!acc) {
		buf_z(p->out, "null");
		return;
	}
	write_text_member(p, "{ ", "resource", acc->resource);
	buf_printf(p->out, ", \"count\": %lld }", (long long)acc->per_pod);
}

/* Writes the numbers of devices; amounts of memory are written like all others. */
static void device_counts(struct printing *p, const struct plan_device_total *at, size_t n)
{
	buf_char(p->out, '{');
	for (size_t i = 0; i < n; i++) {
		struct quantity bytes = { (int128)at[i].count * QUANTITY_UNIT, QUANTITY_BINARY };
		buf_z(p->out, i ? ", " : " ");
		buf_json(p->out, at[i].resource);
		buf_z(p->out, ": ");
		if (at[i].bytes)
			buf_json(p->out, quantity_text(&p->arena, bytes));
		else
			buf_int(p->out, at[i].count);
	}
	buf_z(p->out, n ? " }" : "}");
}

/* Writes what the pods request, except the accelerator. */
static void write_resources(struct printing *p, const struct plan_role *r)
{
	size_t n, skip = r->accelerator ? 1 : 0;
	const struct plan_device_total *at = plan_pod_devices(&p->arena, r, &n);

	name(p, ", ", "resources");
	device_counts(p, n > skip ? at + skip : NULL, n - skip);
}

/* Writes claims of devices, each with its template or the existing claim. */
static void claims_by_name(struct printing *p, const char *key, const struct plan_pairs *claims)
{
	if (!claims->n)
		return;
	name(p, ", ", key);
	buf_char(p->out, '{');
	for (size_t i = 0; i < claims->n; i++) {
		buf_z(p->out, i ? ", " : " ");
		buf_json(p->out, claims->at[i].key);
		buf_z(p->out, ": ");
		buf_json(p->out, claims->at[i].value);
	}
	buf_z(p->out, " }");
}

static void zones(struct printing *p, const struct plan_role *r)
{
	name(p, ",\n          ", "zones");
	for (size_t i = 0; i < r->nzones; i++) {
		buf_z(p->out, i ? ", " : "[ ");
		buf_json(p->out, r->zones[i].value);
	}
	buf_z(p->out, " ]");
}

static void write_ports(struct printing *p, const struct plan_role *r)
{
	name(p, ",\n          ", "ports");
	buf_char(p->out, '{');
	for (size_t i = 0; i < r->main.nports; i++) {
		buf_z(p->out, i ? ", " : " ");
		buf_json(p->out, r->main.ports[i].name);
		buf_printf(p->out, ": %lld", (long long)r->main.ports[i].port);
	}
	buf_z(p->out, r->main.nports ? " }" : "}");
}

static void write_hosts(struct printing *p, const struct plan_job *j, const struct plan_role *r)
{
	name(p, ",\n          ", "hosts");
	buf_char(p->out, '[');
	for (int64_t i = 0; i < r->max; i++) {
		buf_z(p->out, i ? ", \"" : " \"");
		plan_host(j, r, i, p->out);
		buf_char(p->out, '"');
	}
	buf_z(p->out, r->max ? " ]" : "]");
}

/* Writes what one pod requests. */
static void pod(struct printing *p, const char *before, const struct plan_role *r)
{
	struct plan_quantity cpu = plan_pod_cpu(r), memory = plan_pod_memory(r);

	write_amount(p, before, "cpu", &cpu);
	write_amount(p, ", ", "memory", &memory);
}

/* Writes the replicas of a role in groups with equal requests. */
static void kinds(struct printing *p, const struct plan_role *r)
{
	name(p, ",\n          ", "kinds");
	buf_char(p->out, '[');
	for (int64_t i = plan_next_kind(r, -1); i < r->max; i = plan_next_kind(r, i)) {
		struct plan_role one = plan_role_of(&p->arena, r, i);
		buf_printf(p->out, "%s{ \"replicas\": %lld", i ? ", " : " ",
			(long long)plan_kind_size(r, i, r->max));
		pod(p, ", ", &one);
		write_resources(p, &one);
		buf_z(p->out, " }");
	}
	buf_z(p->out, " ]");
}

static void write_role_member(struct printing *p, const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_role most = plan_role_most(&p->arena, r);
	struct str because = r->unrolled && span_known(r->unrolled_because) ?
		source_text(p->sources, r->unrolled_because) : STR("");

	write_text_member(p, "\n        {\n          ", "name", r->name);
	write_text_member(p, ", ", "kind", r->aux ? STR("aux") : STR("role"));
	buf_printf(p->out, ", \"replicas\": { \"min\": %lld, \"max\": %lld }", (long long)r->min, (long long)r->max);
	if (plan_is_sliced(r))
		buf_printf(p->out, ", \"slices\": %lld", (long long)r->slices);
	write_text_member(p, ",\n          ", "realisation", r->unrolled ? STR("unrolled") : STR("indexed"));
	write_text_member(p, ", ", "because", because);
	write_text_member(p, ",\n          ", "image", r->main.image.value);
	pod(p, ", ", &most);
	write_devices(p, r->accelerator);
	write_resources(p, &most);
	if (plan_role_differs(r))
		kinds(p, r);
	claims_by_name(p, "device_claims", &r->claims);
	claims_by_name(p, "shared_device_claims", &r->shared_claims);
	if (r->nzones)
		zones(p, r);
	if (r->place.kind != PLACE_ANYWHERE)
		write_text_member(p, ",\n          ", "place", plan_place_text(&p->arena, &r->place));
	write_ports(p, r);
	write_hosts(p, j, r);
	buf_z(p->out, "\n        }");
}

static void totals(struct printing *p, const char *before, const struct plan_totals *t, size_t objects)
{
	buf_printf(p->out, "%s\"totals\": { \"pods\": %lld", before, (long long)t->pods);
	write_amount(p, ", ", "cpu", &t->cpu);
	write_amount(p, ", ", "memory", &t->memory);
	name(p, ", ", "devices");
	device_counts(p, t->devices, t->ndevices);
	buf_printf(p->out, ", \"objects\": %zu }", objects);
}

static void needs(struct printing *p, const struct plan_job *j)
{
	struct plan_needs n = plan_needs_runtime(&p->arena, j);

	name(p, ",\n      ", "needs_runtime");
	buf_char(p->out, '[');
	for (size_t i = 0; i < n.n; i++) {
		buf_z(p->out, i ? ", " : " ");
		buf_json(p->out, n.at[i]);
	}
	buf_z(p->out, n.n ? " ]" : "]");
}

static void write_job_member(struct printing *p, const struct plan_job *j, size_t objects)
{
	size_t n = 0;

	write_text_member(p, "\n    {\n      ", "name", j->name);
	write_text_member(p, ", ", "namespace", plan_namespace(j));
	write_text_member(p, ", ", "framework", j->framework);
	write_text_member(p, ", ", "target", p->plan->target);
	write_text_member(p, ", ", "gang", j->gang.value.n ? j->gang.value : STR("none"));
	write_text_member(p, ",\n      ", "success", plan_condition_text(&p->arena, j, j->success));
	write_text_member(p, ", ", "clean", j->clean.value);
	buf_printf(p->out, ", \"restarts\": %lld", (long long)j->restarts.value);
	seconds(p, ", ", "timeout_s", &j->timeout);
	seconds(p, ", ", "ttl_s", &j->ttl);
	name(p, ",\n      ", "roles");
	buf_char(p->out, '[');
	for (size_t i = 0; i < j->nroles; i++) {
		if (!j->roles[i].max)
			continue;
		buf_z(p->out, n++ ? "," : "");
		write_role_member(p, j, &j->roles[i]);
	}
	buf_z(p->out, n ? "\n      ]" : "]");
	struct plan_totals t = plan_totals(&p->arena, j);
	totals(p, ",\n      ", &t, objects);
	needs(p, j);
	buf_z(p->out, "\n    }");
}

void plan_print_json(const struct plan *plan, const struct sources *sources, const size_t *objects, struct buf *out)
{
	struct printing p = { .plan = plan, .sources = sources, .out = out };
	size_t all = 0;

	buf_z(out, "{\n  \"schemaVersion\": 1,\n  \"jobs\": [");
	for (size_t i = 0; i < plan->njobs; i++) {
		buf_z(out, i ? "," : "");
		write_job_member(&p, &plan->jobs[i], objects[i]);
		all += objects[i];
	}
	buf_z(out, plan->njobs ? "\n  ]" : "]");
	struct plan_totals t = plan_sum(&p.arena, plan);
	totals(&p, ",\n  ", &t, all);
	buf_z(out, "\n}\n");
	arena_release(&p.arena);
}
