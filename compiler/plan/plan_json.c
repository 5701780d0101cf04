/*
 * plan_json.c - writes `trainc plan -o json`. A member that is not set is null. Members of the plan that this file does
 * not write are written by their rows in plan.def, if these say so.
 */
#include "plan/print.h"

#include "plan/plan_shape.h"
#include "plan/totals.h"

struct plan_json {
	struct json_writer json;
	struct arena arena;
	const struct plan *plan;
	const struct sources *sources;
};

static void put_plan_text(struct plan_json *p, const char *key, struct str value)
{
	if (value.n)
		json_add_text(&p->json, key, value);
	else
		json_add_null(&p->json, key);
}

static void put_amount(struct plan_json *p, const char *key, const struct plan_quantity *q)
{
	put_plan_text(p, key, q->set ? quantity_text(&p->arena, q->value) : STR(""));
}

static void put_seconds(struct plan_json *p, const char *key, const struct plan_quantity *q)
{
	if (q->set)
		json_add_int(&p->json, key, (int64_t)((q->value.nano + QUANTITY_UNIT - 1) / QUANTITY_UNIT));
	else
		json_add_null(&p->json, key);
}

/* Writes the members that the rows of plan.def leave to this document. */
static void put_rest(struct plan_json *p, const struct plan_job *j, const struct shape *s, const void *object)
{
	struct plan_shape around = { .job = j };
	struct shape_out o = { .json = p->json, .context = &around, .use = IN_JSON };

	shape_write(&o, s, object);
	p->json = o.json;
}

static void put_way_label(struct plan_json *p, struct str key, const struct plan_str *values, size_t n)
{
	json_key_text(&p->json, key);
	json_open(&p->json, '[');
	for (size_t i = 0; i < n; i++)
		json_put_text(&p->json, values[i].value);
	json_close(&p->json, ']');
}

/*
 * Writes the labels of the nodes that have the accelerator: a list of ways to find it, each with the values of its
 * labels.
 */
static void put_ways(struct plan_json *p, const struct plan_accelerator *acc)
{
	size_t i = 0;

	if (!acc->node.n && !acc->nchoices)
		return;
	json_add_open(&p->json, "nodes", '[');
	do {
		int64_t way = acc->nchoices ? acc->choices[i].way : 0;
		json_open(&p->json, '{');
		for (size_t k = 0; k < acc->node.n; k++) {
			const struct plan_str value = { .value = acc->node.at[k].value };
			put_way_label(p, acc->node.at[k].key, &value, 1);
		}
		for (; i < acc->nchoices && acc->choices[i].way == way; i++)
			put_way_label(p, acc->choices[i].key, acc->choices[i].values, acc->choices[i].nvalues);
		json_close(&p->json, '}');
	} while (i < acc->nchoices);
	json_close(&p->json, ']');
}

static void put_devices(struct plan_json *p, const struct plan_job *j, const struct plan_accelerator *acc)
{
	json_line(&p->json, 10);
	if (!acc) {
		json_add_null(&p->json, "devices");
		return;
	}
	json_add_open(&p->json, "devices", '{');
	put_plan_text(p, "resource", acc->resource);
	json_add_int(&p->json, "count", acc->per_pod);
	put_ways(p, acc);
	put_rest(p, j, &shape_plan_accelerator, acc);
	json_close(&p->json, '}');
}

/* Writes the numbers of devices from index `first` on; amounts of memory are written like all others. */
static void put_device_counts(struct plan_json *p, const char *key, const struct plan_device_total *at, size_t first,
	size_t n)
{
	json_add_open(&p->json, key, '{');
	for (size_t i = first; i < n; i++) {
		struct quantity bytes = { (int128)at[i].count * QUANTITY_UNIT, QUANTITY_BINARY };
		json_key_text(&p->json, at[i].resource);
		if (at[i].bytes)
			json_put_text(&p->json, quantity_text(&p->arena, bytes));
		else
			json_put_int(&p->json, at[i].count);
	}
	json_close(&p->json, '}');
}

/* Writes what the pods request, except the accelerator. */
static void put_resources(struct plan_json *p, const struct plan_role *r)
{
	size_t n, skip = r->accelerator ? 1 : 0;
	const struct plan_device_total *at = plan_pod_devices(&p->arena, r, &n);

	put_device_counts(p, "resources", at, skip, n);
}

/* Writes claims of devices, each with its template or the existing claim. */
static void put_claims(struct plan_json *p, const char *key, const struct plan_pairs *claims)
{
	if (!claims->n)
		return;
	json_add_open(&p->json, key, '{');
	for (size_t i = 0; i < claims->n; i++) {
		json_key_text(&p->json, claims->at[i].key);
		json_put_text(&p->json, claims->at[i].value);
	}
	json_close(&p->json, '}');
}

