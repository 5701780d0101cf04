/*
 * body.c - evaluates a body to a record or a map. A key that is extended several times, `a { x = 1 }` and `a { y = 2
 * }`, is one value written in several parts. The parts are merged entry by entry, at every depth, and only then
 * converted. If each part were completed to a record first, its defaults would hide what the other parts set.
 */
#include "eval/internal.h"

struct growing {                        /* an entry that is being extended */
	const struct value *base;       /* the value that is extended; NULL if no value is extended */
	struct eval_part *at;
	size_t n;
	struct str key;
	struct span key_at;
};

struct building {
	struct eval *ev;
	struct value *map;
	const struct value *stop;
	struct map growing;             /* key -> struct growing */
	struct map written;             /* key -> struct written_key: the keys that the parts set */
};

struct written_key {                        /* a key that a part sets */
	unsigned level;
	struct span at;
};

static void stop_at(struct building *b, const struct value *v)
{
	if (!value_ok(v))
		b->stop = b->stop && b->stop->kind == VALUE_BAD ? b->stop : v;
}

static void put_pod_key(struct building *b, const struct entry *e, const struct value *v)
{
	struct value_map *map = &b->map->u.map;
	struct eval *ev = b->ev;

	if (map->pod_key) {
		struct diag *d = eval_report(ev, TJ0708, e->key_at,
			"two keys of one map depend on the replica; at most one can");
		diag_note(ev->diags, d, map->pod_key->from, "the other one");
		b->stop = &value_bad;
		return;
	}
	map->pod_key = e->pod_key;
	map->pod_value = v;
	map->pod_position = map->index.n;
}

/*
 * Can the text KEY be equal to CONSTANT in some replica? It can if CONSTANT has the text of KEY with digits in place of
 * the index.
 */
static bool may_be(const struct text *key, struct str constant)
{
	size_t at = 0;

	for (size_t i = 0; i < key->n; i++) {
		const struct piece *p = &key->at[i];
		if (p->kind == PIECE_TEXT) {
			if (!str_starts((struct str){ constant.p + at, constant.n - at }, p->u.text))
				return false;
			at += p->u.text.n;
			continue;
		}
		if (p->kind != PIECE_INDEX)
			return false;
		size_t digits = strspn(constant.p + at, "0123456789");
		digits = digits < constant.n - at ? digits : constant.n - at;
		if (!digits)
			return false;
		at += digits;
	}
	return at == constant.n;
}

/* Checks that a key which depends on the replica cannot equal another key in some replica. */
static void check_pod_key(struct building *b)
{
	const struct value_map *map = &b->map->u.map;

	for (size_t i = 0; map->pod_key && i < map->index.n; i++) {
		const struct value_entry *e = map->index.entries[i].value;
		struct str key = str_printf(b->ev->arena, "%.*s", STR_ARG(e->key));
		if (!may_be(map->pod_key, key))
			continue;
		struct diag *d = eval_report(b->ev, TJ0206, e->key_at, "the key \"%.*s\" is also that of a replica",
			STR_ARG(key));
		diag_note(b->ev->diags, d, map->pod_key->from, "this key depends on the replica");
		diag_help(b->ev->diags, d, "give the other key a name that no index makes");
		b->stop = &value_bad;
		return;
	}
}

static void set_entry(struct building *b, struct entry *e)
{
	const struct value *v = entry_value(b->ev, e);
	struct growing *g = b->growing.n && !e->pod_key ? map_get(&b->growing, e->key) : NULL;

	stop_at(b, v);
	if (g)
		g->n = 0;
	if (e->pod_key)
		put_pod_key(b, e, v);
	else
		value_put(b->ev->arena, b->map, e->key, e->key_at, v);
}

