/*
 * object_check.h - can an object be used? Whoever reads objects needs their name and version, and texts where the API
 * server has texts.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_OBJECT_CHECK_H
#define TRAINC_RUNTIME_CLUSTER_OBJECT_CHECK_H

#include "runtime/cluster/json_stream.h"

/*
 * Why the object cannot be used, as a sentence without a subject ("has no metadata"); NULL: it can. KIND is its kind;
 * empty: any. WATCHED: the object also needs a uid and a version.
 */
const char *object_fault(const struct data *object, struct str kind, bool watched);
/* Sets what is known about an object that cannot be used because of WHY. LABEL may be NULL. */
void object_identify(const struct data *object, const char *label, const char *why, struct json_skipped *ret);
/* Appends "TFJob ml/bert", or "a TFJob without a name". KIND is the kind if the object does not say it. */
void put_skipped_name(struct buf *b, struct str kind, const struct json_skipped *s);
/* Appends why the object was skipped, with its size if that is the reason. */
void put_skipped_why(struct buf *b, const struct json_skipped *s);

#endif