/* Writes labels with their lists of values; an empty list stands for any value. */
static void put_choice_lists(struct plan_json *p, const char *key, const struct plan_choice *all, size_t n)
{
	if (!n)
		return;
	json_line(&p->json, 10);
	json_add_open(&p->json, key, '{');
	for (size_t i = 0; i < n; i++)
		put_way_label(p, all[i].key, all[i].values, all[i].nvalues);
	json_close(&p->json, '}');
}

static void put_zones(struct plan_json *p, const struct plan_role *r)
{
	if (!r->nzones)
		return;
	json_line(&p->json, 10);
	json_add_open(&p->json, "zones", '[');
	for (size_t i = 0; i < r->nzones; i++)
		json_put_text(&p->json, r->zones[i].value);
	json_close(&p->json, ']');
}

static void put_ports(struct plan_json *p, const struct plan_role *r)
{
	json_line(&p->json, 10);
	json_add_open(&p->json, "ports", '{');
	for (size_t i = 0; i < r->main.nports; i++) {
		json_key_text(&p->json, r->main.ports[i].name);
		json_put_int(&p->json, r->main.ports[i].port);
	}
	json_close(&p->json, '}');
}

static void put_hosts(struct plan_json *p, const struct plan_job *j, const struct plan_role *r)
{
	struct buf host = { 0 };

	json_line(&p->json, 10);
	json_add_open(&p->json, "hosts", '[');
	for (int64_t i = 0; i < r->max; i++) {
		host.n = 0;
		plan_host(j, r, i, &host);
		json_put_text(&p->json, buf_text(&host));
	}
	json_close(&p->json, ']');
	buf_release(&host);
}

/* Writes what one pod requests. */
static void put_pod(struct plan_json *p, const struct plan_role *r)
{
	struct plan_quantity cpu = plan_pod_cpu(r), memory = plan_pod_memory(r);

	put_amount(p, "cpu", &cpu);
	put_amount(p, "memory", &memory);
}

/* Writes the replicas of a role in groups with equal requests. */
static void put_kinds(struct plan_json *p, const struct plan_role *r)
{
	if (!plan_role_differs(r))
		return;
	json_line(&p->json, 10);
	json_add_open(&p->json, "kinds", '[');
	for (int64_t i = plan_next_kind(r, -1); i < r->max; i = plan_next_kind(r, i)) {
		struct plan_role one = plan_role_of(&p->arena, r, i);
		json_open(&p->json, '{');
		json_add_int(&p->json, "replicas", plan_kind_size(r, i, r->max));
		put_pod(p, &one);
		put_resources(p, &one);
		json_close(&p->json, '}');
	}
	json_close(&p->json, ']');
}

static void put_size(struct plan_json *p, const struct plan_role *r)
{
	json_add_open(&p->json, "replicas", '{');
	json_add_int(&p->json, "min", r->min);
	json_add_int(&p->json, "max", r->max);
	json_close(&p->json, '}');
	if (plan_is_sliced(r))
		json_add_int(&p->json, "slices", r->slices);
}

static void put_role(struct plan_json *p, const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_role most = plan_role_most(&p->arena, r);

	json_line(&p->json, 8);
	json_open(&p->json, '{');
	json_line(&p->json, 10);
	put_plan_text(p, "name", r->name);
	put_plan_text(p, "kind", r->aux ? STR("aux") : STR("role"));
	put_size(p, r);
	json_line(&p->json, 10);
	put_plan_text(p, "realisation", r->unrolled ? STR("unrolled") : STR("indexed"));
	put_plan_text(p, "because", r->unrolled && span_known(r->unrolled_because) ?
		source_text(p->sources, r->unrolled_because) : STR(""));
	json_line(&p->json, 10);
	put_plan_text(p, "image", r->main.image.value);
	put_pod(p, &most);
	put_devices(p, j, r->accelerator);
	put_resources(p, &most);
	put_kinds(p, r);
	put_claims(p, "device_claims", &r->claims);
	put_claims(p, "shared_device_claims", &r->shared_claims);
	put_choice_lists(p, "node_in", r->node_in, r->nnode_in);
	put_choice_lists(p, "avoid", r->avoid, r->navoid);
	put_zones(p, r);
	if (r->place.kind != PLACE_ANYWHERE) {
		json_line(&p->json, 10);
		put_plan_text(p, "place", plan_place_text(&p->arena, &r->place));
	}
	put_rest(p, j, &shape_plan_role, r);
	put_rest(p, j, &shape_plan_container, &r->main);
	put_ports(p, r);
	put_hosts(p, j, r);
	json_line(&p->json, 8);
	json_close(&p->json, '}');
}

static void put_totals(struct plan_json *p, const struct plan_totals *t, size_t objects)
{
	json_add_open(&p->json, "totals", '{');
	json_add_int(&p->json, "pods", t->pods);
	put_amount(p, "cpu", &t->cpu);
	put_amount(p, "memory", &t->memory);
	put_device_counts(p, "devices", t->devices, 0, t->ndevices);
	json_add_int(&p->json, "objects", (int64_t)objects);
	json_close(&p->json, '}');
}

