/*
 * verify.h - the rules that emit_check() applies, one file per subject.
 */
#ifndef TRAINC_VERIFY_VERIFY_H
#define TRAINC_VERIFY_VERIFY_H

#include "emit/check.h"

/* False when the plan cannot be emitted at all, so that nothing else is worth reporting. */
bool check_features(struct checking *c);
/* TJ0820: reports autoscalers of objects that cannot be scaled. */
void check_autoscalers(struct checking *c, const struct plan_job *j);
/* Gangs: what the target and the version support, and which of a framework's settings they use. */
void check_gang(struct checking *c, const struct plan_job *j);
/* TJ0828: places that the gang of the job cannot keep. */
void check_places(struct checking *c, const struct plan_job *j);
void check_names(struct checking *c, const struct plan_job *j);
void check_labels(struct checking *c, const struct plan_job *j);
/*
 * Labels, or annotations, whose `values` may be any text; `what` is one of them ("label").  The
 * user must not set those that trainc writes; on an extra object, where `j` is NULL, only those
 * with our prefix are refused.
 */
void check_pairs(struct checking *c, const struct plan_job *j, const struct plan_pairs *pairs, const char *what,
	bool values);
void check_references(struct checking *c, const struct plan_job *j);
/* TJ0812, TJ0811: identities over all jobs, and over all programs of a command. */
void check_identities(struct checking *c);
/* Checks raw blocks and extra objects against the schemas of Kubernetes. */
void check_raw(struct checking *c, const struct plan_job *j);
/* Checks metadata and keys of the user's own objects, and the names that these objects get. */
void check_metadata(struct checking *c, const struct plan_job *j, const struct plan_object *o);
void check_texts(struct checking *c, const struct plan_job *j);
/* Checks raw fields, sizes, data and annotations of the objects. */
void check_objects(struct checking *c);
/* TJ0809, TJ0810, TJ0829: what the versions of add-ons that the project names do not have, or never start. */
void check_addons(struct checking *c);

/* May an object have that name?  Otherwise reports that `what` ("a claim") may not. */
bool check_object_name(struct checking *c, struct str name, const char *what, struct span at);
/* The same for a key of its data. */
void check_data_key(struct checking *c, struct str key, const char *what, struct span at);

#endif
