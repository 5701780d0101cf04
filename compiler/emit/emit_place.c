/*
 * emit_place.c - decides what keeps the replicas of a role in one domain: the queue, the gang's group, or the affinity
 * of the pods (attract.c). Kueue reads annotations of the pods (its documentation, "Topology Aware Scheduling", section
 * "User-facing APIs", and "Labels and Annotations" for podset-group-name). The groups of Volcano ("Network Topology
 * Aware Scheduling", section "Job Configuration") and of Kubernetes ("Topology-Aware Workload Scheduling", section "API
 * configuration") have a field for it.
 */
#include "emit/each.h"

enum place_keeper emit_place_keeper(const struct plan_job *j, const struct plan_role *r)
{
	enum gang gang = emit_gang(j);

	if (r->place.kind == PLACE_ANYWHERE)
		return PLACE_BY_NOBODY;
	if (gang == GANG_KUEUE)
		return PLACE_BY_QUEUE;
	if (emit_gang_member(r) && gang == GANG_VOLCANO)
		return PLACE_BY_VOLCANO;
	return emit_gang_member(r) && gang == GANG_NATIVE ? PLACE_BY_GROUP : PLACE_BY_PODS;
}

struct str emit_place_key(const struct plan_place *p) { return p->nkeys ? p->keys[p->nkeys - 1] : STR(""); }

size_t emit_place_sharing(struct emit *e, const struct plan_role *r, struct object *values)
{
	size_t n = 0;

	for (size_t i = 0; i < e->job->nroles; i++) {
		const struct plan_role *other = &e->job->roles[i];
		if (other != r && !plan_place_shared(r, other))
			continue;
		n++;
		if (values)
			object_add(e->arena, values, object_string(e->arena, other->label, r->place.from));
	}
	return n;
}

/* ---- Kueue ---- */

static const char *const annotations[] = {
	[PLACE_NEAR] = "kueue.x-k8s.io/podset-required-topology",
	[PLACE_PREFER] = "kueue.x-k8s.io/podset-preferred-topology",
	[PLACE_PACK] = "kueue.x-k8s.io/podset-unconstrained-topology",
	[PLACE_EACH] = "kueue.x-k8s.io/podset-unconstrained-topology",
};
/* Segments, which Kueue calls slices: one level, or up to three in one annotation ("Multi-Layer Topology"). */
static const char slice_annotation[] = "kueue.x-k8s.io/podset-slice-required-topology";
static const char size_annotation[] = "kueue.x-k8s.io/podset-slice-size";
static const char layers_annotation[] = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
static const char group_annotation[] = "kueue.x-k8s.io/podset-group-name";

bool emit_place_owns(const struct plan_job *j, struct str key)
{
	bool placed = false;

	for (size_t i = 0; i < j->nroles; i++)
		placed = placed || emit_place_keeper(j, &j->roles[i]) == PLACE_BY_QUEUE;
	for (size_t i = PLACE_NEAR; placed && i <= PLACE_PACK; i++)
		if (str_is(key, annotations[i]))
			return true;
	return placed && (str_is(key, group_annotation) || str_is(key, slice_annotation) ||
		str_is(key, size_annotation) || str_is(key, layers_annotation));
}

bool emit_place_annotates(const struct plan_job *j, const struct plan_role *r)
{
	return emit_place_keeper(j, r) == PLACE_BY_QUEUE;
}

static void segments_put(struct emit *e, const struct plan_place *p, struct object *map)
{
	const struct plan_segment *s = p->segments;
	struct str layers = STR("");

	if (p->nsegments == 1) {
		object_put(e->arena, map, str_of(slice_annotation), object_string(e->arena, s->key, s->from));
		object_put(e->arena, map, str_of(size_annotation),
			object_string(e->arena, str_int(e->arena, s->size), s->from));
		return;
	}
	for (size_t i = 0; i < p->nsegments; i++)
		layers = str_printf(e->arena, "%.*s%s{\"topology\":\"%.*s\",\"size\":%lld}", STR_ARG(layers),
			i ? "," : "", STR_ARG(s[i].key), (long long)s[i].size);
	if (p->nsegments)
		object_put(e->arena, map, str_of(layers_annotation),
			object_string(e->arena, str_printf(e->arena, "[%.*s]", STR_ARG(layers)), s->from));
}

void emit_place_annotations(struct emit *e, const struct plan_role *r, struct object *map)
{
	const struct plan_place *p = &r->place;
	bool open = p->kind == PLACE_PACK || p->kind == PLACE_EACH;
	struct str value = open ? STR("true") : emit_place_key(p);

	object_put(e->arena, map, str_of(annotations[p->kind]), object_string(e->arena, value, p->from));
	segments_put(e, p, map);
	if (!open && emit_place_sharing(e, r, NULL) > 1)
		object_put(e->arena, map, str_of(group_annotation), object_string(e->arena, r->in_group ?
			plan_group_name(e->arena, r) :
			emit_gang_name(e->arena, e->job, emit_gang_group(e->job, r)), p->from));
}

/* ---- Volcano's subgroups: the pods of a segment have one value of a label ---- */

bool emit_place_labels(const struct plan_job *j, const struct plan_role *r)
{
	return r->place.nsegments && emit_place_keeper(j, r) == PLACE_BY_VOLCANO && plan_each_replica(j);
}

static struct object *segment_make(const void *context, struct arena *a, int64_t index)
{
	const struct plan_segment *s = context;

	return object_string(a, str_int(a, index / s->size), s->from);
}

static void segment_label(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	const struct plan_segment *s = r->place.segments;
	struct object *value = object_string(e->arena, STR(""), s->from);

	value->kind = OBJECT_MADE;
	value->u.made.make = segment_make;
	value->u.made.context = s;
	object_put(e->arena, object_get(metadata, STR("labels")), LABEL_SEGMENT, value);
}

void emit_place_metadata(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	if (emit_place_labels(e->job, r))
		segment_label(e, r, metadata);
	if (emit_place_annotates(e->job, r))
		emit_place_annotations(e, r, object_need_map(e->arena, metadata, STR("annotations"), r->place.from));
}

/* ---- groups ---- */

const struct plan_role *emit_place_first(const struct plan_job *j, struct emit_group g, enum place_keeper keeper)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (emit_gang_in(j, g, r) && !(r->cell.n && !g.cell) && r->place.kind != PLACE_EACH &&
		    emit_place_keeper(j, r) == keeper)
			return r;
	}
	return NULL;
}

void emit_place_group(struct emit *e, struct emit_group g, struct object *group)
{
	const struct plan_role *r = emit_place_first(e->job, g, PLACE_BY_GROUP);

	if (!r)
		return;
	struct object *constraints = PUT_MAP(e->arena, group, "schedulingConstraints", r->place.from);
	struct object *o = object_add_map(e->arena, PUT_LIST(e->arena, constraints, "topology", r->place.from),
		r->place.from);
	PUT_STR(e->arena, o, "key", emit_place_key(&r->place), r->place.from);
}
