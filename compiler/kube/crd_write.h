/*
 * crd_write.h - writes types of the tables as structural schemas, as a CustomResourceDefinition contains them.
 */
#ifndef TRAINC_KUBE_CRD_WRITE_H
#define TRAINC_KUBE_CRD_WRITE_H

#include "kube/schema.h"

/*
 * Appends the schema of an object of type ROOT of S in Kubernetes 1.MINOR as JSON. The object's own metadata is left
 * out, because the API server adds it; the metadata of a pod template in it is written. OPEN: objects keep fields
 * that the tables do not have, and no field is required.
 */
void crd_schema_write(const struct schema *s, const struct schema_type *root, unsigned minor, bool open,
	struct buf *out);

#endif