static void put_needs(struct plan_json *p, const struct plan_job *j)
{
	struct plan_needs n = plan_needs_runtime(&p->arena, j);

	json_line(&p->json, 6);
	json_add_open(&p->json, "needs_runtime", '[');
	for (size_t i = 0; i < n.n; i++)
		json_put_text(&p->json, n.at[i]);
	json_close(&p->json, ']');
}

/* Writes the roles of the job itself, or of copy 0 of CELL if that is not empty. */
static void put_roles(struct plan_json *p, const struct plan_job *j, struct str cell)
{
	size_t n = 0;

	json_line(&p->json, 6);
	json_add_open(&p->json, "roles", '[');
	for (size_t i = 0; i < j->nroles; i++) {
		if (!j->roles[i].max || !str_eq(j->roles[i].cell, cell) || j->roles[i].copy)
			continue;
		put_role(p, j, &j->roles[i]);
		n++;
	}
	if (n)
		json_line(&p->json, 6);
	json_close(&p->json, ']');
}

static int64_t pods_of_copy(const struct plan_job *j, struct str cell)
{
	int64_t n = 0;

	for (size_t i = 0; i < j->nroles; i++)
		if (str_eq(j->roles[i].cell, cell) && !j->roles[i].copy)
			n += j->roles[i].max;
	return n;
}

static void put_cell(struct plan_json *p, const struct plan_job *j, const struct plan_cell *c)
{
	json_line(&p->json, 6);
	json_open(&p->json, '{');
	put_plan_text(p, "name", c->name);
	json_add_text(&p->json, "framework", c->framework);
	json_add_open(&p->json, "copies", '{');
	json_add_int(&p->json, "min", c->min);
	json_add_int(&p->json, "max", c->max);
	json_close(&p->json, '}');
	json_add_int(&p->json, "pods", pods_of_copy(j, c->name));
	put_plan_text(p, "success", plan_condition_text(&p->arena, j, c->success));
	put_plan_text(p, "running", plan_condition_text(&p->arena, j, c->running));
	if (c->restarts < 0)
		json_add_null(&p->json, "restarts");
	else
		json_add_int(&p->json, "restarts", c->restarts);
	put_rest(p, j, &shape_plan_cell, c);
	put_roles(p, j, c->name);
	json_close(&p->json, '}');
}

static void put_cells(struct plan_json *p, const struct plan_job *j)
{
	if (!j->ncells)
		return;
	json_line(&p->json, 6);
	json_add_open(&p->json, "cells", '[');
	for (size_t i = 0; i < j->ncells; i++)
		put_cell(p, j, &j->cells[i]);
	json_close(&p->json, ']');
}

static void put_job(struct plan_json *p, const struct plan_job *j, size_t objects)
{
	struct plan_totals t = plan_totals(&p->arena, j);

	json_line(&p->json, 4);
	json_open(&p->json, '{');
	json_line(&p->json, 6);
	put_plan_text(p, "name", j->name);
	put_plan_text(p, "namespace", plan_namespace(j));
	put_plan_text(p, "framework", j->framework);
	put_plan_text(p, "target", p->plan->target);
	put_plan_text(p, "gang", j->gang.value.n ? j->gang.value : STR("none"));
	json_line(&p->json, 6);
	put_plan_text(p, "success", plan_condition_text(&p->arena, j, j->success));
	put_plan_text(p, "clean", j->clean.value);
	json_add_int(&p->json, "restarts", j->restarts.value);
	put_seconds(p, "timeout_s", &j->timeout);
	put_seconds(p, "ttl_s", &j->ttl);
	put_rest(p, j, &shape_plan_job, j);
	put_roles(p, j, STR(""));
	put_cells(p, j);
	json_line(&p->json, 6);
	put_totals(p, &t, objects);
	put_needs(p, j);
	json_line(&p->json, 4);
	json_close(&p->json, '}');
}

void plan_print_json(const struct plan *plan, const struct sources *sources, const size_t *objects, struct buf *out)
{
	struct plan_json p = { .json = { .out = out, .spaced = true }, .plan = plan, .sources = sources };
	size_t all = 0;

	json_begin_document(&p.json);
	json_add_open(&p.json, "jobs", '[');
	for (size_t i = 0; i < plan->njobs; i++) {
		put_job(&p, &plan->jobs[i], objects[i]);
		all += objects[i];
	}
	if (plan->njobs)
		json_line(&p.json, 2);
	json_close(&p.json, ']');
	struct plan_totals t = plan_sum(&p.arena, plan);
	json_line(&p.json, 2);
	put_totals(&p, &t, all);
	json_end_document(&p.json);
	arena_release(&p.arena);
}
