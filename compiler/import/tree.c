/*
 * tree.c - one manifest laid over another.
 */
#include "import/tree.h"

const struct data *tree_with(struct arena *a, const struct data *map, const char *key, const struct data *value, struct span key_at)
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
	at[n].value = (struct data *)value;
	*ret = (struct data){ .kind = DATA_MAP, .from = map ? map->from : value->from, .u.map = { at, old + (n == old) } };
	return ret;
}

const struct data *tree_element(struct arena *a, const struct data *list, size_t i, const struct data *value)
{
	size_t old = data_count(list);
	struct data **at = ARENA_ARRAY(a, struct data *, old + 1);
	struct data *ret = ARENA_NEW(a, struct data);

	for (size_t k = 0; k < old; k++)
		at[k] = list->u.list.at[k];
	at[i < old ? i : old] = (struct data *)value;
	*ret = (struct data){ .kind = DATA_LIST, .from = list ? list->from : value->from, .u.list = { at, old + (i >= old) } };
	return ret;
}

const struct data *tree_upsert(struct arena *a, const struct data *list, const struct data *more)
{
	for (size_t i = 0; i < data_count(more); i++) {
		const struct data *entry = more->u.list.at[i];
		size_t at = 0;
		while (at < data_count(list) && !str_eq(member_text(list->u.list.at[at], "name"), member_text(entry, "name")))
			at++;
		list = tree_element(a, list, at, entry);
	}
	return list;
}

const struct data *tree_merge(struct arena *a, const struct data *map, const struct data *more)
{
	for (size_t i = 0; i < data_count(more); i++)
		map = tree_with(a, map, str_copy(a, more->u.map.at[i].key).p, more->u.map.at[i].value, more->u.map.at[i].key_at);
	return map;
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
