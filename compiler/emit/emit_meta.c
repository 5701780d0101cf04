/*
 * emit_meta.c - writes names, labels and annotations.
 */
#include "emit/emit_build.h"

struct object *emit_indexed(struct arena *a, struct str base, const char *between, struct span from)
{
	struct object *o = object_string(a, STR(""), from);
	struct str *segments = ARENA_ARRAY(a, struct str, 2);
	size_t tail = strlen(between);
	char *p = arena_alloc(a, base.n + tail + 1);

	memcpy(p, base.p, base.n);
	memcpy(p + base.n, between, tail);
	segments[0] = (struct str){ p, base.n + tail };
	o->kind = OBJECT_TEXT;
	o->u.text.at = base.n ? segments : segments + 1;
	o->u.text.n = base.n ? 2 : 1;
	return o;
}

/* Makes the name of a manifest's objects, with the index if they have one. */
static struct object *emit_name(struct emit *e, const struct manifest *m)
{
	return m->indexed_name ? emit_indexed(e->arena, m->name, "-", m->from) :
		object_string(e->arena, m->name, m->from);
}

void emit_pairs(struct arena *a, struct object *map, const struct plan_pairs *pairs, struct span from)
{
	struct object_field *fields = ARENA_ARRAY(a, struct object_field, pairs->n);

	for (size_t i = 0; i < pairs->n; i++) {
		fields[i].key = pairs->at[i].key;
		fields[i].value = object_string(a, pairs->at[i].value, span_known(from) ? from : pairs->at[i].from);
	}
	object_put_all(a, map, fields, pairs->n);
}

/* Pods of all copies have one template in a set of groups, so their label has no number of a copy. */
static struct str role_label(struct arena *a, const struct plan_role *r)
{
	return r->in_group ? plan_group_role(a, r) : r->label;
}

/* Writes labels. Those of trainc come first; the job's and the role's may only add to them. */
static struct object *labels(struct emit *e, const struct plan_role *r)
{
	const struct plan_job *j = e->job;
	struct object *map = object_map(e->arena, r ? r->at : j->name_at);

	PUT_STR(e->arena, map, "app.kubernetes.io/managed-by", STR("trainc"), j->name_at);
	if (j->framework.n)
		PUT_STR(e->arena, map, "app.kubernetes.io/name", j->framework, j->name_at);
	object_append(e->arena, map, LABEL_JOB, object_string(e->arena, j->name, j->name_at));
	if (r)
		object_append(e->arena, map, LABEL_ROLE, object_string(e->arena, role_label(e->arena, r), r->at));
	if (r && r->cell.n)
		object_append(e->arena, map, LABEL_CELL, object_string(e->arena, plan_label(e->arena, r->cell), r->at));
	if (r && r->cell.n && !r->in_group)
		object_append(e->arena, map, LABEL_COPY, object_string(e->arena, str_int(e->arena, r->copy), r->at));
	return map;
}

static void user_labels(struct emit *e, const struct plan_role *r, bool of_role, struct object *map)
{
	emit_pairs(e->arena, map, &e->job->labels, (struct span){ 0 });
	if (r && of_role)
		emit_pairs(e->arena, map, &r->labels, (struct span){ 0 });
}

static void user_annotations(struct emit *e, const struct plan_role *r, bool of_role, struct object *metadata)
{
	const struct plan_job *j = e->job;
	struct object *map = object_get(metadata, STR("annotations"));

	if (!map && (j->annotations.n || (r && of_role && r->annotations.n)))
		map = PUT_MAP(e->arena, metadata, "annotations", j->name_at);
	emit_pairs(e->arena, map, &j->annotations, (struct span){ 0 });
	if (r && of_role)
		emit_pairs(e->arena, map, &r->annotations, (struct span){ 0 });
}

/*
 * Adds annotations for settings that are fields of a Job, but not of a pod. The controller that supervises the pods
 * reads them.
 */
static struct object *pod_annotations(struct emit *e, const struct plan_role *r, struct object *metadata,
	struct object *map)
{
	const struct plan_job *j = e->job;
	bool retries = r->retries.set && r->retries.value > 0;

	if (!map && (j->timeout.set || retries || r->retry_on.set))
		map = PUT_MAP(e->arena, metadata, "annotations", j->name_at);
	if (j->timeout.set)
		PUT_STR(e->arena, map, "trainc.dev/timeout", str_int(e->arena, emit_seconds(&j->timeout)),
			j->timeout.from);
	if (retries)
		PUT_STR(e->arena, map, "trainc.dev/retries", str_int(e->arena, r->retries.value), r->retries.from);
	if (r->retry_on.set)
		PUT_STR(e->arena, map, "trainc.dev/retry-on", plan_codes_text(e->arena, &r->retry_on, ","),
			r->retry_on.from);
	return map;
}

/* Writes the range of copies if role R belongs to an elastic cell: "2:8". */
static void copies_annotation(struct emit *e, const struct plan_role *r, struct object *map)
{
	const struct plan_cell *c = plan_cell_of(e->job, r);

	if (c && c->min < c->max)
		PUT_STR(e->arena, map, "trainc.dev/copies",
			str_printf(e->arena, "%lld:%lld", (long long)c->min, (long long)c->max), c->copies_at);
}

