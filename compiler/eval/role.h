/*
 * role.h - a role of the job that is being built.
 *
 * The value of a role's field comes from the first of these levels that sets it, and each level may extend the next:
 * the role's block in the job or cell; the cell's own field; the job's own field; the project's defaults; for each
 * framework, from the one that the job or cell names to the innermost, its block for the role and then its own field;
 * the built-in default. Every (role, field) is a slot: evaluated once, on demand, so that another role's environment
 * can use `worker.replicas`, and cycles are found.
 */
#ifndef TRAINC_EVAL_ROLE_H
#define TRAINC_EVAL_ROLE_H

#include "check/check_schema.h"
#include "check/decl.h"
#include "eval/eval.h"

/* From LEVEL_FRAMEWORK on, every framework has two levels: level_block(layer) and level_own(layer). */
enum { LEVEL_ROLE, LEVEL_CELL, LEVEL_JOB, LEVEL_PROJECT, LEVEL_FRAMEWORK,
	LEVELS = LEVEL_FRAMEWORK + 2 * MOST_FRAMEWORKS };

/*
 * The levels of framework LAYER, counted from the one that the job names: its block for the role, and its own fields.
 */
static inline unsigned level_block(unsigned layer) { return LEVEL_FRAMEWORK + 2 * layer; }
static inline unsigned level_own(unsigned layer) { return LEVEL_FRAMEWORK + 2 * layer + 1; }

struct role_slot {
	struct slot slot;
	struct span set_at;             /* span of the item that set the value; unknown for a built-in default */
	unsigned level;                 /* level of that item; LEVELS for a built-in default */
	bool deciding;                  /* set_at and level are set */
};

struct role {
	unsigned number;                /* position of the role in plan_job.roles */
	struct str name;                /* name of the role as written */
	struct span at;                 /* span of the role's block, or of the item that declared the role */
	struct span name_at;            /* span of the text that gives the replicas their name; unknown when trainc
					 * makes the names */
	bool aux;
	struct job *job;
	struct decl *decls[MOST_FRAMEWORKS];   /* declarations of the role in each framework; NULL where the framework
					        * lacks it */
	struct decl *job_decl;          /* declaration of the role in the job's own block; NULL if the block does not
					 * declare the role */
	const struct entry *own;        /* the role's block in the job; NULL when the job does not mention the role */
	struct node *block;             /* the block of that entry */
	struct entries *levels[LEVELS]; /* the entries of each level, filled by job_begin(); NULL where the level sets
					 * nothing */
	unsigned nlevels;               /* number of levels in use; all later ones are NULL */
	/* an item that the job writes for the role is broken, so it may set a field that seems to be missing */
	bool torn;
	struct role_slot *slots[FIELDS];        /* values of the role's fields, each made on first use */
	struct plan_role *plan;         /* the role in the plan */
	/* port -> the list role.addresses("p"), made once for each role */
	struct map addresses;
	const struct value *hosts;
	const struct plan_layout *layout;       /* see role_layout() */
	bool laid_out;                  /* `layout` was computed; it is NULL if that failed */
	/* the replica whose amounts a policy sees, where replicas differ; -1 outside policies */
	int64_t seen;
};

/*
 * The value of a field from the levels of the role, converted to the type of the field; VALUE_NONE if nothing sets it.
 */
const struct value *role_field(struct eval *ev, struct role *r, enum field_id id);
/* The value for replica I of a field in which replicas may differ (schema_differs()), and the span that decided it. */
const struct value *role_field_of(struct eval *ev, struct role *r, enum field_id id, int64_t i, struct span *ret_at);
/*
 * Does V differ between replicas? If so, *RET_COMPUTED is the span of an expression that makes it differ, if one is
 * known.
 */
bool value_differs(const struct value *v, struct span *ret_computed);
/* Where the user set a field; the span of the role when the user did not set it. */
struct span role_field_at(struct eval *ev, struct role *r, enum field_id id);
/* Which level decided a field; LEVELS for the built-in default. */
unsigned role_field_level(struct eval *ev, struct role *r, enum field_id id);

/*
 * The framework's typed declaration of a field for this role, such as `replicas: int(1..)`; NULL if the framework does
 * not declare the field.
 */
struct node *role_typed(const struct role *r, enum field_id id);
/*
 * Reports that nothing sets a field (TJ0512). TYPED is its declaration in the framework, with a type and without a
 * value.
 */
void role_report_required(struct eval *ev, const struct role *r, enum field_id id, const struct node *typed);

/* Sets `torn` if an item in the levels is broken. Call it when `levels` is filled in. */
void role_find_torn(struct role *r);

/* The entries for a field from all levels, the nearest to the job first, up to the first one that sets it. */
struct said role_said(struct eval *ev, struct role *r, enum field_id id);
/* The nearest entry for the field; false when no level mentions it. */
bool role_first(struct role *r, enum field_id id, struct contribution *ret);

/*
 * Removes the frameworks' entries from ARGS when the job sets its own command: arguments belong to the command for
 * which they were written.
 */
void role_own_args(struct role *r, struct said *args);

/* Smallest and largest number of replicas; false when the number could not be evaluated. */
bool role_replicas(struct eval *ev, struct role *r, int64_t *ret_min, int64_t *ret_max);
bool role_is_elastic(struct eval *ev, struct role *r);
/* The number of slices of the role: 1 when the role is not divided into slices, or when the number is unknown. */
int64_t role_slices(struct eval *ev, struct role *r);
/*
 * How the ranks of the role are divided; all in one dimension if the program says nothing. NULL if that could not be
 * computed, which was reported.
 */
const struct plan_layout *role_layout(struct eval *ev, struct role *r);
/* The position of the number that the layout of the role has for D; that of `layout` if it does not mention D. */
struct span role_layout_at(struct eval *ev, struct role *r, enum plan_dimension d);
/*
 * The number of consecutive replicas that hold whole groups of the dimension; 0 if AT names none, or if groups share
 * hosts with parts of others, which was reported.
 */
int64_t role_layout_hosts(struct eval *ev, struct role *r, struct str dimension, struct span at);
/* The role's accelerator, or NULL. */
const struct plan_accelerator *role_accelerator(struct eval *ev, struct role *r);

#endif
