/*
 * attract.c - makes affinity between pods, if neither a queue nor a gang places them. The first pod of a group can be
 * scheduled in any domain, because it satisfies its own affinity ("Assigning Pods to Nodes", section "Inter-pod
 * affinity and anti-affinity").
 */
#include "emit/each.h"

static void selector_put(struct emit *e, const struct plan_role *r, struct object *term)
{
	struct object *selector = PUT_MAP(e->arena, term, "labelSelector", r->place.from);

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
	struct object *affinity = object_get(pod, STR("affinity")), *list, *term;

	if (emit_place_keeper(e->job, r) != PLACE_BY_PODS || !p->nkeys)
		return;
	if (!affinity)
		affinity = PUT_MAP(e->arena, pod, "affinity", p->from);
	affinity = PUT_MAP(e->arena, affinity, "podAffinity", p->from);
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
