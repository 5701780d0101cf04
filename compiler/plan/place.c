/*
 * place.c - formats the fields `place` and `zones` of roles, and compares places.
 */
#include "plan/plan.h"

struct str plan_place_text(struct arena *a, const struct plan_place *p)
{
	switch (p->kind) {
	case PLACE_ANYWHERE: return STR("");
	case PLACE_NEAR: return str_printf(a, "near(\"%.*s\")", STR_ARG(p->level));
	case PLACE_PREFER: return str_printf(a, "prefer(\"%.*s\")", STR_ARG(p->level));
	case PLACE_PACK: return STR("pack");
	}
	return STR("");
}

bool plan_place_shared(const struct plan_role *r, const struct plan_role *other)
{
	const struct plan_place *p = &r->place, *q = &other->place;

	if (!r->max || !other->max || !p->together || !q->together || p->kind != q->kind || p->nkeys != q->nkeys)
		return false;
	return !p->nkeys || str_eq(p->keys[p->nkeys - 1], q->keys[q->nkeys - 1]);
}

struct str plan_zones_text(struct arena *a, const struct plan_role *r)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < r->nzones; i++)
		buf_printf(&text, "%s%.*s", i ? " or " : "", STR_ARG(r->zones[i].value));
	struct str s = buf_take(&text, a);
	buf_release(&text);
	return s;
}