/* Writes the annotations that the runtime reads from the Jobs of a role. */
static void runtime_annotations(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	const struct plan_job *j = e->job;
	struct object *map = NULL;

	if (!r->aux) {
		map = PUT_MAP(e->arena, metadata, "annotations", j->name_at);
		if (j->success)
			PUT_STR(e->arena, map, "trainc.dev/success", plan_condition_text(e->arena, j, j->success),
				j->success->from);
		PUT_STR(e->arena, map, "trainc.dev/clean", j->clean.value.n ? j->clean.value : STR("running"),
			j->clean.from);
		PUT_STR(e->arena, map, "trainc.dev/restarts", str_int(e->arena, j->restarts.value), j->restarts.from);
		if (r->elastic)
			PUT_STR(e->arena, map, "trainc.dev/replicas",
				str_printf(e->arena, "%lld:%lld", (long long)r->min, (long long)r->max),
				r->replicas_at);
		copies_annotation(e, r, map);
	}
	if (plan_workload(j, r)->traits & WORKLOAD_BARE)
		map = pod_annotations(e, r, metadata, map);
	if (!map && (r->start_after || plan_ttl_is_left(j)))
		map = PUT_MAP(e->arena, metadata, "annotations", j->name_at);
	if (r->start_after)
		PUT_STR(e->arena, map, "trainc.dev/start-after", plan_condition_text(e->arena, j, r->start_after),
			r->start_after->from);
	if (plan_ttl_is_left(j))
		PUT_STR(e->arena, map, "trainc.dev/ttl", str_int(e->arena, emit_seconds(&j->ttl)), j->ttl.from);
}

int64_t emit_seconds(const struct plan_quantity *q)
{
	return (int64_t)((q->value.nano + QUANTITY_UNIT - 1) / QUANTITY_UNIT);
}

struct object *emit_metadata(const struct object *o) { return object_get(o, STR("metadata")); }

/*
 * Must objects name their namespace? They must if the job sets one, or if an address contains it. An operator that
 * names the pods itself makes the addresses again.
 */
static bool needs_namespace(const struct plan_job *j)
{
	bool by_operator = j->controller && j->nroles && !j->roles[0].in_set;

	return j->ns.set || (j->namespace_in_address && !by_operator);
}

/*
 * Starts an object. A Service, ConfigMap or Secret has the name of its role as a label; labels that the role itself
 * sets are only on its Job and pods.
 */
struct object *emit_object(struct emit *e, const struct manifest *m)
{
	struct arena *a = e->arena;
	const struct plan_job *j = e->job;
	struct object *o = object_map(a, m->from), *metadata, *map;
	const struct workload *workload = m->role ? workload_named(str_of(m->kind)) : NULL;
	bool pod = workload && (workload->traits & WORKLOAD_BARE),
		ends = workload && (workload->traits & WORKLOAD_ENDS);

	PUT_STR(a, o, "apiVersion", str_of(m->api_version), m->from);
	PUT_STR(a, o, "kind", str_of(m->kind), m->from);
	metadata = PUT_MAP(a, o, "metadata", m->from);
	object_append(a, metadata, STR("name"), emit_name(e, m));
	if (needs_namespace(j) && !m->cluster_wide)
		PUT_STR(a, metadata, "namespace", plan_namespace(j), j->ns.from);
	map = labels(e, m->role);
	object_append(a, metadata, STR("labels"), map);
	if (m->indexed_name || (m->role && m->role->one_name && ends))
		object_append(a, map, LABEL_INDEX, emit_indexed(a, STR(""), "", m->from));
	if ((ends && !pod) || m->queued)
		emit_gang_queue(e, metadata);
	if (workload)
		emit_code_label(e, m->role, map);
	user_labels(e, m->role, workload, map);
	if (m->role && (m->indexed_name || m->role->one_name))
		emit_replica_labels(e, m->role, !workload, map);
	if (ends) {
		runtime_annotations(e, m->role, metadata);
		emit_gang_size(e, m->role, metadata);
	}
	user_annotations(e, m->role, workload, metadata);
	if (pod) {
		emit_place_metadata(e, m->role, metadata);
		emit_gang_pod_metadata(e, m->role, metadata);
	}
	return o;
}

struct object *emit_role_metadata(struct emit *e, const struct plan_role *r, struct object *template)
{
	struct object *metadata = PUT_MAP(e->arena, template, "metadata", r->at), *map = labels(e, r);

	object_append(e->arena, metadata, STR("labels"), map);
	if (r->unrolled && plan_role_is_numbered(e->job, r))
		object_append(e->arena, map, LABEL_INDEX, emit_indexed(e->arena, STR(""), "", r->at));
	emit_code_label(e, r, map);
	user_labels(e, r, true, map);
	if (!r->aux)
		emit_replica_labels(e, r, false, map);
	user_annotations(e, r, true, metadata);
	return metadata;
}

void emit_pod_metadata(struct emit *e, const struct plan_role *r, struct object *template)
{
	struct object *metadata = emit_role_metadata(e, r, template);

	emit_place_metadata(e, r, metadata);
	emit_gang_pod_metadata(e, r, metadata);
}

void emit_selector(struct emit *e, const struct plan_role *r, struct object *parent, struct str key)
{
	struct object *map = object_put_map(e->arena, parent, key, r ? r->at : e->job->name_at);

	object_append(e->arena, map, LABEL_JOB, object_string(e->arena, e->job->name, e->job->name_at));
	if (r)
		object_append(e->arena, map, LABEL_ROLE, object_string(e->arena, role_label(e->arena, r), r->at));
}
