/*
 * map.h - name -> pointer, iterated in insertion order so that the same input always gives the same
 * output.  Keys are compared by content and borrowed, not copied.  Lives in an arena; there is no
 * removal.
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
	uint32_t *index;                /* hash table: entry number + 1, 0 in free slots; NULL while the map is small */
	size_t size;
};

/* The value of `key`, or NULL. */
void *map_get(const struct map *m, struct str key);
/* Set `key`; an existing key keeps its position.  Returns the value it had. */
void *map_put(struct map *m, struct arena *a, struct str key, void *value);
/* For a map of constants: take its values out as pointers to const only. */
const void *map_put_const(struct map *m, struct arena *a, struct str key, const void *value);

#endif
