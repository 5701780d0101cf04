/*
 * crd.h - turns the kinds of a CustomResourceDefinition into lines of a schema table (schema_text.h).
 */
#ifndef TRAINC_KUBE_CRD_H
#define TRAINC_KUBE_CRD_H

#include "base/buf.h"
#include "data/data.h"

struct crd_error {
	struct span at;
	struct str what;                /* the error message: "a CustomResourceDefinition needs 'spec.group'" */
};

/* Is the document a CustomResourceDefinition? */
bool crd_is(const struct data *document);

/*
 * Appends the kinds of all served versions and their types. Parts that are types of Kubernetes, such as pod
 * templates, become references to those types. Returns false with ERROR if the definition is invalid; then nothing
 * has been appended.
 */
bool crd_schema(struct arena *a, const struct data *crd, struct buf *out, struct crd_error *error);

#endif
