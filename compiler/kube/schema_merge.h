/*
 * schema_merge.h - which elements of a list are the same one: Kubernetes merges such lists by the keys that their
 * schema names. Also the types whose fields raw blocks set.
 */
#ifndef TRAINC_KUBE_SCHEMA_MERGE_H
#define TRAINC_KUBE_SCHEMA_MERGE_H

#include "data/data.h"
#include "kube/schema.h"

/* The built-in type whose fields `raw WORD` sets; NULL if no such block exists. */
const struct schema_type *raw_type(struct str word);
/* The form that the field of built-in type T has in the newest version that has it; NULL if T is NULL or lacks it. */
const struct schema_field *merge_field(const struct schema_type *t, struct str name);
/* The type of a field's value, or of the elements of its list; NULL if that is not an object, or if F is NULL. */
const struct schema_type *merge_below(const struct schema_field *f);
/*
 * The keys that identify the elements of a list, such as "containerPort,protocol"; NULL for a list that is replaced as
 * a whole, and if LIST is NULL.
 */
const char *merge_keys(const struct schema_field *list);
/* The first of several keys; *REST gets the remaining ones. */
struct str merge_next_key(const char *keys, const char **rest);
/* The value of one merge key of an element as text; "" if it is absent and has no default. */
struct str merge_key_text(struct arena *a, struct str key, const struct data *element);
/* The text that identifies an element of a list with these keys; "" if nothing identifies it. */
struct str merge_identity(struct arena *a, const char *keys, const struct data *element);
/*
 * UPPER merged into LOWER, both maps of the type T, or of an unknown one: maps are merged key by key. An element of a
 * list with keys replaces the one of LOWER that it is the same as, and is added if there is none. For all other values,
 * other lists among them, UPPER wins.
 */
const struct data *merge_data(struct arena *a, const struct schema_type *t, const struct data *lower,
	const struct data *upper);

#endif
