/* object.c - makes trees of objects, and converts them from and to free-form trees. */
#include "objects/object.h"

static struct object *make(struct arena *a, enum object_kind kind, struct span from)
{
	struct object *o = ARENA_NEW(a, struct object);

	o->kind = kind;
	o->from = from;
	return o;
}

struct object *object_map(struct arena *a, struct span from) { return make(a, OBJECT_MAP, from); }
struct object *object_list(struct arena *a, struct span from) { return make(a, OBJECT_LIST, from); }

struct object *object_string(struct arena *a, struct str s, struct span from)
{
	struct object *o = make(a, OBJECT_STRING, from);

	o->u.string = s;
	return o;
}

struct object *object_integer(struct arena *a, int64_t n, struct span from)
{
	struct object *o = make(a, OBJECT_INT, from);

	o->u.integer = n;
	return o;
}

struct object *object_boolean(struct arena *a, bool b, struct span from)
{
	struct object *o = make(a, OBJECT_BOOL, from);

	o->u.boolean = b;
	return o;
}

struct object *object_get(const struct object *map, struct str key)
{
	if (!map || map->kind != OBJECT_MAP)
		return NULL;
	for (size_t i = 0; i < map->u.map.n; i++)
		if (str_eq(map->u.map.at[i].key, key))
			return map->u.map.at[i].value;
	return NULL;
}

void object_append(struct arena *a, struct object *map, struct str key, struct object *value)
{
	struct object_field f = { key, value, false };

	ARENA_PUSH(a, map->u.map.at, map->u.map.n, f);
}

void object_append_word(struct arena *a, struct object *map, struct str key, struct object *value)
{
	struct object_field f = { key, value, true };

	ARENA_PUSH(a, map->u.map.at, map->u.map.n, f);
}

void object_put(struct arena *a, struct object *map, struct str key, struct object *value)
{
	for (size_t i = 0; i < map->u.map.n; i++)
		if (str_eq(map->u.map.at[i].key, key)) {
			map->u.map.at[i].value = value;
			return;
		}
	object_append(a, map, key, value);
}

void object_put_all(struct arena *a, struct object *map, const struct object_field *fields, size_t n)
{
	struct map index = { 0 };

	if (!n)
		return;
	for (size_t i = 0; i < map->u.map.n; i++)
		map_put(&index, a, map->u.map.at[i].key, (void *)(uintptr_t)(i + 1));
	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)(uintptr_t)map_get(&index, fields[i].key);
		if (at)
			map->u.map.at[at - 1].value = fields[i].value;
		else
			object_append(a, map, fields[i].key, fields[i].value);
	}
}

void object_add(struct arena *a, struct object *list, struct object *value)
{
	ARENA_PUSH(a, list->u.list.at, list->u.list.n, value);
}

struct object *object_put_map(struct arena *a, struct object *map, struct str key, struct span from)
{
	struct object *o = object_map(a, from);

	object_append_word(a, map, key, o);
	return o;
}

struct object *object_put_list(struct arena *a, struct object *map, struct str key, struct span from)
{
	struct object *o = object_list(a, from);

	object_append_word(a, map, key, o);
	return o;
}

struct object *object_need_map(struct arena *a, struct object *map, struct str key, struct span from)
{
	struct object *o = object_get(map, key);

	return o ? o : object_put_map(a, map, key, from);
}

struct object *object_need_list(struct arena *a, struct object *map, struct str key, struct span from)
{
	struct object *o = object_get(map, key);

	return o ? o : object_put_list(a, map, key, from);
}

struct object *object_add_map(struct arena *a, struct object *list, struct span from)
{
	struct object *o = object_map(a, from);

	object_add(a, list, o);
	return o;
}

void object_text(const struct object *o, int64_t index, struct buf *out)
{
	if (o->kind == OBJECT_STRING)
		buf_str(out, o->u.string);
	if (o->kind != OBJECT_TEXT)
		return;
	for (size_t i = 0; i < o->u.text.n; i++) {
		if (o->u.text.at[i].p)
			buf_str(out, o->u.text.at[i]);
		else
			buf_int(out, index);
	}
}

struct object *object_from_data(struct arena *a, const struct data *d)
{
	static const enum object_kind kinds[] = {
		[DATA_NULL] = OBJECT_NULL, [DATA_BOOL] = OBJECT_BOOL, [DATA_INT] = OBJECT_INT,
			[DATA_FLOAT] = OBJECT_FLOAT,
		[DATA_STRING] = OBJECT_STRING, [DATA_LIST] = OBJECT_LIST, [DATA_MAP] = OBJECT_MAP,
	};
	struct object *o = make(a, kinds[d->kind], d->from);

	switch (d->kind) {
	case DATA_NULL: break;
	case DATA_BOOL: o->u.boolean = d->u.boolean; break;
	case DATA_INT: o->u.integer = d->u.integer; break;
	case DATA_FLOAT: o->u.number = d->u.number; break;
	case DATA_STRING: o->u.string = d->u.string; break;
	case DATA_LIST:
		for (size_t i = 0; i < d->u.list.n; i++)
			object_add(a, o, object_from_data(a, d->u.list.at[i]));
		break;
	case DATA_MAP:
		for (size_t i = 0; i < d->u.map.n; i++)
			object_append(a, o, d->u.map.at[i].key, object_from_data(a, d->u.map.at[i].value));
		break;
	}
	return o;
}

static void list_to_data(struct arena *a, const struct object *o, int64_t index, struct data *ret)
{
	ret->kind = DATA_LIST;
	ret->u.list.n = o->u.list.n;
	ret->u.list.at = ARENA_ARRAY(a, const struct data *, o->u.list.n);
	for (size_t i = 0; i < o->u.list.n; i++)
		ret->u.list.at[i] = object_to_data(a, o->u.list.at[i], index);
}

static void map_to_data(struct arena *a, const struct object *o, int64_t index, struct data *ret)
{
	ret->kind = DATA_MAP;
	ret->u.map.n = o->u.map.n;
	ret->u.map.at = ARENA_ARRAY(a, struct data_member, o->u.map.n);
	for (size_t i = 0; i < o->u.map.n; i++) {
		struct object *value = o->u.map.at[i].value;
		ret->u.map.at[i] = (struct data_member){ o->u.map.at[i].key, value->from,
			object_to_data(a, value, index) };
	}
}

struct data *object_to_data(struct arena *a, const struct object *o, int64_t index)
{
	struct data *d = ARENA_NEW(a, struct data);
	struct buf text = { 0 };

	d->from = o->from;
	switch (o->kind) {
	case OBJECT_NULL: d->kind = DATA_NULL; break;
	case OBJECT_BOOL: d->kind = DATA_BOOL; d->u.boolean = o->u.boolean; break;
	case OBJECT_INT: d->kind = DATA_INT; d->u.integer = o->u.integer; break;
	case OBJECT_FLOAT: d->kind = DATA_FLOAT; d->u.number = o->u.number; break;
	case OBJECT_STRING: d->kind = DATA_STRING; d->u.string = str_copy(a, o->u.string); break;
	case OBJECT_TEXT:
		d->kind = DATA_STRING;
		object_text(o, index, &text);
		d->u.string = buf_take(&text, a);
		break;
	case OBJECT_MADE: d = object_to_data(a, o->u.made.make(o->u.made.context, a, index), index); break;
	case OBJECT_LIST: list_to_data(a, o, index, d); break;
	case OBJECT_MAP: map_to_data(a, o, index, d); break;
	}
	buf_release(&text);
	return d;
}
