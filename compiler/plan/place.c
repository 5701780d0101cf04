/*
 * place.c - formats where roles run: `place`, zones and the labels of their accelerators. Compares places.
 */
#include "plan/plan.h"

/* The place of all replicas, without segments. */
static struct str whole_text(struct arena *a, const struct plan_place *p)
{
	switch (p->kind) {
	case PLACE_ANYWHERE: case PLACE_EACH: return STR("");
	case PLACE_NEAR: return str_printf(a, "near(\"%.*s\")", STR_ARG(p->level));
	case PLACE_PREFER: return str_printf(a, "prefer(\"%.*s\")", STR_ARG(p->level));
	case PLACE_PACK: return STR("pack");
	}
	return STR("");
}

struct str plan_place_text(struct arena *a, const struct plan_place *p)
{
	struct str text = whole_text(a, p);

	for (size_t i = 0; i < p->nsegments; i++) {
		const struct plan_segment *s = &p->segments[i];
		text = str_printf(a, "%.*s%snear(\"%.*s\", each = %lld)", STR_ARG(text), text.n ? ", " : "",
			STR_ARG(s->level), (long long)s->size);
	}
	return p->nsegments + (p->kind != PLACE_EACH) > 1 ? str_printf(a, "[%.*s]", STR_ARG(text)) : text;
}

bool plan_place_shared(const struct plan_role *r, const struct plan_role *other)
{
	if (r->copy != other->copy || !str_eq(r->cell, other->cell))
		return false;                   /* each copy has a place of its own */
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

static void put_choice_words(struct buf *out, const char *before, const struct plan_choice *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%s%s%.*s = %s", out->n ? ", " : "", before, STR_ARG(all[i].key), all[i].nvalues ? "" :
			"any");
		for (size_t k = 0; k < all[i].nvalues; k++)
			buf_printf(out, "%s%.*s", k ? " or " : "", STR_ARG(all[i].values[k].value));
	}
}

struct str plan_labels_text(struct arena *a, const struct plan_role *r)
{
	struct buf text = { 0 };

	put_choice_words(&text, "", r->node_in, r->nnode_in);
	put_choice_words(&text, "not ", r->avoid, r->navoid);
	struct str s = buf_take(&text, a);
	buf_release(&text);
	return s;
}

bool plan_choice_takes(const struct plan_choice *c, struct str value)
{
	for (size_t i = 0; i < c->nvalues; i++)
		if (str_eq(c->values[i].value, value))
			return true;
	return false;
}

/* Does the role itself choose one value of a label that the accelerator leaves open? */
static const struct plan_pair *plan_node_of(const struct plan_role *r, struct str key)
{
	for (size_t i = 0; i < r->node.n; i++)
		if (str_eq(r->node.at[i].key, key))
			return &r->node.at[i];
	return NULL;
}

struct str plan_nodes_text(struct arena *a, const struct plan_role *r)
{
	const struct plan_accelerator *acc = r->accelerator;
	struct buf text = { 0 };

	for (size_t i = 0; acc && i < acc->node.n; i++)
		buf_printf(&text, "%s%.*s = %.*s", i ? ", " : "", STR_ARG(acc->node.at[i].key),
			STR_ARG(acc->node.at[i].value));
	for (size_t i = 0; acc && i < acc->nchoices; i++) {
		const struct plan_choice *c = &acc->choices[i];
		bool one_way = !acc->choices[acc->nchoices - 1].way;
		const struct plan_pair *chosen = one_way ? plan_node_of(r, c->key) : NULL;
		buf_printf(&text, "%s%.*s = ", !text.n ? "" : i && c[-1].way != c->way ? ", or " : ", ",
			STR_ARG(c->key));
		for (size_t k = 0; k < c->nvalues && !chosen; k++)
			buf_printf(&text, "%s%.*s", k ? " or " : "", STR_ARG(c->values[k].value));
		if (chosen)
			buf_str(&text, chosen->value);
	}
	struct str s = buf_take(&text, a);
	buf_release(&text);
	return s;
}
