/*
 * map.h - a map from names to pointers, iterated in insertion order so that the same input always gives the same
 * output. Keys are compared by content and borrowed, not copied. A map lives in an arena; entries cannot be removed.
 */
#ifndef TRAINC_BASE_MAP_H
#define TRAINC_BASE_MAP_H

#include "base/str.h"

struct map_entry {
	struct str key;
	uint32_t hash;
	union {
		void *value;
		const void *fixed;      /* value of an entry that map_put_const() added */
	};
};

struct map {
	struct map_entry *entries;      /* the entries, in insertion order */
	size_t n;
	uint32_t *index;                /* hash table of 1 + the index of an entry, 0 in free slots; NULL while the map
					 * is small */
	size_t size;
};

/* The value of KEY, or NULL. */
void *map_get(const struct map *m, struct str key);
/* Sets the value of KEY; an existing key keeps its position. Returns the earlier value. */
void *map_put(struct map *m, struct arena *a, struct str key, void *value);
/* Like map_put(), for a map whose values are only read, as pointers to const. */
const void *map_put_const(struct map *m, struct arena *a, struct str key, const void *value);

#endif
