/* data.c - looks up and extends free-form trees. */
#include "data/data.h"

const struct data *data_get(const struct data *d, struct str key)
{
	if (!d || d->kind != DATA_MAP)
		return NULL;
	for (size_t i = 0; i < d->u.map.n; i++)
		if (str_eq(d->u.map.at[i].key, key))
			return d->u.map.at[i].value;
	return NULL;
}

static bool of_maps(const struct data *d)
{
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		if (d->u.list.at[i]->kind != DATA_MAP)
			return false;
	return d->kind == DATA_LIST;
}

static void member_put(struct arena *a, struct data *map, struct data_member m)
{
	for (size_t i = 0; i < map->u.map.n; i++)
		if (str_eq(map->u.map.at[i].key, m.key)) {
			m.value = data_extend(a, map->u.map.at[i].value, m.value);
			map->u.map.at[i] = m;
			return;
		}
	ARENA_PUSH(a, map->u.map.at, map->u.map.n, m);
}

const struct data *data_extend(struct arena *a, const struct data *lower, const struct data *upper)
{
	struct data *both = ARENA_NEW(a, struct data);
	const struct data *parts[2] = { lower, upper };

	*both = (struct data){ .kind = upper->kind, .from = upper->from };
	if (lower->kind == DATA_MAP && upper->kind == DATA_MAP) {
		for (int p = 0; p < 2; p++)
			for (size_t i = 0; i < parts[p]->u.map.n; i++)
				member_put(a, both, parts[p]->u.map.at[i]);
	} else if (of_maps(lower) && of_maps(upper)) {
		for (int p = 0; p < 2; p++)
			for (size_t i = 0; i < parts[p]->u.list.n; i++)
				ARENA_PUSH(a, both->u.list.at, both->u.list.n, parts[p]->u.list.at[i]);
	} else {
		*both = *upper;
	}
	return both;
}
