/*
 * tree.h - trees of a manifest with other parts: what is not changed is shared.
 */
#ifndef TRAINC_IMPORT_TREE_H
#define TRAINC_IMPORT_TREE_H

#include "import/manifest.h"

/* A map in which a member is another one, or one more; `map` may be NULL. */
const struct data *tree_with(struct arena *a, const struct data *map, const char *key, const struct data *value,
	struct span key_at);
/* A list of its own, whose elements may be changed for others. */
struct data *tree_copy(struct arena *a, const struct data *list);
const struct data *tree_one(struct arena *a, const struct data *value);
/* A list, followed by the elements of another; each may be NULL. */
const struct data *tree_append(struct arena *a, const struct data *list, const struct data *more);
/* A list of maps, followed by those of another; of two with one `name` the later one stays, in its place. */
const struct data *tree_upsert(struct arena *a, const struct data *list, const struct data *more);
/* The members of two maps; the second one counts. */
const struct data *tree_merge(struct arena *a, const struct data *map, const struct data *more);
const struct data *tree_text(struct arena *a, struct str text, struct span from);
const struct data *tree_int(struct arena *a, int64_t n, struct span from);

#endif
