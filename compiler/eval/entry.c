/*
 * entry.c - combines the entries of a block for one field. A field may occur several times: extensions are merged,
 * within one body and over all levels of a role. Only this file distinguishes entries that are written out, declared
 * with a type, or inserted from a record; callers see no difference.
 */
#include "eval/internal.h"

struct node *entry_expr(const struct entry *e)
{
	if (!e->item)
		return NULL;
	switch (e->item->kind) {
	case NODE_SET: case NODE_EXTEND: return e->item->u.item.value;
	case NODE_FIELD: return e->item->u.field.value;
	default: return NULL;
	}
}

/* Does this entry give the field a value? A typed declaration without a value does not. */
static bool entry_speaks(const struct entry *e, enum field_id id)
{
	return e->field && e->field->id == id && (!e->item || entry_expr(e));
}

bool entry_sets(const struct entry *e) { return !e->item || e->item->kind != NODE_EXTEND; }

struct span entry_at(const struct entry *e)
{
	const struct node *expr = entry_expr(e);

	return expr ? expr->span : e->key_at;
}

const struct value *entry_value(struct eval *ev, struct entry *e)
{
	struct str outer = ev->name;

	if (e->item)
		return eval_named(ev, e->frame, entry_expr(e), e->key);
	if (e->field && !e->converted) {
		struct span at = in_user_text(ev, e->value->from) ? e->value->from : e->key_at;
		e->converted = true;
		ev->name = e->key;
		e->value = value_convert(ev, e->value, schema_type(&ev->types, e->field->id), at, (struct span){ 0 });
		ev->name = outer;
	}
	return e->value;
}

struct entries *entry_body(struct eval *ev, struct entry *e)
{
	struct node *expr = entry_expr(e);

	if (expr && expr->kind == NODE_BODY)
		return eval_entries(ev, e->frame, expr);
	struct entries *es = ARENA_NEW(eval_work(ev), struct entries);
	const struct value *v = entry_value(ev, e);
	for (size_t i = 0; v->kind == VALUE_MAP && i < v->u.map.index.n; i++) {
		const struct value_entry *member = v->u.map.index.entries[i].value;
		struct entry inserted = { .key = member->key, .key_at = member->key_at, .value = member->value,
			.frame = e->frame };
		ARENA_PUSH(eval_work(ev), es->at, es->n, inserted);
	}
	return es;
}

/* ---- several entries ---- */

struct entry *said_first(const struct entries *es, enum field_id id)
{
	for (size_t i = entries_about(es, id); i-- > 0;)
		if (entry_speaks(&es->at[i], id))
			return &es->at[i];
	return NULL;
}

struct node *declared_by(const struct entries *es, enum field_id id)
{
	for (size_t i = 0, n = entries_about(es, id); i < n; i++) {
		const struct entry *e = &es->at[i];
		if (e->item && e->item->kind == NODE_FIELD && e->field && e->field->id == id)
			return e->item;
	}
	return NULL;
}

bool said_by(struct eval *ev, struct entries *es, enum field_id id, unsigned level, struct said *into)
{
	for (size_t i = entries_about(es, id); i-- > 0;) {
		struct contribution c = { &es->at[i], level };
		if (!entry_speaks(c.entry, id))
			continue;
		ARENA_PUSH(eval_work(ev), into->at, into->n, c);
		if (entry_sets(c.entry))
			return true;
	}
	return false;
}

const struct value *list_joined(struct eval *ev, const struct value *a, const struct value *b, struct span at)
{
	size_t n = a->u.list.n + b->u.list.n;
	struct value *v = value_new(ev->arena, VALUE_LIST, at);

	if (!eval_list_fits(ev, n, at))
		return &value_bad;
	v->u.list.at = ARENA_ARRAY(ev->arena, const struct value *, n);
	for (size_t i = 0; i < n; i++)
		v->u.list.at[v->u.list.n++] = i < a->u.list.n ? a->u.list.at[i] : b->u.list.at[i - a->u.list.n];
	return v;
}

/* Merges the entries of two maps; an overridden key keeps its position. *OWN is the merged map, made on first use. */
static const struct value *extend(struct eval *ev, const struct value *lower, const struct value *upper,
	struct value **own)
{
	const struct map *maps[2] = { &lower->u.map.index, &upper->u.map.index };

	if (lower->kind == VALUE_LIST && upper->kind == VALUE_LIST)     /* += */
		return list_joined(ev, lower, upper, upper->from);
	if (lower->kind != VALUE_MAP || upper->kind != VALUE_MAP)
		return upper;
	if (!*own)
		*own = value_new(ev->arena, VALUE_MAP, upper->from);
	for (int m = lower == *own; m < 2; m++)
		for (size_t i = 0; i < maps[m]->n; i++)
			map_put(&(*own)->u.map.index, ev->arena, maps[m]->entries[i].key, maps[m]->entries[i].value);
	(*own)->from = upper->from;
	return *own;
}

/*
 * Reports keys that two extensions of one body set (TJ0206). A key that was inserted, or that a record has by default,
 * is not written within the extension.
 */
static void report_repeated_keys(struct eval *ev, const struct said *s)
{
	struct map seen = { 0 };

	for (size_t i = s->n; i-- > 0;) {
		struct contribution c = s->at[i];
		bool alone = (i + 1 == s->n || s->at[i + 1].level != c.level) && (!i || s->at[i - 1].level != c.level);
		if (i + 1 == s->n || s->at[i + 1].level != c.level)
			seen = (struct map){ 0 };
		if (alone || entry_sets(c.entry))
			continue;
		const struct value *v = entry_value(ev, c.entry);
		struct span within = entry_at(c.entry);
		for (size_t k = 0; v->kind == VALUE_MAP && k < v->u.map.index.n; k++) {
			const struct value_entry *e = v->u.map.index.entries[k].value, *first;
			if (e->key_at.start < within.start || e->key_at.end > within.end)
				continue;
			first = map_put_const(&seen, eval_work(ev), e->key, e);
			if (first)
				entry_set_twice(ev, e->key, e->key_at, first->key_at);
		}
	}
}

const struct value *said_value(struct eval *ev, const struct said *s)
{
	const struct value *v = NULL, *stop = NULL;
	struct value *own = NULL;

	if (s->n > 1)
		report_repeated_keys(ev, s);

	for (size_t i = s->n; i-- > 0;) {
		const struct value *mine = entry_value(ev, s->at[i].entry);
		if (!value_ok(mine))
			stop = stop && stop->kind == VALUE_BAD ? stop : mine;
		else
			v = v ? extend(ev, v, mine, &own) : mine;
	}
	return stop ? stop : v;
}
