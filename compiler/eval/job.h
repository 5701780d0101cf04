/*
 * job.h - one job of the program while its plan is built. lower/lower_job.c fills it in, roles first. Every field is a
 * slot that is evaluated on first use, so expressions can read fields of the job and of its roles.
 */
#ifndef TRAINC_EVAL_JOB_H
#define TRAINC_EVAL_JOB_H

#include "eval/role.h"

/* Settings of the command line that override the program. */
struct job_options {
	struct str ns, domain, gang, run_id;    /* options for the job; p == NULL: not given */
	struct str only, name;          /* compile only the job ONLY, and call it NAME; p == NULL: not given */
	bool unroll, no_raw;
	bool here;                      /* the processes run on this machine: images are not used and need not be set */
	enum workload_id workload;      /* the kind of object that a role becomes in the target */
	bool controller, in_set, in_group, in_tasks;    /* see the members with these names in plan.h */
};

/* A framework of the job: the one that the job names, or one that another framework wraps. */
struct job_layer {
	struct decl *framework;
	struct frame *formals;
	struct entries *body;
};

/* The name of a variable, or PREFIX_*, that framework LAYER locks: layers that are nearer to the job may not set it. */
struct reserved {
	struct str name;
	unsigned layer;
};

/* A cell of the job. Its copies are jobs without an object of their own: their roles are in the plan of the job. */
struct cell {
	struct decl *decl;
	const struct entry *entry;      /* its block in the body of the job */
	int64_t min, max;               /* numbers of copies; they differ if the cell is elastic */
	struct job **copies;            /* `max` of them */
	const struct value *value;      /* the list of copies as a value, made on first use */
	/* the conditions about the cell that have been made: each is made once, however many roles wait for it */
	struct cell_condition *known;
};
struct cell_condition {
	enum condition_kind kind;
	int64_t least;                  /* number of copies; 0: the cell as a whole */
	const struct plan_condition *c;
	struct cell_condition *next;
};

struct job {
	struct eval *ev;
	const struct job_options *options;
	struct node *node;              /* the job's node, a NODE_JOB */
	struct frame *frame;            /* the frame, with the loop variables of a fleet */
	struct entries *body;           /* the entries of the job's body */
	struct entries *defaults;       /* the entries of the project's defaults; NULL if the project has no defaults */
	struct decl *framework;         /* the framework that the job names, or NULL */
	struct job_layer layers[MOST_FRAMEWORKS];
	unsigned nlayers;
	struct role **roles;            /* all roles: those of the framework, the job's own, and aux roles */
	size_t nroles;
	struct str name;                /* the job's name as written */
	struct reserved *reserved;
	size_t nreserved;
	struct slot *slots[FIELDS];     /* slots of job-only fields; made on first use */
	bool env_all;                   /* sidecars get the framework's variables, too */
	bool ready;                     /* the fields of roles can be read */
	/*
	 * it has a role that the framework lacks (TJ0501), which may be a misspelling of any role that it does not
	 * mention
	 */
	bool role_lost;
	bool checks_failed;             /* a check of the framework failed: the values that it guards are not
					 * evaluated */
	struct cell **cells;            /* the cells of the job */
	size_t ncells;
	/*
	 * of a copy of a cell: the job, the cell and the number of the copy. `roles` are then those of the copy, and
	 * `plan` has no roles of its own: only what the copy decides for itself
	 */
	struct job *outer;
	struct cell *cell;
	int64_t copy;
	const struct plan_condition *success;   /* of a copy: when it is done, see copy_success() */
	bool success_known;
	struct plan_job *plan;
	struct job *before;             /* the previous job that was kept, see eval.built */
};

/* The job to which J belongs: that around a copy of a cell, or J itself. */
static inline struct job *job_root(struct job *j) { return j->outer ? j->outer : j; }

/* The role and the job for which something is evaluated, to be restored afterwards. */
struct self_of {
	struct role *self;
	struct job *job;
};
/* Evaluates for role R, in its job, until self_end(). */
static inline struct self_of self_begin(struct eval *ev, struct role *r)
{
	struct self_of before = { ev->self, ev->job };

	ev->self = r;
	ev->job = r ? r->job : ev->job;
	return before;
}
static inline void self_end(struct eval *ev, struct self_of before)
{
	ev->self = before.self;
	ev->job = before.job;
}

/*
 * The condition under which a copy of a cell is done; NULL if it never ends. VALUE of a broken rule: it was reported,
 * and *RET_BAD is set.
 */
const struct plan_condition *copy_success(struct job *copy, bool *ret_bad);
/* All N conditions, in a tree as low as possible; NULL if N is 0. */
const struct plan_condition *condition_all(struct eval *ev, const struct plan_condition **of, size_t n, struct span at);
/* done(CELL): all copies that end are done; NULL if none ends. */
const struct plan_condition *cell_success(struct cell *cell);

/*
 * A field of the job itself (set by the job's block, otherwise by the project's defaults, by frameworks, or by the
 * built-in default).
 */
const struct value *job_field(struct job *j, enum field_id id);
/* Does the job or one of its frameworks mention the field? */
bool job_says(const struct job *j, enum field_id id);
struct span job_field_at(struct job *j, enum field_id id);
/* Is the variable NAME, which LEVEL sets, locked by a framework whose level comes after LEVEL? */
bool job_reserves(const struct job *j, struct str name, unsigned level);

#endif
