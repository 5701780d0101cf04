/*
 * manifest.h - writes objects for a cluster to standard output: as YAML documents, or as a List in JSON.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_MANIFEST_H
#define TRAINC_RUNTIME_SUPERVISE_MANIFEST_H

#include "command/session.h"
#include "objects/object.h"

#define MANIFEST_NAME "trainc-supervise"
#define MANIFEST_LABELS "{\"app.kubernetes.io/name\":\"" MANIFEST_NAME "\",\"app.kubernetes.io/part-of\":\"trainc\"}"

struct manifest_out {
	struct session *session;
	bool json, first;
};

/* Starts the output in the form that -o selects. */
void manifest_begin(struct manifest_out *m, struct session *s);
void manifest_put_object(struct manifest_out *m, const struct object *o);
/* Writes one object from the JSON text in B, and empties B. */
void manifest_put(struct manifest_out *m, struct buf *b);
void manifest_end(struct manifest_out *m);

/* Appends the beginning of an object up to the end of its metadata. NS is NULL for an object without a namespace. */
void manifest_head(struct buf *b, const char *api_version, const char *kind, const char *name, const char *ns);

#endif
