/*
 * builtin_list.c - functions of lists and maps.
 */
#include "eval/builtin.h"

static const struct value *integer(struct arguments *a, int64_t i)
{
	return value_int(a->ev->arena, i, a->call->span);
}

BUILTIN(len)
{
	const struct value *x = a->at[0];

	switch (x->kind) {
	case VALUE_LIST: return integer(a, (int64_t)x->u.list.n);
	case VALUE_MAP: return integer(a, (int64_t)x->u.map.index.n);
	case VALUE_STRING: return integer(a, (int64_t)str_chars(x->u.string));
	default: return &value_bad;
	}
}

BUILTIN(range)
{
	int64_t first = a->n > 1 ? argument_int(a, 0, 0) : 0, end = argument_int(a, a->n - 1, 0);
	uint64_t n = end > first ? (uint64_t)end - (uint64_t)first : 0;

	if (n > EVAL_LIST && !eval_list_fits(a->ev, EVAL_LIST + 1, a->call->span))
		return &value_bad;
	const struct value **at = ARENA_ARRAY(a->ev->arena, const struct value *, n);
	for (uint64_t i = 0; i < n; i++)
		at[i] = integer(a, first + (int64_t)i);
	a->ev->steps += n;
	return value_list(a->ev->arena, at, n, a->call->span);
}

/* ---- order ---- */

/* Sorts stably, so that equal elements that are written differently (1Gi, 1024Mi) keep their order. */
static void merge_sort(const struct value **at, const struct value **spare, size_t n)
{
	if (n < 2)
		return;
	size_t half = n / 2, i = 0, k = half, to = 0;
	merge_sort(at, spare, half);
	merge_sort(at + half, spare, n - half);
	memcpy(spare, at, n * sizeof(*at));
	while (i < half && k < n)
		at[to++] = value_order(spare[k], spare[i]) < 0 ? spare[k++] : spare[i++];
	while (i < half)
		at[to++] = spare[i++];
	while (k < n)
		at[to++] = spare[k++];
}

BUILTIN(sorted)
{
	if (a->at[0]->kind != VALUE_LIST)
		return &value_bad;
	struct value *copy = value_list_copy(a->ev->arena, a->at[0], a->call->span);
	merge_sort(copy->u.list.at, ARENA_ARRAY(a->ev->arena, const struct value *, copy->u.list.n), copy->u.list.n);
	return copy;
}

/*
 * Sets *RET to a text that differs for different scalars of one type; false for values that must be compared one by
 * one.
 */
static bool scalar_identity(struct arguments *a, const struct value *v, struct str *ret)
{
	switch (v->kind) {
	case VALUE_STRING: *ret = v->u.string; return true;
	case VALUE_INT: *ret = str_int(a->ev->arena, v->u.integer); return true;
	case VALUE_ROLE: *ret = str_printf(a->ev->arena, "%p", (void *)v->u.role); return true;
	case VALUE_QUANTITY:
		*ret = str_printf(a->ev->arena, "%lld %lld", (long long)(v->u.quantity.nano / QUANTITY_UNIT),
		                  (long long)(v->u.quantity.nano % QUANTITY_UNIT));
		return true;
	default: return false;
	}
}

static bool in_list(struct arguments *a, const struct value *list, const struct value *v)
{
	for (size_t i = 0; i < list->u.list.n; i++)
		if (value_equal(list->u.list.at[i], v))
			return true;
	for (size_t i = 0; i < list->u.list.n; i += 64)
		if (!eval_step(a->ev, a->call->span))
			return true;
	return false;
}

BUILTIN(unique)
{
	const struct value *list = a->at[0];
	struct value *once = value_new(a->ev->arena, VALUE_LIST, a->call->span);
	struct map seen = { 0 };
	struct str key;

	if (list->kind != VALUE_LIST)
		return &value_bad;
	once->depth = list->depth;
	once->u.list.weight = list->u.list.weight;
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct value *v = list->u.list.at[i];
		bool known = scalar_identity(a, v, &key) ? map_put(&seen, a->ev->arena, key, once) != NULL
			: in_list(a, once, v);
		if (!known)
			list_add(a->ev, once, v);
	}
	return once;
}

BUILTIN(flatten)
{
	const struct value *lists = a->at[0];
	struct value *flat = value_new(a->ev->arena, VALUE_LIST, a->call->span);

	if (lists->kind != VALUE_LIST)
		return &value_bad;
	for (size_t i = 0; i < lists->u.list.n; i++) {
		const struct value *inner = lists->u.list.at[i];
		for (size_t k = 0; inner->kind == VALUE_LIST && k < inner->u.list.n; k++)
			if (!list_add(a->ev, flat, inner->u.list.at[k]))
				return &value_bad;
	}
	return list_finish(a->ev, flat);
}

/* ---- find(list, field = value) and find(text, part) ---- */

static const struct value *find_text(struct arguments *a, struct str text, struct str part)
{
	const char *p = part.n ? memmem(text.p, text.n, part.p, part.n) : text.p;

	if (!p)
		return value_new(a->ev->arena, VALUE_NONE, a->call->span);
	return integer(a, (int64_t)str_chars((struct str){ text.p, (size_t)(p - text.p) }));
}

static struct str named_argument(const struct node *call)
{
	for (size_t i = 0; i < call->u.call.args.n; i++) {
		const struct node *arg = call->u.call.args.at[i];
		if (arg->kind == NODE_ARG && arg->u.arg.name.p)
			return arg->u.arg.name;
	}
	return (struct str){ 0 };
}

BUILTIN(find)
{
	const struct value *in = a->at[0], *wanted = ARGUMENT(a, 1);
	struct str field = named_argument(a->call);

	if (!wanted)
		return &value_bad;
	if (in->kind == VALUE_STRING && wanted->kind == VALUE_STRING)
		return find_text(a, in->u.string, wanted->u.string);
	for (size_t i = 0; in->kind == VALUE_LIST && i < in->u.list.n; i++) {
		const struct value *v = value_get(in->u.list.at[i], field);
		v = v ? value_static_deep(a->ev, v, a->call) : &value_none;
		if (!value_ok(v))
			return v;
		if (value_equal(v, wanted))
			return in->u.list.at[i];
	}
	return value_new(a->ev->arena, VALUE_NONE, a->call->span);
}

/* ---- maps ---- */

BUILTIN(keys)
{
	struct value *list = value_new(a->ev->arena, VALUE_LIST, a->call->span);

	if (a->at[0]->kind != VALUE_MAP)
		return &value_bad;
	const struct map *m = &a->at[0]->u.map.index;
	for (size_t i = 0; i < m->n; i++) {
		const struct value_entry *e = m->entries[i].value;
		list_add(a->ev, list, value_string(a->ev->arena, e->key, e->key_at));
	}
	return list_finish(a->ev, list);
}

BUILTIN(values)
{
	struct value *list = value_new(a->ev->arena, VALUE_LIST, a->call->span);

	if (a->at[0]->kind != VALUE_MAP)
		return &value_bad;
	const struct map *m = &a->at[0]->u.map.index;
	for (size_t i = 0; i < m->n; i++)
		list_add(a->ev, list, ((const struct value_entry *)m->entries[i].value)->value);
	return list_finish(a->ev, list);
}

BUILTIN(has)
{
	return value_bool(eval_passing(a->ev), value_get(a->at[0], argument_text(a, 1, "")) != NULL, a->call->span);
}
