/*
 * check.h - what emit_check() is made of.
 */
#ifndef TRAINC_EMIT_CHECK_H
#define TRAINC_EMIT_CHECK_H

#include "emit/build.h"

struct checking {
	const struct emit_options *options;
	const struct plan *plan;
	struct diags *diags;
	struct arena *arena;            /* of the check */
	size_t too_long;                /* texts found too long: the objects that hold them are no news */
	uint32_t long_variable;         /* place of the last variable found too long */
	struct map *seen;               /* identities */
	struct arena *seen_arena;
};

/* False when the plan cannot be emitted at all, and nothing else is worth saying. */
bool check_features(struct checking *c);
/* What the target of the plan has no place for: false when there is something. */
bool check_target(struct checking *c);
void check_kubeflow(struct checking *c, const struct plan_job *j);      /* kubeflow.c */
void check_jobset(struct checking *c, const struct plan_job *j);        /* check_set.c */
void check_trainer(struct checking *c, const struct plan_job *j);       /* trainer.c */
/* What a set of Jobs has no place for; `set`: how the target calls it ("JobSet"). */
void check_set(struct checking *c, const struct plan_job *j, const char *set);
/* TJ0820: autoscalers of what has no size to change. */
void check_autoscalers(struct checking *c, const struct plan_job *j);
/* Gangs: what the target and the version take of them, and what they take of a framework's settings. */
void check_gang(struct checking *c, const struct plan_job *j);
void check_names(struct checking *c, const struct plan_job *j);
void check_labels(struct checking *c, const struct plan_job *j);
/*
 * Labels, or annotations, whose `values` may be any text; `what` is one of them ("label").  Those that trainc writes are
 * not the user's to set; on an object of his own, where `j` is NULL, only those under our prefix.
 */
void check_pairs(struct checking *c, const struct plan_job *j, const struct plan_pairs *pairs, const char *what, bool values);
void check_references(struct checking *c, const struct plan_job *j);
/* TJ0812, TJ0811: identities over all jobs, and over all programs of a command. */
void check_identities(struct checking *c);
/* Raw blocks and extra objects against the schemas of Kubernetes. */
void check_raw(struct checking *c, const struct plan_job *j);
/* Metadata and keys of the user's own objects, and the names that they get. */
void check_metadata(struct checking *c, const struct plan_job *j, const struct plan_object *o);
void check_texts(struct checking *c, const struct plan_job *j);
/* Raw fields, sizes, data and annotations of the objects. */
void check_objects(struct checking *c);

/* May an object be called so?  Reports that `what` ("a claim") may not. */
bool check_object_name(struct checking *c, struct str name, const char *what, struct span at);
/* The same for a key of its data. */
void check_data_key(struct checking *c, struct str key, const char *what, struct span at);

/* `at`, unless it is in the standard library: then the first of the others that the user wrote. */
struct span check_place(const struct checking *c, struct span at, struct span otherwise, struct span last);
/* "163,204", "1.9 MiB". */
struct str check_count(struct arena *a, size_t n);
struct str check_size(struct arena *a, size_t bytes);
/* The first 30 and last 20 characters of a long name. */
struct str check_short(struct arena *a, struct str name);

#endif
