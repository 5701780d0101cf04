/*
 * value_data.c - converts a value to a data tree, for raw blocks, objects and the arguments that a target passes on.
 */
#include "eval/internal.h"
#include "lower/lower.h"

static struct data *data_of_entries(struct eval *ev, const struct value *v)
{
	struct data *d = ARENA_NEW(ev->arena, struct data);
	const struct map *index = &v->u.map.index;
	d->kind = DATA_MAP;
	d->from = v->from;
	d->u.map.at = ARENA_ARRAY(ev->arena, struct data_member, index->n);
	for (size_t i = 0; i < index->n; i++) {
		const struct value_entry *e = index->entries[i].value;
		struct data *member = value_data(ev, e->value);
		if (member)
			d->u.map.at[d->u.map.n++] = (struct data_member){ e->key, e->key_at, member };
	}
	return d;
}

static struct data *data_text(struct eval *ev, const struct value *v)
{
	struct data *d = ARENA_NEW(ev->arena, struct data);
	struct text pieces;
	d->kind = DATA_STRING;
	d->from = v->from;
	if (v->kind == VALUE_QUANTITY && v->unit == TYPE_DURATION) {
		/* in raw blocks, durations are written as in Go */
		d->u.string = duration_go_text(ev->arena, v->u.quantity);
		return d;
	}
	if (value_text(ev->arena, v, &pieces) && text_flatten(ev, &pieces, &d->u.string))
		return d;
	struct diag *e = diag_report(ev->diags, TJ0708, v->from,
		"a raw value must be known at compile time, but this depends on the pod");
	diag_help(ev->diags, e, "use it in 'env', 'command', 'args' or 'files'");
	return NULL;
}

struct data *value_data(struct eval *ev, const struct value *v)
{
	struct data *d = ARENA_NEW(ev->arena, struct data);
	d->from = v->from;
	switch (v->kind) {
	case VALUE_BAD: return NULL;
	case VALUE_NONE: d->kind = DATA_NULL; return d;
	case VALUE_BOOL: d->kind = DATA_BOOL; d->u.boolean = v->u.boolean; return d;
	case VALUE_INT: d->kind = DATA_INT; d->u.integer = v->u.integer; return d;
	case VALUE_FLOAT: d->kind = DATA_FLOAT; d->u.number = v->u.floating; return d;
	case VALUE_MAP: return data_of_entries(ev, v);
	case VALUE_LIST:
		d->kind = DATA_LIST;
		d->u.list.at = ARENA_ARRAY(ev->arena, const struct data *, v->u.list.n);
		for (size_t i = 0; i < v->u.list.n; i++) {
			struct data *element = value_data(ev, v->u.list.at[i]);
			if (element)
				d->u.list.at[d->u.list.n++] = element;
		}
		return d;
	default: return data_text(ev, v);
	}
}
