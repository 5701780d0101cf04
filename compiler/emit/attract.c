/*
 * attract.c - makes affinity between pods, if neither a queue nor a gang places them, and keeps copies of a cell apart.
 * The first pod of a group can be scheduled in any domain, because it satisfies its own affinity ("Assigning Pods to
 * Nodes", section "Inter-pod affinity and anti-affinity").
 */
#include "emit/each.h"

/* Adds the label of the cell to those that a selector asks for. */
static void cell_put(struct emit *e, const struct plan_role *r, struct span from, struct object *selector)
{
	object_append(e->arena, object_get(selector, STR("matchLabels")), LABEL_CELL,
		object_string(e->arena, plan_label(e->arena, r->cell), from));
}

void emit_match_copy(struct emit *e, struct object *term, const char *key, struct span from)
{
	object_add(e->arena, object_put_list(e->arena, term, str_of(key), from),
		object_string(e->arena, LABEL_GROUP, from));
}

static void selector_put(struct emit *e, const struct plan_role *r, struct object *term)
{
	struct object *selector = PUT_MAP(e->arena, term, "labelSelector", r->place.from);

	if (r->in_group) {              /* pods of all copies have one template, so a label tells the copies apart */
		bool alone = emit_place_sharing(e, r, NULL) < 2;
		emit_selector(e, alone ? r : NULL, selector, STR("matchLabels"));
		if (!alone)
			cell_put(e, r, r->place.from, selector);
		emit_match_copy(e, term, "matchLabelKeys", r->place.from);
		return;
	}
	if (emit_place_sharing(e, r, NULL) < 2) {
		emit_selector(e, r, selector, STR("matchLabels"));
		return;
	}
	emit_selector(e, NULL, selector, STR("matchLabels"));
	struct object *o = object_add_map(e->arena, PUT_LIST(e->arena, selector, "matchExpressions", r->place.from),
		r->place.from);
	object_append(e->arena, o, STR("key"), object_string(e->arena, LABEL_ROLE, r->place.from));
	PUT_STR(e->arena, o, "operator", STR("In"), r->place.from);
	emit_place_sharing(e, r, PUT_LIST(e->arena, o, "values", r->place.from));
}

void emit_place_pod(struct emit *e, const struct plan_role *r, struct object *pod)
{
	enum { WEIGHT = 100 };
	const struct plan_place *p = &r->place;
	struct object *affinity, *list, *term;

	if (emit_place_keeper(e->job, r) != PLACE_BY_PODS || !p->nkeys || emit_group_exclusive(e->job, r))
		return;
	affinity = PUT_MAP(e->arena, object_need_map(e->arena, pod, STR("affinity"), p->from), "podAffinity", p->from);
	if (p->kind == PLACE_NEAR) {
		list = PUT_LIST(e->arena, affinity, "requiredDuringSchedulingIgnoredDuringExecution", p->from);
		term = object_add_map(e->arena, list, p->from);
		PUT_STR(e->arena, term, "topologyKey", emit_place_key(p), p->from);
		selector_put(e, r, term);
		return;
	}
	/*
	 * the weights of all levels add up: nodes that share an inner level also share the outer ones, so they get the
	 * largest sum
	 */
	list = PUT_LIST(e->arena, affinity, "preferredDuringSchedulingIgnoredDuringExecution", p->from);
	for (size_t i = 0; i < p->nkeys; i++) {
		struct object *weighted = object_add_map(e->arena, list, p->from);
		PUT_INT(e->arena, weighted, "weight", WEIGHT, p->from);
		term = PUT_MAP(e->arena, weighted, "podAffinityTerm", p->from);
		PUT_STR(e->arena, term, "topologyKey", p->keys[i], p->from);
		selector_put(e, r, term);
	}
}

void emit_apart_pod(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_cell *c = plan_cell_of(e->job, r);
	struct object *anti, *list, *term, *selector, *o;
	struct arena *a = e->arena;

	if (!c || !c->apart_key.n || emit_group_exclusive(e->job, r))
		return;
	struct span from = c->apart.from;
	anti = object_need_map(a, object_need_map(a, pod, STR("affinity"), from), STR("podAntiAffinity"), from);
	list = object_need_list(a, anti, STR("requiredDuringSchedulingIgnoredDuringExecution"), from);
	term = object_add_map(a, list, from);
	PUT_STR(a, term, "topologyKey", c->apart_key, from);
	selector = PUT_MAP(a, term, "labelSelector", from);
	emit_selector(e, NULL, selector, STR("matchLabels"));
	cell_put(e, r, from, selector);
	if (r->in_group) {
		emit_match_copy(e, term, "mismatchLabelKeys", from);
		return;
	}
	o = object_add_map(a, PUT_LIST(a, selector, "matchExpressions", from), from);
	object_append(a, o, STR("key"), object_string(a, LABEL_COPY, from));
	PUT_STR(a, o, "operator", STR("NotIn"), from);
	object_add(a, PUT_LIST(a, o, "values", from), object_string(a, str_int(a, r->copy), from));
}