/* Reports a key that another part of the same body has set (TJ0206). */
static void note_key(struct building *b, const struct entry *e, unsigned level)
{
	struct written_key *first = map_get(&b->written, e->key);

	if (first && first->level == level) {
		entry_set_twice(b->ev, e->key, e->key_at, first->at);
		b->stop = &value_bad;
		return;
	}
	first = ARENA_NEW(eval_work(b->ev), struct written_key);
	*first = (struct written_key){ level, e->key_at };
	map_put(&b->written, eval_work(b->ev), e->key, first);
}

static void extend_entry(struct building *b, const struct entry *e, unsigned level)
{
	struct arena *work = eval_work(b->ev);
	struct eval_part part = { e->frame, e->item->u.item.value, level };
	struct growing *g = map_get(&b->growing, e->key);

	if (!g) {
		g = ARENA_NEW(work, struct growing);
		map_put(&b->growing, work, e->key, g);
	}
	if (!g->n) {
		g->base = value_get(b->map, e->key);
		g->key = e->key;
		g->key_at = e->key_at;
	}
	if (!g->n && !g->base)          /* the first part reserves the position of the key */
		value_put(b->ev->arena, b->map, e->key, e->key_at, &value_none);
	ARENA_PUSH(work, g->at, g->n, part);
}

static void add_part(struct building *b, const struct eval_part *part, bool alone)
{
	struct entries *entries = eval_entries(b->ev, part->frame, part->body);

	if (entries->failed)
		b->stop = &value_bad;
	for (size_t i = 0; i < entries->n; i++) {
		struct entry *e = &entries->at[i];
		if (e->item && e->item->kind == NODE_EXTEND && !e->pod_key)
			extend_entry(b, e, part->level);
		else if (!e->item || entry_expr(e))
			set_entry(b, e);
		if (!alone && e->item && entry_sets(e) && entry_expr(e) && !e->pod_key)
			note_key(b, e, part->level);
	}
}

static const struct value *put_together(struct eval *ev, const struct value *base, const struct eval_part *parts,
	size_t n)
{
	struct building b = { .ev = ev, .map = value_new(ev->arena, VALUE_MAP, parts[n - 1].body->span) };

	for (size_t i = 0; base && i < base->u.map.index.n; i++) {
		const struct value_entry *e = base->u.map.index.entries[i].value;
		value_put(ev->arena, b.map, e->key, e->key_at, e->value);
	}
	for (size_t i = 0; i < n; i++)
		add_part(&b, &parts[i], n == 1);
	for (size_t i = 0; i < b.growing.n; i++) {
		const struct growing *g = b.growing.entries[i].value;
		const struct value *v = g->n ? eval_parts(ev, g->base, g->at, g->n, g->key) : NULL;
		if (!v)
			continue;
		stop_at(&b, v);
		value_put(ev->arena, b.map, g->key, g->key_at, v);
	}
	if (!b.stop)
		check_pod_key(&b);
	return b.stop ? b.stop : map_finish(ev, b.map);
}

const struct value *eval_parts(struct eval *ev, const struct value *base, const struct eval_part *parts, size_t n,
	struct str name)
{
	const struct type *to = parts[n - 1].body->convert_to;
	struct str outer = ev->name;

	if (base && !value_ok(base))
		return base;
	if (base && base->kind != VALUE_MAP)
		base = NULL;
	if (!base && n == 1)
		return eval_named(ev, parts->frame, parts->body, name);
	for (size_t i = 0; i < n; i++)
		if (parts[i].body->type && parts[i].body->type->kind == TYPE_BAD)
			return &value_bad;
	if (!eval_step(ev, parts->body->span))
		return &value_bad;
	const struct value *v = put_together(ev, base, parts, n);
	if (!value_ok(v) || !to)
		return v;
	ev->name = name;
	v = value_convert(ev, v, to, parts[n - 1].body->span, to->refine ? to->refine->from : (struct span){ 0 });
	ev->name = outer;
	return v;
}

const struct value *eval_body(struct eval *ev, struct frame *f, struct node *body)
{
	struct eval_part part = { f, body, 0 };

	return put_together(ev, NULL, &part, 1);
}
