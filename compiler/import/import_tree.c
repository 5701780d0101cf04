/*
 * import_tree.c - joins trees of manifests, and replaces parts of them.
 */
#include "import/import_tree.h"

const struct data *tree_with(struct arena *a, const struct data *map, const char *key, const struct data *value,
	struct span key_at)
{
	size_t old = data_count(map), n = old;
	struct data_member *at = ARENA_ARRAY(a, struct data_member, old + 1);
	struct data *ret = ARENA_NEW(a, struct data);

	for (size_t i = 0; i < old; i++) {
		at[i] = map->u.map.at[i];
		if (str_is(at[i].key, key))
			n = i;
	}
	if (n == old || !span_known(at[n].key_at))
		at[n].key_at = key_at;
	at[n].key = str_of(key);
	at[n].value = value;
	*ret = (struct data){ .kind = DATA_MAP, .from = map ? map->from : value->from,
		.u.map = { at, old + (n == old) } };
	return ret;
}

const struct data *tree_without(struct arena *a, const struct data *map,
	bool (*drop)(const struct data_member *m, const struct data *of), const struct data *of)
{
	struct data *ret;
	size_t n = 0;

	if (!map || map->kind != DATA_MAP)
		return map;
	ret = ARENA_NEW(a, struct data);
	*ret = (struct data){ .kind = DATA_MAP, .from = map->from,
		.u.map = { ARENA_ARRAY(a, struct data_member, map->u.map.n), 0 } };
	for (size_t i = 0; i < map->u.map.n; i++)
		if (!drop(&map->u.map.at[i], of))
			ret->u.map.at[n++] = map->u.map.at[i];
	ret->u.map.n = n;
	return ret;
}

bool tree_same(const struct data *a, const struct data *b)
{
	const struct data *other;

	if (a->kind != b->kind || data_count(a) != data_count(b))
		return false;
	for (size_t i = 0; a->kind == DATA_LIST && i < a->u.list.n; i++)
		if (!tree_same(a->u.list.at[i], b->u.list.at[i]))
			return false;
	for (size_t i = 0; a->kind == DATA_MAP && i < a->u.map.n; i++)
		if (!(other = data_get(b, a->u.map.at[i].key)) || !tree_same(a->u.map.at[i].value, other))
			return false;
	switch (a->kind) {
	case DATA_BOOL: return a->u.boolean == b->u.boolean;
	case DATA_INT: return a->u.integer == b->u.integer;
	case DATA_STRING: return str_eq(a->u.string, b->u.string);
	case DATA_NULL: case DATA_LIST: case DATA_MAP: return true;
	default: return false;
	}
}

/* Copies a list, with room for more elements; NULL counts as an empty list. */
static struct data *list_copy(struct arena *a, const struct data *list, size_t more, struct span from)
{
	size_t n = data_count(list);
	struct data *ret = ARENA_NEW(a, struct data);
	const struct data **at = ARENA_ARRAY(a, const struct data *, n + more);

	if (n)
		memcpy(at, list->u.list.at, n * sizeof *at);
	*ret = (struct data){ .kind = DATA_LIST, .from = list ? list->from : from, .u.list = { at, n } };
	return ret;
}

struct data *tree_copy(struct arena *a, const struct data *list) { return list_copy(a, list, 0, list->from); }

const struct data *tree_one(struct arena *a, const struct data *value)
{
	struct data *ret = list_copy(a, NULL, 1, value->from);

	ret->u.list.at[ret->u.list.n++] = value;
	return ret;
}

const struct data *tree_append(struct arena *a, const struct data *list, const struct data *more)
{
	size_t n = data_count(more);
	struct data *ret;

	if (!n)
		return list;
	ret = list_copy(a, list, n, more->from);
	memcpy(ret->u.list.at + ret->u.list.n, more->u.list.at, n * sizeof *more->u.list.at);
	ret->u.list.n += n;
	return ret;
}

const struct data *tree_upsert(struct arena *a, const struct data *list, const struct data *more)
{
	struct arena scratch = { 0 };
	struct map places = { 0 };      /* elements of `ret` by name: the first one of each name */
	struct data *ret;

	if (!data_count(more))
		return list;
	ret = list_copy(a, list, more->u.list.n, more->from);
	for (size_t i = 0; i < ret->u.list.n; i++) {
		struct str name = member_text(ret->u.list.at[i], "name");
		if (!map_get(&places, name))
			map_put(&places, &scratch, name, &ret->u.list.at[i]);
	}
	for (size_t i = 0; i < more->u.list.n; i++) {
		struct str name = member_text(more->u.list.at[i], "name");
		const struct data **place = map_get(&places, name);
		if (!place) {
			place = &ret->u.list.at[ret->u.list.n++];
			map_put(&places, &scratch, name, place);
		}
		*place = more->u.list.at[i];
	}
	arena_release(&scratch);
	return ret;
}

const struct data *tree_merge(struct arena *a, const struct data *map, const struct data *more)
{
	struct arena scratch = { 0 };
	struct map places = { 0 };
	size_t old = data_count(map), n = old;
	struct data_member *at;
	struct data *ret;

	if (!data_count(more))
		return map;
	at = ARENA_ARRAY(a, struct data_member, old + more->u.map.n);
	for (size_t i = 0; i < old; i++) {
		at[i] = map->u.map.at[i];
		map_put(&places, &scratch, at[i].key, &at[i]);
	}
	for (size_t i = 0; i < more->u.map.n; i++) {
		const struct data_member *m = &more->u.map.at[i];
		struct data_member *there = map_get(&places, m->key);
		if (there)
			there->value = m->value;
		else
			at[n++] = *m;
	}
	ret = ARENA_NEW(a, struct data);
	*ret = (struct data){ .kind = DATA_MAP, .from = map ? map->from : more->from, .u.map = { at, n } };
	arena_release(&scratch);
	return ret;
}

const struct data *tree_text(struct arena *a, struct str text, struct span from)
{
	struct data *d = ARENA_NEW(a, struct data);

	*d = (struct data){ .kind = DATA_STRING, .from = from, .u.string = text };
	return d;
}

const struct data *tree_int(struct arena *a, int64_t n, struct span from)
{
	struct data *d = ARENA_NEW(a, struct data);

	*d = (struct data){ .kind = DATA_INT, .from = from, .u.integer = n };
	return d;
}
