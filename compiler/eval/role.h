/*
 * role.h - a role of the job that is being built.
 *
 * A role's field is the first of these that exists, and each level may extend
 * the next: the role's block in the job, the job's own field, the project's
 * defaults; of each framework, from the one that the job names to the one that
 * wraps no other, its block for the role and its own field; the built-in default.  Every (role, field) is a slot:
 * evaluated once, on demand, so that `worker.replicas` in another role's environment just works and cycles
 * are found.
 */
#ifndef TRAINC_EVAL_ROLE_H
#define TRAINC_EVAL_ROLE_H

#include "check/decl.h"
#include "check/schema.h"
#include "eval/eval.h"

/* From LEVEL_FRAMEWORK on, every framework has two levels: level_block(layer) and level_own(layer). */
enum { LEVEL_ROLE, LEVEL_JOB, LEVEL_PROJECT, LEVEL_FRAMEWORK, LEVELS = LEVEL_FRAMEWORK + 2 * MOST_FRAMEWORKS };

/*
 * The levels of framework LAYER, counted from the one that the job names: its block for the role, and its own fields.
 */
static inline unsigned level_block(unsigned layer) { return LEVEL_FRAMEWORK + 2 * layer; }
static inline unsigned level_own(unsigned layer) { return LEVEL_FRAMEWORK + 2 * layer + 1; }

struct role_slot {
	struct slot slot;
	struct span set_at;             /* the item that decided the value; unknown for a built-in default */
	unsigned level;                 /* level of that item; LEVELS for a built-in default */
	bool deciding;                  /* set_at and level are filled in */
};

struct role {
	unsigned number;                /* position of the role in plan_job.roles */
	struct str name;                /* name of the role as written */
	struct span at;                 /* the role's block, or the item that declared the role */
	struct span name_at;            /* the text that names its replicas; unknown when trainc makes the names */
	bool aux;
	struct job *job;
	struct decl *decls[MOST_FRAMEWORKS];   /* declarations of the role in each framework; NULL where the framework
					        * lacks it */
	struct decl *job_decl;          /* declaration of the role in the job's own block; NULL if there is none */
	const struct entry *own;        /* the role's block in the job; NULL when the job does not mention the role */
	struct node *block;             /* the block of that entry */
	struct entries *levels[LEVELS]; /* the entries of each level, filled by job_begin(); NULL where the level sets
					 * nothing */
	unsigned nlevels;               /* number of levels in use: all later ones are NULL */
	/* some item that the job writes for the role is broken: a field that seems missing may be in it */
	bool torn;
	struct role_slot *slots[FIELDS];        /* values of the role's fields, each made on first use */
	struct plan_role *plan;         /* the role in the plan */
	/* The text list of role.addresses("p") is made once for each role and kept. */
	struct map addresses;
	const struct value *hosts;
	/* a policy sees the amounts of this replica, where replicas differ; -1 outside of policies */
	int64_t seen;
};

/* The value of a field from these levels, converted; VALUE_NONE if there is none. */
const struct value *role_field(struct eval *ev, struct role *r, enum field_id id);
/* The value for replica I of a field in which replicas may differ (schema_differs()), and the place that decided it. */
const struct value *role_field_of(struct eval *ev, struct role *r, enum field_id id, int64_t i, struct span *ret_at);
/* Is V known only for each replica? Then *RET_COMPUTED is an expression that decides it, if one is known. */
bool value_differs(const struct value *v, struct span *ret_computed);
/* The place where the user set a field; the place of the role when the user did not. */
struct span role_field_at(struct eval *ev, struct role *r, enum field_id id);
/* Which level decided a field; LEVELS for the built-in default. */
unsigned role_field_level(struct eval *ev, struct role *r, enum field_id id);

/* The framework's declaration with a type of a field for this role, `replicas: int(1..)`; NULL when there is none. */
struct node *role_typed(const struct role *r, enum field_id id);
/* Reports that nothing sets a field which the framework declares with TYPED and without a value (TJ0512). */
void role_report_required(struct eval *ev, const struct role *r, enum field_id id, const struct node *typed);

/* Notes whether an item in its levels is broken. To be called when `levels` is filled in. */
void role_find_torn(struct role *r);

/* The entries of all levels for a field, nearest to the job first, up to the first that sets it. */
struct said role_said(struct eval *ev, struct role *r, enum field_id id);
/* The nearest entry for the field; false when no level mentions it. */
bool role_first(struct role *r, enum field_id id, struct contribution *ret);

/*
 * Removes frameworks' entries for ARGS when the job has a command of its own: arguments belong to the command for which
 * they were written.
 */
void role_own_args(struct role *r, struct said *args);

/* Smallest and largest number of replicas; false when that could not be evaluated. */
bool role_replicas(struct eval *ev, struct role *r, int64_t *ret_min, int64_t *ret_max);
bool role_is_elastic(struct eval *ev, struct role *r);
/* The number of slices of the role: 1 when it is not divided, or when the number is unknown. */
int64_t role_slices(struct eval *ev, struct role *r);
/* The role's accelerator, or NULL. */
const struct plan_accelerator *role_accelerator(struct eval *ev, struct role *r);

#endif
