/*
 * emit_check.h - the state of a check of the objects of a plan, and functions that format positions, counts and sizes.
 * verify/ has the rules; a target adds rules about what it cannot express.
 */
#ifndef TRAINC_EMIT_EMIT_CHECK_H
#define TRAINC_EMIT_EMIT_CHECK_H

#include "emit/emit_build.h"

struct checking {
	const struct emit_options *options;
	const struct plan *plan;
	struct diags *diags;
	struct arena *arena;            /* memory of the check */
	struct arena tree;              /* the object that is being checked, as a tree; emptied for each object */
	size_t before;                  /* number of errors before the check */
	/*
	 * number of texts that were found too long: if there are any, the objects that hold them are not reported as
	 * well
	 */
	size_t too_long;
	uint32_t long_variable;         /* position of the last variable that was found too long */
	struct map *seen;               /* the identities of objects seen so far */
	struct arena *seen_arena;
	struct str program;             /* name of the program's file, in the same arena as the identities */
	struct api_type **api_types;    /* indexed by the position of the type in the schema: verify/api_rules.c */
};

/* Reports what the target of the plan cannot express; returns false when it reported an error. */
bool target_check(struct checking *c);
/* Could the target carry job J? Reports nothing. */
bool target_takes(const struct checking *c, const struct plan_job *j, const char *target);
void target_check_kubeflow(struct checking *c, const struct plan_job *j);
void target_check_jobset(struct checking *c, const struct plan_job *j);
void target_check_trainer(struct checking *c, const struct plan_job *j);
void target_check_lws(struct checking *c, const struct plan_job *j);
void target_check_volcano(struct checking *c, const struct plan_job *j);
/* Reports what a set of Jobs cannot express; SET is the kind of the set in messages ("JobSet"). */
void target_check_set(struct checking *c, const struct plan_job *j, const char *set);

/*
 * Returns AT, unless it is in the standard library; then the first of the other positions that is in the user's text.
 */
struct span check_place(const struct checking *c, struct span at, struct span otherwise, struct span last);
/* Format a count and a size for messages: "163,204", "1.9 MiB". */
struct str check_count(struct arena *a, size_t n);
struct str check_size(struct arena *a, size_t bytes);
/* Shortens a long name to its first 30 and last 20 characters. */
struct str check_short(struct arena *a, struct str name);

#endif
