/*
 * field_path.h - finds the source position of a field that the API server names. The server writes
 * "spec.template.spec.containers[0].image" in validation errors and
 * ".spec.template.spec.containers[name=\"main\"].image" in conflicts. Keys may contain dots, with or without brackets:
 * "metadata.labels.trainc.dev/job".
 */
#ifndef TRAINC_RUNTIME_CLUSTER_FIELD_PATH_H
#define TRAINC_RUNTIME_CLUSTER_FIELD_PATH_H

#include "data/data.h"

struct field_place {
	const struct data *value;       /* the value at that path in the object that was sent; NULL: the object has no
					 * such value */
	struct span from;               /* source position of the innermost value on the path that has a position */
};

/* Follows PATH from the root TREE; FROM is the source position of the root. */
struct field_place field_find(const struct data *tree, struct str path, struct span from);

#endif
