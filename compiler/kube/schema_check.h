/*
 * schema_check.h - checks free-form data against the schema of a version of Kubernetes.
 */
#ifndef TRAINC_KUBE_SCHEMA_CHECK_H
#define TRAINC_KUBE_SCHEMA_CHECK_H

#include "diag/diag.h"
#include "kube/schema.h"
#include "data/data.h"

struct schema_checking {
	const struct schema *schema;
	unsigned minor;                 /* minor version of Kubernetes: 34 for "1.34" */
	struct diags *diags;
	struct arena *arena;            /* memory that is only needed while checking */
};

/*
 * Reports what Kubernetes would refuse in a map that is an object of type T, or is merged into one: unknown fields
 * (TJ0903), fields of another version (TJ0905), values of another kind (TJ0904), and missing fields (TJ0907). Unless
 * WHOLE, fields may be missing at the first level and in elements of lists that merge by a key. null is accepted
 * everywhere, because it removes a field.
 */
void schema_check(struct schema_checking *c, const struct schema_type *t, const struct data *map, bool whole);

#endif
