/*
 * manifest.h - objects for a cluster on standard output: documents of YAML, or a List of JSON.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_MANIFEST_H
#define TRAINC_RUNTIME_SUPERVISE_MANIFEST_H

#include "command/session.h"

#define MANIFEST_NAME "trainc-supervise"
#define MANIFEST_LABELS "{\"app.kubernetes.io/name\":\"" MANIFEST_NAME "\",\"app.kubernetes.io/part-of\":\"trainc\"}"

struct manifest_out {
	struct session *session;
	bool json, first;
};

/* -o of the command line says which form it has. */
void manifest_begin(struct manifest_out *m, struct session *s);
/* One object, from the JSON text in B, which is emptied. */
void manifest_put(struct manifest_out *m, struct buf *b);
void manifest_end(struct manifest_out *m);

/* Opens the text of an object: up to the end of its metadata.  NS is NULL for one of the whole cluster. */
void manifest_head(struct buf *b, const char *api_version, const char *kind, const char *name, const char *ns);

#endif
