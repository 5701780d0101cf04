/*
 * crd.h - what a CustomResourceDefinition says about its kinds, as lines of a
 * schema table (schema_text.h).
 */
#ifndef TRAINC_KUBE_CRD_H
#define TRAINC_KUBE_CRD_H

#include "base/buf.h"
#include "data/data.h"

struct crd_error {
	struct span at;
	struct str what;                /* the message: "a CustomResourceDefinition needs 'spec.group'" */
};

/* Is the document one? */
bool crd_is(const struct data *document);

/*
 * Append the kinds of all served versions and their types.  Objects that are those
 * of Kubernetes, such as pod templates, become references to its types.  False
 * with `*error`: nothing has been appended.
 */
bool crd_schema(struct arena *a, const struct data *crd, struct buf *out, struct crd_error *error);

#endif
