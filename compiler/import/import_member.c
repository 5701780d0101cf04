/*
 * import_member.c - finds members of a manifest's maps by their names.
 */
#include "import/import_manifest.h"

const struct data *member(const struct data *map, const char *key) { return data_get(map, str_of(key)); }

struct span member_at(const struct data *map, const char *key)
{
	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++)
		if (str_is(map->u.map.at[i].key, key))
			return map->u.map.at[i].key_at;
	return map ? map->from : (struct span){ 0, 0 };
}

size_t data_count(const struct data *d)
{
	return !d ? 0 : d->kind == DATA_MAP ? d->u.map.n : d->kind == DATA_LIST ? d->u.list.n : 0;
}

struct str member_text(const struct data *map, const char *key)
{
	const struct data *d = member(map, key);

	return d && d->kind == DATA_STRING ? d->u.string : (struct str){ 0 };
}

bool member_among(const struct data *list, const char *key, struct str text)
{
	for (size_t i = 0; i < data_count(list); i++)
		if (str_eq(member_text(list->u.list.at[i], key), text))
			return true;
	return false;
}

bool member_is_record(struct str key)
{
	return str_starts(key, STR("trainc.dev/")) || str_is(key, "applyset.kubernetes.io/part-of");
}

bool member_is_manager(struct str key) { return str_is(key, "app.kubernetes.io/managed-by"); }

int64_t member_int(const struct data *map, const char *key, int64_t fallback)
{
	const struct data *d = member(map, key);

	return d && d->kind == DATA_INT ? d->u.integer : fallback;
}

bool member_bool(const struct data *map, const char *key, bool fallback)
{
	const struct data *d = member(map, key);

	return d && d->kind == DATA_BOOL ? d->u.boolean : fallback;
}
