/*
 * verify.h - the rules that emit_check() applies, in one file per subject.
 */
#ifndef TRAINC_VERIFY_VERIFY_H
#define TRAINC_VERIFY_VERIFY_H

#include "emit/emit_check.h"

/*
 * Checks whether the plan can be emitted at all. If not, it reports that and returns false, and the other checks are
 * skipped.
 */
bool check_features(struct checking *c);
/* TJ0820: reports autoscalers of objects that cannot be scaled. */
void check_autoscalers(struct checking *c, const struct plan_job *j);
/*
 * Checks gangs: whether the target and the version support them, and which of a framework's settings have an effect
 * on them.
 */
void check_gang(struct checking *c, const struct plan_job *j);
/* TJ0828: reports a `place` that the gang of the job cannot keep. */
void check_places(struct checking *c, const struct plan_job *j);
void check_names(struct checking *c, const struct plan_job *j);
void check_labels(struct checking *c, const struct plan_job *j);
/*
 * Checks labels or annotations; WHAT names one for messages ("label"). VALUES: the values must have the form of label
 * values. The user must not set keys that trainc writes; on an extra object, where J is NULL, only keys with trainc's
 * prefix are refused.
 */
void check_pairs(struct checking *c, const struct plan_job *j, const struct plan_pairs *pairs, const char *what,
	bool values);
void check_references(struct checking *c, const struct plan_job *j);
/* TJ0812, TJ0811: reports objects with the same identity, within all jobs and all programs of a command. */
void check_identities(struct checking *c);
/* Checks raw blocks and extra objects against the schemas of Kubernetes. */
void check_raw(struct checking *c, const struct plan_job *j);
/* Checks metadata and keys of the user's own objects, and the names that these objects get. */
void check_metadata(struct checking *c, const struct plan_job *j, const struct plan_object *o);
void check_texts(struct checking *c, const struct plan_job *j);
/* Checks the raw fields, sizes, data and annotations of objects. */
void check_objects(struct checking *c);
/*
 * TJ0809, TJ0810, TJ0829: reports fields that the named versions of add-ons do not have, and objects that they never
 * start.
 */
void check_addons(struct checking *c);

/* Is the name allowed for an object? If not, reports that WHAT ("a claim") cannot have it. */
bool check_object_name(struct checking *c, struct str name, const char *what, struct span at);
/* Is the key allowed in the data of an object? If not, reports that WHAT cannot have it. */
void check_data_key(struct checking *c, struct str key, const char *what, struct span at);

#endif
