/*
 * arguments.c - converts a framework's arguments to data, for targets that pass them on and for rules that depend on
 * them.
 */
#include "eval/internal.h"
#include "lower/lower.h"

static struct data *data_of_value(struct eval *ev, const struct value *v);

static struct data *data_of_number(struct arena *a, int64_t n, struct span from)
{
	struct data *d = ARENA_NEW(a, struct data);

	*d = (struct data){ .kind = DATA_INT, .from = from, .u.integer = n };
	return d;
}

static void add_data_member(struct arena *a, struct data *map, struct str key, struct span key_at, struct data *value)
{
	struct data_member m = { key, key_at, value };

	if (value)
		ARENA_PUSH(a, map->u.map.at, map->u.map.n, m);
}

/* An elastic range as data: { min = 1, max = 8 }. */
static struct data *data_of_range(struct arena *a, const struct value *v, struct data *map)
{
	map->kind = DATA_MAP;
	add_data_member(a, map, STR("min"), v->from, data_of_number(a, v->u.range.lo, v->from));
	add_data_member(a, map, STR("max"), v->from, data_of_number(a, v->u.range.hi, v->from));
	return map;
}

static struct data *members(struct eval *ev, const struct value *v, struct data *map)
{
	map->kind = DATA_MAP;
	for (size_t i = 0; i < v->u.map.index.n; i++) {
		const struct value_entry *e = v->u.map.index.entries[i].value;
		add_data_member(ev->arena, map, e->key, e->key_at, data_of_value(ev, e->value));
	}
	return map;
}

static struct data *elements(struct eval *ev, const struct value *v, struct data *list)
{
	list->kind = DATA_LIST;
	for (size_t i = 0; i < v->u.list.n; i++) {
		struct data *element = data_of_value(ev, v->u.list.at[i]);
		if (element)
			ARENA_PUSH(ev->arena, list->u.list.at, list->u.list.n, element);
	}
	return list;
}

/* A value as data; NULL for `none` and for values that cannot be data, such as conditions, volumes and roles. */
static struct data *data_of_value(struct eval *ev, const struct value *v)
{
	struct data *d = ARENA_NEW(ev->arena, struct data);

	d->from = v->from;
	switch (v->kind) {
	case VALUE_BAD: case VALUE_COMPUTED: case VALUE_NONE: case VALUE_CONDITION: case VALUE_VOLUME: case VALUE_ROLE:
	case VALUE_PORTS: case VALUE_LAYOUT:
	case VALUE_SECRET: case VALUE_CONFIG:
		return NULL;
	case VALUE_ELASTIC: case VALUE_RANGE: return data_of_range(ev->arena, v, d);
	case VALUE_MAP: return members(ev, v, d);
	case VALUE_LIST: return elements(ev, v, d);
	case VALUE_ACCELERATOR:
		d->kind = DATA_STRING;
		d->u.string = v->u.accelerator->spelling;
		return d;
	default: return value_data(ev, v);
	}
}

/*
 * Adds the arguments of a framework, those of a wrapper before those of the framework inside it. If both have an
 * argument of the same name, the inner one is used, because it is the value that the wrapper passed on.
 */
static void layer_arguments(struct eval *ev, const struct job_layer *l, struct data *all)
{
	for (size_t i = 0; i < l->framework->nformals; i++) {
		const struct decl *d = l->framework->formals[i];
		const struct value *v = eval_local(ev, l->formals, d);
		size_t k = 0;
		while (k < all->u.map.n && !str_eq(all->u.map.at[k].key, d->name))
			k++;
		struct data *made = data_of_value(ev, v);
		if (k == all->u.map.n)
			add_data_member(ev->arena, all, d->name, v->from, made);
		else if (made)
			all->u.map.at[k] = (struct data_member){ d->name, v->from, made };
	}
}

const struct data *lower_arguments(struct job *j)
{
	struct eval *ev = j->ev;
	struct data *all = ARENA_NEW(ev->arena, struct data);

	if (!j->framework || j->checks_failed)
		return NULL;
	*all = (struct data){ .kind = DATA_MAP, .from = j->node->u.job.blueprint->span };
	for (unsigned l = 0; l < j->nlayers; l++)
		layer_arguments(ev, &j->layers[l], all);
	return all;
}
