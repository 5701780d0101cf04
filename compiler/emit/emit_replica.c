/*
 * emit_replica.c - objects of single replicas: determines which consecutive replicas differ only by the index, and the
 * labels that a framework gives each of them.
 */
#include "emit/emit_build.h"

/* ---- which entries replicas have in common ---- */

static bool lacks(const struct plan_container *c, size_t env, int64_t i)
{
	return c->env[env].per_replica && text_is_absent(&c->env[env].per_replica[i]);
}

static bool env_alike(const struct plan_container *c, int64_t i, int64_t k)
{
	for (size_t e = 0; e < c->nenv; e++)
		if (lacks(c, e, i) != lacks(c, e, k))
			return false;
	return true;
}

static bool labels_alike(const struct plan_replica *p, int64_t i, int64_t k)
{
	for (size_t l = 0; l < p->nlabels; l++) {
		const struct text *each = p->labels[l].per_replica;
		if (each && text_is_absent(&each[i]) != text_is_absent(&each[k]))
			return false;
	}
	return true;
}

static bool alike(const struct plan_role *r, int64_t i, int64_t k)
{
	bool same = env_alike(&r->main, i, k) && labels_alike(&r->replica, i, k) && plan_asks_alike(r, i, k);

	for (size_t c = 0; c < r->nsidecars && same; c++)
		same = env_alike(&r->sidecars[c], i, k);
	for (size_t c = 0; c < r->ninits && same; c++)
		same = env_alike(&r->inits[c], i, k);
	return same;
}

int64_t emit_alike(const struct plan_role *r, int64_t first)
{
	int64_t end = first + 1;

	while (end < r->max && alike(r, first, end))
		end++;
	return end - first;
}

/* ---- labels ---- */

static struct object *label_of_text(struct arena *a, const struct text *t)
{
	struct object *o = object_string(a, STR(""), t->from);

	if (text_is_plain(t)) {
		o->u.string = t->n ? t->at[0].u.text : STR("");
		return o;
	}
	struct str *segments = ARENA_ARRAY(a, struct str, t->n);
	for (size_t i = 0; i < t->n; i++)
		segments[i] = t->at[i].kind == PIECE_TEXT ? t->at[i].u.text : (struct str){ NULL, 0 };
	o->kind = OBJECT_TEXT;
	o->u.text.at = segments;
	o->u.text.n = t->n;
	return o;
}

static struct object *label_make(const void *context, struct arena *a, int64_t index)
{
	const struct plan_replica_label *l = context;

	return label_of_text(a, &l->per_replica[index]);
}

void emit_replica_labels(struct emit *e, const struct plan_role *r, bool selecting, struct object *map)
{
	for (size_t i = 0; plan_each_replica(e->job) && i < r->replica.nlabels; i++) {
		const struct plan_replica_label *l = &r->replica.labels[i];
		struct object *value;
		if ((selecting && !l->selects) || (l->per_replica && text_is_absent(&l->per_replica[e->first])))
			continue;
		if (l->per_replica) {
			value = object_string(e->arena, STR(""), l->from);
			value->kind = OBJECT_MADE;
			value->u.made.make = label_make;
			value->u.made.context = l;
		} else {
			value = label_of_text(e->arena, &l->text);
		}
		object_put(e->arena, map, l->key, value);
	}
}
