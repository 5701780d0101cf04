/*
 * field_path.h - from a field as the API server names it to the place in the program.
 *
 * The server writes "spec.template.spec.containers[0].image" in validation errors and
 * ".spec.template.spec.containers[name=\"main\"].image" in conflicts.  Keys may have
 * dots in them, with or without brackets: "metadata.labels.trainc.dev/job".
 */
#ifndef TRAINC_RUNTIME_CLUSTER_FIELD_PATH_H
#define TRAINC_RUNTIME_CLUSTER_FIELD_PATH_H

#include "data/data.h"

struct field_place {
	const struct data *value;       /* the value that we sent there; NULL: there is none at that path */
	struct span from;               /* place of the innermost value on the path whose place is known */
};

/* Follows PATH from the root TREE; FROM is the place of the root. */
struct field_place field_find(const struct data *tree, struct str path, struct span from);

#endif
