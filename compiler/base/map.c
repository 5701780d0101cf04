/* map.c - a hash table of positions in an array of entries, which keeps the order of insertion. */
#include "base/map.h"

enum { SMALL = 8 };                     /* below this size, comparing all keys is faster than an index */

static uint32_t *find_slot(const struct map *m, struct str key, uint32_t hash)
{
	size_t at = hash & (m->size - 1);
	while (m->index[at]) {
		const struct map_entry *e = &m->entries[m->index[at] - 1];
		if (e->hash == hash && str_eq(e->key, key))
			break;
		at = (at + 1) & (m->size - 1);
	}
	return &m->index[at];
}

static struct map_entry *map_find(const struct map *m, struct str key, uint32_t hash)
{
	if (m->index) {
		uint32_t i = *find_slot(m, key, hash);
		return i ? &m->entries[i - 1] : NULL;
	}
	for (size_t i = 0; i < m->n; i++)
		if (m->entries[i].hash == hash && str_eq(m->entries[i].key, key))
			return &m->entries[i];
	return NULL;
}

void *map_get(const struct map *m, struct str key)
{
	const struct map_entry *e = m->n ? map_find(m, key, str_hash(key)) : NULL;
	return e ? e->value : NULL;
}

static void reindex(struct map *m, struct arena *a)
{
	m->size = m->size ? m->size * 2 : 4 * SMALL;
	m->index = ARENA_ARRAY(a, uint32_t, m->size);
	for (size_t i = 0; i < m->n; i++)
		*find_slot(m, m->entries[i].key, m->entries[i].hash) = (uint32_t)i + 1;
}

/* Returns the entry of `key`, and adds an entry if the key has none yet. */
static struct map_entry *entry(struct map *m, struct arena *a, struct str key)
{
	uint32_t hash = str_hash(key);
	struct map_entry *e = map_find(m, key, hash);
	if (e)
		return e;
	struct map_entry added = { .key = key, .hash = hash };
	ARENA_PUSH(a, m->entries, m->n, added);
	if (m->n > SMALL && m->n * 2 > m->size)
		reindex(m, a);
	else if (m->index)
		*find_slot(m, key, hash) = (uint32_t)m->n;
	return &m->entries[m->n - 1];
}

void *map_put(struct map *m, struct arena *a, struct str key, void *value)
{
	struct map_entry *e = entry(m, a, key);
	void *old = e->value;
	e->value = value;
	return old;
}

const void *map_put_const(struct map *m, struct arena *a, struct str key, const void *value)
{
	struct map_entry *e = entry(m, a, key);
	const void *old = e->fixed;
	e->fixed = value;
	return old;
}
