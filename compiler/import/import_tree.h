/*
 * import_tree.h - replaces parts of a manifest's tree; the copy shares all unchanged parts.
 */
#ifndef TRAINC_IMPORT_IMPORT_TREE_H
#define TRAINC_IMPORT_IMPORT_TREE_H

#include "import/import_manifest.h"

/* Returns MAP with one member replaced or added; MAP may be NULL. */
const struct data *tree_with(struct arena *a, const struct data *map, const char *key, const struct data *value,
	struct span key_at);
/* Returns MAP, which may be NULL, without the members that DROP chooses; DROP also gets OF. */
const struct data *tree_without(struct arena *a, const struct data *map,
	bool (*drop)(const struct data_member *m, const struct data *of), const struct data *of);
/* Do two trees say the same? The order of the members of a map does not count. */
bool tree_same(const struct data *a, const struct data *b);
/* Returns a copy of a list, whose elements may be replaced. */
struct data *tree_copy(struct arena *a, const struct data *list);
const struct data *tree_one(struct arena *a, const struct data *value);
/* Returns a list with the elements of two lists; each may be NULL. */
const struct data *tree_append(struct arena *a, const struct data *list, const struct data *more);
/* Joins two lists of maps. Of two elements with the same `name` the later one is kept, at the position of the first. */
const struct data *tree_upsert(struct arena *a, const struct data *list, const struct data *more);
/* Joins the members of two maps; if both have a member, that of MORE is kept. */
const struct data *tree_merge(struct arena *a, const struct data *map, const struct data *more);
const struct data *tree_text(struct arena *a, struct str text, struct span from);
const struct data *tree_int(struct arena *a, int64_t n, struct span from);

#endif
